#!/usr/bin/env python3
"""Runs the commands of README.md and of the documents, as a reader would, and looks at the screen.

    commands.py                  every command, about a minute
    commands.py --only REGEX     the commands that match
    commands.py --list           prints the commands and ends

A command is a line of a block marked `sh` or `console`. It runs in a terminal of its own (tmux), in a folder with a
Makefile and a text, beside a process that stands for 1234. A rule says what the screen must show and which keys end
the command. A command without a rule fails: whoever documents a command adds a rule.

Each `make TARGET` of a document has to be a target of the Makefile. Commands inside a line of text are given to `perfhud --explain`, which has to accept them; `emit`, `config` and
`widgets` are run.
"""

import argparse
import concurrent.futures
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGES = ["README.md", "docs/USAGE.md", "docs/PHASES.md", "docs/ALERTS.md", "docs/BUDGETS.md",
         "docs/RECORDING.md", "docs/COMPARE.md", "docs/EXPORT.md", "docs/TROUBLESHOOTING.md"]
DEADLINE = 30
HUD = r"CPU +\d"
VIEW = r"(?s)CPU +\d.*MEM"


class CommandError(Exception):
    """Why a command does not do what its page says, as one line."""


@dataclass
class Rule:
    """What a command must show, and how it ends."""
    command: str
    shows: str = ""
    keys: list = field(default_factory=list)
    statuses: tuple = (0,)
    # A file that the command must write, and what must be in it.
    writes: tuple = ()
    # Replacements that make a command short.
    shorter: tuple = ()
    # Where it is tested, if not here.
    elsewhere: str = ""


VIM_END = ["Escape", ":q!", "Enter"]
# The first rule whose pattern matches the whole command holds.
RULES = [
    Rule(r"make (deb|tarball)|sudo (apt|cp) .*|tar .*", elsewhere="make test-packages"),
    Rule(r"perfhud --record run.phr make", shows=r"wall"),
    Rule(r"perfhud --record vim.phr --record-screen vim|perfhud replay vim.phr",
         elsewhere="the end-to-end tests of recorded screens"),
    Rule(r"perfhud (replay|report|export|check) run.phr.*", elsewhere="the end-to-end tests of recordings"),
    Rule(r"perfhud --record run.phr --record-last .*", elsewhere="the end-to-end tests of recordings"),
    Rule(r"perfhud compare .*", elsewhere="the end-to-end tests of comparisons"),
    Rule(r"perfhud tmux side", elsewhere="the end-to-end tests of tmux"),
    Rule(r"make build", elsewhere="make test"),
    Rule(r"sudo make install .*", writes=("usr/local/share/man/man1/perfhud.1", "Nm perfhud"),
         shorter=(("sudo make install", f"make -C {shlex.quote(ROOT)} install DESTDIR=$PWD"),)),
    Rule(r"perfhud vim notes\.md", HUD, VIM_END),
    Rule(r"perfhud --hidden vim notes\.md", "some notes", ["F12", "h", ("screen", HUD), *VIM_END]),
    Rule(r"perfhud --explain .*", r"mode|command", statuses=(0,)),
    Rule(r"perfhud (--prefix|--size|--graph|--alert) .*vim notes\.md", HUD, VIM_END),
    Rule(r"(?s)ssh -t host perfhud vim notes\.md", HUD, VIM_END),
    Rule(r"perfhud make -j8", r"peak MEM"),
    Rule(r"perfhud --alert .*make -j8", r"peak MEM"),
    Rule(r"perfhud --budget 'mem.* -o ci\.jsonl make", r"budget  mem\.peak <= \S+ MiB +holds: ",
         writes=("ci.jsonl", r'"footprint_bytes"')),
    Rule(r"perfhud --budget .*make -j8", r"budget  rss\.peak <= \S+ [MG]iB +holds: "),
    Rule(r"perfhud -f jsonl -o build\.jsonl make -j8", r"peak MEM", writes=("build.jsonl", r'"cpu_percent"')),
    Rule(r"perfhud -f csv -o make\.csv make -j8", r"peak MEM", writes=("make.csv", r"t,elapsed_s,.*\n\d")),
    Rule(r"perfhud --corner bottom-right --size small htop", HUD, ["q"]),
    Rule(r"seq 99 \| perfhud less", HUD, ["q"]),
    Rule(r"perfhud -- emit", r"(?s)the program emit.*peak MEM"),
    Rule(r"perfhud", HUD, ["exit", "Enter"]),
    Rule(r"perfhud --pick", "COMMAND", ["myprogram", ("screen", r"> +\d+.* myprogram 1000"), "C-c"]),
    Rule(r"perfhud (-p )?1234( -d 20ms| -t| --memory rss --tick 0)?", VIEW, ["q"]),
    Rule(r"perfhud -p 1234 --explain", r"CPU"),
    Rule(r"perfhud --name .*", VIEW, ["q"]),
    # Without such a unit perfhud names it and ends.
    Rule(r"perfhud --cgroup nginx\.service", r"nginx\.service|CPU +\d", statuses=(1,)),
    Rule(r"tmux split-window -h -l 44 'perfhud 1234'", VIEW, ["q"]),
    Rule(r"perfhud -p 1234 -b -d 500ms -n (20|2)", r"CPU +[\d.]+ % +MEM", shorter=(("-n 20", "-n 3"),)),
    Rule(r"(?s)perfhud -p 1234 -f jsonl --duration 10m \|.*jq -s .*", r'"peak": \d+', shorter=(("10m", "1s"),)),
    Rule(r"(?s)perfhud -p 1234 -f jsonl \|.*jq --unbuffered.*", r"\d+\.\d+ [\d.]+ %", ["C-c"], (0, 130),
         shorter=(("> 90", "> 0"),)),
    Rule(r"perfhud -p 1234 -f csv -o run\.csv", keys=[("file", "run.csv", r"t,elapsed_s,.*\n\d"), "C-c"]),
    Rule(r"\.build/release/perfhud --size 44x12 -- \.build/release/perfhud-demo --leak --pace 2", HUD, ["q", "q"],
         shorter=((".build/release/", ""),)),
    Rule(r"perfhud reset"),
]


