#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What befalls a tracer: after each the figures are right again within two ticks, against a load
that knows the truth, and what was missed is said."""
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import waits  # noqa: E402
from cgroups import cgroup, join, limited, v2_mount  # noqa: E402
from scene import TIMES, Scene  # noqa: E402
from tmux import Tmux  # noqa: E402
from waits import steady  # noqa: E402

STOPPED_S = 4
HZ = ("-F", 999)


def gap(watch, t_ns):
    """The interval in which it was stopped."""
    found = [r for r in watch.reports if r["t0_ns"] <= t_ns < r["t1_ns"]]
    assert len(found) == 1, [(r["t0_ns"], r["t1_ns"]) for r in watch.reports]
    return found[0]


def says_missed(health):
    return health["missed_ticks"] > 0 and "ticks missed" in health["note"]


@steady
def test_stopped():
    """Stopped for seconds: every view says so, misses nothing of them, and goes on rightly"""
    with Scene() as scene:
        begin = live.now_ns()
        scene.signal(signal.SIGSTOP)
        scene.read()
        time.sleep(STOPPED_S)
        scene.signal(signal.SIGCONT)
        end = live.now_ns()
        scene.check(end)
        scene.check_times(begin - 1e9, end)
        for view, watch in scene.watches.items():
            report = gap(watch, (begin + end) // 2)
            assert report["t1_ns"] - report["t0_ns"] > STOPPED_S * 0.8e9, (view, report["t1_ns"])
            assert says_missed(report["health"]), report["health"]
            assert report["health"]["lost"] == 0, (view, report["health"])
            assert not says_missed(watch.since(end)[1]["health"]), view


def seventy(report):
    """What two_functions promises, of one interval."""
    live.conserved(report)
    a, b = live.row(report, "hot_70")["self_count"], live.row(report, "hot_30")["self_count"]
    assert a + b > 20, report["rows"][:4]
    live.near(100 * a / (a + b), 70, 9, "hot_70")


@steady
def test_ring_overrun():
    """A ring that overflows while nobody reads it: what is lost is counted, the rest is right"""
    live.need_root()
    nobody = ("prlimit", "--memlock=0", "setpriv", "--reuid=65534", "--regid=65534",
              "--clear-groups", "--")
    with live.temporary() as tmp, contextlib.ExitStack() as stack:
        # The second one's stacks are long.
        works = [stack.enter_context(live.Workload(
            name, 60, wrap=nobody, path=shutil.copy(os.path.join(live.WORKLOADS, name), tmp)))
            for name in ("two_functions", "deep_recursion")]
        watch = stack.enter_context(live.Watch(
            "cpu", "-F", 4999, "-p", ",".join(str(w.pid) for w in works), wrap=nobody))
        watch.next()
        begin = live.now_ns()
        os.kill(watch.process.pid, signal.SIGSTOP)
        time.sleep(STOPPED_S)
        os.kill(watch.process.pid, signal.SIGCONT)
        end = live.now_ns()
        watch.until(end)
        watch.next()
    health = gap(watch, (begin + end) // 2)["health"]
    assert health["tier"] == "perf" and health["lost"] > 0 and says_missed(health), health
    for report in watch.reports:
        live.conserved(report)
    for report in watch.since(end):
        seventy(report)
        assert not says_missed(report["health"]), report["health"]
        # It says how many it lost when it next has room to.
        assert report["health"]["lost"] == watch.reports[-1]["health"]["lost"], report["health"]


@steady
def test_distinct_stacks():
    """Waits in up to 2^20 stacks: each is in a row or counted as lost, memory stays bounded"""
    with Scene("offcpu", works=["sleepers"],
               scope=("--comm", "^(many_stacks|sleep-.*)$")) as scene:
        watch = scene.watches["offcpu"]
        with live.Workload("many_stacks", STOPPED_S, 1 << 20) as work:
            pid, truth = work.pid, work.result()
        end = live.now_ns()
        with open(f"/proc/{watch.process.pid}/status", encoding="ascii") as f:
            peak_kb, = [int(line.split()[1]) for line in f if line.startswith("VmHWM")]
        scene.check(end)
    count = sum(waits.total(waits.rows_of(r, comm="many_stacks", state="S"), "count")
                for r in watch.reports)
    health = watch.reports[-1]["health"]
    print(f"# {truth['rounds']} stacks of {pid}: {count} waits in rows, lost {health['lost']}, "
          f"full {health['map_full']}, peak {peak_kb >> 10} MiB")
    assert truth["rounds"] > 30000, "too few to fill anything"
    # Some that are lost were no waits of this kind; a few come before and after it counts its own.
    assert count <= truth["waits"] + 200, (count, truth)
    assert truth["waits"] <= count + health["lost"] + 200, (count, truth, health)
    assert health["map_full"] > 0 or health["lost"] == 0, health
    assert peak_kb < 256 << 10, peak_kb
    last = watch.since(end)[-1]["health"]
    assert last["lost"] == watch.since(end)[0]["health"]["lost"], "still losing"


@steady
def test_clock_steps():
    """A wall clock that jumps, and a time namespace with another monotonic clock: no difference"""
    live.need_root()
    steps = os.path.join(live.WORKLOADS, "libwall_steps.so")
    wrap = ("unshare", "-T", "--monotonic", 10000000, "--boottime", 10000000, "env",
            f"LD_PRELOAD={steps}")
    if subprocess.run([*map(str, wrap), "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise live.Skip("no time namespaces here")
    with Scene("cpu", "offcpu", "sched", "io", wrap=wrap) as scene:
        scene.check(scene.begun)
        longest = max(r["summary"]["max_ns"] for r in scene.watches["io"].reports[1:]
                      if r["summary"]["count"])
        assert longest < 100e9, longest
        for report in scene.watches["sched"].reports[1:]:
            assert report["summary"]["wait_max_ns"] < 100e9, report["summary"]


@contextlib.contextmanager
def others(path):
    """Other tracers on the tracepoints and clocks of all views: bpftrace, perf, and proftop."""
    if not shutil.which("bpftrace") or not shutil.which("perf"):
        raise live.Skip("no bpftrace or perf here")
    script = "".join(f"tracepoint:{t} {{ @[probe] = count(); }} " for t in (
        "sched:sched_switch", "sched:sched_wakeup", "sched:sched_waking", "block:block_rq_issue",
        "block:block_rq_complete", "writeback:writeback_dirty_page",
        "filemap:mm_filemap_add_to_page_cache")
        if os.path.exists("/sys/kernel/tracing/events/" + t.replace(":", "/")))
    with open(path, "w", encoding="ascii") as f:
        commands = [
            ["bpftrace", "-e", f'BEGIN {{ printf("ready\\n"); }} {script} profile:hz:999 '
             "{ @[probe] = count(); }"],
            ["perf", "stat", "-a", "-e", "sched:sched_switch,cpu-clock,context-switches"],
            [live.RELEASE, "-b", "-V", "offcpu", "-d", "0.3", "-n", "1000"]]
        running = [subprocess.Popen(c, stdout=f, stderr=f, env=live.environment())
                   for c in commands]
        try:
            live.wait_for(lambda: "ready" in open(path, encoding="utf-8").read(), 30)
            yield running
        finally:
            for process in running:
                process.kill()
                process.wait()


@steady
def test_other_tracers():
    """Others on the same events come, and one of them is killed: nobody's figures change"""
    live.need_root()
    with live.temporary() as tmp, others(tmp + "/said") as running, Scene() as scene:
        scene.read()
        running[2].kill()
        for process in running[:2]:
            process.send_signal(signal.SIGINT)
            process.wait(30)
        scene.check(scene.begun)
        with open(tmp + "/said", encoding="utf-8") as f:
            said = f.read()
    assert "@[tracepoint:sched:sched_switch]: " in said and "cpu-clock" in said, said[:1000]
    for view, watch in scene.watches.items():
        assert watch.reports[-1]["health"]["lost"] == 0, (view, watch.reports[-1]["health"])


