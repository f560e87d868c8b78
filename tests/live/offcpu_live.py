#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where threads wait, against workloads that log their own waits, and against offcputime."""
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
from scope_live import cgroup, join, v2_mount  # noqa: E402
from waits import between, rows_of, same_time, steady, symbols, total  # noqa: E402

SLEEPERS = "sleep-2ms", "sleep-5ms", "sleep-20ms", "sleep-100ms", "sleep-700ms"


GROUP = "tid+stack+state+reason"


def measure(name, *args, options=("--group", GROUP), **kw):
    live.need_root()
    m = waits.Measured("offcpu", name, *args, options=options, **kw)
    sound(m.report)
    return m


def sound(report):
    """What no row may ever say."""
    window = report["t1_ns"] - report["t0_ns"]
    for r in report["rows"]:
        assert 0 <= r["unfinished_ns"] <= r["off_ns"], r
        assert r["off_ns"] >= 0 and r["count"] >= 0 and r["max_ns"] >= 0 and r["avg_ns"] >= 0, r
        assert r["avg_ns"] <= r["max_ns"] or not r["count"], r
    order = [("harmful", "unclear", "idle").index(r["class"]) for r in report["rows"]]
    assert order == sorted(order), order
    assert all(r["idle"] == (r["class"] == "idle") for r in report["rows"]), report["rows"]
    # A thread is in one wait at a time; the window is cut where each thread is visited.
    for tid in {r.get("tid") for r in report["rows"]} - {None}:
        off = total(rows_of(report, tid=tid))
        assert off <= window * 1.01 + 5e6, f"thread {tid}: {off} ns off of {window}"


def waker_of(row):
    assert row["waker"], f"{row['comm']}: no waker"
    return row["waker"]


@steady
def test_sleeps():
    """Sleeps of 2 to 700 ms: totals within 1 % of the threads' own clocks, S, by a timer"""
    m = measure("sleepers")
    for name in SLEEPERS:
        thread = m.threads[name]
        rows = m.of(comm=name)
        between(total(rows), thread.least_off(m.t0, m.t1),
                thread.waited(m.t0, m.t1) + thread.delay(m.t0, m.t1), name)
        row = m.largest(comm=name)
        assert row["tid"] == thread.tid and row["pid"] == m.pid, row
        same_time(total(rows_of(m.report, comm=name, reason="sleep")),
                  thread.waited(m.t0, m.t1), f"{name} asleep")
        assert row["state"] == "S" and row["reason"] == "sleep" and not row["idle"], row
        ended = thread.ended(m.t0, m.t1)
        asleep = m.of(comm=name, state="S")
        live.near(total(asleep, "count"), len(ended), 1 + len(ended) // 100, f"{name} waits",
                  live.LOG)
        # One that lasts at the end counts as long as it has lasted, or longer when it ends just then.
        seen = [w for w in thread.waits if w[1] > m.t0 and w[0] < m.t1]
        between(max(r["max_ns"] for r in asleep), max(min(w[1], m.t1) - w[0] for w in seen),
                max(w[1] - w[0] for w in seen), f"{name} longest")
        assert {"naps", "sleeper"} <= set(symbols(row["stack"])), symbols(row["stack"])
        assert row["stack"][0]["kind"] == "kernel", row["stack"]
        assert not m.of(comm=name, state="D"), "a sleep in D"


def test_first_wait():
    """A new program's first wait, which began before there were tables, has its whole stack: open and ended"""
    live.need_root()
    reports = live.batch("-V", "offcpu", "-d", 0.8, "-n", 5, "--group", GROUP, "--", "sleep", 2.5)
    sleeps = [r for report in reports[1:] for r in rows_of(report, comm="sleep", reason="sleep")]
    assert len(sleeps) > 1 and total(sleeps, "count") == 1, sleeps
    for row in sleeps:
        assert "__libc_start_main" in " ".join(symbols(row["stack"])), symbols(row["stack"])


