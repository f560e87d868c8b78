#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts: by vector and CPU as /proc/softirqs and /proc/interrupts count them; functions as perf counts their events;
what could not be interrupted for a time that is known."""
import collections
import contextlib
import os
import platform
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

PACKETS = 3000
WORKS, CALLS, TIMERS, HOLDS = 2000, 2000, 100, 6
TICK_NS = 10_000_000  # at most, of what is called HZ
LOCAL = "LOC", "RES", "CAL", "IWI", "TRM", "SPU", "ERR", "PLT"
EVENTS = {"timer": "timer:timer_expire_exit", "hrtimer": "timer:hrtimer_expire_exit",
          "call": "csd:csd_function_exit", "work": "workqueue:workqueue_execute_end",
          "tasklet": "irq:tasklet_exit"}


def proc_softirqs():
    """{(vector, cpu): count}"""
    with open("/proc/softirqs", encoding="ascii") as f:
        cpus = [int(c[3:]) for c in f.readline().split()]
        return {(line.split(":")[0].strip(), cpu): int(n) for line in f
                for cpu, n in zip(cpus, line.split(":")[1].split())}


def proc_interrupts():
    """The same of handlers; several may have one name."""
    found = collections.Counter()
    with open("/proc/interrupts", encoding="ascii") as f:
        cpus = [int(c[3:]) for c in f.readline().split()]
        for line in f:
            number, rest = line.split(":", 1)
            words = rest.split()
            if number.strip().isdigit() and len(words) > len(cpus):
                for cpu, n in zip(cpus, words):
                    found[words[-1], cpu] += int(n)
    return found


def proc_local():
    """Those of the CPUs' own"""
    with open("/proc/interrupts", encoding="ascii") as f:
        cpus = [int(c[3:]) for c in f.readline().split()]
        lines = [line.split() for line in f]
    return {(words[0][:-1], cpu): int(n) for words in lines if words[0][:-1] in LOCAL
            for cpu, n in zip(cpus, words[1:]) if len(words) > len(cpus)}


