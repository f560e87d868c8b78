#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through Ruby, by a program whose shares, chain, waits and lines are known by construction
(tests/workloads/ruby_shares.rb)."""
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import check_served, folded, follow, line_of, own_lines, share, whole  # noqa: E402

SOURCE = os.path.join(live.ROOT, "tests/workloads/ruby_shares.rb")
CLASSES = os.path.join(live.ROOT, "tests/workloads/ruby_classes.rb")
SERVICE = os.path.join(live.ROOT, "tests/workloads/ruby_service.rb")
CALLS_C = os.path.join(live.ROOT, "tests/workloads/ruby_calls_c.rb")
WALKED = "3.1"
DEPTH = 5
CHAIN = ["Object#descend"] * (DEPTH + 1) + ["Object#produce", "block in produce"]
CALLS = [*CHAIN, "Object#fails", "rescue in fails", "Caller.by_sort", "block in by_sort", "Caller#round"]


def running(source, *args, options=()):
    live.need_root()
    ruby, = servers.need("/usr/bin/ruby")
    version = subprocess.run([ruby, "-e", "print RUBY_VERSION"], capture_output=True, text=True, check=True).stdout
    if not version.startswith(WALKED + "."):
        raise live.Skip(f"ruby {version} is here, not {WALKED}")
    return servers.running(ruby, *options, source, *args, text=True, stdout=subprocess.PIPE)


def program(how, *options):
    return running(SOURCE, DEPTH, how, options=options)


def check_shares(how, begin, *options):
    def named():
        stacks = folded("cpu", p.pid, "-F", 997)
        return stacks if share(stacks, lambda s: "Caller#round" in s) > 90 else None
    with program(how, *options) as p:
        servers.printed(p, "ready")
        stacks = live.wait_for(named, 40, 0)
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for name, truth in ("hot_70", 70), ("hot_30", 30):
        got = share(stacks, lambda s: follow(s, [*begin, *CALLS, f"Object#{name}", "Object#spin"]))
        live.near(got, truth, within, f"ruby, {how}: share of {name} below its callers, %")


def test_shares():
    """70 and 30 % below a recursion, a loop of C that calls back, a rescued exception, a sort's block and a method"""
    check_shares("main", ["<main>"])


def test_thread():
    """The same in a thread, whose first function is a block"""
    check_shares("thread", ["block in <main>"])


def test_fiber():
    """The same in a fiber, which has stacks of its own"""
    check_shares("fiber", ["block in <main>"])


def test_yjit():
    """The same in code of YJIT, of which no frame is left over"""
    check_shares("main", ["<main>"], "--yjit")
    with program("main", "--yjit") as p:
        servers.printed(p, "ready")
        whole(p.pid, "ruby, yjit")
        stacks = folded("cpu", p.pid, "-F", 997, after=1)
    left = share(stacks, lambda s: any(f.startswith("[jit]") for f in s))
    assert left < 3, f"{left:.1f} % of stacks have a frame of YJIT's code"


def test_place():
    """Functions are between the C code that calls and is called; each but the innermost run is below rb_vm_exec"""
    with program("main") as p:
        servers.printed(p, "ready")
        stacks = folded("cpu", p.pid, "-F", 997)
    hot = {s: w for s, w in stacks.items() if "Object#hot_70" in s}
    assert share(hot, lambda s: follow(s, ["ruby_run_node", "rb_vm_exec", "<main>", *CHAIN[:-1], "rb_rescue2",
                                           "rb_vm_exec", CHAIN[-1], "Caller.by_sort", "rb_block_call", "rb_ary_each",
                                           "rb_vm_exec", "block in by_sort", "Object#hot_70"])) > 95, hot


def test_lines():
    """What a function takes is where its loop is, on each of its lines"""
    with program("main") as p:
        servers.printed(p, "ready")
        own = own_lines(p.pid, "spin", "x * 31")
    loop = range(line_of(SOURCE, "while i < n"), line_of(SOURCE, "i += 1") + 1)
    assert all(own.get(line, 0) > 3 for line in loop), own
    live.near(sum(own.get(line, 0) for line in loop), 100, 5, "ruby: share of a loop's lines of its function, %")