@steady
def test_lock():
    """A futex pair: who holds the lock is who wakes, from the function that releases it"""
    m = measure("futex_pair")
    holder, waiter = m.threads["holder"], m.threads["waiter"]
    row = m.largest(comm="waiter", reason="lock")
    same_time(total(rows_of(m.report, comm="waiter", reason="lock")),
              waiter.waited(m.t0, m.t1, "lock"), "waiting for the lock")
    same_time(total(rows_of(m.report, comm="waiter", reason="sleep")),
              waiter.waited(m.t0, m.t1, "sleep"), "waiter asleep")
    same_time(total(rows_of(m.report, comm="holder", reason="sleep")),
              holder.waited(m.t0, m.t1), "holder asleep")
    assert row["state"] == "S" and not row["idle"], row
    assert {"takes_lock", "wants_lock"} <= set(symbols(row["stack"])), symbols(row["stack"])
    waker = waker_of(row)
    assert waker["comm"] == "holder" and waker["pid"] == m.pid, waker
    assert {"releases_lock", "holds_lock"} <= set(symbols(waker["stack"])), waker


@steady
def test_mutex():
    """A pthread mutex: the same, though it is libc that waits and wakes"""
    m = measure("futex_pair", "mutex")
    same_time(total(rows_of(m.report, comm="waiter", reason="lock")),
              m.threads["waiter"].waited(m.t0, m.t1, "lock"), "waiting for the mutex")
    row = m.largest(comm="waiter", reason="lock")
    assert "wants_lock" in symbols(row["stack"]), symbols(row["stack"])
    waker = waker_of(row)
    assert waker["comm"] == "holder", waker
    assert "holds_lock" in symbols(waker["stack"]), waker


FUTEXES = """
import ctypes, sys, threading
libc, FUTEX_WAIT_PRIVATE = ctypes.CDLL(None, use_errno=True), 128
FUTEX = {"x86_64": 202, "aarch64": 98}[sys.argv[1]]


def waits(value):
    word = ctypes.c_uint32(value)
    libc.syscall(FUTEX, ctypes.byref(word), FUTEX_WAIT_PRIVATE, ctypes.c_uint32(value), None)


threads = [threading.Thread(target=waits, args=(int(v),), daemon=True) for v in sys.argv[2:]]
for t in threads:
    t.start()
print(*(t.native_id for t in threads), flush=True)
sys.stdin.read()
"""
# The value waited on, and whether that is a lock's: of a mutex with waiters, of one with a holder's id.
FUTEX_VALUES = {2: True, 0x80000000 | 4711: True, 0: False, 1: False, 7: False, 0xffffffff: False}


def test_values_of_futexes():
    """Waits for a futex that no library's frames are about are locks by the value that is waited on"""
    with subprocess.Popen([sys.executable, "-c", FUTEXES, os.uname().machine, *map(str, FUTEX_VALUES)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as work:
        tids = dict(zip(FUTEX_VALUES, map(int, work.stdout.readline().split())))
        report = live.batch("-V", "offcpu", "-n", 1, "-d", 1, "--pid", work.pid, "--group", "tid,reason")[0]
        work.stdin.close()
    for value, is_lock in FUTEX_VALUES.items():
        reasons = {r["reason"] for r in report["rows"] if r["tid"] == tids[value]}
        assert reasons and (reasons == {"lock"}) == is_lock, (hex(value), reasons, report["rows"])


@steady
def test_idle():
    """Idle waiting (a pool, epoll_wait, accept) is told apart from a thread that is held up"""
    m = measure("pool")
    for name in ("pool-0", "pool-1", "pool-2", "pool-3", "poller", "acceptor"):
        rows, thread = m.of(comm=name), m.threads[name]
        same_time(total([r for r in rows if r["idle"]]), thread.waited(m.t0, m.t1), name)
        harmful = total([r for r in rows if not r["idle"]])
        assert harmful < 20e6, f"{name}: {harmful} ns of it are not idle"
    # Who waits for an event of which nobody knows what it is for is not hidden.
    same_time(total(rows_of(m.report, comm="handler", **{"class": "unclear"})),
              m.threads["handler"].waited(m.t0, m.t1), "handler")
    reasons = {"pool-0": "condition", "poller": "poll", "acceptor": "accept"}
    for name, reason in reasons.items():
        row = m.largest(comm=name)
        assert row["reason"] == reason, row
    assert waker_of(m.largest(comm="pool-0"))["comm"] == "main"
    assert waker_of(m.largest(comm="poller"))["comm"] == "main"
    victim = m.threads["victim"]
    same_time(total(rows_of(m.report, comm="victim", reason="lock")),
              victim.waited(m.t0, m.t1, "lock"), "victim")
    for name in ("victim", "main", "handler"):
        assert not any(r["idle"] for r in m.of(comm=name)), f"{name} is idle"
    same_time(total(rows_of(m.report, comm="victim", **{"class": "harmful"})),
              victim.waited(m.t0, m.t1, "lock"), "victim held up")


@steady
def test_ping_pong():
    """Two processes and two pipes: each is the other's waker; off between CPU clock and calls"""
    m = measure("ping_pong")
    for name, other in (("ping", "pong"), ("pong", "ping")):
        thread = m.threads[name]
        between(total(m.of(comm=name)), thread.least_off(m.t0, m.t1),
                thread.read_for(m.t0, m.t1) + thread.delay(m.t0, m.t1), name)
        row = m.largest(comm=name, reason="pipe")
        assert f"{name}_reads" in symbols(row["stack"]), symbols(row["stack"])
        waker = waker_of(row)
        assert waker["comm"] == other and waker["pid"] == m.threads[other].pid, waker
        assert f"{other}_writes" in symbols(waker["stack"]), waker
        assert row["state"] == "S" and not row["idle"]


def disk_folder():
    """Somewhere on a real disk where O_DIRECT works."""
    with open("/proc/self/mounts", encoding="utf-8") as f:
        mounts = {line.split()[1]: line.split()[0] for line in f}
    for folder in ("/var/tmp", "/tmp", live.FOLDER):
        at = os.path.realpath(folder)
        while at not in mounts:
            at = os.path.dirname(at)
        if not mounts[at].startswith("/dev/"):
            continue
        path = os.path.join(folder, f"proftop-direct-{os.getpid()}")
        try:
            os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_DIRECT, 0o600))
            return folder
        except OSError:
            continue
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
    raise live.Skip("no file system on a block device takes O_DIRECT")


