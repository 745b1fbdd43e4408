#!/usr/bin/env python3
"""Measures what it costs to have perfhud between a program and its terminal.

The contenders: no one ("bare"), a relay in C that copies both ways and does nothing else (the
limit), perfhud with its HUD shown and in other modes, script, tmux and screen. Three measurements,
each with rounds in which the contenders take turns in random order, so that other work on the
machine hits all of them alike.

bulk   A program writes a file as fast as its terminal takes it. Throughput is the size of the file
       divided by the time from the signal to begin until its end is on the outer terminal. CPU time
       is that of the processes between the two, from their process clocks: of perfhud with its
       holder, of tmux client and server; not of the writer, and not of the outer terminal. tmux and
       screen get the first quarter of each file. Ratios to the relay are taken in each round; the
       tables show their medians.
keys   The outer terminal types a key, the program gives it back: the time between, for keys 1 to
       5 ms apart, at three places of the screen.
start  From before the start to the end of `true`, and to the first byte that `printf` writes.

The outer terminal (terminal.c) is a pty of 120x40 whose other side is read as fast as it can be. It
answers what perfhud asks at the start, as an xterm with synchronized updates; in one row without
them. Work of the kernel's own threads, which carry the bytes from one side of a pty to the other,
is in no one's account. perfhud runs with its defaults, so its account holds its sampling and its
tick too.
"""

import argparse
import json
import math
import os
import random
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

from common import (COLUMNS, HERE, ROOT, ROWS, BenchError, add_output_options, compile_c, first_line, machine,
                    publish, run_program, say)
from figures import Notes, differences
from figures import ratios as ratios_of

RELAY, PERFHUD = "C relay", "perfhud"
WITHOUT_UPDATES = "perfhud, without 2026"
# What perfhud may cost, by the relay: CPU time in the geometric mean and for each input, throughput, and the delay of
# a key; and the bytes that it may add to a key that scrolls the screen.
CPU_BAR, INPUT_BAR, RATE_BAR, KEY_BAR_US, SCROLL_BAR_BYTES = 1.1, 1.4, 0.95, 10, 400
PLACES = {"plain": "at the top left", "covered": "under the HUD, at the top right",
          "scroll": "on the last line, which scrolls with every key"}
KEYS_A_ROUND = 100


# ---- inputs -------------------------------------------------------------------------------------
# Each yields pieces without end. None holds a tilde, which marks the end.

PRINTABLE = "".join(chr(code) for code in range(0x20, 0x7E))
WORDS = ("accept buffer cache commit connect decode deploy engine fetch flush frame handle index "
         "journal kernel layout merge notify packet parse queue render request resolve retry "
         "sample schedule session shard socket stream thread update verify worker").split()


def words(rng, width):
    text = rng.choice(WORDS)
    while len(text) < width:
        text += " " + rng.choice(WORDS)
    return text[:width]


def text_lines(rng):
    while True:
        yield "".join(rng.choices(PRINTABLE, k=80)) + "\n"


def short_lines(rng):
    number = rng.randrange(10)
    while True:
        number += 1
        yield f"{number}\n"


def dense_colors(rng):
    """Lines of 120 cells in which the color changes every one to three cells."""
    while True:
        line, left = [], COLUMNS
        while left:
            plane = rng.choice((38, 48))
            if rng.random() < 0.5:
                code = f"{plane};2;{rng.randrange(256)};{rng.randrange(256)};{rng.randrange(256)}"
            else:
                code = f"{plane};5;{rng.randrange(256)}"
            count = min(left, rng.randrange(1, 4))
            left -= count
            line.append(f"\033[{code}m" + "".join(rng.choices(PRINTABLE, k=count)))
        yield "".join(line) + "\033[0m\n"


def colored_log(rng):
    second = 0
    levels = (("32", "INFO "), ("33", "WARN "), ("1;31", "ERROR"), ("36", "DEBUG"))
    while True:
        second += rng.random() / 100
        color, level = rng.choice(levels)
        yield (f"\033[2m2026-01-01T{int(second) // 3600 % 24:02}:{int(second) // 60 % 60:02}:"
               f"{second % 60:06.3f}Z\033[0m \033[{color}m{level}\033[0m "
               f"\033[34m{rng.choice(WORDS)}::{rng.choice(WORDS)}\033[0m "
               f"{words(rng, rng.randrange(20, 90))} \033[3mms\033[0m="
               f"\033[38;5;{rng.randrange(16, 232)}m{rng.randrange(1000)}\033[0m\n")


