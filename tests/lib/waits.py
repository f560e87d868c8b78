# SPDX-License-Identifier: GPL-2.0-only
"""What a workload logged of its waits (tests/workloads/wait_log.h), cut to an interval, and
sums over the rows of the views of time."""
import bisect


def clipped(start, end, t0, t1):
    return max(0, min(end, t1) - max(start, t0))


class Thread:
    """One log: waits [from, to, what] and marks [t, cpu, delay, runs], all ns."""

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
        """Not on a CPU, for whatever reason."""
        return t1 - t0 - self.cpu(t0, t1)

    def delay(self, t0, t1):
        """Waiting for a CPU, as the kernel accounts it."""
        return self.during(t0, t1, 2)

    def runs(self, t0, t1):
        return self.during(t0, t1, 3)


def threads(truth):
    """The logs of a workload's last line, by name."""
    return {log["name"]: Thread(log) for log in truth["threads"]}


def rows_of(report, **wanted):
    """Rows with these values: rows_of(r, comm="a", state="S")."""
    return [r for r in report["rows"] if all(r[k] == v for k, v in wanted.items())]


def total(rows, field="off_ns"):
    return sum(r[field] for r in rows)


def symbols(stack):
    return [frame["symbol"] for frame in stack or []]
