# SPDX-License-Identifier: GPL-2.0-only
"""What the cache view costs whom it watches: nanoseconds added to a cached pread, on the last
CPU, with the view open in a terminal of its own; and the time of the programs for each pread, as
the kernel measures it, which tells more where a pread itself varies by more than they take. The
peer is bpftrace, which does no more than count the same tracepoint."""
import contextlib
import os
import subprocess
import time

import live
from bpf_stats import statistics_on
from figures import comparison, here, need, note, ratio_at_most, result, tool
from io_bench import spent_ns
from sched_bench import on_last_cpu, screen, wait_for_calm

COUNTS = {4096: 1000000, 65536: 200000}  # bytes: preads in a measurement
FILE_MIB = 16
ROUNDS = 5
COUNTING = "tracepoint:filemap:mm_filemap_get_pages { @ = count(); }"


@contextlib.contextmanager
def file_of(mib):
    path = os.path.join(live.BUILD, "cache_bench.data")
    with open(path, "wb") as f:
        f.write(bytes(mib << 20))
    try:
        yield path
    finally:
        os.unlink(path)


def read_ns(path, size):
    work = os.path.join(live.WORKLOADS, "cache_reads")
    out = subprocess.run(on_last_cpu(work, path, str(COUNTS[size]), str(size)),
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(out)


@contextlib.contextmanager
def counter():
    with subprocess.Popen([tool("bpftrace"), "-e", COUNTING], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: any(kind == "prog" for kind, _ in live.held(p.pid)), 20)
        time.sleep(1)
        yield [p.pid]
        p.kill()


def cost_ns(pids, path, size):
    """Of all programs, for one pread."""
    with statistics_on():
        before = spent_ns(pids)
        read_ns(path, size)
        return (spent_ns(pids) - before) / COUNTS[size]


class Case:
    """Of each round: a pread without it, with it, and the time of its programs for one."""

    def __init__(self):
        self.bases, self.withs, self.costs = [], [], []

    def measure(self, opened, path, size):
        wait_for_calm()
        self.bases.append(read_ns(path, size))
        with opened() as pids:
            self.withs.append(read_ns(path, size))
            self.costs.append(cost_ns(pids, path, size))

    def added(self):
        return [a - b for a, b in zip(self.withs, self.bases)]


def in_turns(rounds, path, size):
    opened = {"cache": lambda: screen("cache")}
    if here("bpftrace"):
        opened["bpftrace"] = counter
    cases = {name: Case() for name in opened}
    for n in range(rounds):
        for name, case in cases.items():
            case.measure(opened[name], path, size)
        note(f"round {n + 1}: " + ", ".join(f"{name} {c.bases[-1]:.0f} +{c.added()[-1]:.0f} ns"
                                            for name, c in cases.items()))
    return cases


def bench_size(rounds, path, size):
    what = f"a cached pread of {size} bytes"
    cases = in_turns(max(rounds, ROUNDS), path, size)
    ours = cases["cache"]
    with comparison(f"added to {what}; programs for each"):
        need("bpftrace")
        peer = cases["bpftrace"]
        result(f"added to {what}, cache open", ours.added(), peer.added(), "bpftrace, counting",
               "ns")
        result(f"programs for {what}, cache open", ours.costs, peer.costs, "bpftrace, counting",
               "ns")
    result(f"{what}, cache open", ours.withs, ours.bases, "without it", "ns",
           ratio_at_most(1.05) if size == 4096 else None)


def bench_cache(rounds):
    need("taskset", "tmux")
    with file_of(FILE_MIB) as path:
        for size in COUNTS:
            bench_size(rounds, path, size)
