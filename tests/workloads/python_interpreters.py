# SPDX-License-Identifier: GPL-2.0-only
"""Runs on CPython 3.9 and later: 70 and 30 % of the CPU in two functions, with a second interpreter in the process
that is "idle"; "below", called by the first one's functions; or in a "thread" while the first thread, which made it,
sleeps; "own", each of two in a thread, with a global lock of its own from 3.12 on. Prints "ready PID"."""
import os
import sys
import threading
import time

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

WORK = """
import time

def hot(slices):
    end = time.thread_time() + slices * .001
    while time.thread_time() < end:
        x = 0
        for i in range(300):
            x += i * i

def hot_70():
    hot(7)

def hot_30():
    hot(3)

def inside():
    while True:
        hot_70()
        hot_30()

inside()
"""


def create():
    return interpreters.create()


def enters(n, interpreter):
    if n:
        return enters(n - 1, interpreter)
    interpreters.run_string(interpreter, WORK)


def sleeps():
    while True:
        time.sleep(.02)


how, one = sys.argv[1], create()
others = [one, create()] if how == "own" else [one] if how == "thread" else []
print("ready", os.getpid(), flush=True)  # up to 3.10 those threads do not leave the global lock to others
for other in others:
    threading.Thread(target=enters, args=(3, other), daemon=True).start()
if how == "idle":
    exec(WORK)
elif how == "below":
    enters(3, one)
else:
    sleeps()
