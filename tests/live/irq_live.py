#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts: by vector and CPU as /proc/softirqs and /proc/interrupts count them."""
import collections
import os
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

PACKETS = 3000


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
    reports = live.batch("-V", "irq", "--group", "cpu", "-n", 2, "-C", 0)
    assert {r["cpu"] for x in reports for r in x["rows"]} == {0}, reports[-1]["rows"]


def test_kinds():
    """By vector alone a row says of which kind that is"""
    live.need_root()
    with live.Watch("irq", binary=live.CHECKED) as watch:
        watch.next()
        work()
        watch.until(live.now_ns())
        kinds = {r["vector"]: r["kind"] for x in watch.reports for r in x["rows"]}
    soft = {vector for vector, _ in proc_softirqs()}
    assert kinds, "there were none"
    for vector, kind in kinds.items():
        assert kind == ("soft" if vector in soft else "hard"), kinds


if __name__ == "__main__":
    live.main(globals())