def bare(name):
    return re.split("[#.]", name)[-1]


def test_classes():
    """Methods have the name of whose they are, as Ruby itself has it: of a class, a module, an ancestor, a class alone"""
    with running(CLASSES) as p:
        names = p.stdout.readline().split()
        servers.printed(p, "ready")
        stacks = folded("cpu", p.pid, "-F", 997)
    spin, mixes, of_module, inherited, of_class, own, added = names
    chain = [of_class, own, own, inherited, mixes, of_module, added, "unnamed", "alone", spin]
    live.near(share(stacks, lambda s: follow(s, chain)), 100, 5, "ruby: stacks with methods by their classes' names, %")
    methods = {f for s in stacks for f in s if bare(f) in map(bare, chain)}
    assert methods == set(chain), methods


def own_name(frame):
    """As Ruby's own lists of calls have it; None: it is a frame of C code's."""
    if frame == "<main>" or re.match(r"(block|rescue) .*in ", frame):
        return frame
    method = re.fullmatch(r"[A-Z][\w:]*[#.](\S+)", frame)
    return method[1] if method else None


def test_functions_of_c():
    """Functions written in C are in their place: as many, of the same names and in the order that Ruby itself lists"""
    with running(CALLS_C) as p:
        names = p.stdout.readline().strip().split(";")
        servers.printed(p, "ready")
        stacks = folded("cpu", p.pid, "-F", 997)
    works = {s: [n for n in map(own_name, s) if n] for s in stacks if "Object#spin" in s}
    assert sum(stacks[s] for s in works) > 50, stacks
    for s, got in works.items():
        assert got == names, (s, names)
    placed = ["<main>", "Kernel#loop", "rb_rescue2", "rb_vm_exec", "block in <main>", "Array#each", "rb_ary_each",
              "rb_yield", "rb_vm_exec", "block (2 levels) in <main>", "Object#in_numbers", "Integer#times"]
    live.near(share({s: stacks[s] for s in works}, lambda s: follow(s, placed)), 100, 1,
              "ruby: stacks with functions of C before their C code, %")


def test_waits():
    """A wait is below the function that waits, and that below its caller"""
    def waits():
        stacks = folded("offcpu", p.pid)
        slept = {s: w for s, w in stacks.items() if "ppoll" in s or any("nanosleep" in f for f in s)}
        return slept if share(slept, lambda s: follow(s, ["<main>", *CHAIN, "Object#waits"])) > 90 else None
    with program("main") as p:
        servers.printed(p, "ready")
        assert live.wait_for(waits, 40, 0)


def test_language():
    """lang=ruby takes the stacks with such functions"""
    with program("main") as p:
        servers.printed(p, "ready")
        stacks = folded("cpu", p.pid, "-F", 997, "--filter", "lang=ruby")
        none = folded("cpu", p.pid, "-F", 997, "--filter", "lang=php")
    assert share(stacks, lambda s: "<main>" in s) == 100 and not none, (stacks, none)


def test_whole():
    """99 % of the stacks are whole, and the functions in as many are named"""
    with program("main") as p:
        servers.printed(p, "ready")
        note = whole(p.pid, "ruby")
    assert "interpreted functions" not in note, note


def test_service():
    """Of a web server under load 99 % of the stacks are whole, and shares of functions are what they are by construction"""
    with running(SERVICE) as p:
        servers.printed(p, "ready")
        note = check_served(p.pid, "ruby, a web server", "Object#hot_70", "Object#hot_30",
                            ["block in start_thread", "WEBrick::HTTPServer#run", "WEBrick::HTTPServer#service",
                             "WEBrick::HTTPServlet::AbstractServlet#service", "Answer#do_POST"])
    assert "interpreted functions" not in note, note


if __name__ == "__main__":
    live.main(globals())
