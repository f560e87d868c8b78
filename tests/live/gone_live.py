#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer watches or stands on goes away: a cgroup, processes, room on the disk, memory. The
figures are right again within two ticks, and what was missed is said."""
import contextlib
import glob
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import waits  # noqa: E402
from cgroups import cgroup, join, limited, v2_mount  # noqa: E402
from scene import HZ, OPTIONS, Scene, seventy  # noqa: E402
from tmux import Tmux  # noqa: E402
from waits import steady  # noqa: E402


@steady
def test_cgroup_removed():
    """The cgroup of the filter goes: nothing is shown; one of its name comes: its processes are"""
    live.need_root()
    if not v2_mount():
        raise live.Skip("no cgroup v2 mounted")
    name = f"proftop-faults-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        with cgroup(v2_mount(), name) as path, live.Workload("two_functions", 60) as first:
            join(path, first.pid)
            cpu, offcpu = (stack.enter_context(live.Watch(v, *more, "-G", "/" + name))
                           for v, more in (("cpu", HZ), ("offcpu", ())))
            for watch in (cpu, offcpu):
                watch.until(live.now_ns())
            seventy(cpu.reports[-1])
        gone = live.now_ns()
        for watch in (cpu, offcpu):
            watch.until(gone)
            watch.next()
            for report in watch.since(gone):
                assert not report["rows"] and report["health"]["samples"] == 0, report
                assert f"cgroup /{name} is gone" in report["health"]["note"], report["health"]
        with cgroup(v2_mount(), name) as path, live.Workload("two_functions", 60) as second, \
                live.Workload("sleepers", 60) as naps:
            join(path, second.pid)
            join(path, naps.pid)
            back = live.now_ns()
            cpu.until(back)
            seventy(cpu.next())
            offcpu.until(back)
            pids = {r["pid"] for r in offcpu.next()["rows"]}
            assert naps.pid in pids and pids <= {naps.pid, second.pid}, pids
            for watch in (cpu, offcpu):
                assert "is gone" not in watch.reports[-1]["health"]["note"], watch.reports[-1]


@steady
def test_process_gone():
    """A watched process ends: the other one's figures stay right; both are gone: none are shown"""
    live.need_root()
    with live.Workload("two_functions", 60) as stays, live.Workload("sleepers", 60) as naps, \
            live.Workload("inlined", 60) as goes, contextlib.ExitStack() as stack:
        pids = f"{stays.pid},{goes.pid},{naps.pid}"
        cpu, offcpu = (stack.enter_context(live.Watch(v, *more, "-p", pids))
                       for v, more in (("cpu", HZ), ("offcpu", ("--group", "pid"))))
        for watch in (cpu, offcpu):
            watch.until(live.now_ns())
        assert waits.rows_of(offcpu.reports[-1], pid=naps.pid), offcpu.reports[-1]["rows"]
        for work in (goes, naps):
            work.process.kill()
            work.process.wait()
        end = live.now_ns()
        for watch in (cpu, offcpu):
            watch.until(end)
            gone = ", ".join(map(str, sorted((goes.pid, naps.pid))))
            assert f"processes {gone} are gone" in watch.reports[-1]["health"]["note"], watch.reports
        seventy(cpu.reports[-1])
        assert not live.row(cpu.reports[-1], "has_inlined")["total_count"], cpu.reports[-1]
        assert not waits.rows_of(offcpu.reports[-1], pid=naps.pid), offcpu.reports[-1]["rows"]
        stays.process.kill()
        stays.process.wait()
        end = live.now_ns()
        for watch in (cpu, offcpu):
            watch.until(end)
            assert not watch.reports[-1]["rows"], watch.reports[-1]["rows"]
            assert " are gone" in watch.reports[-1]["health"]["note"], watch.reports[-1]["health"]


@contextlib.contextmanager
def small_disk():
    """A file system of 1 MiB; where it is, and what fills it up with a file, and its name."""
    live.need_root()
    with live.temporary() as path:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", path],
                              stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise live.Skip(f"no file system can be mounted: {done.stderr.decode().strip()}")

        def fill():
            with open(path + "/filler", "ab", buffering=0) as f, contextlib.suppress(OSError):
                while f.write(b"x" * 4096):
                    pass
            return path + "/filler"
        try:
            yield path, fill
        finally:
            subprocess.run(["umount", "-l", path], check=True)


