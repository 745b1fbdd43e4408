#!/bin/sh
# A build whose steps are phases, so that the HUD and the rows say which of them takes the time and the memory:
#
#   perfhud -- examples/build-with-phases.sh
#   perfhud --batch --format jsonl --output rows.jsonl -- examples/build-with-phases.sh
#
# Without a perfhud above it, `perfhud emit` does nothing and ends with 0; without one in PATH neither.
# PERFHUD_PROGRAM names another perfhud.
set -eu
report() { "${PERFHUD_PROGRAM:-perfhud}" emit "$@" 2>/dev/null || true; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sources="a b c d"

report phase generate --color blue
for name in $sources; do
  echo "int $name(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }" >"$folder/$name.c"
done

report phase compile --color orange
for name in $sources; do
  "${CC:-cc}" -O2 -c -o "$folder/$name.o" "$folder/$name.c"
  report action compiled --detail "$name.c"
done

report phase link --color green
ar rcs "$folder/libexample.a" "$folder"/*.o
echo "built $(ar t "$folder/libexample.a" | wc -l) objects"
