#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Names that are looked up: as many as a process asks for, and those that are not there."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

TIMES = 500
WORK = f"""
import os, sys
def tried(call, *args):
    try:
        return call(*args)
    except OSError:
        return None
sys.stdin.readline()
for _ in range({TIMES}):
    os.stat("/etc/passwd")                                   # found
    tried(os.stat, "/etc/no such file")                      # ENOENT
    tried(os.open, "/etc/passwd/below", os.O_RDONLY)         # ENOTDIR
    tried(os.open, "/etc/passwd", os.O_DIRECTORY | os.O_WRONLY)   # ENOTDIR, too
    os.access("/", os.F_OK)                                  # found
    os.fstat(1)                                              # names nothing
    os.getppid()
print("done", flush=True)
sys.stdin.readline()
"""


class Worker:
    """Looks its names up when it is told to; all of it is imported before."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        live.wait_for(lambda: "S (sleeping)" in open(f"/proc/{self.pid}/status", encoding="utf-8").read(), 20)
        return self

    def work(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def looked(*args):
    """Rows of all intervals with a worker's lookups."""
    with Worker() as worker:
        with live.Watch("lookups", "-p", worker.pid, *args, binary=live.CHECKED) as watch:
            watch.next()
            worker.work()
            watch.until(live.now_ns())
            return worker.pid, [r for x in watch.reports[1:] for r in x["rows"]]


def test_counts():
    """Lookups of a process and those in vain are what it asked for, to the last one; nobody else's are there"""
    live.need_root()
    pid, rows = looked()
    assert {r["pid"] for r in rows} == {pid}, rows
    assert sum(r["lookups"] for r in rows) == 5 * TIMES, rows
    assert sum(r["negative"] for r in rows) == 3 * TIMES, rows


def test_calls():
    """By call and outcome; where from adds up to the same"""
    live.need_root()
    _, rows = looked("--group", "syscall,found")
    sums = {}
    for r in rows:
        key = r["syscall"].replace("newfstatat", "stat"), r["found"]
        sums[key] = sums.get(key, 0) + r["count"]
    opened = sums.pop(("openat", "absent"), 0) + sums.pop(("open", "absent"), 0)
    assert opened == 2 * TIMES, sums
    accessed = sums.pop(("access", "found"), 0) + sums.pop(("faccessat", "found"), 0)
    assert accessed == TIMES and sums == {("stat", "found"): TIMES, ("stat", "absent"): TIMES}, sums
    _, rows = looked("--group", "stack")
    assert sum(r["count"] for r in rows) == 5 * TIMES and sum(r["negative"] for r in rows) == 3 * TIMES, rows


def test_levels():
    """The summary says how large the kernel's cache of names is, as /proc does"""
    live.need_root()
    with open("/proc/sys/fs/dentry-state", encoding="ascii") as f:
        dentries, unused = map(int, f.read().split()[:2])
    summary = live.batch("-V", "cache-dentries", "-n", 1, "-d", "0.2")[-1]["summary"]
    assert dentries / 2 < summary["dentries"] < dentries * 2, (summary, dentries)
    assert unused / 2 < summary["unused_dentries"] < unused * 2, (summary, unused)
    assert summary["negative_dentries"] <= summary["dentries"] and "lookups" in summary, summary


if __name__ == "__main__":
    live.main(globals())
