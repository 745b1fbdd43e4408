#!/bin/sh
# Shows the demo program: below a HUD in a terminal, which Ctrl-C ends; else as a few seconds of lines.
# Usage: run-demo.sh PERFHUD DEMO [OPTION…]
set -eu
perfhud=$1
demo=$2
shift 2
if [ -t 1 ]; then
  status=0
  "$perfhud" "$@" -- "$demo" || status=$?
  [ "$status" = 130 ] && status=0 # Ctrl-C
  exit "$status"
fi
"$demo" --pace 4 &
load=$!
trap 'kill "$load" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM HUP
"$perfhud" --pid "$load" --interval 500ms --duration 4s "$@"
