"""Reports an action every 20 ms for so many seconds; the argument after that is its name for the kernel."""
import ctypes
import sys
import time

import perfhud

if len(sys.argv) > 2:
    ctypes.CDLL(None).prctl(15, sys.argv[2].encode(), 0, 0, 0)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    perfhud.action("tock")
    time.sleep(0.02)
