#!/bin/sh
# Compares the instructions of the hot loops with scripts/instructions.txt; more than 2 % of difference, up or down, is
# an error. Cachegrind counts them, which does not depend on other work on the machine: feed (the
# parser and the screen model below a HUD), paint (the same through the compositor, which erases and paints the HUD),
# draw (a redraw of a view of 120x40) and sample (a sample of a process). Each is counted for two numbers of passes,
# so that the start of the program is left out.
#
#   check-instructions.sh [--update]
#
# --update writes the file anew; do this on purpose only, and say why in the commit. Another compiler or another
# processor gives other counts: then nothing is compared.
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1
expected=scripts/instructions.txt
program=${BENCH_SCREEN:-.build/release/bench-screen}
swift=${SWIFT:-swift}
command -v valgrind >/dev/null || {
  echo "instructions: valgrind not found; install it with: make deps-test" >&2
  exit 1
}
[ -x "$program" ] || {
  echo "instructions: no program $program; build it with: make check-instructions" >&2
  exit 1
}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# What the counts depend on beside the code.
compiler=$("$swift" --version 2>/dev/null | sed -n 's/.*(\(swift-[^)]*\)).*/\1/p' | head -n 1)
flags=$(grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null | tr ' ' '\n' | grep -xE 'avx2|avx512f|erms|fsrm' | tr '\n' ' ')
setting="$(uname -m) $compiler $flags"

# count KIND PASSES: the instructions of a run
count() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$program" --passes "$2" "$1" \
    2>&1 | sed -n 's/.*I *refs: *//p' | tr -d ,
}

# measure KIND FEW MANY: the instructions of a pass
measure() {
  few=$(count "$1" "$2")
  many=$(count "$1" "$3")
  [ -n "$few" ] && [ -n "$many" ] || {
    echo "instructions: valgrind cannot run bench-screen --passes $2 $1" >&2
    exit 1
  }
  echo "$1 $(((many - few) / ($3 - $2)))"
}

{
  measure feed 1 3 && measure paint 1 3 && measure draw 10 60 && measure sample 20 220
} >"$scratch/found" || exit 1

if [ "${1:-}" = --update ]; then
  { echo "# $setting" && cat "$scratch/found"; } >"$expected"
  echo "instructions: $expected is written; look at the difference before you commit it"
  exit 0
fi
[ -f "$expected" ] || {
  echo "instructions: no $expected; write it with: make check-instructions ARGS=--update" >&2
  exit 1
}
if [ "$(head -n 1 "$expected")" != "# $setting" ]; then
  echo "instructions: not compared, $expected is for another compiler or processor"
  exit 0
fi
grep -v '^#' "$expected" | sort >"$scratch/expected"
sort "$scratch/found" | join "$scratch/expected" - | awk '
  { percent = 100 * ($3 / $2 - 1); rows++ }
  percent > 2 || percent < -2 {
    printf "instructions: %s: %d a pass, expected %d (%+.1f %%)\n", $1, $3, $2, percent
    failed = 1
  }
  END { exit rows == 4 ? failed : 1 }' >&2 || {
  echo "instructions: if this is meant: make check-instructions ARGS=--update" >&2
  exit 1
}
echo "instructions: as expected"
