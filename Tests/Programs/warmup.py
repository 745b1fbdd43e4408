"""The warm-up of a Python program: the first visit to `report` imports modules, compiles patterns and
fills caches, which stay; each visit makes a table and lets go of it. scripts/record-memory.py records it."""
import functools
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients"))
import perfhud


@functools.lru_cache(maxsize=None)
def square(number):
    return str(number * number) * 4


def report():
    import decimal
    import email.mime.multipart
    import json
    import re
    import unittest
    import xml.dom.minidom
    for length in range(200):
        re.compile("(a|b){%d}[c-z]+$" % (length + 1))
    rows = [{"number": row, "square": square(row % 50_000), "text": "row %d" % row}
            for row in range(60_000)]
    text = json.dumps(rows)
    time.sleep(0.7)
    return len(text), decimal.Decimal(1), email, unittest, xml


time.sleep(0.5)
for _ in range(5):
    perfhud.phase("report")
    time.sleep(0.4)
    report()
    time.sleep(0.4)
    perfhud.phase("menu")
    time.sleep(1.5)
perfhud.phase("end")
time.sleep(1)
