#!/usr/bin/env python3
"""CPU time of the HUD in attach mode with and without --record: interleaved rounds, medians.

    Benchmarks/recording.py [--rounds 9] [--seconds 10] [--binary .build/release/perfhud]

A program that computes a little, sampled at 10 Hz, in a terminal of 120x40. The bar is 5 % more.
"""
import argparse
import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import tempfile
import termios

COLUMNS, ROWS = 120, 40


def measure(binary, target, seconds, record):
    """CPU seconds of one run, user and system."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.environ["TERM"] = "xterm-256color"
        os.execv(binary, [binary, "--pid", str(target), "--interval", "100ms",
                          "--duration", f"{seconds}s"] + (["--record", record] if record else []))
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
        raise SystemExit(f"recording.py: perfhud ended with {status}")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--binary", default=".build/release/perfhud")
    options = parser.parse_args()
    target = subprocess.Popen(
        ["sh", "-c", "while :; do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 0.05; done"])
    plain, recorded = [], []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for number in range(options.rounds):
                path = os.path.join(folder, f"{number}.phr")
                runs = [(plain, None), (recorded, path)]
                for times, record in runs if number % 2 == 0 else reversed(runs):
                    times.append(measure(options.binary, target.pid, options.seconds, record))
        finally:
            target.kill()
            target.wait()
        size = os.path.getsize(os.path.join(folder, "0.phr"))
    base, with_record = statistics.median(plain), statistics.median(recorded)
    pairs = statistics.median(b / a for a, b in zip(plain, recorded))
    print(f"HUD alone {base * 1000:.1f} ms, with --record {with_record * 1000:.1f} ms of CPU time in "
          f"{options.seconds} s (medians of {options.rounds}): {100 * (with_record / base - 1):+.1f} %, "
          f"median of pairs {100 * (pairs - 1):+.1f} %; {size} bytes")


if __name__ == "__main__":
    main()
