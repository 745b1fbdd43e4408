#!/usr/bin/env python3
"""Records the output of real programs for the pictures of `make screenshots`: make, vim and perfhud-demo.

The recordings in Screens are kept, so that the pictures are the same on every machine; run this only to make new ones,
after `make build`. Needs gcc, make and vim. Each piece of output is `=MILLISECONDS BYTES`, a line feed and the bytes.
"""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ROWS, COLUMNS = 24, 80


def record(command, folder, seconds, keys=b"", grid=0):
    """Runs a command on a pty of its own; returns its output as pieces with their milliseconds.

    With `grid`, output within as many milliseconds is one piece.
    """
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(folder)
        environment = {
            "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor",
            "HOME": folder,
        }
        os.execvpe(command[0], command, environment)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.kill(pid, signal.SIGWINCH)
    start = time.monotonic()
    pieces = []
    sent = False
    while time.monotonic() - start < seconds:
        if keys and not sent and time.monotonic() - start > 0.7:
            os.write(master, keys)
            sent = True
        ready, _, _ = select.select([master], [], [], 0.02)
        if not ready:
            continue
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        passed = int((time.monotonic() - start) * 1000)
        if grid:
            passed = passed // grid * grid
        if pieces and pieces[-1][0] == passed:
            pieces[-1][1] += data
        else:
            pieces.append([passed, data])
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    os.waitpid(pid, 0)
    os.close(master)
    return pieces


def write(name, pieces):
    text = b"".join(b"=%d %d\n%s\n" % (passed, len(data), data) for passed, data in pieces)
    for word in (os.environ.get("USER", ""), ROOT, tempfile.gettempdir()):
        if word and len(word) > 3 and word.encode() in text:
            sys.exit(f"record: {name} has {word} in it")
    with open(os.path.join(HERE, "Screens", name), "wb") as file:
        file.write(text)
    print(f"{name}: {len(pieces)} pieces, {len(text)} bytes")


PARTS = [
    "aperture", "catalog", "clock", "dome", "drive", "exposure", "filter", "focus", "frame", "guide", "image",
    "journal", "mount", "plan", "shutter", "sky", "star", "weather",
]

SKY = '''\
#include "sky.h"
#include "star.h"

#include <math.h>
#include <stdio.h>

/* Stars that rise above the horizon within the night. */
static const struct site site = {.latitude = 35.68, .longitude = 139.69};

double altitude(const struct star *star, double hour)
{
    double angle = (hour - star->right_ascension) * M_PI / 12.0;
    double height = sin(site.latitude) * sin(star->declination)
        + cos(site.latitude) * cos(star->declination) * cos(angle);
    return asin(height) * 180.0 / M_PI;
}

int visible(const struct star *stars, int count, double hour)
{
    int found = 0;
    for (int index = 0; index < count; index++) {
        if (altitude(&stars[index], hour) < 12.5)
            continue; /* behind the trees */
        printf("%-12s %5.1f\\n", stars[index].name, stars[index].magnitude);
        found++;
    }
    return found;
}
'''


def make_project(folder):
    os.makedirs(os.path.join(folder, "src"))
    os.makedirs(os.path.join(folder, "build"))
    for part in PARTS:
        with open(os.path.join(folder, "src", part + ".c"), "w") as file:
            file.write(f"#include <math.h>\ndouble {part}(double x)\n{{\n")
            if part == "focus":
                file.write("    int step;\n")
            file.write("    return sin(x) * cos(x);\n}\n")
    with open(os.path.join(folder, "src", "main.c"), "w") as file:
        file.write("int main(void) { return 0; }\n")
    with open(os.path.join(folder, "Makefile"), "w") as file:
        file.write(
            "PARTS = " + " ".join(PARTS + ["main"]) + "\n"
            "build/skyview: $(PARTS:%=build/%.o)\n"
            "\tcc -o $@ $^ -lm\n"
            "build/%.o: src/%.c\n"
            "\tcc -O2 -Wall -c $< -o $@\n")


def main():
    folder = tempfile.mkdtemp()
    try:
        make_project(folder)
        write("make.screen", record(["make", "-j2"], folder, 30))
        shutil.rmtree(os.path.join(folder, "src"))
        os.makedirs(os.path.join(folder, "src"))
        with open(os.path.join(folder, "src", "sky.c"), "w") as file:
            file.write(SKY)
        vim = [
            "vim", "-u", "NONE", "-N", "-c", "syntax on", "-c", "set number ruler showcmd laststatus=2 cursorline",
            "-c", "set termguicolors", "-c", "colorscheme habamax",
            # The background is the terminal's own.
            "-c", "hi Normal guibg=NONE | hi LineNr guibg=NONE | hi CursorLineNr guibg=NONE", "src/sky.c",
        ]
        pieces = record(vim, folder, 1.6, keys=b"20Gww")
        write("vim.screen", pieces)
        demo = os.path.join(ROOT, ".build", "release", "perfhud-demo")
        write("demo.screen", record([demo, "--leak"], folder, 24.5, grid=100))
    finally:
        shutil.rmtree(folder)


main()
