# SPDX-License-Identifier: GPL-2.0-only
"""What a flame graph of many distinct stacks costs: merging them, which the query worker does
once an interval, and drawing the tree, which the UI does; beside a frame at 60 Hz and the
interval."""
import os
import subprocess

import live
from figures import note, ratio_at_most, result

STACKS = 100000
SIZE = "200", "60"
FRAME_MS, INTERVAL_MS = 1000 / 60, 1000


def bench_flame(rounds):
    runs = []
    for _ in range(rounds):
        out = subprocess.run([os.path.join(live.BUILD, "rel/tests/bench/flame_bench"), str(STACKS),
                              *SIZE], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        runs.append([float(x) for x in out])
    note(f"{STACKS} distinct stacks of 28 frames, {int(runs[0][3])} nodes, on {' x '.join(SIZE)}")
    result("flame graph: redraw", [x[2] for x in runs], [FRAME_MS], "a frame at 60 Hz", "ms",
           ratio_at_most(1))
    result("flame graph: a search's share", [x[1] for x in runs], [FRAME_MS], "a frame at 60 Hz",
           "ms")
    result("flame graph: merge, on the worker", [x[0] for x in runs], [INTERVAL_MS],
           "an interval", "ms")
