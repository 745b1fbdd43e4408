#!/usr/bin/env python3
"""Resizes a terminal at random, with and without perfhud, and compares the screens.

    resizes.py                            20 sessions of a shell in tmux
    resizes.py --seeds 1 100              the sessions with these numbers
    resizes.py --program vim              an editor instead of the shell
    resizes.py --terminal xterm           xterm instead of tmux
    resizes.py --burst                    several resizes at once, without waiting for the program in between
    resizes.py --show 3                   how many of the differing screens are shown
    resizes.py --repeat 2                 how often a session that differs is played again

A session is a sequence of resizes and commands that depends only on its number. It is played twice, each in a terminal
of its own: bare, and below the HUD, which is hidden at the end (SIGUSR1). Then the prompt is drawn once more, and
every cell of the screen must be as it was bare. In tmux the lines in the history are compared, too, and counted apart.

A session that differs is played again, bare and below the HUD, since a shell may write its prompt before or after it
has seen a new size. It counts as varying bare if the bare screens differ among themselves, or if one of them is what
was below.

A wait ends when the program has seen the new size or has drawn the next prompt, and the screen stays the same."""

import argparse
import concurrent.futures
import fcntl
import os
import random
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIRST = (100, 30)
# What the HUD is drawn with and the sessions are not.
HUD = re.compile("[\u2500-\u25ff\u2800-\u28ff]|CPU|RSS|MEM|FPS")


class SessionError(Exception):
    """Why a session could not be played."""


def steps_of(seed, program, burst):
    """The steps of a session: ("size", columns, rows), ("type", text)."""
    source = random.Random(seed)
    steps = []
    for _ in range(source.randint(8, 12)):
        if source.random() < 0.5:
            count = source.randint(2, 4) if burst else 1
            steps.append(("sizes", [(source.choice((source.randint(50, 130), 80, 100)),
                                     source.choice((source.randint(12, 45), 24, 30))) for _ in range(count)]))
        elif program == "shell":
            steps.append(("type", shell_command(source)))
        else:
            steps.append(("type", vim_command(source)))
    return steps


def shell_command(source):
    word = "".join(source.choice("abcdefghijklmnop") for _ in range(source.randint(3, 9)))
    return source.choice((
        lambda: f"seq {source.randint(1, 60)}",
        lambda: f"seq -s , {source.randint(1, 300)}",
        lambda: f"echo {word}",
        lambda: f"printf '%s\\n' {word}{{1..{source.randint(1, 20)}}}",
        lambda: f"printf '%0{source.randint(1, 250)}d\\n' {source.randint(1, 99)}",
        lambda: f"printf '\\033[3{source.randint(1, 7)}m%s\\033[m ' {word}{{1..{source.randint(1, 40)}}}; echo",
        # 日本語 without a key for it.
        lambda: "printf '\\346\\227\\245\\346\\234\\254\\350\\252\\236%.0s' {1.." + f"{source.randint(1, 30)}}}; echo",
        lambda: "",
    ))()


def vim_command(source):
    return source.choice(("j" * source.randint(1, 40), "k" * source.randint(1, 20), "\x06", "\x02", "G", "gg",
                          "ohello world\x1b", "dd", "$", "zz"))


