# SPDX-License-Identifier: Apache-2.0
"""What both scripts timing.py measure by."""
import time


def least_times(works, budget):
    """The least time of each, in turns, so that all meet the machine alike and equally often."""
    for work in works:
        work()
    least, spent = [float("inf")] * len(works), 0.0
    while spent < budget * len(works):
        for i, work in enumerate(works):
            begin = time.perf_counter()
            work()
            elapsed = time.perf_counter() - begin
            least[i], spent = min(least[i], elapsed), spent + elapsed
    return least
