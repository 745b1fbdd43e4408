"""Frames of a program under the overlay, and its answers to keys."""

import bisect
import os
import statistics

from truth import Shown, TruthError, case

POINT = "frames of the terminal"
KEYS = "key to frame"
TRIES = 4


class Drawn:
    """A run of programs/frames.c under the HUD: its own log and the rows beside the HUD."""

    def __init__(self, stage, seconds, fps, *flags, keys=None):
        for name in ("drawn.log", "rows.jsonl"):
            if os.path.exists(stage.path(name)):
                os.remove(stage.path(name))
        status, _ = stage.overlay(
            "--format", "jsonl", "--output", stage.path("rows.jsonl"), "--no-summary", "--",
            stage.program("frames"), stage.path("drawn.log"), str(seconds), str(fps), *flags,
            keys=keys)
        if status != 0:
            raise TruthError(f"exit status {status}")
        self.frames, self.answers, self.lateness = [], [], 0.0
        for line in stage.read("drawn.log").splitlines():
            words = line.split()
            if words[0] == "F":
                self.frames.append(float(words[1]))
            elif words[0] == "A":
                self.answers.append(float(words[2]) - float(words[1]))
            elif words[0] == "L":
                self.lateness = float(words[1])
        self.rows = stage.rows("rows.jsonl")

    def steady(self):
        """The rows behind the first one and a half seconds and before the end."""
        return [row for row in self.rows
                if self.frames[0] + 1.5 <= row["t"] <= self.frames[-1] and row["fps"] is not None]

    def rate(self, time):
        """The program's own rate over the second before a time."""
        end = bisect.bisect_right(self.frames, time)
        begin = bisect.bisect_right(self.frames, time - 1)
        if begin < 1 or end <= begin:
            return 0.0
        return (end - begin) / (self.frames[end - 1] - self.frames[begin - 1])


