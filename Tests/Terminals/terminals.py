#!/usr/bin/env python3
"""Plays the same bytes in real terminals without perfhud and below it, and compares every pixel.

    terminals.py                     every terminal that is installed
    terminals.py kitty st            these
    terminals.py --only REGEX        the cases whose name matches
    terminals.py --seeds 1-12        the random streams (1-6 by default)
    terminals.py --update FILE       writes the table into a Markdown page
    terminals.py --pictures DIR      where pictures that differ are kept

Each terminal runs in an X server of its own. A case is played bare, below the HUD, which is then hidden (SIGUSR1),
and with --ghost. After each step every pixel must be as it was bare. What differs is played once more, bare too:
it counts only if it differs again, and as the terminal's own if two bare pictures differ."""

import argparse
import base64
import concurrent.futures
import json
import mmap
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from dataclasses import dataclass, field

import streams

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COLUMNS, ROWS = 100, 30
WIDTH, HEIGHT = 1280, 800
FONT = "DejaVu Sans Mono"


class TerminalError(Exception):
    """Why a terminal could not be measured, as one line."""


XTERM = ["xterm", "-u8", "-fn", "6x13", "-fb", "6x13B", "-fw", "12x13ja", "-b", "0", "-bw", "0", "+sb", "-bg", "#102030",
         "-fg", "white", "-geometry", f"{COLUMNS}x{ROWS}+0+0", "-xrm", "XTerm*alwaysHighlight: true",
         "-xrm", "XTerm*cursorBlink: never", "-xrm", "XTerm*visualBell: false", "-e"]
SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1"}
# Name → command, environment, how its version is asked for.
TERMINALS = {
    "xterm": (XTERM, {}, ["xterm", "-version"]),
    "kitty": (["kitty", "--config", "NONE", *sum((["-o", option] for option in (
        f"initial_window_width={COLUMNS}c", f"initial_window_height={ROWS}c", "remember_window_size=no",
        "cursor_blink_interval=0", "enable_audio_bell=no", "update_check_interval=0", "confirm_os_window_close=0",
        "linux_display_server=x11", f"font_family={FONT}", "font_size=8", "window_padding_width=0")), [])],
        SOFTWARE, ["kitty", "--version"]),
    "alacritty": (["alacritty", "-o", f"window.dimensions.columns={COLUMNS}", f"window.dimensions.lines={ROWS}",
                   "cursor.style.blinking=Never", "font.size=8", f"font.normal.family={FONT}", "-e"],
                  SOFTWARE, ["alacritty", "--version"]),
    "sakura": (["sakura", "-c", str(COLUMNS), "-r", str(ROWS), "-f", f"{FONT} 8", "-e"], {"GTK_A11Y": "none"},
               ["dpkg-query", "-W", "-f", "VTE ${Version}", "libvte-2.91-0"]),
    "urxvt": (["urxvt", "-geometry", f"{COLUMNS}x{ROWS}+0+0", "+sb", "-b", "0", "+bc", "-fn", f"xft:{FONT}:pixelsize=11",
               "-e"], {}, ["dpkg-query", "-W", "-f", "rxvt-unicode ${Version}", "rxvt-unicode"]),
    "st": (["st", "-g", f"{COLUMNS}x{ROWS}+0+0", "-f", f"{FONT}:pixelsize=11", "-e"], {},
           ["dpkg-query", "-W", "-f", "st ${Version}", "stterm"]),
    "mlterm": (["mlterm", f"--geometry={COLUMNS}x{ROWS}", "--sbmod=none", "--blink=false", "-e"], {},
               ["dpkg-query", "-W", "-f", "mlterm ${Version}", "mlterm"]),
    "konsole": (["konsole", "--nofork", "--hide-menubar", "--hide-tabbar", "--notransparency", "-p",
                 f"TerminalColumns={COLUMNS}", "-p", f"TerminalRows={ROWS}", "-p", "BlinkingCursorEnabled=false", "-p", "AntiAliasFonts=false", "-p",
                 "ScrollBarPosition=2", "-e"], {}, ["dpkg-query", "-W", "-f", "konsole ${Version}", "konsole"]),
    "screen": (XTERM + ["screen", "-c", "/dev/null", "-m"], {}, ["screen", "--version"]),
}


