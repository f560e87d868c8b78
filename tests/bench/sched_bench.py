# SPDX-License-Identifier: GPL-2.0-only
"""What the views of waiting cost whom they watch, beside libbpf-tools: microseconds added to
a round trip through a pipe, own CPU at 100,000 switches a second, and the cost of ever more
distinct stacks. The watched programs stay on the last CPU, so that all that is added is in
their way and none of it is hidden by the other CPUs; what counts is the CPU time of both ends,
which is what an operation takes there, but for what others do on that CPU."""
import contextlib
import os
import resource
import statistics
import subprocess
import time

import live
import waits
from figures import comparison, cpu_ns, here, need, note, ratio_at_most, result, tool
from tmux import Tmux

OPERATIONS = 300000
STACKS = 1000, 30000, 1 << 20  # the last are more than there is time for: each one is new
STACK_SECONDS, CPU_SECONDS = 6, 8
ROUNDS = 5
PEER_NAMES = {"offcputime": "offcputime", "runqlat": "runqlat -L"}


def started(terminal):
    """proftop to be there: its pid"""
    with contextlib.suppress(IndexError, FileNotFoundError):
        return terminal.pid()


def attached(pid):
    """the probes to be there"""
    return any(kind == "link" for kind, _ in live.held(pid))


@contextlib.contextmanager
def screen(*views):
    """proftop in a terminal of its own for each of the views; their pids."""
    with contextlib.ExitStack() as stack:
        pids = []
        for view in views:
            t = stack.enter_context(Tmux([live.RELEASE, "-V", view], 120, 40))
            pids.append(live.wait_for(lambda t=t: started(t), 10))
            live.wait_for(lambda pid=pids[-1]: attached(pid), 20)
        time.sleep(2)  # the first intervals, with all their new names, are over
        yield pids
        for t in pids:
            assert os.path.exists(f"/proc/{t}"), "proftop ended in between"


@contextlib.contextmanager
def peer(name, *args):
    with subprocess.Popen([tool(name), *args], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: attached(p.pid), 20)
        time.sleep(1)
        yield [p.pid]
        p.kill()


def on_last_cpu(*command):
    return ["taskset", "-c", str(os.cpu_count() - 1), *command]


def children_us():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e6


def pipe_us():
    before = children_us()
    subprocess.run(on_last_cpu("perf", "bench", "sched", "pipe", "-l", str(OPERATIONS)),
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (children_us() - before) / OPERATIONS


def calm():
    """the machine to be quiet, without anybody's probes"""
    return waits.quiet() and not any(kind == "link" for kind, _ in live.loaded())


def wait_for_calm():
    try:
        live.wait_for(calm, 120)
    except AssertionError:
        note("the machine is not quiet, or there are other probes: figures are rough")


def in_turns(rounds, cases, measure):
    """Each case once a round, and the base in each, too: what each one adds, as lists."""
    added = {name: [] for name in cases}
    for n in range(rounds):
        wait_for_calm()
        base = measure()
        for name, open_it in cases.items():
            wait_for_calm()
            with open_it():
                added[name].append(measure() - base)
        note(f"round {n + 1}: base {base:.2f} us; " +
             ", ".join(f"{name} +{us[-1]:.2f}" for name, us in added.items()))
    return added


def bench_pipe(rounds):
    need("perf", "taskset", "tmux")
    cases = {
        "offcpu": lambda: screen("offcpu"),
        "offcputime": lambda: peer("offcputime"),
        "sched": lambda: screen("sched"),
        "runqlat": lambda: peer("runqlat", "-L", "1"),
        "both": lambda: screen("offcpu", "sched"),
    }
    present = {name: x for name, x in cases.items() if name not in PEER_NAMES or here(name)}
    added = in_turns(max(rounds, ROUNDS), present, pipe_us)
    for views, name, aim in (("offcpu", "offcputime", ratio_at_most(0.5)),
                             ("sched", "runqlat", None),
                             ("both", "offcputime", ratio_at_most(1))):
        what = f"added to perf bench sched pipe, {views} open"
        with comparison(what):
            need(name)
            result(what, added[views], added[name], PEER_NAMES[name], "us/op", aim)


def stacks_us(stacks, made):
    """CPU time of a round trip; made: how many stacks there really were is put to it."""
    with live.Workload("many_stacks", STACK_SECONDS, stacks) as work:
        truth = work.result()
    made.append(truth["stacks"])
    return truth["cpu_us_per_round"]


def bench_stacks(rounds):
    need("offcputime", "tmux")
    for stacks in STACKS:
        storage, made = str(max(16384, 4 * stacks)), []
        added = in_turns(rounds, {
            "offcpu": lambda: screen("offcpu"),
            "offcputime": lambda n=storage: peer("offcputime", "--stack-storage-size", n),
        }, lambda n=stacks, m=made: stacks_us(n, m))
        least = "" if min(made) == stacks else "at least "
        result(f"added to a round trip, {least}{min(made)} distinct stacks", added["offcpu"],
               added["offcputime"], "offcputime", "us/op")


def own_cpu(open_it):
    with open_it() as pids:
        before, start = sum(map(cpu_ns, pids)), time.monotonic()
        time.sleep(CPU_SECONDS)
        return (sum(map(cpu_ns, pids)) - before) / (time.monotonic() - start) / 1e7


@contextlib.contextmanager
def recorder(path):
    with subprocess.Popen(["perf", "sched", "record", "-o", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        time.sleep(2)
        yield [p.pid]
        p.terminate()


def bench_own_cpu(rounds):
    need("perf", "tmux")
    views = {"offcpu": [], "sched": []}
    peers = []
    with live.temporary() as tmp, live.Workload("switch_storm", 3600, 100000):
        for _ in range(rounds):
            for view, spent in views.items():
                spent.append(own_cpu(lambda v=view: screen(v)))
            peers.append(own_cpu(lambda: recorder(os.path.join(tmp, "perf.data"))))
    for view, spent in views.items():
        note(f"{view}: {statistics.median(spent):.2f} % of a CPU")
        result(f"own CPU of {view} at 100,000 switches/s", spent, peers, "perf sched record",
               "% of a CPU")


def bench_sched(rounds):
    for what, measure in (("added to perf bench sched pipe", bench_pipe),
                          ("own CPU at 100,000 switches/s", bench_own_cpu),
                          ("added to a round trip of distinct stacks", bench_stacks)):
        with comparison(what):
            measure(rounds)
