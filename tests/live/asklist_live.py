#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Events that are listed one by one, and slots of time, against workloads that know what they did."""
import collections
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from asks import Calls, Watch, run, same  # noqa: E402


def test_lines():
    """Each event is a line, with its fields: texts, numbers, who, when and where"""
    n = 300
    asked = ('list syscalls:sys_enter_openat if comm == "calls" && filename ~ "/nowhere/*"',
             'list syscalls:sys_enter_openat, syscalls:sys_enter_dup if comm == "calls" '
             'show ns, prio')
    begin = live.now_ns()
    pid, _, watch = run("exact", n, *asked)
    rows = watch.rows(ask=asked[0])
    same("by path", {"/nowhere/one": n, "/nowhere/two": n},
         dict(collections.Counter(r["filename"] for r in rows)))
    for r in rows:
        assert r["pid"] == r["tid"] == pid and r["comm"] == "calls", r
        assert r["cpu"] < os.cpu_count() and begin < r["t_ns"] < live.now_ns(), r
        assert {"dfd", "flags", "mode"} <= r.keys(), r
    times = [r["t_ns"] for x in watch.reports for r in x["rows"] if r["ask"] == asked[0]]
    assert times == sorted(times), "lines of an interval are in order of time"
    dups = watch.rows(ask=asked[1], event="syscalls:sys_enter_dup")
    same("of several events", n, len(dups))
    assert all(abs(r["ns"] - r["t_ns"]) < 1_000_000 and r["prio"] == 120 for r in dups), dups[:2]
    same("dropped", 0, watch.reports[-1]["summary"]["dropped"])


def test_texts_in_records():
    """Texts behind the event (__data_loc), and names of questions"""
    n = 20
    with Watch("execsnoop") as watch:
        watch.next()
        pids = []
        for _ in range(n):
            with subprocess.Popen(["/bin/true"]) as p:
                pids.append(p.pid)
        watch.until(live.now_ns())
    rows = {r["pid"]: r for r in watch.rows(ask="execsnoop")}
    same("executed", ["/bin/true"] * n, [rows[p]["filename"] for p in pids if p in rows])


def test_stacks():
    """A line has its stack where it is asked for"""
    n = 50
    asked = f"list syscalls:sys_enter_getppid if pid == {os.getpid()} show stack"
    with Watch(asked) as watch:
        watch.next()
        for _ in range(n):
            os.getppid()  # of this process, which is still there when its functions are looked up
        watch.until(live.now_ns())
    rows = watch.rows(ask=asked)
    same("lines", n, len(rows))
    with_stack = [r for r in rows if any(f["kind"] == "user" for f in r["stack"])]
    assert len(with_stack) >= n * 0.9, rows[:2]


def test_losses():
    """The last lines of an interval are kept; all others are said to be dropped"""
    n = 60000
    asked = '! list syscalls:sys_enter_getppid if comm == "calls" show pid'
    with Calls("exact", n) as work, Watch(asked, options=("-d", 3)) as watch:
        watch.next()
        work.tell()
        work.result()
        watch.until(live.now_ns())
    lines = len(watch.rows())
    dropped = watch.reports[-1]["summary"]["dropped"]
    assert all(len(x["rows"]) <= 16384 for x in watch.reports)
    # Of what the ring had no room for the kernel says with the next line of that CPU.
    lost = sum(x["health"]["lost"] for x in watch.reports)
    live.fact("lines, dropped, lost of 60000", n, (lines, dropped, lost))
    assert lines >= 16384 and dropped > 0, (lines, dropped)
    assert n - lost <= lines + dropped <= n, (n, lines, dropped, lost)


def test_bursts():
    """Slots of time sum up to what came; the fullest is first; a stack is sampled when it is asked"""
    n = 3000
    asked = ('burst syscalls:sys_enter_getppid/comm == "calls"/, sched:sched_switch every 20ms '
             'sample stack if count == 3')
    _, _, watch = run("exact", n, asked)
    rows = watch.rows(ask=asked)
    same("in all slots", n, sum(r["syscalls:sys_enter_getppid"] for r in rows))
    for x in watch.reports:
        counts = [r["count"] for r in x["rows"]]
        assert counts == sorted(counts, reverse=True), counts
    for r in rows:
        assert r["count"] == r["syscalls:sys_enter_getppid"] + r["sched:sched_switch"], r
        assert r["t_ns"] % 20_000_000 == 0, r
        assert bool(r["stack"]) <= (r["count"] >= 3), r
    assert any(r["stack"] for r in rows), rows[:3]