def regions(rng):
    """Scrolling between margins, both ways, with lines inserted and deleted."""
    while True:
        top = rng.randrange(1, 8)
        bottom = rng.randrange(top + 10, ROWS + 1)
        yield f"\033[{top};{bottom}r\033[{bottom};1H"
        for _ in range(rng.randrange(10, 60)):
            yield f"\033[3{rng.randrange(1, 8)}m{words(rng, rng.randrange(20, 110))}\033[m\r\n"
        yield f"\033[{top};1H"
        for _ in range(rng.randrange(5, 20)):
            yield f"\033M{words(rng, rng.randrange(20, 110))}\r"
        yield (f"\033[{rng.randrange(top, bottom)};1H\033[{rng.randrange(1, 4)}L"
               f"{words(rng, 60)}\r\033[{rng.randrange(1, 4)}M")


def alternate_regions(rng):
    yield "\033[?1049h"
    yield from regions(rng)


def unicode_text(rng):
    """Wide characters, accents both composed and combining, and emoji of one code point."""
    accented = "àâäåæçéèêëíîïñóôöøßúùûüýÿžščřůœąęłśź"
    emoji = "😀😂🙏🚀🔥🎨🐢🍣🌊🎉🦊📦"
    while True:
        line, left = [], COLUMNS
        while left > 3:
            kind = rng.random()
            if kind < 0.4:
                line.append(chr(rng.randrange(0x4E00, 0x9FA0)))
                left -= 2
            elif kind < 0.5:
                line.append(chr(rng.randrange(0x3041, 0x3094)))
                left -= 2
            elif kind < 0.75:
                line.append(rng.choice(accented))
                left -= 1
            elif kind < 0.85:
                line.append(rng.choice("aeioun") + chr(rng.randrange(0x300, 0x30D)))
                left -= 1
            elif kind < 0.9:
                line.append(rng.choice(emoji))
                left -= 2
            else:
                line.append(" ")
                left -= 1
        yield "".join(line) + "\n"


def cursor_moves(rng):
    """A full-screen program that changes short texts all over the alternate screen."""
    yield "\033[?1049h\033[?25l"
    while True:
        place = f"\033[{rng.randrange(1, ROWS + 1)};{rng.randrange(1, COLUMNS - 20)}H"
        kind = rng.random()
        if kind < 0.1:
            yield place + "\033[K"
        elif kind < 0.4:
            yield f"{place}\033[3{rng.randrange(8)};1m{words(rng, rng.randrange(2, 18))}\033[m"
        else:
            yield place + words(rng, rng.randrange(2, 18))


def synchronized_updates(rng):
    """Frames of a program that paints most of the alternate screen within each update."""
    yield "\033[?1049h\033[?25l"
    number = 0
    while True:
        number += 1
        frame = [f"\033[?2026h\033[H\033[7m frame {number:<8}\033[m\033[K"]
        for row in range(2, ROWS + 1):
            if rng.random() < 0.7:
                color = rng.randrange(16, 232)
                frame.append(f"\033[{row};1H\033[38;5;{color}m{rng.choice(WORDS):<12}\033[m"
                             f"{words(rng, rng.randrange(20, 100))}\033[K")
        frame.append("\033[?2026l")
        yield "".join(frame)


INPUTS = {"text, lines of 80": text_lines, "short lines": short_lines,
          "dense colors": dense_colors, "colored log": colored_log, "scroll regions": regions,
          "the same, alternate screen": alternate_regions, "Unicode": unicode_text,
          "cursor moves": cursor_moves, "synchronized updates": synchronized_updates}


class Input:
    """A file of whole pieces, the same in every run."""

    def __init__(self, name, path, size):
        self.name, self.path = name, path
        self.size, self.quarter = 0, 0
        with open(path, "wb") as file:
            for piece in INPUTS[name](random.Random(name)):
                data = piece.encode()
                if b"~" in data:
                    raise BenchError(f"the input {name} holds the mark of its own end")
                file.write(data)
                self.size += len(data)
                if not self.quarter and self.size >= size // 4:
                    self.quarter = self.size
                if self.size >= size:
                    break


# ---- contenders ---------------------------------------------------------------------------------