def commands(page):
    """The commands of the blocks of a page, comments at the end of a line removed; joined where a line goes on."""
    found, block, part = [], None, ""
    for line in page.split("\n"):
        if line.startswith("```"):
            block = None if block is not None else line[3:].strip()
            continue
        if block == "console":
            if line.startswith("$ "):
                found.append(line[2:])
        elif block == "sh":
            line = re.sub(r"(^|\s+)# .*$", "", line) if not part else line
            part += line
            if part.rstrip().endswith(("|", "\\")):
                part += "\n"
            elif part.strip():
                found.append(part.strip())
                part = ""
    return found


def spans(page):
    """The command lines of perfhud inside the text, without those that have a place for something."""
    text = re.sub(r"(?ms)^```.*?^```", "", page)
    found = re.findall(r"`(perfhud [^`]+)`", text)
    return [span for span in found if not re.search(r"[A-Z]{2,}|…", span)]


class Stage:
    """A folder with programs and texts, and processes to watch, shared by all commands."""

    def __init__(self, perfhud, folder):
        self.folder, self.processes = folder, []
        self.bin = self.path("bin")
        os.makedirs(self.bin)
        os.symlink(perfhud, os.path.join(self.bin, "perfhud"))
        demo = os.path.join(os.path.dirname(os.path.realpath(perfhud)), "perfhud-demo")
        if os.path.exists(demo):
            os.symlink(demo, os.path.join(self.bin, "perfhud-demo"))
        self.script("ssh", 'while [ "$1" != host ]; do shift; done; shift; exec "$@"')
        self.script("notify-send", ":")
        self.script("emit", "echo the program emit; sleep 0.5")
        shutil.copy(shutil.which("sleep"), os.path.join(self.bin, "myprogram"))
        self.environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": folder, "TMPDIR": folder, "XDG_RUNTIME_DIR": folder,
            "LANG": "C.UTF-8", "SHELL": "/bin/bash", "TERM": "xterm-256color", "PERFHUD_CONFIG": "/dev/null",
            "EDITOR": "true",
        }
        self.run("myprogram", "1000")
        # Matched by its command line, 'node .*server\.js'.
        self.run("node", "-c", "sleep 1000; : server.js", executable="/bin/sh")
        self.busy = self.run("busy", "-c", "while :; do sleep 0.02; done", executable="/bin/sh")

    def path(self, name):
        return os.path.join(self.folder, name)

    def script(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def run(self, *argv, executable=None):
        process = subprocess.Popen(
            argv, executable=executable or shutil.which(argv[0], path=self.environment["PATH"]),
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        self.processes.append(process)
        return process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Terminal:
    """A command in a terminal of tmux, with a folder of its own."""

    def __init__(self, stage, command):
        self.stage, self.folder = stage, tempfile.mkdtemp(dir=stage.folder)
        self.socket, self.status_file = os.path.join(self.folder, "tmux"), os.path.join(self.folder, "status")
        self.write("notes.md", "some notes\n" * 40)
        self.write("Makefile", "all: a b c d\na b c d:\n\t@sleep 0.7; echo $@\n")
        self.write("tmux.conf", "set -g default-terminal tmux-256color\nset -g status off\n"
                   "set -g remain-on-exit on\n")
        # Ctrl-C ends the commands of a pipeline; without the trap, it would end the shell if the last one dies by it.
        self.write("command.sh",
                   f"trap : INT\n{command}\nstatus=$?\necho $status >status.new; mv status.new status\n")
        self.tmux("-f", os.path.join(self.folder, "tmux.conf"), "new-session", "-d", "-x", "100", "-y", "30",
                  "-c", self.folder, "bash command.sh")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], env=self.stage.environment,
                              capture_output=True, text=True, check=False, cwd=self.folder).stdout

    def text(self):
        return self.tmux("capture-pane", "-p", "-S", "-100")

    def content(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait(self, what, condition):
        end = time.monotonic() + DEADLINE
        while not condition():
            if time.monotonic() > end:
                screen = "\n      ".join(line for line in self.text().split("\n") if line.strip())
                raise CommandError(f"{what} within {DEADLINE} s; the screen:\n      {screen}")
            time.sleep(0.05)

    def wait_screen(self, pattern):
        self.wait(f"no {pattern!r} on the screen", lambda: re.search(pattern, self.text()))

    def wait_file(self, name, pattern):
        self.wait(f"no {pattern!r} in {name}", lambda: re.search(pattern, self.content(name)))

    def press(self, key):
        if isinstance(key, tuple) and key[0] == "screen":
            self.wait_screen(key[1])
        elif isinstance(key, tuple):
            self.wait_file(*key[1:])
        else:
            self.tmux("send-keys", key)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")


def rule_of(command):
    for rule in RULES:
        if re.fullmatch(rule.command, command):
            return rule
    raise CommandError("no rule says what this command has to show; add one to Tests/Documents/commands.py")


def run_command(stage, command):
    """Runs a command of a block. Returns where it is tested, if not here."""
    rule = rule_of(command)
    if rule.elsewhere:
        return rule.elsewhere
    for long, short in rule.shorter:
        command = command.replace(long, short)
    with Terminal(stage, re.sub(r"\b1234\b", str(stage.busy), command)) as terminal:
        if rule.shows:
            terminal.wait_screen(rule.shows)
        for key in rule.keys:
            terminal.press(key)
        terminal.wait_file("status", r"\d")
        status = int(terminal.content("status"))
        if status not in rule.statuses:
            raise CommandError(f"status {status}; the screen:\n{terminal.text()}")
        if rule.writes:
            terminal.wait_file(*rule.writes)
    return ""


def accept_span(stage, span):
    """Whether perfhud accepts a command line inside the text."""
    words = shlex.split(re.sub(r"\b1234\b", str(stage.busy), span))
    # `tmux` needs tmux around it: the end-to-end tests run it.
    if words[1:] in (["emit"], ["reset"]) or words[1] == "tmux":
        words.append("--help")
    elif words[1] not in ("emit", "config", "widgets", "replay", "report", "export", "compare", "help"):
        words.insert(1, "--explain")
    with Terminal(stage, shlex.join(words)) as terminal:
        terminal.wait_file("status", r"\d")
        if terminal.content("status").strip() != "0":
            raise CommandError(f"status {terminal.content('status')}; the screen:\n{terminal.text()}")
    return ""


def check_targets():
    """Prints each target that a document names and the Makefile does not have. Returns their number."""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        targets = set(re.findall(r"(?m)^([a-z-]+):", file.read()))
    missing = 0
    for folder in (".", "docs", "Benchmarks/results"):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if not name.endswith(".md"):
                continue
            with open(os.path.join(ROOT, folder, name), encoding="utf-8") as file:
                named = re.findall(r"(?m)(?:^|`)make ([a-z][a-z-]+)(?=[`\s])", file.read())
            for target in sorted(set(named) - targets):
                print(f"FAIL {os.path.normpath(os.path.join(folder, name))}: make {target}: no such target")
                missing += 1
    return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfhud", default=os.environ.get(
        "PERFHUD_BINARY", os.path.join(ROOT, ".build/release/perfhud")))
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    work = {}
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as file:
            text = file.read()
        for function, found in ((run_command, commands(text)), (accept_span, spans(text))):
            for command in found:
                if re.search(options.only, command):
                    work.setdefault((function, command), page)
    if options.list:
        for (function, command), page in work.items():
            print(f"{page}: {'run    ' if function is run_command else 'explain'} {command}")
        return 0
    if not os.access(options.perfhud, os.X_OK):
        raise SystemExit(f"documents: no program {options.perfhud}; build it with: make build")
    failed = check_targets()
    elsewhere = 0
    with tempfile.TemporaryDirectory(prefix="docs-") as folder, \
            Stage(os.path.abspath(options.perfhud), folder) as stage, \
            concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = {pool.submit(function, stage, command): (command, page)
                   for (function, command), page in work.items()}
        for done in concurrent.futures.as_completed(running):
            command, page = running[done]
            line = f"{page}: {' '.join(command.split())}"
            try:
                where = done.result()
                elsewhere += bool(where)
                print(f"{f'not here, see {where}:' if where else 'ok  '} {line}", flush=True)
            except (CommandError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAIL {line}: {error}", flush=True)
    print(f"documents: {len(work)} commands, {elsewhere} of them tested elsewhere; {failed} failed")
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())
