#!/usr/bin/env python3
"""Measures what watching a tree of processes costs, and whether nothing of its CPU time is lost.

Cost: trees of 10, 100 and 1000 processes that sleep, of 1000 that wake up once a second, and of 10 beside
1000 others are watched at 10 Hz by perfhud, by a sampler that works as top does, and by a minimal C program
that asks for nothing but the CPU clocks; with --before by another perfhud too, to compare with. What is born
on the machine meanwhile costs all of them, so it is counted.

PSS: how much of the time goes into reading the proportional set size, of a process that perfhud reads by
itself, of a large one with and without being asked, and of a tree. All else that a sample costs is the same
each time; what a tenth of a second costs more is such a reading.

Truth: storms of short-lived processes, which know what they used (Tests/Load/storm.c), and a build with
make, whose truth is wait4(2) of its root.
"""

import argparse
import glob
import json
import os
import signal
import statistics
import subprocess
import tempfile
import time

from common import (ROOT, BenchError, add_output_options, check_program, compile_c, machine, middle, publish,
                    run_program, say)
from figures import Notes, ratios

INTERVAL = 0.1
WAKING = "1000, each wakes up once a second"
SETTLE = 6.0  # seconds; perfhud looks more often whether a process younger than five executes another program
COST_BARS = {"1000 asleep": 1.5, "10 asleep": 0.15, WAKING: 1.0}
TRUTH_BAR = 99.9
PSS_BAR = 0.2
# A tenth of a second in which perfhud's sampler used so much more than in most has a reading of PSS in it.
PSS_LEAST = 0.8e-3


class Bench:
    """Where everything is, and what runs."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.notes = Notes()
        self.load = compile_c(f"{folder}/perfhud-load", ["-O2"],
                              [*glob.glob(f"{ROOT}/Tests/Load/*.c"), "-lpthread"])
        self.peer = compile_c(f"{folder}/tree-peer", ["-O2"], [f"{ROOT}/Benchmarks/tree-peer.c"])
        self.environment = {key: value for key, value in os.environ.items() if key != "PERFHUD"}
        self.environment |= {"PERFHUD_CONFIG": "/dev/null", "HOME": folder, "LC_ALL": "C.UTF-8"}

    def lines(self, path, *arguments, perfhud=None):
        return [perfhud or self.options.perfhud, "--batch", "--format", "jsonl", "--output", path,
                "--tick", "0", "--interval", "100ms", *arguments]

    def start(self, command, **streams):
        # Of two perfhuds with one place for sockets the second one looks each second whether it is free.
        place = f"{self.folder}/{os.path.dirname(command[0]).replace('/', '-')}"
        os.makedirs(place, mode=0o700, exist_ok=True)
        return subprocess.Popen(command, env=self.environment | {"XDG_RUNTIME_DIR": place},
                                stdin=subprocess.PIPE, text=True, **streams)

    def start_load(self, *arguments):
        load = self.start([self.load, *arguments], stdout=subprocess.PIPE)
        if not load.stdout.readline().startswith("ready"):
            raise BenchError(f"perfhud-load {' '.join(arguments)} does not start")
        return load


def stop(process):
    """Ends what is only watched or watches; a load ends with its input."""
    process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def used(pid):
    """CPU seconds of all threads."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total * 1e-9


# ------------------------------------------------------------------------------------------ cost

def monitors(bench, pid):
    yield "minimal C", [bench.peer, "minimal", "--pid", str(pid)], subprocess.DEVNULL
    yield "perfhud", bench.lines("/dev/null", "--pid", str(pid), "--tree"), subprocess.DEVNULL
    if bench.options.before:
        yield ("before", bench.lines("/dev/null", "--pid", str(pid), "--tree", perfhud=bench.options.before),
               subprocess.DEVNULL)
    yield "top-style", [bench.peer, "top", "--pid", str(pid)], subprocess.DEVNULL


def births():
    """Processes and threads that were started on the machine so far."""
    with open("/proc/stat", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("processes"))


