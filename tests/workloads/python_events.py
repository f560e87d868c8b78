# SPDX-License-Identifier: GPL-2.0-only
"""Of each kind two functions do 70 and 30 %: writes to /dev/null, in an order that is left to chance as only some
calls have stacks, first touches of pages, and objects that are kept for a while. Prints "ready"."""
import collections
import mmap
import os
import random
import time

NULL = os.open("/dev/null", os.O_WRONLY)
ROUNDS_KEPT = 20
KEPT = collections.deque(maxlen=2 * ROUNDS_KEPT)


def writes_70():
    os.write(NULL, b"x")


def writes_30():
    os.write(NULL, b"x")


def writes():
    for _ in range(100):
        if random.random() < .7:
            writes_70()
        else:
            writes_30()


def touches_70():
    touch(70)


def touches_30():
    touch(30)


def touch(pages):
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as area:
        for page in range(pages):
            area[page * mmap.PAGESIZE] = 1


def keeps_70():
    KEPT.append(bytearray(70 << 10))


def keeps_30():
    KEPT.append(bytearray(30 << 10))


def works():
    while True:
        for does in writes, touches_70, touches_30, keeps_70, keeps_30:
            does()
        time.sleep(.01)


print("ready", flush=True)
works()
