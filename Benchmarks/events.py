#!/usr/bin/env python3
"""What an event costs the program that sends it: CPU time for each of a burst of actions, user and
kernel, measured by the sender itself (CLOCK_PROCESS_CPUTIME_ID). `make bench-events` builds and runs it.

Three receivers: none; one that reads as fast as it can; one that is stopped (SIGSTOP). At the end actions
that come alone, every 150 us, so that each has to wake the receiver (paced). Three clients:
Swift (PerfHUDClient), C (clients/perfhud.h), Python (clients/perfhud.py). Each figure is the median of
five bursts. Then actions and phases are measured in nine rounds, in each of which the clients take turns; --figures
FILE writes these as JSON. What the receiver counts is compared with what was sent: no action may be missing.

`events.py flood`: a C program says all that it can for ten seconds below the HUD, in a terminal of 80 by
24: the CPU time and the memory of perfhud, and whether what it has heard and what it knows to be missing
are all that was sent.

`events.py parts`: the CPU time of what a phase of the Python client consists of, each alone.
"""
import fcntl
import os
import pty
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from common import ROOT
from figures import Notes

BINARY = os.environ.get("BENCH_EVENTS", os.path.join(ROOT, ".build/release/bench-events"))
PERFHUD = os.environ.get("PERFHUD_BINARY", os.path.join(ROOT, ".build/release/perfhud"))
FLOOD_SECONDS = 10
BURST = 20_000 if "--quick" in sys.argv else 200_000
ROUNDS = 5
TURNS = 9
# What an event may cost its program, in microseconds.
BARS = {"actions": 3, "phases": 5}
# The interpreter of the distribution: one that a developer built may lack the compiler's optimizations.
INTERPRETER = os.environ.get("PYTHON") or next(
    path for path in ("/usr/bin/python3", sys.executable) if os.access(path, os.X_OK))

PYTHON = """
import sys, time
sys.path.insert(0, sys.argv[1])
import perfhud
count = int(sys.argv[2])
names = ("canvas", "gallery")
perfhud.action("warm-up")
before = time.process_time_ns()
if sys.argv[-1] == "phases":
    for number in range(count):
        perfhud.phase(names[number & 1])
else:
    for _ in range(count):
        perfhud.action("pen.move")
after = time.process_time_ns()
print((after - before) / count, "heard" if perfhud._socket else "not heard")
for _ in range(1000):
    if perfhud.flush():
        break
    time.sleep(0.001)
"""

# A process of its own empties the socket, so that the program may have to wait but its CPU time is its own.
PARTS = """
import os, resource, socket, time, timeit
near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
child = os.fork()
while child == 0:
    far.recv(65536)
far.close()
memory = os.open("/proc/self/statm", os.O_RDONLY)
usage, own, line = resource.getrusage, resource.RUSAGE_SELF, b"phase canvas"
statm = os.pread(memory, 128, 0)
text = b"%b rss=%d mem=%d faulted=%d seq=%d" % (line, 12345678, 1234567, 12345678, 12345)
try:
    for name, statement, count in (
            ("read statm", "os.pread(memory, 128, 0)", 100_000), ("getrusage", "usage(own).ru_minflt", 100_000),
            ("split and convert", "_, a, b, _ = statm.split(b' ', 3); int(a); int(b)", 100_000),
            ("format", "b'%b rss=%d mem=%d faulted=%d seq=%d' % (line, 12345678, 1234567, 12345678, 12345)", 100_000),
            ("send", "near.send(text, socket.MSG_NOSIGNAL)", 50_000)):
        figures = []
        for _ in range(5):
            before = time.process_time_ns()
            timeit.timeit(statement, number=count, globals=globals())
            figures.append((time.process_time_ns() - before) / count / 1000)
        print("%-18s %6.2f us   %.2f to %.2f" % (name, sorted(figures)[2], min(figures), max(figures)))
finally:
    os.kill(child, 9)
"""


