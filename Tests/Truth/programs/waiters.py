"""waiters.py CHILDREN SECONDS LOG: children that compute on one core for that long, each with one thread.

Appends to LOG how long each has waited for the core by its own schedstat, in percent of its life.
"""

import os
import sys
import time

children, seconds, log = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
core = {min(os.sched_getaffinity(0))}
for _ in range(children):
    if os.fork() == 0:
        os.sched_setaffinity(0, core)
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            pass
        with open("/proc/self/schedstat", encoding="ascii") as file:
            waited = int(file.read().split()[1])
        line = f"{waited * 1e-7 / (time.monotonic() - start)}\n"
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.write(file, line.encode("ascii"))
        os._exit(0)
for _ in range(children):
    os.wait()
