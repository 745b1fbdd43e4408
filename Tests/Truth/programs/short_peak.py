"""Takes MiB for a moment in the phase `export`, between two phases of half a second that take nothing."""

import mmap
import sys
import time

import perfhud

perfhud.phase("edit")
time.sleep(0.52)
perfhud.phase("export")
memory = mmap.mmap(-1, int(sys.argv[1]) << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
memory.close()
perfhud.phase("view")
time.sleep(0.7)
