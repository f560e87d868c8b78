# SPDX-License-Identifier: GPL-2.0-only
"""How long unwind tables take to be made (unwind_bench.c): of what all running processes have
mapped and the libraries with the largest tables, in one go; and rows a second, beside readelf,
which runs the same programs to print them. What a walk by tables costs in the kernel beside one by
frame pointers; what sampling all CPUs costs beside perf, which copies stacks; how soon a new
process has whole stacks."""
import contextlib
import glob
import os
import re
import resource
import signal
import statistics
import subprocess
import time

import live
from figures import comparison, cpu_ns, need, note, object_of, ratio_at_most, result
from tmux import Tmux

BENCHES = os.path.join(live.BUILD, "rel/tests/bench")
BENCH = os.path.join(BENCHES, "unwind_bench")
LARGEST = 100
AIM_MS = 2000
ROW_BYTES, BUDGET_MIB = 8, 64  # of the kernel's tables
LINE = re.compile(r" *(\d+) rows .* (\d+) rules .* ([\d.]+) ms  (.*)")


def mapped():
    """Files that running processes execute."""
    found = set()
    for path in glob.glob("/proc/[0-9]*/maps"):
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as f:
                found |= set(re.findall(r" r-xp .* (/[^\n]*)\n", f.read()))
        except OSError:
            continue  # it ended
    return {p for p in found if os.path.isfile(p)}


def libraries():
    found = (os.path.join(folder, name) for folder, _, names in os.walk("/usr/lib")
             for name in names if ".so" in name)
    return {os.path.realpath(p) for p in found if os.path.isfile(p)}


def tables(paths):
    """Rows, rules and milliseconds of each file, by its path; and of all, by "all"."""
    out = subprocess.run([BENCH], input="".join(f"{p}\n" for p in paths), text=True, check=True,
                         stdout=subprocess.PIPE, errors="surrogateescape").stdout
    return {m[4]: (int(m[1]), int(m[2]), float(m[3])) for m in map(LINE.match, out.splitlines())
            if m}


