# SPDX-License-Identifier: GPL-2.0-only
"""What an agent takes of a machine, beside what the OpenTelemetry eBPF profiler says of itself: its README has 1 % of
CPU and 250 MB as the upper limits of its tests. That is published, not measured here. parca-agent, which is made of
the same profiler, publishes no figure."""
import contextlib
import os
import subprocess
import tempfile
import time

import live
from figures import at_most, cpu_ns, field, note, result
from record_bench import load

VIEWS, INTERVAL_S = "overview,cpu,offcpu,io", "10"
WARM_SECONDS, SECONDS = 25, 60
PUBLISHED = "OTel eBPF profiler, published upper limit"
PUBLISHED_PCT, PUBLISHED_MIB = 1, 250
AIM_PCT, AIM_MIB = 0.3, 30


@contextlib.contextmanager
def agent():
    with tempfile.TemporaryDirectory() as folder, \
            subprocess.Popen([live.RELEASE, "--serve", f"{folder}/socket", "--view", VIEWS, "-d", INTERVAL_S],
                             stderr=subprocess.DEVNULL) as process:
        try:
            yield process.pid
        finally:
            process.terminate()


def one_round(beside):
    """Percent of a CPU and MiB; the machine's load goes into a note."""
    with beside, agent() as pid:
        time.sleep(WARM_SECONDS)
        before, start = cpu_ns(pid), time.monotonic()
        time.sleep(SECONDS)
        pct = (cpu_ns(pid) - before) / 1e7 / (time.monotonic() - start)
        mib = field(f"/proc/{pid}/status", "VmRSS")
        note(f"an agent at a load of {os.getloadavg()[0]:.1f}: {pct:.2f} %, {mib:.1f} MiB")
        return pct, mib


def bench_fleet(rounds):
    for name, beside in (("as the machine is", contextlib.nullcontext), ("beside short processes", load)):
        measured = [one_round(beside()) for _ in range(rounds)]
        for what, i, peer, aim, unit in (("CPU", 0, PUBLISHED_PCT, AIM_PCT, "%"),
                                         ("memory", 1, PUBLISHED_MIB, AIM_MIB, "MiB")):
            result(f"{what} of an agent, {name}", [m[i] for m in measured], [peer], PUBLISHED, unit,
                   at_most(aim, unit))
