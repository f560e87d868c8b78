#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a question needs is loaded while it is written: nothing of it runs before Enter, one at a time is there, and
none when it is given up."""
import contextlib
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from asks import Calls  # noqa: E402
from bpf_stats import programs_runs, statistics_on  # noqa: E402
from tmux import Tmux  # noqa: E402

# Calls nobody else makes.
CALLS = """
import os, time
while True:
    os.getsid(os.getpid())
    time.sleep(0.001)
"""
QUESTION = "count syscalls:sys_enter_getsid by pid"


def wait(what, true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what} after {seconds} s"
        time.sleep(0.02)


@contextlib.contextmanager
def written(question):
    """A proftop in whose palette a question stands, what it held before, and whose calls are asked for."""
    live.need_root()
    with statistics_on(), subprocess.Popen([sys.executable, "-c", CALLS]) as work:
        try:
            with Tmux([live.CHECKED, "-V", "events"], columns=120) as t:
                t.wait("nothing is asked", 30)
                before = programs_runs(t.pid())
                t.type(f":ask {question}")
                yield t, before, work.pid
        finally:
            work.kill()


def new(pid, before):
    """{id: runs} of what came since."""
    return {k: n for k, n in programs_runs(pid).items() if k not in before}


def settled(pid, before, but=()):
    """What came since, without that of `but`, once it stays: events are counted for a moment, too."""
    end = time.monotonic() + 30
    last, since = None, 0
    while True:
        now = set(new(pid, before))
        if now != last:
            last, since = now, time.monotonic()
        if now and not now & set(but) and time.monotonic() > since + 0.7:
            return new(pid, before)
        assert time.monotonic() < end, (now, but)
        time.sleep(0.02)


def test_not_before():
    """Programs are loaded while a question is written, and do not run"""
    with written(QUESTION) as (t, before, work):
        loaded = settled(t.pid(), before)  # hundreds of its events came meanwhile
        live.fact("programs that ran before Enter", "none", [n for n in loaded.values() if n])
        assert not any(loaded.values()), loaded
        t.keys("Enter")
        wait("none of those that were loaded runs", lambda: any(
            n for k, n in new(t.pid(), before).items() if k in loaded))
        t.wait(rf"\b{work}\b", 20)


def test_given_up():
    """Escape unloads them"""
    with written(QUESTION) as (t, before, _):
        settled(t.pid(), before)
        t.keys("Escape")
        wait("they stay", lambda: not new(t.pid(), before))


def test_changed():
    """Another text's take the place of the one before, and what is wrong has none"""
    with written(QUESTION) as (t, before, pid):
        first = settled(t.pid(), before)
        t.type(" sum pid")
        second = settled(t.pid(), before, but=first)
        live.fact("programs of one question", len(first), len(second))
        assert len(second) == len(first), (first, second)
        t.type(" nonsense")
        wait("what is wrong has programs", lambda: not new(t.pid(), before))
        t.keys(*["BSpace"] * len(" nonsense"))
        settled(t.pid(), before)
        t.keys("Enter")
        t.wait(str(pid), 20)


def test_forced():
    """What was refused for its rate does not stand in the way of itself, asked with !"""
    live.need_root()
    question = "count syscalls:sys_enter_getppid by comm"
    with contextlib.ExitStack() as all_of_them:
        for work in [all_of_them.enter_context(Calls("spin")) for _ in range(2 * os.cpu_count())]:
            work.tell()
        t = all_of_them.enter_context(Tmux([live.CHECKED, "-V", "log"], columns=120))
        t.wait("LIVE", 30)
        t.type(f":ask {question}")
        t.keys("Enter")
        shown = t.wait(r"of a CPU; ask it with !|\d[kM]? events/s", 30)
        if "cannot answer" not in shown:
            raise live.Skip("this machine makes too few system calls a second: " + shown)
        t.type(f":ask !{question}")
        t.keys("Enter")
        t.wait(r"\d[kM]? events/s", 30)
        t.wait("cannot answer", 5, absent=True)
        t.wait(r"^ +[0-9.]+[kM]? +calls\b", 10)


if __name__ == "__main__":
    live.main(globals())
