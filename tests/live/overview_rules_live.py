#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Each rule of the overview is provoked here or by overview_live.py, by a trouble that is known by
construction. What cannot be had on a machine that others use is named with its reason."""
import atexit
import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import cgroups  # noqa: E402
import kvm_live  # noqa: E402
import net_live  # noqa: E402
import troubles  # noqa: E402
from troubles import SECONDS, large_file, trouble  # noqa: E402

RULES = os.path.join(live.ROOT, "models/overview_rules.def")
# By overview_live.py and locks_live.py.
ELSEWHERE = ("busy-process", "user-lock", "fsync", "cold-reads", "fork-storm", "starved", "fault-storm",
             "leak", "throttled", "disk-wait", "d-state", "swap", "net-drops", "socket-queues", "deadlock")
# Of the whole machine, so the machine would have to suffer; tests/unit/overview_rules_test.c has them.
NOT_HERE = {
    "stolen": "a hypervisor whose CPUs others use",
    "memory-low": "a machine without memory",
    "reclaim": "a machine without memory: what a cgroup reclaims is not counted for it",
    "compaction": "a machine whose memory is in small pieces",
    "disk-slow": "a disk that takes 20 ms for a request",
    "io-pressure": "a machine on which nobody works",
    "softirq-long": "a softirq that does not end for 10 ms",
    "memory-bound": "a CPU whose counters of caches can be read",
    "numa-misses": "a machine with several nodes",
    "conntrack-near": "a firewall with connections that others need",
    "syn-flood": "a flood of packets",
    "slow-clock": "a clock that all programs suffer from",
}
provoked = []
shared = []  # the overview of all tests that need no other: to attach takes seconds


def alone():
    """What the shared one traces is not there."""
    while shared:
        shared.pop().stop()


def watching(*options):
    """One of a test's own, from before the trouble on"""
    alone()
    return live.Watch("overview", *options, delay=1)


def found(rules, pid, **kw):
    if "watch" not in kw:
        if shared and shared[0].process.poll() is not None:
            shared.clear()
        if not shared:
            shared.append(live.Watch("overview", delay=1))
        kw = {"begin": live.now_ns(), "watch": contextlib.nullcontext(shared[0]), **kw}
    return troubles.found(rules, pid, **kw)


atexit.register(alone)


def rule(*names):
    """Which rules a test provokes."""
    provoked.extend(names)
    return lambda test: test


def family(pid):
    """A process and its children."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [pid, *map(int, f.read().split())]


def found_of(rules, pids, **kw):
    hit = found(rules, None, **kw)
    assert hit["pid"] in pids, (hit, pids)
    return hit


def other_cpus_idle():
    """Whether there is a CPU that nobody needs beside the first."""
    if os.cpu_count() < 2:
        raise live.Skip("one CPU")
    with watching() as w:
        w.next()
        busy = {r["text"] for r in w.next()["rows"] if r["rule"] in ("cpu-full", "run-queue")}
    if busy:
        raise live.Skip("others keep this machine busy: " + "; ".join(busy))


# --- CPU ---

@rule("cpu-full", "run-queue")
def test_crowd():
    """More processes that compute than there are CPUs"""
    with trouble("crowd") as work:
        # What fills the CPUs may be others' as well; who waits is one of very many.
        hit = found(("cpu-full",), None)
        assert hit["view"] == "sched" and (hit["pid"] or "have ended" in hit["text"]), hit
        hit = found(("run-queue",), None)
        waiting = float(re.match(r"[\d.]+", hit["text"])[0])
        assert waiting >= len(family(work.pid)) - 1 - os.cpu_count() - 1, hit


@rule("cpu-imbalance")
def test_pinned():
    """A process that may use one CPU while another one is idle"""
    other_cpus_idle()
    with trouble("pinned") as work:
        hit = found(("cpu-imbalance",), work.pid)
        assert "is pinned to it" in hit["text"] and hit["text"].startswith("CPU 0 is full"), hit


@rule("hot-function")
def test_hot_function():
    """One function that takes most of what is computed"""
    with trouble("spin") as work, watching("-p", work.pid) as watch:
        hit = found(("hot-function",), work.pid, watch=contextlib.nullcontext(watch))
        assert hit["text"].startswith("spin takes "), hit


@rule("kernel-time")
def test_kernel_time():
    """A system call that takes the CPUs' time"""
    with trouble("kernel") as work, watching("-p", work.pid) as watch:
        for _ in range(5): # samples come later than counts
            hit = found(("kernel-time",), None, begin=watch.next()["t0_ns"],
                        watch=contextlib.nullcontext(watch))
            if "in getrandom()" in hit["text"]:
                break
        assert "in getrandom()" in hit["text"] and "`trouble`" in hit["text"], hit


