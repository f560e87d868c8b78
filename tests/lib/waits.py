# SPDX-License-Identifier: GPL-2.0-only
"""What a workload logged of its waits (tests/workloads/wait_log.h), cut to an interval, and
sums over the rows of the views of time."""
import bisect
import contextlib
import functools
import os
import signal
import time

import live


# Between the stop of a thread's CPU clock and the switch away from it, on a slow machine.
LEAVING_NS = 8000


def clipped(start, end, t0, t1):
    return max(0, min(end, t1) - max(start, t0))


class Thread:
    """One log: waits [from, to, what] and marks [t, cpu, delay, runs, waited], ns."""

    def __init__(self, log):
        self.name, self.pid, self.tid = log["name"], log["pid"], log["tid"]
        self.waits, self.marks = log["waits"], log["marks"]
        self.times = [m[0] for m in self.marks]

    def waited(self, t0, t1, what=None):
        return sum(clipped(a, b, t0, t1) for a, b, kind in self.waits
                   if what is None or kind == what)

    def ended(self, t0, t1, what=None):
        """Waits that ended between the two."""
        return [(a, b) for a, b, kind in self.waits
                if t0 < b <= t1 and (what is None or kind == what)]

    def at(self, t, column):
        """What a mark's column was at t, as if it rose evenly between marks."""
        i = bisect.bisect_right(self.times, t)
        if i == 0 or i == len(self.marks):
            raise AssertionError(f"{self.name} did not live at {t}")
        a, b = self.marks[i - 1], self.marks[i]
        return a[column] + (b[column] - a[column]) * (t - a[0]) / (b[0] - a[0])

    def during(self, t0, t1, column):
        return self.at(t1, column) - self.at(t0, column)

    def cpu(self, t0, t1):
        return self.during(t0, t1, 1)

    def off(self, t0, t1):
        """Not on a CPU, for whatever reason, by the thread's CPU clock."""
        return t1 - t0 - self.cpu(t0, t1)

    def least_off(self, t0, t1):
        """
        The least time between switches: when a thread wakes on an idle CPU its clock runs from
        then on, not from the switch; when it leaves one the clock stops just before.
        """
        return self.off(t0, t1) - self.runs(t0, t1) * LEAVING_NS

    def delay(self, t0, t1):
        """Waiting for a CPU, as the kernel accounts it."""
        return self.during(t0, t1, 2)

    def runs(self, t0, t1):
        return self.during(t0, t1, 3)

    def read_for(self, t0, t1):
        """What calls that wait lasted, of threads that do not list their waits."""
        return self.during(t0, t1, 4)


def threads(truth):
    """The logs of a workload's last line, by name."""
    assert truth, "the workload failed"
    return {log["name"]: Thread(log) for log in truth["threads"]}


def rows_of(report, **wanted):
    """Rows with these values: rows_of(r, comm="a", state="S")."""
    return [r for r in report["rows"] if all(r[k] == v for k, v in wanted.items())]


def total(rows, field="off_ns"):
    return sum(r[field] for r in rows)


def symbols(stack):
    return [frame["symbol"] for frame in stack or []]


def long_lived(pid):
    """A process and all below it, but those that live for less than a moment."""
    before = processes(pid)
    time.sleep(0.1)
    after = processes(pid)
    return [p for p in before if p in after]


def processes(pid):
    """A process and all below it."""
    found = [pid]
    for tid in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError):
            with open(f"/proc/{pid}/task/{tid}/children", encoding="ascii") as f:
                for child in f.read().split():
                    found += processes(int(child))
    return found


IDLE, IOWAIT, STEAL = 3, 4, 7  # fields of /proc/stat


def cpu_times():
    with open("/proc/stat", encoding="ascii") as f:
        return [int(x) for x in f.readline().split()[1:9]]


def share_of(before, *fields):
    """Of the CPUs' time since then."""
    passed = [b - a for a, b in zip(before, cpu_times())]
    return sum(passed[f] for f in fields) / max(sum(passed), 1)