def test_disk_full_recording():
    """The disk fills up while it records: said once, what fitted can be replayed, figures go on"""
    with small_disk() as (path, fill), live.Workload("two_functions", 60) as work:
        file = path + "/full.ptr"
        with live.Watch("cpu", *HZ, "--record", file, delay=0.2, binary=live.CHECKED) as watch:
            live.wait_for(lambda: os.path.exists(file) and os.stat(file).st_size > 4000, 30)
            fill()
            full = live.now_ns()
            for _ in range(8):  # the file's last page has some room
                watch.next()
            watch.until(live.now_ns())
            watch.process.send_signal(signal.SIGTERM)
            _, err = watch.process.communicate(timeout=30)
        seen = sum(live.row(report, "hot_70")["self_count"] for report in watch.since(full))
        both = seen + sum(live.row(report, "hot_30")["self_count"] for report in watch.since(full))
        for report in watch.since(full):
            live.conserved(report)
        assert both > 100, f"nothing of {work.pid} after the disk was full"
        live.near(100 * seen / both, 70, 9, "hot_70 after the disk was full")
        said = [line for line in err.splitlines() if "recording" in line]
        assert len(said) == 1 and "No space left" in said[0], (said, err)
        assert live.batch("--replay", file), "nothing of it can be read"


def test_disk_full_snapshot():
    """A snapshot on a full disk: it says why and leaves nothing; with room it works again"""
    with small_disk() as (path, fill), live.Workload("two_functions", 60):
        filler = fill()
        with Tmux(["sh", "-c", f"cd {path}; exec {live.CHECKED} -F 499 -V cpu"]) as t:
            t.wait("hot_70")
            t.keys("s")
            t.wait("No space left")
            assert os.listdir(path) == [os.path.basename(filler)], os.listdir(path)
            os.unlink(filler)
            t.keys("s")
            live.wait_for(lambda: glob.glob(path + "/proftop-cpu-*.txt"))
            t.wait(r"(?s)hot_70.*hot_30")
            t.keys("q")
            assert t.wait_end() == "0", t.screen()
        with open(glob.glob(path + "/proftop-cpu-*.txt")[0], encoding="utf-8") as f:
            assert "hot_70" in f.read()


@steady
def test_little_memory():
    """In 64 MiB of memory each, the figures of all views are right"""
    live.need_root()
    with contextlib.ExitStack() as stack:
        wraps = {view: stack.enter_context(limited("memory", 64 << 20, view))
                 for view in OPTIONS}
        scene = stack.enter_context(Scene(wrap=wraps))
        scene.check(scene.begun)


def test_little_memory_all_views():
    """In 64 MiB all five views at once, each with its flame graph, are in one HTML report"""
    live.need_root()
    views = "cpu", "offcpu", "io", "cache", "sched"
    with limited("memory", 64 << 20, "views") as wrap, live.temporary() as folder, \
            live.Workload("two_functions", 60):
        path = folder + "/all.html"
        run = live.proftop("-b", "-d", "3", "--views", ",".join(views), "--do", "view cpu", "-o", path,
                           wrap=wrap, binary=live.RELEASE)
        assert run.status == 0, run
        with open(path, encoding="utf-8") as f:
            text = f.read()
    for view in views:
        assert f'<section id="{view}">' in text, f"no {view} in {len(text)} bytes"
    assert "hot_70" in text


@contextlib.contextmanager
def compiling():
    """A compiler run after run: a large program that comes and goes, with deep stacks."""
    with live.temporary() as folder, open(folder + "/large.c", "w", encoding="ascii") as f:
        f.write("".join(f"int f{i}(int x) {{ return x * {i} + f{max(i - 1, 0)}(x / 2); }}\n"
                        for i in range(2000)))
        f.flush()
        with subprocess.Popen(["sh", "-c", "while :; do gcc -O2 -w -c large.c -o large.o; done"],
                              cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as loop:
            try:
                yield
            finally:
                os.killpg(loop.pid, signal.SIGKILL)


SHARES = r"^ *\d+\.\d\d .*\n *\d+\.\d\d "  # two rows; whose they are others on the machine decide
IN_TIME_S = 45  # for what only a program that is stuck does not do


def test_little_memory_on_screen():
    """In 64 MiB with a compiler at work, somebody looks into every view, one after the other"""
    with limited("memory", 64 << 20, "screen") as wrap, compiling(), \
            Tmux([*wrap, live.RELEASE, "-F", "499"]) as t:
        t.wait(SHARES, IN_TIME_S)
        for view in "23451":
            t.keys(view)
            t.wait(r"lost \d", IN_TIME_S)
            t.keys("Down", "Right", "F")
            time.sleep(2)
            t.keys("Escape", "Escape", "Escape")
        assert not t.ended(), f"it ended with {t.status()}"
        t.wait(SHARES, IN_TIME_S)
        t.keys("q")
        assert t.wait_end(IN_TIME_S) == "0", t.screen()


if __name__ == "__main__":
    live.main(globals())
