#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What befalls a tracer: after each the figures are right again within two ticks, against a load
that knows the truth, and what was missed is said."""
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import waits  # noqa: E402
from cgroups import limited  # noqa: E402
from hotplug import executed_on, named, put_online, rows_of, switch  # noqa: E402
from scene import HZ, OPTIONS, Scene, seventy  # noqa: E402
from waits import steady  # noqa: E402

STOPPED_S = 4
LONG_S = 10  # many times what the kernel's rings and maps were sized for


def gap(watch, t_ns):
    """The interval in which it was stopped."""
    found = [r for r in watch.reports if r["t0_ns"] <= t_ns < r["t1_ns"]]
    assert len(found) == 1, [(r["t0_ns"], r["t1_ns"]) for r in watch.reports]
    return found[0]


def says_missed(health):
    return health["missed_ticks"] > 0 and "ticks missed" in health["note"]


@steady
def test_stopped():
    """Stopped for ten seconds: every view says so, misses nothing of them, and goes on rightly"""
    with Scene() as scene:
        begin = live.now_ns()
        scene.signal(signal.SIGSTOP)
        scene.read()
        time.sleep(LONG_S)
        scene.signal(signal.SIGCONT)
        end = live.now_ns()
        scene.check(end)
        scene.check_times(begin - 1e9, end)
        for view, watch in scene.watches.items():
            report = gap(watch, (begin + end) // 2)
            assert report["t1_ns"] - report["t0_ns"] > LONG_S * 0.8e9, (view, report["t1_ns"])
            assert says_missed(report["health"]), report["health"]
            assert report["health"]["lost"] == 0, (view, report["health"])
            assert not says_missed(watch.since(end)[1]["health"]), view


@steady
def test_ring_overrun():
    """A ring that overflows while nobody reads it: what is lost is counted, the rest is right"""
    live.need_root()
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        if int(f.read()) > 2:
            raise live.Skip("perf_event_paranoid above 2 forbids it")
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
    assert health["tier"] == "perf" and says_missed(health), health
    for report in watch.reports:
        live.conserved(report)
    for report in watch.since(end):
        seventy(report)
        assert not says_missed(report["health"]), report["health"]
        # The kernel says how many it lost when there is room for that again.
        assert report["health"]["lost"] > 0, report["health"]


STACKS = 1 << 20


@steady
def test_distinct_stacks():
    """Waits in 2^20 stacks, once in each: all are in rows, with stacks or without, memory is bounded"""
    with Scene("offcpu", works=["sleepers"],
               scope=("--comm", "^(many_stacks|sleep-.*)$")) as scene:
        watch = scene.watches["offcpu"]
        with live.Workload("many_stacks", 50, STACKS, STACKS) as work:
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
    assert truth["rounds"] == STACKS, f"only {truth['rounds']} within 50 s"
    # A few come before and after it counts its own.
    assert abs(count - truth["waits"]) <= 200, (count, truth, health)
    assert health["map_full"] > 0 and "without stack" in health["note"], health
    assert peak_kb < 320 << 10, peak_kb  # all tables full, stacks of three ticks: 240 to 280
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


@steady
def test_suspended():
    """A machine that slept: the interval says how long, its times are right, the next are as ever"""
    wrap = "env", "LD_PRELOAD=" + os.path.join(live.WORKLOADS, "libslept.so")
    with Scene("cpu", "offcpu", "sched", wrap=wrap) as scene:
        begin = live.now_ns()
        scene.signal(signal.SIGURG)
        scene.settle()
        scene.check(begin)
    for view, watch in scene.watches.items():
        told = [r["health"] for r in watch.reports if r["health"]["suspended_ns"]]
        assert len(told) == 1, (view, [h["suspended_ns"] for h in told])
        live.near(told[0]["suspended_ns"] / 1e9, 3600, 0.01, f"{view}: slept, s,")
        assert "suspended in this interval" in told[0]["note"], told[0]["note"]


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


@steady
def test_second_instance():
    """A second proftop on every view, and the end of some of them: the figures are right"""
    with contextlib.ExitStack() as stack:
        second = [stack.enter_context(live.Watch(view)) for view in OPTIONS]
        scene = stack.enter_context(Scene())
        scene.read()
        for watch in second[::2]:
            watch.process.kill()
            watch.process.wait()
        scene.check(scene.begun)
        for watch in second[1::2]:
            watch.until(scene.begun)
            assert any(r["rows"] for r in watch.reports), watch.reports[-1]


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


def last_cpu():
    """That may be taken away."""
    live.need_root()
    cpu = os.cpu_count() - 1
    if not os.access(switch(cpu), os.W_OK):
        raise live.Skip("no CPU can be taken away here")
    if not os.environ.get("PROFTOP_TEST_HOTPLUG"):
        raise live.Skip("takes a CPU from the whole machine: only with PROFTOP_TEST_HOTPLUG=1")
    return cpu


@steady
def test_cpu_offline():
    """A CPU goes and comes back, also within an interval: figures of what was moved off it are right"""
    cpu = last_cpu()
    with Scene("cpu", "offcpu", "sched") as scene:
        try:
            put_online(cpu, False)
            scene.settle()
            scene.settle()
            put_online(cpu, True)
            scene.settle()
            put_online(cpu, False)
        finally:
            put_online(cpu, True)
        scene.check(live.now_ns())
        for view, watch in scene.watches.items():
            assert any(r["health"]["cpus_changed"] for r in watch.reports), view


# The second one's event is in an interrupt's code.
ENGINES = {"bpf": ("self_count", *HZ),
           "perf": ("total_count", "-e", "timer:hrtimer_expire_entry", "-c", 1)}


def samples_on(cpu, watch, count):
    """Of what executes on it and runs nowhere else, in an interval."""
    with executed_on(cpu, 60, 200000):
        watch.until(live.now_ns())
        return named(rows_of(watch.next()), count)


@steady
def test_cpu_returns():
    """A CPU that was away within an interval: what executes on it is named, in both engines"""
    cpu = last_cpu()
    for tier, (count, *options) in ENGINES.items():
        with live.Watch("cpu", "--group", "comm+symbol", *options, delay=1) as watch:
            watch.next()
            before = samples_on(cpu, watch, count)
            try:
                put_online(cpu, False)
            finally:
                put_online(cpu, True)
            after = samples_on(cpu, watch, count)
        assert watch.reports[-1]["health"]["tier"] == tier, watch.reports[-1]["health"]
        assert before > 50, (tier, before)
        live.near(after, before, before * 0.4, f"{tier}: samples after")


if __name__ == "__main__":
    live.main(globals())
