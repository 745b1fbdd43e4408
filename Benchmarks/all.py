#!/usr/bin/env python3
"""Runs the benchmarks, one after the other, and prints one table of what has a bar: `make bench`.

The default setting comes first. Each figure is the median of its rounds with the quartiles. The table names the bar and
whether it is met. The status is 0 if all bars are met, 1 if one is missed, and 2 if something could not be measured.

A full run takes up to two hours on an idle machine; 3 rounds of 2 s took 40 minutes on a busy one. --quick takes some
minutes; its figures are of no use but to see that everything runs. Each benchmark has a target of its own in the
Makefile, with more tables and options.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import figures
from common import ROOT, BenchError, fill, first_line, machine

PERFORMANCE = os.path.join(ROOT, "docs", "PERFORMANCE.md")
BARS = os.path.join(ROOT, "Benchmarks", "results", "bars.md")
KEPT = os.path.join(ROOT, ".build", "bench", "figures.json")
# Beside perfhud in the tables of docs/PERFORMANCE.md.
WATCHING = {"CPU at 10 Hz": "CPU at 10 Hz, % of a core", "CPU at 1 Hz": "at 1 Hz", "PSS": "PSS, MB",
            "private memory": "private memory, MB", "first value": "first value, ms"}
COMMAND = {"CPU time of output by that of a relay": "CPU time of output, × relay",
           "throughput by that of a relay": "throughput, × relay",
           "key echo at the top left, p50": "key echo at the top left, µs",
           "key echo under the HUD, at the top right, p50": "under the HUD, µs",
           "from the start to the end of `true`": "to the end of `true`, ms"}


@dataclass
class Script:
    """A benchmark, what it needs, and its options for a short run and for so many rounds."""
    name: str
    group: str
    tools: list = field(default_factory=list)
    programs: list = field(default_factory=list)
    quick: list = field(default_factory=lambda: ["--quick"])
    # Whether it takes rounds, and runs of so many seconds.
    hasRounds: bool = True
    hasSeconds: bool = False


SCRIPTS = [
    Script("watching", "watching", ["cc", "top", "htop", "btop"], hasSeconds=True),
    Script("overlay", "command", ["cc", "script", "tmux", "screen"], quick=["--quick", "--size", "2"]),
    Script("supervisor", "command", ["cc"], quick=["--quick", "--size", "1"]),
    Script("rest", "command", ["vim"], quick=["--fill", "20", "--seconds", "5"], hasRounds=False),
    Script("floods", "command", quick=["--rounds", "1", "--seconds", "2"], hasSeconds=True),
    Script("bars", "command", ["tmux", "vim"], quick=["--seconds", "5"], hasRounds=False),
    Script("tree", "trees", ["cc", "make"], hasSeconds=True),
    Script("events", "events", ["gcc"], [".build/release/bench-events"], hasRounds=False),
    Script("recording", "recordings", [],
           [".build/bench/release/bench-recording", ".build/bench/release/bench-replay"], hasSeconds=True),
    Script("redraw", "redraw", [], [".build/bench/release/bench-hud"], quick=[], hasRounds=False),
]


def check_tools(scripts):
    """Whether all is there, before anything is measured."""
    missing = sorted({tool for script in scripts for tool in script.tools if shutil.which(tool) is None})
    if missing:
        raise BenchError(f"{', '.join(missing)} not found; install with: make deps-bench")
    programs = [".build/release/perfhud", *(path for script in scripts for path in script.programs)]
    missing = [path for path in programs if not os.access(os.path.join(ROOT, path), os.X_OK)]
    if missing:
        raise BenchError(f"no program {', '.join(missing)}; build with: make bench-programs")


def run(script, options, scratch):
    """The figures of one benchmark."""
    path = os.path.join(scratch, script.name + ".json")
    command = [sys.executable, os.path.join(ROOT, "Benchmarks", script.name + ".py"), "--figures", path]
    if options.quick:
        command += script.quick
    else:
        command += ["--rounds", str(options.rounds)] if script.hasRounds else []
        command += ["--seconds", f"{options.seconds:g}"] if script.hasSeconds and options.seconds else []
    print(f"bench: {script.name}", file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0 or not os.path.exists(path):
        # Its own lines of progress are no reason.
        reason = [line for line in done.stderr.splitlines() if line.strip()]
        raise BenchError(f"{script.name} was not measured: {reason[-1] if reason else f'status {done.returncode}'}")
    return figures.read(path)


def measure(scripts, options):
    """All figures, and what failed."""
    found, failures = [], []
    with tempfile.TemporaryDirectory(prefix="perfhud-bench-") as scratch:
        for script in scripts:
            try:
                found += run(script, options, scratch)
            except BenchError as error:
                failures.append(str(error))
                print(f"bench: {error}", file=sys.stderr)
    return found, failures


def heading(options):
    """The machine, its load and the versions, in one line."""
    commands = {"top": "-V", "htop": "--version", "btop": "--version", "script": "--version", "tmux": "-V",
                "screen": "--version", "cc": "--version"}
    versions = [first_line([os.path.join(ROOT, ".build/release/perfhud"), "--version"])]
    versions += [first_line([name, flag]) for name, flag in commands.items() if shutil.which(name)]
    rounds = "A short run: no figures to quote" if options.quick else f"{options.rounds} rounds"
    if options.seconds and not options.quick:
        rounds += f" of {options.seconds:g} s"
    return f"{machine()}. {', '.join(versions)}. {rounds}."


def document(found, head, failures):
    """Fills the tables of docs/PERFORMANCE.md and of results/bars.md."""
    notes = [f"{figures.summary(found)} {head}"] + [f"Not measured: {failure}." for failure in failures]
    fill(PERFORMANCE, {"all-machine": notes, "all": figures.table([figure for figure in found if figure.hasBar]),
                       "all-watching": figures.programs_table(found, "watching", WATCHING),
                       "all-command": figures.programs_table(found, "command", COMMAND)})
    fill(BARS, {"bars-all": [*notes, "", *figures.table(found, explains=True)]})


def self_test():
    """What the table says of made-up figures, and the status that follows from them."""
    group = "watching"
    made = [figures.Figure("b", "trees", [1, 2, 9], "%", most=2),
            figures.Figure("a", group, [1, 2, 3, 4], "ms", most=2.4, isDefault=True),
            figures.Figure("c", group, [1.5], least=1.5, isDefault=True),
            figures.Figure("d", "trees", [99.95, 99.7], "%", least=99.9, judged="min"),
            figures.Figure("e", group, [30], least=29, most=31),
            figures.Figure("f", group, [5], isDefault=True),
            figures.Figure("a", group, [7], program="top"),
            figures.Figure("g", group, [1], program="perfhud --hidden")]
    rows = figures.table(made)
    expected = ["| | figure | median (quartiles) | bar | |", "|---|---|---|---|---|",
                "| watching a process, default setting | a | 2.50 (1.75–3.25) ms | ≤ 2.4 | **missed** |",
                "|  | c | 1.50 | ≥ 1.5 | met |", "|  | f | 5 |  |  |",
                "| watching a process | e | 30 | 29 to 31 | met |",
                "| process trees | b | 2 (1.50–5.50) % | ≤ 2 | met |",
                "|  | d | at least 99.7 % (2 values) | ≥ 99.9 | **missed** |"]
    programs = ["| | A |", "|---|---|", "| **perfhud** | 2.50 |", "| top | 7 |"]
    checks = {"the table": (rows, expected),
              "the table of programs": (figures.programs_table(made, group, {"a": "A"}), programs),
              "a missed bar": (status(made, []), 1),
              "bars that are met": (status([figure for figure in made if figure.isMet], []), 0),
              "what was not measured": (status(made, ["x"]), 2),
              "no bar at all": (status([figures.Figure("f", group, [5], isDefault=True)], []), 2),
              "the summary": (figures.summary(made), "3 of 5 bars are met."),
              "ratios": (figures.ratios([2, 9], [1, 3]), [2, 3]),
              "differences": (figures.differences([2, 9], [1, 3]), [1, 6])}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "figures.json")
        figures.write(made, path)
        checks["figures from a file"] = (figures.read(path), made)
    for name, (is_now, must_be) in checks.items():
        if is_now != must_be:
            raise BenchError(f"self-test: {name}: {is_now} is not {must_be}")
    print("bench: the table is right")
    return 0


def status(found, failures):
    if failures or not any(figure.hasBar for figure in figures.own(found)):
        return 2
    return 1 if figures.missed(found) else 0


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=figures.GROUPS, action="append",
                        help="this group alone; may be given more than once")
    parser.add_argument("--quick", action="store_true", help="short rounds: a smoke test")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each program (default 9)")
    parser.add_argument("--seconds", type=float, help="length of a run (default: 4 to 10, as each benchmark says)")
    parser.add_argument("--figures", metavar="FILE", default=KEPT,
                        help="write all figures there, as JSON (default: .build/bench/figures.json)")
    parser.add_argument("--document", action="store_true",
                        help="write the tables into docs/PERFORMANCE.md and Benchmarks/results/bars.md, too")
    parser.add_argument("--self-test", action="store_true", help="check the table with made-up figures, and end")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    if options.document and (options.only or options.quick):
        parser.error("--document: needs a full run")
    return options


def main():
    options = parse_options()
    if options.self_test:
        return self_test()
    scripts = [script for script in SCRIPTS if not options.only or script.group in options.only]
    check_tools(scripts)
    head = heading(options)
    found, failures = measure(scripts, options)
    busy, _, before = os.getloadavg()
    head += f" Load average {busy:.2f} at the end, {before:.2f} over its last 15 minutes."
    os.makedirs(os.path.dirname(os.path.abspath(options.figures)), exist_ok=True)
    figures.write(found, options.figures)
    print("\n".join(["# perfhud: bars", "", head, "", *figures.table(found), "", figures.summary(found)]))
    if options.document:
        document(found, head, failures)
    return status(found, failures)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
