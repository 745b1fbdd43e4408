#!/usr/bin/env python3
"""Runs programs that know their own truth under perfhud and compares it with what perfhud shows.

    truth.py                  every case, a few minutes
    truth.py --quick          the cases that `make test` runs
    truth.py --only REGEX     the cases whose name matches
    truth.py --repeat 20      each case 20 times
    truth.py --load 4         the same beside four busy processes (stress-ng)
    truth.py --update FILE    writes the table of truth and shown values into a Markdown page

A case is a function with the decorator `case` in a module beside this file. It gets a `Stage`, runs a
program under perfhud and returns `Shown`. A case that is not sure may return `uncertain=True`: perfhud
marked the value as uncertain. That is never counted as wrong, but it is counted.
"""

import argparse
import fcntl
import importlib
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Each module registers its cases when it is imported.
MODULES = sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name != "truth.py")
CASES = []


class TruthError(Exception):
    """Why a case could not be run, as one line."""


@dataclass
class Shown:
    """What perfhud showed, and whether it agrees with the truth."""
    text: str
    holds: bool
    uncertain: bool = False


@dataclass
class Case:
    point: str
    name: str
    truth: str
    quick: bool
    body: object


def case(point, truth, quick=False):
    """Registers a case. `point` names the section of the table, `truth` says what is known."""
    def register(body):
        name = f"{body.__module__}.{body.__name__}"
        CASES.append(Case(point, name, truth, quick, body))
        return body
    return register