def cost_of(bench, load):
    """CPU of each monitor in percent of a core, all at the same time, so that they are under one load; and
    new processes a second."""
    running = [(name, bench.start(command, stdout=output, stderr=subprocess.DEVNULL))
               for name, command, output in monitors(bench, load.pid)]
    time.sleep(SETTLE)
    before = {name: used(process.pid) for name, process in running}
    start = time.monotonic()
    born = births()
    time.sleep(bench.options.seconds)
    seconds = time.monotonic() - start
    born = births() - born
    shares = {name: 100 * (used(process.pid) - before[name]) / seconds for name, process in running}
    for _, process in running:
        process.send_signal(signal.SIGTERM)
        stop(process)
    return shares | {"births": born / seconds}


def measure_cost(bench):
    cases = [("10 asleep", ["processes", "10"], 0), ("10 asleep, 1000 others", ["processes", "10"], 1000),
             ("100 asleep", ["processes", "100"], 0), ("1000 asleep", ["processes", "1000"], 0),
             (WAKING, ["processes", "1000", "--wake", "1000"], 0)]
    before_title = " before |" if bench.options.before else ""
    lines = ["### Cost", "",
             f"At {1 / INTERVAL:.0f} Hz, CPU in percent of a core; bars: "
             + ", ".join(f"{bar} % for {name}" for name, bar in COST_BARS.items()) + ".", "",
             f"| tree | minimal C | perfhud | × minimal C |{before_title} top-style | new processes a s | bar |",
             "|---|---|---|---|---|---|---|" + ("---|" if before_title else "")]
    for name, arguments, others in cases:
        found = {}
        for number in range(bench.options.rounds):
            say(f"cost: {name}, round {number + 1}")
            load = bench.start_load(*arguments)
            beside = bench.start_load("processes", str(others)) if others else None
            time.sleep(1.0)
            for monitor, share in cost_of(bench, load).items():
                found.setdefault(monitor, []).append(share)
            stop(load)
            if beside:
                stop(beside)
        relative = ratios(found["perfhud"], found["minimal C"])
        ratio = statistics.median(relative)
        bar = COST_BARS.get(name)
        bench.notes.add(f"tree of {name}", "trees", found["perfhud"], "% of a core", most=bar,
                        how="`--tree --tick 0` at 10 Hz, CPU time of all threads")
        bench.notes.add(f"tree of {name}, by a minimal C program", "trees", relative, "×", how="ratio in each round")
        verdict = "" if bar is None else (
            "met" if statistics.median(found["perfhud"]) <= bar else "**missed**")
        lines.append(f"| {name} | {middle(found['minimal C'], '{:.3f}')} "
                     f"| {middle(found['perfhud'], '{:.3f}')} | {ratio:.1f} "
                     + (f"| {middle(found['before'], '{:.3f}')} " if before_title else "")
                     + f"| {middle(found['top-style'], '{:.2f}')} | {middle(found['births'])} | {verdict} |")
    return lines


# ------------------------------------------------------------------------------------------ PSS

def sampler_seconds(pid):
    """CPU seconds of the thread that reads."""
    for path in glob.glob(f"/proc/{pid}/task/*/comm"):
        with open(path, encoding="ascii") as file:
            name = file.read()
        if name.startswith("perfhud-sampler"):
            with open(path.replace("comm", "schedstat"), encoding="ascii") as file:
                return int(file.read().split()[0]) * 1e-9
    raise BenchError(f"process {pid} has no thread perfhud-sampler")