def softirq_ticks():
    with open("/proc/stat", encoding="ascii") as f:
        return max(int(line.split()[7]) for line in f if re.match(r"cpu\d", line))


@rule("interrupts")
def test_softirqs():
    """Packets that softirqs deliver"""
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            stack.enter_context(trouble("flood"))
        ticks = softirq_ticks()
        time.sleep(2)
        pct = (softirq_ticks() - ticks) * 50 / os.sysconf("SC_CLK_TCK")
        if pct < 30:
            raise live.Skip(f"/proc/stat says that packets take {pct:.0f} % of a CPU in softirqs")
        hit = found(("interrupts",), None)
        assert hit["filter"].startswith("cpu=") and hit["view"] == "irq", hit
        assert "most softirqs NET_RX" in hit["text"], hit


@rule("switches")
def test_switches():
    """Two processes that give a CPU to each other"""
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            stack.enter_context(trouble("yield"))
        hit = found(("switches",), None)
        assert int(re.search(r"tasks (\d+) times", hit["text"])[1]) >= 30000 * os.cpu_count(), hit


# --- locks ---

@rule("kernel-lock")
def test_kernel_lock():
    """Threads that read by one descriptor, which has a lock in the kernel"""
    with large_file(64) as path, trouble("shared", path) as work:
        hit = found(("kernel-lock",), work.pid)
        assert "a lock in the kernel" in hit["text"] and hit["view"] == "offcpu", hit


@rule("file-lock")
def test_file_lock():
    """Two processes that take a lock of a file"""
    with tempfile.NamedTemporaryFile(dir=live.FOLDER) as f, trouble("flock", f.name) as work:
        live.wait_for(lambda: len(family(work.pid)) == 3, 5)
        found_of(("file-lock",), family(work.pid))


@rule("priority-inversion")
def test_priority_inversion():
    """A mutex whose owner gets no CPU"""
    with trouble("invert") as work:
        found(("priority-inversion",), work.pid)
        hit = found(("user-lock",), work.pid)  # though it is let go of once in many intervals
        assert "held by trouble/" in hit["text"], hit


# --- disks ---

@rule("disk-busy")
def test_disk_busy():
    """A disk with more requests than it takes at once"""
    with large_file(64) as path, trouble("deep", path) as work:
        live.wait_for(lambda: len(family(work.pid)) == 9, 5)
        found_of(("disk-busy",), family(work.pid))


@rule("cache-thrash")
def test_cache_thrash():
    """A file that is read again and again, with less memory than it is large"""
    live.need_root()
    with large_file(96) as path, cgroups.limited("memory", 48 << 20) as words:
        with trouble("reread", path, wrap=words) as work:
            hit = found(("cache-thrash",), work.pid)
            assert "read again" in hit["text"], hit


@rule("major-faults")
def test_major_faults():
    """A mapped file that is not in memory"""
    with large_file(64) as path, trouble("mapped", path) as work:
        found(("major-faults",), work.pid)


@rule("memory-pressure")
def test_memory_pressure():
    """A mapped file that is touched again and again, with less memory than it is large"""
    live.need_root()
    if not os.path.exists("/proc/pressure/memory"):
        raise live.Skip("this kernel has no /proc/pressure")
    with large_file(96) as path, cgroups.limited("memory", 48 << 20) as words:
        with trouble("refault", path, wrap=words) as work:
            found(("memory-pressure",), work.pid)


@rule("oom-kill")
def test_oom_kill():
    """A process that the kernel kills at its cgroup's limit"""
    live.need_root()
    with cgroups.limited("memory", 8 << 20) as words, watching() as watch:
        watch.next()
        with trouble("leak", wrap=words) as work:
            hit = found(("oom-kill",), work.pid, watch=contextlib.nullcontext(watch))
        assert hit["severity"] == "critical" and "`trouble`" in hit["text"], hit


