#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What is said of an event while a question about it is being written, before anything is attached."""
import bisect
import contextlib
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from tmux import Tmux  # noqa: E402

# Calls nobody else makes, until a line comes; then when each was.
CALLS = """
import json, os, select, sys, time
times = []
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    os.getsid(os.getpid())
    times.append(time.monotonic_ns())
    time.sleep(0.0005)
print(json.dumps(times), flush=True)
"""
# A function that is called with 4711 and 4712, until a line comes.
FUNCTIONS = """
import ctypes, select, sys, time
labs = ctypes.CDLL("libc.so.6").labs
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    labs(4711)
    labs(4712)
    bytearray(1 << 20)
    time.sleep(0.0005)
"""
WINDOW_NS = 100_000_000
SAID = r"([0-9.]+)(k?)/s: about ([0-9.]+)% of a CPU"


def rates(times):
    """Calls a second in 100 ms: the least and the most, one call more or less at the edges."""
    n = [bisect.bisect_left(times, t + WINDOW_NS) - i for i, t in enumerate(times)
         if t + WINDOW_NS < times[-1]]
    return (min(n) - 1) * 10, (max(n) + 1) * 10


@contextlib.contextmanager
def asking(script):
    """The palette beside a python that runs until it reads a line; the list has what that wrote in the end."""
    live.need_root()
    said = []
    with subprocess.Popen([sys.executable, "-c", script], text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as work:
        work.stdout.readline()
        try:
            with Tmux([live.CHECKED, "-V", "events"], columns=120) as t:
                t.wait("nothing is asked", 30)
                t.keys(":")
                yield t, work.pid, said
                t.keys("Escape", "Escape", "q")
                t.wait_end(30)
        finally:
            said.append(work.communicate("\n", timeout=60)[0])


def test_rate_before_it_is_asked():
    """The rate of an event is that of the program that makes it; fields have their types and values"""
    with asking(CALLS) as (t, pid, said):
        t.type("ask count syscalls:sys_enter_getsid by ")
        shown = t.wait(SAID, 30)
        t.wait(rf"\bpid +pid_t +{pid}\b", 30)
        t.type("pid if pid == ")
        t.wait(rf"^ *{pid} +as it was just now", 30)
    number, kilo, pct = re.search(SAID, shown).groups()
    rate = float(number) * (1000 if kilo else 1)
    least, most = rates(json.loads(said[0]))
    live.fact("rate", f"{least} to {most}", rate)
    # Three digits are shown.
    assert least * 0.99 <= rate <= most * 1.01, (least, rate, most)
    assert float(pct) < 10, pct


def test_other_events():
    """Functions have their arguments' values and a rate, with their probes' cost; software events their own fields"""
    with asking(FUNCTIONS) as (t, pid, _):
        t.type(f"ask count uprobe:pid:{pid}:labs by ")
        t.wait(SAID, 30)
        t.wait(r"\barg0 +s64 +471[12], 471[12]\s", 30)
        t.type("arg0 if arg0 == ")
        t.wait(r"^ *4711 +as it was just now", 30)
        t.keys("Escape")
        t.keys(":")
        t.type("ask count page-faults by ")
        t.wait(SAID, 30)
        t.wait(r"\baddr +u64 +0x[0-9a-f]+", 30)
        t.wait(r"\bperiod +u64 +1\s", 30)


# A signal that is ignored, and a file system's figures of a path that is nowhere, until a line comes.
SIGNALS = """
import contextlib, os, select, signal, sys, time
signal.signal(signal.SIGWINCH, signal.SIG_IGN)
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    os.kill(os.getpid(), signal.SIGWINCH)
    with contextlib.suppress(OSError):
        os.statvfs("/nowhere/at/all")
    time.sleep(0.0005)
"""


def test_arguments_and_strings():
    """Raw tracepoints have their arguments' values and a rate; what has addresses of strings has the strings"""
    with asking(SIGNALS) as (t, _, _said):
        t.type("ask count btf:signal_generate by ")
        t.wait(SAID, 30)
        t.wait(r"\bsig +s32 +(\d+, )*28\b", 30)
        t.keys("Escape")
        t.keys(":")
        t.type("ask count syscalls:sys_enter_statfs by ")
        t.wait(r'\bpathname +(const )?char \* +.*"/nowhere/at/all"', 30)
        t.type('pathname if pathname == "')
        t.wait(r'^ *"?/nowhere/at/all" +as it was just now', 30)


def test_no_kprobes():
    """What cannot be counted before it is asked says so"""
    if os.path.exists("/sys/bus/event_source/devices/kprobe"):
        raise live.Skip("this kernel has kprobes")
    with asking(SIGNALS) as (t, _, _said):
        t.type("ask count kprobe:vfs_read by ")
        t.wait("no rate: this kernel has no kprobe there", 30)


if __name__ == "__main__":
    live.main(globals())