@steady
def test_disk():
    """O_DIRECT reads: D, disk, between what the reader's CPU clock misses and its reads last"""
    live.need_root()
    m = measure("direct_reads", disk_folder())
    thread = m.threads["reader"]
    between(total(m.of(comm="reader")), thread.least_off(m.t0, m.t1),
            thread.waited(m.t0, m.t1) + thread.delay(m.t0, m.t1), "reader")
    row = m.largest(comm="reader")
    assert row["state"] == "D" and row["reason"] == "disk" and not row["idle"], row
    assert {"reads_directly", "reader"} <= set(symbols(row["stack"])), symbols(row["stack"])
    ended = len(thread.ended(m.t0, m.t1))
    count = total(rows_of(m.report, comm="reader", reason="disk"), "count")
    assert count <= ended * 1.02 + 2, f"{count} waits in {ended} reads"


@steady
def test_preempted():
    """Hogs of three nice values on one CPU: preempted where they spin, for the time they say"""
    m = measure("nice_hogs")
    for name, thread in m.threads.items():
        rows = m.of(comm=name, reason="preempted")
        same_time(total(rows), thread.delay(m.t0, m.t1), f"{name} preempted", pct=2,
                  judge=live.SCHEDSTAT)
        same_time(total(m.of(comm=name)), thread.off(m.t0, m.t1), f"{name} off",
                  judge=live.CLOCK)
        assert all(r["state"] == "R" and not r["idle"] for r in rows), rows
        # The rest is where they read their clocks.
        spinning = [r for r in rows if {"hog_spins", "hog"} <= set(symbols(r["stack"]))]
        assert total(spinning) > 0.1 * total(rows), [symbols(r["stack"]) for r in rows]


@steady
def test_never_woken():
    """A thread that waits through the whole window is there, with all of it unfinished"""
    m = measure("never_wakes", seconds=2)
    row = m.one(comm="never")
    same_time(row["off_ns"], m.span, "off", judge=live.INTERVAL)
    same_time(row["unfinished_ns"], m.span, "unfinished", judge=live.INTERVAL)
    assert row["count"] == 0 and row["waker"] is None, row
    assert row["state"] == "S" and row["tid"] == m.threads["never"].tid, row
    # No held lock has the value that it waits on.
    assert row["reason"] == "condition" and row["class"] == "unclear", row
    assert row["max_ns"] >= row["off_ns"] * 0.99, row


