#!/usr/bin/env python3
"""Runs bench-hud, prints what it says, and notes the allocations and the time of a redraw.

`make bench-hud` builds bench-hud and runs it.
"""
import argparse
import os
import re
import subprocess

from common import ROOT, BenchError, add_output_options, machine, publish, run_program, say
from figures import Notes

ROW = re.compile(r"^redraw of (.+): ([\d.e-]+) µs, ([\d.e-]+|uncounted) allocations$", re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, ".build/bench/release/bench-hud"))
    add_output_options(parser)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        raise BenchError("no program bench-hud; build it with: make bench-hud")
    say("redraws")
    done = subprocess.run([options.program], capture_output=True, text=True, check=False)
    rows = ROW.findall(done.stdout)
    if done.returncode != 0 or not rows:
        raise BenchError(f"bench-hud ended with {done.returncode} and {len(rows)} rows")
    notes = Notes()
    for view, time, allocations in rows:
        if view in ("pane 80x24", "overlay 36x9"):
            notes.add(f"redraw of the {view}", "redraw", [time], "µs", isDefault=True, how="the best of 200 rounds")
        if view == "pane 80x24" and allocations != "uncounted":
            notes.add(f"allocations of a redraw of the {view}", "redraw", [allocations], most=0, isDefault=True,
                      how="mean of 1000 redraws")
    counts = [float(count) for _, _, count in rows if count != "uncounted"]
    if counts:
        notes.add("allocations of a redraw of any view", "redraw", counts, judged="max", isDefault=True,
                  how=f"mean of 1000 redraws of each of {len(counts)} views")
    publish({"redraw": [f"{machine()}.", "", *done.stdout.strip().splitlines()]}, options, notes)


if __name__ == "__main__":
    run_program(main)
