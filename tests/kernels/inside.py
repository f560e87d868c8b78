#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs within a guest, as root, and prints a line of JSON for each thing it found: for each view
whether it works there by a load whose truth is known, or why not in proftop's own words, then
what the doctor says. An emulated machine is slow and its host may be busy: counts have to be
exact, shares and times only near.
"""
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import termios
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../live")]
import live  # noqa: E402
import blockdev  # noqa: E402
import bpf_live  # noqa: E402
import counters_live  # noqa: E402
import irq_live  # noqa: E402
import kvm_live  # noqa: E402
import net_live  # noqa: E402
import overview_rules_live  # noqa: E402
import sockets_live  # noqa: E402
import tcp_live  # noqa: E402
import waits  # noqa: E402
from hotplug import executed_on, named, put_online, rows_of  # noqa: E402

LIMIT_S = 200
DISK, DEVICE = "/run/disk", "vda"  # the guest's own ext4
RAM = "/run/ram"  # a ramfs: nothing but functions tells of writes to it
PAGES = 512
CANNOT = 4  # the exit status
CLOCK = "/sys/class/rtc/rtc0"
SLEEP_S = 6
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")


class Cannot(Exception):
    """Why it is not to be expected on this kernel."""


def near_time(got, wanted, what):
    live.near(got / 1e6, wanted / 1e6, max(60, wanted / 1e6 * 0.1), f"{what}, ms,")


def shares(report):
    live.conserved(report)
    assert report["health"]["samples"] >= 20, report["health"]
    live.near(live.row(report, "hot_70")["self_pct"], 70, 18, "hot_70's share")
    live.near(live.row(report, "hot_30")["self_pct"], 30, 18, "hot_30's share")
    return report


def cpu():
    """70 and 30 % in two functions"""
    with live.Workload("two_functions", LIMIT_S) as work:
        return shares(live.batch("-V", "cpu", "-d", 3, "-n", 1, "-p", work.pid,
                                 binary=live.RELEASE)[0])


@contextlib.contextmanager
def paranoid(level):
    path = "/proc/sys/kernel/perf_event_paranoid"
    with open(path, encoding="ascii") as f:
        before = f.read()
    with open(path, "w", encoding="ascii") as f:
        f.write(str(level))
    try:
        yield
    finally:
        with open(path, "w", encoding="ascii") as f:
            f.write(before)


@paranoid(1)
def unprivileged():
    """the cpu view of a user's own process, with perf_event_paranoid 1: the same shares"""
    program = shutil.copy(live.RELEASE, "/tmp")
    path = shutil.copy(os.path.join(live.WORKLOADS, "two_functions"), "/tmp")
    with live.Workload("two_functions", LIMIT_S, path=path, wrap=NOBODY) as work:
        report = shares(live.batch("-V", "cpu", "-d", 3, "-n", 1, "-p", work.pid, wrap=NOBODY,
                                   binary=program)[0])
    assert report["health"]["tier"] == "perf", report["health"]
    return report


def offcpu():
    """sleeps of 100 and 700 ms, with the function that sleeps"""
    m = waits.Measured("offcpu", "sleepers", seconds=2,
                       options=("--group", "tid+stack+state+reason"))
    for name in ("sleep-100ms", "sleep-700ms"):
        near_time(waits.total(m.of(comm=name, state="S")), m.threads[name].waited(m.t0, m.t1), name)
        seen = [waits.symbols(row["stack"]) for row in m.of(comm=name)]
        assert any({"naps", "sleeper"} <= set(s) for s in seen), seen
    return m.report


def sched():
    """hogs of nice 0, 5 and 10 on one CPU: time on it as their own clocks have it, and states
    that sum to the time they were watched, to the ns"""
    m = waits.Measured("sched", "nice_hogs", seconds=2, options=("--group", "tid"))
    for name, thread in m.threads.items():
        row = m.one(comm=name)
        # A thread is looked at some time after the interval's end, which its row includes.
        near_time(row["oncpu_ns"], thread.cpu(m.t0, m.t0 + row["span_ns"]), f"{name} on the CPU")
        assert sum(row["states"].values()) == row["span_ns"] >= m.span * 0.9, row
    return m.report


