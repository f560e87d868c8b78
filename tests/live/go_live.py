#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks of Go programs, stripped as they are in production, by a program whose shares, chain and waits are
known by construction (tests/workloads/go_shares.go), and by Go's own profiler."""
import collections
import contextlib
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import folded, follow, line_of, own_compiled_lines, share, whole  # noqa: E402

SOURCE = os.path.join(live.ROOT, "tests/workloads/go_shares.go")
ALLOCATES = os.path.join(live.ROOT, "tests/workloads/go_allocates.go")
BUILDS = {"whole": (), "stripped": ("-ldflags=-s -w",), "stripped PIE": ("-ldflags=-s -w", "-buildmode=pie")}
WITH_C = os.path.join(live.ROOT, "tests/workloads/go_calls_c.go")
DEPTH = 5
CHAIN = ["runtime.goexit", *["main.descend"] * (DEPTH + 1), "main.works", "main.bySort", "sort.Slice",
         "main.bySort.func1", "main.(*caller).round"]
SECONDS = 12


def need_go():
    live.need_root()
    go, = servers.need("go")
    return go


BUILT = tempfile.TemporaryDirectory(prefix="proftop-go-", dir="/var/tmp")  # and what it is built of


@functools.cache
def build(source, *options):
    folder = tempfile.mkdtemp(dir=BUILT.name)
    done = subprocess.run([need_go(), "build", *options, "-o", f"{folder}/shares", source],
                          env=live.environment(HOME=folder, GOCACHE=f"{BUILT.name}/cache", GO111MODULE="off"),
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise live.Skip(f"go builds nothing here: {done.stderr[:100]}")
    return f"{folder}/shares"


@contextlib.contextmanager
def program(*options, args=(), source=SOURCE, wrap=()):
    with servers.folder() as folder:
        path = build(source, *options)
        args = [a.format(folder=folder) for a in args]
        with servers.running(*wrap, path, DEPTH, *args, text=True, stdout=subprocess.PIPE) as p:
            servers.printed(p, "ready")
            p.folder = folder
            yield p


def cumulative(profile):
    """{function: % of samples that it is in}, as go tool pprof sums a profile up, of those that work"""
    said = subprocess.run([need_go(), "tool", "pprof", "-top", "-cum", "-nodecount=0", "-nodefraction=0",
                           "-focus=main.works", profile], capture_output=True, text=True, check=True,
                          env=live.environment(HOME=os.path.dirname(profile)))
    rows = re.findall(r"^\s*\S+\s+\S+%\s+\S+%\s+\S+\s+([\d.]+)%\s+(\S+)", said.stdout, re.M)
    shares = {name: float(pct) for pct, name in rows}
    return {name: 100 * pct / shares["main.works"] for name, pct in shares.items()}


def exported(pid, path, seconds):
    """proftop's own as pprof reads it, with what is inlined"""
    run = live.proftop("-b", "-V", "cpu", "-p", pid, "-n", 1, "-d", seconds, "-F", 997, "--format", "pprof",
                       "-o", path, binary=live.RELEASE)
    assert run.status == 0, run
    return cumulative(path)


def check_shares(how):
    with program(*BUILDS[how]) as p:
        stacks = folded("cpu", p.pid, "-F", 997)
        got = exported(p.pid, f"{p.folder}/ours.pb.gz", 3)
    worked = {s: w for s, w in stacks.items() if "main.works" in s}
    chain = CHAIN if how != "whole" else ["runtime.goexit.abi0", *CHAIN[1:]]
    # Little is taken by the others themselves, and by what interrupts them.
    whole_chain = share(worked, lambda s: follow(s, chain))
    live.near(whole_chain, 100, 4, f"go, {how}: stacks with the whole chain, %")
    within = max(6, 300 * math.sqrt(0.21 / sum(worked.values())))
    for name, truth in ("hot70", 70), ("hot30", 30):
        live.near(got[f"main.{name}"], truth, within, f"go, {how}: share of {name}, which is inlined, %")


def test_whole_file():
    """70 and 30 % of two inlined functions, below a recursion, a sort's callback and a method"""
    check_shares("whole")


def test_stripped():
    """The same where neither symbols nor DWARF are left"""
    check_shares("stripped")


def test_stripped_pie():
    """The same in a position-independent program"""
    check_shares("stripped PIE")


def test_own_profile():
    """Shares of functions, inlined ones too, are those of Go's own profiler, which looks at the same time"""
    with program(*BUILDS["stripped"], args=["{folder}/theirs", str(SECONDS)]) as p:
        ours = exported(p.pid, f"{p.folder}/ours.pb.gz", SECONDS)
        servers.printed(p, "profiled")
        theirs = cumulative(f"{p.folder}/theirs")
    # Theirs takes 100 samples a second of CPU time: few on a busy machine.
    within = max(2, 300 * math.sqrt(0.21 / (100 * SECONDS / 3)))
    for name in "hot70", "hot30", "spin", "(*caller).round", "bySort.func1", "bySort", "descend":
        live.near(ours[f"main.{name}"], theirs[f"main.{name}"], within, f"go: share of {name}, %")


def test_lines():
    """What a stripped function takes is where its loop is, which is inlined there, in another's lines"""
    with program(*BUILDS["stripped"]) as p:
        own = own_compiled_lines(p.pid, "(*caller).round", "x = x*31")
    loop = range(line_of(SOURCE, "i < n"), line_of(SOURCE, "x = x*31") + 1)
    live.near(sum(own.get(line, 0) for line in loop), 100, 5, "go: share of a loop's lines of its function, %")


def test_waits():
    """A goroutine that sleeps is not a thread that does; what it reads is below its own function"""
    with program(*BUILDS["stripped"]) as p:
        stacks = folded("syscalls", p.pid, "--filter", "syscall=read")
    assert share(stacks, lambda s: follow(s, ["main.waits", "os.(*File).Read", "syscall.read"])) > 90, stacks


def test_stacks_whole():
    """99 % of the stacks are whole"""
    # Beside others its scheduler, which interrupts what works, takes a larger part of the few samples.
    with program(*BUILDS["stripped"], wrap=("nice", "-n", "-20")) as p:
        whole(p.pid, "go", seconds=10)  # of single seconds 0.1 to 1.1 % are not


def check_system_stack(how):
    def known():
        stacks = {s: w for s, w in folded("cpu", p.pid, "-F", 997).items() if follow_any(s, "runtime.systemstack")}
        return stacks if sum(stacks.values()) > 50 else None
    with program(*BUILDS[how], source=ALLOCATES) as p:
        stacks = live.wait_for(known, 40, 0)
        # What moves a goroutine's stack has left it behind, and ends there: much in a program that does little else.
        whole(p.pid, f"go, {how}, on the system's stack", within=1)
    begun = share(stacks, lambda s: follow_any(s, "runtime.goexit"))
    live.near(begun, 100, 5, f"go, {how}: stacks of the system that go on to their goroutine's begin, %")
    ours = share({s: w for s, w in stacks.items() if "runtime.mallocgc" in s}, lambda s: follow(s, ["main.tree"]))
    live.near(ours, 100, 5, f"go, {how}: those that allocate that go on to who does, %")


def follow_any(stack, name):
    """Assembly is called so with what its arguments are like, where symbols are left."""
    return name in stack or f"{name}.abi0" in stack


def test_system_stack():
    """What a goroutine does on the system's stack is below who called, whichever lies above the other"""
    check_system_stack("stripped")


def test_system_stack_of_whole_file():
    """The same where there is a .debug_frame, which leaves that out"""
    check_system_stack("whole")


def check_language(how):
    """Leaves of Go's alone, C below it, and nothing of others."""
    with program(*BUILDS[how], source=WITH_C) as p:
        go = folded("cpu", p.pid, "-F", 997, "--filter", "lang=go")
        others = folded("cpu", p.pid, "-F", 997, "--filter", "!lang=go")
        none = folded("cpu", p.pid, "-F", 997, "--filter", "lang=ruby")
        native = folded("cpu", p.pid, "-F", 997, "--filter", "lang=native")
    assert go and others and native and not none, (len(go), len(others), len(native), none)
    live.near(share(go, lambda s: any(f.startswith(("main.", "runtime.")) for f in s)), 100, 0,
              f"go, {how}: stacks of lang=go with a function of Go's, %")
    in_c = {s: w for s, w in native.items() if "spin_in_c" in s}
    live.near(share(in_c, lambda s: follow(s, ["main.main", "spin_in_c"]) and any("Cfunc_spin_in_c" in f for f in s)),
              100, 3, f"go, {how}: C below who calls it, %")
    wrong = [s for s in others if s[-1].startswith(("main.", "runtime."))]
    live.near(share(others, lambda s: s in wrong), 0, 0, f"go, {how}: leaves of Go's with !lang=go, %")
    assert any(s[-1] == "spin_in_c" for s in others), others


def test_hue():
    """Boxes of Go's functions have a hue of their own in flame graphs, what is called in C has C's"""
    with program(*BUILDS["stripped"], source=WITH_C) as p:
        picture = os.path.join(p.folder, "flame.svg")
        run = live.proftop("-b", "-V", "cpu", "-p", p.pid, "-n", 1, "-d", 2, "-F", 997, "-o", picture,
                           binary=live.RELEASE)
        assert run.status == 0, run
        with open(picture, encoding="utf-8") as f:
            boxes = re.findall(r'fill="#(..)(..)(..)"[^>]* data-n="([^"]*)"', f.read())
    hues = {name: (int(red, 16), int(blue, 16)) for red, _, blue, name in boxes}
    for name, is_go in {"main.works": True, "main.main": True, "spin_in_c": False}.items():
        red, blue = hues[name]
        assert (blue > red) == is_go, (name, hues[name])


def test_language():
    """lang=go is of what Go's runtime knows, and not of the C that it calls"""
    for how in BUILDS:
        check_language(how)


PARKS = os.path.join(live.ROOT, "tests/workloads/go_parks.go")
GOROUTINES, ROUNDS = 24, 50


def does_once(p, *options):
    """What a watch has of it, and what it says itself."""
    with live.Watch(*options, "-p", p.pid, binary=live.CHECKED) as watch:
        watch.next()
        p.stdin.write("\n")
        p.stdin.flush()
        said = json.loads(p.stdout.readline())
        watch.until(live.now_ns())
    return watch, said


def test_questions_of_goroutines():
    """A question's spans of a Go function's calls are a goroutine's, too"""
    path = build(PARKS)
    with servers.running(path, GOROUTINES, ROUNDS, text=True, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as p:
        servers.printed(p, "ready")
        name = f"{path}:main.parksLocked"
        watch, said = does_once(p, "pairs", "--ask", f"! span uprobe:{name} -> uretprobe:{name}")
    rows = [r for report in watch.reports for r in report["rows"]]
    count, total = sum(r["count"] for r in rows), sum(r["total_ns"] for r in rows)
    live.fact("main.parksLocked, asked: calls, ms", [said["calls"], said["main.parksLocked"] / 1e6], [count, total / 1e6])
    assert count == said["calls"] and 0.8 * said["main.parksLocked"] <= total <= said["main.parksLocked"], (said, rows)


def test_calls_of_goroutines():
    """Calls that goroutines wait in, which go on in other threads, on stacks that have moved: as many and as long as Go
    measures; what they wait for is not split"""
    path = build(PARKS)
    with servers.running(path, GOROUTINES, ROUNDS, text=True, stdout=subprocess.PIPE, stdin=subprocess.PIPE) as p:
        servers.printed(p, "ready")
        refused = live.proftop("-b", "-n", 1, "--function", f"!{path}:main.parks*", "--function-waits")
        assert refused.status == 4 and "goroutines" in refused.err, refused
        watch, said = does_once(p, "funcs", "--function", f"!{path}:main.parks*")
    count, total = collections.Counter(), collections.Counter()
    for r in (r for report in watch.reports for r in report["rows"]):
        count[r["function"]] += r["count"]
        total[r["function"]] += r["total_ns"]
    assert said["calls"] == GOROUTINES * ROUNDS
    for name in ("main.parksAsleep", "main.parksLocked", "main.parksGrown"):
        live.fact(f"{name}: calls, ms", [said["calls"], said[name] / 1e6], [count[name], total[name] / 1e6])
        assert count[name] == said["calls"], (name, count, watch.reports[-1]["health"])
        # Go's clock is read without the probes' own traps.
        assert 0.8 * said[name] <= total[name] <= said[name], (name, said, total)


if __name__ == "__main__":
    live.main(globals())
