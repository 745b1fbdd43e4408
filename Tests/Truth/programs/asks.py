"""Asks the terminal for its attributes and its cursor, and logs all that it reads until the word `end`.

asks.py FILE"""
import os
import sys
import termios
import tty

tty.setraw(0, termios.TCSANOW)
os.write(1, b"first\r\nsecond\r\n\x1b[6n\x1b[c")
got = b""
while not got.endswith(b"end"):
    piece = os.read(0, 4096)
    if not piece:
        break
    got += piece
with open(sys.argv[1], "wb") as file:
    file.write(got)
os.write(1, b"logged\r\n")
os.read(0, 1)
