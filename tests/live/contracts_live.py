#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What programs rely on, whatever the view: fields by name and type, what agrees with what, the same in CSV and in
a replay. Beside it many processes come and go, so that some views are short of room."""
import contextlib
import csv
import functools
import json
import os
import subprocess
import sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lib"))
import live  # noqa: E402

COUNT = {"count": int}
SPAN = {"count": int, "errors": int, "total_ns": int, "min_ns": int, "avg_ns": int, "p50_ns": int, "p95_ns": int,
        "p99_ns": int, "max_ns": int, "unfinished": int, "unfinished_ns": int, "hist": list}
HOLDING = {"held": int, "held_bytes": int, "oldest_ns": int, "acquired": int, "acquired_bytes": int, "released": int,
           "released_bytes": int}
SHARES = dict.fromkeys(("user_pct", "system_pct", "runq_pct", "disk_pct", "lock_pct", "wait_pct", "sleep_pct"), float)
# Names that no spreadsheet, terminal or parser is to trip over.
HOSTILE = 'a",b\n=c\x1b[1m'


class View:
    def __init__(self, fields, *options, view=None):
        self.fields, self.options, self.view = fields, options, view
        self.reports = self.replayed = self.table = None


VIEWS = {
    "overview": View({"severity": str, "rule": str, "text": str, "pid": int, "comm": str, "view": str, "filter": str}),
    "procs": View({"pid": int, "ppid": int, "comm": str, "cmdline": str, "user": str, "state": str, "nice": int,
                   "policy": str, "threads": float, "rss_bytes": int, "read_bytes": int, "write_bytes": int,
                   "minor_faults": int, "major_faults": int, "starts": int, **SHARES}),
    "syscalls": View({"syscall": str, **SPAN}),
    "syscalls by stack": View({"stack": list, **SPAN}, "--group", "stack", view="syscalls"),
    "files": View({"file": str, "op": str, "bytes": int, **SPAN}),
    "files by dir": View({"dir": str, "bytes": int, **SPAN}, "--group", "dir", view="files"),
    "kmem": View({"stack": list, **HOLDING}),
    "faults": View({"stack": list, "minor": int, "major": int, **COUNT}),
    "locks": View({"lock": str, "kind": str, "pid": int, "comm": str, "holder": dict, **SPAN}),
    "net": View({"device": str, "queue": str, "direction": str, "packets": int, "bytes": int, "drops": int}),
    "irq": View({"vector": str, "kind": str, "cpu": int, **SPAN}),
    "funcs": View({"function": str, "object": str, **SPAN}, "--function", "!/bin/bash:execute_command*"),
    "counters": View({"event": str, "count": int, "scaled_pct": float}),
    "bpf": View({"id": int, "name": str, "type": str, "runs": int, "run_ns": int, "cpu_pct": float, "own": bool}),
    "events": View({"ask": str}, "--ask", "!count sched:sched_switch by prev_comm hist prev_pid",
                   "--ask", "!list sched:sched_process_exec", "--ask", "!burst sched:sched_switch every 10ms"),
    "pairs": View({"ask": str, "pair": str, **SPAN}, "--ask", "!span sched:sched_wakeup -> sched:sched_switch on pid"),
}


PACKETS = """import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
while True:
    s.sendto(b"x" * 100, s.getsockname())
    s.recv(200)
    time.sleep(0.01)
"""


def name_of(view):
    return VIEWS[view].view or view


@contextlib.contextmanager
def load(path):
    """Processes that come, look at files, wait for locks, send packets and go; one of them has a hostile name."""
    hostile = os.path.join(path, HOSTILE)
    os.symlink("/bin/bash", hostile)
    script = "while :; do /bin/true; read -r x < /etc/hostname; : > 'f\"=,'; done"
    children = [subprocess.Popen([hostile, "--norc", "-c", script], cwd=path),
                subprocess.Popen([sys.executable, "-c", PACKETS]), live.Workload("futex_pair", 1).process]
    try:
        yield
    finally:
        for c in children:
            c.kill()
            c.communicate()


def watch(view, path):
    """Two intervals to a file in JSON, one in CSV and a recording, which is replayed."""
    v, at = VIEWS[view], os.path.join(path, view)
    run = live.proftop("-b", "-n", 2, "-d", 1, "-V", name_of(view), *v.options, "-o", at + ".json", "-o", at + ".csv",
                       "--record", at + ".rec", binary=live.RELEASE)
    assert run.status == 0, str(run)
    with open(at + ".json", encoding="utf-8") as f:
        v.reports = [json.loads(line) for line in f]
    with open(at + ".csv", encoding="utf-8", newline="") as f:
        v.table = list(csv.reader(f))
    groups = v.options if v.options[:1] == ("--group",) else ()
    v.replayed = live.batch("-V", name_of(view), "-d", 1, *groups, "--replay", at + ".rec")


@functools.cache
def watch_all():
    live.need_root()
    live.mount_tracefs()
    with live.temporary() as path, load(path):
        for view in VIEWS:
            watch(view, path)


def test_all_views_answer():
    """Each view reports twice into several files at once"""
    watch_all()
    for view, v in VIEWS.items():
        assert [r["seq"] for r in v.reports] == [1, 2], view
        assert all(r["view"] == name_of(view) for r in v.reports), view
        for r in v.reports:
            live.check_report(r)
        assert v.reports[0]["t1_ns"] <= v.reports[1]["t0_ns"] + 1, view


def rows_of(view):
    watch_all()
    return [row for r in VIEWS[view].reports for row in r["rows"]]


def test_fields():
    """Rows have the fields that are fixed, of their types; what is unknown is null, not left out"""
    for view, v in VIEWS.items():
        rows = rows_of(view)
        assert rows, f"{view} has no rows"
        for row in rows:
            for name, kind in v.fields.items():
                assert name in row, f"{view} has no {name}: {row}"
                assert row[name] is None or type(row[name]) is kind, f"{view}: {name} is {row[name]!r}"


def test_units():
    """Times and bytes are whole numbers, shares are not rounded, nothing is below zero"""
    kinds = {"_ns": (int,), "_bytes": (int,), "_pct": (float,)}
    for view in VIEWS:
        for row in rows_of(view):
            for name, value in row.items():
                unit = "_" + name.rpartition("_")[2]
                if value is not None and unit in kinds:
                    assert type(value) in kinds[unit], f"{view}: {name} is {value!r}"
                    assert value >= 0, f"{view}: {name} is {value!r}"


def test_spans_agree():
    """Of a row of spans the sum is what its average says, quantiles are in order, buckets have all that are counted"""
    for view, v in VIEWS.items():
        if "total_ns" not in v.fields:
            continue
        for row in rows_of(view):
            if not row["count"]:
                continue
            assert abs(row["avg_ns"] - row["total_ns"] / row["count"]) <= 1, f"{view}: {row}"
            steps = [row[k] for k in ("min_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns") if row[k] is not None]
            assert steps == sorted(steps), f"{view}: {row}"
            assert row["errors"] <= row["count"], f"{view}: {row}"
            if "stack" not in v.fields:
                assert sum(b["count"] for b in row["hist"]) == row["count"], f"{view}: {row}"


def test_processes_sum_up():
    """Parts of processes' time sum to the wall time of their threads"""
    for row in rows_of("procs"):
        if row["threads"] and row["state"] != "X" and row["starts"] is None:
            live.near(sum(row[k] for k in SHARES), 100 * row["threads"], 1 + row["threads"], row["comm"])