class Pane:
    """A program in a terminal."""

    def __init__(self, folder, name, perfhud, program):
        self.folder, self.perfhud, self.program = os.path.join(folder, name), perfhud, program
        os.makedirs(self.folder)
        self.number = 1
        rc = os.path.join(self.folder, "rc")
        with open(rc, "w", encoding="utf-8") as file:
            file.write(f"PS1='\\#$ '\nHISTFILE=\ntty > {self.folder}/tty\n")
        text = os.path.join(self.folder, "text")
        with open(text, "w", encoding="utf-8") as file:
            for line in range(1, 120):
                file.write(f"{line} " + "word " * (line * 7 % 31) + "\n")
        if program == "shell":
            inner = ["bash", "--noprofile", "--rcfile", rc, "-i"]
        else:
            # A short wait after ESC: else the next resize comes before vim has taken it.
            options = "set noswapfile ttimeout ttimeoutlen=20"
            inner = ["sh", "-c", f"tty > {self.folder}/tty; exec vim -u NONE -N -n --cmd '{options}' text"]
        command = [perfhud, "--", *inner] if perfhud else inner
        self.start(command)
        self.wait_until(lambda: os.path.exists(f"{self.folder}/tty") and os.path.getsize(f"{self.folder}/tty") > 0,
                        "start")
        with open(f"{self.folder}/tty", encoding="ascii") as file:
            self.tty = os.open(file.read().strip(), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self.wait_for_prompt()

    def wait_until(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise SessionError(f"{what}: not within {seconds} s\n" + "\n".join(self.screen()))
            time.sleep(0.005)

    def wait_for_prompt(self):
        if self.program == "shell":
            prompt = f"{self.number}$"
            self.wait_until(lambda: self.last_line().startswith(prompt), f"prompt {prompt}")
        self.wait_for_rest()

    def last_line(self):
        """The line of the cursor."""
        return self.screen()[self.cursor()[1]]

    def wait_for_rest(self, count=6):
        """Until the screen, without the HUD's figures, is the same several times in a row."""
        last, same = None, 0
        while same < count:
            picture = self.outline()
            same = same + 1 if picture == last else 0
            last = picture
            time.sleep(0.015)

    def play(self, step):
        if step[0] == "type":
            if self.program == "shell":
                self.type(step[1] + "\n")
                # An empty line is not counted.
                self.number += 1 if step[1] else 0
            else:
                self.type(step[1])
            self.wait_for_prompt()
            return
        for columns, rows in step[1]:
            self.resize(columns, rows)
        self.wait_until(lambda: self.inner_size() == step[1][-1], f"size {step[1][-1]}")
        self.wait_for_rest()

    def inner_size(self):
        rows, columns = struct.unpack("HHHH", fcntl.ioctl(self.tty, termios.TIOCGWINSZ, b"\0" * 8))[:2]
        return columns, rows

    def end(self):
        if self.perfhud:
            os.kill(self.pid(), signal.SIGUSR1)
        self.wait_for_rest(12)
        if self.program == "shell":
            self.type("echo end\n")
            self.number += 1
            self.wait_for_prompt()
        self.wait_for_rest(12)
        return self.screen(), self.history(), self.cursor()

    def close(self):
        if hasattr(self, "tty"):
            os.close(self.tty)


class TmuxPane(Pane):
    def start(self, command):
        self.socket = os.path.join(self.folder, "socket")
        environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8",
                       "XDG_RUNTIME_DIR": self.folder, "TERM": "xterm-256color", "SHELL": "/bin/sh"}
        subprocess.run(
            ["tmux", "-f", "/dev/null", "-S", self.socket, "new-session", "-d", "-x", str(FIRST[0]), "-y",
             str(FIRST[1]), "-c", self.folder, "exec " + shlex.join(command), ";", "set", "-g", "status", "off", ";",
             "set", "-g", "window-size", "manual", ";", "set", "-g", "history-limit", "5000",
             ";", "resize-window", "-x", str(FIRST[0]), "-y", str(FIRST[1])],
            env=environment, check=True)

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], check=True, capture_output=True,
                              encoding="utf-8").stdout

    def pid(self):
        return int(self.tmux("display", "-p", "#{pane_pid}"))

    def type(self, text):
        self.tmux("send-keys", "-H", *(f"{byte:02x}" for byte in text.encode()))

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self):
        return self.tmux("capture-pane", "-p").split("\n")[:-1]

    def history(self):
        lines = self.tmux("capture-pane", "-p", "-J", "-S", "-").split("\n")[:-1]
        return [line.rstrip() for line in lines if line.rstrip()]

    def cursor(self):
        return tuple(int(part) for part in self.tmux("display", "-p", "#{cursor_x} #{cursor_y}").split())

    def outline(self):
        # Digits of the HUD change all the time; that the program rests shows in all else.
        text = self.tmux("display", "-p", "#{cursor_x} #{cursor_y}", ";", "capture-pane", "-p")
        if self.perfhud:
            text = re.sub("[0-9.\u2500-\u28ff]", "", text)
            text = re.sub(" +", " ", text)
        return text

    def close(self):
        super().close()
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False, capture_output=True)


