"""How much of the CPU time a program spends in the kernel."""

import statistics

from truth import Shown, TruthError, case

POINT = "CPU time in the kernel"
# The kernel reports 10 ms ticks, and a share is over at least 0.95 s: each end of it may lack a tick.
TICKS = 2.2


def kernel_share(stage, percent, *mode, each, mean=2.0):
    """Compares each share with what the program had used in the second before, and their means.

    `each`: by how many percent of a core one value may differ, since the times of the readings are not those of the
    program's log."""
    done = stage.batch("--batch", "--format", "jsonl", "--interval", "100ms", "--output", stage.path("rows"), "--",
                       stage.program("kernelshare"), str(percent), "6", stage.path("log"), *mode)
    if done.returncode != 0 or done.stderr:
        raise TruthError(f"status {done.returncode}, {done.stderr!r}")
    log = [tuple(float(word) for word in line.split()) for line in stage.read("log").split("\n")[:-1]]
    shown, truth = [], []
    # The last line repeats the values of the line before.
    for row in stage.rows("rows")[:-1]:
        if row["t"] < log[0][0] + 2 or row["t"] > log[-1][0]:
            continue
        if row["cpu_system_percent"] is None:
            return Shown("no value", False)
        shown.append(row["cpu_system_percent"])
        truth.append(100 * (system(log, row["t"]) - system(log, row["t"] - 1)))
    if len(shown) < 20:
        raise TruthError(f"{len(shown)} rows")
    worst = max(abs(a - b) for a, b in zip(shown, truth))
    ours, its = statistics.mean(shown), statistics.mean(truth)
    return Shown(f"{ours:.1f} % for {its:.1f} %, each within {worst:.1f}",
                 abs(ours - its) <= mean and worst <= each)


def system(log, instant):
    """The system time at an instant, between the two nearest lines of the log."""
    for (t0, _, s0), (t1, _, s1) in zip(log, log[1:]):
        if t0 <= instant <= t1:
            return s0 + (s1 - s0) * (instant - t0) / (t1 - t0)
    return log[-1][2]


@case(POINT, "arithmetic and few system calls: as getrusage(2) reports")
def few_system_calls(stage):
    return kernel_share(stage, 0, each=TICKS + 2)


@case(POINT, "about 30 % in the kernel: as getrusage(2) reports")
def a_third_in_the_kernel(stage):
    return kernel_share(stage, 30, each=TICKS + 8)


@case(POINT, "nearly all of it in the kernel: as getrusage(2) reports")
def mostly_system_calls(stage):
    return kernel_share(stage, 100, each=TICKS + 8)


@case(POINT, "about 60 % in the kernel, in children of 0.1 s: as getrusage(2) reports")
def short_lived_children(stage):
    return kernel_share(stage, 60, "fork", each=TICKS + 12)