def idle_share(seconds):
    """How much of the CPUs' time nobody used."""
    before = cpu_times()
    time.sleep(seconds)
    return share_of(before, IDLE, IOWAIT)


def quiet():
    """a machine with nearly nothing else to do"""
    return idle_share(0.3) > 0.9


def gets_quiet(seconds):
    with contextlib.suppress(AssertionError):
        return live.wait_for(quiet, seconds)
    return False


def steady(case):
    """For figures that a busy machine can blur: up to three rounds, one of them has to hold.
    A round that failed is followed by one on a machine that is quiet, if it gets so; a machine
    that never does proves nothing, nor does one whose host took CPUs away meanwhile: threads'
    clocks leave that time out, and nobody can tell when it was. Beside other tests there is one
    round: what fails there is run again alone."""
    @functools.wraps(case)
    def rounds():
        if "PROFTOP_BESIDE" in os.environ:
            return case()
        calm = True
        for n in range(1, 4):
            if n > 1:
                calm = gets_quiet(20)
            facts = live.facts_so_far()
            began = cpu_times()
            try:
                return case()
            except AssertionError as e:
                calm &= share_of(began, STEAL) < 0.003
                if n == 3 and calm and quiet():
                    raise
                live.forget_facts(facts)
                if n == 3:
                    raise live.Skip(f"too busy here to measure: {str(e)[:200]}") from e
                print(f"# {case.__name__}, round {n}: {str(e).strip()[:300]!r}", flush=True)
        return None
    return rounds


@contextlib.contextmanager
def refused_here(name, why):
    """A workload that needs what not every machine grants says so by not getting ready."""
    try:
        yield
    except AssertionError as e:
        if str(e).startswith(f"{name} said"):
            raise live.Skip(why) from e
        raise


class Measured:
    """One report of a view over a workload, and what the workload logged meanwhile."""

    def __init__(self, view, name, *args, seconds=3, options=(), scope=None, peer=None,
                 binary=live.RELEASE):
        with live.Workload(name, 120, *args) as work:
            self.pid = work.pid
            if scope is None:
                scope = ["-p", ",".join(map(str, long_lived(work.pid)))]
            with peer.running(work.pid) if peer else contextlib.nullcontext():
                self.reports = live.batch("-V", view, "-d", seconds, "-n", 1, *scope, *options,
                                          binary=binary)
            work.process.send_signal(signal.SIGTERM)
            self.threads = threads(work.result())
        self.report = self.reports[0]
        self.rows, self.health = self.report["rows"], self.report["health"]
        self.t0, self.t1 = self.report["t0_ns"], self.report["t1_ns"]
        self.span = self.t1 - self.t0

    def of(self, **wanted):
        return rows_of(self.report, **wanted)

    def one(self, **wanted):
        rows = self.of(**wanted)
        assert len(rows) == 1, f"{len(rows)} rows with {wanted}"
        return rows[0]

    def largest(self, **wanted):
        rows = self.of(**wanted)
        assert rows, f"no row with {wanted}; there are {[(r['comm'], r['tid']) for r in self.rows]}"
        return max(rows, key=lambda r: r["off_ns"])


def between(got, least, most, what, pct=1, ms=1):
    """From the least to the most; each within a share of it or so many ms."""
    low = least - max(least * pct / 100, ms * 1e6)
    high = most + max(most * pct / 100, ms * 1e6)
    assert low <= got <= high, \
        f"{what} is {got / 1e6} ms, wanted {least / 1e6} to {most / 1e6}, {pct} % or {ms} ms"


def same_time(got, wanted, what, pct=1, ms=1, judge=live.LOG):
    """Within a share of what is wanted, or so many ms when that is more."""
    live.near(got / 1e6, wanted / 1e6, max(wanted / 1e6 * pct / 100, ms), f"{what}, ms,", judge)


def same_time_as(peer, got, said, what, truth, judge, pct=1, ms=1):
    """The same beside what a peer said, with what was true."""
    live.near_peer(got / 1e6, (peer, said / 1e6), max(said / 1e6 * pct / 100, ms), f"{what}, ms,",
                   truth / 1e6, judge)