class Contender:
    """Who stands between the program and the outer terminal.

    `wrap` makes the whole command from that of the program. `expect` has to be on the screen before
    anything is measured. `terminal` are options for the outer one.
    """

    def __init__(self, name, wrap, expect=None, terminal=(), is_slow=False):
        self.name, self.wrap, self.is_slow = name, wrap, is_slow
        self.options = [*terminal, *(["--expect", expect] if expect else [])]
        self.start_options = list(terminal)


class Overlay:
    """The programs that take part, and where they are."""

    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.notes = Notes()
        self.order = random.Random(options.seed)
        flags = ["-O2", "-Wall", "-Wextra", "-Werror"]
        self.programs = {
            name: compile_c(os.path.join(scratch, name), flags, [os.path.join(HERE, name + ".c")])
            for name in ("relay", "terminal", "writer", "echo")}
        self.perfhud = os.path.abspath(options.perfhud)
        self.socket = os.path.join(scratch, "socket")
        home = os.path.join(scratch, "home")
        os.mkdir(home, mode=0o700)
        self.environment = {
            name: value for name, value in os.environ.items()
            if name not in ("TMUX", "TMUX_PANE", "STY", "COLUMNS", "LINES", "COLORTERM", "NO_COLOR")
            and not name.startswith("PERFHUD")}
        self.environment.update(
            TERM="xterm-256color", LC_ALL="C.UTF-8", SHELL="/bin/sh", HOME=home,
            XDG_CONFIG_HOME=home, TMUX_TMPDIR=home, SCREENDIR=self.folder("screens"))
        self.contenders = self.list_contenders()

    def folder(self, name):
        path = os.path.join(self.scratch, name)
        os.mkdir(path, mode=0o700)
        return path

    def settings(self, name, text):
        path = os.path.join(self.scratch, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def list_contenders(self):
        def behind(*front):
            return lambda command: [*front, *command]

        # Without its status line tmux has the same 40 rows as the others.
        tmux = ["tmux", "-u", "-L", "perfhud-bench", "-f",
                self.settings("tmux.conf", "set -g status off\n"), "new-session", "--"]
        screen = ["screen", "-U", "-S", "perfhud-bench", "-c",
                  self.settings("screenrc", "startup_message off\n")]
        every = [
            Contender("bare", behind()),
            Contender(RELAY, behind(self.programs["relay"])),
            Contender(PERFHUD, behind(self.perfhud, "--"), expect="CPU"),
            Contender("perfhud, without 2026", behind(self.perfhud, "--"), expect="CPU",
                      terminal=["--without-updates"]),
            Contender("perfhud --hidden", behind(self.perfhud, "--hidden", "--")),
            Contender("perfhud --ghost", behind(self.perfhud, "--ghost", "--")),
            Contender("script", lambda command: ["script", "-q", "-c", shlex.join(command),
                                                 "/dev/null"]),
            Contender("tmux", behind(*tmux), is_slow=True),
            Contender("screen", behind(*screen), is_slow=True)]
        return [contender for contender in every
                if contender.name not in ("script", "tmux", "screen")
                or shutil.which(contender.name)]

    def measure(self, arguments, what):
        """Runs the outer terminal and returns what it found."""
        with subprocess.Popen([self.programs["terminal"], *arguments], env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=self.scratch) as process:
            try:
                output, errors = process.communicate(timeout=180)
            except BaseException:
                # It ends what it has started, then itself.
                process.terminate()
                process.communicate()
                raise
        if process.returncode != 0:
            reason = errors.strip().splitlines()[-1] if errors.strip() else "no reason given"
            raise BenchError(f"{what}: {reason}")
        return json.loads(output)

    def shuffled(self):
        """The contenders in an order that is new each time."""
        return self.order.sample(self.contenders, len(self.contenders))

    def names(self):
        return [contender.name for contender in self.contenders]


# ---- figures ------------------------------------------------------------------------------------


def quartiles(values, form="{:.1f}"):
    """The median and, in brackets, the quartiles."""
    text = form.format(statistics.median(values))
    if len(values) > 2:
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        text += f" ({form.format(low)}–{form.format(high)})"
    return text


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(value) for value in values))


def table(corner, names, rows):
    return [f"| {corner} | " + " | ".join(names) + " |", "|---|" + "---|" * len(names),
            *(f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows)]


def verdict(isMet):
    return "met" if isMet else "not met"


