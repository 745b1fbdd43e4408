"""A program with two screens that ends right after the last one: screens.py VISITS MILLISECONDS LEAK_MIB

The canvas keeps LEAK_MIB at each visit, the gallery takes 24 MiB and releases them before it is left.
"""
import mmap
import sys
import time

import perfhud

VISITS, SECONDS, LEAK = int(sys.argv[1]), float(sys.argv[2]) / 1000, int(sys.argv[3])
kept = []


def take(mebibytes):
    """Memory that is written to, in a mapping of its own: what the allocator keeps is not the question here."""
    block = mmap.mmap(-1, mebibytes << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for place in range(0, len(block), 4096):
        block[place] = 1
    return block


time.sleep(0.3)
for visit in range(VISITS):
    perfhud.phase("gallery")
    images = take(24)
    time.sleep(SECONDS)
    images.close()
    perfhud.phase("canvas")
    if LEAK:
        kept.append(take(LEAK))
    time.sleep(SECONDS)
perfhud.phase("end")
perfhud.flush()
