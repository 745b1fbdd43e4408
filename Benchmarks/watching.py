#!/usr/bin/env python3
"""Measures perfhud against its peers and against the limit, in the same run on the same machine.

Four measurements, each with rounds in which the programs take turns; medians and the spread are
printed, because other work on the machine moves single runs.

cost      CPU time, memory and terminal bytes of each monitor while it watches one process, at 1 Hz
          and 10 Hz. CPU time is the monitor's own process clock (all its threads), read from
          outside before and after; "a refresh" is the time divided by seconds times rate.
start     From the spawn to the first visible character and to the first figure of the process. For
          perfhud it is the CPU figure (memory shows with the first paint), for the minimal monitor
          any number that carries % or KiB, MiB, GiB; for top, htop and btop a decimal number behind
          the process id, which is a mean over the life of the process. Escape sequences are
          removed first, so figures are found where they are written, not where they are shown.
scale     CPU time a refresh at 10 Hz: alone, beside 1000 other processes, with 1000 threads in the
          process that is watched.
accuracy  Error of every CPU reading at 10 Hz against loads that know their own truth. All readers
          watch the same load at the same time, for twice --seconds a round; each is compared over
          exactly its own intervals. Readings of top carry no time, so they are stamped when they
          arrive. "clock ticks" is utime + stime of /proc/PID/stat.

Each monitor runs on a terminal of its own that reads everything at once and answers the queries
that xterm answers. Only the standard library of Python is used.
"""

import argparse
import bisect
import fcntl
import json
import os
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import tempfile
import termios
import time

from common import (COLUMNS, HERE, ROOT, ROWS, BenchError, add_output_options, compile_c, first_line, machine,
                    middle, publish, run_program, say)
from figures import Notes, differences, ratios

# Percent and period in ms. A period that divides 100 ms would let every reading fall on the same
# place of a burst, which flatters all readers.
LOADS = [(7, 23), (37, 41), (100, 41), (150, 43)]
# The kernel brings the account of a running thread up to date at its ticks. The minimal monitor
# reads right behind them, and once more so many microseconds later, where at HZ=250 the account
# is nearly a whole tick old.
OFF_TICK_US = "3500"
# Memory is read so many seconds after the start.
MEMORY_AFTER = 5.0
DEFAULT, TICK_OFF = "perfhud, tick 60", "perfhud"
# What the figures call the monitors.
PROGRAMS = {DEFAULT: "perfhud", TICK_OFF: "perfhud --tick 0"}


# ---- processes ----------------------------------------------------------------------------------


def clock_of(pid):
    """The CPU time of the process in ns, as clock_getcpuclockid(3) finds it."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def kib(pid, key, name="status"):
    """A value of /proc/PID/status or of smaps_rollup, in KiB."""
    with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(key + ":"):
                return int(line.split()[1])
    return 0


def end(pid, reap=True):
    """Ends the process: politely, after two seconds for good."""
    for number, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + patience
        while reap and time.monotonic() < deadline:
            if os.waitpid(pid, os.WNOHANG)[0] == pid:
                return
            time.sleep(0.005)


QUERIES = [
    (re.compile(rb"\x1b\[0?c"), b"\x1b[?62;22c"),
    (re.compile(rb"\x1b\[>0?c"), b"\x1b[>41;372;0c"),
    (re.compile(rb"\x1b\[>0?q"), b"\x1bP>|XTerm(372)\x1b\\"),
    (re.compile(rb"\x1b\[\?2026\$p"), b"\x1b[?2026;2$y"),
    (re.compile(rb"\x1b\[5n"), b"\x1b[0n"),
    (re.compile(rb"\x1b\[6n"), b"\x1b[1;1R"),
    (re.compile(rb"\x1b\]11;\?(?:\x07|\x1b\\)"), b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
]
COLOUR = re.compile(rb"\x1b\[[0-9;:]*m|\x1b\(B|[\x0e\x0f]")
SEQUENCE = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X].*?(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\x00-\x08\x0b-\x1f]",
    re.DOTALL,
)
UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[\]P_^X](?:(?!\x07|\x1b\\).)*|[ -/]*)\Z", re.DOTALL)


def visible(data):
    """What the bytes write, without what they do; a blank stands for each move of the cursor."""
    return SEQUENCE.sub(b" ", COLOUR.sub(b"", UNFINISHED.sub(b"", data)))


class Monitor:
    """A monitor on a terminal that reads everything and counts it."""

    # Silence that separates two refreshes; a refresh that is written in parts counts once.
    GAP = 0.015

    def __init__(self, argv, environment):
        master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.set_blocking(master, False)
        self.master = master
        self.bytes = self.paints = 0
        self.last = -1.0
        self.name = argv[0]
        variables = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", **environment)
        for name in ("TMUX", "TMUX_PANE", "COLUMNS", "LINES", "PERFHUD"):
            variables.pop(name, None)
        path = os.ttyname(slave)
        # The terminal that a new session opens first becomes its controlling terminal.
        self.started = time.monotonic()
        self.pid = os.posix_spawnp(
            argv[0], argv, variables, setsid=True, setsigdef=[signal.SIGPIPE],
            file_actions=[(os.POSIX_SPAWN_OPEN, 0, path, os.O_RDWR, 0),
                          (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)])
        os.close(slave)

    def type(self, text):
        os.write(self.master, text)

    def pump(self, seconds, keep=None):
        """Reads for so long; stops early if `keep`, called with what comes, returns true."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                return
            now = time.monotonic()
            try:
                data = os.read(self.master, 1 << 16)
            except OSError:
                data = b""
            if not data:
                raise BenchError(f"{self.name} ended by itself while it was measured")
            if now - self.last > self.GAP:
                self.paints += 1
            self.last = now
            self.bytes += len(data)
            if b"\x1b" in data:
                for query, answer in QUERIES:
                    for _ in query.findall(data):
                        os.write(self.master, answer)
            if keep is not None and keep(now, data):
                return

    def close(self):
        # A closed terminal would end the monitor by a hang-up in the middle of its restoring.
        end(self.pid)
        os.close(self.master)


