#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Waiting for a CPU and time in states, against /proc/PID/schedstat as the workloads read it
themselves, and against runqlat, cpudist and perf sched on the same seconds."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import waits  # noqa: E402
from waits import between, same_time, same_time_as, steady, total  # noqa: E402


def measure(name, *args, options=("--group", "tid"), **kw):
    live.need_root()
    m = waits.Measured("sched", name, *args, options=options, **kw)
    sound(m.report)
    return m


def sound(report):
    window = report["t1_ns"] - report["t0_ns"]
    for r in report["rows"]:
        assert all(ns >= 0 for ns in r["states"].values()), r
        assert sum(r["states"].values()) <= window * 1.01 + 5e6, r
        assert 0 <= r["oncpu_ns"] <= window * 1.01 + 5e6, r
        if r["wait_p50_ns"] is not None:
            assert r["wait_p50_ns"] <= r["wait_p99_ns"], r
        assert r["wait_ns"] >= 0 and r["runs"] >= 0 and r["migrations"] >= 0, r


def check_thread(m, name):
    """Runs, and CPU time with run delay, of a thread that reads its own schedstat."""
    thread, row = m.threads[name], m.one(comm=name)
    assert row["tid"] == thread.tid and row["pid"] == thread.pid, row
    runs = thread.runs(m.t0, m.t1)
    live.near(row["runs"], runs, 2 + runs * 0.02, f"{name} runs", live.SCHEDSTAT)
    least = thread.cpu(m.t0, m.t1) + thread.delay(m.t0, m.t1)
    apart = runs * waits.LEAVING_NS
    between(row["oncpu_ns"] + row["wait_ns"], least - apart, least + apart,
            f"{name} on the CPU or waiting for it", pct=2)
    same_time(sum(row["states"].values()), m.span, f"{name}'s states", judge=live.INTERVAL)
    same_time(row["states"]["R"], row["oncpu_ns"], f"{name} running", judge=live.ITSELF)
    same_time(row["states"]["RD"], row["wait_ns"], f"{name} runnable", pct=4, ms=4,
              judge=live.ITSELF)
    return row


def check_preempted(m, name):
    """The same of a thread that is only preempted, never woken: CPU time and delay apart."""
    row, thread = check_thread(m, name), m.threads[name]
    same_time(row["oncpu_ns"], thread.cpu(m.t0, m.t1), f"{name} on the CPU", pct=2,
              judge=live.CLOCK)
    same_time(row["wait_ns"], thread.delay(m.t0, m.t1), f"{name} delayed", pct=2,
              judge=live.SCHEDSTAT)
    return row


@steady
def test_hogs():
    """Hogs of nice 0, 5 and 10 on one CPU: run delay within 2 % of their schedstat"""
    m = measure("nice_hogs")
    for name in m.threads:
        row = check_preempted(m, name)
        assert row["states"]["R"] + row["states"]["RD"] > 0.99 * m.span, row
        assert row["migrations"] <= 1, row


@steady
def test_sleepers():
    """Threads that sleep: few and short delays, and their sleep in S, summing to the window"""
    m = measure("sleepers")
    for name in m.threads:
        row, thread = check_thread(m, name), m.threads[name]
        same_time(row["states"]["S"] + row["states"]["RD"], thread.waited(m.t0, m.t1),
                  f"{name} in S, then RD", pct=1.5)


@steady
def test_states():
    """S, D, T, t, R and RD of processes that are in them, each summing to the window"""
    m = measure("states")
    for name, state in (("st-sleep", "S"), ("st-disk", "D"), ("st-stop", "T"),
                        ("st-trace", "t")):
        row = m.one(comm=name)
        same_time(row["states"][state], m.threads[name].waited(m.t0, m.t1), f"{name} in {state}",
                  pct=2)
        same_time(sum(row["states"].values()), m.span, name, judge=live.INTERVAL)
    row = m.one(comm="st-run")
    same_time(row["states"]["R"] + row["states"]["RD"], m.span, "st-run", judge=live.INTERVAL)
    same_time(row["states"]["R"], m.threads["st-run"].cpu(m.t0, m.t1), "st-run on the CPU", pct=2,
              judge=live.CLOCK)


