# SPDX-License-Identifier: GPL-2.0-only
"""What the views of counters and of BPF programs cost: what a round trip through a pipe takes longer while software
events are counted, by process for the whole machine here, of that program alone by perf stat; and the CPU time of a
look at all BPF programs and maps, beside bpftool's."""
import contextlib
import subprocess
import time

import emulated
import live
import sched_bench
from figures import comparison, need, note, result, tool
from sched_bench import attached, children_us, in_turns, on_last_cpu

OPERATIONS = 200000
EVENTS = ("cpu-clock,task-clock,context-switches,cpu-migrations,minor-faults,major-faults,alignment-faults,"
          "emulation-faults")
LOOKS = 10


@contextlib.contextmanager
def batch(view):
    with subprocess.Popen([live.RELEASE, "-b", "-V", view, "-d", "1", "-n", "100000"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: attached(p.pid), 20)
        time.sleep(2)
        yield [p.pid]
        p.kill()


class Pipe:
    """perf bench sched pipe, as it is or below perf stat."""
    def __init__(self):
        self.below = ()

    @contextlib.contextmanager
    def stat(self):
        self.below = "perf", "stat", "-e", EVENTS
        yield
        self.below = ()

    def us(self):
        before = children_us()
        subprocess.run(on_last_cpu(*self.below, "perf", "bench", "sched", "pipe", "-l", str(OPERATIONS)),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return (children_us() - before) / OPERATIONS


def bench_switches(rounds):
    need("perf", "taskset")
    pipe = Pipe()
    added = in_turns(rounds, {"ours": lambda: batch("counters"), "perf stat": pipe.stat}, pipe.us)
    result("added to perf bench sched pipe, counters open", added["ours"], added["perf stat"],
           "perf stat of that program", "us/op")


def looks_ms(*command):
    before = children_us()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (children_us() - before) / 1000


def ours_ms():
    """Of one look: without what the start takes."""
    one, many = (looks_ms(live.RELEASE, "-b", "-V", "bpf", "-d", "0.5", "-n", str(n), "--format", "json")
                 for n in (1, 1 + LOOKS))
    return (many - one) / LOOKS


def theirs_ms():
    bpftool = tool("bpftool")
    return sum(looks_ms(bpftool, "-j", what, "show") for what in ("prog", "map") for _ in range(LOOKS)) / LOOKS


def bench_programs(rounds):
    need("bpftool")
    ours, theirs = [], []
    for n in range(rounds):
        ours.append(ours_ms())
        theirs.append(theirs_ms())
        note(f"round {n + 1}: bpf {ours[-1]:.1f} ms, bpftool {theirs[-1]:.1f} ms")
    result("CPU time of a look at all BPF programs and maps", ours, theirs, "bpftool -j prog show, map show", "ms")


def bench_emulated():
    with comparison("switches in an emulated machine"):
        emulated.added("counters_inside.py", "added to perf bench sched pipe, emulated, counters open",
                       "perf stat of that program", "us/op")


def bench_counters(rounds):
    rounds = max(rounds, sched_bench.ROUNDS)
    bench_emulated()
    bench_switches(rounds)
    bench_programs(rounds)
