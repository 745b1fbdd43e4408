#!/usr/bin/env python3
"""Makes the system calls of perfhud fail, one at a time, and checks what becomes of the command and of the terminal.

    matrix.py                   every mode × call × error × position, some ten minutes
    matrix.py --quick           a sample of them, which `make test` runs
    matrix.py --only REGEX      the cells whose name matches: 'overlay write EIO 5'
    matrix.py --update FILE     writes the rows of the calls that were played into a Markdown page, between its markers

A cell is one run below Tests/Programs/faults.c. It holds if the run ends within the time, the calls and the CPU time
that it may take; if the command's output is whole and in order and its status arrives, or one line says why it was not
started; if the terminal has its modes back; and if nothing ends by a trap.
"""

import argparse
import collections
import fcntl
import multiprocessing
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

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# The position of the call that fails, among the calls of this kind by perfhud.
POSITIONS, QUICK_POSITIONS = (1, 2, 5, 20), (1, 3, 9)
# The errors that the kernel gives for a call, of those that a full, small or busy machine gives; `short`: one byte.
DESCRIPTORS, MEMORY = ("EMFILE", "ENFILE", "ENOMEM"), ("ENOMEM",)
CALLS = {
    "read": ("EINTR", "EAGAIN", "EIO", "ENOMEM", "short"), "pread64": ("EINTR", "EIO", "ENOMEM", "ESRCH", "short"),
    "write": ("EINTR", "EAGAIN", "EIO", "EPIPE", "ENOSPC", "short"), "openat": (*DESCRIPTORS, "EINTR", "EIO", "ENOENT"),
    "ppoll": ("EINTR", "ENOMEM"), "poll": ("EINTR", "ENOMEM"), "ioctl": ("EINTR", "EIO", "ENOTTY"),
    "recvmsg": ("EINTR", "EAGAIN", "ENOMEM"), "sendmsg": ("EINTR", "EAGAIN", "ENOBUFS"),
    "sendto": ("EINTR", "EAGAIN", "ENOBUFS"), "socket": (*DESCRIPTORS, "ENOBUFS"),
    "bind": ("ENOMEM", "EACCES"),
    "socketpair": DESCRIPTORS, "eventfd2": DESCRIPTORS, "signalfd4": DESCRIPTORS, "memfd_create": DESCRIPTORS,
    "pidfd_open": DESCRIPTORS, "pipe2": DESCRIPTORS, "fcntl": ("EMFILE", "EINTR", "ENOMEM"), "mmap": MEMORY,
    "munmap": MEMORY, "brk": MEMORY, "clone": ("EAGAIN", "ENOMEM"), "clone3": ("EAGAIN", "ENOMEM"),
    "vfork": ("EAGAIN", "ENOMEM"), "execve": ("ENOMEM", "EIO"), "wait4": ("EINTR",), "waitid": ("EINTR",),
    "newfstatat": ("ENOMEM", "EACCES", "EIO"), "getdents64": ("ENOENT", "EIO", "EINTR"), "lseek": ("EINVAL",),
    "ptrace": ("EPERM",), "prctl": ("EINVAL",), "fchmod": ("EIO", "EPERM"), "unlink": ("EIO", "EACCES"),
    "mkdir": ("ENOSPC", "EACCES"), "ftruncate": ("ENOSPC", "EIO"), "pwrite64": ("EINTR", "ENOSPC", "EIO"),
    "dup2": ("EINTR", "EIO"), "setsid": ("EPERM",),
    "setsockopt": ("ENOBUFS",), "rename": ("ENOSPC",), "fsync": ("EIO", "ENOSPC"),
}
# Left out: without its first memory the C library ends a program by a signal; only the first of these calls may fail.
MOST_POSITIONS, FEWEST_POSITIONS = {"ptrace": 1}, {"brk": 3}
# No run of a cell needs more; seconds.
MOST_CPU, MOST_CALLS = 8, 250_000
COUNT = 400
LINES = ("lines() { awk -v a=$1 -v b=$2 'BEGIN { for (i = a; i < b; i++) "
         "printf \"\\033]7777;%d\\007line %d of a log\\n\", i, i }'; }; ")