PASSES = """cat "$0" >/dev/null; cat "$0" >/dev/null
for path in "$1" "$2"; do for n in 1 2; do
	dd if=/dev/zero of="$path" bs=64k count=32 conv=notrunc status=none
done; done"""


def sums_of(reports, path):
    rows = [row for report in reports for row in report["rows"]
            if os.path.basename(row["file"]) == os.path.basename(path)]
    return {key: sum(row[key] for row in rows)
            for key in ("read_misses", "readahead_added", "read_hits", "write_misses",
                        "write_hits", "other_added")}


def cache():
    """a cold file read twice, files written twice: hits, misses, read ahead; to the page"""
    cold, out, ram = DISK + "/cold", DISK + "/written", RAM + "/in-ram"
    with open(cold, "wb") as f:
        f.write((b"x" * 4095 + b"\n") * PAGES)
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    for path in (out, ram):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
    reports = live.batch("-V", "cache", "--group", "file", "-d", 1, "--", "sh", "-c", PASSES, cold,
                         out, ram, drop_output=True, binary=live.RELEASE)
    health, n = reports[-1]["health"], sums_of(reports, cold)
    if "no reads" in health["tier"]:  # where it says so, pages come in and nobody tells for whom
        assert n["other_added"] == PAGES and "does not tell of reads" in health["note"], (n, health)
    else:
        assert n["read_misses"] + n["readahead_added"] == PAGES, n
        assert n["read_hits"] == n["readahead_added"] + PAGES, n
    n = sums_of(reports, out)
    assert (n["write_misses"], n["write_hits"]) == (PAGES, PAGES), n
    if "fentry" in health["tier"]:  # else no event tells of these
        n = sums_of(reports, ram)
        assert (n["write_misses"], n["write_hits"]) == (PAGES, PAGES), n
    return reports[-1]


TRACING = "/sys/kernel/tracing/"
# Where bpf/cache_functions.bpf.h attaches, as far as a kernel has them.
FUNCTIONS = ("filemap_get_pages", "filemap_map_pages", "filemap_fault", "generic_perform_write",
             "submit_bio")


def tracefs(name, text, how=os.O_APPEND):
    fd = os.open(TRACING + name, os.O_WRONLY | how)  # open() would look for the end, and fail
    try:
        os.write(fd, text.encode() + b"\n")
    finally:
        os.close(fd)


@contextlib.contextmanager
def breakpoints():
    """Another tracer's on the functions of the cache view: kprobes, and the function tracer; yields
    what tells how often each kprobe was met."""
    held = []
    for name in FUNCTIONS:
        with contextlib.suppress(OSError):
            tracefs("kprobe_events", f"p:other/{name} {name}")
            tracefs("set_ftrace_filter", name)
            held.append(name)
    if not held:
        raise Cannot("this kernel has no kprobes")

    def hits():
        with open(TRACING + "kprobe_profile", encoding="ascii") as f:
            told = dict(line.split()[:2] for line in f)
        return {name: int(told[name]) for name in held}
    tracefs("events/other/enable", "1", os.O_TRUNC)
    tracefs("current_tracer", "function", os.O_TRUNC)
    try:
        yield hits
    finally:
        tracefs("current_tracer", "nop", os.O_TRUNC)
        tracefs("events/other/enable", "0", os.O_TRUNC)
        tracefs("kprobe_events", "", os.O_TRUNC)
        tracefs("set_ftrace_filter", "", os.O_TRUNC)


def tracers():
    """another tracer's kprobes and function tracer on the functions of the cache view: its figures
    are the same, to the page, and theirs go on"""
    with breakpoints() as hits:
        report, during = cache(), hits()
        subprocess.run(["dd", "if=/dev/zero", "of=" + DISK + "/after", "bs=64k", "count=32",
                        "conv=fsync", "status=none"], check=True)
        after = hits()
    assert during["generic_perform_write"] and during["submit_bio"], during
    assert after["generic_perform_write"] > during["generic_perform_write"], (during, after)
    return report