# --- processes and limits ---

@rule("thread-storm")
def test_thread_storm():
    """Threads that are many more than before"""
    with watching() as watch:
        for _ in range(3):
            watch.next()
        with trouble("threads") as work:
            begin = watch.next()["t0_ns"] + 2_000_000_000 # they come then
            hit = found(("thread-storm",), work.pid, begin=begin, watch=contextlib.nullcontext(watch))
            assert re.search(r"`trouble` has 3\d\d\d$", hit["text"]), hit


@rule("zombies")
def test_zombies():
    """Processes that have ended, and nobody waits for them"""
    with trouble("zombies") as work:
        hit = found(("zombies",), work.pid)
        assert int(hit["text"].split()[0]) >= 60 and hit["filter"] == f"tree={work.pid}", hit


@rule("crashes")
def test_crashes():
    """A process that crashes twice a second"""
    live.need_root()
    with open("/proc/sys/debug/exception-trace", encoding="ascii") as f:
        if f.read().strip() != "1":
            raise live.Skip("this kernel does not log crashes")
    with watching() as watch:
        watch.next()
        with trouble("crash"):
            hit = found(("crashes",), None, watch=contextlib.nullcontext(watch))
        assert "`trouble` last" in hit["text"] and hit["view"] == "log", hit


@rule("files-near")
def test_files_near():
    """A process with nearly as many open files as it may"""
    with trouble("files") as work:
        hit = found(("files-near",), work.pid)
        assert hit["severity"] == "warning" and "has 950 files open of the 1000" in hit["text"], hit


def most_threads():
    limits = []
    for name in ("pid_max", "threads-max"):
        with open(f"/proc/sys/kernel/{name}", encoding="ascii") as f:
            limits.append(int(f.read()))
    return min(limits)


