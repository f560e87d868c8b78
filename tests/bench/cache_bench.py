# SPDX-License-Identifier: GPL-2.0-only
"""What the cache view costs whom it watches: nanoseconds added to a cached pread, on the last
CPU, with the view open in a terminal of its own. The peer is bpftrace,
which does no more than count the same tracepoint."""
import contextlib
import os
import subprocess
import time

import live
from figures import note, ratio_at_most, result
from sched_bench import on_last_cpu, screen, tool, wait_for_calm

COUNT = 1000000
FILE_MIB = 16
SIZES = 4096, 65536
ROUNDS = 5
COUNTER = "tracepoint:filemap:mm_filemap_get_pages { @ = count(); }"


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
    out = subprocess.run(on_last_cpu(work, path, str(COUNT * 4096 // size), str(size)),
                         stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(out)


@contextlib.contextmanager
def counter():
    with subprocess.Popen([tool("bpftrace"), "-e", COUNTER], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: any(kind == "prog" for kind, _ in live.held(p.pid)), 20)
        time.sleep(1)
        yield
        p.kill()


def in_turns(rounds, path, size):
    """What the view and the peer add, and the base: as lists, in nanoseconds."""
    opened = {"cache": lambda: screen("cache"), "bpftrace": counter}
    added, bases = {name: [] for name in opened}, []
    for n in range(rounds):
        for name, open_it in opened.items():
            wait_for_calm()
            bases.append(read_ns(path, size))
            with open_it():
                added[name].append(read_ns(path, size) - bases[-1])
        note(f"round {n + 1}: base {bases[-1]:.0f} ns; " +
             ", ".join(f"{name} +{ns[-1]:.0f}" for name, ns in added.items()))
    return added, bases


def bench_cache(rounds):
    with file_of(FILE_MIB) as path:
        for size in SIZES:
            added, bases = in_turns(max(rounds, ROUNDS), path, size)
            result(f"added to a cached pread of {size} bytes, cache open", added["cache"],
                   added["bpftrace"], "bpftrace, counting", "ns")
            with_view = [a + b for a, b in zip(added["cache"], bases[::len(added)])]
            result(f"a cached pread of {size} bytes, cache open", with_view, bases[::len(added)],
                   "without it", "ns", ratio_at_most(1.05) if size == 4096 else None)