def io():
    """direct reads: requests and bytes as the kernel's own diskstats, to the byte"""
    path = DISK + "/direct"
    with open(path, "wb") as f:
        f.write(os.urandom(65536) * 64)
        os.fsync(f.fileno())
    with blockdev.Watch(binary=live.RELEASE) as watch:
        before = blockdev.diskstats(DEVICE)
        subprocess.run(["dd", "if=" + path, "of=/dev/null", "iflag=direct", "bs=64k",
                        "status=none"], check=True)
        watch.until(live.now_ns())
        theirs = blockdev.difference(blockdev.diskstats(DEVICE), before)
        ours = blockdev.added(watch.reports, DEVICE)
    assert ours == theirs, f"{ours}, diskstats {theirs}"
    assert ours["read"][0] >= 64, ours
    return watch.reports[-1]


def share_of_both(report):
    """
    hot_70's of both functions. qemu often finds that its counter of instructions has overflowed
    only when the thread enters the kernel, even if only user space is counted: those samples are
    of a system call.
    """
    a, b = (live.row(report, name)["self_count"] for name in ("hot_70", "hot_30"))
    assert a + b, report["rows"][:3]
    return 100 * a / (a + b)


def counters():
    """by the CPU's own counters, cycles and instructions: 70 and 30 % in two functions"""
    told = []
    for event in ("cycles", "instructions"):
        with live.Workload("two_functions", LIMIT_S) as work:
            report = live.batch(*OPTIONS["counters"][:-1], event, "-d", 3, "-n", 1, "-p", work.pid,
                                binary=live.RELEASE)[0]
        live.conserved(report)
        health = report["health"]
        assert health["event"].split(":")[0] == event, health
        assert health["samples"] >= 20, health
        live.near(share_of_both(report), 70, 18, f"hot_70's {event}, %,")
        told.append(health["event"])
    report["health"]["event"] = " and ".join(told)
    return report


TURNS, PERIOD = 150_000_000, 5_000_000


def instructions():
    """a program of 300 million instructions, a sample for each 5 million of them: 60 samples"""
    path = os.path.join(live.WORKLOADS, "instructions")
    reports = live.batch(*OPTIONS["instructions"], "-c", PERIOD, "-d", 1, "--", path, TURNS,
                         binary=live.RELEASE)
    samples = sum(live.row(r, "turns")["self_count"] for r in reports)
    live.near(samples, 2 * TURNS / PERIOD, 2, "samples")
    return reports[-1]


TIMES = 1, 3  # as many instructions as TURNS has
ON_ONE = "taskset", "-c", "0"  # qemu counts what all CPUs execute meanwhile


def programs_counted(chosen, below=()):
    """Programs at the same time, each below another that says something of it: [(ours by event, what was said)], and
    all rows of theirs, and the last report."""
    path, events = os.path.join(live.WORKLOADS, "instructions"), re.findall(r"[^,{}]+", chosen)
    with live.Watch("counters", "--group", "event+pid+comm", "--counters", chosen) as watch:
        watch.next()
        programs = [subprocess.Popen([*below, path, str(TURNS * n)], stderr=subprocess.PIPE, text=True) for n in TIMES]
        said = [p.communicate()[1] for p in programs]
        watch.until(live.now_ns())
    rows = [r for x in watch.reports for r in x["rows"] if r["comm"] == "instructions"]
    ours = [{e: sum(r["count"] for r in rows if (r["pid"], r["event"]) == (pid, e)) for e in events}
            for pid in {r["pid"] for r in rows}]
    assert len(ours) == len(said), (ours, said)
    return list(zip(sorted(ours, key=lambda x: max(x.values())), said)), rows, watch.reports[-1]


def pmu():
    """view counters by the CPU's own counters: instructions and cycles of two programs at a time, each with its own,
    are those of perf stat, and as many as they execute"""
    chosen = "instructions:u,cycles:u"
    found, rows, report = programs_counted(chosen, (*ON_ONE, "perf", "stat", "-x,", "-e", chosen))
    for n, (ours, said) in zip(TIMES, found):
        theirs = {words[2]: int(words[0]) for words in (x.split(",") for x in said.splitlines()) if len(words) > 4}
        live.near(ours["instructions:u"], 2 * TURNS * n, 2 * TURNS * n * 0.005, "instructions")
        for event, count in theirs.items():
            live.near(ours[event], count, count * 0.005, event, "perf stat")
        assert set(theirs) == set(ours), (theirs, ours)
    assert all(r["scaled_pct"] == 100 for r in rows), rows
    return report


