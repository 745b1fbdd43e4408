#!/bin/sh
# Makes the object with the commit and its day that a release links (Sources/CProcess/build.c), and prints its path;
# prints nothing where there is no commit. The path has both, so that another commit links anew.
# stamp-build.sh [SWIFT]
set -eu
cd "$(dirname "$0")/.."
id=$(scripts/commit.sh id)
[ -n "$id" ] || exit 0
day=$(date -u -d "@$(scripts/commit.sh time)" +%F)
object=$PWD/.build/stamp/$id-$day.o
if [ ! -e "$object" ]; then
  mkdir -p .build/stamp
  # The compiler that comes with Swift.
  tools=$(dirname "$(command -v "${1:-swift}")")
  compiler=$tools/clang
  [ -x "$compiler" ] || compiler=cc
  printf 'extern const char perfhud_build_text[];\nconst char perfhud_build_text[] = "%s, %s";\n' "$id" "$day" |
    "$compiler" -c -g0 -o "$object.$$" -x c -
  mv "$object.$$" "$object"
fi
echo "$object"