@rule("pids-near")
def test_pids_near():
    """A machine with four fifths of the threads that it may have"""
    live.need_root()
    if most_threads() > 40000:
        raise live.Skip(f"{most_threads()} threads may be: too many to make")
    with live.Workload("many_processes", SECONDS, most_threads() * 82 // 100) as work:
        hit = found(("pids-near",), work.pid)
        assert f"of the {most_threads()} that may be" in hit["text"], hit
        assert "`many_processes` and its children have 2" in hit["text"], hit


@rule("pids-near")
def test_pids_of_a_cgroup():
    """A cgroup with nearly as many threads as it may have"""
    live.need_root()
    with cgroups.limited("pids", 3100) as words, trouble("threads", wrap=words) as work:
        hit = found(("pids-near",), work.pid)
        assert re.search(r"/proftop-limit-\S+ has 3\d\d\d of the 3100 threads that it may", hit["text"]), hit


@rule("cgroup-memory")
def test_memory_of_a_cgroup():
    """A cgroup that has used its memory up by what cannot be dropped"""
    live.need_root()
    with cgroups.limited("memory", 64 << 20) as words, trouble("hold", wrap=words) as work:
        hit = found(("cgroup-memory",), work.pid)
        assert "of the 67 MB of memory" in hit["text"] and "`trouble` is largest" in hit["text"], hit


@contextlib.contextmanager
def mounted(*args):
    """A filesystem of a test's own"""
    live.need_root()
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        if subprocess.run(["mount", *args, path], capture_output=True, check=False).returncode:
            raise live.Skip("nothing can be mounted here")
        try:
            yield path
        finally:
            subprocess.run(["umount", "-l", path], check=False)


def about(rule_name, path):
    """A finding of this rule about that place: others may be full, too."""
    with watching() as watch:
        for _ in range(5):
            hits = [r for r in watch.next()["rows"] if r["rule"] == rule_name and r["text"].startswith(path + " ")]
            if hits:
                return hits[0]
    raise AssertionError(f"no {rule_name} of {path}")


@rule("disk-full")
def test_disk_full():
    """A filesystem without room, and one without inodes"""
    with mounted("-t", "tmpfs", "-o", "size=4m", "tmpfs") as path:
        with open(path + "/file", "wb") as f:
            f.write(b"x" * (3 << 20))
            f.write(b"x" * ((1 << 20) - 8192))
        hit = about("disk-full", path)
        assert hit["severity"] == "warning" and "99 % full" in hit["text"], hit
    with mounted("-t", "tmpfs", "-o", "size=4m,nr_inodes=50", "tmpfs") as path:
        for i in range(49):
            with open(f"{path}/{i}", "wb"):
                pass
        hit = about("disk-full", path)
        assert hit["severity"] == "critical" and "has 50 files of the 50 that it may" in hit["text"], hit


@rule("read-only")
def test_read_only():
    """A filesystem that the kernel makes read-only after an error"""
    if not shutil.which("mkfs.ext4"):
        raise live.Skip("no mkfs.ext4")
    with tempfile.NamedTemporaryFile(dir=live.FOLDER) as image:
        image.truncate(16 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-F", image.name], check=True)
        with mounted("-o", "loop,errors=remount-ro", image.name) as path:
            device = os.path.basename(os.path.realpath(
                f"/sys/dev/block/{os.major(os.stat(path).st_dev)}:{os.minor(os.stat(path).st_dev)}"))
            try:
                with open(f"/sys/fs/ext4/{device}/trigger_fs_error", "w", encoding="ascii") as f:
                    f.write("a test of proftop")
            except OSError as e:
                raise live.Skip(f"no error can be made: {e}") from e
            hit = about("read-only", path)
            assert hit["severity"] == "critical" and hit["view"] == "log", hit


# --- networks ---

@rule("connect-fails")
def test_refused():
    """Connections to a port where nobody listens"""
    with trouble("refused") as work:
        hit = found(("connect-fails",), work.pid)
        assert "most of `trouble` to 127.0.0.1:" in hit["text"] and hit["view"] == "tcp", hit


@rule("retransmits")
def test_retransmits():
    """A connection over a line that loses every tenth packet"""
    with net_live.namespace(), contextlib.ExitStack() as stack:
        net_live.netem("ptv0", "loss", "10%")
        with net_live.inside():
            server = stack.enter_context(socket.create_server(("10.213.7.2", 0)))
        client = stack.enter_context(socket.create_connection(server.getsockname()))
        other = stack.enter_context(server.accept()[0])
        done = threading.Event()
        threads = [threading.Thread(target=send_until, args=(client, done)),
                   threading.Thread(target=lambda: all(iter(lambda: other.recv(65536), b"")))]
        for t in threads:
            t.start()
        try:
            hit = found(("retransmits",), None)
        finally:
            done.set()
            for t in threads:
                t.join()
    assert "10.213.7.2:" in hit["text"] and hit["view"] == "tcp", hit


def send_until(client, done):
    while not done.wait(0.01):
        client.sendall(b"x" * 3000)
    client.shutdown(socket.SHUT_WR)


@rule("vm-exits")
def test_vm_exits():
    """A guest that does little but write to a port"""
    kvm_live.exits(live.CHECKED)  # or says why not
    with live.Workload("", kvm_live.__file__, "leave", path=sys.executable) as work:
        hit = found(("vm-exits",), work.pid)
        assert re.search(r"most of it goes into (io|IO_INSTRUCTION)", hit["text"]) and hit["view"] == "kvm", hit


@rule("socket-queues")
def test_listener():
    """Connections that nobody accepts"""
    with trouble("accept") as work:
        hit = found(("socket-queues",), work.pid)
        assert "`trouble` does not accept" in hit["text"], hit


@rule("socket-queues")
def test_other_namespaces():
    """A container's connections that nobody accepts, and datagrams that nobody reads: in a network namespace of its own"""
    with net_live.namespace():
        words = ["ip", "netns", "exec", net_live.NAME]
        with trouble("accept", wrap=words) as work:
            hit = found(("socket-queues",), work.pid, watch=watching())
            assert "`trouble` does not accept" in hit["text"], hit
        with trouble("udp", wrap=words) as work, watching() as watch:
            rows = [r for _ in range(12) for r in watch.next()["rows"] if "UDP packets" in r["text"]]
            assert rows and rows[-1]["pid"] == work.pid, rows
            assert rows[0]["pid"] == work.pid or f"in network namespace {net_live.NAME} full" in rows[0]["text"], rows


@rule("net-saturated")
def test_saturated():
    """An interface of 10 Mbit/s that carries 9.5"""
    if not os.path.exists("/dev/net/tun"):
        raise live.Skip("no /dev/net/tun: no interface with a speed can be made")
    name = f"slow{os.getpid()}"
    path = f"/sys/class/net/{name}/speed"
    with trouble("wire", name):
        live.wait_for(lambda: os.path.exists(path))
        with open(path, encoding="ascii") as f:
            speed = int(f.read())
        if speed != 10:
            raise live.Skip(f"interfaces of programs have {speed} Mbit/s here")
        hit = found(("net-saturated",), None)
        carried, can = re.match(rf"{name} carries (\d+) Mbit/s of the (\d+)", hit["text"]).groups()
        assert 8 <= int(carried) <= 10 and int(can) == 10, hit


# --- clocks, messages and what we cost ---

@rule("clock-step")
def test_clock_step():
    """The time of day that is set: a quarter of a second on, and back"""
    live.need_root()
    def step(s):
        time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + s)
    with watching() as watch:
        watch.next()
        try:
            step(0.25)
        except OSError as e:
            raise live.Skip(f"the clock cannot be set here: {e}") from e
        try:
            hit = found(("clock-step",), None, watch=contextlib.nullcontext(watch))
        finally:
            step(-0.25)
        assert "jumped by 0.2 s" in hit["text"] or "jumped by 0.3 s" in hit["text"], hit


@rule("kernel-messages")
def test_kernel_message():
    """An error among the kernel's messages"""
    live.need_root()
    with watching() as watch:
        watch.next()
        try:
            with open("/dev/kmsg", "w", encoding="ascii") as f:
                f.write("<3>proftop's tests: no error, it only says so\n")
        except OSError as e:
            raise live.Skip(f"nothing can be logged here: {e}") from e
        hit = found(("kernel-messages",), None, watch=contextlib.nullcontext(watch))
        assert "error" in hit["text"] and hit["view"] == "log", hit


@rule("bpf-programs")
def test_bpf_programs():
    """A BPF program of somebody else that takes much time"""
    live.need_root()
    if not shutil.which("bpftrace"):
        raise live.Skip("no bpftrace")
    with trouble("kernel"), subprocess.Popen(
            ["bpftrace", "-e", "t:raw_syscalls:sys_enter { unroll(100) { @[nsecs] = count(); } }"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tracer:
        try:
            tracer.stdout.readline() # "Attaching 1 probe..."
            hit = found(("bpf-programs",), tracer.pid)
        finally:
            tracer.terminate()
            tracer.stdout.read()
        assert "of `bpftrace` takes" in hit["text"] and hit["view"] == "bpf", hit


@rule("irqs-off")
def test_irqs_off():
    """The kernel, which keeps interrupts off"""
    live.need_root()
    with live.Workload("irq_loads", SECONDS, stdin=subprocess.PIPE) as work, \
            watching() as watch:
        watch.next()
        for _ in range(5):
            work.process.stdin.write("irqs-long 5\n")
            work.process.stdin.flush()
            took_ms = int(work.process.stdout.readline()) / 1e6
            hits = [r for r in watch.next()["rows"] if r["rule"] == "irqs-off"]
            if any("irq_loads" in hit["text"] for hit in hits):
                break
        print(f"# {took_ms:.1f} ms; {hits and hits[0]['text']}")
        assert hits and "irq_loads" in hits[0]["text"] and hits[0]["view"] == "irq", (took_ms, hits)


@rule("tracing-cost")
def test_tracing_cost():
    """Context switches so many that it costs to trace them"""
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            stack.enter_context(trouble("yield"))
        hit = found(("tracing-cost",), None)
        assert hit["text"].endswith("most of those at sched_switch"), hit


def test_all_rules():
    """Each rule is provoked by a test, or it is said what that would take"""
    with open(RULES, encoding="ascii") as f:
        names = re.findall(r'^RULE\(\w+, "([\w-]+)"', f.read(), re.M)
    assert len(names) > 40, names
    known = [*provoked, *ELSEWHERE, *NOT_HERE]
    assert set(names) == set(known), set(names) ^ set(known)
    assert not set(NOT_HERE) & {*provoked, *ELSEWHERE}
    for name, what in NOT_HERE.items():
        print(f"# {name}: not provoked, that takes {what}")


if __name__ == "__main__":
    live.main(globals())