def test_stack_by_counts():
    """A stack is sampled once so many of one event are in the slot, by its name, whatever else came"""
    n = 3000
    asked = ('burst sched:sched_switch, syscalls:sys_enter_getppid/comm == "calls"/ every 20ms '
             'sample stack if sys_enter_getppid >= 40')
    _, _, watch = run("exact", n, asked)
    rows = watch.rows(ask=asked)
    same("in all slots", n, sum(r["syscalls:sys_enter_getppid"] for r in rows))
    for r in rows:
        assert bool(r["stack"]) == (r["syscalls:sys_enter_getppid"] >= 40), r
    assert any(r["stack"] for r in rows) and any(not r["stack"] for r in rows), rows[:3]


def test_last_slot():
    """The last slot is told though nothing comes behind it, with whose stack was sampled"""
    n = 3000
    asked = '! burst syscalls:sys_enter_getppid/comm == "calls"/ every 100ms sample stack if count == 3'
    _, _, watch = run("exact", n, asked)
    rows = watch.rows()
    same("in all slots", n, sum(r["count"] for r in rows))
    for r in rows:
        assert r["comm"] == ("calls" if r["count"] >= 3 else None), r
        assert any(f["kind"] == "user" for f in r["stack"]) == (r["count"] >= 3), r


def test_words():
    """Words of the run queue and of interrupts, where they can be read"""
    with Watch("count cpu-clock by irqs_disabled, nr_running") as watch:
        watch.next()
        with Calls("spin") as work:
            work.tell()
            watch.next()
            watch.next()
            work.tell()
            work.result()
    rows = watch.rows()
    assert any(r["nr_running"] >= 1 for r in rows), rows
    assert all(r["irqs_disabled"] in (0, 1) for r in rows), rows


def test_values_below_zero():
    """Sums, extremes, means, quantiles and distributions of results that are errors"""
    n = 1000
    asked = ('count syscalls:sys_exit_openat if ret < 0 by comm, pid hist ret',
             'count syscalls:sys_exit_openat if ret < 0 && comm == "calls" by kstack sum ret')
    pid, _, watch = run("exact", n, *asked)
    ours = watch.rows(ask=asked[0], pid=pid)
    same("sum", -(2 * 2 * n + 20 * (n // 2)), sum(r["sum"] for r in ours))
    same("sum by stack", -(2 * 2 * n + 20 * (n // 2)), watch.sum("sum", ask=asked[1]))
    same("extremes", (-20, -2), (min(r["min"] for r in ours), max(r["max"] for r in ours)))
    for r in ours:
        assert r["min"] <= r["p50"] <= r["p99"] <= r["max"] <= -2, r
        assert r["min"] <= r["avg"] <= r["max"], r
        assert abs(r["avg"] - r["sum"] / r["count"]) < 1e-6, r
        assert sum(h["count"] for h in r["hist"]) == r["count"], r
        assert all(h["lo"] < h["hi"] <= 0 for h in r["hist"]), r


def test_kernel_threads_at_once():
    """What kernel threads do first is in the first interval"""
    done = live.batch("-n", 1, "-d", 2, "--ask", "count sched:sched_switch by comm",
                      "--filter", "task=kernel")
    with Watch("count workqueue:workqueue_execute_start by comm", view="events") as watch:
        first = watch.next()
    if first["health"]["samples"] < 5:
        raise live.Skip("no work was done in the first interval")
    assert first["summary"]["count"] > 0 and first["rows"], first["summary"]
    assert done[0]["rows"], done[0]["summary"]


def test_recorded(scratch=None):
    """A replay has the same lines"""
    n = 100
    path = os.path.join(scratch or "/tmp", f"asklist-{os.getpid()}.proftop")
    asked = 'list syscalls:sys_enter_openat if comm == "calls" show filename, flags, stack'
    try:
        _, _, watch = run("exact", n, asked, options=("--record", path))
        again = live.batch("--replay", path, "--view", "events", "-n", 1000)
    finally:
        if os.path.exists(path):
            os.unlink(path)
    live_lines = [(r["t_ns"], r["filename"], r["flags"], len(r["stack"])) for r in watch.rows()]
    replayed = [(r["t_ns"], r["filename"], r["flags"], len(r["stack"]))
                for x in again for r in x["rows"]]
    assert len(live_lines) >= 2 * n, len(live_lines)
    same("replayed", sorted(live_lines), sorted(replayed))


if __name__ == "__main__":
    live.main(globals())
