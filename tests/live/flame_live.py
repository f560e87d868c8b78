#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Flame graphs of the live machine: files of one interval agree box by box, in each view that has
stacks, and boxes are as wide as what is known to be in them."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import flame_sums  # noqa: E402
import live  # noqa: E402
from tmux import Tmux  # noqa: E402


def files(tmp, view, *options):
    """One interval as .folded and as .svg."""
    paths = [os.path.join(tmp, f"{view}.{x}") for x in ("folded", "svg")]
    run = live.proftop("-b", "-n", "1", "-d", "2", "-V", view, *options,
                       *(x for p in paths for x in ("-o", p)), binary=live.RELEASE)
    assert run.status == 0, run
    return paths


def agree(folded, svg):
    want = flame_sums.boxes(flame_sums.lines(folded))
    flame_sums.check_svg(svg, want)
    return want


def test_cpu():
    """Boxes of an .svg are the sums of folded lines, and hot_70 is 70 % wide"""
    live.need_root()
    with live.temporary() as tmp, live.Workload("two_functions", 20) as work:
        want = agree(*files(tmp, "cpu", "-F", "999", "-p", str(work.pid)))
    hot = sum(w for path, w in want.items() if path and path[-1] == "hot_70")
    live.near(100 * hot / want[()], 70, 4, "hot_70")


def test_waits():
    """The same of waits, in microseconds"""
    live.need_root()
    with live.temporary() as tmp:
        loop = subprocess.Popen(["sh", "-c", "while :; do sleep 0.05; done"])
        try:
            want = agree(*files(tmp, "offcpu", "--comm", "^(sleep|sh)$"))
        finally:
            loop.kill()
            loop.wait()
    assert want[()] > 1e6, want[()]
    assert any("nanosleep" in "".join(path) for path in want), list(want)[:20]


def test_cache_misses():
    """The same of misses of the page cache, in pages"""
    live.need_root()
    with live.temporary() as tmp:
        path = os.path.join(tmp, "data")
        read = (f"dd if=/dev/zero of={path} bs=1M count=8 conv=fsync; while :; do "
                f"dd if={path} iflag=nocache count=0; cat {path} >/dev/null; sleep 0.2; done")
        loop = subprocess.Popen(["sh", "-c", read], stderr=subprocess.DEVNULL)
        try:
            want = agree(*files(tmp, "cache", "--comm", "^cat$"))
        finally:
            loop.kill()
            loop.wait()
    assert want.get(("cat",), 0) > 0, list(want)[:20]


def test_without_stacks():
    """A view without stacks says so, with exit code 4"""
    live.need_root()
    for view, name in ("sched", "svg"), ("sched", "folded"), ("sockets", "pprof"), ("tcp", "perf"), \
            ("queries", "speedscope"), ("hwcache", "folded"), ("counters", "svg"), ("kvm", "pprof"):
        run = live.proftop("-b", "-n", "1", "-d", "0.2", "-V", view, "--format", name,
                           binary=live.RELEASE)
        assert run.status == 4 and f"view {view} has no stacks for format {name}" in run.err, run


def test_screen():
    """F shows the graph in a terminal, Enter zooms, and it stays zoomed while it goes on"""
    live.need_root()
    with live.Workload("two_functions", 40) as work, \
            Tmux([live.RELEASE, "-p", str(work.pid)], 120, 30) as t:
        t.wait("hot_70", 20)
        t.keys("F")
        t.wait("on the CPU")
        # The very first samples are from before the tables of the stacks were there.
        t.wait(r" [1-9]\d\d samples", 20)
        t.wait("hot_70")
        t.keys("/")
        t.type("^hot_70$")
        t.keys("Enter")
        t.wait(r"matched (6\d|7\d)")
        t.keys("Enter")
        t.wait("flame graph of hot_70")
        t.wait(r"hot_70  \S+  (6\d|7\d)\.")
        t.keys("w")
        t.wait("since start")
        t.wait("flame graph of hot_70")
        t.keys("Escape")
        t.keys("T")
        t.wait("on and off the CPU")
        t.wait("off the CPU ·", 20)
        t.keys("q")


if __name__ == "__main__":
    live.main(globals())
