#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Command lines of processes in the views: who is there already, who begins, who changes its title."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import live  # noqa: E402

BUSY = """
import time
while True:
    for _ in range(200):
        open('/proc/self/stat').read()
    time.sleep(0.001)
"""


class Worker:
    """A process with an argument that nobody else has."""

    def __init__(self, mark):
        self.process = subprocess.Popen([sys.executable, "-c", BUSY, mark])
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def rows_of(pid, view, *args):
    reports = live.batch("-V", view, "--group", "pid", "-n", "1", "-d", "2", "-p", str(pid), *args)
    return [row for row in reports[-1]["rows"] if row["pid"] == pid]


def test_views():
    """Rows of a process have its command line, whatever the view"""
    live.need_root()
    with Worker("who-is-it") as w:
        for view in ("cpu", "offcpu", "sched", "syscalls", "files"):
            rows = rows_of(w.pid, view)
            assert rows, view
            for row in rows:
                assert (row["cmdline"] or "").startswith(f"{sys.executable} -c "), (view, row)
                assert row["cmdline"].endswith("who-is-it") and "\n" not in row["cmdline"], (view, row)
                assert row["ended"] is False, (view, row)


def test_hot_function():
    """The process with most of a function's samples is named with its command line"""
    live.need_root()
    with Worker("hot-one") as w:
        report = live.batch("-V", "cpu", "-n", "1", "-d", "2", "-p", str(w.pid))[-1]
    mine = [row for row in report["rows"] if row["most_pid"] == w.pid]
    assert mine and all(row["most_cmdline"].endswith("hot-one") for row in mine), report["rows"]


def test_begins_later():
    """One that begins while proftop looks has its command line, too, and is told as ended"""
    live.need_root()
    script = f"{sys.executable} -c 'import time; t = time.time()\nwhile time.time() < t + 2.5: pass' " \
             "later-on; sleep 2"
    reports = live.batch("-V", "sched", "--group", "pid", "-n", "6", "-d", "0.7", "--", "sh", "-c", script)
    rows = [row for r in reports for row in r["rows"] if (row["cmdline"] or "").endswith("later-on")]
    rows = [row for row in rows if row["comm"].startswith("python")]
    assert rows, [[(row["comm"], row["cmdline"]) for row in r["rows"]] for r in reports]


def test_replay():
    """A recording has them"""
    live.need_root()
    with live.temporary() as folder, Worker("on-tape") as w:
        path = os.path.join(folder, "a.ptr")
        live.batch("-V", "sched", "-n", "2", "-d", "0.5", "-p", str(w.pid), "--record", path)
        reports = live.batch("--replay", path, "-V", "sched", "--group", "pid")
    rows = [row for r in reports for row in r["rows"] if row["pid"] == w.pid]
    assert rows and all(row["cmdline"].endswith("on-tape") for row in rows), rows


if __name__ == "__main__":
    live.main([test_views, test_hot_function, test_begins_later, test_replay])
