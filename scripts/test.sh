#!/bin/sh
# Builds and runs all tests. The end-to-end tests use the release binary that `make build` has left.
set -eu
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
PERFHUD_BINARY=$PWD/.build/release/perfhud
export PERFHUD_BINARY
# A locale of the shell must not change what is tested; each test sets its own.
unset LC_ALL LC_MESSAGES NO_COLOR PERFHUD_CONFIG 2>/dev/null || true
export LANG=C.UTF-8
if [ $# -gt 0 ]; then
  exec "$swift" test --disable-xctest "$@"
fi
# What compares whole screens, bare and below the HUD, has the machine for itself.
"$swift" test --disable-xctest --skip 'EndToEndTests.Transparency'
"$swift" test --disable-xctest --skip-build --filter 'EndToEndTests.Transparency'
