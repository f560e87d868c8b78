#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through CPython in programs that are more than functions which call each other: tasks and generators, threads
that begin later, several interpreters in a process, and programs of C that have python in them."""
import glob
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from runtimes import folded, follow_qualified as follow, pythons, share  # noqa: E402

TASKS, INTERPRETERS, SHARES = (os.path.join(live.ROOT, "tests/workloads", f"python_{name}.py")
                               for name in ("tasks", "interpreters", "shares"))
BY_COUNT = "3.9", "3.10"  # nothing on the C stack tells which frame runs what
SHARE_LOCK = "3.9", "3.10", "3.11"  # and a thread of one interpreter does not leave it to those of another


def program(python, source, *args):
    return live.Workload("python", source, *args, path=python, stdin=subprocess.DEVNULL)


def until(pid, view, chain, *args):
    """Stacks of an interval in which some have the chain; None: not yet."""
    stacks = folded(view, pid, *args)
    return stacks if share(stacks, lambda s: follow(s, chain)) else None


def stacks_of(pid, view, chain):
    return live.wait_for(lambda: until(pid, view, chain, *(("-F", 997) if view == "cpu" else ())), 40, 0)


def check_shares(pid, what, chain, names=("hot_70", "hot_30")):
    """70 and 30 % of what is below the chain, which is all that is below its first function."""
    stacks = stacks_of(pid, "cpu", [*chain, names[0]])
    mine = {s: w for s, w in stacks.items() if chain[0] in s}
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(6, 300 * math.sqrt(0.21 / sum(mine.values())))
    for name, truth in zip(names, (70, 30)):
        live.near(share(mine, lambda s: follow(s, [*chain, name])), truth, within, f"{what}: share of {name}, %")
    evals = share(mine, lambda s: "_PyEval_EvalFrameDefault" in s)
    assert evals < 3, f"{what}: {evals:.1f} % of stacks have the interpreter's own frame"
    return stacks


def test_tasks():
    """70 and 30 % in two tasks, below coroutines, an object's __await__ and an asynchronous generator, in their order"""
    live.need_root()
    for version, python in pythons().items():
        with program(python, TASKS) as w:
            stacks = check_shares(w.pid, f"python {version}, tasks",
                                  ["<module>", "run", "run_forever", "_run_once", "_run", "consume", "produce", "__await__",
                                   "descend", "descend", "descend"], ("leaf_70", "leaf_30"))
            for leaf, other in ("leaf_70", "leaf_30"), ("leaf_30", "leaf_70"):
                both = share(stacks, lambda s: leaf in s and other in s)
                assert both == 0, f"python {version}: {both} % of stacks are of two tasks"


def test_late_threads():
    """Threads that begin one after the other, for some hundredths of a second each, have their functions"""
    live.need_root()
    for version, python in pythons().items():
        with program(python, TASKS) as w:
            stacks = stacks_of(w.pid, "cpu", ["start_thread", "_bootstrap", "run", "burn"])
        late = {s: w for s, w in stacks.items() if "start_thread" in s and s[-1] != "start_thread"}
        got = share(late, lambda s: follow(s, ["_bootstrap"]) or "_PyEval_EvalFrameDefault" not in s)
        live.near(got, 100, 5, f"python {version}: stacks of late threads that have their functions, %")


def test_waits():
    """A sleep in a generator is below who asks for its values; a task that waits is not on the loop's stack"""
    live.need_root()
    for version, python in pythons().items():
        with program(python, TASKS) as w:
            naps = stacks_of(w.pid, "offcpu", ["naps"])
            loop = stacks_of(w.pid, "offcpu", ["waits_for_task", "select"])
        chain = ["_bootstrap", "run", "takes_naps", "delegates", "naps"]
        for stack in (s for s in naps if follow(s, ["naps"])):
            assert follow(stack, chain), f"python {version}: {stack}"
        polls = [s for s in loop if follow(s, ["waits_for_task", "select"])]
        assert polls and all(follow(s, ["_run_once", "select"]) for s in polls), f"python {version}: {polls}"
        assert not any(follow(s, ["receives"]) for s in polls), f"python {version}: {polls}"