class Stage:
    """A folder, an environment and a terminal of its own for one run of a case."""

    def __init__(self, perfhud, folder, programs, quick):
        self.perfhud, self.folder, self.programs, self.quick = perfhud, folder, programs, quick
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder, "XDG_RUNTIME_DIR": folder,
            "LANG": "C.UTF-8", "TERM": "xterm-256color", "PERFHUD_CONFIG": "/dev/null",
            "PYTHONPATH": os.path.join(ROOT, "clients"), "PYTHONDONTWRITEBYTECODE": "1",
        }

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def rows(self, name):
        """The objects of a jsonl file; a last line that is cut off is left out."""
        return [json.loads(line) for line in self.read(name).split("\n")[:-1] if line]

    def program(self, name, *flags):
        """Builds programs/NAME.c once and returns the path of the program."""
        path = os.path.join(self.programs, name)
        if not os.path.exists(path):
            done = subprocess.run(
                ["cc", "-O1", "-Wall", "-o", path, os.path.join(HERE, "programs", name + ".c"), *flags],
                capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise TruthError(f"cc cannot build {name}: {done.stderr.strip().splitlines()[0]}")
        return path

    def script(self, name):
        return os.path.join(HERE, "programs", name)

    def batch(self, *arguments, timeout=120, **options):
        """Runs perfhud without a terminal and returns the finished process, output as text."""
        return subprocess.run(
            [self.perfhud, *arguments], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout, check=False,
            **options)

    def overlay(self, *arguments, columns=100, rows=30, seconds=None, keys=None, timeout=120):
        """Runs perfhud in a terminal of its own and returns (exit status, output).

        The terminal reads as fast as it can and answers no query. `keys` is a list of pairs (seconds
        since the start, bytes). After `seconds` perfhud gets SIGTERM."""
        child, master = pty.fork()
        if child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(self.perfhud, [self.perfhud, *arguments], self.environment)
        start, output, keys, status = time.monotonic(), bytearray(), list(keys or []), None
        try:
            while status is None:
                elapsed = time.monotonic() - start
                if elapsed > timeout:
                    os.kill(child, signal.SIGKILL)
                    raise TruthError(f"perfhud did not end within {timeout} s")
                if seconds is not None and elapsed > seconds:
                    os.kill(child, signal.SIGTERM)
                    seconds = None
                while keys and keys[0][0] <= elapsed:
                    os.write(master, keys.pop(0)[1])
                if select.select([master], [], [], 0.005)[0]:
                    try:
                        output += os.read(master, 65536)
                        continue
                    except OSError:
                        pass
                done, result = os.waitpid(child, os.WNOHANG)
                if done:
                    status = os.waitstatus_to_exitcode(result)
                    while select.select([master], [], [], 0)[0]:
                        try:
                            piece = os.read(master, 65536)
                        except OSError:
                            break
                        if not piece:
                            break
                        output += piece
        finally:
            os.close(master)
        return status, output.decode("utf-8", "replace")


def run_case(item, options, programs):
    """Returns the outcomes of all rounds."""
    outcomes = []
    for _ in range(options.repeat):
        folder = tempfile.mkdtemp(prefix="truth-")
        os.chmod(folder, 0o700)
        try:
            outcomes.append(item.body(Stage(options.perfhud, folder, programs, options.quick)))
        except (TruthError, subprocess.TimeoutExpired) as error:
            outcomes.append(Shown(f"could not be run: {error}", False))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return outcomes


def table(results):
    """Markdown: a row a case, in sections."""
    lines = ["| program | truth | perfhud shows | agrees |", "|---|---|---|---|"]
    point = None
    for item, outcomes in results:
        if item.point != point:
            point = item.point
            lines.append(f"| **{point}** | | | |")
        good = sum(outcome.holds or outcome.uncertain for outcome in outcomes)
        unsure = sum(outcome.uncertain for outcome in outcomes)
        agrees = f"{good} of {len(outcomes)}" + (f", {unsure} uncertain" if unsure else "")
        name = item.name.split(".", 1)[1].replace("_", " ")
        shown = next((outcome.text for outcome in outcomes if not outcome.holds), outcomes[0].text)
        lines.append(f"| {name} | {item.truth} | {shown.replace('|', '/')} | {agrees} |")
    return lines


def update(path, lines):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    found = re.search(r"(<!-- truth -->\n).*?(<!-- /truth -->)", page, re.S)
    if not found:
        raise SystemExit(f"truth: {path} has no markers <!-- truth --> and <!-- /truth -->")
    page = page[:found.end(1)] + "\n" + "\n".join(lines) + "\n\n" + page[found.start(2):]
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfhud", default=os.environ.get(
        "PERFHUD_BINARY", os.path.join(ROOT, ".build/release/perfhud")))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--update")
    options = parser.parse_args()
    options.perfhud = os.path.abspath(options.perfhud)
    if not os.access(options.perfhud, os.X_OK):
        raise SystemExit(f"truth: no program {options.perfhud}; build it with: make build")
    # Imported by its name, so that the modules register in this list and not in one of their own.
    sys.modules["truth"] = sys.modules["__main__"]
    for name in MODULES:
        importlib.import_module(name)
    chosen = [item for item in CASES
              if (item.quick or not options.quick) and re.search(options.only, item.name)]
    load = None
    if options.load:
        load = subprocess.Popen(["stress-ng", "-q", "-c", str(options.load)])
    results = []
    try:
        with tempfile.TemporaryDirectory(prefix="truth-programs-") as programs:
            for item in chosen:
                outcomes = run_case(item, options, programs)
                results.append((item, outcomes))
                bad = [outcome for outcome in outcomes if not (outcome.holds or outcome.uncertain)]
                unsure = sum(outcome.uncertain for outcome in outcomes)
                print(f"{'FAIL' if bad else 'ok  '} {item.name}: {item.truth} → "
                      f"{(bad or outcomes)[0].text}"
                      f" ({len(outcomes) - len(bad)} of {len(outcomes)}"
                      f"{f', {unsure} uncertain' if unsure else ''})", flush=True)
    finally:
        if load:
            load.terminate()
            load.wait()
    if options.update:
        update(options.update, table(results))
    failed = sum(any(not (outcome.holds or outcome.uncertain) for outcome in outcomes)
                 for _, outcomes in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
