"""Reports actions in bursts and logs when: Unix seconds and count, a line a burst.

actions.py FILE COUNT PERIOD BURSTS [LOST]: in the middle LOST bursts are numbered and not sent."""
import os
import socket
import sys
import time

file, count, period, bursts = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
lost = int(sys.argv[5]) if len(sys.argv) > 5 else 0
end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
end.connect(os.environ["PERFHUD_SOCKET"])
number = 0
begin = time.monotonic() + 0.5
with open(file, "w", encoding="ascii", buffering=1) as log:
    for burst in range(bursts):
        time.sleep(max(0, begin + burst * period - time.monotonic()))
        if bursts // 2 <= burst < bursts // 2 + lost:
            number += count
            continue
        # A few lines in a datagram, so that none is lost but those that are meant to be.
        lines = []
        for _ in range(count):
            number += 1
            lines.append(f"action save seq={number}")
        now = time.time()
        end.send("\n".join(lines).encode())
        log.write(f"{now:.6f} {count}\n")
time.sleep(2.5)
