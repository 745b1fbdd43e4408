#!/usr/bin/env python3
"""Lets perfhud run for a long time, and checks that nothing of it grows.

First days of samples at once (bench-soak): memory, time and values of a run. Then a real part: perfhud over a
program, attached to another, and printing rows of a third, side by side. The programs change their load in cycles of
15 s: they burn, rest, print, redraw, allocate and free, start, end and kill processes and threads, report phases by
their titles, and send events. Each terminal gets another size every 2 s. Memory, descriptors, threads and CPU of each
perfhud are read twice a second, and printed for each minute. The second quarter of the time is compared with the last
one; in whole minutes both have whole cycles. The status is 1 if something has grown, or if a perfhud has ended or
writes nothing more.
"""

import argparse
import fcntl
import glob
import os
import pty
import re
import selectors
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

from common import COLUMNS, ROOT, ROWS, BenchError, machine, processes, run_program, say

QUESTIONS = re.compile(rb"\x1b\[c|\x1b\[6n|\x1b\[\?\d+\$p|\x1b\[>q")
ANSWERS = {b"c": b"\x1b[?62;22c", b"n": b"\x1b[1;1R", b"p": b"\x1b[?2026;2$y", b"q": b"\x1bP>|bench\x1b\\"}

# What may differ between the two quarters: noise of the kernel's counts, a page of a table here and there.
MOST_KIB, MOST_CPU_SHARE, MOST_CPU_POINTS = 256, 0.3, 0.3
# The sizes that a terminal gets in turn, rows and columns, and how long it keeps one; seconds.
SIZES, SIZE_TIME = [(ROWS, COLUMNS), (24, 80), (15, 44), (ROWS, COLUMNS), (60, 200), (3, 20)], 2
# In this time all processes of perfhud have started; seconds.
START = 10

LOAD = r"""
import os, socket, subprocess, sys, threading, time
hud = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
CYCLE = 15.0
shows = sys.argv[1] == "shows"
def put(text):
    if shows:
        sys.stdout.write(text); sys.stdout.flush()
def title(text): put(f"\x1b]2;{text}\x07")
def until(end, body):
    while time.monotonic() < end: body()
def burn(): sum(range(20000))
def redraw():
    put("\x1b[H" + "".join(f"\x1b[{row}H{time.monotonic():.3f} row {row}" for row in range(1, 20)))
    time.sleep(1 / 30)
def line(): put("".join(f"line {i} of a log\r\n" for i in range(50))); time.sleep(0.005)
def spawn(): subprocess.run(["true"])
def threads():
    all = [threading.Thread(target=time.sleep, args=(0.2,)) for _ in range(8)]
    for one in all: one.start()
    for one in all: one.join()
def kill():
    child = subprocess.Popen(["sleep", "1000"])
    child.kill(); child.wait()
    time.sleep(0.02)
def emit(line):
    try: hud.sendto(line.encode(), socket.MSG_DONTWAIT, os.environ.get("PERFHUD_SOCKET", ""))
    except OSError: pass
def events():
    for name in ("load", "work", "save"):
        emit("phase " + name)
        for number in range(20): emit("frame ms=16.6\naction step.%d\nvalue cache %d unit=MiB" % (number, number))
        emit("toast saved " + name)
        time.sleep(0.05)
def keep():
    block = bytearray(30 << 20)
    for i in range(0, len(block), 4096): block[i] = 1
    time.sleep(0.3)
work = [("burn", burn), ("rest", lambda: time.sleep(0.5)), ("draw", redraw), ("log", line), ("spawn", spawn),
        ("threads", threads), ("keep", keep), ("kill", kill), ("events", events)]
while True:
    start = time.monotonic()
    for number, (name, body) in enumerate(work):
        title(name)
        until(start + (number + 1) * CYCLE / len(work), body)
"""


