"""Verdicts on phases: which phase keeps memory, and how much a visit."""

import re

from truth import Shown, case

LINE = re.compile(r"^  phase +(?P<name>.+?): (?P<visits>\d+) visits?, peak (?P<rest>.*)$", re.M)
KEEPS = re.compile(r"keeps \+?([\d.]+) (KiB|MiB) a visit")
UNIT = {"KiB": 1 / 1024, "MiB": 1}


def phases(summary):
    """What the summary says of each phase, by name."""
    return {found["name"]: found["rest"] for found in LINE.finditer(summary)}


def judge(stage, arguments, guilty, interval="100ms", launch=()):
    """Runs `borders` and compares the verdicts with the phases that leak, {name: MiB a visit}."""
    done = stage.batch("--batch", "--interval", interval, "--output", "/dev/null", "--summary", "--",
                       *launch, stage.program("borders"), *arguments)
    said = phases(done.stderr)
    if done.returncode != 0 or not said:
        return Shown(f"exit {done.returncode}, no phases: {done.stderr[-200:]}", False)
    wrong, unsure, shown = [], False, []
    for name, rest in said.items():
        found = KEEPS.search(rest)
        if " or " in rest.split(",")[-1]:
            unsure = True
            shown.append(f"{name}: {rest.split(',')[-1].strip()}")
            continue
        if found:
            shown.append(f"{name} {found[0]}")
            amount = float(found[1]) * UNIT[found[2]]
            if name not in guilty or abs(amount - guilty[name]) > max(0.05, 0.1 * guilty[name]):
                wrong.append(name)
        elif name in guilty:
            shown.append(f"{name}: {rest.split(',')[-1].strip()}")
            wrong.append(name)
    missing = [name for name in guilty if name not in said]
    text = "; ".join(shown) or "no phase keeps memory"
    return Shown(text, not wrong and not missing and not unsure, uncertain=unsure and not wrong)


def border(kind, guilty, visits, milliseconds, quick=False):
    truth = ", ".join(f"{name} keeps {amount} MiB a visit" for name, amount in guilty.items()) or "none keeps memory"

    def body(stage):
        return judge(stage, [kind, str(visits), str(milliseconds)], guilty)
    body.__module__, body.__name__ = __name__, f"{kind}_{milliseconds}_ms"
    case("Memory at the border of two phases", truth, quick=quick)(body)


for where in ("entry", "middle", "exit"):
    border(f"canvas-{where}", {"canvas": 6}, 8, 200, quick=where == "entry")
    border(f"canvas-{where}", {"canvas": 6}, 20, 50, quick=where == "exit")
for way in ("turns", "before"):
    border(way, {}, 8, 200)
    border(way, {}, 20, 50, quick=way == "turns")
    border(f"{way}-b", {"B": 12}, 8, 200)
    border(f"{way}-b", {"B": 12}, 12, 50, quick=way == "turns")
    border(f"{way}-a", {"A": 6}, 8, 200)
    border(f"{way}-a", {"A": 6}, 12, 50, quick=way == "turns")
border("both", {"gallery": 6, "canvas": 6}, 8, 100)
border("small", {"editor": 200 / 1024}, 40, 60, quick=True)
border("sawtooth", {}, 40, 60)
border("cache", {}, 12, 100)
border("buffers", {}, 12, 100)
border("warmup", {}, 6, 100)


@case("Names of phases", "500 phases and the end")
def names_500(stage):
    done = stage.batch("--batch", "--output", "/dev/null", "--summary", "--", stage.program("borders"),
                       "names", "2", "1")
    listed = len(LINE.findall(done.stderr))
    found = re.search(r"^  phase +(\d+) more$", done.stderr, re.M)
    count = listed + int(found[1]) if found else listed
    return Shown(f"{count} phases", count == 501)