@steady
def test_chain():
    """a wakes b wakes c: c's waker is b and b's waker is a, each in its function"""
    m = measure("wake_chain")
    for name in m.threads:
        same_time(total([r for r in m.of(comm=name) if r["state"] == "S"]),
                  m.threads[name].waited(m.t0, m.t1), name)
    for name, by, function in (("chain-c", "chain-b", "b_wakes_c"),
                               ("chain-b", "chain-a", "a_wakes_b")):
        row = m.largest(comm=name)
        assert f"{name[-1]}_waits" in symbols(row["stack"]), symbols(row["stack"])
        waker = waker_of(row)
        assert waker["comm"] == by and waker["pid"] == m.threads[by].pid, waker
        assert function in symbols(waker["stack"]), waker


def test_timer():
    """A timer's interrupt is nobody: whom it happened to interrupt is not called the waker"""
    m = measure("wake_chain", seconds=2)
    for r in m.of(comm="chain-a", reason="sleep"):
        waker = r["waker"]
        assert not waker or waker["comm"] not in m.threads, waker
        assert not waker or not any(f["kind"] == "user" for f in waker["stack"]), waker


@steady
def test_states():
    """S, D, T and t are what they are called, for as long as the processes were in them"""
    m = measure("states")
    for name, state in (("st-sleep", "S"), ("st-disk", "D"), ("st-stop", "T"),
                        ("st-trace", "t")):
        rows = m.of(comm=name, state=state)
        # Their begin and end are set by another process, after the fact.
        same_time(total(rows), m.threads[name].waited(m.t0, m.t1), name, pct=2)
    for name, reason in (("st-disk", "child"), ("st-stop", "stopped"), ("st-trace", "stopped")):
        row = m.largest(comm=name)
        assert row["reason"] == reason, row