# ---- bulk ---------------------------------------------------------------------------------------


def measure_bulk(overlay):
    """(input, contender) → list of runs, one a round."""
    size = int(overlay.options.size * 1e6)
    runs, sizes = {}, {}
    for number, name in enumerate(INPUTS):
        say(f"bulk: making {name}")
        made = Input(name, os.path.join(overlay.scratch, f"input-{number}"), size)
        sizes[name] = made
    for turn in range(overlay.options.rounds):
        # The contenders stand close together for each input, since their ratios are wanted.
        for made in sizes.values():
            for contender in overlay.shuffled():
                say(f"bulk, round {turn + 1}, {made.name}: {contender.name}")
                amount = made.quarter if contender.is_slow else made.size
                program = [overlay.programs["writer"], overlay.socket, made.path, str(amount)]
                run = overlay.measure(
                    [*contender.options, "bulk", overlay.socket, *contender.wrap(program)],
                    f"{contender.name} with {made.name}")
                mb = amount / 1e6
                runs.setdefault((made.name, contender.name), []).append(
                    {"rate": mb / (run["wall_ns"] / 1e9), "cpu": run["cpu_ns"] / 1e6 / mb,
                     "bytes": run["bytes"] / amount, "questions": run["questions"],
                     "processes": run["processes"]})
    return runs


def ratios(runs, kind, name, to):
    """Input → the ratios of one contender to another, one a round."""
    return {key: [run[kind] / limit[kind] for run, limit in zip(runs[key, name], runs[key, to])]
            for key in INPUTS}


def mean_cell(found):
    """The geometric mean of the inputs' medians; the quartiles of the rounds' own means."""
    means = [geometric_mean(one) for one in zip(*found.values())]
    middle = geometric_mean([statistics.median(values) for values in found.values()])
    text = f"{middle:.2f}"
    if len(means) > 2:
        low, _, high = statistics.quantiles(means, n=4, method="inclusive")
        text += f" ({low:.2f}–{high:.2f})"
    return middle, f"**{text}**"


def ratio_table(runs, kind, names, to):
    found = {name: ratios(runs, kind, name, to) for name in names}
    rows = [(key, [quartiles(found[name][key], "{:.2f}") for name in names]) for key in INPUTS]
    rows.append(("**geometric mean**", [mean_cell(found[name])[1] for name in names]))
    return table("input", names, rows)


def note_bulk(overlay, runs):
    """CPU time and throughput by those of the relay."""
    note = overlay.notes.add
    for kind, title, bar in (("cpu", "CPU time of output by that of a relay", {"most": CPU_BAR}),
                             ("rate", "throughput by that of a relay", {"least": RATE_BAR})):
        for name in overlay.names():
            if (kind, name) == ("cpu", "bare") or name == RELAY:
                continue
            found = ratios(runs, kind, name, RELAY)
            note(title, "command", [geometric_mean(one) for one in zip(*found.values())], "×", program=name,
                 isDefault=name == PERFHUD, how="geometric mean of the inputs, of the ratios in each round",
                 **(bar if name == PERFHUD else {}))
            if kind == "cpu" and name == PERFHUD:
                worst = max(found, key=lambda key: statistics.median(found[key]))
                note(f"CPU time of the input that costs most, {worst}, by that of a relay", "command", found[worst],
                     "×", most=INPUT_BAR, isDefault=True, how="ratio in each round; the largest median of the inputs")


def bench_bulk(overlay):
    runs = measure_bulk(overlay)
    note_bulk(overlay, runs)
    names = overlay.names()
    between = [name for name in names if name != "bare"]
    others = [name for name in between if name != RELAY]

    def figures(kind, shown, form):
        return table("input", shown, [
            (key, [quartiles([run[kind] for run in runs[key, name]], form) for name in shown])
            for key in INPUTS])

    cost = mean_cell(ratios(runs, "cpu", PERFHUD, RELAY))[0]
    out = ["## Bulk output", "",
           f"Inputs of {overlay.options.size:g} MB; medians (quartiles) of {overlay.options.rounds} "
           f"rounds.", "",
           f"CPU time of perfhud with its HUD shown: {cost:.2f} times that of the C relay, in the "
           f"geometric mean of the inputs. The bar is {CPU_BAR}: {verdict(cost <= CPU_BAR)}.", "",
           "### CPU time, × C relay", "", *ratio_table(runs, "cpu", others, RELAY), "",
           "### CPU time, ms a MB", "", *figures("cpu", between, "{:.2f}"), "",
           "### Throughput, MB/s", "", *figures("rate", names, "{:.0f}"), "",
           "### Throughput, × C relay", "",
           *ratio_table(runs, "rate", ["bare", *others], RELAY), "",
           "### Bytes to the outer terminal, for each byte written", "",
           *figures("bytes", names, "{:.2f}")]
    return out, {f"{key}: {name}": values for (key, name), values in runs.items()}


