#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Functions of Python, Java and JavaScript in the views beside cpu: programs that do a little of all, each below a
function of its own (tests/workloads/python_views.py, JavaViews.java, node_views.js)."""
import contextlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import formats  # noqa: E402
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import folded, follow_qualified as follow, share  # noqa: E402

SOURCES = os.path.join(live.ROOT, "tests/workloads")
LANGUAGES = {"python": "works", "java": "JavaViews.works", "javascript": "works"}  # what all is below
# Where Java waits for a lock it is its own, no futex of the C library's.
LOCKS = {"python": "gives", "javascript": "gives"}


@contextlib.contextmanager
def program(language):
    """A process that is at work, on a file that is on a disk."""
    live.need_root()
    live.mount_tracefs()
    with servers.folder() as folder:
        data = os.path.join(folder, "data")
        with servers.running(*command(language, folder), data, text=True, stdout=subprocess.PIPE) as p:
            servers.printed(p, "ready")
            yield p


def command(language, folder):
    if language == "python":
        return *servers.need("/usr/bin/python3"), f"{SOURCES}/python_views.py"
    if language == "javascript":
        return *servers.need("node"), f"{SOURCES}/node_views.js"
    java, javac = servers.need("java", "javac")
    subprocess.run([javac, "-nowarn", "-d", folder, f"{SOURCES}/JavaViews.java"], check=True, stderr=subprocess.DEVNULL)
    return java, "-XX:+UseSerialGC", "-Xmx64m", "-cp", folder, "JavaViews"


def stacks_below(pid, language, view, function, *args):
    """The stacks of an interval with the function in its place below works(); waits for them."""
    def seen():
        stacks = {s: w for s, w in folded(view, pid, *args, after=1).items() if follow(s, [function])}
        return stacks if sum(stacks.values()) else None
    stacks = live.wait_for(seen, 60, 0)
    root = LANGUAGES[language] if function != "gives" else "helps"
    below = share(stacks, lambda s: follow(s, [root.rsplit(".", 1)[-1], function]))
    live.near(below, 100, 1, f"{language}, {view}: stacks with {function}() below {root}(), %")
    return stacks


def check(view, functions, *args, filters=True):
    """Such stacks are there for each language, by lang= as well, and with sym~."""
    for language, function in functions.items():
        with program(language) as p:
            stacks_below(p.pid, language, view, function, *args)
            if not filters:
                continue
            stacks_below(p.pid, language, view, function, *args, "--filter", f"lang={language} sym~{function}$")
            others = folded(view, p.pid, *args, "--filter", "lang=perl")
            assert not others, f"{language}, {view}: {others}"


def test_offcpu():
    """Waits for what another thread gives"""
    check("offcpu", dict.fromkeys(LANGUAGES, "takes"))


def test_io():
    """Requests to the disk are of who syncs"""
    check("io", dict.fromkeys(LANGUAGES, "syncs"), filters=False)  # its rows are of devices, which have no stacks


def test_faults():
    """Page faults are of who touches memory"""
    # What malloc() has again is not touched first: of Java those of its heap.
    check("faults", {"python": "touches", "java": "syncs", "javascript": "touches"})


def test_heap():
    """Memory that is held is of who keeps it"""
    check("heap", dict.fromkeys(LANGUAGES, "keeps"), "--sample-bytes", "0")


def test_locks():
    """Waits for locks of the C library are of who wants them"""
    check("locks", LOCKS)


def test_files():
    """Operations of files, and calls"""
    check("files", dict.fromkeys(LANGUAGES, "syncs"))
    check("syscalls", dict.fromkeys(LANGUAGES, "syncs"))


def test_pprof():
    """What is exported has each function's file and where in it it begins"""
    servers.need("protoc")
    sources = {"python": "python_views.py", "java": "JavaViews.java", "javascript": "node_views.js"}
    for language, source in sources.items():
        with program(language) as p, live.temporary() as folder:
            stacks_below(p.pid, language, "io", "syncs")
            path = os.path.join(folder, "x.pb.gz")
            live.batch("-V", "io", "-p", p.pid, "-n", 2, "-d", 1, "-o", path, binary=live.RELEASE)
            places = formats.pprof_places(path)
        with open(os.path.join(SOURCES, source), encoding="ascii") as f:
            text = f.read().splitlines()
        mine = {name.rsplit(".", 1)[-1]: lines for (name, file), lines in places.items()
                if os.path.basename(file) == source}
        for name in "works", "syncs":
            first, = mine[name]
            # Java knows a method from the first line on that there is code of.
            begin = "".join(text[first - (3 if language == "java" else 1):first])
            assert f"{name}(" in begin, f"{language}: {name} begins at line {first}"


if __name__ == "__main__":
    live.main(globals())