COMMAND = ["sh", "-c", f"{LINES} lines 0 {COUNT}; sleep 0.1; exit 42"]
# Within it the HUD is killed, the parent of the shell's parent, unless it has ended.
KILLING = ["sh", "-c", f"{LINES} lines 0 {COUNT // 2}; hud=$(cut -d ' ' -f 4 /proc/$PPID/stat); "
           "[ $(cat /proc/$hud/comm) != perfhud-hud ] || kill -9 $hud; "
           f"lines {COUNT // 2} {COUNT}; sleep 0.1; exit 42"]
ANSWERS = b"\x1bP>|XTerm(390)\x1b\\\x1b[?2026;2$y\x1b[?69;0$y\x1b[1;1R\x1b[?62;22c"
# What reading or writing a pipe with both ends, or an eventfd, never gives.
BROKEN = ("EIO", "ENOMEM", "ENOSPC", "EPIPE")
# The modes of a terminal that perfhud may set, and how they have to be at the end.
MODES = {b"25": b"h", b"7": b"h", b"1049": b"l", b"1000": b"l", b"1002": b"l", b"1003": b"l", b"1006": b"l",
         b"2004": b"l", b"2026": b"l", b"1": b"l", b"12": None, b"69": b"l", b"6": b"l"}
CRASH = re.compile(rb"Fatal error|Thread \d+ crashed|swift runtime|terminate called|stack smashing|\*\*\* .* \*\*\*",
                   re.I)
MODE_NAMES = ("overlay", "record", "HUD killed", "HUD restarted", "rows of a command", "attach", "rows of a process")
# Whose calls fail, where it is not all of perfhud: the supervisor's.
THREADS = {"HUD killed": ["-p", "perfhud"]}

Cell = collections.namedtuple("Cell", "mode call error position")
Found = collections.namedtuple("Found", "cell targets problems status said")