def test_waits_before():
    """Threads that wait since before they were watched, for a lock and a socket, do so below their own functions"""
    live.need_root()
    for version, python in pythons().items():
        with program(python, SHARES, 0) as w:
            for name in "waits_for_lock", "waits_for_socket":
                stacks = stacks_of(w.pid, "offcpu", [name])
                chain = ["start_thread", "_bootstrap", "_bootstrap_inner", "run", name]
                mine = [s for s in stacks if follow(s, [name])]
                assert all(follow(s, chain) for s in mine), f"python {version}: {mine}"


def test_idle_interpreter():
    """An interpreter that nobody runs hides nothing"""
    live.need_root()
    for version, python in pythons().items():
        with program(python, INTERPRETERS, "idle") as w:
            check_shares(w.pid, f"python {version}, an idle interpreter", ["<module>", "inside"])


def test_interpreters():
    """What runs in an interpreter is below the functions of the one that called it"""
    live.need_root()
    for version, python in pythons().items():
        with program(python, INTERPRETERS, "below") as w:
            check_shares(w.pid, f"python {version}, an interpreter below another",
                         ["<module>", *["enters"] * 4, "<module>", "inside"])


def test_interpreters_in_threads():
    """So it is in threads, whichever one made the interpreter; up to 3.10 such stacks stay native, counted"""
    live.need_root()
    for version, python in pythons().items():
        for how in "thread", "own":
            with program(python, INTERPRETERS, how) as w:
                if version in BY_COUNT:
                    live.wait_for(lambda: left_alone(w.pid), 40, 0)
                    stacks = folded("cpu", w.pid, "-F", 997)
                    assert not share(stacks, lambda s: follow(s, ["inside"])), f"python {version}: {stacks}"
                else:
                    check_shares(w.pid, f"python {version}, interpreters: {how}",
                                 ["start_thread", "_bootstrap", *["enters"] * 4, "<module>", "inside"])
                    if version not in SHARE_LOCK:
                        check_sleeper(version, w.pid)


def left_alone(pid):
    report = live.batch("-V", "cpu", "-p", pid, "-n", 2, "-d", 0.5, "-F", 997, binary=live.RELEASE)[-1]
    return "without their interpreted functions" in report["health"]["note"]


def check_sleeper(version, pid):
    """The thread that made an interpreter has its own functions alone."""
    waits = stacks_of(pid, "offcpu", ["sleeps"])
    mine = [s for s in waits if follow(s, ["sleeps"])]
    assert all(follow(s, ["_start", "<module>", "sleeps"]) and not follow(s, ["enters"]) for s in mine), \
        f"python {version}: {mine}"


def libraries(pythons_here):
    """{version: its libpython}"""
    found = {}
    for version, python in pythons_here.items():
        folder = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(python))), "lib")
        paths = glob.glob(f"{folder}/libpython{version}.so.1*") + glob.glob(f"{folder}/*/libpython{version}.so.1*")
        if paths:
            found[version] = sorted(paths)[0]
    return found


def check_embedded(library, what):
    for how, root in ("main", "main"), ("thread", "begin"):
        with live.Workload("embeds_python", library, how) as w:
            check_shares(w.pid, f"{what} in a program of C, {how}", [root, "runs_python", "<module>", "works"])


def test_embedded():
    """Functions of a python that a program of C has loaded are below who ran it, in its own threads as well"""
    live.need_root()
    here = libraries(pythons())
    if not here:
        raise live.Skip("no python here has a library to be embedded (package libpython3.11)")
    for version, library in here.items():
        check_embedded(library, f"python {version}")


def test_stripped():
    """A library without its symbols, but for those that it has for others, has all functions of python's"""
    live.need_root()
    here = libraries(pythons())
    if not here:
        raise live.Skip("no python here has a library to be embedded (package libpython3.11)")
    version, library = list(here.items())[-1]
    with live.temporary() as folder:
        stripped = os.path.join(folder, os.path.basename(library))
        subprocess.run(["strip", "-o", stripped, library], check=True)
        check_embedded(stripped, f"python {version}, stripped,")


if __name__ == "__main__":
    live.main(globals())