# ---- keys ---------------------------------------------------------------------------------------


def note_keys(overlay, runs):
    """The delay of a key, and the bytes of one that scrolls."""
    note = overlay.notes.add
    for place, title in PLACES.items():
        limit = [run["p50"] for run in runs[place, RELAY]]
        for name in overlay.names():
            times = [run["p50"] for run in runs[place, name]]
            note(f"key echo {title}, p50", "command", times, "µs", program=name, isDefault=name == PERFHUD,
                 how="median of the rounds' medians")
            if name == PERFHUD:
                note(f"key echo {title}, more than a relay, p50", "command", differences(times, limit), "µs",
                     most=KEY_BAR_US, isDefault=True, how="difference of the medians in each round")
    bare = [run["bytes"] for run in runs["scroll", "bare"]]
    for name in (PERFHUD, WITHOUT_UPDATES):
        note("bytes of a key that scrolls the screen, more than bare", "command",
             differences([run["bytes"] for run in runs["scroll", name]], bare), "", most=SCROLL_BAR_BYTES,
             program=name, isDefault=name == PERFHUD, how="difference in each round, with what the HUD draws meanwhile")


def measure_keys(overlay):
    """(place, contender) → list of runs, one a round; and the number of rounds."""
    runs = {}
    # At least 1000 keys, also for a 99th percentile that is not a single one.
    number = 2 if overlay.options.quick else max(10, overlay.options.rounds)
    for turn in range(number):
        for place in PLACES:
            for contender in overlay.shuffled():
                say(f"keys, round {turn + 1}, {place}: {contender.name}")
                program = [overlay.programs["echo"], overlay.socket, place]
                run = overlay.measure(
                    [*contender.options, "keys", overlay.socket, str(KEYS_A_ROUND), str(turn),
                     *contender.wrap(program)], f"{contender.name} with keys {PLACES[place]}")
                runs.setdefault((place, contender.name), []).append(
                    {"times": [time / 1e3 for time in run["times_ns"]],
                     "p50": statistics.median(run["times_ns"]) / 1e3,
                     "cpu": run["cpu_ns"] / 1e3 / KEYS_A_ROUND,
                     "bytes": run["bytes"] / KEYS_A_ROUND})
    return runs, number


def bench_keys(overlay):
    runs, number = measure_keys(overlay)
    note_keys(overlay, runs)
    out = ["## Keys", "",
           f"{number * KEYS_A_ROUND} keys each, in {number} rounds. p50: median (quartiles) of the "
           "rounds' medians. p99: of all keys together. Added: median (quartiles) of the "
           "differences to the relay in the same round. Bytes and CPU time hold what perfhud draws "
           "and samples between the keys."]
    for place, title in PLACES.items():
        rows = []
        for name in overlay.names():
            found = runs[place, name]
            added = [run["p50"] - limit["p50"] for run, limit in zip(found, runs[place, RELAY])]
            times = sorted(time for run in found for time in run["times"])
            rows.append((name, [
                quartiles([run["p50"] for run in found], "{:.0f}"),
                f"{times[int(0.99 * (len(times) - 1))]:.0f}",
                "" if name in (RELAY, "bare") else quartiles(added, "{:+.0f}"),
                f"{statistics.median(run['bytes'] for run in found):.1f}",
                "" if name == "bare" else quartiles([run["cpu"] for run in found], "{:.0f}")]))
            if name == PERFHUD:
                more = statistics.median(added)
        out += ["", f"### Echo {title}", "",
                f"perfhud adds {more:.0f} µs to the relay at p50. The bar is {KEY_BAR_US} µs: "
                f"{verdict(more <= KEY_BAR_US)}.", "",
                *table("contender", ["p50, µs", "p99, µs", "added to the relay, µs",
                                     "bytes a key", "CPU µs a key"], rows)]
    return out, {f"{place}: {name}": values for (place, name), values in runs.items()}