class XtermPane(Pane):
    """xterm in an X server of its own. What it shows comes from its printer (`CSI i`), which prints the screen."""

    def start(self, command):
        self.processes = []
        read, write = os.pipe()
        self.processes.append(subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"],
            pass_fds=[write], stderr=subprocess.DEVNULL))
        os.close(write)
        with os.fdopen(read) as file:
            self.display = ":" + file.readline().strip()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": self.folder, "SHELL": "/bin/sh", "DISPLAY": self.display}
        self.printed = os.path.join(self.folder, "printed")
        self.outer = None
        outer = os.path.join(self.folder, "outer")
        command = ["sh", "-c", f"tty > {outer}; echo $$ > {outer}.pid; exec " + shlex.join(command)]
        self.xterm = subprocess.Popen(
            ["xterm", "-u8", "-fn", "6x13", "-b", "0", "-bw", "0", "-geometry", f"{FIRST[0]}x{FIRST[1]}+0+0",
             "-xrm", f"XTerm*printerCommand: cat > {self.printed}.new; mv {self.printed}.new {self.printed}",
             "-xrm", "XTerm*printerAutoClose: true", "-xrm", "XTerm*printerFormFeed: false",
             "-xrm", "XTerm*printAttributes: 0", "-e", *command],
            cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL)
        self.processes.append(self.xterm)
        self.wait_until(lambda: os.path.exists(outer + ".pid") and os.path.getsize(outer + ".pid") > 0, "xterm")
        with open(outer, encoding="ascii") as file:
            self.outer = os.open(file.read().strip(), os.O_WRONLY | os.O_NOCTTY)
        with open(outer + ".pid", encoding="ascii") as file:
            self.child = int(file.read())
        window = self.xdotool("search", "--sync", "--onlyvisible", "--class", "xterm").split()
        self.window = window[0]
        self.xdotool("windowfocus", "--sync", self.window)

    def xdotool(self, *arguments):
        return subprocess.run(["xdotool", *arguments], env=self.environment, check=True, capture_output=True,
                              encoding="ascii").stdout

    def pid(self):
        return self.child

    def type(self, text):
        names = {"\n": "Return", "\x1b": "Escape", "\x06": "ctrl+f", "\x02": "ctrl+b"}
        for part in re.findall("[\n\x1b\x06\x02]|[^\n\x1b\x06\x02]+", text):
            if part in names:
                self.xdotool("key", names[part])
            else:
                self.xdotool("type", "--delay", "1", part)

    def resize(self, columns, rows):
        self.xdotool("windowsize", "--usehints", self.window, str(columns), str(rows))

    def tree(self):
        """The processes of the terminal."""
        found, children = [], [self.xterm.pid]
        while children:
            pid = children.pop()
            found.append(pid)
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                        children += [int(word) for word in file.read().split()]
            except OSError:
                pass
        return found

    def outline(self):
        """How often the processes have run: a process that does not run draws nothing."""
        counts = []
        for pid in self.tree():
            try:
                with open(f"/proc/{pid}/status", encoding="ascii") as file:
                    counts.append((pid, re.findall("ctxt_switches:\t([0-9]+)", file.read())))
            except OSError:
                pass
        return counts

    def screen(self):
        if self.outer is None:
            return []
        for name in (self.printed, self.printed + ".new"):
            if os.path.exists(name):
                os.remove(name)
        os.write(self.outer, b"\x1b[i")
        end = time.monotonic() + 5
        while not os.path.exists(self.printed):
            if time.monotonic() > end:
                raise SessionError("xterm prints nothing")
            time.sleep(0.002)
        with open(self.printed, encoding="utf-8", errors="replace") as file:
            # xterm prints the right half of a wide character as U+FFFF.
            return [line.rstrip() for line in file.read().translate({13: None, 0xFFFF: None}).split("\n")[:-1]]

    def last_line(self):
        lines = [line for line in self.screen() if line.startswith(f"{self.number}$")]
        return lines[-1] if lines else ""

    def wait_for_prompt(self):
        self.wait_for_rest()
        super().wait_for_prompt()

    def history(self):
        return []

    def cursor(self):
        return None

    def close(self):
        super().close()
        if getattr(self, "outer", None) is not None:
            os.close(self.outer)
        for process in reversed(self.processes):
            process.kill()
            process.wait()


PANES = {"tmux": TmuxPane, "xterm": XtermPane}


def play(seed, options):
    """What a session shows at its end, bare and below the HUD: screen, history, cursor."""
    folder = tempfile.mkdtemp(prefix="resizes-")
    results = []
    try:
        for name, perfhud in (("bare", None), ("below", options.perfhud)):
            pane = None
            try:
                pane = PANES[options.terminal].__new__(PANES[options.terminal])
                pane.__init__(folder, name, perfhud, options.program)
                for step in steps_of(seed, options.program, options.burst):
                    pane.play(step)
                results.append(pane.end())
            finally:
                if pane is not None:
                    pane.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return results


