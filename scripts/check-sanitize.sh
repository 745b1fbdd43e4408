#!/usr/bin/env bash
# Runs the unit tests with a sanitizer, in a build of its own in .build: address over all of them, or thread over
# those of the code that two threads share (the sampler's ring and requests, the client's lock).
# The compiler of Swift 6.3.1 crashes on ProcessTableBuffer.swift with the thread sanitizer ("Invalid bitcast"), so
# that one has to be asked for.
# check-sanitize.sh [address|thread]
set -euo pipefail
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
unset LC_ALL LC_MESSAGES NO_COLOR PERFHUD_CONFIG 2>/dev/null || true
export LANG=C.UTF-8
# Tests end processes by signals on purpose, and the runtime keeps some memory until the end.
signals=handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0:handle_sigtrap=0
export ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0:$signals
export TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:$signals

run() {
  local sanitizer=$1
  shift
  printf 'sanitizer: %s\n' "$sanitizer"
  env --default-signal "$swift" test --disable-xctest --traits Logging --sanitize="$sanitizer" \
    --scratch-path ".build/$sanitizer" "$@"
}

case ${1:-address} in
# The address sanitizer has an allocator of its own: what glibc's says of itself cannot be tested beside it.
address) run address --skip EndToEndTests --skip 'what was freed and is held is reported, and is no more' ;;
thread) run thread --filter '^(SamplerTests\.(SampleRing|SamplerThread)|PerfHUDClientTests)' ;;
*)
  echo "check-sanitize.sh [address|thread]" >&2
  exit 64
  ;;
esac
