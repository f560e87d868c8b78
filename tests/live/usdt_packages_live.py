#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Static probes as Debian's packages have them: of libstdc++, CPython, PostgreSQL and OpenJDK (node, libc and
MariaDB have none), passed as often as is known by construction; and of a program in a mount namespace of its own."""
import collections
import json
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import traced_live as traced  # noqa: E402
import usdt_live as usdt  # noqa: E402
import waits_postgresql_live as postgresql  # noqa: E402


def path_of(pid, part):
    """The file with that in its name that a process has mapped as code."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        return next((x.split()[5] for x in f if part in x and "x" in x.split()[1]), None)


def counted(questions, does, *options):
    """Sums of what each question counted, by its key, while `does` is done."""
    asks = [o for q in questions for o in ("--ask", q)]
    with live.Watch("events", *asks, *options, binary=live.CHECKED) as watch:
        watch.next()
        does()
        watch.until(live.now_ns())
    found = [collections.Counter() for _ in questions]
    for r in (r for x in watch.reports for r in x["rows"] if r["count"]):
        at = questions.index(r["ask"])
        found[at][r.get("arg1", r.get("(char *)arg1"))] += r["count"]
    return found


def test_libstdcxx():
    """libstdc++: exceptions that are thrown and caught"""
    live.need_root()
    with live.temporary() as folder:
        program = traced.built(folder)[1]
        with traced.Traced(program, "caught") as work:
            library = path_of(work.pid, "libstdc++")
            thrown, caught = counted([f"count usdt:{library}:libstdcxx:{n}" for n in ("throw", "catch")],
                                     work.goes_on, "-p", work.pid)
    live.fact("exceptions thrown", 200, thrown[None])
    assert thrown[None] == caught[None] == 200, (thrown, caught)


def test_python():
    """CPython: collections of garbage by their generation, behind a semaphore"""
    live.need_root()
    text = ("import gc, os, sys; gc.disable(); print('ready', os.getpid(), flush=True); sys.stdin.readline(); "
            "[gc.collect(i % 3) for i in range(60)]")
    with traced.Traced("/usr/bin/python3", "-c", text) as work:
        if not path_of(work.pid, "python") or b"gc__start" not in open(path_of(work.pid, "python"), "rb").read():
            raise live.Skip("this python has no static probes")
        started, done = counted([f"count usdt:pid:{work.pid}:python:gc__start by arg1",
                                 f"count usdt:pid:{work.pid}:python:gc__done"], work.goes_on)
    # As it ends it collects all generations by itself.
    assert started[0] == started[1] == 20 and 20 <= started[2] <= 25, started
    assert done[None] == sum(started.values()), (started, done)


def test_postgresql():
    """PostgreSQL: queries with their texts; of sessions that begin later, too, whose semaphore is set"""
    with postgresql.server() as s:
        program = os.path.realpath(f"/proc/{s.pid}/exe")
        texts = [f"select {i} as q" for i in range(3)]

        def does():
            for text in texts * 5:
                s.sql(text)
        started, done = counted([f"count usdt:{program}:postgresql:{n} by (char *)arg1"
                                 for n in ("query__start", "query__done")], does)
    for found in (started, done):
        assert {t: found[t] for t in texts} == {t: 5 for t in texts}, found


JAVA = """
public class Starts {
    public static void main(String[] a) throws Exception {
        System.out.println("ready " + ProcessHandle.current().pid());
        System.in.read();
        for (int i = 0; i < 40; i++) {
            Thread t = new Thread(() -> { }, "started-" + i % 4);
            t.start();
            t.join();
        }
    }
}
"""


def test_java():
    """OpenJDK: threads that start, by their names"""
    live.need_root()
    java, javac = servers.need("java", "javac")
    with servers.folder() as folder:
        with open(f"{folder}/Starts.java", "w", encoding="ascii") as f:
            f.write(JAVA)
        subprocess.run([javac, "-d", folder, f"{folder}/Starts.java"], check=True)
        with traced.Traced(java, "-cp", folder, "Starts") as work:
            if b"thread__start" not in open(path_of(work.pid, "libjvm"), "rb").read():
                raise live.Skip("this OpenJDK has no static probes")
            (started,) = counted([f"count usdt:pid:{work.pid}:hotspot:thread__start by (char *)arg1"],
                                 work.goes_on)
    ours = {name: n for name, n in started.items() if name.startswith("started-")}
    assert ours == {f"started-{i}": 10 for i in range(4)}, started


def test_container():
    """A program that is seen in its own mount namespace alone: static probes, and functions"""
    live.need_root()
    if not shutil.which("unshare"):
        raise live.Skip("no unshare")
    script = f"mount -t tmpfs none /mnt && cp {usdt.PATH} /mnt/inside && exec /mnt/inside"
    wrap = ["unshare", "-m", "--propagation", "private", "sh", "-c", script]
    with live.Workload("usdt", path=wrap[-1], wrap=wrap[:-1]) as work:
        assert not os.path.exists("/mnt/inside")
        with live.Watch("events", "--ask", f"count usdt:pid:{work.pid}:proftest:gated", "--ask",
                        f"count uprobe:pid:{work.pid}:step", binary=live.CHECKED) as watch, \
                live.Watch("funcs", "--function", f"!pid:{work.pid}:step", binary=live.CHECKED) as timed:
            watch.next()
            timed.next()
            os.kill(work.pid, signal.SIGUSR1)
            said = json.loads(work.process.stdout.readline())
            for w in (watch, timed):
                w.until(live.now_ns())
        os.kill(work.pid, signal.SIGUSR1)
        said.update(json.loads(work.process.stdout.readline()))
    counts = collections.Counter()
    for r in (r for x in watch.reports for r in x["rows"]):
        counts["gated" if "usdt" in r["ask"] else "step"] += r["count"]
    assert said["gate"] == counts["gated"] == 25 and said["semaphore"] == 0, (said, counts)
    assert counts["step"] == sum(r["count"] for x in timed.reports for r in x["rows"]) == 60, counts


if __name__ == "__main__":
    live.main(globals())