# ---- start --------------------------------------------------------------------------------------


def measure_start(overlay):
    """(contender, "end" or "first") → milliseconds of each run; and the number of runs."""
    number = 6 if overlay.options.quick else 30
    commands = {"end": [shutil.which("true")], "first": [shutil.which("printf"), "~"]}
    runs = {}
    for turn in range(number):
        for contender in overlay.shuffled():
            say(f"start, round {turn + 1}: {contender.name}")
            for kind, command in commands.items():
                run = overlay.measure(
                    [*contender.start_options, "start", *contender.wrap(command)],
                    f"{contender.name} with {os.path.basename(command[0])}")
                runs.setdefault((contender.name, kind), []).append(run[kind + "_ns"] / 1e6)
    return runs, number


def bench_start(overlay):
    runs, number = measure_start(overlay)
    rows = []
    for name in overlay.names():
        overlay.notes.add("from the start to the end of `true`", "command", runs[name, "end"], "ms", program=name,
                          isDefault=name == PERFHUD, how="elapsed time")
        if name == PERFHUD:
            overlay.notes.add("the same by that of a relay", "command",
                              ratios_of(runs[name, "end"], runs[RELAY, "end"]), "×", isDefault=True,
                              how="ratio in each round")
        first = runs[name, "first"]
        missing = sum(time < 0 for time in first)
        rows.append((name, [quartiles(runs[name, "end"]),
                            f"none in {missing} of {number}" if missing else quartiles(first)]))
    out = ["## First byte", "",
           f"Milliseconds from the start; medians (quartiles) of {number} runs.", "",
           *table("contender", ["to the end of `true`", "to the first byte of `printf`"], rows)]
    return out, {f"{name}: {kind}": values for (name, kind), values in runs.items()}


# ---- the whole ----------------------------------------------------------------------------------


def heading(overlay):
    options = overlay.options
    versions = [first_line([overlay.perfhud, "--version"])]
    versions += [first_line([name, flag]) for name, flag in
                 (("script", "--version"), ("tmux", "-V"), ("screen", "--version"),
                  ("cc", "--version")) if shutil.which(name)]
    return ["# perfhud: measurements of the overlay", "",
            f"{machine()}. {', '.join(versions)}. {options.rounds} rounds in random order (seed "
            f"{options.seed})."]


PARTS = {"bulk": bench_bulk, "keys": bench_keys, "start": bench_start}


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perfhud", default=os.path.join(ROOT, ".build", "release", "perfhud"),
                        help="the program to measure (default: .build/release/perfhud)")
    parser.add_argument("--only", choices=PARTS, action="append",
                        help="this measurement alone; may be given more than once")
    parser.add_argument("--quick", action="store_true", help="three rounds: a smoke test")
    parser.add_argument("--rounds", type=int, help="turns of each contender (default 15)")
    parser.add_argument("--size", type=float, default=10, help="MB of each input (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="of the random order (default 1)")
    parser.add_argument("--raw", metavar="FILE", help="write every single figure there, as JSON")
    add_output_options(parser)
    options = parser.parse_args()
    options.rounds = max(1, options.rounds or (3 if options.quick else 15))
    if options.size < 0.1:
        parser.error("--size: at least 0.1")
    return options


def check_tools(options):
    missing = [name for name in ("cc", "script", "tmux", "screen") if shutil.which(name) is None]
    if "cc" in missing:
        raise BenchError("cc not found; install with: make deps-bench")
    if missing:
        print(f"bench-overlay: without {', '.join(missing)}; install with: make deps-bench",
              file=sys.stderr)
    if not os.access(options.perfhud, os.X_OK):
        raise BenchError(f"no program {options.perfhud}; build it with: make build")


def main():
    options = parse_options()
    check_tools(options)
    # So that what was started is ended, and the scratch folder goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="perfhud-bench-") as scratch:
        overlay = Overlay(options, scratch)
        parts, raw = {"overlay-machine": heading(overlay)}, {}
        for name in options.only or PARTS:
            parts["overlay-" + name], raw[name] = PARTS[name](overlay)
    publish(parts, options, overlay.notes)
    if options.raw:
        with open(options.raw, "w", encoding="utf-8") as file:
            json.dump(raw, file)


if __name__ == "__main__":
    run_program(main)
