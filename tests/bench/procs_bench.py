# SPDX-License-Identifier: GPL-2.0-only
"""What the views of processes and of findings cost once a second, beside htop: with 10,000 processes
that sleep, and with as many as 30,000 where the machine's limits on pids let them be."""
import contextlib
import os
import time

import live
from figures import at_most, cpu_ns, need, note, ratio_at_most, result, tool
from tmux import Tmux

# Names, command lines and all threads are read before the figure begins.
WARM_SECONDS, SECONDS = 12, 20
COUNTS = 10_000, 30_000


VIEWS = {"procs": "by pid", "overview": " rules"}


def ours(view):
    return [live.RELEASE, "-V", view, "-d", "1"], VIEWS[view]


def htop():
    return [tool("htop"), "-d", "10"], "PID"


def one_screen(command, shows):
    """CPU while it stands there, in % of one."""
    with Tmux(command, 120, 40) as t:
        t.wait(shows, 60)
        pid = t.pid()
        time.sleep(WARM_SECONDS)
        cpu, start = cpu_ns(pid), time.monotonic()
        time.sleep(SECONDS)
        spent = (cpu_ns(pid) - cpu) / (time.monotonic() - start) / 1e7
        t.keys("q")
        return spent


@contextlib.contextmanager
def more_pids():
    """Numbers for all of them, as long as it lasts."""
    path, before = "/proc/sys/kernel/pid_max", None
    try:
        with open(path, encoding="ascii") as f:
            before = f.read()
        with open(path, "w", encoding="ascii") as f:
            f.write(str(max(int(before), 2 * COUNTS[-1] + 10_000)))
    except OSError as e:
        note(f"kernel.pid_max stays as it is: {e}")
    try:
        yield
    finally:
        if before:
            with open(path, "w", encoding="ascii") as f:
                f.write(before)


def room(n):
    """Whether n more processes may be."""
    def limit(name):
        with open(f"/proc/sys/kernel/{name}", encoding="ascii") as f:
            return int(f.read())
    there = sum(x.isdigit() for x in os.listdir("/proc"))
    return there + n + 2000 < min(limit("pid_max"), limit("threads-max"))


def bench_count(n, rounds):
    if not room(n):
        note(f"{n} processes: kernel.pid_max or threads-max leaves no room; left out")
        return
    with live.Workload("many_processes", 3600, n):
        a, b = {view: [] for view in VIEWS}, []
        for i in range(rounds):
            for view, spent in a.items():
                spent.append(one_screen(*ours(view)))
            b.append(one_screen(*htop()))
            note(f"{n} processes, round {i + 1}: "
                 + "".join(f"{view} {spent[-1]:.2f} %, " for view, spent in a.items())
                 + f"htop {b[-1]:.2f} %")
        for view, spent in a.items():
            result(f"own CPU of the view {view}, {n} processes, once a second", spent, b,
                   "htop -d 10", "% of a CPU",
                   at_most(5, "% of a CPU") if n == COUNTS[-1] else ratio_at_most(0.5))


def bench_procs(rounds):
    need("htop", "tmux")
    with more_pids():
        for n in COUNTS:
            bench_count(n, rounds)
