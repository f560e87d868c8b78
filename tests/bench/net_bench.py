# SPDX-License-Identifier: GPL-2.0-only
"""What the views of the network cost a load on the loopback that is faster than 10 Gbit/s: throughput of one
TCP connection with a view open beside that without, in turns, and the CPU time of both ends."""
import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time

import live
from figures import note, ratio_at_least, ratio_at_most, result
from sched_bench import attached, children_us, wait_for_calm

MIB, CHUNK_KIB, ROUNDS = 6144, 128, 9
END = """
import socket, sys
s = socket.socket(fileno=int(sys.argv[1]))
left, chunk = int(sys.argv[2]) << 20, bytearray(int(sys.argv[3]) << 10)
while left > 0:
    left -= s.send(chunk) if sys.argv[4] == "send" else s.recv_into(chunk)
"""


def load():
    """Gbit/s, and CPU time of both ends in us a MiB."""
    with socket.create_server(("127.0.0.1", 0)) as server, \
            socket.create_connection(server.getsockname()) as a, server.accept()[0] as b:
        cpu, began = children_us(), time.monotonic()
        ends = [subprocess.Popen([sys.executable, "-S", "-c", END, str(s.fileno()), str(MIB),
                                  str(CHUNK_KIB), way],
                                 pass_fds=[s.fileno()]) for s, way in ((a, "send"), (b, "receive"))]
        assert not any(p.wait() for p in ends)
        took = time.monotonic() - began
        return MIB * 8 * 1.048576 / 1000 / took, (children_us() - cpu) / MIB


def counted(view, path):
    """Each byte of the load, both ways of the loopback or both ends of the connection."""
    with open(path, encoding="utf-8") as f:
        reports = [json.loads(text) for text in f]
    if view == "tcp":
        return sum(r["received_bytes"] for x in reports for r in x["rows"] if r["received_bytes"] > 1 << 20)
    return sum(r["bytes"] for x in reports for r in x["rows"] if r["device"] == "lo")


@contextlib.contextmanager
def batch(view):
    with tempfile.NamedTemporaryFile("w") as out, \
            subprocess.Popen([live.RELEASE, "-b", "-V", view, "--format", "json", "-d", "1", "-n", "100000"],
                             stdout=out, stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: attached(p.pid), 20)
        time.sleep(1)
        yield
        time.sleep(1.1)
        p.terminate()
        p.wait(30)
        assert counted(view, out.name) >= MIB << 20, f"{view}: {counted(view, out.name)} bytes"


def bench_net(rounds):
    views = "tcp", "net"
    found = {name: ([], []) for name in ("without", *views)}
    for n in range(max(rounds, ROUNDS)):
        for name, (rates, cpu) in found.items():
            wait_for_calm()
            with batch(name) if name in views else contextlib.nullcontext():
                rate, us = load()
            rates.append(rate)
            cpu.append(us)
        note(f"round {n + 1}: " + ", ".join(f"{name} {rates[-1]:.1f} Gbit/s {cpu[-1]:.0f} us/MiB"
                                            for name, (rates, cpu) in found.items()))
    for view in views:
        result(f"one TCP connection on the loopback, {view} open", found[view][0], found["without"][0],
               "without", "Gbit/s", ratio_at_least(0.95))
        result(f"CPU time of both its ends, {view} open", found[view][1], found["without"][1], "without",
               "us/MiB", ratio_at_most(1.05))
