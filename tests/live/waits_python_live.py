#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What offcpu says of Python's waits: sockets with a timeout, locks, the global lock."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits  # noqa: E402

SOCKETS = """
import socket, threading, time
def name(text):
    with open("/proc/thread-self/comm", "w") as f:
        f.write(text)
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
def answers(c):
    name("server")
    while c.recv(10):
        time.sleep(0.4)
        c.send(b"answer")
def accepts():
    name("acceptor")
    while True:
        threading.Thread(target=answers, args=(server.accept()[0],), daemon=True).start()
def asks(timeout):
    name("client-timeout" if timeout else "client-plain")
    c = socket.create_connection(server.getsockname())
    c.settimeout(timeout)
    while True:
        c.send(b"request")
        c.recv(10)
def quiet():
    name("quiet")
    socket.create_connection(server.getsockname()).recv(10)
threading.Thread(target=accepts, daemon=True).start()
for t in 30, None:
    threading.Thread(target=asks, args=(t,), daemon=True).start()
threading.Thread(target=quiet, daemon=True).start()
time.sleep(1)
print("ready", flush=True)
time.sleep(1000)
"""

LOCKS = """
import threading, time
def name(text):
    with open("/proc/thread-self/comm", "w") as f:
        f.write(text)
lock = threading.Lock()
lock.acquire()
def wants(timeout):
    name("timed" if timeout > 0 else "untimed")
    lock.acquire(timeout=timeout)
for t in 1000, -1:
    threading.Thread(target=wants, args=(t,), daemon=True).start()
time.sleep(0.5)
print("ready", flush=True)
time.sleep(1000)
"""


def measure(source):
    live.need_root()
    python, = servers.need("/usr/bin/python3")
    with servers.running(python, "-c", source, stdout=subprocess.PIPE, text=True) as p:
        servers.printed(p, "ready")
        r = servers.report(p.pid)
    servers.not_hidden(r)
    return r


def share_of(r, comm, **wanted):
    return waits.total(waits.rows_of(r, comm=comm, **wanted)) / servers.span(r)


def test_sockets():
    """Who waits for an answer is held up by the network, with a timeout (poll) or without"""
    r = measure(SOCKETS)
    for comm in ("client-timeout", "client-plain"):
        share = share_of(r, comm, reason="network", **{"class": "harmful"})
        # Of a wait that ends before it is looked at only that it was a poll is known.
        live.near(share, 1, 0.2, comm)
        assert not share_of(r, comm, idle=True), servers.summary(r)


def test_servers():
    """Who waits for connections, or on one for the next request, is idle"""
    r = measure(SOCKETS)
    assert share_of(r, "acceptor", **{"class": "idle"}) > 0.99, servers.summary(r)
    # Two are asleep while they work, the third has a client that never asks.
    live.near(share_of(r, "server", **{"class": "idle"}), 1, 0.1, "servers without a request")
    assert not share_of(r, "server", **{"class": "harmful"}) > 0.02, servers.summary(r)


def test_locks():
    """A Lock is never called idle: what it is used as cannot be seen"""
    r = measure(LOCKS)
    for comm in ("timed", "untimed"):
        live.near(share_of(r, comm, reason="lock", **{"class": "unclear"}), 1, 0.02, comm)


if __name__ == "__main__":
    live.main(globals())
