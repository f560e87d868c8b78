#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The verifier takes a million instructions of a program at most, and what it processes is most of what a start costs:
none of ours is near."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from bpf_stats import programs_verified  # noqa: E402

MOST = 200_000
VIEWS = ("offcpu", "sched", "cpu", "io", "cache", "syscalls", "files", "faults", "locks", "irq", "net", "tcp", "sockets",
         "kmem", "reclaim", "lookups", "procs")


def verified(*args):
    with live.Watch(*args, delay=0.1) as watch:
        watch.next()
        found = programs_verified(watch.process.pid)
    if not found:
        raise live.Skip("this kernel does not say what its verifier processed")
    print(f"# {args[0]}: {len(found)} programs, {max(found.values())} instructions at most, {sum(found.values())} in all")
    assert max(found.values()) <= MOST, found


def test_views():
    """Those of all views without a target"""
    for view in VIEWS:
        verified(view)


def test_functions():
    """Those for functions, which are timed in any depth"""
    verified("funcs", "--function", os.path.join(live.WORKLOADS, "funcs") + ":*", "--function-waits")


def test_heap():
    """Those for allocations"""
    live.mount_tracefs()
    verified("heap", "-p", os.getpid())


if __name__ == "__main__":
    live.main(globals())
