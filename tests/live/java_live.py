#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through HotSpot, interpreted, by either compiler and as usual, by programs whose shares, chains
and waits are known by construction (tests/workloads/JavaShares.java) or by jstack."""
import contextlib
import datetime
import glob
import json
import math
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import (WARM, folded, follow_qualified as follow, served, share, summed, thread_names,  # noqa: E402
                      whole)

SOURCES = os.path.join(live.ROOT, "tests/workloads")
MODES = {"interpreted": ["-Xint"], "C1": ["-XX:TieredStopAtLevel=1"],
         "C2": ["-XX:-TieredCompilation"], "as usual": []}
DEPTH = 5
VIRTUAL, PROFILER = 21, 25  # versions: which have virtual threads, a profiler by CPU time
WAITERS = {"sleeper": "sleeps", "parker": "parks", "wanter": "wants", "reader": "reads"}


def newest(least=VIRTUAL):
    """The newest Java that is here, and its compiler: the first on the path may be an older one."""
    found = []
    for path in glob.glob("/usr/lib/jvm/*/release"):
        with open(path, encoding="utf-8") as f:
            version = re.search(r'^JAVA_VERSION="(\d+)', f.read(), re.M)
        if version and os.access(os.path.join(os.path.dirname(path), "bin/javac"), os.X_OK):
            found.append((int(version[1]), os.path.dirname(path)))
    if not found or max(found)[0] < least:
        has = {VIRTUAL: "virtual threads", PROFILER: "a profiler by CPU time"}[least]
        raise live.Skip(f"java {least} or later, which has {has}, is not installed")
    return [os.path.join(max(found)[1], "bin", name) for name in ("java", "javac")]


@contextlib.contextmanager
def program(name, arg, *options, of=None):
    live.need_root()
    java, javac = of or servers.need("java", "javac")
    with servers.folder() as folder:
        subprocess.run([javac, "-g", "-d", folder, f"{SOURCES}/{name}.java"], check=True)
        # Loops can be stopped only where this collector is used, so that what is inlined is known.
        with servers.running(java, "-XX:+UseG1GC", "-Xmx256m", *options, "-cp", folder, name, arg,
                             text=True, stdout=subprocess.PIPE) as p:
            servers.printed(p, "ready")
            yield p.pid


def works(stacks):
    """Those of the thread that works."""
    return {s: w for s, w in stacks.items() if follow(s, ["JavaShares.works"])}


CHAIN = ["main", "works"] + ["descend"] * (DEPTH + 1) + ["bySort", "keyOf", "round"]


def settled(pid):
    """The worker's stacks once what is compiled is; None: not yet."""
    stacks = works(folded("cpu", pid, "-F", 997, after=WARM))
    return stacks if share(stacks, lambda s: follow(s, [*CHAIN, "hot30"])) > 15 else None


def check_shares(mode, pid):
    stacks = live.wait_for(lambda: settled(pid), 40, 0)
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for name, truth in ("hot70", 70), ("hot30", 30):
        got = share(stacks, lambda s: follow(s, [*CHAIN, name]))
        live.near(got, truth, within, f"java, {mode}: share of {name} below its callers, %")
    wrong = [s for s in stacks if follow(s, ["hot70", "hot30"]) or follow(s, ["hot30", "hot70"])]
    assert not wrong, wrong[0]


def jstack(pid):
    """{thread: functions, innermost first}"""
    jstack_path, = servers.need("jstack")
    said = subprocess.run([jstack_path, str(pid)], text=True, stdout=subprocess.PIPE, check=True)
    threads = {}
    for line in said.stdout.splitlines():
        name = re.match(r'"([^"]+)"', line)
        frame = re.match(r"\s+at ([^(]+)\(", line)
        if name:
            frames = threads.setdefault(name[1], [])
        elif frame:
            # Without the addresses of classes that were made while it runs.
            frames.append(re.sub("/0x[0-9a-f]+", "", frame[1]))
    return threads


def functions(stack):
    return [f for f in stack if f.startswith(("java.", "jdk.", "sun.", "JavaShares"))]


def waits_as_told(pid):
    """The threads with a wait below the very functions that jstack says."""
    told, stacks = jstack(pid), folded("offcpu", pid)
    for thread, name in WAITERS.items():
        peer = told[thread][::-1]
        if follow(peer, [name]) and peer in [functions(s) for s in stacks if s[0] == thread]:
            yield thread


def check_waits(mode, pid):
    """Threads that wait in more than one place may be met in another one by jstack: then once more."""
    missing = set(WAITERS)

    def all_seen():
        missing.difference_update(waits_as_told(pid))
        return not missing
    live.wait_for(all_seen, 20 * len(WAITERS), 0)


def long_names(pid):
    """{tid: name}, as jstack has them, of threads with more in their name than the kernel keeps."""
    jstack_path, = servers.need("jstack")
    said = subprocess.run([jstack_path, str(pid)], text=True, stdout=subprocess.PIPE, check=True)
    # Java's own are numbered; the virtual machine's others have no names that it keeps.
    threads = re.findall(r'^"([^"]+)" #\d.* nid=(0x[0-9a-f]+|\d+)', said.stdout, re.M)
    return {int(tid, 0): name for name, tid in threads if len(name.encode()) > 15}