def listen(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(1)
    return server


class Line:
    """The other end of `inside.Line`."""

    def __init__(self, server, what, seconds=20):
        server.settimeout(seconds)
        try:
            self.socket, _ = server.accept()
        except TimeoutError:
            raise TerminalError(f"{what} has not started within {seconds} s") from None
        self.socket.settimeout(40)
        self.file = self.socket.makefile("r", encoding="ascii")

    def hear(self):
        try:
            line = self.file.readline()
        except TimeoutError:
            raise TerminalError("no answer within 40 s") from None
        if not line:
            raise TerminalError("it has ended")
        return json.loads(line)

    def ask(self, **order):
        self.socket.sendall((json.dumps(order) + "\n").encode())
        return self.hear()

    def close(self):
        self.file.close()
        self.socket.close()


class Terminal:
    """A terminal in an X server of its own, whose pixels are read from the server's memory."""

    def __init__(self, name, folder, perfhud):
        self.name, self.folder, self.perfhud, self.count = name, folder, perfhud, 0
        self.processes = []
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self):
        command, extra, _ = TERMINALS[self.name]
        read, write = os.pipe()
        self.processes.append(subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir", self.folder, "-nolisten",
             "tcp", "-noreset", "-nocursor"], pass_fds=[write], stderr=subprocess.DEVNULL))
        os.close(write)
        with os.fdopen(read) as file:
            display = self.display = ":" + file.readline().strip()
        settings = os.path.join(self.folder, ".config/gtk-3.0")
        os.makedirs(settings)
        with open(os.path.join(settings, "settings.ini"), "w", encoding="ascii") as file:
            file.write("[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\n")
        with open(os.path.join(self.folder, "Xvfb_screen0"), "rb") as file:
            self.memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = struct.unpack(">20I", self.memory[:80])
        self.stride, self.first = header[12], header[0] + header[19] * 12
        server = listen(os.path.join(self.folder, "host"))
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder, "DISPLAY": display,
            "XDG_CONFIG_HOME": os.path.join(self.folder, ".config"), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
            "TMPDIR": self.folder, "SCREENDIR": os.path.join(self.folder, "screens"), "QT_QPA_PLATFORM": "xcb",
            "NO_AT_BRIDGE": "1", **extra}
        os.makedirs(environment["SCREENDIR"], mode=0o700)
        inside = [sys.executable, "-S", os.path.join(HERE, "inside.py"), "host", os.path.join(self.folder, "host")]
        if self.name == "sakura":
            inside = [" ".join(inside)]
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.processes.append(subprocess.Popen(
                command + inside, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True))
        self.line = Line(server, self.name)
        server.close()
        size = self.line.hear()
        self.columns, self.rows = size["columns"], size["rows"]
        self.settle(0.5)

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def expose(self):
        """Has all of the window painted anew."""
        environment = {**os.environ, "DISPLAY": self.display}
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "."], env=environment, text=True,
                               capture_output=True, check=False).stdout.split()
        for window in found:
            subprocess.run(["xdotool", "windowunmap", "--sync", window, "windowmap", "--sync", window], env=environment,
                           check=False, capture_output=True, timeout=10)

    def picture(self):
        return self.memory[self.first:self.first + self.stride * HEIGHT]

    def settle(self, quiet=0.16, limit=6):
        """The picture that has not changed for `quiet` seconds."""
        picture, since = self.picture(), time.monotonic()
        end = since + limit
        while time.monotonic() < min(end, since + quiet):
            time.sleep(0.012)
            now = self.picture()
            if now != picture:
                picture, since = now, time.monotonic()
        return picture

    def wait(self, condition, limit):
        """The last picture: one for which the condition holds, if there was one within `limit` seconds."""
        end = time.monotonic() + limit
        while True:
            picture = self.picture()
            if condition(picture) or time.monotonic() > end:
                return picture
            time.sleep(0.012)

    def run(self, mode, environment=None):
        return Playing(self, mode, environment or {})


class Playing:
    """The player in a terminal: bare, or below perfhud."""

    OPTIONS = {"bare": None, "shown": [], "ghost": ["--ghost"]}

    def __init__(self, terminal, mode, environment):
        self.terminal = terminal
        terminal.count += 1
        path = os.path.join(terminal.folder, f"play{terminal.count}")
        server = listen(path)
        command = [sys.executable, "-S", os.path.join(HERE, "inside.py"), "play", path]
        if self.OPTIONS[mode] is not None:
            command = [terminal.perfhud, "--no-summary", *self.OPTIONS[mode], "--", *command]
        self.pid = terminal.line.ask(run=command, environment={"PERFHUD_CONFIG": "/dev/null", **environment})["pid"]
        self.line = Line(server, "the player")
        server.close()
        self.line.hear()

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.line.close()
        if "ended" not in self.terminal.line.hear():
            raise TerminalError("the player has not ended")

    def write(self, writes):
        return self.line.ask(write=[(base64.b64encode(data).decode(), pause) for data, pause in writes])["arrived"]

    def toggle(self):
        os.kill(self.pid, signal.SIGUSR1)


CLEAR = [(b"\x1b[H\x1b[2J", 0)]


