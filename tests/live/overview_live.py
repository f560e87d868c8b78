#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Troubles that are known by construction (workloads/trouble.c): the overview names each within
five seconds, with the process that is behind it. What this machine cannot be made to suffer from
is said."""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import cgroups  # noqa: E402
from troubles import SECONDS, checked, found, large_file, trouble  # noqa: E402


def test_spin():
    """A process that computes"""
    with trouble("spin") as work:
        found(("busy-process",), work.pid)


def test_among_very_many():
    """Processes that compute beside 10,000 that sleep: one from before, one that begins later"""
    live.need_root()
    busy = ("busy-process", "run-queue", "cpu-full", "starved") # whatever others do meanwhile
    with live.Workload("many_processes", SECONDS, 10000), trouble("spin") as work:
        with live.Watch("overview", delay=1) as w:
            found(busy, work.pid, watch=contextlib.nullcontext(w))
            with trouble("spin") as later:
                found(busy, later.pid, begin=w.next()["t0_ns"],
                      watch=contextlib.nullcontext(w))


def test_lock():
    """Threads that wait for a lock, and who holds it"""
    with trouble("lock") as work:
        hit = found(("user-lock",), work.pid)
        assert "held by trouble/" in hit["text"] and hit["view"] == "offcpu", hit


def test_lock_among_very_many():
    """The same beside 10,000 that sleep: threads that wait for a lock are looked at nevertheless"""
    live.need_root()
    with live.Workload("many_processes", SECONDS, 10000), trouble("lock") as work:
        found(("user-lock",), work.pid)


def test_fsync():
    """A process that waits for its writes to be on the disk"""
    with tempfile.TemporaryDirectory(dir=live.FOLDER) as tmp:
        with trouble("fsync", os.path.join(tmp, "log")) as work:
            hit = found(("fsync",), work.pid)
            assert "in fsync" in hit["text"], hit


def test_cold_reads():
    """A process that reads what is not in the page cache"""
    with large_file(64) as path, trouble("cold", path) as work:
        found(("cold-reads",), work.pid)


def test_exec_storm():
    """A process that starts programs without end"""
    with trouble("exec") as work:
        found(("fork-storm",), work.pid)


def test_starvation():
    """A process with nice 19 that is pinned beside a busy one"""
    if len(os.sched_getaffinity(0)) < 2:
        raise live.Skip("one CPU: nothing is pinned")
    with trouble("starve") as work:
        hit = found(("starved",), work.pid)
        assert "nice 19" in hit["text"] and "may run on 1 of" in hit["text"], hit


def test_fault_storm():
    """A process that faults memory in and gives it back"""
    with trouble("faults") as work:
        found(("fault-storm",), work.pid)


def test_leak():
    """A process that grows"""
    with trouble("leak") as work:
        found(("leak",), work.pid)


SHARES = """
import mmap, time
shared = mmap.mmap(-1, 512 << 20)
for at in range(0, 512 << 20, 4 << 20):
    for page in range(at, at + (4 << 20), 4096):
        shared[page] = 1
    time.sleep(0.25)