class Watched:
    """One perfhud, with its own processes. It writes to a terminal, or to a file."""

    def __init__(self, name, pid, processes=1, master=-1, path=None):
        self.name, self.pid, self.processes, self.master, self.path = name, pid, processes, master, path
        self.rows, self.tail, self.known, self.written = [], b"", set(), 0

    def read(self):
        """Takes what has come, and answers questions in it."""
        try:
            data = os.read(self.master, 65536)
        except BlockingIOError:
            return
        except OSError as error:
            raise BenchError(f"perfhud {self.name} has ended") from error
        self.written += len(data)
        data, end = self.tail + data, 0
        for question in QUESTIONS.finditer(data):
            os.write(self.master, ANSWERS[question.group()[-1:]])
            end = question.end()
        self.tail = data[max(end, len(data) - 8):]

    def measure(self, now):
        """Private memory in KiB, descriptors, threads, CPU seconds and bytes written so far."""
        memory = descriptors = threads = 0
        seconds = 0.0
        try:
            pids = processes(self.pid)
            if not self.known:
                if len(pids) == self.processes:
                    self.known = set(pids)
                elif now < START:
                    return
            if set(pids) != self.known:
                raise BenchError(f"perfhud {self.name}: a process has ended or is new")
            for pid in pids:
                with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                    fields = [int(field) for field in file.read().split()]
                if fields[1] == 0:
                    raise BenchError(f"perfhud {self.name} has ended")
                memory += (fields[1] - fields[2]) * 4
                descriptors += len(os.listdir(f"/proc/{pid}/fd"))
                for folder in glob.glob(f"/proc/{pid}/task/*"):
                    threads += 1
                    with open(f"{folder}/schedstat", encoding="ascii") as file:
                        seconds += int(file.read().split()[0]) * 1e-9
        except FileNotFoundError as error:
            raise BenchError(f"perfhud {self.name} has ended") from error
        if self.path:
            self.written = os.path.getsize(self.path) if os.path.exists(self.path) else 0
        self.rows.append((now, memory, descriptors, threads, seconds, self.written))


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def on_pty(command, environment):
    pid, master = pty.fork()
    if pid == 0:
        resize(0, ROWS, COLUMNS)
        os.execvpe(command[0], command, environment)
    resize(master, ROWS, COLUMNS)
    os.set_blocking(master, False)
    return pid, master


def serve(runs, minutes):
    selector = selectors.DefaultSelector()
    for run in runs:
        if run.master >= 0:
            selector.register(run.master, selectors.EVENT_READ, run)
    start = time.monotonic()
    next_look = start + 1
    while (now := time.monotonic()) < start + 60 * minutes:
        for key, _ in selector.select(max(0, next_look - now)):
            key.data.read()
        if (now := time.monotonic()) >= next_look:
            for run in runs:
                run.measure(now - start)
                if run.master >= 0:
                    resize(run.master, *SIZES[int((now - start) / SIZE_TIME) % len(SIZES)])
            next_look += 0.5
            say(f"{(now - start) / 60:.1f} of {minutes:g} min")
    selector.close()


def quarter(rows, first, last):
    """The median of memory, the fewest descriptors and threads, CPU percent and bytes written in a part of the time."""
    end = rows[-1][0]
    part = [row for row in rows if first * end <= row[0] <= last * end]
    cpu = 100 * (part[-1][4] - part[0][4]) / (part[-1][0] - part[0][0])
    # Descriptors of the children of the moment come and go; those that are never closed are in the fewest too.
    return (statistics.median(row[1] for row in part), min(row[2] for row in part),
            min(row[3] for row in part), cpu, part[-1][5] - part[0][5])


def each_minute(runs):
    """One line for a minute: of each perfhud private KiB, descriptors and CPU percent."""
    minutes = round(runs[0].rows[-1][0] / 60)
    for minute in range(minutes):
        cells = [str(minute + 1)]
        for run in runs:
            memory, descriptors, _, cpu, _ = quarter(run.rows, minute / minutes, (minute + 1) / minutes)
            cells.append(f"{memory:.0f}, {descriptors}, {cpu:.2f}")
        print("| " + " | ".join(cells) + " |")


