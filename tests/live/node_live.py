#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through V8, interpreted, by either compiler and as usual, by programs whose shares, chains and waits
are known by construction (tests/workloads/node_shares.js), and by node's own profiler."""
import collections
import contextlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import WARM, folded, follow, line_of, own_lines, served, share, summed  # noqa: E402

SOURCES = os.path.join(live.ROOT, "tests/workloads")
MODES = {"interpreted": ["--no-opt", "--no-sparkplug"], "baseline": ["--no-opt", "--always-sparkplug"],
         "not inlined": ["--no-turbo-inlining"], "as usual": []}
DEPTH = 5
CHAIN = ["descend"] * (DEPTH + 1) + ["works", "bySort", "sort", "(anonymous)", "keyOf", "round"]
SECONDS = 12


@contextlib.contextmanager
def program(name, *args, options=(), **popen):
    live.need_root()
    node, = servers.need("node")
    with servers.running(node, *options, f"{SOURCES}/{name}.js", *args, text=True, stdout=-1, **popen) as p:
        servers.printed(p, "ready")
        yield p


def worked(pid, *args):
    """The stacks of who works; None: it does not yet, or has no names."""
    stacks = {s: w for s, w in folded("cpu", pid, "-F", 997, *args, after=WARM).items()
              if follow(s, ["works"])}
    return stacks if sum(stacks.values()) > 50 else None


def check_shares(mode, pid):
    stacks = live.wait_for(lambda: worked(pid), 40, 0)
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for name, truth in ("hot70", 70), ("hot30", 30):
        got = share(stacks, lambda s: follow(s, [*CHAIN, name]))
        live.near(got, truth, within, f"node, {mode}: share of {name} below its callers, %")
    wrong = [s for s in stacks if follow(s, ["hot70", "hot30"]) or follow(s, ["hot30", "hot70"])]
    assert not wrong, wrong[0]


def check_waits(mode, pid):
    """A thread that waits again and again does so below its own function."""
    def waits():
        stacks = folded("offcpu", pid)
        return stacks if share(stacks, lambda s: follow(s, ["(anonymous)", "sleeps", "futex_wait"])) else None
    stacks = live.wait_for(waits, 40, 0)
    chain = next(s for s in stacks if follow(s, ["sleeps", "futex_wait"]))
    assert any("AtomicsWait" in f for f in chain), f"{mode}: {chain}"


def check(mode):
    with program("node_shares", DEPTH, options=MODES[mode]) as p:
        check_shares(mode, p.pid)
        check_waits(mode, p.pid)


def test_interpreted():
    """70 and 30 % below a recursion, a sort's callback, a closure and a method; a wait: the interpreter"""
    check("interpreted")


def test_baseline():
    """The same in code of the first compiler"""
    check("baseline")


TASK = ["consume", "produce", "descend", "descend", "descend"]


def in_tasks(pid):
    stacks = {s: w for s, w in folded("cpu", pid, "-F", 997, after=WARM).items() if follow(s, ["consume"])}
    return stacks if share(stacks, lambda s: follow(s, [*TASK, "leaf30"])) > 15 else None


def test_tasks():
    """70 and 30 % in two asynchronous functions, below those that await them: interpreted, baseline, as usual"""
    for mode in "interpreted", "baseline", "as usual":
        with program("node_tasks", options=MODES[mode]) as p:
            stacks = live.wait_for(lambda: in_tasks(p.pid), 40, 0)
        within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
        for name, truth in ("leaf70", 70), ("leaf30", 30):
            got = share(stacks, lambda s: follow(s, [*TASK, name]))
            live.near(got, truth, within, f"node, {mode}: share of {name} below its tasks, %")


def test_not_inlined():
    """The same in code of the optimising compiler, without what it would inline"""
    check("not inlined")


def test_as_usual():
    """The same without an option, where most of the chain is inlined"""
    check("as usual")


def inlined(pid):
    """The stacks of who works once all that it calls is inlined; None: it is not yet."""
    stacks = {s: w for s, w in folded("cpu", pid, "-F", 997, after=WARM, seconds=2).items() if "works" in s}
    of_both = share(stacks, lambda s: follow(s, ["works", "both"]))
    return stacks if sum(stacks.values()) > 300 and of_both > 95 else None


