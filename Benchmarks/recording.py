#!/usr/bin/env python3
"""Measures what recordings cost.

record  CPU time of the full-screen view at 10 Hz with and without --record, of a program that computes a little, in a
        terminal of 120x40. The two take turns.
screen  CPU time of the overlay over a program that draws 60 full screens a second: alone, with --record, and with
        --record-screen too. The three take turns. The CPU time of the program itself is not in it.
day     A made-up recording of 24 hours, with 10 samples and 60 frames a second and random times: the size of the file,
        the time of `perfhud report` and the size of the page.
replay  The player goes to 300 random times of such a day (bench-replay).

`make bench-programs` builds what day and replay need.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

from common import COLUMNS, ROOT, ROWS, BenchError, add_output_options, machine, middle, publish, run_program, say
from figures import Notes, ratios

# CPU time more in percent, seconds, bytes and milliseconds.
RECORD_BAR, REPORT_BAR, PAGE_BAR, FILE_BAR, SEEK_BAR = 5, 2, 250e3, 32e6, 50


# Draws full screens of numbers, 60 a second, and writes its own CPU time into a file.
DRAWER = """
import sys, time
seconds, path, columns, rows = float(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
due = begin = time.monotonic()
number = 0
while due - begin < seconds:
    lines = (f"{number * 7919 + row * 104729:0{columns - 1}d}" for row in range(rows - 1))
    sys.stdout.write("\\x1b[?2026h\\x1b[H" + "\\r\\n".join(lines) + "\\x1b[?2026l")
    sys.stdout.flush()
    number, due = number + 1, due + 1 / 60
    time.sleep(max(0, due - time.monotonic()))
with open(path, "w") as file:
    file.write(str(time.process_time()))
"""


def measure(command):
    """CPU seconds of one run in a terminal, user and system, with the programs that it has waited for."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.environ["TERM"] = "xterm-256color"
        os.execv(command[0], command)
    while True:
        ready, _, _ = select.select([terminal], [], [], 1)
        if not ready:
            continue
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    _, status, usage = os.wait4(pid, 0)
    os.close(terminal)
    if status != 0:
        raise BenchError(f"perfhud ended with {status}")
    return usage.ru_utime + usage.ru_stime


def measure_record(options, notes, folder):
    target = subprocess.Popen(
        ["sh", "-c", "while :; do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 0.05; done"])
    plain, recorded = [], []
    try:
        for number in range(options.rounds):
            say(f"record, round {number + 1} of {options.rounds}")
            path = os.path.join(folder, f"{number}.phr")
            runs = [(plain, []), (recorded, ["--record", path])]
            for times, record in runs if number % 2 == 0 else reversed(runs):
                times.append(measure([options.perfhud, "--pid", str(target.pid), "--interval", "100ms",
                                      "--duration", f"{options.seconds:g}s"] + record))
    finally:
        target.kill()
        target.wait()
    more = [100 * (ratio - 1) for ratio in ratios(recorded, plain)]
    size = os.path.getsize(os.path.join(folder, "0.phr"))
    notes.add("CPU time more with --record in the full-screen view", "recordings", more, "%", most=RECORD_BAR,
              how="ratio in each round, less one")
    return [f"Full-screen view of {options.seconds:g} s, {options.rounds} rounds, CPU time in ms, medians (least–most): "
            f"{middle([1000 * time for time in plain], '{:.1f}')} alone, "
            f"{middle([1000 * time for time in recorded], '{:.1f}')} with --record; "
            f"{statistics.median(more):+.1f} % (median of the rounds). The recording has {size} bytes."]


def measure_screen(options, _notes, folder):
    path, used = os.path.join(folder, "screen.phr"), os.path.join(folder, "used")
    plain, recorded, screen = [], [], []
    runs = [(plain, []), (recorded, ["--record", path]), (screen, ["--record", path, "--record-screen"])]
    for number in range(options.rounds):
        say(f"screen, round {number + 1} of {options.rounds}")
        for times, record in runs[number % 3:] + runs[:number % 3]:
            time_of_all = measure([options.perfhud, "--no-summary", *record, "--", sys.executable, "-c", DRAWER,
                                   f"{options.seconds:g}", used, str(COLUMNS), str(ROWS)])
            with open(used, encoding="ascii") as file:
                times.append(time_of_all - float(file.read()))
    size = os.path.getsize(path + ".cast")

    def more(times):
        return f"{statistics.median(100 * (ratio - 1) for ratio in ratios(times, plain)):+.1f} %"
    return [f"Overlay over a program that draws 60 full screens a second, {options.seconds:g} s, {options.rounds} "
            "rounds, CPU time in ms, medians (least–most): "
            f"{middle([1000 * time for time in plain], '{:.1f}')} alone, "
            f"{middle([1000 * time for time in recorded], '{:.1f}')} with --record ({more(recorded)}), "
            f"{middle([1000 * time for time in screen], '{:.1f}')} with --record-screen too ({more(screen)}). "
            f"The recording of the screen has {size / options.seconds / 1e3:.0f} kB a second."]


def bench_program(name):
    path = os.path.join(ROOT, ".build", "bench", "release", name)
    if not os.access(path, os.X_OK):
        raise BenchError(f"no program {name}; build it with: make bench-programs")
    return path


def run(command, folder):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        raise BenchError(f"{os.path.basename(command[0])}: {reason[-1] if reason else done.returncode}")
    return done.stdout


def measure_day(options, notes, folder):
    path, page = os.path.join(folder, "day.phr"), os.path.join(folder, "day.html")
    say("day: making the recording")
    run([bench_program("bench-recording"), "make", path, f"{options.hours:g}"], folder)
    elapsed, used = [], []
    for number in range(options.reports):
        say(f"day: report {number + 1} of {options.reports}")
        before, start = os.times(), time.monotonic()
        run([options.perfhud, "report", path, "-o", page], folder)
        elapsed.append(time.monotonic() - start)
        after = os.times()
        used.append(after.children_user + after.children_system - before.children_user - before.children_system)
    if options.hours == 24:
        notes.add("report of a day", "recordings", elapsed, "s", most=REPORT_BAR, how="elapsed time")
        notes.add("page of the report of a day", "recordings", [os.path.getsize(page) / 1e3], "kB", most=PAGE_BAR / 1e3,
                  how="its size")
        notes.add("file of a day", "recordings", [os.path.getsize(path) / 1e6], "MB", most=FILE_BAR / 1e6,
                  how="10 samples and 60 frames a second with random times")
    os.remove(path)
    return [f"A recording of {options.hours:g} h: {os.path.getsize(page) / 1e3:.0f} kB of report in "
            f"{middle(elapsed, '{:.2f}')} s, with {middle(used, '{:.2f}')} s of CPU time."]


def measure_replay(options, notes, folder):
    say("replay: making and folding the recording")
    text = run([bench_program("bench-replay"), f"{options.hours:g}"], folder)
    found = re.search(r"p50 ([\d.e-]+) ms, p99 ([\d.e-]+) ms, max ([\d.e-]+) ms", text)
    if not found:
        raise BenchError("bench-replay prints no times of seeks")
    if options.hours == 24:
        notes.add("replay goes to any time of a day, the longest of 300", "recordings", [found[3]], "ms", most=SEEK_BAR,
                  how="elapsed time, after the first reading")
    return text.strip().splitlines()


PARTS = {"record": measure_record, "screen": measure_screen, "day": measure_day, "replay": measure_replay}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perfhud", default=os.path.join(ROOT, ".build/release/perfhud"))
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=10, help="length of a run of record")
    parser.add_argument("--hours", type=float, default=24, help="length of the recording; only a day has bars")
    parser.add_argument("--reports", type=int, default=3, help="how often the report is made")
    parser.add_argument("--quick", action="store_true", help="short runs")
    add_output_options(parser)
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.reports = 2, 2, 1
    if not os.access(options.perfhud, os.X_OK):
        raise BenchError(f"no program {options.perfhud}; build it with: make build")
    options.perfhud = os.path.abspath(options.perfhud)
    notes, lines = Notes(), [f"{machine()}.", ""]
    with tempfile.TemporaryDirectory(prefix="perfhud-bench-") as folder:
        for name in options.only or PARTS:
            lines += PARTS[name](options, notes, folder) + [""]
    publish({"recording": lines}, options, notes)


if __name__ == "__main__":
    run_program(main)
