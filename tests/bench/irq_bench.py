# SPDX-License-Identifier: GPL-2.0-only
"""What the view of interrupts takes of each softirq, beside libbpf-tools' softirqs: the time of the BPF programs on them,
as the kernel measures it, while packets go over the loopback. Both have times by vector with their distribution; ours by
thread and CPU, too, and with stacks."""
import contextlib
import subprocess
import sys
import time

from bpf_stats import programs_ns, statistics_on
from figures import comparison, need, note, result
from mix_bench import name_of
from sched_bench import peer, screen

SECONDS, ROUNDS = 4, 5
OURS = "irq_soft_begins", "irq_soft_ends", "irq_soft_raised"
LOAD = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as a:
    a.bind(("127.0.0.1", 0))
    while True:
        a.sendto(b"x", a.getsockname())
        a.recv(10)
"""


@contextlib.contextmanager
def packets():
    with subprocess.Popen([sys.executable, "-S", "-c", LOAD]) as load:
        try:
            yield
        finally:
            load.kill()


def softirqs():
    with open("/proc/softirqs", encoding="ascii") as f:
        return sum(int(n) for line in f.readlines()[1:] for n in line.split()[1:])


def cost(open_it, wanted):
    """Nanoseconds of a softirq, of programs that are wanted."""
    with open_it() as pids, statistics_on():
        before, begun = programs_ns(pids[0]), softirqs()
        time.sleep(SECONDS)
        after, count = programs_ns(pids[0]), softirqs() - begun
    spent = {p: ns - before[p] for p, ns in after.items() if ns > before.get(p, ns)}
    return sum(ns for p, ns in spent.items() if wanted(p)) / count


def bench_irq(rounds):
    need("tmux")
    ours, theirs = [], []
    with comparison("programs for each softirq"), packets():
        need("softirqs")
        for n in range(max(rounds, ROUNDS)):
            names = {}
            with screen("irq") as pids:
                names = {p: name_of(p) for p in programs_ns(pids[0])}
                ours.append(cost(lambda p=pids: contextlib.nullcontext(p), lambda p, n=names: n.get(p) in OURS))
            theirs.append(cost(lambda: peer("softirqs", "-d"), lambda p: True))
            note(f"round {n + 1}: irq {ours[-1]:.0f} ns, softirqs {theirs[-1]:.0f} ns")
        result("programs for each softirq, irq open", ours, theirs, "softirqs -d", "ns")