def record(terminal, case, folder):
    """Runs a real program bare, and returns its bytes as steps."""
    argv, keys, quiet = case.program
    files = os.path.join(folder, "files")
    shutil.rmtree(files, ignore_errors=True)
    os.makedirs(files)
    for number in range(60):
        with open(os.path.join(files, f"file-{number}.txt"), "w", encoding="ascii") as file:
            file.write(f"line {number}\n")
    for name, text in (
            ("text.txt", "{0}: the quick brown fox jumps over the lazy dog and on, beyond the right edge of a screen, {0}\n"),
            ("log.txt", "\x1b[3{1}m{0:05}\x1b[m \x1b[1mbold\x1b[m \x1b[48;5;{0}m a field with a ground of its own "
                        "\x1b[m tail of the line, as long as the screen is wide\n"),
            ("source.c", 'int value{0}(void) {{ return "a string" ? {0} : 0x{0:x}; }} /* a comment to the edge of it */\n')):
        with open(os.path.join(files, name), "w", encoding="utf-8") as file:
            file.writelines(text.format(number, 1 + number % 6) for number in range(200))
    recorded = []
    with terminal.run("bare") as playing:
        answer = playing.line.ask(spawn=argv, folder=files, quiet=max(0.6, quiet),
                                  environment={"HOME": files, "TMPDIR": files, **case.environment})
        recorded.append(answer["pieces"])
        for key in keys:
            answer = playing.line.ask(type=base64.b64encode(key).decode(), quiet=quiet)
            recorded.append(answer["pieces"])
    if case.name == "tmux":
        subprocess.run(["tmux", "-L", "perfhud-terminals", "kill-server"], check=False, capture_output=True,
                       env={**os.environ, "TMUX_TMPDIR": files, "TMPDIR": files})
    # In pieces as the program wrote them, the HUD painted after every third and at the end of a step.
    return [[(base64.b64decode(piece), streams.PAUSE if index % 3 == 2 or index == len(pieces) - 1 else 0)
             for index, piece in enumerate(pieces)] for pieces in recorded if pieces]


def play_bare(terminal, case, exposes=False):
    pictures = []
    with terminal.run("bare") as playing:
        playing.write(CLEAR)
        for step in case.steps:
            playing.write(step)
            picture = terminal.settle()
            if exposes:
                terminal.expose()
                picture = terminal.settle(0.25)
            pictures.append(picture)
    return pictures


def play_below(terminal, case, mode, expected, exposes=False):
    """Returns (number of the first step that differs or None, its picture, whether the HUD was seen)."""
    was_seen = False
    with terminal.run(mode) as playing:
        playing.write(CLEAR)
        if mode == "shown":
            blank = terminal.picture()
            # The HUD appears.
            terminal.wait(lambda picture: picture != blank, 0.6)
        else:
            time.sleep(0.1)
        for index, step in enumerate(case.steps):
            playing.write(step)
            if mode == "shown":
                # Drawn once more at the end of the step.
                was_seen = terminal.wait(lambda picture: picture != expected[index], 0.15) != expected[index] or was_seen
                playing.toggle()
            if exposes:
                terminal.settle(0.25)
                terminal.expose()
            picture = terminal.wait(lambda picture: picture == expected[index], 1.5)
            if picture != expected[index]:
                return index, picture, was_seen
            if mode == "shown" and index + 1 < len(case.steps):
                playing.toggle()
    return None, None, was_seen


@dataclass
class Result:
    name: str
    version: str = ""
    same: int = 0
    own: list = field(default_factory=list)
    differing: list = field(default_factory=list)
    error: str = ""
    seconds: float = 0
    seen: int = 0
    played: int = 0


def save(path, terminal, picture):
    rows = []
    for row in range(HEIGHT):
        line = picture[row * terminal.stride:row * terminal.stride + 4 * WIDTH]
        rgb = bytearray(3 * WIDTH)
        rgb[0::3], rgb[1::3], rgb[2::3] = line[2::4], line[1::4], line[0::4]
        rows.append(b"\0" + bytes(rgb))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(b"".join(rows), 1)) + chunk(b"IEND", b""))


