"""A program whose small objects share room: objects.py VISITS [report]

login keeps 8000 small objects a visit; report makes 40 000 and frees all. What CPython's allocator does not give back
of these has room for what the next login keeps. With `report` the program reports that room before each phase.
"""
import time

import perfhud
from allocator_phases import VISITS, phase

kept = {}

time.sleep(0.3)
for visit in range(VISITS):
    phase("login")
    for number in range(8000):
        kept[visit, number] = {"user": number, "token": str(number) * 3}
    time.sleep(0.15)
    phase("report")
    rows = [{"number": number, "text": str(number)} for number in range(40000)]
    time.sleep(0.1)
    del rows
    time.sleep(0.1)
    phase("index")
    time.sleep(0.15)
phase("end")
perfhud.flush()