class Loads(live.Workload):
    """What runs when it is told."""

    def __init__(self):
        live.need_root()
        if os.cpu_count() < 2:
            raise live.Skip("one CPU calls no other")
        super().__init__("irq_loads", 60, stdin=subprocess.PIPE)

    def run(self, what, times):
        """The longest time that one of them took."""
        self.process.stdin.write(f"{what} {times}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@contextlib.contextmanager
def counting():
    """What perf counts of each kind until the end of the block: {} before."""
    kinds = {k: e for k, e in EVENTS.items()
             if os.path.exists(f"/sys/kernel/tracing/events/{e.replace(':', '/')}")}
    with live.temporary() as folder:
        path, found = os.path.join(folder, "counts"), {}
        try:
            perf = subprocess.Popen(["perf", "stat", "-x,", "-o", path, "-a", "-e", ",".join(kinds.values()),
                                     "sh", "-c", "echo started; exec cat"], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True)
        except OSError as why:
            raise live.Skip(f"perf does not run here: {why}")
        if perf.stdout.readline() != "started\n":
            raise live.Skip("perf stat counts no tracepoints here")
        yield found
        perf.communicate()
        with open(path, encoding="ascii") as f:
            counts = {line.split(",")[2]: int(line.split(",")[0]) for line in f if line[0].isdigit()}
        found.update({k: counts[e] for k, e in kinds.items()})


def work():
    """Softirqs of the network and of timers, and interrupts of a disk or what there is."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a:
        a.bind(("127.0.0.1", 0))
        for _ in range(PACKETS):
            a.sendto(b"x", a.getsockname())
            a.recv(10)
    with open(os.path.join(live.FOLDER, "irq_live.tmp"), "wb") as f:
        for _ in range(20):
            f.write(b"x" * 4096)
            f.flush()
            os.fsync(f.fileno())
    os.unlink(f.name)


def sums(reports, kind):
    found = collections.Counter()
    for report in reports:
        for r in report["rows"]:
            if r["kind"] == kind:
                found[r["vector"], r["cpu"]] += r["count"]
    return found


def compared(read, kind):
    """What is counted lies between what /proc saw within the intervals and around them."""
    live.need_root()
    around = read()
    with live.Watch("irq", "--group", "vector+kind+cpu", binary=live.CHECKED) as watch:
        watch.next()
        within = read()
        work()
        within_end = read()
        watch.until(live.now_ns())
        around_end = read()
        reports = list(watch.reports)
    ours, later = sums(reports, kind), sums(reports[1:], kind)
    seen = 0
    for key in around:
        least, most = within_end[key] - within[key], around_end[key] - around[key]
        assert least <= later[key] and ours[key] <= most, \
            f"{key}: /proc {least} to {most}, found {later[key]} to {ours[key]}"
        seen += least > 0
    assert not set(ours) - set(around), f"not in /proc: {set(ours) - set(around)}"
    assert seen, "there were none"
    assert reports[-1]["health"]["lost"] == 0, reports[-1]["health"]
    for report in reports:
        for r in report["rows"]:
            if r["kind"] != kind:
                continue
            assert r["own_ns"] <= r["total_ns"], r
            assert r["min_ns"] <= r["p50_ns"] <= r["p99_ns"] <= r["max_ns"], r
            assert r["total_ns"] <= report["t1_ns"] - report["t0_ns"] + r["max_ns"], r
    return within, within_end, later


def test_softirqs():
    """Softirqs by vector and CPU are those of /proc/softirqs"""
    within, within_end, later = compared(proc_softirqs, "soft")
    rx = sum(within_end[k] - within[k] for k in within if k[0] == "NET_RX")
    assert rx >= PACKETS / 2, rx
    live.fact("softirqs of NET_RX, at least", rx, sum(n for k, n in later.items() if k[0] == "NET_RX"),
              within=rx, judge="/proc/softirqs")


def test_interrupts():
    """Interrupts by handler and CPU are those of /proc/interrupts"""
    compared(proc_interrupts, "hard")


def test_local_interrupts():
    """Interrupts of the CPUs' own, timers and calls among them, are those of /proc/interrupts"""
    if platform.machine() != "x86_64":
        raise live.Skip("the events irq_vectors are x86's")
    compared(proc_local, "local")


def test_functions():
    """Timers, works, tasklets and calls are as many as perf counts events of them"""
    live.need_root()
    with counting() as outer:
        with live.Watch("irq", "--group", "vector+kind", binary=live.CHECKED) as watch:
            watch.next()
            with counting() as inner, Loads() as loads:
                loads.run("works", 200)
                loads.run("calls", 200)
            watch.until(live.now_ns())
            reports = list(watch.reports)
    for kind, most in outer.items():
        ours = sum(r["count"] for x in reports for r in x["rows"] if r["kind"] == kind)
        later = sum(r["count"] for x in reports[1:] for r in x["rows"] if r["kind"] == kind)
        assert inner[kind] <= later and ours <= most, (kind, inner[kind], later, ours, most)
    assert inner["work"] >= 200 and inner["timer"] and inner["hrtimer"], inner
    print(f"# perf counted {inner} in the middle")


def rows_during(what, times, *options):
    """All rows of a watch in which a load ran, and the longest time that one of it took."""
    with Loads() as loads, live.Watch("irq", *options, binary=live.CHECKED) as watch:
        watch.next()
        took = loads.run(what, times)
        watch.until(live.now_ns())
        return [r for x in watch.reports for r in x["rows"]], took, loads.pid


def test_works():
    """Works are known by their function, with the time from when they were queued"""
    rows, took, _ = rows_during("works", WORKS)
    found = [r for r in rows if r["vector"] == "flush_to_ldisc" and r["kind"] == "work"]
    count = sum(r["count"] for r in found)
    # Other terminals have their own.
    assert WORKS <= count <= 1.2 * WORKS, found
    assert all(0 < r["queued_ns"] <= took for r in found if r["count"] > 10), (took, found)
    live.fact("works of a pseudo terminal", WORKS, count, within=0.2 * WORKS)


def test_timers():
    """Timers are known by their function"""
    rows, _, _ = rows_during("timers", TIMERS)
    count = sum(r["count"] for r in rows if r["vector"] == "process_timeout" and r["kind"] == "timer")
    assert count >= TIMERS, count


def test_causes():
    """Why one CPU calls another: the function that it asks for"""
    if not os.path.exists("/sys/kernel/tracing/events/csd/csd_function_entry"):
        raise live.Skip("this kernel has no events of calls")
    rows, _, _ = rows_during("calls", CALLS, "--group", "vector+kind+cause")
    calls = sum(r["count"] for r in rows if r["vector"] == "ipi_mb" and r["kind"] == "call")
    causes = sum(r["count"] for r in rows if r["vector"] == "CAL" and r["cause"] == "ipi_mb")
    # The thread there may be kept from its CPU now and then.
    assert CALLS * 0.9 <= calls <= CALLS * 1.01, calls
    # An interrupt may come for several functions: it is the first.
    assert calls * 0.9 <= causes <= calls, (calls, causes)
    assert {r["cause"] for r in rows if r["vector"] == "LOC"} - {""}, rows
    live.fact("calls of another CPU", CALLS, calls, within=CALLS / 10)


def held_off(what, vector, where):
    """The longest time of that vector in the process that did it and in such a function, and what it took. Elsewhere a
    host that has the CPU for others is what keeps a tick."""
    rows, took, pid = rows_during(what, HOLDS, "--group", "vector+pid+stack")
    mine = [r for r in rows if r["vector"] == vector and r["pid"] == pid]
    there = [r for r in mine if any(where in (f.get("symbol") or "") for f in r["stack"])]
    assert there, (f"no {vector} in {where}", mine)
    worst = max(there, key=lambda r: r["max_ns"])
    print(f"# {what}: {took / 1e6:.1f} ms, found {worst['max_ns'] / 1e6:.1f} ms")
    return worst, took


def test_interrupts_off():
    """Where interrupts are off for long, the tick is as late as that, and the stack says where"""
    worst, took = held_off("irqs", "[interrupts off]", "kill")
    assert took - TICK_NS <= worst["max_ns"] <= took, (worst, took)


def test_preemption_off():
    """Where a CPU cannot switch for long, so long is it from when it was told to"""
    report = live.batch("-V", "irq", "-n", 1, "-d", "0.3")[-1]
    if "needs Linux" in str(report["health"]):
        raise live.Skip("this kernel has no event sched_set_need_resched_tp")
    worst, took = held_off("preempt", "[preemption off]", "syscall")
    # Between the call and the switch there is its return.
    assert took - 3e6 <= worst["max_ns"] <= took + 1e6, (worst, took)


def test_own_times():
    """Own times do not overlap: of a CPU they are no more than the time there is"""
    live.need_root()
    with live.Watch("irq", "--group", "cpu", binary=live.CHECKED) as watch:
        watch.next()
        work()
        watch.until(live.now_ns())
        for x in watch.reports:
            for r in x["rows"]:
                wall = x["t1_ns"] - x["t0_ns"]
                assert 0 < r["own_ns"] <= wall and r["own_ns"] <= r["total_ns"], r
                live.near(r["wall_pct"], 100 * r["own_ns"] / wall, within=1, what="share of the CPU")


def test_slowest():
    """The longest are listed one by one, each with its stack"""
    rows, _, pid = rows_during("irqs", HOLDS, "--group", "vector+pid+stack")
    longest = {r["vector"]: max(q["max_ns"] for q in rows if q["vector"] == r["vector"]) for r in rows}
    for vector, ns in longest.items():
        mine = [r for r in rows if r["vector"] == vector and r["max_ns"] == ns]
        assert any(r["stack"] for r in mine), mine


def test_interrupted():
    """Who sends over the loopback is interrupted by what receives; all threads' are those of /proc"""
    live.need_root()
    with live.Watch("irq", "--group", "vector+pid+comm", binary=live.CHECKED) as watch:
        watch.next()
        before, cpu = proc_softirqs(), time.process_time_ns()
        work()
        after, cpu = proc_softirqs(), time.process_time_ns() - cpu
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"] if r["vector"] == "NET_RX"]
    rx = sum(after[k] - before[k] for k in before if k[0] == "NET_RX")
    mine = [r for r in rows if r["pid"] == os.getpid()]
    with open("/proc/self/comm", encoding="utf-8") as f:
        assert {r["comm"] for r in mine} == {f.read().strip()}, mine
    count, stolen = sum(r["count"] for r in mine), sum(r["total_ns"] for r in mine)
    # Of the packets some are left to ksoftirqd.
    assert PACKETS / 2 <= count <= rx, (count, rx)
    assert 0 < stolen <= cpu, (stolen, cpu)
    print(f"# {count} softirqs of {PACKETS} packets: {stolen / 1e6:.1f} of {cpu / 1e6:.1f} ms of CPU")


def test_filter_of_interrupted():
    """With a pid only what interrupts that process is counted"""
    live.need_root()
    with live.Workload("two_functions", 30) as busy:
        reports = live.batch("-V", "irq", "--group", "pid", "-n", 2, "-p", busy.pid)
    assert {r["pid"] for x in reports for r in x["rows"]} == {busy.pid}, reports[-1]["rows"]


def test_one_cpu():
    """With a filter by CPU those of the others are left out"""
    live.need_root()
    for cpu in sorted(os.sched_getaffinity(0))[:2]:
        reports = live.batch("-V", "irq", "--group", "cpu", "-n", 2, "-C", cpu)
        assert {r["cpu"] for x in reports for r in x["rows"]} == {cpu}, reports[-1]["rows"]


def test_kinds():
    """By vector alone a row says of which kind that is"""
    live.need_root()
    with live.Watch("irq", binary=live.CHECKED) as watch:
        watch.next()
        work()
        watch.until(live.now_ns())
        kinds = {r["vector"]: r["kind"] for x in watch.reports for r in x["rows"] if r["kind"] in ("hard", "soft")}
    soft = {vector for vector, _ in proc_softirqs()}
    assert kinds, "there were none"
    for vector, kind in kinds.items():
        assert kind == ("soft" if vector in soft else "hard"), kinds


if __name__ == "__main__":
    live.main(globals())
