# SPDX-License-Identifier: GPL-2.0-only
"""What the views of the network cost a load on the loopback that is faster than 10 Gbit/s: throughput of one
TCP connection with a view open beside that without, in turns, and the CPU time of both ends."""
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

import live
from bpf_stats import programs_ns, statistics_on
from figures import comparison, need, note, ratio_at_least, ratio_at_most, result, tool
from sched_bench import attached, children_us, in_turns, on_last_cpu, peer, wait_for_calm

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
def batch(view, least=MIB << 20):
    with tempfile.NamedTemporaryFile("w") as out, \
            subprocess.Popen([live.RELEASE, "-b", "-V", view, "--format", "json", "-d", "1", "-n", "100000"],
                             stdout=out, stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: attached(p.pid), 20)
        time.sleep(1)
        yield [p.pid]
        time.sleep(1.1)
        p.terminate()
        p.wait(30)
        assert counted(view, out.name) >= least, f"{view}: {counted(view, out.name)} bytes"


def spent(pids, work):
    """Nanoseconds of the programs while it works, and what work says."""
    with statistics_on():
        before, said = programs_ns(pids[0]), work()
        after = programs_ns(pids[0])
    return sum(ns - before.get(p, 0) for p, ns in after.items()), said


def bench_programs(rounds):
    """By the kernel's own statistics, which other loads of the machine do not change much."""
    programs, ends = [], []
    for n in range(rounds):
        with batch("net") as pids:
            ns, (_, us) = spent(pids, load)
        programs.append(ns / 1000 / MIB)
        ends.append(us)
        note(f"round {n + 1}: programs {programs[-1]:.1f} us/MiB of {us:.0f}")
    result("time of the programs on its packets, net open", programs, ends, "CPU time of both its ends", "us/MiB",
           ratio_at_most(0.05))


CONNECTIONS = 5000


def connect():
    with socket.create_server(("127.0.0.1", 0)) as server:
        for _ in range(CONNECTIONS):
            with socket.create_connection(server.getsockname()):
                server.accept()[0].close()


def bench_connections(rounds):
    cases, found = {"tcp": lambda: batch("tcp", 0), "tcplife": lambda: peer("tcplife")}, {}
    with comparison("programs for each connection"):
        need("tcplife")
        for n in range(rounds):
            for name, open_it in cases.items():
                with open_it() as pids:
                    found.setdefault(name, []).append(spent(pids, connect)[0] / CONNECTIONS)
            note(f"round {n + 1}: " + ", ".join(f"{name} {ns[-1]:.0f} ns" for name, ns in found.items()))
        result("programs for each connection made and closed, tcp open", found["tcp"], found["tcplife"], "tcplife",
               "ns")


CALLS = 1_000_000
TALK = """
import socket, sys
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[1]) // 2):
    a.send(b"x")
    b.recv(1)
"""
# By process, protocol and kind of call, as the view has it.
BPFTRACE = ('BEGIN { printf("ready\\n"); } '
            "tracepoint:sock:sock_send_length { @sent[pid, comm, args->family, args->protocol] = sum(args->ret); "
            "@sends[pid, comm, args->family, args->protocol] = hist(args->ret); } "
            "tracepoint:sock:sock_recv_length { @got[pid, comm, args->family, args->protocol] = sum(args->ret); "
            "@gets[pid, comm, args->family, args->protocol] = hist(args->ret); }")


def talk_us():
    before = children_us()
    subprocess.run(on_last_cpu(sys.executable, "-S", "-c", TALK, str(CALLS)), check=True)
    return (children_us() - before) / CALLS


@contextlib.contextmanager
def batch_of_sockets(counted):
    with tempfile.NamedTemporaryFile("w") as out, \
            subprocess.Popen([live.RELEASE, "-b", "-V", "sockets", "--format", "json", "-d", "1", "-n", "100000"],
                             stdout=out, stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: attached(p.pid), 20)
        time.sleep(2)
        yield [p.pid]
        time.sleep(1.1)
        p.terminate()
        p.wait(30)
        with open(out.name, encoding="utf-8") as f:
            rows = [r for line in f for r in json.loads(line)["rows"]]
        counted.append(max((sum(r["calls"] for r in rows if r["pid"] == pid)
                            for pid in {r["pid"] for r in rows}), default=0))


@contextlib.contextmanager
def bpftrace():
    with subprocess.Popen([tool("bpftrace"), "-e", BPFTRACE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as p:
        while "ready" not in (line := p.stdout.readline()):
            assert line, "bpftrace has ended"
        yield [p.pid]
        p.kill()


def bench_sockets(rounds):
    need("bpftrace", "taskset")
    counted = []
    added = in_turns(rounds, {"ours": lambda: batch_of_sockets(counted),
                              "bpftrace": bpftrace}, talk_us)
    result("added to a call that sends or receives a byte, sockets open", added["ours"], added["bpftrace"],
           "bpftrace", "us/call", ratio_at_most(2))
    assert all(n >= CALLS for n in counted), (counted, os.getloadavg())


def bench_net(rounds):
    bench_sockets(rounds)
    bench_connections(rounds)
    bench_programs(rounds)
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