def texts_of(value):
    """As CSV has it: numbers and names; None: what has a form of its own there."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else None


def test_csv():
    """CSV has each name once, and under it the values of JSON, whatever processes are called"""
    for view in VIEWS:
        rows, table = rows_of(view), VIEWS[view].table
        names = table[0]
        assert len(set(names)) == len(names), f"{view}: {sorted(n for n in names if names.count(n) > 1)}"
        assert len(table) - 1 == len(rows), f"{view}: {len(table) - 1} lines, {len(rows)} rows"
        for line, row in zip(table[1:], rows):
            assert len(line) == len(names), f"{view}: {line}"
            for name, value in row.items():
                said = line[names.index(name)]
                wanted = texts_of(value)
                assert wanted is None or said == wanted, f"{view}: {name} is {said!r}, wanted {wanted!r}"
                assert not said or said[0] not in "=+@", f"{view}: a spreadsheet would run {said!r}"
                assert "\x1b" not in said and "\n" not in said, f"{view}: {said!r}"


def test_replay():
    """A replay says what was said when it was recorded, whoever is long gone"""
    for view, v in VIEWS.items():
        rows_of(view)
        assert len(v.replayed) == len(v.reports), f"{view}: {len(v.replayed)} intervals"
        for a, b in zip(v.reports, v.replayed):
            for key in ("t0_ns", "t1_ns", "host", "kernel", "group", "summary"):
                assert a[key] == b[key], f"{view}: {key} is {b[key]}, was {a[key]}"
            for x, y in zip(a["rows"], b["rows"]):
                assert x == y, f"{view}: {[(k, x[k], y.get(k)) for k in x if x[k] != y.get(k)]}"
            assert len(a["rows"]) == len(b["rows"]), view


def test_first_interval():
    """The first interval begins when all questions are attached: each counts the same, and nothing of before"""
    live.need_root()
    sleeps = "syscalls:sys_enter_clock_nanosleep if pid == {0}"
    sleeper = "import time\nprint('ready', flush=True)\nwhile True: time.sleep(0.001)"
    with subprocess.Popen([sys.executable, "-c", sleeper], stdout=subprocess.PIPE, text=True) as work:
        try:
            work.stdout.readline()
            asks = [f"!count {sleeps.format(work.pid)} && {i} < {i + 1}" for i in range(4)]
            asks.append(f"!list {sleeps.format(work.pid)}")
            first = live.batch("-V", "events", "-n", 1, "-d", 0.5, *[x for a in asks for x in ("--ask", a)])[0]
        finally:
            work.kill()
    lines = [r["t_ns"] for r in first["rows"] if "t_ns" in r]
    counts = [r["count"] for r in first["rows"] if "count" in r] + [len(lines)]
    assert len(counts) == 5 and max(counts) > 20, counts
    # They are read one after the other.
    assert max(counts) - min(counts) <= 20 + max(counts) / 50, counts
    assert first["t0_ns"] <= min(lines) and max(lines) <= first["t1_ns"] + 100_000_000, first["t0_ns"]


def test_nothing_asked():
    """Without a question the views of questions say so, and their interval is as long as any other's"""
    live.need_root()
    for view in ("events", "pairs", "held"):
        report = live.batch("-V", view, "-n", 1, "-d", 0.2)[0]
        assert not report["rows"] and "no questions are asked" in report["health"]["note"], report
        assert report["t1_ns"] - report["t0_ns"] < 60e9, report


if __name__ == "__main__":
    live.main(globals())
