# SPDX-License-Identifier: GPL-2.0-only
"""Runs on CPython 3.9 and later. Of the main thread's CPU two tasks use 70 and 30 %, below awaits of every kind: a
recursion of coroutines, an object's __await__, an asynchronous generator. Threads: one that sleeps in a generator, one
whose task waits for a socket, and one that begins others, one after the other, which burn. Prints "ready PID"."""
import asyncio
import os
import socket
import threading
import time

SLICE = 0.001
PAIR = socket.socketpair()


def burn(slices):
    end = time.thread_time() + slices * SLICE
    while time.thread_time() < end:
        x = 0
        for i in range(300):
            x += i * i


async def leaf_70():
    burn(7)


async def leaf_30():
    burn(3)


async def descend(n, leaf):
    if n:
        return await descend(n - 1, leaf)
    await leaf()


class Awaited:
    def __init__(self, leaf):
        self.leaf = leaf

    def __await__(self):
        return (yield from descend(2, self.leaf).__await__())


async def produce(leaf):
    while True:
        await Awaited(leaf)
        yield
        await asyncio.sleep(0)


async def consume(leaf):
    async for _ in produce(leaf):
        pass


async def works():
    await asyncio.gather(consume(leaf_70), consume(leaf_30))


def naps():
    while True:
        time.sleep(.02)
        yield


def delegates():
    yield from naps()


def takes_naps():
    for _ in delegates():
        pass


async def receives():
    PAIR[0].setblocking(False)
    while True:
        await asyncio.get_running_loop().sock_recv(PAIR[0], 1)


def waits_for_task():
    asyncio.run(receives())


def sends():
    while True:
        time.sleep(.02)
        PAIR[1].send(b"x")


def begins_threads():
    while True:
        thread = threading.Thread(target=burn, args=(20,))
        thread.start()
        thread.join()


for f in takes_naps, waits_for_task, sends, begins_threads:
    threading.Thread(target=f, daemon=True, name=f.__name__).start()
print("ready", os.getpid(), flush=True)
asyncio.run(works())
