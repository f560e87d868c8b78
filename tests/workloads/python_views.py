# SPDX-License-Identifier: GPL-2.0-only
"""Does a little of all that views show, each below a function of its own: waits that another thread ends, first touches
of pages, memory that is kept, file data that is written to the disk, a lock that two want. Usage: FILE; prints "ready"."""
import collections
import mmap
import os
import sys
import threading
import time

given, taken, lock = threading.Semaphore(0), threading.Semaphore(0), threading.Lock()
kept = collections.deque(maxlen=40)
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)


def takes():
    given.acquire()
    taken.release()


def gives():
    given.release()
    taken.acquire()


def touches():
    with mmap.mmap(-1, 100 * mmap.PAGESIZE) as area:
        for page in range(100):
            area[page * mmap.PAGESIZE] = 1


def keeps():
    kept.append(bytearray(50 << 10))


def syncs():
    os.pwrite(out, os.urandom(4096), 0)
    os.fsync(out)


def wants():
    with lock:
        time.sleep(.002)


def works():
    while True:
        for does in takes, touches, keeps, syncs, wants:
            does()


def helps():
    while True:
        gives()
        wants()


threading.Thread(target=helps, name="helper", daemon=True).start()
print("ready", flush=True)
works()
