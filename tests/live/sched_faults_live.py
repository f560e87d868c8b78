#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Threads that end, are replaced or reuse an id while they wait, and many of them: no time
is stale, negative or anybody else's, and what is lost is counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import waits  # noqa: E402
from waits import between, rows_of, same_time, steady, total  # noqa: E402


def nothing_lost(report):
    health = report["health"]
    assert health["lost"] == 0 and health["map_full"] == 0, health


def no_impossible_time(rows, longest_ns):
    """No wait is longer than the processes are old, no time is negative."""
    for r in rows:
        for key in ("off_ns", "avg_ns", "max_ns", "unfinished_ns"):
            assert 0 <= r[key] <= longest_ns, (key, r)


def whole_machine(name, seconds, *args, group="comm"):
    """The view over everything: processes that come and go are told by their names in it."""
    live.need_root()
    return waits.Measured("offcpu", name, *args, seconds=seconds, scope=[],
                          options=["--group", group])


CHURN_THREADS = 50000


def churn(view, group):
    """Reports that the whole churn lies within, and what it says of itself."""
    live.need_root()
    # It begins 3 s after it is ready and stays for 12 s when it is over.
    with live.Workload("thread_churn", 60, CHURN_THREADS, 3000, 12000) as work:
        reports = live.batch("-V", view, "-p", work.pid, "-d", 1, "-n", 14, "--group", group,
                             binary=live.RELEASE)
        truth = work.result()
    assert truth["finished"] == CHURN_THREADS, truth
    t0, t1 = reports[0]["t0_ns"], reports[-1]["t1_ns"]
    assert t0 < truth["from_ns"] and truth["to_ns"] < t1 - 1e9, "the churn is not within the window"
    return reports, truth


@steady
def test_thread_churn():
    """50,000 threads: the sum of their sleeps is what they measured, and none is stale"""
    reports, truth = churn("offcpu", "comm+reason")
    rows = [r for report in reports for r in rows_of(report, comm="brief", reason="sleep")]
    lost = reports[-1]["health"]["lost"]
    # What is lost may be the end of a thread, too, which is no sleep.
    count = total(rows, "count")
    assert CHURN_THREADS * 0.99 - lost <= count <= CHURN_THREADS * 1.01, (count, lost)
    # Each of them measured its system call, too.
    if not lost:
        between(total(rows), truth["slept_ns"] - CHURN_THREADS * 20000, truth["slept_ns"],
                "sleeps", pct=2)
    no_impossible_time(rows, 8 * 2e9)
    last = rows_of(reports[-1], comm="brief")
    assert not total(last, "unfinished_ns"), f"ended threads still wait: {last}"


@steady
def test_thread_churn_in_sched():
    """50,000 threads in sched: their runs and CPU time are there, the ended ones go away"""
    reports, _ = churn("sched", "comm")
    # Threads that nobody remembers one by one are in a row of their own.
    runs = sum(total(rows_of(r, comm=name), "runs") for r in reports
               for name in ("brief", "[others]"))
    # With a filter those are in no row, and that is said.
    runs += sum(r["summary"]["left_out_runs"] for r in reports)
    lost = reports[-1]["health"]["lost"]
    # Each gets a CPU at its begin and after its sleep, and some more often for locks.
    assert 1.9 * CHURN_THREADS <= runs + 2 * lost <= 6 * CHURN_THREADS, (runs, lost)
    for r in reports:
        window = r["t1_ns"] - r["t0_ns"]
        assert total(r["rows"], "oncpu_ns") <= window * os.cpu_count() * 1.02, r["rows"]
    gone = [x for x in rows_of(reports[-1], comm="brief") if x["oncpu_ns"] or x["runs"]]
    assert not gone, gone


@steady
def test_killed_while_waiting():
    """Killed in the middle of a wait: the wait counts up to the kill, and no longer"""
    m = whole_machine("killed_waiting", 4, group="comm+reason")
    thread = m.threads["doomed"]
    same_time(total(m.of(comm="doomed", reason="pipe")), thread.waited(m.t0, m.t1), "doomed",
              pct=2, ms=5)
    ended = len(thread.ended(m.t0, m.t1))
    live.near(total(m.of(comm="doomed", reason="pipe"), "count"), ended, 3, "ended waits")
    no_impossible_time(m.of(comm="doomed"), m.span * 2)
    assert total(m.of(comm="doomed"), "unfinished_ns") <= 2 * 30e6, m.rows
    nothing_lost(m.report)