def readelf_seconds(path):
    start = time.monotonic()
    subprocess.run(["readelf", "-wF", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    return time.monotonic() - start


def rows_mib(rows):
    return rows * ROW_BYTES / 2**20


def bench_all(rounds):
    by_rows = sorted((rows, path) for path, (rows, _, _) in tables(libraries()).items()
                     if path != "all")
    paths = mapped()
    runs = [tables(paths)["all"] for _ in range(rounds)]
    note(f"mapped by running processes: {len(paths)} objects, {runs[0][0]} rows")
    result("unwind tables of all mapped objects", [ms for _, _, ms in runs], [AIM_MS], "aim", "ms")
    result("memory of the tables of all mapped objects", [rows_mib(r[0]) for r in runs],
           [BUDGET_MIB], "the budget", "MiB", ratio_at_most(1))
    paths |= {path for _, path in by_rows[-LARGEST:]}
    runs = [tables(paths)["all"] for _ in range(rounds)]
    note(f"{len(paths)} objects, {runs[0][0]} rows, {rows_mib(runs[0][0]):.1f} MiB")
    result("unwind tables of all mapped and the largest objects", [ms for _, _, ms in runs],
           [AIM_MS], "aim", "ms")


def rate(path, rounds):
    ours, peer = [], []
    for _ in range(rounds):
        _, rules, ms = tables([path])[path]
        ours.append(rules / ms * 1000)
        peer.append(rules / readelf_seconds(path))
    return ours, peer


def bench_rate(rounds):
    for pattern, package in (("/lib*/*/libc.so.6", "libc6"), ("/usr/lib/gcc/*/*/cc1", "cpp")):
        what = f"unwind rules a second, {os.path.basename(pattern)}"
        with comparison(what):
            need("readelf")
            result(what, *rate(object_of(pattern, package), rounds), "readelf -wF", "1/s")


# --- walks ---

DEPTH = 20
AROUND = 4  # frames of main and of what calls it
RATE = 997


def walk_ns(pid, mode):
    """What a sample costs in the kernel, stack and all."""
    report = live.batch("-V", "cpu", "-p", pid, "-n", 3, "-d", 1, "-F", RATE, "--call-graph", mode,
                        binary=live.RELEASE)[-1]
    return report["health"]["cost_ns"]


def bench_cost(rounds):
    """The workload keeps frame pointers: both ways have the same frames to find."""
    depth = DEPTH - AROUND
    with live.Workload("deep_recursion", 3600, depth) as work:
        costs = {mode: [] for mode in ("off", "fp", "eh")}
        for _ in range(rounds):
            for mode, ns in costs.items():
                ns.append(walk_ns(work.pid, mode))
    off = statistics.median(costs["off"])
    note(f"a sample without its stack costs {off:.0f} ns")
    result(f"cost of a sample, {DEPTH} frames by tables", costs["eh"], costs["fp"],
           "frame pointers", "ns", ratio_at_most(2))


# --- all CPUs ---

SYSTEM_HZ, WARM_SECONDS, SYSTEM_SECONDS = 999, 4, 8
COUNT_BYTES = 128  # of a sample's key and value in the map of counts, at most


def rings_bytes(pid):
    return int(subprocess.run([os.path.join(BENCHES, "unwind_rings_bench"), str(pid)], check=True,
                              stdout=subprocess.PIPE, text=True).stdout)


@contextlib.contextmanager
def everything():
    """Hot loops, threads, short-lived processes and waits."""
    with live.Workload("two_functions", 3600), live.Workload("threads", 3600), \
            live.Workload("churn", 3600), live.Workload("switch_storm", 3600, 10000):
        yield


def ours_system():
    """Percent of a CPU, and MiB a second from the kernel. No more counts than samples are read."""
    with Tmux([live.RELEASE, "-F", str(SYSTEM_HZ)], 120, 40) as t:
        t.wait("hot_70|thread_work|short_lived", 20)
        pid = t.pid()
        time.sleep(WARM_SECONDS)
        cpu, start, rings = cpu_ns(pid), time.monotonic(), rings_bytes(pid)
        time.sleep(SYSTEM_SECONDS)
        seconds = time.monotonic() - start
        spent = (cpu_ns(pid) - cpu) / seconds / 1e7
        moved = (rings_bytes(pid) - rings) / seconds
        t.keys("q")
    return spent, (moved + SYSTEM_HZ * os.cpu_count() * COUNT_BYTES) / 2**20


def children_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def perf_walks(path):
    """CPU seconds that perf takes to walk all stacks of a file, without names of lines."""
    before = children_s()
    subprocess.run(["perf", "script", "-i", path, "-F", "comm,ip", "--no-inline"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return children_s() - before


def perf_system(folder):
    """As above; and the CPU with the walks, which are made later."""
    path = os.path.join(folder, "perf.data")
    with subprocess.Popen(["perf", "record", "-a", "-F", str(SYSTEM_HZ), "--call-graph", "dwarf",
                           "-o", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        time.sleep(WARM_SECONDS)
        cpu, start, size = cpu_ns(p.pid), time.monotonic(), os.path.getsize(path)
        time.sleep(SYSTEM_SECONDS)
        seconds = time.monotonic() - start
        spent = (cpu_ns(p.pid) - cpu) / seconds / 1e7
        moved = os.path.getsize(path) - size
        p.send_signal(signal.SIGINT)
    share = moved / os.path.getsize(path)
    walks = perf_walks(path) * share / seconds * 100
    os.unlink(path)
    return spent, moved / seconds / 2**20, spent + walks


def bench_system(rounds):
    need("perf", "tmux")
    a, b = [], []
    with live.temporary() as folder, everything():
        for _ in range(rounds):
            a.append(ours_system())
            b.append(perf_system(folder))
    cpu, moved = [x[0] for x in a], [x[1] for x in a]
    peer = "perf record dwarf"
    result(f"own CPU with whole stacks at {SYSTEM_HZ} Hz", cpu, [x[2] for x in b],
           peer + ", script", "% of a CPU", ratio_at_most(0.05))
    result("the same, stacks not walked by perf", cpu, [x[0] for x in b], peer, "% of a CPU")
    result(f"moved from the kernel at {SYSTEM_HZ} Hz", moved, [x[1] for x in b], peer, "MiB/s",
           ratio_at_most(0.05))


# --- new processes ---

FIRST_AIM_MS = 100


def first_ms(rounds, *command):
    out = subprocess.run([os.path.join(BENCHES, "unwind_first_bench"), str(rounds), *command],
                         check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(x) for x in out.split()]


def bench_first(rounds):
    for name, command in (
            ("libc", [os.path.join(live.WORKLOADS, "two_functions"), "60"]),
            ("python3", ["/usr/bin/python3", "-c", "while True: sorted(range(999))"])):
        ms = first_ms(max(rounds, 7), *command)
        note(f"{name}: {min(ms):.1f} to {max(ms):.1f} ms")
        result(f"first sample to first whole stack, {name}", ms, [FIRST_AIM_MS], "aim", "ms")


def bench_unwind(rounds):
    bench_all(rounds)
    bench_rate(rounds)
    bench_cost(rounds)
    bench_first(rounds)
    with comparison("own CPU with whole stacks"):
        bench_system(rounds)
