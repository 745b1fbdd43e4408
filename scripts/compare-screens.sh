#!/bin/sh
# Prints what perfhud, htop and btop show of one process, as text, at two sizes: for Benchmarks/results/screens.md.
# The process uses 300 ms of CPU a second and holds 96 MiB. btop is asked for its details of that process.
# As root it runs in a pid namespace of its own, so that no other process is in the pictures.
#
#   scripts/compare-screens.sh [COLUMNSxROWS ...]      (default: 100x30 44x15)
set -u
cd "$(dirname "$0")/.." || exit 1
binary=${PERFHUD_BINARY:-$PWD/.build/release/perfhud}
[ -x "$binary" ] || {
  echo "compare: no program $binary; build it with: make build" >&2
  exit 1
}
for tool in tmux htop btop python3; do
  command -v $tool >/dev/null || {
    echo "compare: $tool not found; install it with: make deps-bench" >&2
    exit 1
  }
done
if [ "$(id -u)" = 0 ] && [ -z "${COMPARE_INSIDE:-}" ]; then
  COMPARE_INSIDE=1 exec unshare --pid --fork --mount-proc sh "scripts/compare-screens.sh" "$@"
fi
home=$(mktemp -d) || exit 1
socket=compare-$$
cat >"$home/load.py" <<'LOAD'
import time
held = bytearray(96 << 20)
while True:
    end = time.monotonic() + 0.3
    while time.monotonic() < end: pass
    time.sleep(0.7)
LOAD
cd "$home" || exit 1
env PATH=/usr/bin:/bin:"$PATH" python3 load.py &
load=$!
cd - >/dev/null || exit 1
trap 'kill $load; tmux -L $socket kill-server 2>/dev/null; rm -rf "$home"' EXIT
trap 'exit 130' INT TERM HUP

# Arguments: a size, the keys to press after five seconds, a command. Prints the screen 25 seconds later.
show() {
  size=$1
  keys=$2
  shift 2
  tmux -L $socket -f /dev/null new-session -d -x "${size%x*}" -y "${size#*x}" \
    "env HOME=$home LANG=C.UTF-8 LC_ALL=C.UTF-8 $*"
  sleep 5
  for key in $keys; do
    tmux -L $socket send-keys "$key"
    sleep 1
  done
  sleep 25
  tmux -L $socket capture-pane -p
  tmux -L $socket kill-server
  sleep 1
}

[ $# -gt 0 ] || set -- 100x30 44x15
for size; do
  echo "perfhud --pid N, $size"
  show "$size" "" "$binary" --pid $load
  echo "htop -p N, $size"
  show "$size" "" htop -p $load
  echo "btop, the details of the process opened, $size"
  show "$size" "Down Enter" btop --utf-force
done
