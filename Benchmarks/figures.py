"""Figures of the benchmarks: what was measured in each round, the bar, and whether it is met.

A script notes a figure where it computes it, and writes all of them with --figures FILE as JSON. all.py collects
them into one table. A ratio is formed within each round, of programs that ran one after the other; the figure is the
median of these ratios.
"""

import json
import os
import statistics
from dataclasses import asdict, dataclass, field

from common import BenchError

# In this order they are in the table.
GROUPS = {"watching": "watching a process", "command": "over a command", "trees": "process trees",
          "events": "events", "recordings": "recordings", "redraw": "redraws"}


@dataclass
class Figure:
    """One row of the table; for a program beside perfhud, a cell of another one."""
    name: str
    group: str
    # One a round.
    values: list
    unit: str = ""
    # The bar: the largest and the smallest value that meets it.
    most: float | None = None
    least: float | None = None
    # What is compared with the bar: the median, the max or the min of the values.
    judged: str = "median"
    # How it was computed, in one sentence.
    how: str = ""
    program: str = "perfhud"
    isDefault: bool = False

    def __post_init__(self):
        if self.group not in GROUPS:
            raise BenchError(f"{self.name}: no group {self.group}")
        if not self.values:
            raise BenchError(f"{self.name}: nothing was measured")
        self.values = [float(value) for value in self.values]

    @property
    def hasBar(self):
        return self.most is not None or self.least is not None

    @property
    def value(self):
        """What is compared with the bar."""
        return {"median": statistics.median, "max": max, "min": min}[self.judged](self.values)

    @property
    def isMet(self):
        return ((self.most is None or self.value <= self.most)
                and (self.least is None or self.value >= self.least))

    def measured(self):
        """The median and, in brackets, the quartiles; or what is judged, and how many values there are."""
        unit = f" {self.unit}" if self.unit else ""
        if self.judged != "median" and len(self.values) > 1:
            word = {"max": "at most", "min": "at least"}[self.judged]
            return f"{word} {number(self.value)}{unit} ({len(self.values)} values)"
        text = number(statistics.median(self.values))
        if len(self.values) > 2:
            low, _, high = statistics.quantiles(self.values, n=4, method="inclusive")
            text += f" ({number(low)}–{number(high)})"
        return text + unit

    def bar(self):
        if self.most is not None and self.least is not None:
            return f"{self.least:g} to {self.most:g}"
        if self.most is not None:
            return f"≤ {self.most:g}"
        return f"≥ {self.least:g}" if self.least is not None else ""

    def verdict(self):
        if not self.hasBar:
            return ""
        return "met" if self.isMet else "**missed**"


def number(value):
    """Three digits, or all before the point."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value)}"
    size = abs(value)
    places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:.{places}f}"


@dataclass
class Notes:
    """What a script has noted."""
    figures: list = field(default_factory=list)

    def add(self, name, group, values, unit="", **rest):
        self.figures.append(Figure(name, group, list(values), unit, **rest))

    def write(self, path):
        if path:
            write(self.figures, path)


def ratios(ours, theirs):
    """Those of each round."""
    return [mine / base for mine, base in zip(ours, theirs, strict=True)]


def differences(ours, theirs):
    return [mine - base for mine, base in zip(ours, theirs, strict=True)]


def write(figures, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump([asdict(figure) for figure in figures], file, ensure_ascii=False, indent=1)
        file.write("\n")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return [Figure(**fields) for fields in json.load(file)]
    except (OSError, ValueError, TypeError) as error:
        raise BenchError(f"{os.path.basename(path)} cannot be read: {error}") from None


def title(figure):
    return figure.name + ("" if figure.program == "perfhud" else f" ({figure.program})")


def own(figures):
    """Those of perfhud that have a bar or belong to the default setting, which comes first; by group."""
    order = list(GROUPS)
    return sorted((figure for figure in figures
                   if figure.program.startswith("perfhud") and (figure.isDefault or figure.hasBar)),
                  key=lambda figure: (not figure.isDefault, order.index(figure.group)))


def table(figures, explains=False):
    """The one table. `explains` adds how each figure was computed."""
    lines = ["| | figure | median (quartiles) | bar | |" + (" computed |" if explains else ""),
             "|---|---|---|---|---|" + ("---|" if explains else "")]
    last = None
    for figure in own(figures):
        heading = GROUPS[figure.group] + (", default setting" if figure.isDefault else "")
        cells = [heading if heading != last else "", title(figure), figure.measured(), figure.bar(), figure.verdict()]
        last = heading
        lines.append("| " + " | ".join(cells + ([figure.how] if explains else [])) + " |")
    return lines


def programs_table(figures, group, names):
    """The programs of a group as rows, figures as columns; `names` maps each figure to its column's title."""
    found = {(figure.program, figure.name): figure for figure in figures if figure.group == group}
    programs = list(dict.fromkeys(program for program, name in found if name in names))
    lines = ["| | " + " | ".join(names.values()) + " |", "|---|" + "---|" * len(names)]
    for program in programs:
        cells = [number(found[program, name].value) if (program, name) in found else "" for name in names]
        lines.append(f"| {'**perfhud**' if program == 'perfhud' else program} | " + " | ".join(cells) + " |")
    return lines


def missed(figures):
    return [figure for figure in own(figures) if figure.hasBar and not figure.isMet]


def summary(figures):
    """How many bars are met, in one sentence."""
    bars = [figure for figure in own(figures) if figure.hasBar]
    return f"{len(bars) - len(missed(figures))} of {len(bars)} bars are met."
