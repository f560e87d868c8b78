# SPDX-License-Identifier: GPL-2.0-only
"""How long one waits for the table of functions of a perf.data, beside perf report on the same
file: call chains by frame pointers, and copies of stacks that have to be walked. What is inlined
is not asked for: perf begins a program for each file, and takes minutes."""
import os
import resource
import subprocess
import tempfile
import time

import live
from figures import need, note, ratio_at_most, result

VARIANTS = {
    "call chains": ["-a", "-g", "-F", "10000"],
    "copies of stacks (dwarf)": ["-a", "--call-graph", "dwarf", "-F", "499"],
}
SECONDS = 5


def record(file, args):
    with live.Workload("two_functions", 3600), live.Workload("unwind_shapes", 3600), \
            live.Workload("churn", 3600):
        subprocess.run(["perf", "record", "-q", "-o", file, *args, "sleep", str(SECONDS)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def timed(command):
    """Seconds on the wall, and of CPU."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    took, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bench_import(rounds):
    need("perf")
    with tempfile.TemporaryDirectory(prefix="proftop-bench.") as tmp:
        for name, args in VARIANTS.items():
            file = os.path.join(tmp, "perf.data")
            record(file, args)
            shown = live.batch("--replay", file, "-d", 86400, binary=live.RELEASE)
            note(f"perf.data of {os.path.getsize(file) >> 20} MiB, "
                 f"{shown[0]['health']['samples']} samples: {name}")
            ours, peer = [], []
            for _ in range(rounds):
                peer.append(timed(["perf", "report", "-i", file, "--stdio", "--no-inline"]))
                ours.append(timed([live.RELEASE, "--replay", file, "-b", "-d", "86400"]))
            for what, at in (("import", 0), ("import, CPU", 1)):
                result(f"perf.data {what}: {name}", [x[at] for x in ours], [x[at] for x in peer],
                       "perf report --stdio", "s", ratio_at_most(0.333) if not at else None)
            os.unlink(file)