def pmu_group():
    """instructions of user space, of the kernel and of both as a group: counted at the same times, so that two of them
    are the third"""
    found, _, report = programs_counted("{instructions,instructions:u,instructions:k}", ON_ONE)
    for ours, _ in found:
        both, user, kernel = (ours["instructions" + of] for of in ("", ":u", ":k"))
        live.near(user + kernel, both, 1000 + both * 1e-4, "instructions of user space and of the kernel")
        assert kernel > 0, ours
    return report


def pmu_turns():
    """more events than the CPU has counters: they take turns, it is said for how much of the time each had one, and
    counts are scaled by that"""
    chosen = ",".join("r" + "0" * n + "8:u" for n in range(10))  # instructions, by ten names
    found, rows, report = programs_counted(chosen, ON_ONE)
    for n, (ours, _) in zip(TIMES, found):
        for count in ours.values():
            live.near(count, 2 * TURNS * n, 2 * TURNS * n * 0.1, "instructions, scaled")
    assert min(r["scaled_pct"] for r in rows) < 95, rows
    return report


BROKEN = "no_row", "bad_stack", "no_frame_pointer"


def outer_frames(folded):
    """What stands above the call of each stack of a thread that has run nothing yet."""
    for line in folded.splitlines():
        frames = line.rsplit(" ", 1)[0].split(";")[1:]
        at = next((i for i, f in enumerate(frames) if f.startswith("ret_from_fork")), 0)
        if at and "clone" in frames[at - 1]:
            yield frames[:at - 1]