def pss_readings(bench, megabytes, children, *arguments):
    """When PSS was read, and the CPU seconds that each reading took; and the elapsed seconds."""
    def ask(command):
        load.stdin.write(f"{command}\n")
        load.stdin.flush()
        if not load.stdout.readline().startswith("ok"):
            raise BenchError(f"perfhud-load serve: {command} failed")

    load = bench.start_load("serve")
    ask(f"alloc {megabytes << 20}")
    for _ in range(children):
        ask("child")
    hud = bench.start(bench.lines("/dev/null", "--pid", str(load.pid), *arguments),
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    start = time.monotonic()
    before = sampler_seconds(hud.pid)
    costs = []
    for step in range(int(bench.options.pss_seconds / INTERVAL)):
        # What has not run is read more rarely.
        if step % 10 == 0:
            ask("burn 1")
        time.sleep(max(0, start + (step + 1) * INTERVAL - time.monotonic()))
        now = sampler_seconds(hud.pid)
        costs.append((time.monotonic() - start, now - before))
        before = now
    hud.send_signal(signal.SIGTERM)
    stop(hud)
    stop(load)
    usual = statistics.median(cost for _, cost in costs)
    return [(at, cost - usual) for at, cost in costs if cost - usual > PSS_LEAST], costs[-1][0]


def measure_pss(bench):
    cases = [("250 MiB", (250, 0)), ("1 GiB", (1024, 0)),
             ("1 GiB, --memory pss", (1024, 0, "--memory", "pss")),
             ("7 processes of 100 MiB, --tree --memory pss", (100, 6, "--tree", "--memory", "pss"))]
    lines = ["### PSS", "",
             f"At {1 / INTERVAL:.0f} Hz for {bench.options.pss_seconds:.0f} s, of a target that runs each second: the "
             "readings after the start, the longest, and the share of the time from the first to the last that they "
             f"took; the bar is {PSS_BAR} %.", "",
             "| target | readings | longest, ms | share | bar |", "|---|---|---|---|---|"]
    for name, arguments in cases:
        say(f"PSS: {name}")
        readings, _ = pss_readings(bench, *arguments)
        longest = f"{1e3 * max(cost for _, cost in readings):.1f}" if readings else ""
        share = ""
        verdict = "met" if not readings else ""
        percent = None if readings else 0
        if len(readings) > 1:
            # After each reading comes a pause that goes with what it took.
            percent = (100 * sum(cost for _, cost in readings[:-1])
                       / (readings[-1][0] - readings[0][0]))
            share = f"{percent:.3f} %"
            verdict = "met" if percent <= PSS_BAR else "**missed**"
        if percent is not None:
            bench.notes.add(f"time spent on reading PSS of {name}", "trees", [percent], "%", most=PSS_BAR,
                            how="CPU time of the readings by the time from the first to the last")
        lines.append(f"| {name} | {len(readings) or 'none'} | {longest} | {share} | {verdict} |")
    return lines


# ------------------------------------------------------------------------------------------ truth

def last_time(path):
    """CPU time of the last line, in seconds."""
    with open(path, encoding="utf-8") as file:
        return json.loads(file.readlines()[-1])["cpu_time_s"]


def storm(bench, kind, launched):
    """Share of the truth that perfhud and the peer have seen, in percent."""
    path = f"{bench.folder}/lines"
    arguments = ["storm", str(bench.options.processes), "--kind", kind]
    if launched:
        run = bench.start(bench.lines(path, "--", bench.load, *arguments), stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
        pid = int(run.stdout.readline().split()[1])
    else:
        run = bench.start_load(*arguments)
        pid = run.pid
    peer = bench.start([bench.peer, "top", "--pid", str(pid)], stdout=subprocess.PIPE)
    hud = None
    if not launched:
        hud = bench.start(bench.lines(path, "--pid", str(pid), "--tree"), stdout=subprocess.DEVNULL)
    time.sleep(0.7)
    run.stdin.write("go\n")
    run.stdin.flush()
    words = run.stdout.readline().split()
    if words[:1] != ["ok"]:
        raise BenchError(f"storm {kind}: {words}")
    truth = (int(words[1]) + int(words[2])) * 1e-9
    time.sleep(0.7)
    if hud:
        hud.send_signal(signal.SIGTERM)
        stop(hud)
    peer.stdin.close()
    seen = int(peer.stdout.readline()) * 1e-9
    stop(peer)
    found = last_time(path)
    stop(run)
    return 100 * found / truth, 100 * seen / truth, truth


def write_project(folder, files):
    """A program of many small files, each of which takes the compiler a while."""
    os.makedirs(folder)
    for number in range(files):
        lines = ["#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", "#include <math.h>"]
        for part in range(60):
            lines.append(
                f"double f{number}_{part}(double *a, int n) {{ double s = {part}; for (int i = 0; i < n; "
                f"i++) for (int k = i; k < n; k++) s += a[i] * a[k] / (1 + fabs(a[(i * k) % n])); "
                f"if (s > {part}e9) printf(\"%g\", s); return s; }}")
        with open(f"{folder}/f{number}.c", "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
    objects = " ".join(f"f{number}.o" for number in range(files))
    with open(f"{folder}/Makefile", "w", encoding="ascii") as file:
        file.write(f"all: {objects}\n%.o: %.c\n\t$(CC) -O2 -g -c -o $@ $<\n")


def build(bench):
    folder = f"{bench.folder}/project-{time.monotonic_ns()}"
    write_project(folder, bench.options.files)
    path = f"{bench.folder}/lines"
    script = f"echo ready; read x; make -s -j2 -C {folder}; echo done; read x"
    root = bench.start(["sh", "-c", script], stdout=subprocess.PIPE)
    root.stdout.readline()
    hud = bench.start(bench.lines(path, "--pid", str(root.pid), "--tree"), stdout=subprocess.DEVNULL)
    peer = bench.start([bench.peer, "top", "--pid", str(root.pid)], stdout=subprocess.PIPE)
    time.sleep(0.7)
    root.stdin.write("\n")
    root.stdin.flush()
    if root.stdout.readline() != "done\n":
        raise BenchError("the build failed")
    time.sleep(0.7)
    hud.send_signal(signal.SIGTERM)
    stop(hud)
    peer.stdin.close()
    seen = int(peer.stdout.readline()) * 1e-9
    stop(peer)
    root.stdin.write("\n")
    root.stdin.close()
    _, _, usage = os.wait4(root.pid, 0)
    root.returncode = 0
    truth = usage.ru_utime + usage.ru_stime
    return 100 * last_time(path) / truth, 100 * seen / truth, truth


def measure_truth(bench):
    count = bench.options.processes
    cases = [(f"{count} processes of 1 to 14 ms, waited for; --pid --tree", TRUTH_BAR,
              lambda: storm(bench, "wait", False)),
             ("the same below perfhud --", TRUTH_BAR, lambda: storm(bench, "wait", True)),
             ("orphans (double fork) below perfhud --", TRUTH_BAR, lambda: storm(bench, "orphan", True)),
             ("daemons (setsid) below perfhud --", TRUTH_BAR, lambda: storm(bench, "daemon", True)),
             ("orphans; --pid --tree (a lower bound)", None, lambda: storm(bench, "orphan", False)),
             ("SIGCHLD ignored (a lower bound, shown with ≥)", None, lambda: storm(bench, "ignore", True)),
             ("make -j2; --pid --tree", TRUTH_BAR, lambda: build(bench))]
    lines = ["### Truth", "",
             f"CPU time that was seen at {1 / INTERVAL:.0f} Hz, in percent of the truth; the bar is "
             f"{TRUTH_BAR} %.", "",
             "| load | CPU s | perfhud | top-style | bar |", "|---|---|---|---|---|"]
    for name, bar, run in cases:
        found = []
        for number in range(bench.options.rounds):
            say(f"truth: {name}, round {number + 1}")
            found.append(run())
        ours, peers, truth = (list(values) for values in zip(*found))
        verdict = "" if bar is None else ("met" if min(ours) >= bar else "**missed**")
        bench.notes.add(f"CPU time seen of {name}", "trees", ours, "%", least=bar, judged="min",
                        how="by what the processes used themselves")
        lines.append(f"| {name} | {middle(truth, '{:.1f}')} | {middle(ours, '{:.2f}')} "
                     f"| {middle(peers, '{:.1f}')} | {verdict} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfhud", default=os.path.join(ROOT, ".build/release/perfhud"))
    parser.add_argument("--before", help="another perfhud, whose cost is measured beside")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4, help="seconds of a measurement of cost")
    parser.add_argument("--processes", type=int, default=3000, help="processes of a storm")
    parser.add_argument("--files", type=int, default=60, help="files of the build")
    parser.add_argument("--pss-seconds", type=float, default=40, help="seconds of a measurement of PSS")
    parser.add_argument("--only", choices=["cost", "pss", "truth"])
    parser.add_argument("--quick", action="store_true", help="one short round")
    add_output_options(parser)
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds, options.processes, options.files = 1, 2, 300, 6
        options.pss_seconds = 12
    check_program(options.perfhud)
    start = machine()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        parts = {"tree-machine": ["## Trees of processes", "",
                                  f"{start}. {options.rounds} rounds; medians (least–most)."]}
        for name, measure in (("cost", measure_cost), ("pss", measure_pss), ("truth", measure_truth)):
            if options.only in (None, name):
                parts[f"tree-{name}"] = measure(bench)
    publish(parts, options, bench.notes)
    return 0


if __name__ == "__main__":
    run_program(main)
