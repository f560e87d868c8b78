# SPDX-License-Identifier: GPL-2.0-only
"""Stacks of programs of interpreters and virtual machines, as their live tests look at them."""
import collections
import glob
import math
import os
import re
import subprocess

import live


PYTHONS = "3.9", "3.10", "3.11", "3.12", "3.13"


def pythons():
    """One of each version that is installed, the system's own first."""
    found = {}
    for path in ["/usr/bin/python3", *sorted(glob.glob("/usr/bin/python3.?*")),
                 *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin/python3")))]:
        if os.path.basename(path).count("-") or not os.access(path, os.X_OK):
            continue
        said = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                              capture_output=True, text=True)
        found.setdefault(said.stdout.strip(), path)
    missing = [v for v in PYTHONS if v not in found]
    if missing:
        print("# not here: python", ", ".join(missing))
    return {v: found[v] for v in PYTHONS if v in found}


def intervals(view, pid, *args, n, seconds=1):
    """{stack: weight} of each of n intervals; a stack is a tuple, from the root on."""
    run = live.proftop("-b", "-V", view, "-p", pid, "-n", n, "-d", seconds, "--format", "by-time", *args,
                       binary=live.RELEASE)
    by_time = {}
    for line in run.out.splitlines():
        if line.strip() and not line.startswith("#"):
            names, weight = line.rsplit(" ", 1)
            at, *stack = names.split(";")
            by_time.setdefault(at, {})[tuple(stack)] = float(weight)
    return [by_time[at] for at in sorted(by_time)]


def folded(view, pid, *args, seconds=1, after=0):
    """The last of some intervals, while which a virtual machine may go on to compile."""
    found = intervals(view, pid, *args, n=after + 1, seconds=seconds)
    return found[-1] if found else {}


def summed(view, pid, *args, seconds):
    """Of so many intervals of a second: names are read at an interval's end, by when code may have moved."""
    stacks = collections.Counter()
    for interval in intervals(view, pid, *args, n=seconds):
        stacks.update(interval)
    return stacks


def share(stacks, wanted):
    total = sum(stacks.values())
    return 100 * sum(w for s, w in stacks.items() if wanted(s)) / max(total, 1)


def follow(stack, names):
    """Whether names are in the stack in that order, with others between them."""
    rest = iter(stack)
    return all(any(f == n for f in rest) for n in names)


def follow_qualified(stack, names):
    """The same, where frames may have a class or a module before the name."""
    rest = iter(stack)
    return all(any(f == n or f.endswith("." + n) for f in rest) for n in names)


def check_served(pid, what, seventy, thirty, server):
    """Of a server under load: the stacks of two functions, of known shares, are below the server's own and whole."""
    def served():
        stacks = {s: w for s, w in folded("cpu", pid, "-F", 997, seconds=4).items() if seventy in s or thirty in s}
        return stacks if sum(stacks.values()) > 150 else None
    stacks = live.wait_for(served, 60, 0)
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(2, 300 * math.sqrt(0.21 / sum(stacks.values())))
    live.near(share(stacks, lambda s: follow(s, [*server, seventy])), 70, within, f"{what}: share of {seventy}, %")
    live.near(share(stacks, lambda s: follow(s, [*server, thirty])), 30, within, f"{what}: share of {thirty}, %")
    return whole(pid, what)


def thread_names(view, pid, *args):
    """{tid: what its runtime calls a thread}; None: of none it is known."""
    which = [] if "--replay" in args else ["-p", pid]
    rows = live.batch("-V", view, "--group", "tid", "-n", 3, "-d", 0.5, *which, *args, binary=live.RELEASE)[-1]["rows"]
    return {r["tid"]: r["thread_name"] for r in rows if r["pid"] == pid and r["thread_name"]} or None


def annotated(pid, name, wanted):
    """The rows of a function's annotated code, where `wanted` is to be seen."""
    def sampled():
        rows = annotated_once(pid, name, wanted)
        # In an interval of a busy machine it may not have run.
        return rows if any(re.search(r"\bself .*, [1-9]\d* samples", row) for row in rows) else None
    return live.wait_for(sampled, 40, 0)


def annotated_once(pid, name, wanted):
    with live.temporary() as folder:
        script, shown = os.path.join(folder, "keys"), os.path.join(folder, "screen")
        with open(script, "w", encoding="ascii") as f:
            f.write(f"wait {name}\nkey /\ntype {name}\nkey Enter Enter Enter\nwait {wanted}\nsave {shown}\nquit\n")
        run = live.proftop("-V", "cpu", "-F", 997, "-p", pid, "--script", script, "--size", "160x120",
                           binary=live.RELEASE)
        assert run.status == 0, run
        with open(shown, encoding="utf-8") as f:
            return f.read().splitlines()


def own_lines(pid, name, wanted):
    """{line: share of the function's own samples, in %}, of its annotated source."""
    rows = [re.match(r"\s*([\d.]+) \S*\s+(\d+)  ", row) for row in annotated(pid, name, wanted)]
    return {int(row[2]): float(row[1]) for row in rows if row}


def own_compiled_lines(pid, name, wanted):
    """The same of compiled code, where a line stands before the instructions that it became."""
    shares, at = {}, 0
    for row in annotated(pid, name, wanted):
        line, own = re.match(r"\s+\S+:(\d+) ", row), re.match(r"\s*([\d.]+) \S*\s+[0-9a-f]+  ", row)
        at = int(line[1]) if line else at
        if own:
            shares[at] = shares.get(at, 0) + float(own[1])
    return shares


def walks(reports):
    """Of some intervals: walks that came to their end, and walks."""
    ends = [r["health"]["user_stacks"] for r in reports]
    known = sum(e[k] for e in ends for k in ("whole", "cut", "bad_stack", "no_frame_pointer", "no_row"))
    return sum(e["whole"] + e["cut"] for e in ends), known


def whole(pid, what, within=1, seconds=2):
    """99 % of a process's stacks are, or as many as are said; what the line of health says beside."""
    reports = live.batch("-V", "cpu", "-p", pid, "-n", seconds, "-d", 1, "-F", 997, binary=live.RELEASE)
    ended, known = walks(reports)
    live.near(100 * ended / known, 100, within, f"{what}: stacks that are whole, %")
    return reports[-1]["health"]["note"]


WARM, SERVED = 2, 3  # intervals: while a service is compiled, and after that


def served(pid):
    """Of reports of a service under load the walks; None: too few."""
    reports = live.batch("-V", "cpu", "-p", pid, "-n", WARM + SERVED, "-d", 1, "-F", 997, binary=live.RELEASE)[WARM:]
    ended, known = walks(reports)
    return (ended, known, reports) if known > 100 * SERVED else None


def line_of(path, text):
    """The one line of a program that has the text."""
    with open(path, encoding="ascii") as f:
        number, = (i for i, line in enumerate(f, 1) if text in line)
    return number