def threads():
    """threads made as fast as it goes: stacks of those that have run nothing yet are whole, and not
    their makers'; all kernel code has a name"""
    with live.Workload("thread_churn", LIMIT_S, 10**9) as work:
        options = *OPTIONS["threads"], "-F", 499, "-d", 3, "-n", 1, "-p", work.pid
        report = live.batch(*options, binary=live.RELEASE)[0]
        folded = live.proftop("-b", *options, "--format", "folded", binary=live.RELEASE).out
    if report["health"]["tier"] != "bpf":
        raise Cannot("stacks are walked from copies, which do not tell where a new thread begins: "
                     + report["health"]["note"].split("; ")[-1])
    stacks = report["health"]["user_stacks"]
    assert stacks["whole"] >= 20, stacks
    live.near(sum(stacks[why] for why in BROKEN), 0, 1 + stacks["whole"] // 100, "broken stacks")
    live.near(live.row(report, "[kernel]")["self_pct"], 0, 2, "kernel code without a name, %,")
    above = list(outer_frames(folded))
    assert above and not any(above), above[:3] or folded[:1000]
    return report


def samples_on(cpu, watch):
    """Per second that it ran, of what runs on a CPU and nowhere else."""
    with executed_on(cpu, LIMIT_S, 60000) as work:
        watch.until(live.now_ns())
        begun = work.cpu_seconds()
        rows = rows_of(watch.next())
        samples = sum(r["self_count"] for r in rows)
        live.near(named(rows), samples, 0.1 * samples, "samples with names")
        return samples / max(work.cpu_seconds() - begun, 0.1)


def hotplug():
    """a CPU that is taken away and comes back, for some intervals and within one: what executes
    and runs on it is named and sampled as before"""
    cpu = os.cpu_count() - 1
    with live.Watch("cpu", "-F", 199, "--group", "comm+symbol", delay=2) as watch:
        rates = [samples_on(cpu, watch)]
        for wait in (lambda: watch.until(live.now_ns()), lambda: None):
            put_online(cpu, False)
            try:
                wait()
            finally:
                put_online(cpu, True)
            rates.append(samples_on(cpu, watch))
        told = sum(r["health"]["cpus_changed"] for r in watch.reports)
    live.near(rates[0], 199, 80, "samples a second before")
    for rate in rates[1:]:
        live.near(rate, rates[0], rates[0] * 0.4, "samples a second after")
    assert told >= 3, f"{told} changes of the CPUs were told of 4"
    return watch.reports[-1]


def can_sleep():
    """To memory, and woken by its clock."""
    try:
        with open("/sys/power/mem_sleep", encoding="ascii") as f:
            return "deep" in f.read() and os.path.exists(CLOCK + "/wakealarm")
    except OSError:
        return False


def keep_in_memory(*pids):
    """Reads all that they have mapped."""
    for pid in pids:
        with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
            paths = {line.split()[-1] for line in f if " /" in line}
        for path in filter(os.path.isfile, paths):
            with open(path, "rb") as f:
                while f.read(1 << 20):
                    pass


def slept_s():
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def sleep_until_woken(seconds):
    """The machine; how long it really slept."""
    before = slept_s()
    for path, text in ((CLOCK + "/wakealarm", f"+{seconds}"), ("/sys/power/state", "mem")):
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
    return slept_s() - before


def suspended():
    """the machine asleep (S3) until its clock wakes it: the interval says for how long, to a
    millisecond; the same shares before and after"""
    if not can_sleep():
        raise Cannot("this machine does not sleep, or its clock does not wake it")
    with contextlib.ExitStack() as stack:
        work = stack.enter_context(live.Workload("two_functions", LIMIT_S))
        watch = stack.enter_context(live.Watch("cpu", "-p", work.pid, delay=3))
        watch.next()
        shares(watch.next())
        keep_in_memory(os.getpid(), work.pid, watch.process.pid)
        slept = sleep_until_woken(SLEEP_S)
        # 9p has not slept well: whoever opens, closes or ends from now on waits for ever.
        stack.pop_all()
    watch.until(live.now_ns())
    told = [r["health"]["suspended_ns"] for r in watch.reports if r["health"]["suspended_ns"]]
    assert len(told) == 1 and slept > SLEEP_S / 2, (told, slept)
    live.near(told[0] / 1e9, slept, 0.001, "asleep, s,")
    return shares(watch.reports[-1])


def counted(pane):
    report = live.batch(*OPTIONS[pane], "-d", 1, "-n", 1, binary=live.RELEASE)[0]
    references, misses = (sum(r[x] for r in report["rows"]) for x in ("references", "misses"))
    assert 0 < references >= misses, report["rows"]
    return report


def llc():
    """view hwcache, the last-level cache: references of which misses are a part, or why not"""
    return counted("llc")


def tlb():
    """view hwcache, the TLB, the same"""
    return counted("tlb")


@contextlib.contextmanager
def reasons():
    """What a live test would skip for is why it cannot be had."""
    try:
        yield
    except live.Skip as e:
        raise Cannot(str(e)) from e


def lived(view, *cases):
    """A report of a view whose cases of the live suite passed."""
    with reasons():
        for case in cases:
            case()
    return live.batch("-V", view, "-d", 0.5, "-n", 1, binary=live.RELEASE)[0]


def counts():
    """faults and switches of a process: those of perf stat and getrusage, to the last one"""
    return lived("counters", counters_live.test_one_process)


def irq():
    """softirqs by vector: those of /proc/softirqs"""
    return lived("irq", irq_live.test_softirqs)


def bpf():
    """runs of a BPF program: as many as there were events"""
    return lived("bpf", bpf_live.test_runs_are_exact)


CALLS, CALL_MS = 700, 20
CALLER = f"""
import os, sys, time
open("{DISK}/cut", "w").close()
print("ready", os.getpid(), flush=True)
sys.stdin.readline()
for n in range({CALLS}):
    os.truncate("{DISK}/cut", n)
begin = time.monotonic_ns()
for n in range({CALLS} // 10):
    time.sleep({CALL_MS} / 1e3)
print(time.monotonic_ns() - begin, flush=True)
sys.stdin.readline()
"""
COUNT = "count kprobe:vfs_truncate by comm"
SPAN = "span kprobe:{0} -> kretprobe:{0} by comm"


def called(view, question):
    """What is said of the caller's functions of the kernel: (sums of the rows, its sleeps in ns, last report)."""
    with live.Workload("", "-c", CALLER, path=sys.executable, stdin=subprocess.PIPE) as work, \
         live.Watch(view, "--ask", f"! {question}", "-p", work.pid) as watch:
        watch.next()
        work.process.stdin.write("\n")
        work.process.stdin.flush()
        slept = int(work.process.stdout.readline())
        watch.until(live.now_ns())
    rows = [r for x in watch.reports for r in x["rows"]]
    return {k: sum(r.get(k) or 0 for r in rows) for k in ("count", "total_ns")}, slept, watch.reports[-1]


def picked(name, choice, wanted):
    """A function of the kernel that is found by its name in the picker, and what is offered for it."""
    with live.Workload("two_functions", LIMIT_S) as work, live.temporary() as folder:
        path = os.path.join(folder, "script")
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join(("wait LIVE", "key :", f"type probes pid:{work.pid}", "key Enter", "wait hot_70",
                               f"type {name}", "wait kernel", "key Enter", "wait who calls it",
                               f"type {choice}", "key Enter", f"wait {wanted}", "quit", "")))
        run = live.proftop("-V", "log", "--script", path, "--size", "100x24", binary=live.RELEASE)
    assert run.status == 0, run.err[-2000:]


