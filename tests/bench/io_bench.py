# SPDX-License-Identifier: GPL-2.0-only
"""What the view of block I/O costs whom it watches, beside libbpf-tools' biolatency: requests
per second of fio on a loop device whose file is in memory, and the time of the programs for each
of those requests as the kernel measures it, which tells more on a machine that is not quiet."""
import contextlib
import statistics

from bpf_stats import programs_ns, statistics_on
from blockdev import diskstats, fio, loop_device
from figures import need, note, ratio_at_least, result
from sched_bench import peer, screen, wait_for_calm

SECONDS = 2
ROUNDS = 7


def reads(dev):
    return fio(f"/dev/{dev}", ioengine="libaio", iodepth=32, direct=1, rw="randread",
               time_based=1, runtime=SECONDS)["read"]["iops"]


def iops(dev, open_it):
    with open_it():
        return reads(dev)


def spent_ns(pids):
    return sum(sum(programs_ns(p).values()) for p in pids)


def cost_ns(dev, open_it):
    """Of one request: of all programs."""
    with open_it() as pids, statistics_on():
        before, ns = diskstats(dev)["read"][0], spent_ns(pids)
        reads(dev)
        ns = spent_ns(pids) - ns
        return ns / (diskstats(dev)["read"][0] - before)


@contextlib.contextmanager
def nothing():
    yield []


def bench_io(rounds):
    need("fio", "biolatency", "tmux")
    cases = {"none": nothing, "ours": lambda: screen("io"), "peer": lambda: peer("biolatency")}
    rates = {name: [] for name in cases}
    costs = {"ours": [], "peer": []}
    with loop_device() as dev:
        for n in range(max(rounds, ROUNDS)):
            for name, open_it in cases.items():
                wait_for_calm()
                rates[name].append(iops(dev, open_it))
            for name, spent in costs.items():
                wait_for_calm()
                spent.append(cost_ns(dev, cases[name]))
            note(f"round {n + 1}: " + ", ".join(
                f"{name} {rate[-1]:.0f}/s" for name, rate in rates.items()) + "; " + ", ".join(
                    f"{name} {ns[-1]:.0f} ns" for name, ns in costs.items()))
    note(f"nothing attached: {statistics.median(rates['none']):.0f} requests/s")
    result("fio randread 4k depth 32, io open", rates["ours"], rates["peer"], "biolatency", "1/s",
           ratio_at_least(1))
    result("programs for each request, io open", costs["ours"], costs["peer"], "biolatency", "ns")
