# SPDX-License-Identifier: GPL-2.0-only
"""What the views of waiting cost on a mix of short processes, beside libbpf-tools: the time of the
BPF programs for each context switch, as the kernel measures it. There nearly all is new to whoever
looks: processes, stacks, threads that wake each other once. Rounds take turns while the mix runs on;
what else the machine does is in all of them."""
import contextlib
import os
import re
import signal
import subprocess
import time

import live
from bpf_stats import programs_ns, statistics_on
from figures import comparison, here, need, note, ratio_at_most, result
from sched_bench import peer, screen

SECONDS = 5
ROUNDS = 5
PEERS = {"offcpu": ("offcputime", ratio_at_most(0.5)), "sched": ("runqlat", ratio_at_most(1))}

# Searching, packing, eight compilers at once, a log that is sorted.
MIX = """
while :; do
	find /usr/share/doc -name '*.gz' | head -300 | xargs -r -n 20 zcat | wc -l
	tar cf - /usr/include/linux | gzip -1 | wc -c
	for i in 1 2 3 4 5 6 7 8; do
		printf '#include <pthread.h>\\n#include <stdio.h>\\nint main(void) { return printf("x"); }\\n' |
			gcc -O1 -c -xc - -o /dev/null &
	done
	wait
	git log --oneline | sort | uniq -c | wc -l
done
"""


@contextlib.contextmanager
def mix():
    with subprocess.Popen(["bash", "-c", MIX], cwd=live.ROOT, start_new_session=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as load:
        try:
            yield
        finally:
            os.killpg(load.pid, signal.SIGKILL)


def switches():
    with open("/proc/stat", encoding="ascii") as f:
        return int(re.search(r"^ctxt (\d+)", f.read(), re.M)[1])


def name_of(program):
    shown = subprocess.run([live.bpftool(), "prog", "show", "id", str(program)], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    found = re.search(r" name (\S+)", shown)
    return found[1] if found else ""


def cost(open_it):
    """Nanoseconds of a switch, by program."""
    with open_it() as pids, statistics_on():
        before, begun = programs_ns(pids[0]), switches()
        time.sleep(SECONDS)
        after, count = programs_ns(pids[0]), switches() - begun
        by_name = {}
        for program, ns in after.items():
            spent = (ns - before.get(program, ns)) / count
            if spent > 0:
                name = name_of(program)
                by_name[name] = by_name.get(name, 0) + spent
        assert by_name, "no program ran"
        return by_name


def report(view, name, ours, peers, aim):
    """The sum, and what each program has of it, as a share of all that the peer takes."""
    theirs = [sum(x.values()) for x in peers]
    result(f"programs for each switch of the mix, {view} open", [sum(x.values()) for x in ours],
           theirs, name, "ns", aim)
    for program in sorted({p for x in ours for p in x}):
        spent = [x.get(program, 0) for x in ours]
        if max(spent) >= 1:
            result(f"of it {view}'s {program}", spent, theirs, f"all of {name}", "ns")


def bench_mix(rounds):
    need("gcc", "tmux")
    cases = {}
    for view, (name, _) in PEERS.items():
        if here(name):
            cases[view] = lambda v=view: screen(v)
            cases[name] = lambda n=name: peer(n)
    costs = {name: [] for name in cases}
    with mix():
        for n in range(max(rounds, ROUNDS)):
            for name, open_it in cases.items():
                costs[name].append(cost(open_it))
            note(f"round {n + 1}: " + ", ".join(
                f"{name} {sum(spent[-1].values()):.0f} ns" for name, spent in costs.items()))
    for view, (name, aim) in PEERS.items():
        with comparison(f"programs for each switch of the mix, {view} open"):
            need(name)
            report(view, name, costs[view], costs[name], aim)