def judge(run):
    before, after = quarter(run.rows, 0.25, 0.5), quarter(run.rows, 0.75, 1.0)
    problems = []
    if after[0] > before[0] + max(MOST_KIB, 0.03 * before[0]):
        problems.append("memory")
    if after[1] > before[1]:
        problems.append("descriptors")
    if after[2] > before[2]:
        problems.append("threads")
    if after[3] > before[3] * (1 + MOST_CPU_SHARE) + MOST_CPU_POINTS:
        problems.append("CPU")
    if after[4] == 0:
        problems.append("writes nothing")
    cells = [run.name]
    for old, new, form in zip(before, after, ("{:.0f}", "{}", "{}", "{:.2f}")):
        cells.append(f"{form.format(old)} → {form.format(new)}")
    print("| " + " | ".join(cells + [", ".join(problems) or "flat"]) + " |")
    return not problems


def soak(options):
    if not os.access(options.perfhud, os.X_OK):
        raise BenchError(f"{options.perfhud} cannot be executed")
    environment = {key: value for key, value in os.environ.items() if key != "PERFHUD"}
    environment |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    children, runs = [], []
    with tempfile.TemporaryDirectory() as folder:
        environment |= {"HOME": folder, "XDG_RUNTIME_DIR": folder, "TMPDIR": folder}
        load = [sys.executable, "-c", LOAD]
        try:
            for _ in range(2):
                children.append(subprocess.Popen([*load, "quiet"], env=environment))
            pid, master = on_pty([options.perfhud, "--no-summary", "--", *load, "shows"], environment)
            runs.append(Watched("over a command", pid, processes=2, master=master))
            pid, master = on_pty([options.perfhud, "--pid", str(children[0].pid)], environment)
            runs.append(Watched("attached", pid, master=master))
            rows = subprocess.Popen(
                [options.perfhud, "--batch", "--tree", "--format", "csv", "--output", f"{folder}/rows",
                 "--pid", str(children[1].pid)], env=environment)
            children.append(rows)
            runs.append(Watched("batch, with children", rows.pid, path=f"{folder}/rows"))
            serve(runs, options.minutes)
        finally:
            for run in runs:
                if run.master >= 0:
                    os.kill(run.pid, signal.SIGHUP)
            for child in children:
                child.kill()
            for run in runs:
                if run.master >= 0:
                    os.close(run.master)
                    os.waitpid(run.pid, 0)
            for child in children:
                child.wait()
    say("")
    print(f"\nin each minute: private KiB, descriptors, CPU %\n\n| minute | {' | '.join(run.name for run in runs)} |")
    print("|---" * (len(runs) + 1) + "|")
    each_minute(runs)
    print(f"\nreal: {options.minutes:g} min; {machine()}; the second quarter of the time → the last one\n")
    print("| perfhud | private KiB | descriptors | threads | CPU % | |")
    print("|---|---|---|---|---|---|")
    return all([judge(run) for run in runs])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="of the real part (10); 0 leaves it out")
    parser.add_argument("--days", type=int, default=30, help="of the simulated part (30); 0 leaves it out")
    parser.add_argument("--perfhud", default=f"{ROOT}/.build/release/perfhud")
    parser.add_argument("--simulation", default=f"{ROOT}/.build/bench/release/bench-soak")
    options = parser.parse_args()
    if 0 < options.minutes < 1:
        parser.error("--minutes: at least 1, or 0")
    is_flat = True
    if options.days > 0:
        is_flat = subprocess.run([options.simulation, str(options.days)], check=False).returncode == 0
        sys.stdout.flush()
    if options.minutes > 0:
        is_flat = soak(options) and is_flat
    return 0 if is_flat else 1


if __name__ == "__main__":
    run_program(main)