@steady
def test_intervals():
    """Short intervals follow each other without a gap and sum to the whole"""
    live.need_root()
    with live.Workload("sleepers", 60) as work:
        reports = live.batch("-V", "offcpu", "-p", work.pid, "-d", "0.4", "-n", 6, "--group",
                             "tid+stack")
        work.process.send_signal(signal.SIGTERM)
        threads = waits.threads(work.result())
    for before, after in zip(reports, reports[1:]):
        assert after["t0_ns"] == before["t1_ns"], "a gap between intervals"
    t0, t1 = reports[0]["t0_ns"], reports[-1]["t1_ns"]
    for name in SLEEPERS:
        off = sum(total(rows_of(r, comm=name)) for r in reports)
        same_time(off, threads[name].off(t0, t1), name, pct=1.5, ms=5, judge=live.CLOCK)
        count = sum(total(rows_of(r, comm=name, reason="sleep"), "count") for r in reports)
        ended = len(threads[name].ended(t0, t1))
        live.near(count, ended, 1 + ended // 50, f"{name} waits", live.LOG)
    # A wait that goes on is told in each interval it lasts through.
    assert any(total(rows_of(r, comm="sleep-700ms"), "unfinished_ns") for r in reports)


@steady
def test_groupings():
    """Each grouping has the same time in it and shows its own field"""
    live.need_root()
    with live.Workload("futex_pair", 60) as work:
        for group in ("stack", "comm", "pid", "tid", "cgroup", "state", "reason", "tid+stack"):
            report = live.batch("-V", "offcpu", "-p", work.pid, "-d", "0.5", "-n", 1, "--group",
                                group)[0]
            window = report["t1_ns"] - report["t0_ns"]
            # Two threads that are off the CPU nearly all the time.
            live.near(total(report["rows"]) / window, 2, 0.1, f"threads off by {group}")
            if group == "pid":
                assert [(r["pid"], r["class"]) for r in report["rows"]] == \
                    [(work.pid, "harmful"), (work.pid, "unclear")], report["rows"]
            if group == "state":
                assert "S" in {r["state"] for r in report["rows"]}


def filtered(pid, *terms, seconds="0.7"):
    report = live.batch("-V", "offcpu", "-p", pid, "-d", seconds, "-n", 1, "--group", GROUP,
                        "--filter", " ".join(terms))[0]
    sound(report)
    return report


def comms(report):
    return {r["comm"] for r in report["rows"]}


def all_named(pid):
    """the sleepers to have their names: {comm: tid}"""
    threads = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as f:
            threads[f.read().strip()] = int(tid)
    return threads if set(threads) > {*SLEEPERS} else None


@steady
def test_filters_of_tasks():
    """tid and comm filters let pass what they name, and nothing else"""
    live.need_root()
    with live.Workload("sleepers", 60) as work:
        threads = live.wait_for(lambda: all_named(work.pid))
        report = filtered(work.pid, f"tid={threads['sleep-5ms']}")
        assert comms(report) == {"sleep-5ms"}, comms(report)
        report = filtered(work.pid, f"!tid={threads['sleep-5ms']}")
        assert comms(report) == {*threads} - {"sleep-5ms"}, comms(report)
        report = filtered(work.pid, "comm~00ms$")
        assert comms(report) == {"sleep-100ms", "sleep-700ms"}, comms(report)
        other = os.getpid()
        report = live.batch("-V", "offcpu", "-p", other, "-d", "0.5", "-n", 1)[0]
        assert {r["pid"] for r in report["rows"]} == {other}, report["rows"]


@steady
def test_filters_of_durations():
    """min and max choose waits by their whole length, in the kernel"""
    live.need_root()
    with live.Workload("sleepers", 60) as work:
        report = filtered(work.pid, "min=15ms", "max=50ms")
        # Of a wait that began before it was watched only the rest is known.
        asleep = {r["comm"] for r in report["rows"] if r["reason"] == "sleep" and r["count"] > 1}
        assert asleep == {"sleep-20ms"}, asleep
        for r in report["rows"]:
            assert not r["count"] or 15e6 <= r["avg_ns"] <= r["max_ns"] <= 50e6, r
        long = filtered(work.pid, "min=90ms", seconds="1.5")
        asleep = {r["comm"] for r in long["rows"] if r["count"]}
        assert {"sleep-100ms", "sleep-700ms"} <= asleep, asleep
        assert all(r["avg_ns"] >= 90e6 for r in long["rows"] if r["count"]), long["rows"]
        short = filtered(work.pid, "max=4ms")
        assert all(r["max_ns"] <= 4e6 for r in short["rows"]), short["rows"]
        assert "sleep-2ms" in comms(short)


@steady
def test_filters_of_states():
    """state= chooses waits by what the thread was in"""
    live.need_root()
    with live.Workload("states", 60) as work:
        pids = ",".join(map(str, waits.long_lived(work.pid)))
        for state, name in (("D", "st-disk"), ("T", "st-stop"), ("t", "st-trace")):
            report = filtered(pids, f"state={state}")
            assert comms(report) == {name}, f"state={state}: {comms(report)}"
            assert {r["state"] for r in report["rows"]} == {state}
        report = filtered(pids, "!state=S")
        assert "S" not in {r["state"] for r in report["rows"]}, report["rows"]


def test_filters_of_cgroups():
    """cgroup= takes the threads in a cgroup, with those below it"""
    live.need_root()
    base = v2_mount()
    if not base:
        raise live.Skip("no cgroup v2 mounted")
    with cgroup(base, "proftop-waits") as outer, cgroup(outer, "inner") as inner, \
            live.Workload("sleepers", 60) as a, live.Workload("sleepers", 60) as b, \
            live.Workload("futex_pair", 60):
        join(outer, a.pid)
        join(inner, b.pid)
        for path, pids in (("/proftop-waits", {a.pid, b.pid}), ("/proftop-waits/inner", {b.pid})):
            report = live.batch("-V", "offcpu", "-d", 1, "-n", 1, "--group", "pid", "--filter",
                                f"cgroup={path}")[0]
            sound(report)
            assert {r["pid"] for r in report["rows"]} == pids, report["rows"]


def test_filters_of_kinds():
    """task=kernel has kernel threads only, task=user none; idle CPUs are in neither"""
    live.need_root()
    with live.Workload("sleepers", 60) as work:
        reports = {}
        for kind in ("kernel", "user"):
            reports[kind] = live.batch("-V", "offcpu", "-d", "0.7", "-n", 1, "--group",
                                       "tid+stack", "--filter", f"task={kind}")[0]
            sound(reports[kind])
        pid = work.pid
    kernel, user = ({r["pid"] for r in reports[k]["rows"]} for k in ("kernel", "user"))
    assert kernel and pid not in kernel and pid in user, (kernel, user)
    assert not kernel & user and 0 not in kernel | user, kernel & user
    for p in list(kernel)[:50]:
        with contextlib.suppress(FileNotFoundError):
            assert not os.readlink(f"/proc/{p}/exe"), f"{p} is no kernel thread"


def test_no_tracer():
    """The probes' own frames are in no stack, waiting or waking"""
    live.need_root()
    with live.Workload("futex_pair", 60), live.Workload("ping_pong", 60):
        report = live.batch("-V", "offcpu", "-d", 1, "-n", 1, "--group", "tid+stack")[0]
    own = re.compile(r"bpf_prog_[0-9a-f]{16}|bpf_trace_run|^__bpf_(trace|prog)_|^__traceiter_|sched_switch$")
    for r in report["rows"]:
        for name in symbols(r["stack"]) + symbols((r["waker"] or {}).get("stack")):
            assert not own.search(name), f"{name} in a stack of {r['comm']}"


@steady
def test_folded():
    """Folded output: the comm first, then root to leaf, microseconds as weights"""
    live.need_root()
    with live.Workload("sleepers", 60) as work:
        run = live.proftop("-b", "-V", "offcpu", "--format", "folded", "-d", 1, "-n", 1, "-p",
                           work.pid)
    assert run.status == 0, str(run)
    sums = {}
    for line in run.out.splitlines():
        stack, weight = line.rsplit(" ", 1)
        frames = stack.split(";")
        sums[frames[0]] = sums.get(frames[0], 0) + int(weight)
        if "sleeper" in frames and "naps" in frames:
            # It may have been preempted where it was, too: then nothing follows.
            assert frames.index("sleeper") < frames.index("naps"), line
    for name in SLEEPERS:
        live.near(sums.get(name, 0) / 1e6, 1, 0.1, f"{name}, s,")
    assert "sleeper;naps;" in run.out, run.out[:2000]


@steady
def test_command():
    """-- COMMAND: its waits from its first instruction to its end"""
    live.need_root()
    report = live.batch("-V", "offcpu", "-d", 20, "--group", "tid+stack", "--",
                        os.path.join(live.WORKLOADS, "sleepers"), 2, drop_output=True)[0]
    for name in ("sleep-2ms", "sleep-20ms", "sleep-100ms"):
        same_time(total(rows_of(report, comm=name)), 2e9, name, pct=10,
                  judge=live.CONSTRUCTION)
    assert {r["pid"] for r in report["rows"]} == {report["rows"][0]["pid"]}, report["rows"]


class Offcputime:
    """The peer over the same seconds, a little longer."""

    def __init__(self, seconds):
        self.path = shutil.which("offcputime")
        if not self.path:
            raise live.Skip("no offcputime of libbpf-tools here")
        self.seconds, self.off_us = seconds, {}

    @contextlib.contextmanager
    def running(self, pid):
        with subprocess.Popen([self.path, "-p", str(pid), str(self.seconds)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as peer:
            yield
            out, _ = peer.communicate(timeout=60)
        found = re.findall(r"^    -\s+(\S.*?) \((\d+)\)\n\s+(\d+)$", out, re.M)
        for comm, _, us in found:
            self.off_us[comm] = self.off_us.get(comm, 0) + int(us)
        if not found:
            raise live.Skip("offcputime found nothing here")


@steady
def test_against_offcputime():
    """Shares of time off the CPU within 3 % of offcputime's on the same seconds"""
    live.need_root()
    peer = Offcputime(4)
    m = measure("sleepers", seconds=4, peer=peer)
    # The peer does not have the waits that its begin and its end cut.
    for name, cut in (("sleep-2ms", 0.0), ("sleep-5ms", 0.01), ("sleep-20ms", 0.02)):
        share = total(m.of(comm=name)) / m.span
        theirs = peer.off_us[name] / 4e6
        live.near_peer(share, ("offcputime", theirs), 0.03 + cut, f"{name}: share of the time",
                       m.threads[name].off(m.t0, m.t1) / m.span, live.CLOCK)


if __name__ == "__main__":
    live.main(globals())