def main():
    if "parts" in sys.argv:
        return subprocess.run([INTERPRETER, "-c", PARTS]).returncode
    with tempfile.TemporaryDirectory() as scratch:
        sender = os.path.join(scratch, "sender")
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", sender,
                        os.path.join(ROOT, "Benchmarks/Events/sender.c")], check=True)
        if "flood" in sys.argv:
            return flood(sender, scratch)
        clients = {
            "Swift": ([BINARY, "send"], BURST),
            "C": ([sender], BURST),
            "Python": ([INTERPRETER, "-c", PYTHON, os.path.join(ROOT, "clients")], BURST // 10),
        }
        environment = dict(os.environ, XDG_RUNTIME_DIR=scratch)
        environment.pop("PERFHUD_SOCKET", None)
        print("%-8s %-12s %12s %12s   %s" % ("client", "receiver", "ns an event", "worst", "counted"))
        failed = False
        for name, (command, count) in clients.items():
            for kind in ("none", "reads", "stopped"):
                failed |= measure(name, command, count, kind, environment)
        measure("C", [sender], 2000, "paced", environment)
        notes = Notes()
        for kind in BARS:
            in_turns(kind, clients, environment, notes)
        if "--figures" in sys.argv:
            notes.write(sys.argv[sys.argv.index("--figures") + 1])
        measure("C", [sender], 2000, "paced", environment, "paced-phases")
        return 1 if failed else 0


def measure(name, command, count, kind, environment, what=None):
    """One row; returns whether something was missing. Phases that meet a full queue are replaced, not added
    up, so they are not counted."""
    receiver, variables = None, dict(environment)
    if kind != "none":
        receiver = subprocess.Popen([BINARY, "receive", "600"], env=environment, text=True,
                                    stdout=subprocess.PIPE)
        variables["PERFHUD_SOCKET"] = receiver.stdout.readline().strip()
        if kind == "stopped":
            receiver.send_signal(signal.SIGSTOP)
    figures, counted = [], ""
    for _ in range(ROUNDS):
        word = what or ("paced" if kind == "paced" else None)
        words = command + [str(count)] + ([word] if word and command[-1] != word else [])
        output = subprocess.run(words, env=variables, check=True, text=True,
                                capture_output=True).stdout.split(maxsplit=1)
        figures.append(float(output[0]))
        heard = output[1].strip()
    if receiver:
        receiver.kill()
        receiver.wait()
    if kind == "reads" and not what:
        counted = account(command, count, environment)
    print("%-8s %-12s %12.0f %12.0f   %s %s" % (
        name, what or kind, statistics.median(figures), max(figures), heard, counted))
    return "MISSING" in counted


def in_turns(kind, clients, environment, notes):
    """Actions, or phases, which carry the memory of the program. The clients take turns, so that each meets the same
    load."""
    words = {"actions": [], "phases": ["phases"]}[kind]
    commands = {name: command + [str(BURST // 10)] + words for name, (command, _) in clients.items()}
    if kind == "phases":
        commands["Swift"] = [BINARY, "phases", str(BURST // 10)]
    receiver = subprocess.Popen([BINARY, "receive", "600"], env=environment, text=True,
                                stdout=subprocess.PIPE)
    variables = dict(environment, PERFHUD_SOCKET=receiver.stdout.readline().strip())
    figures = {name: [] for name in commands}
    for _ in range(TURNS):
        for name, command in commands.items():
            output = subprocess.run(command, env=variables, check=True, text=True, capture_output=True).stdout
            figures[name].append(float(output.split()[0]))
    receiver.kill()
    receiver.wait()
    for name, values in figures.items():
        low, middle, high = statistics.quantiles(values, n=4)
        print("%-8s %-12s %12.0f %12.0f   quartiles %.0f to %.0f" % (
            name, kind, middle, max(values), low, high))
        notes.add(f"one of the {kind} in a burst, {name}", "events", [value / 1000 for value in values], "µs",
                  most=BARS[kind], how="CPU time of the sender, with a receiver that reads")


def usage(pid):
    """CPU seconds and bytes of private memory."""
    with open("/proc/%d/stat" % pid) as file:
        words = file.read().rsplit(")", 1)[1].split()
    with open("/proc/%d/status" % pid) as file:
        anonymous = int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1)) * 1024
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK"), anonymous


def flood(sender, scratch):
    said = os.path.join(scratch, "said")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.pop("PERFHUD", None)
        os.environ.update(TERM="xterm-256color", LANG="C.UTF-8", XDG_RUNTIME_DIR=scratch)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT, 0o600), 2)
        os.execv(PERFHUD, [PERFHUD, "--", sender, str(FLOOD_SECONDS), "flood"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def drain():
        try:
            while os.read(terminal, 65536):
                pass
        except OSError:
            pass
    threading.Thread(target=drain, daemon=True).start()
    started = time.monotonic()
    readings = []
    while time.monotonic() - started < FLOOD_SECONDS - 1:
        time.sleep(0.5)
        readings.append((time.monotonic(),) + usage(pid))
    os.waitpid(pid, 0)
    with open(said) as file:
        text = file.read()
    sent = int(re.search(r"sent (\d+)", text).group(1))
    events = re.search(r"events +(\d+)(?:, (\d+) lost)?(?:, (\d+) not)?", text)
    heard, lost, bad = (int(number or 0) for number in events.groups())
    (first, cpu, least), (last, cpu_end, _) = readings[2], readings[-1]
    print("numbers sent %d, heard %d, known to be missing %d, bad %d: %s" % (
        sent, heard, lost, bad, "all accounted for" if heard + lost == sent else "NOT ACCOUNTED FOR"))
    print("perfhud: %.0f %% of one core, %.0f lines a second heard; private memory %.2f MiB after 1.5 s, "
          "%.2f MiB at most" % (
              100 * (cpu_end - cpu) / (last - first), heard / FLOOD_SECONDS, least / 2 ** 20,
              max(reading[2] for reading in readings) / 2 ** 20))
    return 0 if heard + lost == sent and bad == 0 else 1


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
