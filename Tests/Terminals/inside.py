#!/usr/bin/env python3
"""The two programs of terminals.py that run inside of a terminal.

    inside.py host SOCKET   the command of the terminal: starts what it is told, one after the other
    inside.py play SOCKET   the program below the HUD, or bare: writes bytes, or runs a program and records it

Both take JSON, an object a line, from a Unix socket, and answer each with one."""

import base64
import fcntl
import json
import os
import pty
import select
import socket
import struct
import subprocess
import sys
import termios
import time
import tty


class Line:
    """Objects over a socket, a line each."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("r", encoding="ascii")

    def say(self, **answer):
        self.socket.sendall((json.dumps(answer) + "\n").encode())

    def orders(self):
        for line in self.file:
            yield json.loads(line)


def write_all(data, descriptor=1):
    while data:
        data = data[os.write(descriptor, data):]


def host(path):
    line = Line(path)
    saved = termios.tcgetattr(0)
    rows, columns = os.get_terminal_size().lines, os.get_terminal_size().columns
    line.say(rows=rows, columns=columns, term=os.environ.get("TERM"))
    for order in line.orders():
        tty.setraw(0)
        # What a program may have left: sets, margins, modes, the alternate screen, colors; then all else.
        write_all(b"\x18\x1b[?2026l\x1b[?1049l\x1b[?69l\x1b[r\x1b[4l\x1b[?6l\x1b[?7h\x1b[?25h\x1b[?1000l\x1b[?1l"
                  b"\x1b[m\x1b(B\x1b)B\x0f\x1bc\x1b[3g" + b"".join(
                      b"\x1b[1;%dH\x1bH" % (column + 1) for column in range(8, columns, 8)) + b"\x1b[H\x1b[2J\x1b[3J")
        wait_for_terminal()
        termios.tcflush(0, termios.TCIFLUSH)
        termios.tcsetattr(0, termios.TCSANOW, saved)
        child = subprocess.Popen(order["run"], env={**os.environ, **order["environment"]})
        line.say(pid=child.pid)
        status = child.wait()
        termios.tcsetattr(0, termios.TCSANOW, saved)
        line.say(ended=status)


def wait_for_terminal(seconds=3):
    """Until the terminal has taken all that was written: it answers DSR. Returns whether it did."""
    write_all(b"\x1b[5n")
    answer, end = b"", time.monotonic() + seconds
    while b"\x1b[0n" not in answer:
        left = end - time.monotonic()
        if left <= 0 or not select.select([0], [], [], left)[0]:
            return False
        answer = (answer + os.read(0, 4096))[-64:]
    return True


class Recorded:
    """A real program in a pty of its own, whose bytes go to the terminal as they come."""

    def __init__(self, order):
        size = os.get_terminal_size()
        self.child, self.master = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", size.lines, size.columns, 0, 0))
            os.chdir(order["folder"])
            os.execvpe(order["spawn"][0], order["spawn"], {**os.environ, **order["environment"]})

    def step(self, keys, quiet, limit=10):
        """Types, and returns what is written until nothing was for `quiet` seconds."""
        write_all(keys, self.master)
        pieces, last, end = [], time.monotonic(), time.monotonic() + limit
        while time.monotonic() < min(last + quiet, end):
            ready = select.select([0, self.master], [], [], 0.02)[0]
            if 0 in ready:
                write_all(os.read(0, 4096), self.master)
            if self.master in ready:
                try:
                    piece = os.read(self.master, 65536)
                except OSError:
                    break
                write_all(piece)
                pieces.append(base64.b64encode(piece).decode())
                last = time.monotonic()
        return pieces

    def end(self):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        os.close(self.master)


def play(path):
    line = Line(path)
    saved = termios.tcgetattr(0)
    tty.setraw(0)
    program = None
    try:
        line.say(ready=True)
        for order in line.orders():
            if "write" in order:
                for piece, pause in order["write"]:
                    write_all(base64.b64decode(piece))
                    # Answers to the bytes' own questions are nobody's.
                    while select.select([0], [], [], 0)[0] and os.read(0, 4096):
                        pass
                    if pause:
                        time.sleep(pause / 1000)
                line.say(arrived=wait_for_terminal())
            elif "spawn" in order:
                program = Recorded(order)
                line.say(pieces=program.step(b"", order["quiet"]))
            elif "type" in order:
                line.say(pieces=program.step(base64.b64decode(order["type"]), order["quiet"]))
            else:
                break
    finally:
        if program:
            program.end()
        termios.tcsetattr(0, termios.TCSANOW, saved)


if __name__ == "__main__":
    {"host": host, "play": play}[sys.argv[1]](sys.argv[2])
