"""Values that are read rarely, the memory of process trees, and which process is shown."""

import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

from truth import Shown, TruthError, case

MIB = 1 << 20
RARE = "Values that are read rarely"
TREE = "Memory of a process tree"
TARGET = "Which process is shown"


class Running:
    """A process that is ended, with its group, at the end of the block."""

    def __init__(self, stage, *command, **options):
        self.process = subprocess.Popen(
            command, env=options.pop("env", stage.environment), stdin=subprocess.DEVNULL,
            stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, text=True,
            start_new_session=True, **options)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.communicate()

    def line(self, seconds=20):
        """The next line of its output."""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            raise TruthError("a program of the case did not get ready")
        return self.process.stdout.readline()


class Screen:
    """perfhud on a terminal of tmux, whose cells are read as a person sees them."""

    def __init__(self, stage, columns, rows, *arguments):
        if not shutil.which("tmux"):
            raise TruthError("tmux is missing")
        self.stage, self.socket = stage, stage.path(f"tmux-{columns}x{rows}")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "--",
                  "env", "TERM=tmux-256color", stage.perfhud, *arguments)
        self.tmux("set-option", "-g", "status", "off")
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], env=self.stage.environment,
                              capture_output=True, text=True, check=False).stdout

    def text(self):
        return self.tmux("capture-pane", "-p")

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def key(self, name):
        self.tmux("send-keys", name)

    def wait(self, pattern, seconds=20):
        """The picture that shows the pattern; `None` if none did."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.text()
            if re.search(pattern, text):
                return text
            time.sleep(0.05)
        return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")


def eventually(seconds, condition):
    """Whether the condition comes to hold."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def rows_of(stage, name):
    return stage.rows(name) if os.path.exists(stage.path(name)) else []


def nearest(log, instant):
    return min(log, key=lambda entry: abs(entry[0] - instant))


def text_of(bytes_count):
    return "none" if bytes_count is None else f"{bytes_count / MIB:.0f} MiB"


# Values that are read rarely

def pss_case(stage, *steps):
    """Every PSS that was shown, beside the RSS of its line and what the program itself has read."""
    program = stage.program("memory")
    with Running(stage, program, "grow", stage.path("log"), *steps) as target:
        if not eventually(10, lambda: os.path.exists(stage.path("log"))):
            raise TruthError("the program did not begin")
        done = stage.batch("--pid", str(target.pid), "--format", "jsonl", "--output",
                           stage.path("out"), "--tick", "0")
    if done.returncode != 0:
        raise TruthError(done.stderr.strip())
    log = [tuple(float(word) for word in line.split()) for line in
           stage.read("log").split("\n")[:-1]]
    shown, wrong = 0, []
    # The last line repeats the values of the line before.
    for row in rows_of(stage, "out")[:-1]:
        if row["pss_bytes"] is None:
            continue
        shown += 1
        if row.get("pss_age_s") is None:
            wrong.append("no pss_age_s")
        if row["pss_bytes"] > row["rss_bytes"]:
            wrong.append(f"PSS {text_of(row['pss_bytes'])} beside RSS {text_of(row['rss_bytes'])}")
        # The RSS of its line may be one sample older than a step; then the log around it has both.
        around = [entry for entry in log if abs(entry[0] - row["t"]) < 0.25]
        if around and all(abs(row["pss_bytes"] - entry[2] * 1024) > 0.2 * entry[2] * 1024 + 2 * MIB
                          for entry in around):
            wrong.append(f"PSS {text_of(row['pss_bytes'])} where the program has "
                         f"{around[0][2] / 1024:.0f} MiB")
    large = [row for row in rows_of(stage, "out")[:-1]
             if row["pss_bytes"] and row["pss_bytes"] > 40 * MIB]
    text = f"{shown} shown, {len(wrong)} wrong" + (f": {wrong[0]}" if wrong else "")
    return Shown(text + f", {len(large)} after it grew", not wrong and len(large) > 0)


@case(RARE, "PSS of a program that grows from 0 to 64 MiB and falls to 16, as it reads it itself",
      quick=True)
def pss_of_a_program_that_grows_and_shrinks(stage):
    return pss_case(stage, "0:700", "64:2600", "16:1600")


@case(RARE, "PSS of a program with 64 MiB that takes 57 beside 22 MiB", quick=False)
def pss_of_a_program_that_shrinks(stage):
    return pss_case(stage, "64:1500", "22:7000")


