#!/usr/bin/env python3
"""Measures what perfhud costs while nothing happens.

perfhud shows a program at rest: sleep under the HUD, vim under the HUD, the user's shell, and sleep
in attach mode, in the sizes small, medium and large. Counted are the bytes that it writes to the
terminal, its CPU time and how often its threads wake up; first while the graphs fill, then after
they have filled. All runs are at the same time, each on a pty of its own of 120x40 that answers what
perfhud asks at the start. Bytes are counted from the third second on: before that the HUD is put up.
"""

import argparse
import fcntl
import glob
import os
import pty
import re
import selectors
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

from common import (COLUMNS, ROOT, ROWS, BenchError, add_output_options, check_program, machine, processes, publish,
                    run_program, say)
from figures import Notes

BAR = 24  # bytes a second to the terminal
START = 3  # seconds until the HUD stands
SIZES = {"small": (5, 24), "medium": (9, 36), "large": (ROWS, COLUMNS)}
QUESTIONS = re.compile(rb"\x1b\[c|\x1b\[0c|\x1b\[6n|\x1b\[\?2026\$p|\x1b\[>0?q")
ANSWERS = {b"c": b"\x1b[?62;22c", b"n": b"\x1b[1;1R", b"p": b"\x1b[?2026;2$y",
           b"q": b"\x1bP>|bench\x1b\\"}


class Run:
    """One perfhud on a pty."""

    def __init__(self, name, size, command, rows, columns, environment):
        self.name, self.size, self.counts, self.tail = name, size, [], b""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.set_blocking(self.master, False)

    def read(self, now):
        """Takes what has come, and answers questions in it."""
        try:
            data = os.read(self.master, 65536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.counts.append((now, len(data)))
        data = self.tail + data
        end = 0
        for question in QUESTIONS.finditer(data):
            os.write(self.master, ANSWERS[question.group()[-1:]])
            end = question.end()
        self.tail = data[max(end, len(data) - 8):]
        return True

    def bytes_between(self, start, end):
        return sum(count for when, count in self.counts if start <= when < end)

    def threads(self):
        return [folder for pid in processes(self.pid) for folder in glob.glob(f"/proc/{pid}/task/*")]

    def cost(self):
        """CPU seconds and wake-ups of perfhud so far, without the program below it."""
        seconds, wakes = 0.0, 0
        for folder in self.threads():
            with open(f"{folder}/schedstat", encoding="ascii") as file:
                seconds += int(file.read().split()[0]) * 1e-9
            with open(f"{folder}/status", encoding="utf-8") as file:
                wakes += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M)[1])
        return seconds, wakes

    def close(self):
        for number in (signal.SIGHUP, signal.SIGKILL):
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                break
            time.sleep(0.2)
        os.waitpid(self.pid, 0)
        os.close(self.master)


def commands(options, sleeper, folder):
    """Name, size, command, rows and columns of each run."""
    perfhud = options.perfhud
    sleep = ["sleep", "100000"]
    programs = {"over sleep": ["--", *sleep],
                "over vim": ["--", "vim", "-u", "NONE", "-i", "NONE", "-n"],
                "over a shell": []}
    for name, program in programs.items():
        if name == "over vim" and not shutil.which("vim"):
            continue
        for size in SIZES:
            yield name, size, [perfhud, "--size", size, *program], ROWS, COLUMNS
    for size, (rows, columns) in SIZES.items():
        yield ("attached, tick off", size, [perfhud, "--pid", str(sleeper), "--tick", "0"], rows,
               columns)
        yield "attached", size, [perfhud, "--pid", str(sleeper)], rows, columns


def serve(runs, until):
    selector = selectors.DefaultSelector()
    for run in runs:
        selector.register(run.master, selectors.EVENT_READ, run)
    while (left := until - time.monotonic()) > 0:
        for key, _ in selector.select(left):
            if not key.data.read(time.monotonic()):
                raise BenchError(f"perfhud {key.data.name} ({key.data.size}) has ended")
    selector.close()


