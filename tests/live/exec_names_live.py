#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Filters by the name that a process takes by executing a program: short ones are judged then, not before."""
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


if __name__ == "__main__":
    live.main(globals())