@case(RARE, "0 B/s written 2 s after the last write", quick=False)
def writes_of_a_process_that_sleeps(stage):
    script = ("import os,sys,time\n"
              "f=os.open(sys.argv[1],os.O_CREAT|os.O_WRONLY)\n"
              "end=time.monotonic()+2.5\n"
              "while time.monotonic()<end:\n"
              "  os.write(f,b'x'*65536); os.fsync(f); time.sleep(0.01)\n"
              "print(time.time(),flush=True); time.sleep(30)\n")
    with Running(stage, sys.executable, "-c", script, stage.path("data")) as target:
        with Running(stage, stage.perfhud, "--pid", str(target.pid), "--batch", "--format", "jsonl",
                     "--output", stage.path("out")) as _:
            last = float(target.line())
            time.sleep(4)
    rows = rows_of(stage, "out")
    written = max((row["write_bytes_per_s"] or 0 for row in rows if row["t"] < last), default=0)
    later = [row["write_bytes_per_s"] for row in rows if row["t"] > last + 2.2]
    if written == 0:
        return Shown("this file system accounts no writes", False, uncertain=True)
    return Shown(f"{written / MIB:.1f} MiB/s, later {max(later):.0f} B/s", bool(later)
                 and max(later) == 0)


# Memory of a process tree

def tree_case(stage, truth, mode, *numbers, over, settles=1.5, attach=False):
    """MEM of every sample after the program has said that it is ready and some time has passed.

    A value that is marked as a lower bound must be below the truth; it counts as uncertain. `over`:
    seconds after which an unmarked value is asked for."""
    program = stage.program("memory")
    command = [program, mode, *map(str, numbers), "60"]
    if attach:
        with Running(stage, *command) as target:
            target.line()
            with Running(stage, stage.perfhud, "--pid", str(target.pid), "--tree", "--batch",
                         "--format", "jsonl", "--output", stage.path("out")):
                ready = time.time()
                eventually(over + 20, lambda: settled(stage, ready + settles, truth))
    else:
        with Running(stage, stage.perfhud, "--batch", "--format", "jsonl", "--output",
                     stage.path("out"), "--", *command) as target:
            target.line()
            ready = time.time()
            eventually(over + 20, lambda: settled(stage, ready + settles, truth))
    rows = [row for row in rows_of(stage, "out") if row["t"] > ready + 0.3]
    if not rows:
        raise TruthError("no samples after the program was ready")
    wrong = [row for row in rows if not agrees(row, truth)]
    last = rows[-1]
    mark = "≥ " if is_bound(last) else ""
    first = text_of((wrong or rows)[0]["footprint_bytes"])
    text = f"{mark}{text_of(last['footprint_bytes'])}, {len(wrong)} of {len(rows)} wrong ({first})"
    return Shown(text, not wrong and is_right(last, truth))


def is_bound(row):
    return "footprint_bytes" in (row["lower_bounds"] or "").split()


def is_right(row, truth):
    return (row["footprint_bytes"] is not None and not is_bound(row)
            and abs(row["footprint_bytes"] - truth * MIB) < 0.06 * truth * MIB + 2 * MIB)


def agrees(row, truth):
    value = row["footprint_bytes"]
    if is_bound(row):
        return value is not None and value < 1.06 * truth * MIB + 2 * MIB
    return is_right(row, truth)


def settled(stage, since, truth):
    rows = [row for row in rows_of(stage, "out") if row["t"] > since]
    return len(rows) > 3 and all(is_right(row, truth) for row in rows[-3:])


@case(TREE, "200 MiB shared by a parent and 8 forked children: 200 MiB", quick=True)
def forks_that_share_all(stage):
    return tree_case(stage, 200, "fork", 200, 8, 0, 0, over=3)


@case(TREE, "the same of a tree that was there before perfhud: 200 MiB", quick=True)
def forks_from_before(stage):
    return tree_case(stage, 200, "fork", 200, 8, 0, 0, over=15, attach=True)


@case(TREE, "64 MiB shared, each of 4 children writes 32 MiB of it: 192 MiB", quick=True)
def forks_that_write(stage):
    return tree_case(stage, 192, "fork", 64, 4, 32, 0, over=8)


@case(TREE, "64 MiB shared, each of 4 children takes 16 MiB of its own: 128 MiB", quick=True)
def forks_that_take_more(stage):
    return tree_case(stage, 128, "fork", 64, 4, 0, 16, over=5)


@case(TREE, "64 MiB, and 4 children that execute a program and take 20 MiB each: 144 MiB", quick=True)
def children_with_programs_of_their_own(stage):
    return tree_case(stage, 144, "exec", 64, 4, 20, over=3)


@case(TREE, "100 MiB, and a child of a child that has ended takes 20 MiB: 120 MiB", quick=True)
def a_daemon_shares_with_its_grandparent(stage):
    return tree_case(stage, 120, "daemon", 100, 20, over=3)


