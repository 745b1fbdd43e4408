"""How long the processes of a tree wait for a core."""

import statistics
import sys

from truth import Shown, TruthError, case

POINT = "CPU wait of a tree"


def waiters(stage, children, *below, threshold=0.1):
    """Children that compute on one core: one of them runs at a time, all others wait."""
    done = stage.batch("--batch", "--format", "jsonl", "--interval", "100ms", "--output", stage.path("rows"),
                       "--", *below, sys.executable, stage.script("waiters.py"), str(children), "6",
                       stage.path("log"))
    if done.returncode != 0 or done.stderr:
        raise TruthError(f"status {done.returncode}, {done.stderr!r}")
    truth = sum(float(line) for line in stage.read("log").split())
    # The first value may have an interval in which they were started.
    shown = [row["cpu_wait_percent"] for row in stage.rows("rows") if 2.2 < row["elapsed_s"] < 6]
    if not shown or None in shown:
        return Shown("no value", False)
    mean = statistics.mean(shown)
    # On a core that others use too, all of them may wait at once.
    holds = abs(mean - truth) <= threshold * truth and truth >= 100 * (children - 1) * (1 - threshold)
    return Shown(f"{mean:.0f} % for {truth:.0f} %, {min(shown):.0f} to {max(shown):.0f}", holds)


@case(POINT, "5 children that compute on one core: 400 %", quick=True)
def five_children_on_one_core(stage):
    return waiters(stage, 5)


@case(POINT, "the same below two shells: 400 %")
def five_grandchildren_on_one_core(stage):
    return waiters(stage, 5, "sh", "-c", '"$@"; true', "sh", "sh", "-c", '"$@"; true', "sh")


@case(POINT, "a child that computes alone beside 4 that sleep: what it waits itself")
def one_that_computes(stage):
    sleepers = 'for i in 1 2 3 4; do sleep 9 & p="$p $!"; done; "$@"; kill $p'
    shown = waiters(stage, 1, "sh", "-c", sleepers, "sh")
    mean, truth = (float(word) for word in (shown.text.split()[0], shown.text.split()[3]))
    return Shown(shown.text, abs(mean - truth) <= 5)
