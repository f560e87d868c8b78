#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Questions on the screen: a burst's strip, several side by side, and what is wrong with one."""
import contextlib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from tmux import Tmux  # noqa: E402

# Datagrams that nobody receives, one after the other until it is ended.
DATAGRAMS = """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    s.sendto(b"x", ("127.0.0.1", 9))
    time.sleep(0.002)
"""
# For each line that is read so many calls nobody else makes, at once, as many opened names that are nowhere, and a nap.
CALLS = """
import contextlib, os, sys, time
print("ready", flush=True)
for line in sys.stdin:
    for i in range(int(line)):
        os.getsid(0)
    for i in range(int(line)):
        with contextlib.suppress(OSError):
            os.open("/nowhere/to-be-found", os.O_RDONLY)
    time.sleep(0.3)
    print("done", flush=True)
"""
BURST = "burst syscalls:sys_enter_getsid every 1ms"
OPENS = ('span syscalls:sys_enter_openat/filename ~ "/nowhere/*"/ -> syscalls:sys_exit_openat on tid '
         'by comm, entry(filename)')
NAPS = ('span syscalls:sys_enter_clock_nanosleep/tid == {}/ -> syscalls:sys_exit_clock_nanosleep on tid '
        'by comm, entry(flags)')


@contextlib.contextmanager
def asked(*questions):
    """A screen with the questions, and what makes calls when it is called with a number."""
    live.need_root()
    with subprocess.Popen([sys.executable, "-c", CALLS], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as work:
        work.stdout.readline()

        def make(n):
            work.stdin.write(f"{n}\n")
            work.stdin.flush()
            work.stdout.readline()

        args = [x for q in questions for x in ("--ask", q)]
        with Tmux([live.CHECKED, *args], columns=120) as t:
            yield t, make, work.pid
            t.keys("Escape", "Escape", "Escape", "q")
            t.wait_end(30)
        work.communicate("", timeout=60)


def test_strip():
    """A burst's slots are columns of the strip, as many as there are rows, the fullest as high as a line"""
    with asked(BURST) as (t, make, _):
        t.wait("none of the events that are asked for came", 60)
        make(200)
        shown = t.wait(r"full height \d+ events", 30)
    most = int(re.search(r"full height (\d+) events", shown).group(1))
    rows = [int(n) for n in re.findall(r"^ *[0-9.]+[mun]?s +\d+ +(\d+) +\d+ *$", shown, re.MULTILINE)]
    live.fact("calls in all slots", 200, sum(rows))
    assert sum(rows) == 200 and max(rows) == most, (rows, most)
    cells = [c for line in re.findall(r"^CPU \d+ +(\S+)$", shown, re.MULTILINE) for c in line]
    assert len([c for c in cells if c != "\u00b7"]) == len(rows) and "\u2588" in cells, shown


def test_side_by_side():
    """One more question has a screen of its own; of the table of all, keys lead to the row's question"""
    with asked("count syscalls:sys_enter_getsid by comm", OPENS) as (t, make, pid):
        t.keys(":")
        t.type("ask " + NAPS.format(pid))
        t.keys("Enter")
        t.wait(r"by entry\(flags\)\+comm ", 60)
        t.keys("Escape")
        t.wait("2 questions", 30)
        make(300)
        t.wait("/nowhere/t", 30)
        t.keys("/")
        t.type("nowhere")
        t.keys("Enter", "D")
        t.wait(r"distribution of the row(.|\n)*/nowhere/to-be-found", 30)
        t.keys("Escape")
        t.wait("2 questions", 30)
        make(1)
        t.wait(r"^span .* 1  python3 ", 30)
        # Questions stand in the order of their texts. The slowest are called by what they are asked by.
        t.keys("Home", "d")
        t.wait(rf"slowest spans(.|\n)*{pid} python3 +. entry.flags. +1\b", 30)


def test_narrowed():
    """Enter on a line offers its values; the one that is picked is a condition of the question from then on"""
    with asked('list syscalls:sys_enter_openat if filename ~ "/nowhere/*" show filename, flags') as (t, make, pid):
        t.wait(r"1 question\b", 60)
        make(3)
        t.wait(rf"{pid} +python3 +/nowhere/to-be-found", 30)
        t.keys("Enter")
        t.wait(r"\d+ lines", 30)
        t.keys("Enter")
        t.wait(r"filename == /nowhere/to-be-found(.|\n)*flags == (.|\n)*pid == " + str(pid), 30)
        t.type(str(pid))
        t.keys("Enter")
        t.wait(rf'asked now: list .* if filename ~ "/nowhere/\*" && pid == {pid} show filename', 30)
        t.wait("none of the events", 60)
        make(2)
        t.wait(rf"{pid} +python3 +/nowhere/to-be-found", 60)


def test_what_is_wrong():
    """A question that is refused stays in the prompt, with the caret below the fault"""
    with asked() as (t, _, _):
        t.wait("overview", 30)
        t.keys(":")
        t.type("ask count sched:sched_switch if prev_comm > 3")
        t.keys("Enter")
        shown = t.wait("a string is compared with a number", 30).splitlines()
        at = next(i for i, line in enumerate(shown) if line.startswith(": ask count"))
        assert shown[at].index("prev_comm > 3") == shown[at + 1].index("^~~~~~~~~~~~~"), shown[at:]
        t.keys("Escape")


def test_which_to_end():
    """:unask offers the questions by their numbers"""
    with asked("signals", "count page-faults by comm") as (t, _, _):
        t.wait("2 questions", 60)
        t.keys(":")
        t.type("unask ")
        t.wait(r"^ 2 +count page-faults by comm", 30)
        t.type("1")
        t.keys("Enter")
        t.wait("not asked any more: signals", 30)


def test_names():
    """Values are called as the kernel prints them: reasons with their numbers, functions; numbers in JSON"""
    live.need_root()
    count, lines = "count skb:kfree_skb by reason, location", "list skb:kfree_skb show reason, location"
    with subprocess.Popen([sys.executable, "-c", DATAGRAMS]) as work:
        try:
            args = ["-b", "-n", "1", "-d", "1", "--ask", count, "--ask", lines]
            rows = live.proftop(*args, "--format", "json").json()[0]["rows"]
            shown = [live.proftop(*args[:5], "--ask", q).out for q in (count, lines)]
        finally:
            work.kill()
    with open("/proc/kallsyms", encoding="ascii") as f:
        functions = {line.split()[2] for line in f}
    counted = max((r for r in rows if r["ask"] == count), key=lambda r: r["count"])
    assert counted["location"].split("+")[0] in functions and counted["count"] > 50, counted
    assert all(isinstance(r["reason"], int) for r in rows), rows
    for text in shown:
        assert re.search(rf"\b{counted['reason']} NO_SOCKET +", text), text
        assert re.search(rf" {re.escape(counted['location'].split('+')[0])}\+0x", text), text


if __name__ == "__main__":
    live.main(globals())