@case(TREE, "64 MiB shared, each of 4 children writes 32 MiB of it, the parent releases it: 160 MiB", quick=True)
def forks_whose_parent_releases_what_they_share(stage):
    return tree_case(stage, 160, "release", 64, 4, 32, 0, over=8)


@case(TREE, "200 MiB shared by 8 children that have 5 MiB each, the parent releases it: 240 MiB", quick=True)
def forks_that_keep_what_their_parent_releases(stage):
    return tree_case(stage, 240, "release", 200, 8, 0, 5, over=8)


@case(TREE, "400 MiB shared by 4 children that write half of it: 1200 MiB", quick=False)
def large_forks_are_not_read_unasked(stage):
    shown = tree_case(stage, 1200, "fork", 400, 4, 200, 0, over=3)
    return Shown(shown.text, " 0 of " in shown.text, uncertain="≥" in shown.text)


# Which process is shown

def reporter(stage, *arguments):
    return [sys.executable, stage.script("reporter.py"), *arguments]


def follow_exec(stage, environment, *wrappers, delay="0.7"):
    """Whether perfhud that was attached before the exec hears the program after it, and names it."""
    folder = stage.path("other")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    words = environment + [*wrappers, *reporter(stage, "15", "truth-name")]
    script = f"sleep {delay}; exec \"$@\""
    with Running(stage, "sh", "-c", script, "sh", *words, cwd=stage.folder) as target:
        with Running(stage, stage.perfhud, "--pid", str(target.pid), "--batch", "--format", "jsonl",
                     "--output", stage.path("out")):
            heard = eventually(12, lambda: any(
                (row["actions_per_s"] or 0) > 0 and row["comm"] == "truth-name"
                for row in rows_of(stage, "out")[-3:]))
    rows = rows_of(stage, "out")
    names = sorted({row["comm"] for row in rows})
    return Shown(f"{'heard' if heard else 'nothing heard'}; {', '.join(names)}", heard)


@case(TARGET, "a shell that executes a program with another runtime directory: its events",
      quick=True)
def exec_with_another_environment(stage):
    return follow_exec(stage, ["env", f"XDG_RUNTIME_DIR={stage.path('other')}"])


@case(TARGET, "env -i, nice and a program that finds the socket in TMPDIR: its events", quick=True)
def exec_with_an_empty_environment(stage):
    os.makedirs(stage.path("other"), mode=0o700, exist_ok=True)
    return follow_exec(
        stage, ["nice", "env", "-i", f"PYTHONPATH={stage.environment['PYTHONPATH']}",
                f"TMPDIR={stage.path('other')}"])


@case(TARGET, "a program in a chain of shells, as pyenv and rbenv start it: its events", quick=False)
def exec_through_shims(stage):
    with open(stage.path("shim"), "w", encoding="utf-8") as file:
        file.write("#!/bin/bash\nsleep 0.5\nexport XDG_RUNTIME_DIR=%s\nexec \"$@\"\n"
                   % stage.path("other"))
    os.chmod(stage.path("shim"), 0o755)
    return follow_exec(stage, [], stage.path("shim"), "bash", "-c", "sleep 0.3; exec \"$@\"", "bash")


@case(TARGET, "prog & perfhud --pid $!: the command line of the program is in the title", quick=True)
def title_after_exec(stage):
    with Running(stage, "sh", "-c", "sleep 1.5; exec sleep 61.25") as target:
        with Screen(stage, 100, 24, "--pid", str(target.pid)) as screen:
            before = screen.wait(r"CPU +\d")
            text = screen.wait(r"sleep 61\.25 ", 10) or screen.text()
    title = next((line for line in text.split("\n") if str(target.pid) in line), "no title")
    if before is None:
        raise TruthError("the HUD did not come up")
    # The name stands at the left, so the command line begins with what follows it.
    return Shown(title.strip(), title.startswith("sleep ") and " 61.25" in title)


@case(TARGET, "two matches, the one chosen from the list ends: the other one is shown", quick=True)
def another_match_is_taken(stage):
    name = stage.path("truth-sleeper")
    os.symlink(shutil.which("sleep"), name)
    with Running(stage, name, "60") as old:
        time.sleep(0.05)
        with Running(stage, name, "60") as new:
            with Screen(stage, 80, 24, "--name", "truth-sleeper") as screen:
                listed = screen.wait(rf"(?s)attach to(?=.*\b{new.pid} ).*\b{old.pid} ")
                screen.type(str(new.pid))
                screen.key("Enter")
                first = screen.wait(rf"truth-sleeper 60 +pid {new.pid}\b")
                os.kill(new.pid, signal.SIGKILL)
                new.process.wait()
                second = screen.wait(rf"truth-sleeper 60 +pid {old.pid}\b", 10)
    return Shown(f"both {'listed' if listed else 'not listed'}, the chosen one "
                 f"{'shown' if first else 'not shown'}, then the other "
                 f"{'shown' if second else 'not shown'}", bool(listed and first and second))