def test_thread_names():
    """Threads whose names the kernel cuts have them whole, as jstack says, and no others"""
    with program("JavaShares", DEPTH) as pid:
        def as_told(view):
            told, names = long_names(pid), thread_names(view, pid) or {}
            assert not set(names) - set(told), (told, names)
            return told and {t: names.get(t) for t in told} == told
        for view in "offcpu", "procs":
            live.wait_for(lambda v=view: as_told(v), 60, 0)


def check(mode):
    with program("JavaShares", DEPTH, *MODES[mode]) as pid:
        check_shares(mode, pid)
        check_waits(mode, pid)


def test_interpreted():
    """70 and 30 % below a recursion, a lambda and a sort's callback; waits as jstack has them: -Xint"""
    check("interpreted")


def test_c1():
    """The same in code of the first compiler"""
    check("C1")


def test_c2():
    """The same in code of the second compiler, where most is inlined"""
    check("C2")


def test_as_usual():
    """The same without an option"""
    check("as usual")


def test_service():
    """Of a service's stacks 99 % are whole"""
    with program("JavaService", 3) as pid:
        ended, known, _ = live.wait_for(lambda: served(pid), 40, 0)
        live.near(100 * ended / known, 100, 1, "java: stacks of a service that are whole, %")


LOOKED = 12  # seconds
OF_JAVA = "java.", "jdk.", "sun.", "com.sun.", "JavaService"  # what names of functions begin with


def recorded(tools, pid, path):
    """(when, functions) of each sample of the flight recorder that it took in Java's own code and not later, when the
    thread came to a place where it may be looked at."""
    subprocess.run([f"{tools}/jcmd", str(pid), "JFR.dump", f"filename={path}"], check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run([f"{tools}/jfr", "print", "--json", "--stack-depth", "64", "--events", "jdk.CPUTimeSample",
                           path], check=True, text=True, stdout=subprocess.PIPE)
    for event in json.loads(said.stdout)["recording"]["events"]:
        v = event["values"]
        if not v["biased"] and not v["failed"] and v["stackTrace"]:
            methods = [f["method"] for f in v["stackTrace"]["frames"]]
            yield (datetime.datetime.fromisoformat(v["startTime"]).timestamp(),
                   {m["type"]["name"].replace("/", ".") + "." + m["name"] for m in methods})


def test_service_shares():
    """Shares of a service's functions are those of Java's flight recorder in the same seconds, within 2 points"""
    java, javac = newest(PROFILER)
    with servers.folder() as folder, \
            program("JavaService", 3, "-XX:StartFlightRecording=jdk.CPUTimeSample#enabled=true,"
                    "jdk.CPUTimeSample#throttle=1ms", of=[java, javac]) as pid:
        live.wait_for(lambda: share(folded("cpu", pid, after=4 * WARM), lambda s: follow(s, ["JavaService.answer"])),
                      60, 0)
        begin = time.time()
        stacks = summed("cpu", pid, "-F", 997, seconds=LOOKED)
        end = time.time()
        theirs = [names for t, names in recorded(os.path.dirname(java), pid, os.path.join(folder, "r.jfr"))
                  if begin <= t < end]
    stacks = {s: w for s, w in stacks.items() if s[-1].startswith(OF_JAVA)}
    for name in ("JavaService.handle", "JavaService.answer", "JavaService.asks",
                 "java.net.URL.openStream", "java.util.stream.ReferencePipeline.collect"):
        peer, n = sum(name in s for s in theirs) / len(theirs), 1 / (1 / len(theirs) + 1 / sum(stacks.values()))
        # Two samplings of one truth: three standard deviations of both may be missed.
        within = max(2, 300 * math.sqrt(peer * (1 - peer) / n))
        live.near(share(stacks, lambda s: name in s), 100 * peer, within, f"java, a service: share of {name}, %")


MOUNTED = ["VirtualThread.runContinuation", "Continuation.run", "rounds"]


def put_back(pid):
    """Stacks of a virtual thread that has waited, once what is compiled is."""
    stacks = {s: w for s, w in folded("cpu", pid, "-F", 997, after=WARM).items()
              if follow(s, ["JavaVirtual.rounds"])}
    return stacks if share(stacks, lambda s: follow(s, ["hot30"])) > 15 else None


def test_virtual():
    """70 and 30 % in a virtual thread, which waits, below the thread that it is on; what is in the heap is not walked"""
    with program("JavaVirtual", DEPTH, MODES["C1"][0], of=newest()) as pid:
        stacks = live.wait_for(lambda: put_back(pid), 40, 0)
    within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for name, truth in ("hot70", 70), ("hot30", 30):
        got = share(stacks, lambda s: follow(s, [*MOUNTED, name]))
        live.near(got, truth, within, f"java, a virtual thread: share of {name} below the carrier, %")


def test_virtual_whole():
    """Of its stacks 99 % are whole: compiled code below what puts frames back keeps no frame pointer"""
    with program("JavaVirtual", DEPTH, of=newest()) as pid:
        live.wait_for(lambda: put_back(pid), 40, 0)
        for _ in range(2):  # which methods keep one changes with what is compiled
            whole(pid, "java, a virtual thread")


if __name__ == "__main__":
    live.main(globals())