def report(seed, options):
    """Plays a session, and again if it differs."""
    try:
        plays = [play(seed, options)]
        if differ(*plays[0]):
            plays += [play(seed, options) for _ in range(options.repeat)]
    except (SessionError, subprocess.SubprocessError, OSError) as error:
        return {"seed": seed, "error": str(error)}
    bare, below = plays[0]
    wrecks = [line for line in below[0] if HUD.search(line)]
    old = [line for line in below[1] if HUD.search(line)]
    # A line that has gone into the history with the HUD over it has its text up to there.
    shown = set(below[1]) | {HUD.split(line)[0].rstrip() for line in below[1] if HUD.search(line)}
    lost = [line for line in bare[1]
            if line not in shown and not any(line.startswith(part) for part in shown if len(part) > 2)]
    bares, belows = ([picture(ends[place]) for ends in plays] for place in (0, 1))
    kind = "same"
    if differ(bare, below):
        varies = any(other != bares[0] for other in bares) or belows[0] in bares
        kind = "varies bare" if varies else "differs" if all(differ(*ends) for ends in plays) else "differs at times"
    return {"seed": seed, "error": None, "kind": kind, "wrecks": wrecks, "history": old, "lost": lost, "bare": bare,
            "below": below}


def picture(end):
    return end[0], end[2]


def differ(bare, below):
    return picture(bare) != picture(below)


def show(result):
    bare, below = result["bare"], result["below"]
    print(f"--- seed {result['seed']}, {result['kind']}: bare | below, cursor {bare[2]} | {below[2]}")
    for number in range(max(len(bare[0]), len(below[0]))):
        first = bare[0][number] if number < len(bare[0]) else None
        second = below[0][number] if number < len(below[0]) else None
        if first == second:
            print(f"{number:3}   {first}")
        else:
            print(f"{number:3} - {first}\n    + {second}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", nargs=2, type=int, default=(1, 20), metavar=("FIRST", "LAST"))
    parser.add_argument("--program", choices=("shell", "vim"), default="shell")
    parser.add_argument("--terminal", choices=sorted(PANES), default="tmux")
    parser.add_argument("--burst", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--steps", action="store_true", help="print the steps of the sessions instead")
    parser.add_argument("--perfhud", default=os.path.join(ROOT, ".build/release/perfhud"))
    options = parser.parse_args()
    seeds = range(options.seeds[0], options.seeds[1] + 1)
    if options.steps:
        for seed in seeds:
            print(seed, *steps_of(seed, options.program, options.burst), sep="\n  ")
        return 0
    shown = 0
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(lambda seed: report(seed, options), seeds):
            results.append(result)
            if result["error"]:
                print(f"seed {result['seed']}: {result['error']}", flush=True)
            elif result["kind"] != "same" and shown < options.show:
                show(result)
                shown += 1
    return summary(results, options)


def summary(results, options):
    failed = [result["seed"] for result in results if result["error"]]
    played = [result for result in results if not result["error"]]
    resizes = sum(len(step[1]) for result in played for step in steps_of(result["seed"], options.program, options.burst)
                  if step[0] == "sizes")

    def seeds(condition):
        found = [result["seed"] for result in played if condition(result)]
        return f"{len(found)} {found}" if found else "0"

    print(f"{options.program} in {options.terminal}{', bursts' if options.burst else ''}: {len(played)} sessions, "
          f"{resizes} resizes")
    for kind in ("same", "varies bare", "differs at times", "differs"):
        count = seeds(lambda result, kind=kind: result["kind"] == kind)
        print(f"  {kind}: {count.split(' ')[0] if kind == 'same' else count}")
    print(f"  pieces of the HUD on the screen: {seeds(lambda result: result['wrecks'])}")
    print(f"  some in the history: {seeds(lambda result: result['history']).split(' ')[0]}")
    print(f"  text lacks in the history: {seeds(lambda result: result['lost'])}")
    print(f"  not played: {len(failed)} {failed or ''}", flush=True)
    return 1 if failed or any(result["kind"].startswith("differs") for result in played) else 0


if __name__ == "__main__":
    sys.exit(main())
