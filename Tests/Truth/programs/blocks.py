"""A program whose large blocks share room: blocks.py VISITS [report]

gallery takes 30 MiB and frees them; canvas keeps 12 MiB a visit. The C library gives the first block back to the system
when it is freed. After that it takes blocks of this size from its heap, and holds what is freed. With `report` the
program reports what it holds before each phase.
"""
import time

import perfhud
from allocator_phases import VISITS, phase

MIB = 1 << 20
kept = []

time.sleep(0.3)
for visit in range(VISITS):
    phase("gallery")
    picture = bytearray(b"x") * (30 * MIB)
    time.sleep(0.2)
    del picture
    phase("canvas")
    kept.append(bytearray(b"y") * (12 * MIB))
    time.sleep(0.2)
phase("end")
perfhud.flush()
