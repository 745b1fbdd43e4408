#!/usr/bin/env bash
# Builds and runs all tests. The end-to-end tests use the release binary that `make build` has left.
# What failed is said once more at the end: a log that is cut to its last lines still tells it.
set -euo pipefail
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
PERFHUD_BINARY=$PWD/.build/release/perfhud
export PERFHUD_BINARY
# A locale of the shell must not change what is tested; each test sets its own.
unset LC_ALL LC_MESSAGES NO_COLOR PERFHUD_CONFIG 2>/dev/null || true
export LANG=C.UTF-8
# What is started in the background ignores the keys' signals, and so would the commands of the tests.
# The trait brings in swift-log, for the tests of PerfHUDLogging.
test=(env --default-signal "$swift" test --disable-xctest --traits Logging)
if [ $# -gt 0 ]; then
  exec "${test[@]}" "$@"
fi

folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
status=0
run() { "${test[@]}" "$@" 2>&1 | tee -a "$log" || status=1; }

# What compares whole screens, bare and below the HUD, what needs a quiet machine and what loads it, has the machine
# for itself.
alone=(Transparency CPUTruth LoadedMachine SlowLink)
run --skip 'EndToEndTests\.'
# These wait for programs most of the time, and in one process only as many run at once as there are cores.
# The first letters of the suites make three processes of them, of the same length and with no suite left out.
letters=('[A-H]' '[I-O]' '[^A-O]')
# They are started without SwiftPM, which locks its database of the build.
binary=$("$swift" build --show-bin-path)/perfhudPackageTests.xctest
parts=()
for letter in "${letters[@]}"; do
  env --default-signal "$binary" --testing-library swift-testing --filter "EndToEndTests\.$letter" \
    --skip "EndToEndTests\.($(IFS='|'; echo "${alone[*]}"))" > "$folder/${#parts[@]}" 2>&1 &
  parts+=($!)
done
for part in "${!parts[@]}"; do
  wait "${parts[part]}" || status=1
  tee -a "$log" < "$folder/$part"
done
for suite in "${alone[@]}"; do
  run --skip-build --filter "EndToEndTests\.$suite"
done
# Programs that know their own truth; `make test-truth` runs all of them.
env --default-signal python3 Tests/Truth/truth.py --quick 2>&1 | tee -a "$log" || status=1
# System calls that fail; `make test-faults` makes all of them fail.
env --default-signal python3 Tests/Faults/matrix.py --quick 2>&1 | tee -a "$log" || status=1
# The commands of README.md and of the documents.
env --default-signal python3 Tests/Documents/commands.py 2>&1 | tee -a "$log" || status=1

if [ $status -ne 0 ]; then
  printf '\nWhat failed:\n'
  # What an issue says follows it, on lines of its own.
  grep -aE -A 8 '✘.*recorded an issue' "$log" | grep -avE '^(◇|✔|mixed input)' | cut -c1-400 | head -n 200 || true
  grep -aE '✘|^FAIL |: error: |^error: |Fatal error|unexpected signal' "$log" || tail -n 40 "$log"
fi
exit $status
