#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Filters by the name that a process takes by executing a program: short ones are judged then, not before.
Processes are called what they are, not what their threads are."""
import collections
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

PROGRAMS, NAME = 120, "shortlived"


def run_programs():
    """So many processes of that name, one after the other; {pid}."""
    with live.temporary() as folder:
        path = shutil.copy(shutil.which("true"), os.path.join(folder, NAME))
        pids = set()
        for _ in range(PROGRAMS):
            process = subprocess.Popen([path])
            pids.add(process.pid)
            process.wait()
    assert len(pids) == PROGRAMS, "numbers were used again"
    return pids


def watched(view, *args):
    """(rows, pids) while they run; whoever starts them is known by its name before."""
    live.need_root()
    with live.Watch(view, "-d", 0.3, *args, binary=live.CHECKED) as watch:
        watch.next()
        subprocess.run(["true"], check=True)
        watch.next()
        pids = run_programs()
        watch.until(live.now_ns())
    return [r for x in watch.reports for r in x["rows"]], pids


def test_sched():
    """sched sees each of them, with the CPU that it had"""
    rows, pids = watched("sched", "--comm", f"^{NAME}$", "--group", "tid")
    found = {r["tid"] for r in rows if r["oncpu_ns"]}
    assert {r["comm"] for r in rows} == {NAME}, {r["comm"] for r in rows}
    live.fact("short programs in sched", PROGRAMS, len(found & pids))
    assert found == pids, (len(found), sorted(pids - found), sorted(found - pids))


def test_procs():
    """procs counts each of them"""
    rows, _ = watched("procs", "--comm", f"^{NAME}$")
    assert sum(r["starts"] or 1 for r in rows if r["comm"] == NAME) == PROGRAMS, rows


def calls(*args):
    """{system call: how often} of them."""
    found = collections.Counter()
    for r in watched("syscalls", "--group", "syscall,comm", *args)[0]:
        if r["comm"] == NAME:
            found[r["syscall"]] += r["count"]
    return found


def test_calls():
    """Their system calls are as many with the filter as without, from the end of execve on"""
    every, passed = calls(), calls("--comm", f"^{NAME}$")
    assert every["mmap"] >= PROGRAMS and every["mmap"] % PROGRAMS == 0, every
    del every["execve"], passed["execve"]  # begins under the old name
    assert passed == every, (passed, every)


def test_other_names():
    """What is executed under a name that does not pass is seen no more"""
    rows, pids = watched("sched", "--filter", f"!comm~^{NAME}$", "--group", "tid")
    assert not {r["tid"] for r in rows if r["comm"] == NAME}, rows



WRITER = """
import ctypes, os, sys, threading
call_me = lambda name: ctypes.CDLL(None).prctl(15, name, 0, 0, 0)
def write():
    call_me(b"its thread")
    while True:
        with open(sys.argv[1], "wb") as f:
            f.write(bytes(65536))
            os.fsync(f.fileno())
threading.Thread(target=write, daemon=True).start()
for line in sys.stdin:
    call_me(line.strip().encode())
"""


def call(process, name):
    process.stdin.write(name + "\n")
    process.stdin.flush()


def expect(watch, name):
    """Reads on until its rows are called so."""
    for _ in range(100):
        names = {row["comm"] for row in watch.next()["rows"]}
        if names == {name}:
            return
    raise AssertionError((names, name))


def test_threads():
    """cache and io call a process by its own name, and by another once it has that"""
    live.need_root()
    with live.temporary() as folder, \
            subprocess.Popen([sys.executable, "-c", WRITER, os.path.join(folder, "file")], stdin=subprocess.PIPE,
                             text=True) as process:
        for view in "cache", "io":
            call(process, "before")
            with live.Watch(view, "-d", 0.3, "--group", "pid", "-p", process.pid, binary=live.CHECKED) as watch:
                expect(watch, "before")
                call(process, "after")
                expect(watch, "after")


if __name__ == "__main__":
    live.main(globals())