"""


def test_shared():
    """A process that touches memory which it shares with others, as a database does, is no leak"""
    with subprocess.Popen([sys.executable, "-c", SHARES]) as work, live.Watch("overview", delay=0.5) as watch:
        try:
            reports = [watch.next() for _ in range(16)]
        finally:
            work.kill()
    leaks = [r for x in reports[2:] for r in x["rows"] if r["rule"] == "leak" and r["pid"] == work.pid]
    assert not leaks, leaks


def quota(path):
    if os.path.exists(path + "/cpu.max"):
        return {"cpu.max": "10000 100000"}
    return {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "10000"}


def test_throttled():
    """A process whose cgroup is at its CPU limit"""
    live.need_root()
    with cgroups.cgroup(cgroups.with_controller("cpu"), f"proftop-limit-{os.getpid()}") as path:
        for name, value in quota(path).items():
            try:
                with open(os.path.join(path, name), "w", encoding="ascii") as f:
                    f.write(value)
            except OSError as e:
                raise live.Skip(f"this kernel limits no CPU time: {e}") from e
        with trouble("spin") as work:
            cgroups.join(path, work.pid)
            hit = found(("throttled",), work.pid)
            assert path.endswith(hit["text"].rsplit("(", 1)[1].rstrip(")")), hit


def test_disk_wait():
    """A process that waits for a disk, a request at a time"""
    with large_file(64) as path, trouble("direct", path) as work:
        found(("disk-wait", "cold-reads"), work.pid)


@contextlib.contextmanager
def mounted():
    """A file system of its own, on a loop device."""
    live.need_root()
    for tool in ("mkfs.ext4", "losetup", "mount", "fsfreeze"):
        if not shutil.which(tool):
            raise live.Skip(f"no {tool} here")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as f, tempfile.TemporaryDirectory() as at:
        f.truncate(64 << 20)
        subprocess.run(["mkfs.ext4", "-q", f.name], check=True)
        made = subprocess.run(["mount", "-o", "loop", f.name, at], capture_output=True, text=True,
                              check=False)
        if made.returncode:
            raise live.Skip(f"no loop device is mounted here: {made.stderr.strip()[:120]}")
        try:
            yield at
        finally:
            subprocess.run(["umount", at], check=True)


def test_d_state_pile_up():
    """Processes that pile up in D, as their file system is frozen"""
    many = 20
    with mounted() as at, contextlib.ExitStack() as stack:
        pids = {stack.enter_context(trouble("fsync", os.path.join(at, str(i)))).pid
                for i in range(many)}
        subprocess.run(["fsfreeze", "-f", at], check=True)
        try:
            hit = found(("d-state",), None)
        finally:
            subprocess.run(["fsfreeze", "-u", at], check=True)
        assert hit["pid"] in pids and hit["severity"] == "warning", hit
        assert int(hit["text"].split()[0]) >= many and hit["view"] == "offcpu", hit


def test_d_state():
    """A process that hangs in D, as its disk does not answer"""
    live.need_root()
    for tool in ("dmsetup", "losetup"):
        if not shutil.which(tool):
            raise live.Skip(f"no {tool} here")
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as f:
        f.truncate(16 << 20)
        loop = subprocess.run(["losetup", "-f", "--show", f.name], capture_output=True, text=True,
                              check=False).stdout.strip()
        if not loop:
            raise live.Skip("no loop device to be had")
        name = f"proftop-hang-{os.getpid()}"
        try:
            made = subprocess.run(["dmsetup", "create", name, "--table", f"0 32768 linear {loop} 0"],
                                  capture_output=True, text=True, check=False)
            if made.returncode:
                raise live.Skip(f"no device mapper: {made.stderr.strip()[:120]}")
            subprocess.run(["dmsetup", "suspend", "--nolockfs", "--noflush", name], check=True)
            try:
                with trouble("direct", f"/dev/mapper/{name}") as work:
                    found(("d-state",), work.pid)
                    subprocess.run(["dmsetup", "resume", name], check=True)
            finally:
                subprocess.run(["dmsetup", "resume", name], check=False)
        finally:
            subprocess.run(["dmsetup", "remove", "--retry", name], check=False,
                           capture_output=True)
            subprocess.run(["losetup", "-d", loop], check=False)


def test_d_state_of_vfork():
    """A process that hangs in D, as its child does not go on"""
    with trouble("vfork") as work:
        found(("d-state",), work.pid)


@contextlib.contextmanager
def swap():
    """The machine's own swap, or a file for as long as it lasts."""
    with open("/proc/swaps", encoding="ascii") as f:
        if len(f.readlines()) > 1:
            yield
            return
    with large_file(256) as path:
        os.chmod(path, 0o600)
        for tool in ("mkswap", "swapon"):
            done = subprocess.run([tool, path], capture_output=True, text=True, check=False)
            if done.returncode:
                raise live.Skip(f"this machine has no swap: {done.stderr.strip()[:120]}")
        try:
            yield
        finally:
            subprocess.run(["swapoff", path], check=True)


def test_swap():
    """A process whose memory is swapped"""
    live.need_root()
    with swap(), cgroups.limited("memory", 32 << 20) as words:
        with trouble("leak", wrap=words) as work:
            found(("swap",), work.pid)


def test_packet_drops():
    """An interface that drops packets, as nobody knows their protocol"""
    with trouble("drops") as work:
        hit = found(("net-drops",), None)
        assert work.pid and hit["text"].startswith("lo drops "), hit


def test_socket_queue():
    """A socket that is sent more than its process takes"""
    with trouble("udp") as work:
        hit = found(("socket-queues",), work.pid)
        assert "UDP" in hit["text"], hit


def test_ordinary_work():
    """A machine with ordinary work: nothing is worse than a note"""
    with trouble("quiet") as work, live.Watch("overview", delay=1) as watch:
        reports = [watch.next() for _ in range(5)]
        worse = [r for x in reports for r in checked(x["rows"]) if r["severity"] != "note"]
        own = [r for r in worse if r["pid"] == work.pid]
        assert not own, own
        load = os.getloadavg()[0]
        if worse and load > 1:
            raise live.Skip(f"others keep this machine busy (load {load:.1f}): "
                            + "; ".join(r["text"] for r in worse[:3]))
        assert not worse, worse
        for r in reports:
            assert r["summary"]["rules_not_looked_at"] == 0, r["summary"]


def test_scope():
    """With a filter there are findings about what passes it alone"""
    with trouble("spin") as work, trouble("faults") as other:
        with live.Watch("overview", "-p", str(work.pid), delay=1) as watch:
            found(("busy-process",), work.pid, watch=contextlib.nullcontext(watch))
            assert not [r for x in watch.reports for r in x["rows"] if r["pid"] == other.pid]


def test_replay():
    """A recording says the same"""
    live.need_root()
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "all.ptr")
        with trouble("lock") as work:
            now = live.batch("-V", "overview", "-n", "3", "--record", path)
            then = live.batch("-V", "overview", "--replay", path)
        assert len(then) >= 3, len(then)
        for rows in (now[-1]["rows"], then[2]["rows"]):
            assert [r for r in rows if r["rule"] == "user-lock" and r["pid"] == work.pid], rows


def test_begins_soon():
    """The first findings are there before what traces is attached"""
    live.need_root()
    begin = time.monotonic()
    run = live.proftop("-b", "-V", "overview", "-n", "1", "-d", "0.5", "--format", "text")
    assert run.status == 0 and "overview" in run.out, str(run)
    print(f"# one interval of 0.5 s took {time.monotonic() - begin:.2f} s, with all models")


if __name__ == "__main__":
    live.main(globals())