def measure(options):
    environment = {key: value for key, value in os.environ.items() if key != "PERFHUD"}
    environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh",
                    "PERFHUD_CONFIG": "/dev/null"}
    sleeper = os.spawnvp(os.P_NOWAIT, "sleep", ["sleep", "100000"])
    runs = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            environment["HOME"] = folder
            for found in commands(options, sleeper, folder):
                runs.append(Run(*found, environment))
            begin = time.monotonic()
            filled = begin + options.fill
            serve(runs, begin + START)
            early = [run.cost() for run in runs]
            say(f"the graphs fill for {options.fill:.0f} s")
            serve(runs, filled)
            middle = [run.cost() for run in runs]
            say(f"at rest for {options.seconds:.0f} s")
            serve(runs, filled + options.seconds)
            late = [run.cost() for run in runs]
    finally:
        for run in runs:
            run.close()
        os.kill(sleeper, signal.SIGKILL)
        os.waitpid(sleeper, 0)
    rows = []
    for run, first, second, third in zip(runs, early, middle, late):
        filling = run.bytes_between(begin + START, filled) / (options.fill - START)
        rest = run.bytes_between(filled, filled + options.seconds) / options.seconds
        seconds = options.seconds
        rows.append((run, filling, rest, 100 * (third[0] - second[0]) / seconds,
                     (third[1] - second[1]) / seconds,
                     100 * (second[0] - first[0]) / (options.fill - START)))
    return rows


def note(notes, rows):
    """The bytes at rest, and what the default size costs."""
    over = [max(filling, rest) for run, filling, rest, *_ in rows if not run.name.startswith("attached")]
    notes.add("bytes a second at rest", "command", over, most=BAR, judged="max", isDefault=True,
              how="over sleep, vim and a shell in three sizes, while the graphs fill and after")
    for run, _, _, cpu, wakes, _ in rows:
        if (run.name, run.size) in (("over vim", "medium"), ("attached", "large")):
            group = "watching" if run.name == "attached" else "command"
            notes.add(f"CPU at rest, {run.name}", group, [cpu], "% of a core", isDefault=True,
                      how="CPU time of all threads, graphs filled")
            notes.add(f"wake-ups at rest, {run.name}", group, [wakes], "a second", isDefault=True,
                      how="voluntary context switches of all threads, graphs filled")


def report(options, notes):
    rows = measure(options)
    note(notes, rows)
    lines = ["## At rest", "",
             f"{machine()}. {options.fill:.0f} s while the graphs fill, {options.seconds:.0f} s after.",
             f"The bar is {BAR} bytes a second in both, for all but attach mode.", "",
             "| run | size | bytes/s, filling | bytes/s, filled | CPU, filling | CPU, filled "
             "| wake-ups/s |", "|---|---|---|---|---|---|---|"]
    for run, filling, rest, cpu, wakes, early in rows:
        # In attach mode the terminal is the HUD's own.
        isOver = max(filling, rest) > BAR and not run.name.startswith("attached")
        mark = " **over**" if isOver else ""
        lines.append(f"| {run.name} | {run.size} | {filling:.1f}{mark} | {rest:.1f} "
                     f"| {early:.2f} % | {cpu:.2f} % | {wakes:.0f} |")
    if options.dump:
        for run, *_ in rows:
            print(run.name, run.size, [(round(when, 2), count) for when, count in run.counts[-60:]],
                  file=sys.stderr)
    return {"rest": lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfhud", default=os.path.join(ROOT, ".build/release/perfhud"))
    parser.add_argument("--fill", type=float, default=130, help="seconds until the graphs are full")
    parser.add_argument("--seconds", type=float, default=30, help="seconds at rest")
    parser.add_argument("--dump", action="store_true", help="the last writes of each run")
    add_output_options(parser)
    options = parser.parse_args()
    check_program(options.perfhud)
    notes = Notes()
    publish(report(options, notes), options, notes)
    return 0


if __name__ == "__main__":
    run_program(main)
