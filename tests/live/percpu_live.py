#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What each CPU does: between what /proc and perf stat say of a shorter and of a longer time."""
import mmap
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
TIMES = {"user": (0, 1), "system": (2,), "idle": (3,), "iowait": (4,), "irq": (5,), "softirq": (6,),
         "steal": (7,)}
PERF = {"context-switches": "switches", "cpu-migrations": "migrations", "page-faults": "faults",
        "net:netif_receive_skb": "received", "net:net_dev_queue": "sent",
        "block:block_rq_issue": "block_issued"}
DEF = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../samples/percpu.def")


def table(path):
    """Lines of a file with a column for each CPU: {name: {cpu: n}}, those with all of them."""
    with open(path, encoding="ascii") as f:
        cpus = [int(x[3:]) for x in f.readline().split()]
        out = {}
        for line in f:
            name, *numbers = line.split()
            numbers = [int(x) for x in numbers[:len(cpus)] if x.isdigit()]
            if len(numbers) == len(cpus) and name not in ("ERR:", "MIS:"):
                out[name.rstrip(":")] = dict(zip(cpus, numbers))
    return out


def proc():
    """{(figure, cpu): count}, as the view calls them."""
    out = {}
    with open("/proc/stat", encoding="ascii") as f:
        for line in f:
            if re.match(r"cpu\d", line):
                cpu, *ticks = line[3:].split()
                for name, columns in TIMES.items():
                    out[f"{name}_ns", int(cpu)] = sum(int(ticks[i]) for i in columns) * TICK_NS
    for counts in table("/proc/interrupts").values():
        for cpu, n in counts.items():
            out["interrupts", cpu] = out.get(("interrupts", cpu), 0) + n
    for name, counts in table("/proc/softirqs").items():
        for cpu, n in counts.items():
            out[f"softirq_{name.lower()}", cpu] = n
    return out


def grown(begin, end):
    return {key: end[key] - begin[key] for key in end}


class PerfStat:
    """Counts from when it says that it does until it is told to end; by CPU."""

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile("r")
        control = [os.pipe(), os.pipe()]
        self.process = subprocess.Popen(
            ["perf", "stat", "-a", "-A", "-x;", "-o", self.file.name, "-D", "-1",
             "-e", ",".join(PERF), "--control", f"fd:{control[0][0]},{control[1][1]}"],
            pass_fds=(control[0][0], control[1][1]), stderr=subprocess.DEVNULL)
        os.write(control[0][1], b"enable\n")
        os.read(control[1][0], 5)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)
        out = {}
        for line in self.file.read().splitlines():
            parts = line.split(";")
            if len(parts) > 3 and parts[3] in PERF and parts[1].isdigit():
                out[PERF[parts[3]], int(parts[0][3:])] = int(parts[1])
        assert out, "perf stat said nothing"
        return out


def work(cpu, faults=3000, packets=2000, switches=500):
    """On one CPU: touches new pages, sends datagrams to itself, sleeps."""
    os.sched_setaffinity(0, {cpu})
    pages = mmap.mmap(-1, faults * 4096)
    for i in range(faults):
        pages[i * 4096] = 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as to, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as of:
        to.bind(("127.0.0.1", 0))
        for _ in range(packets):
            of.sendto(b"x", to.getsockname())
    for _ in range(switches):
        time.sleep(0.0001)
    return {"faults": faults, "received": packets, "sent": packets, "switches": 2 * switches}


def ours(reports):
    out = {}
    for r in reports:
        for row in r["rows"]:
            for name, n in row.items():
                if name != "cpu" and n is not None:
                    out[name, row["cpu"]] = out.get((name, row["cpu"]), 0) + n
    return out


def between(what, least, n, most):
    for key in least:
        assert least[key] <= n.get(key, 0) <= most[key], (what, key, least[key], n.get(key), most[key])
    live.fact(what, f"{sum(least.values())} to {sum(most.values())}", sum(n[k] for k in least))


def test_as_proc_and_perf_have_it():
    """Each figure of each CPU lies between those of a time within and of a time around"""
    affinity = os.sched_getaffinity(0)
    cpu = max(affinity)
    outer_perf, outer = PerfStat(), proc()
    with live.Watch("percpu", binary=live.CHECKED) as watch:
        watch.next()
        inner_perf, inner = PerfStat(), proc()
        try:
            did = work(cpu)
        finally:
            os.sched_setaffinity(0, affinity)
        inner_end, inner_counts = proc(), inner_perf.end()
        watch.until(live.now_ns())
    outer_end, outer_counts = proc(), outer_perf.end()
    counted = ours(watch.reports)
    between("of /proc", grown(inner, inner_end), counted, grown(outer, outer_end))
    between("of perf stat", inner_counts, counted, outer_counts)
    for name, n in did.items():
        live.fact(f"{name} on CPU {cpu}", f"at least {n}", counted[name, cpu])
        assert counted[name, cpu] >= n, (name, n, counted[name, cpu])


def test_each_column_leads_to_a_question():
    """The question behind each column is one that can be asked here"""
    with open(DEF, encoding="ascii") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    strings = [re.findall(r'"((?:[^"\\]|\\.)*)"', row) for row in text.split("PERCPU(")[1:]]
    questions = sorted({s[-1].replace("%u", "0") for s in strings if s[-1]})
    assert len(questions) >= 20, questions
    for at in range(0, len(questions), 16):
        asks = [x for q in questions[at:at + 16] for x in ("--ask", f"! {q}")]
        live.batch("-V", "events", "-n", 1, "-d", 0.2, *asks)


def test_recorded():
    """A recording has what was live"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "percpu.ptr")
        first = live.batch("-V", "percpu", "-n", 2, "-d", 0.5, "--record", path)
        again = live.batch("-V", "percpu", "--replay", path)
    assert [r["rows"] for r in first] == [r["rows"] for r in again]


if __name__ == "__main__":
    live.main(globals())