BURST = 10000


@steady
def test_process_burst():
    """10,000 processes in a second or two: their CPU time is there, and soon nothing else is"""
    live.need_root()
    with limited("pids", 64) as wrap, Scene("cpu", "offcpu", "sched", "cache") as scene, \
            live.Watch("cpu", *HZ, "--group", "comm") as cpu, \
            live.Watch("sched", "--group", "comm") as sched:
        for watch in (cpu, sched):
            watch.until(live.now_ns())
        with live.Workload("process_burst", 60, BURST, wrap=wrap) as work:
            truth = work.result()
        end = live.now_ns()
        for watch in (cpu, sched):
            watch.until(end)
            watch.next()
        scene.check(scene.begun)
    assert truth["ended"] == BURST, truth
    whole = [waits.rows_of(r, comm="burst") for r in sched.reports]
    lost = sched.reports[-1]["health"]["lost"] + cpu.reports[-1]["health"]["lost"]
    others_ran = sum(waits.total(waits.rows_of(r, comm="[others]"), "runs") for r in sched.reports)
    runs = sum(waits.total(rows, "runs") for rows in whole)
    assert runs + others_ran + lost >= BURST, (runs, others_ran, lost)
    samples = sum(waits.total(waits.rows_of(r, comm="burst"), "self_count") for r in cpu.reports)
    live.near(samples / 999, truth["cpu_ns"] / 1e9, 0.15 * truth["cpu_ns"] / 1e9 + lost / 999,
              "CPU s of the burst")
    for watch in (cpu, sched):
        assert not waits.rows_of(watch.reports[-1], comm="burst"), watch.reports[-1]["rows"]


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
        with cgroup(v2_mount(), name) as path, live.Workload("two_functions", 60) as second:
            join(path, second.pid)
            back = live.now_ns()
            cpu.until(back)
            seventy(cpu.next())
            offcpu.until(back)
            pids = {r["pid"] for r in offcpu.next()["rows"]}
            assert pids <= {second.pid}, pids


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
        seventy(cpu.reports[-1])
        assert not live.row(cpu.reports[-1], "has_inlined")["total_count"], cpu.reports[-1]
        assert not waits.rows_of(offcpu.reports[-1], pid=naps.pid), offcpu.reports[-1]["rows"]
        stays.process.kill()
        stays.process.wait()
        end = live.now_ns()
        for watch in (cpu, offcpu):
            watch.until(end)
            assert not watch.reports[-1]["rows"], watch.reports[-1]["rows"]


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
        for report in watch.since(full):
            live.conserved(report)
        seen = sum(live.row(report, "hot_70")["self_count"] for report in watch.since(full))
        assert seen > 0, f"nothing of {work.pid} after the disk was full"
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
    """In 64 MiB of memory each, the figures of the views of time are right"""
    live.need_root()
    with contextlib.ExitStack() as stack:
        wraps = {view: stack.enter_context(limited("memory", 64 << 20, view))
                 for view in TIMES}
        scene = stack.enter_context(Scene(*TIMES, wrap=wraps))
        scene.check(scene.begun)


if __name__ == "__main__":
    live.main(globals())
