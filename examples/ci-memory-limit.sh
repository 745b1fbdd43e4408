#!/bin/sh
# A job of continuous integration that fails when a command uses too much memory or CPU:
#
#   examples/ci-memory-limit.sh 500MiB 60s -- make -j4         # at most 500 MiB at once, and 60 s of CPU
#
# It ends with 99 then; the command's own status wins. budgets.xml has the verdicts for the job's list of tests, and
# rows.jsonl the rows as their proof: keep both as artifacts. docs/BUDGETS.md has more limits.
set -u
memory=$1
cpu=$2
shift 3
exec "${PERFHUD_PROGRAM:-perfhud}" --batch --format jsonl --output rows.jsonl \
  --budget "memory.peak <= $memory" --budget "cpu-time <= $cpu" --junit budgets.xml \
  ${GITHUB_ACTIONS:+--github} -- "$@"
