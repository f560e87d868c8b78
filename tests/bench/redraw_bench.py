# SPDX-License-Identifier: GPL-2.0-only
"""What a screen writes to its terminal once a second at 120x40, which is what a slow line carries:
the first screen and the list of processes, in all colours, beside htop and btop."""
import os
import statistics
import time

import live
from figures import at_most, need, note, ratio_at_most, result, tool
from pty_session import Session

# The first intervals draw all there is.
WARM_SECONDS, SECONDS = 8, 12
LIMIT_BYTES = 2048


def bytes_a_redraw(command, period):
    """The median of all bytes that came within a period each, as drawn piece by piece."""
    with Session(*command[1:], binary=command[0], columns=120, rows=40, COLORTERM="truecolor") as s:
        s.read(WARM_SECONDS)
        periods = []
        for _ in range(int(SECONDS / period)):
            s.screen, end = b"", time.monotonic() + period
            while (left := end - time.monotonic()) > 0:
                s.read_once(left)
            periods.append(len(s.screen))
        os.write(s.fd, b"q")
        s.wait_end()
        return statistics.median(periods)


def bench_redraw(rounds):
    need("htop", "btop")
    ours = [live.RELEASE, "-d", "1", "-V"]
    with live.Workload("two_functions", 3600), live.Workload("threads", 3600):
        a, b, c, d = [], [], [], []
        for n in range(rounds):
            a.append(bytes_a_redraw([*ours, "overview"], 1))
            b.append(bytes_a_redraw([tool("btop"), "--utf-force"], 2))
            c.append(bytes_a_redraw([*ours, "procs"], 1))
            d.append(bytes_a_redraw([tool("htop"), "-d", "10"], 1))
            note(f"round {n + 1}: overview {a[-1]:.0f}, btop {b[-1]:.0f}, procs {c[-1]:.0f}, "
                 f"htop {d[-1]:.0f} bytes")
        result("bytes a redraw of the overview at 120x40", a, b, "btop", "bytes",
               at_most(LIMIT_BYTES, "bytes"))
        result("bytes a redraw of the view of processes at 120x40", c, d, "htop -d 10", "bytes",
               ratio_at_most(1))