def functions():
    """functions of the kernel: found in the picker; calls of one are counted and timed as often as a program made
    them, and sleeps have at least their length"""
    count, _, _ = called("events", COUNT)
    live.near(count["count"], CALLS, 0, "calls of vfs_truncate")
    span, _, _ = called("pairs", SPAN.format("vfs_truncate"))
    live.near(span["count"], CALLS, 0, "times of vfs_truncate")
    span, slept, report = called("pairs", SPAN.format("hrtimer_nanosleep"))
    live.near(span["count"], CALLS // 10, 0, "times of hrtimer_nanosleep")
    assert CALLS // 10 * CALL_MS * 1e6 <= span["total_ns"] <= slept, (span, slept)
    picked("vfs_truncate", "count", f"ask {COUNT}")
    picked("vfs_truncate", "time", "ask " + SPAN.format("vfs_truncate"))
    return report


def lo_counts():
    """Bytes and packets that the loopback received and sent."""
    with open("/proc/net/dev", encoding="ascii") as f:
        words = next(line.split()[1:] for line in f if line.split()[0] == "lo:")
    return {"rx": (int(words[0]), int(words[1])), "tx": (int(words[8]), int(words[9]))}


def net():
    """datagrams on the loopback: packets and bytes as /proc/net/dev has them, to the byte"""
    with live.Watch("net", "--group", "device+direction") as watch, sockets_live.udp() as a:
        a.bind(("127.0.0.1", 0))
        watch.next()
        before = lo_counts()
        for n in range(100):
            a.sendto(b"x" * n, a.getsockname())
        after = lo_counts()
        watch.until(live.now_ns())
    rows = [r for x in watch.reports for r in x["rows"] if r["device"] == "lo"]
    for way, (size, packets) in after.items():
        ours = [sum(r[k] for r in rows if r["direction"] == way) for k in ("bytes", "packets")]
        live.near(ours[0], size - before[way][0], 0, f"bytes {way}", "/proc/net/dev")
        live.near(ours[1], packets - before[way][1], 0, f"packets {way}", "/proc/net/dev")
        assert ours[1] >= 100, rows
    return watch.reports[-1]


def tcp():
    """connections on the loopback: bytes, connects, accepts, refusals, resets and full listen queues are exact"""
    return lived("tcp", tcp_live.test_connections)


def lines():
    """a pair of devices into another network namespace: packets by device and namespace, and drops by reason, as /proc
    has them; what netem loses; over its delay, round-trip times as TCP_INFO has them, and what is sent again"""
    return lived("net", net_live.test_devices, net_live.test_drops, net_live.test_loss, tcp_live.test_lossy_line)


def sockets():
    """datagrams and streams on the loopback and of unix sockets: calls, bytes and errors are those that were
    made; bytes that sendfile sends; drops of full queues those of /proc/net/udp"""
    return lived("sockets", sockets_live.test_calls, sockets_live.test_files, sockets_live.test_full_queue)


def kvm():
    """a guest that writes to a port 1,000 times: as many exits for I/O"""
    with reasons():
        return kvm_live.exits(live.RELEASE)


def kvm_accesses():
    """a guest that accesses ports, addresses without memory and MSRs, makes hypercalls and is interrupted, each
    so often: as many exits for each; user space, kernel and guest have the time that there is"""
    with reasons():
        return kvm_live.accesses(live.RELEASE)


def kvmmmu():
    """a guest that writes to 64 pages first: as many entries set at level 1; all levels as the kernel's own
    trace has them, to the last one"""
    with reasons():
        return kvm_live.changes(live.RELEASE)


def guests():
    """a guest that spins: its samples are those of mode=guest, few those of mode=host"""
    with reasons():
        return kvm_live.mode(live.RELEASE)


def findings():
    """the overview finds a line that loses what is sent, and a guest that is left all the time, and for what"""
    return lived("overview", overview_rules_live.test_retransmits, overview_rules_live.test_vm_exits)


# Those that are no view by themselves.
OPTIONS = {"guests": ("-V", "cpu"), "unprivileged": ("-V", "cpu"), "counts": ("-V", "counters"),
           "functions": ("-V", "events", "--ask", COUNT), "lines": ("-V", "net"), "findings": ("-V", "overview"),
           "kvm_accesses": ("-V", "kvm"), "threads": ("-V", "cpu", "--call-graph", "eh"),
           "hotplug": ("-V", "cpu"), "suspended": ("-V", "cpu"), "tracers": ("-V", "cache"),
           "counters": ("-V", "cpu", "-e", "instructions"),
           **dict.fromkeys(("pmu", "pmu_group", "pmu_turns"), ("-V", "counters", "--counters", "instructions:u,cycles:u")),
           "instructions": ("-V", "cpu", "-e", "instructions:u"), "llc": ("-V", "llcstat"),
           "tlb": ("-V", "tlbstat")}


def opens(view):
    """How a view's start ends: exit status and what it says; None when it does not."""
    try:
        run = live.proftop("-b", *OPTIONS.get(view, ("-V", view)), "-d", "0.5", "-n", 1, "--format",
                           "json", binary=live.RELEASE)
    except subprocess.TimeoutExpired as e:
        return None, f"no answer within {e.timeout:.0f} s"
    said = run.err.strip().splitlines()
    return run.status, said[0].removeprefix("proftop: ") if said else ""


def tier(report):
    health = report["health"]
    return {"tier": health["tier"], "event": health["event"]}


def judge(check):
    """A view's row of the result. Figures that a busy host can blur have three rounds."""
    view, begun = check.__name__, time.monotonic()
    row = {"view": view, "truth": " ".join(check.__doc__.split()), "rounds": 0}
    while "state" not in row:
        row["rounds"] += 1
        try:
            row.update(state="works", **tier(check()))
        except Cannot as e:
            row.update(state="cannot", text=str(e))
        except Exception as e:  # whatever it is, the other views are looked at too
            status, said = opens(view)
            if status == CANNOT:
                row.update(state="cannot", text=said)
            elif row["rounds"] == 3:
                row.update(state="wrong", text=f"{type(e).__name__}: {e} {said}"[:3000])
    row["seconds"] = round(time.monotonic() - begun, 1)
    return row


def doctor():
    run = live.proftop("--doctor", "--format", "json", binary=live.RELEASE)
    return json.loads(run.out)


CHECKS = (cpu, unprivileged, threads, hotplug, counters, instructions, pmu, pmu_group, pmu_turns, llc, tlb, offcpu,
          cache, tracers, io, sched, counts, functions, irq, bpf, net, lines, tcp, sockets, kvm, kvm_accesses, kvmmmu, guests,
          findings)
LAST = suspended,  # nothing works behind it


def up_s():
    return round(time.clock_gettime(time.CLOCK_BOOTTIME), 1)


def tell(**found):
    print(json.dumps(found), flush=True)


def run_all(checks, wanted):
    for check in checks:
        if check.__name__ in wanted:
            tell(begun=check.__name__, up_s=up_s())
            tell(**judge(check))


def leave():
    """Ends the guest, which is not begun anew; nobody else could any more."""
    if os.isatty(1):
        termios.tcdrain(1)
    with open("/proc/sysrq-trigger", "w", encoding="ascii") as f:
        f.write("b")
    time.sleep(60)


def main():
    live.CHECKED, live.FOLDER = live.RELEASE, DISK
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    wanted = sys.argv[1:] or ["doctor", *(check.__name__ for check in CHECKS + LAST)]
    version = live.proftop("--version", binary=live.RELEASE).out.split()[1]
    tell(kernel=os.uname().release, machine=os.uname().machine, proftop=version)
    run_all(CHECKS, wanted)
    if "doctor" in wanted:
        with contextlib.suppress(subprocess.TimeoutExpired):
            tell(doctor=doctor())
    run_all(LAST, wanted)
    tell(ended=True, up_s=up_s())
    if {check.__name__ for check in LAST} & set(wanted):
        leave()


if __name__ == "__main__":
    main()