def rates(stage, fps, *flags, seconds=4.0):
    """Compares the frame rate of all steady rows with the program's own over the same seconds.

    A run in which the machine held the program up for longer than a frame is repeated."""
    shown = None
    for _ in range(TRIES):
        run = Drawn(stage, seconds, fps, *flags)
        # Beside a load the program may not draw for a second.
        rows = [row for row in run.steady() if run.rate(row["t"]) > 0]
        if not rows:
            shown = Shown("no rate", False)
            continue
        truth = statistics.fmean(run.rate(row["t"]) for row in rows)
        mean = statistics.fmean(row["fps"] for row in rows)
        errors = sorted(abs(row["fps"] / run.rate(row["t"]) - 1) for row in rows)
        usual = errors[len(errors) // 2]
        marked = sum("fps" in (row["lower_bounds"] or "").split() for row in rows) / len(rows)
        sign = "≥ " if marked > 0.5 else ""
        text = f"{sign}{mean:.1f} FPS, program {truth:.1f}; half of the rows within {usual:.1%}"
        holds = abs(mean / truth - 1) <= 0.03 and usual <= 0.03
        shown = Shown(text, holds, uncertain=not holds and marked > 0.5 and mean < truth * 1.03)
        if shown.holds:
            break
    return shown


@case(point=POINT, truth="60 frames a second in one write each", quick=True)
def plain_60(stage):
    return rates(stage, 60, seconds=3.5)


@case(point=POINT, truth="120 synchronized updates a second", quick=True)
def synchronized_120(stage):
    return rates(stage, 120, "--sync", seconds=3.5)


@case(point=POINT, truth="10 synchronized updates a second, each with a pause of 40 ms inside", quick=True)
def pause_in_update_10(stage):
    return rates(stage, 10, "--sync", "--pause", "40", seconds=4)


def table():
    """The rates of the full table: one case for each rate and way of writing."""
    def register(fps, name, truth, flags, seconds=5.0):
        def body(stage):
            return rates(stage, fps, *flags, seconds=seconds)
        body.__name__ = f"{name}_{fps}"
        body.__module__ = __name__
        case(point=POINT, truth=truth)(body)
    for fps in (5, 10, 24, 30, 60, 90, 120, 144, 200, 240):
        register(fps, "plain_one_write", f"{fps} FPS, one write a frame", [])
        register(fps, "plain_8_writes", f"{fps} FPS, 8 writes a frame", ["--writes", "8"])
        register(fps, "synchronized", f"{fps} FPS, synchronized", ["--sync"])
        register(
            fps, "synchronized_8_writes", f"{fps} FPS, synchronized, 8 writes", ["--sync", "--writes", "8"])
    for fps in (5, 10, 24, 30, 60):
        register(fps, "plain_jitter", f"{fps} FPS ± 8 ms", ["--jitter", "8"])
        register(fps, "synchronized_jitter", f"{fps} FPS ± 8 ms, synchronized", ["--sync", "--jitter", "8"])
        register(fps, "plain_70_kB", f"{fps} FPS of 70 kB", ["--bytes", "70000"])
        register(fps, "synchronized_70_kB", f"{fps} FPS of 70 kB, synchronized", ["--sync", "--bytes", "70000"])
    for fps, pause in ((5, 150), (10, 80), (10, 20), (30, 10), (60, 8)):
        register(
            fps, f"pause_of_{pause}_ms_in_update", f"{fps} FPS, synchronized, {pause} ms of pause inside",
            ["--sync", "--pause", str(pause)])


table()


@case(point=POINT, truth="frame times of 16.7 ms: p99 as the program's own")
def frame_times_60(stage):
    shown = None
    for _ in range(TRIES):
        run = Drawn(stage, 7, 60, "--sync")
        times = sorted(b - a for a, b in zip(run.frames[-300:], run.frames[-299:]))
        own = 1000 * times[len(times) * 99 // 100]
        row = run.steady()[-1]
        text = f"p50 {row['frame_p50_ms']:.2f}, p99 {row['frame_p99_ms']:.2f} ms; program's p99 {own:.2f} ms"
        shown = Shown(text, abs(row["frame_p50_ms"] - 16.67) < 0.5 and abs(row["frame_p99_ms"] - own) < 3)
        if shown.holds:
            break
    return shown


@case(point=POINT, truth="commands that print lines draw no frames", quick=True)
def commands_without_frames(stage):
    with open(stage.path("lines.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"line {number} of a file with some text in it\n" for number in range(3000))
    commands = {
        "seq": "for i in $(seq 30); do seq 20; sleep 0.03; done",
        "cat": f"cat {stage.path('lines.txt')}; sleep 0.3; cat {stage.path('lines.txt')}; sleep 0.3",
        # As compilers and grep print them in color.
        "colors": r"for i in $(seq 30); do printf '\033[01;31m\033[Kerror:\033[m\033[K text\n'; sleep 0.03; done",
    }
    wrong = []
    for name, command in commands.items():
        status, _ = stage.overlay(
            "--format", "jsonl", "--output", stage.path(name), "--no-summary", "--", "sh", "-c", command)
        rows = stage.rows(name)
        found = [row for row in rows if row["fps"] is not None or row["fps_source"] is not None]
        if status != 0 or not rows or found:
            wrong.append(f"{name}: {len(found)} of {len(rows)} rows with a rate")
    return Shown("; ".join(wrong) or "no rate in any row", not wrong)


def answers(stage, milliseconds, *flags, seconds=8.0, interval=1.3, fps=30):
    """Types keys beside an animation and compares the median with the program's own."""
    shown = None
    for _ in range(TRIES):
        keys = [(1.5 + interval * number, b"x") for number in range(int((seconds - 2.5) / interval))]
        run = Drawn(
            stage, seconds, fps, "--answer", str(milliseconds), *flags, keys=keys)
        if not run.answers:
            raise TruthError("the program got no key")
        truth = 1000 * statistics.median(run.answers)
        value = run.rows[-1]["key_to_frame_p50_ms"]
        if value is None:
            shown = Shown(f"– (program {truth:.1f} ms)", True, uncertain=True)
        else:
            shown = Shown(f"{value:.1f} ms, program {truth:.1f} ms", abs(value / truth - 1) <= 0.2)
        if shown.holds and not shown.uncertain:
            break
    return shown


@case(point=KEYS, truth="answers after 100 ms beside 30 FPS", quick=True)
def answer_100_beside_box(stage):
    return answers(stage, 100, seconds=6.5)


def answer_table():
    def register(milliseconds, animation, flags):
        def body(stage):
            return answers(stage, milliseconds, "--animation", animation, *flags)
        body.__name__ = f"answer_{milliseconds}_beside_{animation}" + ("_synchronized" if flags else "")
        body.__module__ = __name__
        case(point=KEYS, truth=f"answers after {milliseconds} ms beside 30 FPS")(body)
    for milliseconds in (20, 100, 700):
        for animation in ("box", "counter", "ball"):
            register(milliseconds, animation, [])
            register(milliseconds, animation, ["--sync"])


answer_table()


@case(point="rows beside the HUD", truth="fps_source, key_to_frame_p50_ms and bytes_per_frame have values", quick=True)
def rows_beside_the_hud(stage):
    run = Drawn(stage, 3.5, 30, "--animation", "none", "--answer", "20", keys=[(1.0, b"x"), (2.0, b"x")])
    last = run.rows[-1]
    found = {name: last[name] for name in ("fps_source", "key_to_frame_p50_ms", "bytes_per_frame")}
    return Shown(
        ", ".join(f"{name} {value}" for name, value in found.items()),
        all(value is not None for value in found.values()) and found["fps_source"] == "terminal")