def bounds(terminal, one, two):
    """The box of pixels that differ, as text."""
    top, bottom, left, right, count = HEIGHT, 0, WIDTH, 0, 0
    for row in range(HEIGHT):
        start = row * terminal.stride
        mine, theirs = one[start:start + 4 * WIDTH], two[start:start + 4 * WIDTH]
        if mine == theirs:
            continue
        top, bottom = min(top, row), row
        places = [index // 4 for index in range(4 * WIDTH) if mine[index] != theirs[index]]
        left, right, count = min(left, places[0]), max(right, places[-1]), count + len(set(places))
    return f"{count} pixels in {left},{top}–{right},{bottom}"


def measure_case(terminal, case, result, options, folder):
    if case.program:
        case.steps = record(terminal, case, folder)
    expected = play_bare(terminal, case)
    for mode in ("shown", "ghost"):
        step, picture, was_seen = play_below(terminal, case, mode, expected)
        result.played += 1
        result.seen += was_seen
        if step is not None:
            # Glyphs may reach over the edge of their cell, and what is left of them depends on the order in which
            # cells were painted. So the window is painted anew before each picture now.
            first, second = (play_bare(terminal, case, exposes=True) for _ in range(2))
            if first != second:
                result.own.append(f"{case.name} ({mode})")
                continue
            expected_now = first
            step, picture, _ = play_below(terminal, case, mode, expected_now, exposes=True)
        if step is None:
            result.same += 1
            continue
        where = bounds(terminal, expected_now[step], picture)
        result.differing.append((case, mode))
        print(f"  {terminal.name}: {case.name}, {mode}, step {step}: {where}", flush=True)
        stem = os.path.join(options.pictures, f"{terminal.name}-{re.sub('[^a-z0-9]+', '-', case.name.lower())}-{mode}")
        save(stem + "-bare.png", terminal, expected_now[step])
        save(stem + "-below.png", terminal, picture)


def measure(name, options):
    result = Result(name)
    start = time.monotonic()
    shown = subprocess.run(TERMINALS[name][2], capture_output=True, text=True, check=False)
    result.version = re.sub(r"\s+", " ", (shown.stdout or shown.stderr).strip().split("\n")[0])[:40]
    with tempfile.TemporaryDirectory(prefix="terminal-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o700)
        terminal = None
        try:
            terminal = Terminal(name, folder, options.perfhud)
            first, last = (int(number) for number in options.seeds.split("-"))
            cases = streams.sequences(terminal.columns, terminal.rows) + [
                streams.Stream(seed, terminal.columns, terminal.rows).case(seed) for seed in range(first, last + 1)
            ] + streams.programs()
            for case in cases:
                if re.search(options.only, case.name):
                    measure_case(terminal, case, result, options, folder)
        except (TerminalError, OSError) as error:
            result.error = str(error)
            if os.path.exists(os.path.join(folder, "log")):
                with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as file:
                    result.error += " " + file.read()[-300:]
        finally:
            if terminal:
                terminal.close()
    result.seconds = time.monotonic() - start
    print(f"{name} {result.version}: {result.same} identical, {len(result.own)} vary bare, "
          f"{len(result.differing)} differ, HUD seen in {result.seen} of {result.played // 2}, "
          f"{result.seconds:.0f} s {result.error}", flush=True)
    return result


def table(results):
    """Markdown: a row a terminal."""
    lines = ["| terminal | version | played | identical | differing | vary without perfhud too |", "|---|---|---|---|---|---|"]
    for result in results:
        if result.error:
            lines.append(f"| {result.name} | {result.version} | – | could not be measured | | |")
            continue

        def names(items):
            return f"{len(items)}: {', '.join(items)}" if items else "0"

        differing = {}
        for case, mode in result.differing:
            differing.setdefault(case.name, []).append(mode)
        lines.append(
            f"| {result.name} | {result.version} | {result.played} | {result.same} | "
            f"{names([f'{name} ({chr(44).join(modes)})' for name, modes in differing.items()])} | {names(result.own)} |")
    return lines


def update(path, lines):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    found = re.search(r"(<!-- terminals -->\n).*?(<!-- /terminals -->)", page, re.S)
    if not found:
        raise SystemExit(f"terminals: {path} has no markers <!-- terminals --> and <!-- /terminals -->")
    page = page[:found.end(1)] + "\n" + "\n".join(lines) + "\n\n" + page[found.start(2):]
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("terminals", nargs="*", help=", ".join(TERMINALS))
    parser.add_argument("--perfhud", default=os.environ.get(
        "PERFHUD_BINARY", os.path.join(ROOT, ".build/release/perfhud")))
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="1-6")
    parser.add_argument("--jobs", type=int, default=3, help="terminals at once; they mostly wait")
    parser.add_argument("--update")
    parser.add_argument("--pictures", default=os.path.join(ROOT, ".build/terminals"))
    options = parser.parse_args()
    options.perfhud = os.path.abspath(options.perfhud)
    if not os.access(options.perfhud, os.X_OK):
        raise SystemExit(f"terminals: no program {options.perfhud}; build it with: make build")
    names = options.terminals or [name for name in TERMINALS if shutil.which(name)]
    for name in names:
        if name not in TERMINALS:
            raise SystemExit(f"terminals: no terminal {name}; there are: {', '.join(TERMINALS)}")
        if not shutil.which(name):
            raise SystemExit(f"terminals: {name} is not installed; make test-terminals installs it")
    os.makedirs(options.pictures, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda name: measure(name, options), names))
    lines = table(results)
    print("\n".join(lines))
    if options.update:
        update(options.update, lines)
    return 1 if any(result.differing or result.error for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