def executing(view, group):
    """A workload that executes itself cannot be asked to end early."""
    live.need_root()
    with live.Workload("exec_waiting", 7) as work:
        report = live.batch("-V", view, "-p", work.pid, "-d", 3, "-n", 1, "--group", group,
                            binary=live.RELEASE)[0]
        threads = waits.threads(work.result())
    return work.pid, report, threads


@steady
def test_exec_while_waiting():
    """Another thread executes while the first one waits: each wait ends there, times are right"""
    pid, report, threads = executing("offcpu", "tid+reason")
    t0, t1 = report["t0_ns"], report["t1_ns"]
    leader, execer = threads["leader"], threads["execer"]
    no_impossible_time(report["rows"], t1 - t0 + 5e6)
    mine = [r for r in report["rows"] if r["tid"] == pid]
    in_lock = [r for r in mine if r["reason"] == "lock"]
    same_time(total(in_lock), leader.waited(t0, t1), "the first thread's waits", pct=3)
    for r in in_lock:
        assert r["max_ns"] <= 150e6, f"a wait went on after the program was replaced: {r}"
    live.near(total(in_lock, "count"), len(leader.ended(t0, t1)), 2, "waits that ended")
    napping = rows_of(report, comm="execer", reason="sleep")
    same_time(total(napping), execer.waited(t0, t1), "the executing threads' naps", pct=3)


def first_threads_states():
    pid, report, _ = executing("sched", "tid")
    window = report["t1_ns"] - report["t0_ns"]
    return sum(sum(r["states"].values()) for r in rows_of(report, tid=pid)), window


@steady
def test_exec_in_sched():
    """Another thread executes: the states of the process's first thread sum to the window"""
    whole, window = first_threads_states()
    same_time(whole, window, "states", pct=2)


def test_exec_before_the_last_switch():
    """A thread that ends after another has taken its id keeps its time, however busy the machine"""
    whole, window = first_threads_states()
    assert whole > 0.8 * window, f"states are {whole / 1e6:.0f} ms of {window / 1e6:.0f}"


def of_process():
    pid, report, threads = executing("procs", "pid")
    return rows_of(report, pid=pid), threads, report["t0_ns"], report["t1_ns"]


@steady
def test_exec_in_procs():
    """Another thread executes: in procs the process has the time of both threads"""
    rows, threads, t0, t1 = of_process()
    for part, name in (("lock_pct", "leader"), ("sleep_pct", "execer")):
        live.near(total(rows, part), 100 * threads[name].waited(t0, t1) / (t1 - t0), 6, part)


def test_exec_is_no_end():
    """A process that other threads execute in is there all the time, however busy the machine"""
    rows, _, _, _ = of_process()
    assert 0.9 < total(rows, "threads") < 2.1, rows


def test_pid_reuse():
    """Rows by process: none takes the name of another that had the pid"""
    live.need_root()
    with waits.refused_here("tid_reuse", "pids cannot be chosen here"):
        m = whole_machine("tid_reuse", 3, group="pid+stack")
    seen = set()
    for r in m.report["rows"]:
        places = waits.symbols(r["stack"])
        for name, function in (("first", "first_waits"), ("second", "second_naps")):
            if function in places:
                assert r["comm"] in (name, "tid_reuse"), r
                seen.add(r["comm"])
    assert {"first", "second"} <= seen, seen


@steady
def test_tid_reuse():
    """Processes that follow each other with one pid: nobody has the wait of the one before"""
    live.need_root()
    with waits.refused_here("tid_reuse", "pids cannot be chosen here"):
        m = whole_machine("tid_reuse", 4, group="comm+stack")
    for name, function in (("first", "first_waits"), ("second", "second_naps")):
        thread = m.threads[name]
        rows = [r for r in m.of(comm=name) if function in waits.symbols(r["stack"])]
        same_time(total(rows), thread.waited(m.t0, m.t1), name, pct=2, ms=5)
        live.near(total(rows, "count"), len(thread.ended(m.t0, m.t1)), 3, f"{name}'s waits")
        longest = 60e6 if name == "first" else 20e6
        assert all(r["max_ns"] <= longest for r in rows), rows
    nothing_lost(m.report)


def test_processes_come_and_go():
    """Under churn of processes no time is impossible and none of it is left behind"""
    live.need_root()
    with live.Workload("churn", 60), live.Workload("killed_waiting", 60):
        for view in ("offcpu", "sched"):
            reports = live.batch("-V", view, "-d", "0.5", "-n", 4, "--group", "tid")
            for r in reports:
                window = r["t1_ns"] - r["t0_ns"]
                for row in r["rows"]:
                    spent = row["off_ns"] if view == "offcpu" else sum(row["states"].values())
                    assert 0 <= spent <= window * 1.02 + 10e6, (view, row)


if __name__ == "__main__":
    live.main(globals())
