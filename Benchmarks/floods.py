#!/usr/bin/env python3
"""Measures the HUD in floods, on a terminal without synchronized updates.

A program writes lines without end: to a pty of 120x40 itself, below perfhud with the HUD, and below perfhud with the
HUD hidden. They take turns in rounds. The other side of the pty reads as fast as it can and answers no question, so
perfhud takes it for a terminal without synchronized updates (2026). The first second is not counted: it contains the
start. Counted are lines, paintings of the HUD, and those of them that nothing followed for 16 ms, a picture of a
terminal at 60 Hz. The programs are yes, and seq 1 100000000 | sed ''.
"""

import argparse
import fcntl
import os
import pty
import select
import signal
import statistics
import struct
import tempfile
import termios
import time

from common import COLUMNS, ROOT, ROWS, BenchError, add_output_options, machine, middle, publish, run_program, say
from figures import Notes, ratios

PROGRAMS = {"yes": ["yes"], "seq, sed": ["sh", "-c", "seq 1 100000000 | sed ''"]}
# The HUD has one corner of each kind, in paintings too, and no program here writes one.
FIRST_CORNER, LAST_CORNER = "╭".encode(), "╯".encode()
PICTURE, START = 0.016, 1.0
# How often a second the HUD is shown at least.
SHOWN_BAR = 2


def run(command, seconds):
    """Lines a second, paintings, and paintings that were seen for a picture or longer."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key != "PERFHUD"}
        environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": folder, "XDG_RUNTIME_DIR": folder}
        pid, master = pty.fork()
        if pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.execvpe(command[0], command, environment)
        try:
            return count(master, seconds)
        finally:
            os.kill(pid, signal.SIGHUP)
            os.close(master)
            os.waitpid(pid, 0)


def count(master, seconds):
    lines = painted = seen = 0
    tail, isPainted, last = b"", False, time.monotonic()
    begin, end = last + START, last + START + seconds
    while last < end:
        if not select.select([master], [], [], 5)[0]:
            raise BenchError("no output for 5 s")
        try:
            data = os.read(master, 65536)
        except OSError as error:
            raise BenchError("the program has ended") from error
        now = time.monotonic()
        if now >= begin:
            lines += data.count(b"\n")
            seen += isPainted and now - last >= PICTURE
        # A corner has three bytes, which two pieces may share.
        data = tail + data
        if now >= begin:
            painted += data.count(FIRST_CORNER)
        # Where the HUD is erased within the same piece, nobody has seen it.
        after = data.rpartition(LAST_CORNER)
        isPainted = bool(after[1]) and b"\n" not in after[2]
        tail, last = data[-2:], now
    return lines / seconds, painted, seen


def measure(options, notes):
    contenders = {"bare": [], "perfhud, HUD hidden": [options.perfhud, "--no-summary", "--hidden", "--"],
                  "perfhud": [options.perfhud, "--no-summary", "--"]}
    if options.before:
        contenders["perfhud before"] = [options.before, "--no-summary", "--"]
    lines = [f"{machine()}. {options.rounds} rounds of {options.seconds:g} s; medians (least–most).", "",
             f"| program | below | 1000 lines/s | × hidden | paintings in {options.seconds:g} s | "
             "shown for 16 ms or longer |",
             "|---|---|---|---|---|---|"]
    for program, command in PROGRAMS.items():
        results = {name: [] for name in contenders}
        for number in range(options.rounds):
            for name, prefix in contenders.items():
                say(f"{program}, round {number + 1} of {options.rounds}: {name}")
                results[name].append(run(prefix + command, options.seconds))
        hidden = [run[0] for run in results["perfhud, HUD hidden"]]
        speeds, _, seen = zip(*results["perfhud"])
        notes.add(f"HUD shown a second in a flood of {program}, without synchronized updates", "command",
                  [count / options.seconds for count in seen], least=SHOWN_BAR, isDefault=True,
                  how="for 16 ms or longer")
        notes.add(f"lines of {program} by those below a hidden HUD, without synchronized updates", "command",
                  ratios(speeds, hidden), "×", isDefault=True,
                  how="ratio in each round")
        for name, values in results.items():
            speeds, paintings, seen = zip(*values)
            speeds = [speed / 1000 for speed in speeds]
            relative = ratios([run[0] for run in values], hidden)
            lines.append(f"| {program} | {name} | {middle(speeds, '{:.0f}')} | {statistics.median(relative):.2f} | "
                         f"{middle(paintings)} | {middle(seen)} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--perfhud", default=f"{ROOT}/.build/release/perfhud")
    parser.add_argument("--before", metavar="PERFHUD", help="another version, to compare with")
    add_output_options(parser)
    options = parser.parse_args()
    notes = Notes()
    publish({"floods": measure(options, notes)}, options, notes)


if __name__ == "__main__":
    run_program(main)
