# SPDX-License-Identifier: GPL-2.0-only
"""Runs on CPython 3.9 and later: 70 and 30 % of the CPU in two functions, below a callback of C, a
recursion, a generator and a class; threads that wait for a lock and a socket, and one that sleeps again
and again. Prints "ready PID"."""
import os
import socket
import sys
import threading
import time

SLICE = 0.001


def hot_70():
    end = time.thread_time() + 7 * SLICE
    while time.thread_time() < end:
        x = 0
        for i in range(300):
            x += i * i


def hot_30():
    end = time.thread_time() + 3 * SLICE
    while time.thread_time() < end:
        x = 0
        for i in range(300):
            x += i * i


class Caller:
    def key_of(self, which):
        hot_70() if which else hot_30()
        return which

    def by_sort(self):
        return sorted([1, 0], key=self.key_of)


def descend(n, then):
    if n:
        return descend(n - 1, then)
    return then()


def produce():
    while True:
        yield Caller().by_sort()


def rounds():
    for _ in produce():
        pass


def waits_for_lock(lock):
    with lock:
        pass


def waits_for_socket(s):
    s.recv(1)


def sleeps():
    while True:
        time.sleep(0.05)


lock = threading.Lock()
lock.acquire()
pair = socket.socketpair()
for f, args in (waits_for_lock, (lock,)), (waits_for_socket, (pair[0],)), (sleeps, ()):
    threading.Thread(target=f, args=args, daemon=True, name=f.__name__).start()
if len(sys.argv) > 1:
    print("ready", os.getpid(), flush=True)
    descend(int(sys.argv[1]), rounds)