class Run:
    """A cell that runs, with a terminal and a folder of its own."""

    def __init__(self, options, cell, folder):
        self.cell, self.folder = cell, folder
        self.report, self.output = f"{folder}/report", b""
        self.file = f"{folder}/file"
        self.target = None
        self.command = [options.faults, *THREADS.get(cell.mode, []), "-k", str(cell.position), "-m", str(MOST_CALLS),
                        "-o", self.report, cell.call, cell.error, "--", options.perfhud, *self.arguments()]
        self.has_terminal = cell.mode != "rows of a process"

    def arguments(self):
        if self.cell.mode in ("attach", "rows of a process"):
            self.target = subprocess.Popen(["sleep", "1000"])
        return {
            "overlay": ["--no-summary", "--", *COMMAND],
            "record": ["--no-summary", "--record", self.file, "--", *COMMAND],
            "HUD killed": ["--no-summary", "--", *KILLING],
            "HUD restarted": ["--no-summary", "--restart-hud", "--", *KILLING],
            "rows of a command": ["--batch", "--no-summary", "--format", "csv", "--output", self.file, "--", *COMMAND],
            "attach": ["--pid", str(self.target and self.target.pid), "--duration", "3s"],
            "rows of a process": ["--batch", "--pid", str(self.target and self.target.pid), "--interval", "20ms",
                                  "--samples", "10", "--format", "csv", "--output", self.file],
        }[self.cell.mode]

    def start(self):
        environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "TMPDIR": self.folder, "SHELL": "/bin/sh",
                       "XDG_RUNTIME_DIR": self.folder, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.before = termios.tcgetattr(slave)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for number in range(3):
                os.dup2(slave, number)
            os.execvpe(self.command[0], self.command, environment)
        return pid, master, slave

    def play(self):
        """Runs to the end, and returns the status as wait4(2) gives it, and the CPU seconds."""
        pid, master, slave = self.start()
        is_answered = is_quit = False
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.02)[0]:
                self.output += os.read(master, 65536)
                if not is_answered and b"\x1b[c" in self.output:
                    os.write(master, ANSWERS)
                    is_answered = True
                if self.cell.mode == "attach" and not is_quit and b"iB" in self.output:
                    os.write(master, b"q")
                    is_quit = True
                continue
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                break
        else:
            os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
        while select.select([master], [], [], 0)[0]:
            self.output += os.read(master, 65536)
        self.after = termios.tcgetattr(slave)
        os.close(master)
        os.close(slave)
        return status, usage.ru_utime + usage.ru_stime

    def targets(self):
        try:
            with open(self.report, encoding="utf-8", errors="replace") as file:
                return [line.strip() for line in file if not line.startswith("calls ")]
        except FileNotFoundError:
            return []

    def last_modes(self):
        """The modes of the terminal that are not as they were."""
        last = {}
        for modes, end in re.findall(rb"\x1b\[\?([\d;]+)([hl])", self.output):
            for mode in modes.split(b";"):
                last[mode] = end
        return [mode.decode() for mode, end in last.items() if MODES.get(mode) not in (None, end)]

    def check(self):
        status, cpu = self.play()
        code = os.waitstatus_to_exitcode(status)
        targets = self.targets()
        said = re.findall(rb"perfhud: [^\r\n]*", self.output)
        if (self.cell.call in ("read", "write") and self.cell.error in BROKEN
                and any(re.search(r" (pipe|anon_inode|socket):", target) for target in targets)):
            return Found(self.cell, [], [], code, "")
        problems = []
        if code in (96, 97, 98):
            problems.append({96: "hangs", 97: "spins", 98: "the injector failed"}[code])
        if cpu > MOST_CPU:
            problems.append(f"{cpu:.1f} s of CPU time")
        if CRASH.search(self.output):
            problems.append("a message of the runtime")
        # Any of these says that the terminal is gone.
        is_gone = (self.cell.error in ("EIO", "ENOMEM", "EPIPE", "ENOSPC")
                   and any(" /dev/pts/" in target for target in targets))
        if code < 0 and not (is_gone and code == -signal.SIGHUP):
            problems.append(f"signal {-code}")
        if self.after != self.before:
            problems.append("termios")
        if not is_gone and self.has_terminal and (modes := self.last_modes()):
            problems.append("modes " + ",".join(modes))
        # One line on the HUD that was killed, and one on what failed.
        if len(said) > (2 if self.cell.mode.startswith("HUD ") else 1):
            problems.append(f"{len(said)} lines")
        if self.target is None:
            problems += self.check_command(code, said, is_gone)
        else:
            problems += self.check_target(code, said, is_gone)
        return Found(self.cell, targets, problems, code, b" / ".join(said).decode(errors="replace"))

    def check_command(self, code, said, is_gone):
        numbers = [int(number) for number in re.findall(rb"\x1b\]7777;(\d+)\x07", self.output)]
        if code == 42 and not is_gone:
            return [] if numbers == list(range(COUNT)) else [f"{len(numbers)} of {COUNT} lines"]
        # The command may have ended before its terminal went.
        if is_gone:
            return [] if numbers == list(range(len(numbers))) else ["lines out of order"]
        if code in (125, 126, 127) and not numbers:
            return [] if said else ["not started, and not said"]
        return [f"status {code} after {len(numbers)} lines"]

    def check_target(self, code, said, is_gone):
        if is_gone and code == -signal.SIGHUP:
            return []
        problems = []
        if self.cell.mode == "rows of a process":
            with open(self.file, encoding="utf-8") if os.path.exists(self.file) else open(os.devnull) as file:
                widths = [len(line.split(",")) for line in file.read().splitlines()]
            # A reader that has gone ends the rows without a word.
            is_read = self.cell.error != "EPIPE"
            if code == 0 and not said and is_read and (len(widths) != 11 or len(set(widths)) != 1):
                problems.append(f"{len(widths)} rows")
        if code != 0 and len(said) != 1:
            problems.append(f"status {code}, and not said")
        return problems

    def end(self):
        if self.target:
            self.target.kill()
            self.target.wait()


