#!/usr/bin/env python3
"""Reads off the HUD what it says of programs that know their own truth.

Each program runs under perfhud in a tmux of its own: one that redraws 30 times a second, one that
answers a key 20 ms after it has got it, and vim at rest. What the HUD shows is read from the screen,
twice a second, and stands beside what the program itself has measured.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from common import ROOT, BenchError, add_output_options, check_program, machine, middle, publish, run_program, say
from figures import Notes

REDRAW = r"""
import sys, time
period = 1 / 30
start = time.monotonic()
out = open(sys.argv[1], "w")
last = None
number = 0
sys.stdout.write("\033[2J")
while True:
    sys.stdout.write(f"\033[12;1Hframe {number}" + "".join(
        f"\033[{row};1H{chr(97 + (row + number) % 26) * 30}" for row in range(14, 22)))
    sys.stdout.flush()
    now = time.monotonic()
    if last is not None:
        print(now - last, file=out, flush=True)
    last = now
    number += 1
    time.sleep(max(0, start + number * period - time.monotonic()))
"""

ANSWER = r"""
import os, sys, termios, time, tty
out = open(sys.argv[1], "w")
tty.setraw(0)
sys.stdout.write("\033[2J")
sys.stdout.flush()
number = 0
while True:
    if not os.read(0, 1):
        break
    start = time.monotonic()
    time.sleep(0.020)
    number += 1
    os.write(1, b"\033[20;1H%d keys" % number)
    print(time.monotonic() - start, file=out, flush=True)
"""


class Tmux:
    """perfhud over a command in a tmux."""

    def __init__(self, name, perfhud, command, size):
        self.name = f"perfhud-bars-{os.getpid()}-{name}"
        environment = {"PERFHUD_CONFIG": "/dev/null", "LANG": "C.UTF-8"}
        self.run("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "env", "-u", "PERFHUD",
                 *[f"{key}={value}" for key, value in environment.items()], perfhud,
                 "--no-step-aside", "--no-summary", "--size", size, "--", *command)

    def run(self, *arguments):
        done = subprocess.run(["tmux", "-L", self.name, *arguments], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise BenchError(f"tmux: {done.stderr.strip()}")
        return done.stdout

    def screen(self):
        return self.run("capture-pane", "-p")

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, check=False)


def shown(screen, pattern):
    found = re.search(pattern, screen)
    return found[1] if found else None


def truth(path, skip):
    """What the program has measured, without its first figures."""
    with open(path, encoding="ascii") as file:
        return [float(line) for line in file.read().splitlines()[skip:] if line]


def watch(options, name, command, pattern, keys=False, size="medium"):
    """The figures that the HUD has shown."""
    tmux = Tmux(name, options.perfhud, command, size)
    figures = []
    try:
        time.sleep(3)
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            if keys:
                for _ in range(5):
                    tmux.run("send-keys", "a")
                    time.sleep(0.1)
            else:
                time.sleep(0.5)
            found = shown(tmux.screen(), pattern)
            if found is not None:
                figures.append(found)
    finally:
        tmux.close()
    if not figures:
        raise BenchError(f"the HUD has shown no figure over {name}")
    return figures


def report(options, notes):
    lines = ["## Bars", "", f"{machine()}. {options.seconds:.0f} s each.", "",
             "| program | the HUD says | median (least–most) | the program says | bar |",
             "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "truth")
        say("redraws at 30 Hz")
        figures = [float(text) for text in watch(
            options, "redraw", [sys.executable, "-c", REDRAW, file], r"FPS +≥?(\d+(?:\.\d+)?)")]
        notes.add("FPS shown of a program that redraws at 30 Hz", "command", figures, least=29, most=31, isDefault=True,
                  how="read off the screen twice a second")
        mean = 1 / statistics.mean(truth(file, 30))
        lines.append(f"| redraws at 30 Hz | FPS | {middle(figures, '{:.1f}')} | {mean:.2f} a second "
                     f"| 30 ± 1 |")
        say("answers after 20 ms")
        figures = [float(text) for text in watch(
            options, "answer", [sys.executable, "-c", ANSWER, file], r"key +(\d+(?:\.\d+)?) ms",
            keys=True, size="large")]
        notes.add("key to frame shown of a program that answers after 20 ms", "command", figures, "ms", least=20,
                  most=24, isDefault=True, how="read off the screen twice a second")
        own = 1000 * statistics.median(truth(file, 5))
        lines.append(f"| answers a key after 20 ms | key, ms | {middle(figures, '{:.1f}')} "
                     f"| {own:.2f} ms | 20–24 |")
    if shutil.which("vim"):
        say("vim at rest")
        figures = watch(options, "vim", ["vim", "-u", "NONE", "-i", "NONE", "-n"],
                        r"FPS +(idle|≥?\d+(?:\.\d+)?)", size="large")
        idle = figures.count("idle")
        notes.add("FPS shown over vim at rest is idle", "command", [100 * idle / len(figures)], "% of the readings",
                  least=100, isDefault=True, how="read off the screen twice a second")
        lines.append(f"| vim at rest | FPS | idle in {idle} of {len(figures)} readings | | idle |")
    return {"bars": lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfhud", default=os.path.join(ROOT, ".build/release/perfhud"))
    parser.add_argument("--seconds", type=float, default=20, help="how long each program is watched")
    add_output_options(parser)
    options = parser.parse_args()
    check_program(options.perfhud)
    notes = Notes()
    publish(report(options, notes), options, notes)
    return 0


if __name__ == "__main__":
    run_program(main)
