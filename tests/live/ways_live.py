#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where Enter leads from the overview: every way is one that its view takes, and from what goes wrong
in a workload (workloads/trouble.c) it leads to rows about that process."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from tmux import Tmux  # noqa: E402

SECONDS = 90
RULES = os.path.join(live.ROOT, "models/overview_rules.def")
ROW = re.compile(r'^RULE\(\w+, "([\w-]+)".*\n\t.*?, "(\w+)", "([^"]*)", "([^"]*)", "', re.M)


def test_every_way_is_one():
    """View, group and sorting column of each rule are taken together"""
    live.need_root()
    with open(RULES, encoding="utf-8") as f:
        ways = ROW.findall(f.read())
    assert len(ways) > 40, ways
    for view, group, sort in sorted({x[1:] for x in ways if x[1] != "log"}):  # of the screen alone
        args = [*(["--group", group] if group else []), *(["--sort", sort] if sort else [])]
        run = live.proftop("-b", "-V", view, "-n", "1", "-d", "0.2", *args)
        assert run.status == 0, (view, group, sort, str(run))


def enter(kind, *args, finding, view, shows):
    """The finding about the workload's process (its text has `finding`) leads to `view` with a row that
    matches `shows`."""
    live.need_root()
    with live.Workload("trouble", kind, SECONDS, *args) as work, \
            Tmux([live.RELEASE, "-V", "overview", "-d", "1"], 160, 50) as t:
        t.wait(finding, 30)
        t.keys("/")
        t.type(finding)
        t.keys("Enter")
        t.wait(rf"Enter opens {view} of pid={work.pid}", 30)
        t.keys("Enter")
        t.wait(rf"^ \d.*{view}", 10)
        t.wait(shows, 30)


def test_spin():
    """A process that computes: its functions"""
    enter("spin", finding="`trouble` uses", view="cpu", shows=r"spin\b.*trouble|\bspin\b")


def test_lock():
    """Threads that wait for a lock: their waits"""
    enter("lock", finding="`trouble` waits", view="offcpu", shows=r"\block\b")


def test_leak():
    """A process that grows: its memory"""
    enter("leak", finding="`trouble` has grown", view="procs", shows=r"Memor.?▼.*\n.*trouble leak")


def test_fsync():
    """A process that waits in fsync: its requests"""
    with tempfile.TemporaryDirectory(dir=live.FOLDER) as tmp:
        enter("fsync", os.path.join(tmp, "log"), finding="fsync", view="io", shows=r"\d+ trouble")


def test_exec_storm():
    """A process that starts programs: what these take"""
    live.need_root()
    with live.Workload("trouble", "exec", SECONDS) as work, \
            Tmux([live.RELEASE, "-V", "overview", "-d", "1"], 160, 50) as t:
        t.wait(r"a second are started, \w+ by `trouble`", 30)
        t.keys("/")
        t.type("by `trouble`: its children")
        t.keys("Enter")
        t.wait(rf"Enter opens cpu of tree={work.pid}", 30)
        t.keys("Enter")
        t.wait("by comm", 10)
        t.wait(r"[1-9].* true\b", 30)


def press_twice(t, box):
    """A double click on the first line of a box."""
    screen = t.wait(f"─ {box}", 20).split("\n")
    row = next(i for i, x in enumerate(screen) if f"─ {box}" in x)
    at = f"\x1b[<0;{screen[row].index(f'─ {box}') + 3};{row + 2}"
    for _ in range(2):
        t.type(at + "M")
        t.type(at + "m")


def test_panels():
    """A double click on a line of a box: processes by memory, devices, functions by process, disks"""
    live.need_root()
    with Tmux([live.RELEASE, "-V", "overview", "-d", "1"], 160, 50) as t:
        for box, shows in (("Memory", "Memor.?▼"), ("Network", "^by device"), ("CPUs", "^by pid"),
                           ("Disks", "^by device")):
            press_twice(t, box)
            t.wait(shows, 20)
            t.wait("findings ·", 20, absent=True)
            t.keys("BSpace")
            t.wait("findings ·", 20)


if __name__ == "__main__":
    live.main(globals())
