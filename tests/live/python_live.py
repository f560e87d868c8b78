#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through CPython: each version that is here, by a program whose shares, chains and waits are
known by construction (tests/workloads/python_shares.py), and a web service that profiles itself."""
import json
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import folded, follow_qualified as follow, pythons, share, thread_names, whole  # noqa: E402

SOURCE = os.path.join(live.ROOT, "tests/workloads/python_shares.py")
SERVICE = os.path.join(live.ROOT, "tests/workloads/python_service.py")
SECONDS, LOOKED = 14, 9  # at what it does itself, and of these by proftop
DEPTH = 5


def workload(python, *args):
    return live.Workload("python", *args, path=python, stdin=subprocess.DEVNULL)


def stacks_with(view, pid, name):
    stacks = folded(view, pid)
    return stacks if share(stacks, lambda s: follow(s, [name])) else None


def check_waits(version, pid):
    """A thread that sleeps again and again does so below its own function."""
    stacks = live.wait_for(lambda: stacks_with("offcpu", pid, "sleeps"), 40, 0)
    chain = next(s for s in stacks if follow(s, ["sleeps"]))
    assert follow(chain, ["_bootstrap_inner", "run", "sleeps"]), f"python {version}: {chain}"


def check_cpu(version, pid):
    chain = ["<module>"] + ["descend"] * (DEPTH + 1)
    chain += ["rounds", "produce", "by_sort", "key_of"]
    stacks = live.wait_for(lambda: named(folded("cpu", pid, "-F", 997)), 40, 0)
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for name, truth in ("hot_70", 70), ("hot_30", 30):
        got = share(stacks, lambda s: follow(s, [*chain, name]))
        live.near(got, truth, within, f"python {version}: share of {name} below its callers, %")
    evals = share(stacks, lambda s: any("_PyEval_EvalFrameDefault" in f for f in s))
    assert evals < 3, f"python {version}: {evals:.1f} % of stacks have the interpreter's own frame"
    called = share(stacks, called_back)
    assert called > 90, f"python {version}: C is between caller and callback in {called:.1f} %"


def called_back(stack):
    """The sort's own functions are between who sorts and the key's function."""
    names = [f.rsplit(".", 1)[-1] for f in stack]
    return "key_of" in names and names.index("key_of") - names.index("by_sort") > 3


def named(stacks):
    """Stacks of python functions; None: not yet."""
    return stacks if share(stacks, lambda s: any("key_of" in f for f in s)) > 90 else None


def test_cpu():
    """70 and 30 % of two functions, below a recursion, a generator, a sort's callback and a method"""
    live.need_root()
    for version, python in pythons().items():
        with workload(python, SOURCE, DEPTH) as w:
            check_cpu(version, w.pid)
            check_waits(version, w.pid)


def begins(stack):
    """Whether a stack is whole: the program's, or the thread's that sleeps, which runs now and then."""
    return follow(stack, ["_start", "<module>", "descend"]) or \
        follow(stack, ["start_thread", "_bootstrap", "sleeps"])


def test_trampolines():
    """python -X perf: stacks go through its trampolines, which keep no frame pointer, to the program's begin"""
    live.need_root()
    for version, python in pythons().items():
        if version not in ("3.12", "3.13"):  # that have them
            continue
        with workload(python, "-X", "perf", SOURCE, DEPTH) as w:
            stacks = live.wait_for(lambda: named(folded("cpu", w.pid, "-F", 997)), 40, 0)
        tramps = share(stacks, lambda s: any(f.startswith("py::") and "hot_" in f for f in s))
        assert tramps > 50, f"python {version}: {tramps:.1f} % of stacks have a trampoline"
        live.near(share(stacks, begins), 100, 1, f"python {version} -X perf: whole stacks, %")


def with_flask():
    for path in pythons().values():
        if not subprocess.run([path, "-c", "import flask"], capture_output=True).returncode:
            return path
    raise live.Skip("no python here has flask (package python3-flask)")


