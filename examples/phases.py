#!/usr/bin/env python3
"""A script that reports what it does:

    perfhud -- env PYTHONPATH=clients python3 examples/phases.py

Without a perfhud the calls do nothing.
"""
import collections
import re

import perfhud

perfhud.phase("read", color="blue")
with open(__file__, encoding="utf-8") as file:
    lines = file.readlines() * 500

perfhud.phase("count", color="orange")
counts = collections.Counter()
for number, line in enumerate(lines):
    counts.update(re.findall(r"\w+", line))
    if number % 1000 == 0:
        perfhud.loading("lines", number / len(lines))
        perfhud.action("lines", count=1000)
perfhud.loading_done()

perfhud.phase("report", color="green")
perfhud.value("words", len(counts))
for word, count in counts.most_common(3):
    print(f"{count:8} {word}")
perfhud.flush()
