"""What objects.py and blocks.py share: their arguments VISITS [report], and phases that report first what the allocator
holds if `report` is given."""
import sys

import perfhud

VISITS, REPORTS = int(sys.argv[1]), len(sys.argv) > 2


def phase(name):
    if REPORTS:
        perfhud.allocator_report()
    perfhud.phase(name)
