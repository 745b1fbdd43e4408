#!/usr/bin/env python3
"""Measures what the supervisor costs, which lets the program outlive the HUD.

perfhud runs a command without a supervisor where it cannot have one. A filter of system calls (refuse.c) sees to that
for one of two contenders; the other has a filter that refuses nothing. They take turns in random order; all measurements
are those of overlay.py: throughput and CPU time of output, the echo of a key, the time to the end of `true`.
"""

import os
import signal
import statistics
import sys
import tempfile

import overlay
from common import HERE, BenchError, compile_c, publish, run_program
from figures import differences, ratios

WITH, WITHOUT = "perfhud", "perfhud without a supervisor"
# Throughput, key echo and start may differ by this much.
RATE_BAR, KEY_BAR, START_BAR_MS = 0.98, 1.02, 1


class Pair(overlay.Overlay):
    """The two contenders."""

    def list_contenders(self):
        refuse = compile_c(os.path.join(self.scratch, "refuse"), ["-O2", "-Wall", "-Wextra", "-Werror"],
                           [os.path.join(HERE, "refuse.c")])

        def refusing(what):
            return lambda command: [refuse, what, self.perfhud, "--", *command]

        return [overlay.Contender(WITH, refusing("nothing"), expect="CPU"),
                overlay.Contender(WITHOUT, refusing("supervisor"), expect="CPU")]


def check_processes(runs):
    """Fails if a contender was not what it is called: then nothing was compared."""
    for (name, who), found in runs.items():
        for run in found:
            # Only below a supervisor the HUD is a process of another name.
            if ("perfhud-hud" in run["processes"].split()) != (who == WITH):
                raise BenchError(f"{who} with {name} had the processes {run['processes']}")


def measure(contest):
    """What differs → the values of all rounds, the unit, and the bar."""
    bulk = overlay.measure_bulk(contest)
    check_processes(bulk)
    found = {}
    for kind, title, bar in (("rate", "throughput by that without", {"least": RATE_BAR}),
                             ("cpu", "CPU time of output by that without", {})):
        each = overlay.ratios(bulk, kind, WITH, WITHOUT)
        found[title] = ([overlay.geometric_mean(one) for one in zip(*each.values())], "×", bar,
                        "geometric mean of the inputs, of the ratios in each round")
    keys, _ = overlay.measure_keys(contest)
    for place, title in overlay.PLACES.items():
        found[f"key echo {title}, by that without, p50"] = (
            ratios(*([run["p50"] for run in keys[place, name]] for name in (WITH, WITHOUT))), "×", {"most": KEY_BAR},
            "ratio of the medians in each round")
    start, _ = overlay.measure_start(contest)
    found["to the end of `true`, more than without"] = (
        differences(start[WITH, "end"], start[WITHOUT, "end"]), "ms", {"most": START_BAR_MS},
        "difference in each round")
    return found


def main():
    options = overlay.parse_options()
    overlay.check_tools(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="perfhud-bench-") as scratch:
        contest = Pair(options, scratch)
        found = measure(contest)
        rows = []
        for title, (values, unit, bar, how) in found.items():
            contest.notes.add(f"supervisor: {title}", "command", values, unit, isDefault=True, how=how, **bar)
            limit = f"≥ {bar['least']}" if "least" in bar else f"≤ {bar['most']}" if bar else ""
            middle = statistics.median(values)
            isMet = middle >= bar.get("least", middle) and middle <= bar.get("most", middle)
            form = "{:.3f}" if unit == "×" else "{:+.2f}"
            rows.append((title, [f"{overlay.quartiles(values, form)} {unit}", limit,
                                 overlay.verdict(isMet) if bar else ""]))
        parts = {"supervisor-machine": ["# perfhud: the cost of the supervisor", *overlay.heading(contest)[1:]],
                 "supervisor": ["## perfhud beside itself without a supervisor", "",
                                f"Medians (quartiles) of {options.rounds} rounds.", "",
                                *overlay.table("", ["with a supervisor", "bar", ""], rows)]}
    publish(parts, options, contest.notes)


if __name__ == "__main__":
    run_program(main)
