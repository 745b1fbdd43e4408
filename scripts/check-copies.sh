#!/bin/sh
# Holds that nothing copies the shadow screen or what holds it (Sources/Terminal/Pinned.swift): looks in
# the release objects of Terminal for calls of memcpy with a constant length of 512 bytes or more. No
# other value there is as large. What Swift generates to move a value of a type is not called by us.
set -u
cd "$(dirname "$0")/.." || exit 1
[ "$(uname -m)" = x86_64 ] || {
  echo "copies: not looked for on $(uname -m)"
  exit 0
}
objects=.build/release/Terminal.build
ls "$objects"/*.o >/dev/null 2>&1 || {
  echo "copies: no release objects in $objects; build them with: make build" >&2
  exit 1
}
command -v objdump >/dev/null || {
  echo "copies: objdump not found; install it with: make deps-test" >&2
  exit 1
}
found=$(objdump -dr --no-show-raw-insn "$objects"/*.o | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $2; length_line = 0; functions++ }
  /mov +\$0x([2-9a-f]..|[1-9a-f]...+),%edx/ { length_line = NR }
  /R_X86_64_.*mem(cpy|move)/ {
    if (length_line && NR - length_line < 8 && name !~ /^<__swift_memcpy/) print name
    length_line = 0
  }
  END { if (functions < 100) print "objdump shows no functions" }' | sort -u)
if [ -n "$found" ]; then
  echo "copies: a large value is copied in" >&2
  if command -v swift >/dev/null; then found=$(echo "$found" | swift demangle --simplified); fi
  echo "$found" | sed 's/^/copies:   /' >&2
  exit 1
fi
echo "copies: none"