# ---- what is measured ---------------------------------------------------------------------------


class Bench:
    """The programs that take part, and where they are."""

    def __init__(self, options, scratch):
        self.options = options
        self.scratch = scratch
        self.notes = Notes()
        self.build = os.path.join(ROOT, ".build", "bench")
        os.makedirs(self.build, exist_ok=True)
        self.minimal = self.compile("minimal-sampler", os.path.join(HERE, "minimal-sampler.c"))
        self.tick = self.compile("tick-loop", os.path.join(HERE, "tick-loop.c"))
        load = os.path.join(ROOT, "Tests", "Load")
        self.load = self.compile("perfhud-load", *(
            os.path.join(load, name) for name in sorted(os.listdir(load)) if name.endswith(".c")))
        self.perfhud = None if options.without_perfhud else os.path.abspath(options.perfhud)

    def compile(self, name, *sources):
        return compile_c(os.path.join(self.build, name), ["-std=c11", "-O2", "-pthread"], sources)

    def monitors(self, pid, rate, names=None):
        """Name → (argv, environment, keys to type) at so many refreshes a second."""
        seconds = f"{1 / rate:g}"
        result = {"minimal C": (
            [self.minimal, "--pid", str(pid), "--interval", str(1000 // rate), "--print"], {}, [])}
        if self.perfhud:
            hud = [self.perfhud, "--pid", str(pid), "--interval", f"{1000 // rate}ms"]
            home = self.folder("perfhud-home")
            environment = {"HOME": home, "XDG_CONFIG_HOME": home}
            result["perfhud"] = (hud + ["--tick", "0"], environment, [])
            result["perfhud, tick 60"] = (hud + ["--tick", "60"], environment, [])
        result["top"] = (["top", "-d", seconds, "-p", str(pid)],
                         {"HOME": self.folder("top-home")}, [])
        result["htop"] = (["htop", "-d", str(10 // rate), "-p", str(pid)],
                          {"HOME": self.folder("htop-home"),
                           "XDG_CONFIG_HOME": self.folder("htop-home")}, [])
        # btop has no option for one process: its list is filtered by typing, then one is opened.
        result["btop"] = (["btop", "--utf-force"],
                          {"XDG_CONFIG_HOME": self.btop_settings(rate)},
                          [f"f{pid}\r".encode(), b"\x1b[B", b"\r"])
        return {name: result[name] for name in names or result if name in result}

    def folder(self, name):
        path = os.path.join(self.scratch, name)
        os.makedirs(path, exist_ok=True)
        return path

    def btop_settings(self, rate):
        home = self.folder(f"btop-home-{rate}")
        os.makedirs(os.path.join(home, "btop"), exist_ok=True)
        with open(os.path.join(home, "btop", "btop.conf"), "w", encoding="utf-8") as file:
            file.write(f'update_ms = {1000 // rate}\nshown_boxes = "proc"\n')
        return home

    def start_load(self, arguments):
        """Starts perfhud-load and waits until it is ready."""
        load = subprocess.Popen([self.load, *arguments], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)
        if not load.stdout.readline().startswith("ready"):
            raise BenchError(f"the load {' '.join(arguments)} did not start")
        return load


def stop_load(load):
    load.stdin.close()
    load.terminate()
    load.wait()
    load.stdout.close()


def measure_cost(monitor, seconds, rate, keys):
    """One run: CPU in percent and in us a refresh, bytes a refresh, paints a second, memory."""
    try:
        monitor.pump(1.0)
        for key in keys:
            monitor.type(key)
            monitor.pump(0.3)
        monitor.pump(max(1.0, 2 / rate))
        count, paints = monitor.bytes, monitor.paints
        begin, busy = time.monotonic(), clock_of(monitor.pid)
        memory = None
        left = monitor.started + MEMORY_AFTER - begin
        if left < seconds:
            memory = memory_after(monitor, left)
        monitor.pump(begin + seconds - time.monotonic())
        busy, span = clock_of(monitor.pid) - busy, time.monotonic() - begin
        found = {"percent": busy / span / 1e7, "us": busy / 1e3 / (span * rate),
                 "bytes": (monitor.bytes - count) / (span * rate),
                 "paints": (monitor.paints - paints) / span,
                 "rss": kib(monitor.pid, "VmRSS"), "anon": kib(monitor.pid, "RssAnon")}
        left = monitor.started + MEMORY_AFTER - time.monotonic()
        return found | (memory or memory_after(monitor, left))
    finally:
        monitor.close()


def memory_after(monitor, seconds):
    """PSS and private memory in MB so many seconds later."""
    monitor.pump(seconds)
    return {"pss": kib(monitor.pid, "Pss", "smaps_rollup") * 1024 / 1e6,
            "private": kib(monitor.pid, "Anonymous", "smaps_rollup") * 1024 / 1e6}


def column(runs, key, form="{:.0f}"):
    return middle([run[key] for run in runs], form)


def measure_tick(program, seconds):
    """CPU of the bare 60 Hz loop, in percent."""
    tick = subprocess.Popen([program, "--seconds", str(int(seconds) + 3)],
                            stdout=subprocess.DEVNULL)
    time.sleep(1)
    begin, busy = time.monotonic(), clock_of(tick.pid)
    time.sleep(seconds)
    percent = (clock_of(tick.pid) - busy) / (time.monotonic() - begin) / 1e7
    tick.terminate()
    tick.wait()
    return percent


def note_cost(bench, rate, runs, ticks):
    """The figures of the cost at so many refreshes a second."""
    note = bench.notes.add

    def rounds(name, key="percent"):
        return [run[key] for run in runs[name]]

    for name in runs:
        program, isDefault = PROGRAMS.get(name, name), name == DEFAULT
        note(f"CPU at {rate} Hz", "watching", rounds(name), "% of a core", program=program, isDefault=isDefault,
             how="CPU time by elapsed time, from the process clock")
        if rate == 10:
            note("PSS", "watching", rounds(name, "pss"), "MB", program=program, isDefault=isDefault,
                 most=5 if isDefault else None, how="`Pss` of smaps_rollup 5 s after the start")
            note("private memory", "watching", rounds(name, "private"), "MB", program=program,
                 isDefault=isDefault, most=1.5 if isDefault else None,
                 how="`Anonymous` of smaps_rollup 5 s after the start")
    if DEFAULT not in runs:
        return
    added = differences(rounds(DEFAULT), rounds(TICK_OFF))
    note(f"CPU of the tick at {rate} Hz", "watching", added, "% of a core", most=0.15, isDefault=True,
         how="with the tick less without it, in each round")
    if rate == 10:
        note("CPU at 10 Hz by that of a minimal C program", "watching",
             ratios(rounds(TICK_OFF), rounds("minimal C")), "×", most=2, program="perfhud --tick 0",
             how="ratio in each round")
        note("CPU of the tick by that of a bare 60 Hz loop in C", "watching", ratios(added, ticks), "×",
             isDefault=True, how="ratio in each round")
    for name, most in ((DEFAULT, None), (TICK_OFF, 1 if rate == 1 else None)):
        note(f"CPU at {rate} Hz by that of top", "watching", ratios(rounds(name), rounds("top")), "×", most=most,
             program=PROGRAMS[name], isDefault=name == DEFAULT, how="ratio in each round")


def bench_cost(bench, say):
    load = bench.start_load(["duty", "--percent", "10", "--threads", "2", "--seconds", "3600",
                             "--truth", "/dev/null"])
    out = ["## Cost", "",
           f"One process of 2 threads at 10 % is watched, on a terminal of {COLUMNS}x{ROWS}."]
    ticks, with_tick = [], {}
    try:
        for rate in (10, 1):
            seconds = bench.options.seconds * (1 if rate == 10 else 2)
            runs = {}
            for number in range(bench.options.rounds):
                for name, (argv, environment, keys) in bench.monitors(load.pid, rate).items():
                    say(f"cost, {rate} Hz, round {number + 1}: {name}")
                    monitor = Monitor(argv, environment)
                    runs.setdefault(name, []).append(
                        measure_cost(monitor, seconds, rate, keys))
                if rate == 10:
                    say(f"cost, round {number + 1}: bare tick")
                    ticks.append(measure_tick(bench.tick, seconds))
                    with_tick = runs
            note_cost(bench, rate, runs, ticks)
            limit = statistics.median(run["us"] for run in runs["minimal C"])
            out += ["", f"### {rate} Hz", "",
                    "| monitor | CPU %, one core | CPU µs a refresh | × minimal C "
                    "| bytes a refresh | paints a s | RSS KiB | RssAnon KiB |",
                    "|---|---|---|---|---|---|---|---|"]
            for name, values in runs.items():
                ratio = statistics.median(run["us"] for run in values) / limit
                out.append(
                    f"| {name} | {column(values, 'percent', '{:.2f}')} | {column(values, 'us')} "
                    f"| {ratio:.1f} | {column(values, 'bytes')} "
                    f"| {column(values, 'paints', '{:.1f}')} | {column(values, 'rss')} "
                    f"| {column(values, 'anon')} |")
    finally:
        stop_load(load)
    if not bench.perfhud:
        return out
    bench.notes.add("executable file", "watching", [os.path.getsize(bench.perfhud) / 1e6], "MB", most=9, isDefault=True,
                    how="its size, stripped")
    added = statistics.median(run["percent"] for run in with_tick["perfhud, tick 60"])
    added -= statistics.median(run["percent"] for run in with_tick["perfhud"])
    bare = statistics.median(ticks)
    out += ["", f"The 60 Hz tick of perfhud adds {added:.3f} % of a core, "
            f"{added / bare:.2f} times what the bare loop costs."]
    out += ["", f"A bare 60 Hz timer loop in C costs {middle(ticks, '{:.3f}')} % of a core."]
    return out


def first_times(monitor, figure):
    """Milliseconds to the first visible character and the first figure; None if it never came."""
    data = bytearray()
    paint = shown = None

    def keep(now, piece):
        nonlocal paint, shown
        data.extend(piece)
        text = visible(bytes(data))
        if paint is None and text.strip():
            paint = (now - monitor.started) * 1000
        if figure.search(text):
            shown = (now - monitor.started) * 1000
        return shown is not None

    try:
        monitor.pump(5.0, keep)
        return {"paint": paint, "figure": shown}
    finally:
        monitor.close()


def bench_start(bench, say):
    load = bench.start_load(["duty", "--percent", "10", "--threads", "2", "--seconds", "3600",
                             "--truth", "/dev/null"])
    # A share that is followed by "of" is the memory's; the CPU figure needs two readings.
    own = re.compile(rb"\d %(?!\s*of)")
    limit = re.compile(rb"\d\s?(?:%|[KMG]iB)")
    other = re.compile(rb"\b%d\b.*?\d[.,]\d" % load.pid, re.DOTALL)
    runs = {}
    try:
        for number in range(4 if bench.options.quick else max(30, bench.options.rounds * 4)):
            say(f"start, round {number + 1}")
            for name, (argv, environment, _) in bench.monitors(load.pid, 10).items():
                figure = (own if name.startswith("perfhud")
                          else limit if name.startswith("minimal") else other)
                runs.setdefault(name, []).append(
                    first_times(Monitor(argv, environment), figure))
    finally:
        stop_load(load)
    # What never came within the five seconds took at least as long.
    shown = {name: [run["figure"] or 5000 for run in values] for name, values in runs.items()}
    for name, times in shown.items():
        bench.notes.add("first value", "watching", times, "ms", program=PROGRAMS.get(name, name),
                        isDefault=name == DEFAULT, how="from the start to the first CPU value on the screen")
    if bench.perfhud:
        bench.notes.add("first value by that of top", "watching", ratios(shown[DEFAULT], shown["top"]), "×", most=1,
                        isDefault=True, how="ratio in each round")
    out = ["## Start", "", "| monitor | first visible character, ms | first figure, ms |",
           "|---|---|---|"]
    for name, values in runs.items():
        cells = []
        for key in ("paint", "figure"):
            known = [run[key] for run in values if run[key] is not None]
            cells.append(middle(known, "{:.1f}") if len(known) == len(values)
                         else f"none in {len(values) - len(known)} of {len(values)} runs")
        out.append(f"| {name} | {cells[0]} | {cells[1]} |")
    return out


def bench_scale(bench, say):
    crowd = "1000" if bench.options.quick else "10000"
    beside = f"beside {crowd} processes"
    cases = {"alone": ([], ["threads", "0"]),
             beside: (["processes", crowd], ["threads", "0"]),
             "1000 threads in the process": ([], ["threads", "1000", "--seconds", "3600"])}
    names = ["minimal C", "perfhud", "top", "htop"]
    runs = {}
    for number in range(bench.options.rounds):
        for case, (crowd, target) in cases.items():
            others = bench.start_load(crowd) if crowd else None
            load = bench.start_load(target)
            try:
                for name, (argv, environment, _) in bench.monitors(load.pid, 10, names).items():
                    say(f"scale, round {number + 1}, {case}: {name}")
                    run = measure_cost(Monitor(argv, environment), bench.options.seconds, 10, [])
                    runs.setdefault(name, {}).setdefault(case, []).append(run)
            finally:
                stop_load(load)
                if others:
                    stop_load(others)
    if bench.perfhud:
        alone, among = ([run["us"] for run in runs[TICK_OFF][case]] for case in ("alone", beside))
        bench.notes.add(f"CPU {beside}, by that alone", "watching", ratios(among, alone), "×", most=1.05,
                        program=PROGRAMS[TICK_OFF],
                        how="ratio in each round; the bar is no difference, with 5 % for noise")
    out = ["## Scale", "", "CPU µs a refresh at 10 Hz.", "",
           "| monitor | " + " | ".join(cases) + " |", "|---|" + "---|" * len(cases)]
    for name, values in runs.items():
        out.append(f"| {name} | " + " | ".join(column(values[case], "us") for case in cases) + " |")
    return out


# ---- accuracy -----------------------------------------------------------------------------------


class Truth:
    """The CPU time of a load at any moment, from the file that it wrote."""

    def __init__(self, path):
        self.times, self.totals = [], []
        self.busy = self.kernel = 0
        with open(path, encoding="ascii") as file:
            for line in file:
                words = line.split()
                if words[0] != "#":
                    self.times.append(int(words[0]))
                    self.totals.append(int(words[1]))
                elif words[1] == "busy_ns":
                    self.busy, self.kernel = int(words[2]), int(words[4])

    def at(self, instant):
        place = bisect.bisect_right(self.times, instant)
        if place == 0:
            return 0
        if place == len(self.times):
            return self.totals[-1]
        part = (instant - self.times[place - 1]) / (self.times[place] - self.times[place - 1])
        return self.totals[place - 1] + part * (self.totals[place] - self.totals[place - 1])

    def percent(self, start, stop):
        return 100 * (self.at(stop) - self.at(start)) / (stop - start)

    def holds(self, start, stop):
        return self.times[0] <= start < stop <= self.times[-1]


def counter_readings(times, counters, span):
    """(start, stop, percent) of a cumulative counter over each stretch of `span` readings."""
    return [(times[i - span], times[i],
             100 * (counters[i] - counters[i - span]) / (times[i] - times[i - span]))
            for i in range(span, len(times))]


def read_rows(path):
    with open(path, encoding="ascii") as file:
        return [[int(word) for word in line.split(",")] for line in file.readlines()[1:]
                if line.count(",") == 3 and line.endswith("\n")]


def minimal_readings(path, name="minimal C"):
    rows = read_rows(path)
    times = [row[0] for row in rows]
    clocks = [row[1] for row in rows]
    ticks = [row[3] for row in rows]
    result = {(name, "interval"): counter_readings(times, clocks, 1),
              (name, "0.5 s"): counter_readings(times, clocks, 5)}
    if name == "minimal C":
        result["clock ticks", "interval"] = counter_readings(times, ticks, 1)
        result["clock ticks", "0.5 s"] = counter_readings(times, ticks, 5)
    return result


def perfhud_readings(path, offset):
    """`offset` is Unix time less monotonic time, in ns."""
    times, rows = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                row = json.loads(line)
                times.append(round(row["t"] * 1e9) - offset)
                rows.append(row)
    result = {("perfhud", "interval"): [], ("perfhud", "0.5 s"): []}
    for i in range(1, len(rows)):
        if rows[i]["cpu_percent"] is not None:
            result["perfhud", "interval"].append((times[i - 1], times[i], rows[i]["cpu_percent"]))
        # The window starts at the reading that lies nearest to 0.5 s before this one.
        first = min(range(i), key=lambda j: abs(times[i] - 500_000_000 - times[j]))
        if rows[i]["cpu_percent_window"] is not None and i >= 5:
            result["perfhud", "0.5 s"].append(
                (times[first], times[i], rows[i]["cpu_percent_window"]))
    return result


def read_top(stream, pid, seconds):
    """Stamps the rows of `top -b` when they arrive."""
    readings, buffer, previous = [], b"", None
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([stream], [], [], left)[0]:
            break
        data = os.read(stream.fileno(), 1 << 16)
        now = time.monotonic_ns()
        if not data:
            break
        buffer += data
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            words = line.split()
            if words and words[0] == b"%d" % pid:
                if previous is not None:
                    readings.append((previous, now, float(words[8].replace(b",", b"."))))
                previous = now
    return {("top -b", "interval"): readings}


def wall_offset():
    """Unix time less monotonic time in ns, from the quickest of some readings."""
    best = None
    for _ in range(20):
        before = time.monotonic_ns()
        wall = time.time_ns()
        after = time.monotonic_ns()
        if best is None or after - before < best[0]:
            best = (after - before, wall - (before + after) // 2)
    return best[1]


def accuracy_run(bench, percent, period, number):
    """One load with all readers beside it; reader → errors in points, and the load's own check."""
    seconds = bench.options.seconds * 2
    base = os.path.join(bench.scratch, f"accuracy-{percent}-{number}")
    load = bench.start_load(["duty", "--percent", str(percent), "--period", str(period),
                             "--seconds", f"{seconds + 1.5}", "--truth", base + ".truth"])
    pid = str(load.pid)
    samples = str(int(seconds * 10))
    minimal = [bench.minimal, "--pid", pid, "--interval", "100", "--samples", samples]
    readers = [subprocess.Popen(minimal + ["--csv", base + ".csv"]),
               subprocess.Popen(minimal + ["--csv", base + "-off.csv", "--phase", OFF_TICK_US])]
    if bench.perfhud:
        readers.append(subprocess.Popen(
            [bench.perfhud, "--pid", pid, "--interval", "100ms", "--tick", "0", "--batch",
             "--format", "jsonl", "--samples", samples, "--output", base + ".jsonl"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL))
    offset = wall_offset()
    top = subprocess.Popen(["top", "-b", "-d", "0.1", "-p", pid], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE,
                           env=dict(os.environ, HOME=bench.folder("top-home"), LC_ALL="C.UTF-8",
                                    TERM="xterm-256color"))
    try:
        readings = read_top(top.stdout, load.pid, seconds)
        for reader in readers:
            if reader.wait(timeout=5) != 0:
                raise BenchError(f"{reader.args[0]} failed beside the load of {percent} %")
        load.wait(timeout=seconds + 10)
    except subprocess.TimeoutExpired as late:
        raise BenchError(f"{late.cmd[0]} did not end in time") from None
    finally:
        for process in [top, *readers]:
            process.kill()
            process.wait()
        top.stdout.close()
        stop_load(load)
    truth = Truth(base + ".truth")
    readings.update(minimal_readings(base + ".csv"))
    readings.update(minimal_readings(base + "-off.csv", "minimal C, off the ticks"))
    if bench.perfhud:
        readings.update(perfhud_readings(base + ".jsonl", offset))
    errors = {}
    for reader, values in readings.items():
        errors[reader] = [value - truth.percent(start, stop) for start, stop, value in values
                          if truth.holds(start, stop)]
        if not errors[reader]:
            raise BenchError(f"{reader[0]} gave no reading beside the load of {percent} %")
    return errors, truth


def error_cells(errors):
    sizes = sorted(abs(error) for error in errors)
    return (f"{statistics.mean(sizes):.2f} / {sizes[int(0.95 * (len(sizes) - 1))]:.2f} / "
            f"{sizes[-1]:.2f}")


def bench_accuracy(bench, say):
    found, checks, relative = {}, [], []
    for number in range(bench.options.rounds):
        sizes = {}
        for percent, period in LOADS:
            say(f"accuracy, round {number + 1}: {percent} %")
            errors, truth = accuracy_run(bench, percent, period, number)
            checks.append(100 * (truth.kernel - truth.busy) / truth.busy)
            for reader, values in errors.items():
                found.setdefault(reader, {}).setdefault(percent, []).extend(values)
                sizes.setdefault(reader, []).extend(abs(value) for value in values)
        if bench.perfhud:
            relative.append(statistics.mean(sizes["perfhud", "interval"])
                            / statistics.mean(sizes["minimal C", "interval"]))
    if relative:
        bench.notes.add("error of the CPU value by that of the bare process clock", "watching", relative, "×",
                        most=0.44, program="perfhud --tick 0",
                        how="mean error over one interval of all loads, ratio in each round")
    names = [f"{percent} %" for percent, _ in LOADS]
    out = ["## Accuracy", "", "Error of the CPU reading at 10 Hz in percentage points: mean / 95th "
           "percentile / largest, without sign.", "",
           "| reader | over | " + " | ".join(names) + " | all | bias | readings |",
           "|---|---|" + "---|" * (len(LOADS) + 3)]
    for reader in sorted(found):
        loads = found[reader]
        everything = [error for values in loads.values() for error in values]
        cells = [error_cells(loads[percent]) for percent, _ in LOADS]
        out.append(f"| {reader[0]} | {reader[1]} | " + " | ".join(cells)
                   + f" | {error_cells(everything)} | {statistics.mean(everything):+.2f} "
                   f"| {len(everything)} |")
    out += ["", "Check of the truth: the kernel's account of each whole load differs from the "
            f"load's own by {middle(checks, '{:+.2f}')} %."]
    return out


# ---- the whole ----------------------------------------------------------------------------------


def heading(bench):
    versions = [first_line(["top", "-V"]), first_line(["htop", "--version"]),
                first_line(["btop", "--version"])]
    if bench.perfhud:
        versions.insert(0, first_line([bench.perfhud, "--version"]))
    options = bench.options
    return ["# perfhud: measurements", "",
            f"{machine()}. {', '.join(versions)}. "
            f"{options.rounds} rounds of {options.seconds:g} s; medians (least–most)."]


PARTS = {"cost": bench_cost, "start": bench_start, "scale": bench_scale,
         "accuracy": bench_accuracy}


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perfhud", default=os.path.join(ROOT, ".build", "release", "perfhud"),
                        help="the program to measure (default: .build/release/perfhud)")
    parser.add_argument("--without-perfhud", action="store_true",
                        help="measure the peers and the limit alone")
    parser.add_argument("--only", choices=PARTS, action="append",
                        help="this measurement alone; may be given more than once")
    parser.add_argument("--quick", action="store_true", help="one short round: a smoke test")
    parser.add_argument("--rounds", type=int, help="turns of each program (default 3)")
    parser.add_argument("--seconds", type=float, help="length of one run at 10 Hz (default 5)")
    add_output_options(parser)
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.seconds = max(1.0, options.seconds or (2.0 if options.quick else 5.0))
    return options


def check_tools(options):
    missing = [name for name in ("cc", "top", "htop", "btop") if shutil.which(name) is None]
    if missing:
        raise BenchError(f"{', '.join(missing)} not found; install with: make deps-bench")
    if not options.without_perfhud and not os.access(options.perfhud, os.X_OK):
        raise BenchError(f"no program {options.perfhud}; build it with: make build")


def main():
    options = parse_options()
    check_tools(options)

    with tempfile.TemporaryDirectory(prefix="perfhud-bench-") as scratch:
        bench = Bench(options, scratch)
        parts = {"machine": heading(bench)}
        for name in options.only or PARTS:
            parts[name] = PARTS[name](bench, say)
    publish(parts, options, bench.notes)


if __name__ == "__main__":
    run_program(main)