def test_service():
    """Of a web service's stacks 99 % are whole, and shares of functions are those that it sees itself"""
    live.need_root()
    with servers.running(with_flask(), SERVICE, SECONDS, text=True, stdout=subprocess.PIPE) as p:
        servers.printed(p, "ready")
        live.wait_for(lambda: stacks_with("cpu", p.pid, "answer"), 40, 0)
        stacks = folded("cpu", p.pid, "-F", 997, seconds=LOOKED)
        whole(p.pid, "python, a web service")
        shares, ticks = p.stdout.readline().rsplit(" ", 1)
    theirs = json.loads(shares)
    # Its ticks are seen where a function begins next: little is said of those that call nothing, or the kernel.
    for name in "wsgi_app", "dispatch_request", "answer", "render", "root":
        # Two samplings of one truth: three standard deviations of both may be missed.
        peer, n = theirs[name], 1 / (1 / float(ticks) + 1 / sum(stacks.values()))
        within = max(2, 300 * math.sqrt(peer / 100 * (1 - peer / 100) / n))
        live.near(share(stacks, lambda s: follow(s, [name])), peer, within, f"python: share of {name}, %")


THREADS = {"waits_for_lock", "waits_for_socket", "sleeps"}


def all_named(view, pid, *args):
    names = thread_names(view, pid, *args) or {}
    return names if set(names.values()) == THREADS else None


def test_thread_names():
    """Threads are called what the program calls them, live and in a recording; the first one has its command alone"""
    live.need_root()
    for version, python in pythons().items():
        with live.temporary() as folder:
            path = os.path.join(folder, "threads.ptr")
            with workload(python, SOURCE, DEPTH) as w:
                names = live.wait_for(lambda: all_named("offcpu", w.pid), 40, 0)
                live.batch("-V", "offcpu", "-p", w.pid, "-n", 4, "-d", 0.5, "--record", path, binary=live.RELEASE)
            replayed = thread_names("offcpu", w.pid, "--replay", path)
        assert w.pid not in names, f"python {version}: {names}"
        assert replayed == names, f"python {version}: replayed {replayed}, live {names}"


def test_thread_names_of_processes():
    """The view of processes, which walks no stacks, has them as well"""
    live.need_root()
    with workload(list(pythons().values())[0], SOURCE, DEPTH) as w:
        names = live.wait_for(lambda: all_named("procs", w.pid), 40, 0)
    assert w.pid not in names, names


WAKER = """import threading
given, taken = threading.Semaphore(0), threading.Semaphore(0)
def give():
    while True:
        given.release()
        taken.acquire()
def take():
    while True:
        given.acquire()
        taken.release()
for f in give, take:
    threading.Thread(target=f, name=f.__name__ + " and wait").start()
print("ready", flush=True)
"""


def wakers(pid):
    """{who ended waits}, of threads that the program has named."""
    rows = live.batch("-V", "offcpu", "--group", "waker", "-n", 3, "-d", 0.5, "-p", pid, binary=live.RELEASE)[-1]["rows"]
    names = {r["woken_by"].rsplit("/", 1)[0] for r in rows}
    return names if any(n.endswith("and wait") for n in names) else None


def test_waker_names():
    """Who ended a wait is called what the program calls it"""
    live.need_root()
    python = list(pythons().values())[0]
    with subprocess.Popen([python, "-c", WAKER], text=True, stdout=subprocess.PIPE) as p:
        try:
            p.stdout.readline()
            names = live.wait_for(lambda: wakers(p.pid), 40, 0)
        finally:
            p.kill()
    assert {"give and wait", "take and wait"} <= names, names


def test_astray():
    """Frames that lead astray leave the native stack as it was, and are counted"""
    live.need_root()
    for how in "self", "cycle", "garbage", "type", "elsewhere":
        with live.Workload("fake_python", how) as w:
            report = live.wait_for(lambda: left_alone(w.pid), 40, 0)
            live.near(live.row(report, "burn")["self_pct"], 100, 10, f"{how}: share of burn(), %")


def left_alone(pid):
    """A report that says that stacks were left alone."""
    report = live.batch("-V", "cpu", "-p", pid, "-n", 3, "-d", 0.5, "-F", 499)[-1]
    return report if "their interpreted" in report["health"]["note"] else None


if __name__ == "__main__":
    live.main(globals())
