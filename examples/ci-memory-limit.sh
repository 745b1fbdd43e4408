#!/usr/bin/env bash
# A job of continuous integration that fails when a command used too much memory or CPU, with the rows as its proof:
#
#   examples/ci-memory-limit.sh 500 60 -- make -j4         # at most 500 MiB at once, and 60 s of CPU
#
# The command's own status wins. rows.jsonl stays: keep it as an artifact of the job. Needs python3.
set -uo pipefail
limit_mib=$1
limit_cpu=$2
shift 3
perfhud=${PERFHUD_PROGRAM:-perfhud}

"$perfhud" --batch --format jsonl --output rows.jsonl --interval 100ms -- "$@"
status=$?
[ $status = 0 ] || exit $status

python3 - "$limit_mib" "$limit_cpu" <<'PYTHON'
import json
import sys

limit_mib, limit_cpu = map(float, sys.argv[1:])
with open("rows.jsonl", encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]
failed = False
for name, key, scale, unit, limit in (
    ("memory", "footprint_bytes", 1 / 2**20, "MiB", limit_mib),
    ("CPU time", "cpu_time_s", 1, "s", limit_cpu),
):
    # Null: the value was not available in this row.
    known = [row for row in rows if row[key] is not None]
    if not known:
        sys.exit(f"no row has {key}: the command may have been too short")
    worst = max(known, key=lambda row: row[key])
    value = worst[key] * scale
    verdict = "ok" if value <= limit else "FAIL"
    failed |= value > limit
    print(f"{verdict}: {name} {value:.1f} {unit}, limit {limit:g} {unit}, "
          f"in the row at {worst['elapsed_s']:.1f} s, phase {worst['phase'] or 'none'}")
sys.exit(1 if failed else 0)
PYTHON
