#!/bin/sh
# Starts the demo program and shows it: the HUD in a terminal, else a few seconds of lines.
# Usage: run-demo.sh PERFHUD DEMO [OPTION…]
set -eu
perfhud=$1
demo=$2
shift 2
"$demo" &
load=$!
trap 'kill "$load" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM HUP
if [ -t 1 ]; then
  "$perfhud" --pid "$load" "$@"
else
  "$perfhud" --pid "$load" --interval 500ms --duration 4s "$@"
fi