@steady
def test_known_delay():
    """A thread that gets its CPU 20 ms late each time: p50, p99, max and histogram say so"""
    live.need_root()
    with waits.refused_here("cpu_holder", "no real-time priority here"):
        m = measure("cpu_holder")
    row, thread = check_thread(m, "victim"), m.threads["victim"]
    same_time(row["wait_ns"], thread.delay(m.t0, m.t1), "delay", pct=2, judge=live.SCHEDSTAT)
    late = [b - a for a, b in thread.ended(m.t0, m.t1)]
    live.near(row["wait_p50_ns"] / 1e6, 20, 3, "p50, ms,")
    same_time(row["wait_max_ns"], max(late), "max", pct=2)
    hist = [h for h in m.report["summary"]["hist"]
            if h["count"] and h["lo_ns"] <= 20.1e6 and (h["hi_ns"] or 1 << 63) >= 19.9e6]
    assert sum(h["count"] for h in hist) >= len(late) - 2, m.report["summary"]["hist"]
    for h in hist:
        assert h["hi_ns"] <= 1.3 * h["lo_ns"], f"too wide a bucket: {h}"


@steady
def test_histogram():
    """The histogram has the delays of all rows, in buckets that follow each other"""
    m = measure("sleepers", seconds=2)
    hist = m.report["summary"]["hist"]
    for a, b in zip(hist, hist[1:]):
        assert a["hi_ns"] <= b["lo_ns"] or a["hi_ns"] == b["lo_ns"], (a, b)
    delays = sum(h["count"] for h in hist)
    runs = sum(r["runs"] for r in m.rows)
    live.near(delays, runs, 5 + runs * 0.02, "delays", live.ITSELF)
    least = sum(h["count"] * h["lo_ns"] for h in hist)
    most = sum(h["count"] * (h["hi_ns"] or h["lo_ns"]) for h in hist)
    assert least <= total(m.rows, "wait_ns") <= most, (least, total(m.rows, "wait_ns"), most)


def migrations_of(pid, tid):
    path = f"/proc/{pid}/task/{tid}/sched"
    if not os.path.exists(path):
        raise live.Skip("this kernel has no /proc/PID/sched")
    with open(path, encoding="ascii", errors="replace") as f:
        return int(re.search(r"nr_migrations\s*:\s*(\d+)", f.read())[1])


@steady
def test_migrations():
    """Migrations are the kernel's own count"""
    live.need_root()
    if os.cpu_count() < 2:
        raise live.Skip("one CPU")
    with live.Workload("two_functions", 60) as work:
        before = migrations_of(work.pid, work.pid)
        with subprocess.Popen([live.RELEASE, "-b", "-V", "sched", "--format", "json", "-p",
                               str(work.pid), "-d", "2", "-n", "1"], stdout=subprocess.PIPE,
                              env=live.environment()) as run:
            n = 0
            while run.poll() is None:
                n += 1
                os.sched_setaffinity(work.pid, {n % 2})
                with contextlib.suppress(subprocess.TimeoutExpired):
                    run.wait(0.05)
            after = migrations_of(work.pid, work.pid)
            out = run.stdout.read()
        report = live.json.loads(out)
    row = waits.rows_of(report, pid=work.pid)[0]
    most = after - before
    # Those before the window and after it are not in it: it is two seconds of a longer time.
    assert 0.5 * most <= row["migrations"] <= most and row["migrations"] > 20, (row, most)


@steady
def test_intervals():
    """Short intervals follow each other without a gap; their states sum to each"""
    live.need_root()
    with live.Workload("nice_hogs", 60) as work:
        reports = live.batch("-V", "sched", "-p", work.pid, "-d", "0.4", "-n", 5, "--group",
                             "tid")
        work.process.send_signal(signal.SIGTERM)
        threads = waits.threads(work.result())
    for before, after in zip(reports, reports[1:]):
        assert after["t0_ns"] == before["t1_ns"], "a gap between intervals"
    t0, t1 = reports[0]["t0_ns"], reports[-1]["t1_ns"]
    for name, thread in threads.items():
        whole = sum(sum(waits.rows_of(r, comm=name)[0]["states"].values()) for r in reports)
        same_time(whole, t1 - t0, f"{name}'s states", ms=5, judge=live.INTERVAL)
        ran = sum(waits.rows_of(r, comm=name)[0]["oncpu_ns"] for r in reports)
        same_time(ran, thread.cpu(t0, t1), f"{name} on the CPU", pct=2, ms=5, judge=live.CLOCK)


