#!/usr/bin/env python3
"""Records what a program's memory does and what it says of itself, for Tests/MetricsTests/Histories.

    scripts/record-memory.py > Tests/MetricsTests/Histories/NAME.txt -- COMMAND ...
    scripts/record-memory.py            records all of them anew

A line each: `memory SECONDS BYTES`, ten times a second, the private resident memory (statm(5): resident
less shared, in bytes), and `event SECONDS LINE`. Nothing of perfhud is needed but a client.
"""
import os
import select
import socket
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = os.path.join(ROOT, "Tests/MetricsTests/Histories")
PERIOD = 0.1
PAGE = os.sysconf("SC_PAGE_SIZE")


def record(command, out):
    with tempfile.TemporaryDirectory() as scratch:
        hud = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        hud.bind(os.path.join(scratch, "hud.sock"))
        hud.setblocking(False)
        start = time.monotonic()
        program = subprocess.Popen(
            command, env=dict(os.environ, PERFHUD_SOCKET=hud.getsockname()), stdin=subprocess.DEVNULL)
        due = start
        while program.poll() is None:
            if select.select([hud], [], [], max(0, due - time.monotonic()))[0]:
                now = time.monotonic() - start
                for line in hud.recv(4096).decode().split("\n"):
                    out.write("event %.4f %s\n" % (now, line))
            if time.monotonic() < due:
                continue
            due += PERIOD
            try:
                with open("/proc/%d/statm" % program.pid) as file:
                    words = file.read().split()
            except OSError:
                break
            if words[1] != "0":
                size = (int(words[1]) - int(words[2])) * PAGE
                out.write("memory %.4f %d\n" % (time.monotonic() - start, size))
        if program.wait() != 0:
            sys.exit("%s has failed" % command[0])


def record_all():
    os.makedirs(PLACE, exist_ok=True)
    programs = os.path.join(ROOT, "Tests/Programs")
    with tempfile.TemporaryDirectory() as scratch:
        binary = os.path.join(scratch, "histories")
        subprocess.run(["gcc", "-O1", "-o", binary, os.path.join(programs, "histories.c")], check=True)
        cases = {kind: [binary, kind]
                 for kind in ("noise", "leak", "overlap", "endless", "held", "trimmed")}
        cases["warmup"] = [sys.executable, os.path.join(programs, "warmup.py")]
        children = []
        for name, command in cases.items():
            child = os.fork()
            if child == 0:
                source = "warmup.py" if name == "warmup" else "histories.c, %s" % name
                with open(os.path.join(PLACE, name + ".txt"), "w") as out:
                    out.write("# Tests/Programs/%s; recorded by scripts/record-memory.py\n" % source)
                    record(command, out)
                os._exit(0)
            children.append(child)
        for child in children:
            if os.waitpid(child, 0)[1] != 0:
                sys.exit("a recording has failed")


if __name__ == "__main__":
    if "--" in sys.argv:
        record(sys.argv[sys.argv.index("--") + 1:], sys.stdout)
    else:
        record_all()