def play(arguments):
    options, cell = arguments
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        run = Run(options, cell, folder)
        try:
            return run.check()
        finally:
            run.end()


def cells(is_quick):
    all_cells = [Cell(mode, call, error, position)
                 for call, errors in CALLS.items() for error in errors for mode in MODE_NAMES
                 for position in (QUICK_POSITIONS if is_quick else POSITIONS)
                 if FEWEST_POSITIONS.get(call, 1) <= position <= MOST_POSITIONS.get(call, 99)]
    # A step that shares no factor with the counts of errors, modes and positions: all of them are in the sample.
    return all_cells[::23] if is_quick else all_cells


def table(found):
    """One row a call: how many cells of each mode were met, and hold."""
    lines = ["| call | errors | " + " | ".join(MODE_NAMES) + " |", "|---" * (len(MODE_NAMES) + 2) + "|"]
    for call, errors in CALLS.items():
        row = []
        for mode in MODE_NAMES:
            met = [one for one in found if one.cell.call == call and one.cell.mode == mode and one.targets]
            held = sum(not one.problems for one in met)
            row.append(f"{held} of {len(met)}" if held < len(met) else str(held) if met else "–")
        if any(cell != "–" for cell in row):
            lines.append(f"| `{call}` | {', '.join(errors)} | " + " | ".join(row) + " |")
    return lines


def update(path, lines):
    """Writes the rows of the calls that were played; the others stay."""
    begin, end = "<!-- faults -->", "<!-- /faults -->"
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if begin not in page or end not in page:
        sys.exit(f"matrix.py: {path} has no markers")
    head, rest = page.split(begin, 1)
    before, rest = rest.split(end, 1)
    rows = {line.split("|")[1]: line for line in before.strip().splitlines() + lines}
    order = [f" `{call}` " for call in CALLS]
    body = lines[:2] + [rows[call] for call in order if call in rows]
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + "\n".join(body) + "\n" + end + rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a sample of the cells")
    parser.add_argument("--only", type=re.compile, help="the cells whose name matches")
    parser.add_argument("--update", metavar="FILE", help="the page whose rows are written")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1), help="cells at the same time")
    parser.add_argument("--perfhud", default=f"{ROOT}/.build/release/perfhud")
    options = parser.parse_args()
    chosen = [cell for cell in cells(options.quick)
              if not options.only or options.only.search(" ".join(map(str, cell)))]
    options.folder = tempfile.mkdtemp()
    try:
        options.faults = f"{options.folder}/faults"
        subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", options.faults,
                        f"{ROOT}/Tests/Programs/faults.c"], check=True)
        start = time.monotonic()
        found = []
        with multiprocessing.Pool(options.jobs) as pool:
            for one in pool.imap_unordered(play, [(options, cell) for cell in chosen]):
                found.append(one)
                if one.problems:
                    print(f"FAIL {' '.join(map(str, one.cell))}: {', '.join(one.problems)} "
                          f"(status {one.status}, {' '.join(one.targets)}) {one.said}", flush=True)
    finally:
        shutil.rmtree(options.folder, ignore_errors=True)
    met = [one for one in found if one.targets]
    failed = sum(bool(one.problems) for one in found)
    print(f"faults: {len(found)} cells, {len(met)} met a call, {failed} failed, {time.monotonic() - start:.0f} s")
    if options.update:
        update(options.update, table(found))
    sys.exit(1 if failed or not met else 0)


if __name__ == "__main__":
    main()