def test_inlined():
    """70 and 30 % in small functions, inlined through a third, by name; each is at the line of its loop"""
    path = os.path.join(SOURCES, "node_inlined.js")
    with program("node_inlined") as p:
        stacks = live.wait_for(lambda: inlined(p.pid), 60, 0)
        lines = {name: own_lines(p.pid, name, "return x;") for name in ("small70", "small30")}
    within = max(2, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for percent in 70, 30:
        got = share(stacks, lambda s: follow(s, ["works", "both", f"small{percent}"]))
        live.near(got, percent, within, "node: share of an inlined function, %")
        at = lines[f"small{percent}"].get(line_of(path, f"// the {percent} %"), 0)
        # The loop's own end is the line above.
        assert at > 50, (percent, lines)
    wrong = [s for s in stacks if "small70" in s and "small30" in s]
    assert not wrong, wrong[0]


def own_samples(profile):
    """The functions of each sample that works, called from the root or not."""
    nodes = {n["id"]: n for n in profile["nodes"]}
    parents = {c: n["id"] for n in profile["nodes"] for c in n.get("children", ())}
    for at in profile["samples"]:
        names = set()
        while at in nodes:
            names.add(nodes[at]["callFrame"]["functionName"])
            at = parents.get(at)
        if "works" in names:
            yield names


def own_shares(folder):
    """Of node's own profiles, one a thread: {function: % of samples that it is in or has called}"""
    samples = []
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            samples += own_samples(json.load(f))
    counts = collections.Counter(name for names in samples for name in names)
    return {name: 100 * n / len(samples) for name, n in counts.items()}


def own_profile(folder, name, *args, options=()):
    """What node's own profiler says, and the stacks of the same time."""
    options = ["--cpu-prof", "--cpu-prof-dir", folder, *options]
    with program(name, *args, SECONDS, options=options) as p:
        stacks = live.wait_for(lambda: worked(p.pid), 40, 0)
        p.wait(30)
    return own_shares(folder), stacks


def check_own_shares(theirs, stacks, functions):
    within = max(2, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for function in functions:
        got = share(stacks, lambda s: function in s)
        print(f"# {function}: {got:.1f} %, of node {theirs[function]:.1f}")
        live.near(got, theirs[function], within, f"node: share of {function}, %")


def test_own_profile():
    """Shares of functions are those of node's own profiler, which looks at the same time"""
    with servers.folder() as folder:
        theirs, stacks = own_profile(folder, "node_shares", DEPTH)
    check_own_shares(theirs, stacks, ["hot70", "hot30", "round", "keyOf", "bySort", "descend"])


def test_own_profile_inlined():
    """Those of inlined functions are what it says where they are not: it does not know of inlined ones"""
    with servers.folder() as folder:
        theirs, _ = own_profile(folder, "node_inlined", options=["--no-turbo-inlining"])
    with program("node_inlined") as p:
        stacks = live.wait_for(lambda: inlined(p.pid), 60, 0)
    check_own_shares(theirs, stacks, ["small70", "small30", "both"])


def test_server():
    """Of a web server's stacks 99 % are whole"""
    with program("node_service") as p:
        ended, known, reports = live.wait_for(lambda: served(p.pid), 40, 0)
        for r in reports:
            assert "javascript functions" not in r["health"]["note"], r["health"]["note"]
        live.near(100 * ended / known, 100, 1, "node: stacks of a server that are whole, %")


NO_FUNCTION = {"(root)", "(program)", "(idle)", "(garbage collector)"}  # in node's own profile
SERVED, LOOKED = 25, 12  # seconds: of the server's life, and of these looked at


def profiled(folder, pid, begin, end):
    """The functions of each sample of the main thread between two times, called from the root or not."""
    path, = (p for p in os.listdir(folder) if f".{pid}.0." in p)
    with open(os.path.join(folder, path), encoding="utf-8") as f:
        profile = json.load(f)
    nodes = {n["id"]: n for n in profile["nodes"]}
    parents = {c: n["id"] for n in profile["nodes"] for c in n.get("children", ())}
    at_us = profile["startTime"]
    for at, delta in zip(profile["samples"], profile["timeDeltas"]):
        at_us += delta
        names = set()
        while at in nodes:
            names.add(nodes[at]["callFrame"]["functionName"])
            at = parents.get(at)
        if begin <= at_us / 1e6 < end and names - NO_FUNCTION:
            yield names


def never_waits(pid):
    """Node's profiler counts time without a CPU, too: its main thread is to have one, and the profiler before it."""
    for tid in map(int, os.listdir(f"/proc/{pid}/task")):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="ascii") as f:
            profiler = f.read().startswith("v8:Prof")
        if profiler or tid == pid:
            os.sched_setscheduler(tid, os.SCHED_FIFO, os.sched_param(2 if profiler else 1))


def recorded(path):
    """The functions of each sample of perf's that has some, by the map that node writes for it."""
    done = subprocess.run(["perf", "script", "-i", path, "-F", "ip,sym"], capture_output=True, text=True, check=True)
    for sample in done.stdout.split("\n\n"):
        names = set(re.findall(r"(?:JS|LazyCompile|Function):[*~^+]*([\w.]+)", sample))
        if names and "CollectGarbage" not in sample:
            yield names


def test_service_shares():
    """Shares of a web server's functions are, within 2 points, what node's own profiler and perf by its map say of the same
    seconds, or between: the two differ by 3 points and more"""
    if not shutil.which("perf"):
        raise live.Skip("perf is not installed")
    with servers.folder() as folder:
        options = ["--cpu-prof", "--cpu-prof-dir", folder, "--no-turbo-inlining", "--perf-basic-prof",
                   "--interpreted-frames-native-stack"]
        # For the map node opens a log, too, where it is started.
        with program("node_service", SERVED, options=options, cwd=folder) as p:
            never_waits(p.pid)
            live.wait_for(lambda: share(folded("cpu", p.pid, "-F", 997), lambda s: "answer" in s), 40, 0)
            begin = time.monotonic()
            with subprocess.Popen(["perf", "record", "-q", "-F", "997", "-g", "-t", str(p.pid), "-o", f"{folder}/perf.data",
                                   "--", "sleep", str(LOOKED)], stderr=subprocess.DEVNULL):
                # Node's own has no stack of what collects.
                stacks = summed("cpu", p.pid, "-t", p.pid, "-F", 997, "--filter", "lang=javascript !sym~CollectGarbage",
                                seconds=LOOKED)
            end = time.monotonic()
            p.wait(60)
        peers = list(profiled(folder, p.pid, begin, end)), list(recorded(f"{folder}/perf.data"))
    # Not of what is in the kernel: for node's own that lasts until its signal is seen.
    for name in "handle", "answer", "render", "processChunkSync", "emit":
        theirs = sorted(100 * sum(name in s for s in peer) / len(peer) for peer in peers)
        ours = share(stacks, lambda s: name in s)
        print(f"# {name}: {ours:.1f} %, of others {theirs[0]:.1f} to {theirs[1]:.1f}")
        # Samplings of one truth: three standard deviations of both may be missed.
        n = 1 / (1 / min(map(len, peers)) + 1 / sum(stacks.values()))
        within = max(2, 300 * math.sqrt(ours / 100 * (1 - ours / 100) / n))
        live.near(ours, min(max(ours, theirs[0]), theirs[1]), within, f"node, a server: share of {name}, %")


def test_lines():
    """Lines of optimised code: the 40 of a loop's body take all of its function's time, none of them a fifth"""
    path = os.path.join(SOURCES, "node_shares.js")
    with program("node_shares", DEPTH) as p:
        lines = own_lines(p.pid, "hot70", "sum += x;")
    first = line_of(path, "function hot70")
    body = {line: s for line, s in lines.items() if first + 3 < line <= first + 43}
    assert sum(body.values()) > 90 and max(body.values()) < 20, (first, lines)


UNKNOWN = "[javascript function]"


def moved(pid):
    """A report after stacks whose functions moved before they were named; None: there were none."""
    report = live.batch("-V", "cpu", "-p", pid, "-n", 3, "-d", 1, "-F", 997, binary=live.RELEASE)[-1]
    return report if "were gone before" in report["health"]["note"] else None


def test_moves():
    """Where the collector moves all that there is, functions are unknown and counted, never others"""
    with program("node_moves", options=["--expose-gc", "--stress-compaction", "--no-turbo-inlining"]) as p:
        report = live.wait_for(lambda: moved(p.pid), 40, 0)
        stacks = folded("cpu", p.pid, "-F", 997)
    assert live.row(report, UNKNOWN)["total_pct"] > 0
    for s in stacks:
        assert not ("hot70" in s and "hot30" in s), s
        assert UNKNOWN in s or "works" not in s or follow(s, ["(anonymous)", "works"]), s


def test_collector():
    """While it is at work below a function this has its name"""
    def named():
        stacks = {s: w for s, w in folded("cpu", p.pid, "-F", 997, after=WARM).items() if "gc" not in s}
        return stacks if share(stacks, lambda s: follow(s, ["works"])) > 10 else None
    with program("node_moves", options=["--expose-gc", "--no-turbo-inlining"]) as p:
        stacks = live.wait_for(named, 40, 0)
        report = live.batch("-V", "cpu", "-p", p.pid, "-n", 3, "-d", 1, "-F", 997, binary=live.RELEASE)[-1]
    assert "interpreted functions" not in report["health"]["note"], report["health"]["note"]
    assert not any(UNKNOWN in s for s in stacks), stacks


def test_filter():
    """lang=javascript takes the stacks with such functions, and no others"""
    with program("node_shares", DEPTH) as p:
        live.wait_for(lambda: worked(p.pid), 40, 0)
        inside = folded("cpu", p.pid, "-F", 997, "--filter", "lang=javascript")
        assert share(inside, lambda s: "descend" in s or "sleeps" in s) == 100, inside


if __name__ == "__main__":
    live.main(globals())
