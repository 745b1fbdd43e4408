#!/usr/bin/env python3
"""What an event costs the program that sends it: CPU time for each of a burst of actions, user and
kernel, measured by the sender itself (CLOCK_PROCESS_CPUTIME_ID). `make bench-events` builds and runs it.

Three receivers: none; one that reads as fast as it can; one that is stopped (SIGSTOP). At the end actions
that come alone, every 150 us, so that each has to wake the receiver (paced). Three clients:
Swift (PerfHUDClient), C (clients/perfhud.h), Python (clients/perfhud.py). Each figure is the median of
five bursts. What the receiver counts is compared with what was sent: no action may be missing.
"""
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BINARY = os.environ.get("BENCH_EVENTS", os.path.join(ROOT, ".build/release/bench-events"))
BURST = 20_000 if "--quick" in sys.argv else 200_000
ROUNDS = 5

PYTHON = """
import sys, time
sys.path.insert(0, sys.argv[1])
import perfhud
count = int(sys.argv[2])
perfhud.action("warm-up")
before = time.process_time_ns()
for _ in range(count):
    perfhud.action("pen.move")
after = time.process_time_ns()
print((after - before) / count, "heard" if perfhud._socket else "not heard")
for _ in range(1000):
    if perfhud.flush():
        break
    time.sleep(0.001)
"""


def main():
    with tempfile.TemporaryDirectory() as scratch:
        sender = os.path.join(scratch, "sender")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", sender,
                        os.path.join(ROOT, "Benchmarks/Events/sender.c")], check=True)
        clients = {
            "Swift": ([BINARY, "send"], BURST),
            "C": ([sender], BURST),
            "Python": ([sys.executable, "-c", PYTHON, os.path.join(ROOT, "clients")], BURST // 10),
        }
        environment = dict(os.environ, XDG_RUNTIME_DIR=scratch)
        environment.pop("PERFHUD_SOCKET", None)
        print("%-8s %-12s %12s %12s   %s" % ("client", "receiver", "ns an event", "worst", "counted"))
        failed = False
        for name, (command, count) in clients.items():
            for kind in ("none", "reads", "stopped"):
                failed |= measure(name, command, count, kind, environment)
        measure("C", [sender], 2000, "paced", environment)
        return 1 if failed else 0


def measure(name, command, count, kind, environment):
    """One row; returns whether something was missing."""
    receiver, variables = None, dict(environment)
    if kind != "none":
        receiver = subprocess.Popen([BINARY, "receive", "600"], env=environment, text=True,
                                    stdout=subprocess.PIPE)
        variables["PERFHUD_SOCKET"] = receiver.stdout.readline().strip()
        if kind == "stopped":
            receiver.send_signal(signal.SIGSTOP)
    figures, counted = [], ""
    for _ in range(ROUNDS):
        words = command + [str(count)] + (["paced"] if kind == "paced" else [])
        output = subprocess.run(words, env=variables, check=True, text=True,
                                capture_output=True).stdout.split(maxsplit=1)
        figures.append(float(output[0]))
        heard = output[1].strip()
    if receiver:
        receiver.kill()
        receiver.wait()
    if kind == "reads":
        counted = account(command, count, environment)
    print("%-8s %-12s %12.0f %12.0f   %s %s" % (
        name, kind, statistics.median(figures), max(figures), heard, counted))
    return "MISSING" in counted


def account(command, count, environment):
    """A burst whose every action must be counted."""
    receiver = subprocess.Popen([BINARY, "receive", "3"], env=environment, text=True,
                                stdout=subprocess.PIPE)
    variables = dict(environment, PERFHUD_SOCKET=receiver.stdout.readline().strip())
    started = time.monotonic()
    subprocess.run(command + [str(count)], env=variables, check=True, capture_output=True)
    took = time.monotonic() - started
    text = receiver.stdout.read().strip()
    receiver.wait()
    found = {key: int(number) for key, number in re.findall(r"(\w+) (\d+)", text)}
    is_whole = found.get("actions") == count + 1 and found.get("lost") == 0
    if took > 2.5:
        return "too slow to be counted"
    return ("all %d in %d lines" % (count, found["lines"])) if is_whole else "MISSING: " + text


if __name__ == "__main__":
    sys.exit(main())