@case(TARGET, "a program by its command line in a shell that waits for it: the program", quick=True)
def the_shell_around_a_program_is_not_meant(stage):
    path = stage.path("truth-server.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write("import time\ntime.sleep(60)\n")
    with Screen(stage, 80, 24, "--name", "truth-server", "--wait") as screen:
        if not screen.wait("waiting for"):
            raise TruthError("the HUD did not come up")
        with Running(stage, "sh", "-c", f"sleep 0.4; {sys.executable} {path}; :") as _:
            text = screen.wait(r"(?m)^python\S* (\S+ +)?(pid )?\d+", 10)
    return Shown("the program" if text else "the shell", text is not None)


@case(TARGET, "a process that has ended and was not reaped: zombie, then ended", quick=True)
def zombie(stage):
    script = ("import os,time,sys\n"
              "pid=os.fork()\n"
              "if pid==0:\n  time.sleep(1.2); os._exit(0)\n"
              "print(pid,flush=True)\n"
              "time.sleep(float(sys.argv[1])); os.waitpid(pid,0)\n"
              "time.sleep(30)\n")
    with Running(stage, sys.executable, "-c", script, "5") as parent:
        child = int(parent.line())
        with Screen(stage, 80, 24, "--pid", str(child)) as screen:
            alive = screen.wait(r"CPU +\d")
            dead = screen.wait("(?i)zombie", 10) or screen.text()
            was_early = "ENDED" in dead
            reaped = screen.wait("ENDED", 10)
    if alive is None:
        raise TruthError("the HUD did not come up")
    with Running(stage, sys.executable, "-c", script, "20") as parent:
        child = int(parent.line())
        done = stage.batch("--pid", str(child), "--format", "jsonl", timeout=15)
    state = json.loads(done.stdout.strip().split("\n")[-1])["state"]
    text = (f"{'zombie' if re.search('(?i)zombie', dead) else 'no zombie'}, "
            f"{'ENDED' if reaped else 'never ENDED'}; state {state}; {done.stderr.strip()}")
    return Shown(text, bool(re.search("(?i)zombie", dead)) and not was_early and bool(reaped)
                 and state == "Z" and "not reaped" in done.stderr)


def second_hud(stage, command, columns, rows, *pattern):
    """What a second HUD shows in its first seconds, a picture every 100 ms."""
    pictures = []
    with Running(stage, *command) as target:
        with Running(stage, stage.perfhud, "--pid", str(target.pid), "--batch", "--format", "jsonl",
                     "--output", stage.path("out")):
            if not eventually(10, lambda: len(rows_of(stage, "out")) > 12):
                raise TruthError("the first perfhud did not come up")
            with Screen(stage, columns, rows, "--pid", str(target.pid)) as screen:
                if screen.wait(*pattern) is None:
                    return [screen.text()]
                for _ in range(25):
                    pictures.append(screen.text())
                    time.sleep(0.1)
    return pictures


@case(TARGET, "a second HUD at 20x1 on a program that reports: CPU and memory in every picture",
      quick=True)
def second_hud_in_one_row(stage):
    pictures = second_hud(stage, reporter(stage, "30"), 20, 1, r"CPU.*%.*MEM|another")
    hidden = [picture for picture in pictures if not re.search(r"CPU +\d+% MEM +[\d.]+[KM]", picture)]
    return Shown(f"{len(pictures)} pictures, {len(hidden)} without them: "
                 f"{(hidden or pictures)[-1].strip()}", len(pictures) > 1 and not hidden)


@case(TARGET, "a second HUD on a program that reports events says that another one receives them",
      quick=True)
def second_hud_says_so(stage):
    pictures = second_hud(stage, reporter(stage, "30"), 80, 24, "another perfhud receives")
    said = any("another perfhud receives" in picture for picture in pictures)
    return Shown("said" if said else "not said", said)


@case(TARGET, "a second HUD on a program that reports nothing: no word of another one", quick=True)
def second_hud_on_a_program_that_reports_nothing(stage):
    pictures = second_hud(stage, ["sleep", "30"], 80, 24, r"CPU +\d")
    said = [picture for picture in pictures if "another perfhud" in picture]
    return Shown("nothing said" if not said else "another perfhud …", len(pictures) > 1 and not said)
