# SPDX-License-Identifier: GPL-2.0-only
"""What the view of interrupts takes of each softirq and each interrupt of a device, beside libbpf-tools' softirqs and
hardirqs: the time of the BPF programs on them, as the kernel measures it, while packets go over the loopback and a file
is read around the page cache. Both have times by vector with their distribution; ours by thread and CPU, too, and with
stacks."""
import contextlib
import os
import subprocess
import sys
import time

import live

from bpf_stats import programs_ns, statistics_on
from figures import comparison, need, note, result
from mix_bench import name_of
from sched_bench import peer, screen

SECONDS, ROUNDS = 4, 5
READ_BYTES = 4096
FILE_MIB = 16
PACKETS = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a:
    a.bind(("127.0.0.1", 0))
    while True:
        a.sendto(b"x", a.getsockname())
        a.recv(10)
"""


READS = """
import mmap, os, sys
size, at = int(sys.argv[2]), 0
fd, page = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, size)
while True:
    at = (at + size) % os.fstat(fd).st_size
    os.preadv(fd, [page], at)
"""


@contextlib.contextmanager
def running(program, *args):
    with subprocess.Popen([sys.executable, "-S", "-c", program, *map(str, args)]) as load:
        try:
            yield
        finally:
            load.kill()


@contextlib.contextmanager
def reads():
    path = os.path.join(live.BUILD, "irq_bench.tmp")
    with open(path, "wb") as f:
        f.write(os.urandom(FILE_MIB << 20))
        os.fsync(f.fileno())
    try:
        with running(READS, path, READ_BYTES):
            yield
    finally:
        os.unlink(path)


def softirqs():
    with open("/proc/softirqs", encoding="ascii") as f:
        return sum(int(n) for line in f.readlines()[1:] for n in line.split()[1:])


def interrupts():
    """Of devices: the CPUs' own have no number."""
    with open("/proc/interrupts", encoding="ascii") as f:
        cpus = len(f.readline().split())
        lines = [line.split() for line in f]
    return sum(int(n) for words in lines if words[0][:-1].isdigit() for n in words[1:cpus + 1])


# What there is, how the load makes it, the peer, and our programs on it.
KINDS = (("softirq", softirqs, lambda: running(PACKETS), "softirqs",
          ("irq_soft_begins", "irq_soft_ends", "irq_soft_raised")),
         ("interrupt of a device", interrupts, reads, "hardirqs", ("irq_hard_begins", "irq_hard_ends")))


def cost(open_it, read, wanted):
    """Nanoseconds of each, of programs that are wanted."""
    with open_it() as pids, statistics_on():
        before, begun = programs_ns(pids[0]), read()
        time.sleep(SECONDS)
        after, count = programs_ns(pids[0]), read() - begun
    spent = {p: ns - before[p] for p, ns in after.items() if ns > before.get(p, ns)}
    return sum(ns for p, ns in spent.items() if wanted(p)) / count


def names_there(pid, wanted):
    """Of the programs that a process holds, once those are there; what was only tried may go meanwhile."""
    with contextlib.suppress(subprocess.CalledProcessError):
        names = {p: name_of(p) for p in programs_ns(pid)}
        return names if set(wanted) <= set(names.values()) else None


def bench_kind(rounds, what, read, load, theirs, programs):
    mine, others = [], []
    with comparison(f"programs for each {what}"), load():
        need(theirs)
        for n in range(rounds):
            with screen("irq") as pids:
                names = live.wait_for(lambda p=pids: names_there(p[0], programs), 20)
                mine.append(cost(lambda p=pids: contextlib.nullcontext(p), read,
                                 lambda p, n=names: n.get(p) in programs))
            others.append(cost(lambda: peer(theirs, "-d"), read, lambda p: True))
            note(f"round {n + 1}: irq {mine[-1]:.0f} ns, {theirs} {others[-1]:.0f} ns")
        result(f"programs for each {what}, irq open", mine, others, f"{theirs} -d", "ns")


def bench_irq(rounds):
    need("tmux")
    for kind in KINDS:
        bench_kind(max(rounds, ROUNDS), *kind)