@steady
def test_groupings():
    """Each grouping has the same CPU time in it"""
    live.need_root()
    with live.Workload("nice_hogs", 60) as work:
        for group in ("tid", "pid", "comm", "cgroup"):
            report = live.batch("-V", "sched", "-p", work.pid, "-d", "0.5", "-n", 1, "--group",
                                group)[0]
            window = report["t1_ns"] - report["t0_ns"]
            busy = total(report["rows"], "oncpu_ns") + total(report["rows"], "wait_ns")
            live.near(busy / window, 3, 0.2, f"threads that run or want to, by {group}")


def test_whole_machine():
    """The whole machine: no CPU is more than busy, the idle task is no thread"""
    live.need_root()
    with live.Workload("nice_hogs", 60), live.Workload("ping_pong", 60):
        report = live.batch("-V", "sched", "-d", 1, "-n", 1, "--group", "tid")[0]
    sound(report)
    window = report["t1_ns"] - report["t0_ns"]
    assert total(report["rows"], "oncpu_ns") <= os.cpu_count() * window * 1.01
    assert 0 not in {r["tid"] for r in report["rows"]}
    assert {"hog-0", "ping", "pong"} <= {r["comm"] for r in report["rows"]}


class Peer:
    """Another tool on the same seconds; its output is for parse()."""

    def __init__(self, *command):
        path = shutil.which(command[0])
        if not path:
            raise live.Skip(f"no {command[0]} here")
        self.command, self.out = [path, *command[1:]], ""

    @contextlib.contextmanager
    def running(self, pid):
        command = [x.replace("PID", str(pid)) for x in self.command]
        # Processes may be called anything.
        with subprocess.Popen(command, text=True, errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as peer:
            yield
            self.out, _ = peer.communicate(timeout=60)


BUCKET = re.compile(r"^\s*(\d+) -> (\d+)\s+: (\d+)\s*\|", re.M)


def buckets(text):
    """libbpf-tools' histogram: {first microsecond: count}."""
    return {int(a): int(n) for a, _, n in BUCKET.findall(text)}


def by_thread(text):
    """The same for each thread: {tid: {first: count}}."""
    found = {}
    for part in re.split(r"^tid = ", text, flags=re.M)[1:]:
        head, body = part.split("\n", 1)
        found[int(head.split()[0])] = buckets(body)
    return found


def coarse(hist):
    """Our buckets as those: powers of two of microseconds."""
    found = {}
    for h in hist:
        us = h["lo_ns"] // 1000
        at = 1 << us.bit_length() - 1 if us > 1 else 0
        found[at] = found.get(at, 0) + h["count"]
    return found


def median_bucket(hist):
    half, seen = sum(hist.values()) / 2, 0
    for at in sorted(hist):
        seen += hist[at]
        if seen >= half:
            return max(at, 1)
    return 1


@steady
def test_against_runqlat():
    """Run queue delays per second and their median as runqlat has them on the same seconds"""
    peer = Peer("runqlat", "-p", "PID", "4", "1")
    m = measure("nice_hogs", seconds=4, peer=peer)
    theirs = buckets(peer.out)
    if not sum(theirs.values()):
        raise live.Skip("runqlat counts nothing here")
    ours = coarse(m.report["summary"]["hist"])
    theirs_a_second = sum(theirs.values()) / 4
    runs = sum(t.runs(m.t0, m.t1) for t in m.threads.values())
    live.near_peer(sum(ours.values()) / (m.span / 1e9), ("runqlat", theirs_a_second),
                   0.1 * theirs_a_second, "delays per second", runs / (m.span / 1e9),
                   live.SCHEDSTAT)
    a, b = median_bucket(ours), median_bucket(theirs)
    assert 0.5 <= a / b <= 2, f"median {a} us, runqlat {b} us"


@steady
def test_against_cpudist():
    """Runs and their mean length as cpudist has them, of threads that are only preempted"""
    peer = Peer("cpudist", "-L", "4", "1")
    m = measure("nice_hogs", seconds=4, peer=peer)
    theirs = by_thread(peer.out)
    if not theirs:
        raise live.Skip("cpudist counts nothing here")
    for name in m.threads:
        row, hist = m.one(comm=name), theirs[m.threads[name].tid]
        runs = sum(hist.values())
        live.near_peer(row["runs"] / (m.span / 1e9), ("cpudist", runs / 4), 0.1 * runs / 4,
                       f"{name}: runs per second",
                       m.threads[name].runs(m.t0, m.t1) / (m.span / 1e9), live.SCHEDSTAT)
        mean = row["oncpu_ns"] / row["runs"] / 1e3
        least = sum(at * n for at, n in hist.items()) / runs
        assert 0.8 * least <= mean <= 2.4 * least, f"{name}: mean {mean} us, cpudist from {least}"


LINE = re.compile(r"^\s+([\d.]+) \[\d+\]\s+\S.*?\[(\d+)[\d/]*\]"
                  r"\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", re.M)
# A run that began in the interval has its line, at its end, no later than this after it.
LONGEST_RUN_S = 0.5
PERF = "perf sched"
# Two probes at one place do not look at the clock at once.
APART_NS = 500


class PerfSched(Peer):
    """perf sched record, of the workload's threads alone so that it keeps up."""

    def __init__(self, data, seconds):
        super().__init__("perf", "record", "-R", "-k", "CLOCK_MONOTONIC", "-c", "1", "-m", "8M",
                         "-a", "-o", data)
        self.end = ["--", "sleep", str(seconds)]

    def running(self, pid):
        tids = [t for p in waits.processes(pid) for t in os.listdir(f"/proc/{p}/task")]
        switch = "||".join(f"prev_pid=={t}||next_pid=={t}" for t in tids)
        wakeup = "||".join(f"pid=={t}" for t in tids)
        for event, term in (("switch", switch), ("waking", wakeup)):
            self.command += ["-e", f"sched:sched_{event}", "--filter", term]
        self.command += self.end
        return super().running(pid)


def timehist(data, t0_s, t1_s, *more):
    return subprocess.run(["perf", "sched", "timehist", "-i", data, "--time",
                           f"{t0_s:.6f},{t1_s:.6f}", *more], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace",
                          check=False).stdout


class Recorded:
    """What perf sched says of one thread: runs, ns on the CPU, [ms off it] and [ms from wakeup]
    before each run that ended in the interval; the longest time off before one that began in it."""

    def __init__(self, tid, sums, lines, m):
        found = re.search(rf"\[{tid}[/\d]*\]\s+\S+\s+(\d+)\s+([\d.]+)", sums)
        if not found:
            raise live.Skip("perf sched timehist does not know these threads here")
        self.runs, self.oncpu = int(found[1]), float(found[2]) * 1e6
        mine = [(float(end), float(off), float(woken), float(ran))
                for end, t, off, woken, ran in lines if int(t) == tid]
        t0, t1 = m.t0 / 1e9, m.t1 / 1e9
        self.off = [off for end, off, _, _ in mine if end <= t1]
        self.woken = [woken for end, _, woken, _ in mine if end <= t1]
        self.longest = max((off for end, off, _, ran in mine if t0 <= end - ran / 1e3 <= t1),
                           default=0)


def beside_perf(name, seconds):
    """A measurement and perf sched's own record of exactly the same time."""
    live.need_root()
    with live.temporary() as tmp:
        data = os.path.join(tmp, "perf.data")
        m = measure(name, seconds=seconds, peer=PerfSched(data, seconds + 3))
        t0, t1 = m.t0 / 1e9, m.t1 / 1e9
        sums = timehist(data, t0, t1, "-s")
        lines = LINE.findall(timehist(data, t0, t1 + LONGEST_RUN_S))
    found = {n: Recorded(t.tid, sums, lines, m) for n, t in m.threads.items()}
    for n, thread in m.threads.items():
        # Where a switch is missing, what follows is longer than the thread can have run.
        most = thread.cpu(m.t0, m.t1) + thread.runs(m.t0, m.t1) * waits.LEAVING_NS
        if found[n].oncpu > 1.02 * most + 1e6:
            raise live.Skip("perf sched lost switches")
    return m, found


def as_perf_runs(m, row, perf, name, part):
    live.near_peer(row["runs"], (PERF, perf.runs), 2 + part * perf.runs, f"{name} runs",
                   m.threads[name].runs(m.t0, m.t1), live.SCHEDSTAT)


@steady
def test_hogs_against_perf_sched():
    """CPU time, runs, mean and longest delay of hogs as perf sched has them, same seconds"""
    m, found = beside_perf("nice_hogs", 3)
    for name in m.threads:
        row, perf, thread = check_preempted(m, name), found[name], m.threads[name]
        as_perf_runs(m, row, perf, name, 0.01)
        same_time_as(PERF, row["oncpu_ns"], perf.oncpu, f"{name} on the CPU",
                     thread.cpu(m.t0, m.t1), live.CLOCK, ms=10)
        same_time_as(PERF, row["wait_ns"], sum(perf.off) * 1e6, f"{name} delayed",
                     thread.delay(m.t0, m.t1), live.SCHEDSTAT, ms=50)
        live.near_peer(row["wait_max_ns"] / 1e6, (PERF, perf.longest), 0.1 * perf.longest,
                       f"{name} longest delay, ms,")


@steady
def test_ping_pong_against_perf_sched():
    """Waits of microseconds, woken each time: runs and CPU time as perf sched has them"""
    m, found = beside_perf("ping_pong", 1)
    for name in m.threads:
        row, perf = check_thread(m, name), found[name]
        if perf.runs < 0.97 * row["runs"]:
            raise live.Skip(f"perf sched lost {row['runs'] - perf.runs} of {row['runs']} runs")
        as_perf_runs(m, row, perf, name, 0.02)
        clock = m.threads[name].cpu(m.t0, m.t1)
        # The thread's own clock judges: perf's runs can be longer than they were, where it lost switches.
        if perf.oncpu - clock > 4 * abs(row["oncpu_ns"] - clock) + perf.runs * APART_NS:
            raise live.Skip(f"perf sched has {perf.oncpu / 1e6:.0f} ms where the thread's own clock has "
                            f"{clock / 1e6:.0f}, and proftop {row['oncpu_ns'] / 1e6:.0f}")
        same_time_as(PERF, row["oncpu_ns"], perf.oncpu, f"{name} on the CPU", clock, live.CLOCK, pct=2,
                     ms=perf.runs * APART_NS / 1e6)


@steady
def test_sleepers_against_perf_sched():
    """Threads that sleep: from wakeup to CPU and on it as perf sched has them, same seconds"""
    m, found = beside_perf("sleepers", 3)
    for name in m.threads:
        row, perf = check_thread(m, name), found[name]
        as_perf_runs(m, row, perf, name, 0.01)
        same_time_as(PERF, row["oncpu_ns"], perf.oncpu, f"{name} on the CPU",
                     m.threads[name].cpu(m.t0, m.t1), live.CLOCK, pct=3,
                     ms=max(1, perf.runs * APART_NS / 1e6))
        # perf begins at sched_waking, some steps before the wakeup.
        delay = sum(perf.woken) * 1e6
        between(row["wait_ns"], delay - perf.runs * 3000, delay, f"{name} delayed", pct=5)


STORM = 120


def storm_rows(view, path):
    """The rows by process of STORM processes of one name that are begun while it is watched."""
    rate = ("-F", "4999") if view == "cpu" else ()
    with live.Watch(view, "--group", "pid", *rate, delay=1, binary=live.RELEASE) as watch:
        watch.next()
        for _ in range(STORM):
            subprocess.run([path], check=True)
        watch.until(live.now_ns())
        return [[r for r in x["rows"] if r["comm"] == "stormy"] for x in watch.reports]


def test_storms():
    """Many short processes of one name are one row by process, with how many they were"""
    live.need_root()
    with live.temporary() as folder:
        path = os.path.join(folder, "stormy")
        shutil.copy("/bin/true", path)
        sched = storm_rows("sched", path)
        cpu = storm_rows("cpu", path)
    # Each ran: in which interval it ended is its own affair. Less than a storm ends in some.
    starts = sum((r["starts"] or 1) for rows in sched for r in rows if r["ended"])
    live.near(starts, STORM, 8, "processes in rows that ended")
    for rows in sched + cpu:
        storm = [r for r in rows if r["starts"]]
        single = [r for r in rows if r["ended"] and not r["starts"]]
        assert len(storm) <= 1 and len(single) < 8, rows
        assert all(r["pid"] is None and r["ended"] for r in storm), storm
    assert any(r["starts"] for rows in sched for r in rows), sched
    assert any(r["starts"] for rows in cpu for r in rows), cpu


if __name__ == "__main__":
    live.main(globals())
