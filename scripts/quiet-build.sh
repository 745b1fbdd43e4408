#!/bin/sh
# Passes a build's output on without the linker's warnings about a static executable, which concern
# calls that perfhud does not make (dlopen and name services); fails if the build did not complete.
status=1
while IFS= read -r line; do
  case $line in
    *"Using '"*"' in statically linked applications"* | *"in function"* | *LibPrespecialized* | *"warning: the use of \`mktemp'"*) ;;
    "Build of product"*complete* | "Build complete!"*) status=0; printf '%s\n' "$line" ;;
    *": error:"* | error:* | *warning:* | "[0/1]"* | Building*) printf '%s\n' "$line" ;;
    "["*) ;;
    *) printf '%s\n' "$line" ;;
  esac
done
exit $status
