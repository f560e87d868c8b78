#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Filters by the moment of what is counted, in views of measures: run queues that are never shorter, faults whose
mode is known, interrupts that are off or on by what the kernel does there."""
import contextlib
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import blockdev  # noqa: E402
import live  # noqa: E402
from asks import CALLS, same  # noqa: E402

CPU = max(os.sched_getaffinity(0))
N = 2000
TOUCH = """
import mmap, sys
pages = mmap.mmap(-1, %d * 4096)
pages.madvise(mmap.MADV_NOHUGEPAGE)
zero = open("/dev/zero", "rb", 0)
print("ready", flush=True)
sys.stdin.readline()
if sys.argv[1] == "user":
    for at in range(0, len(pages), 4096):
        pages[at] = 1
else:
    assert zero.readinto(pages) == len(pages)
print("done", flush=True)
sys.stdin.readline()
""" % N


READ = """
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY | (os.O_DIRECT if "/dev/" in sys.argv[1] else 0))
page = mmap.mmap(-1, 4096)
print("ready", flush=True)
sys.stdin.readline()
for i in range(%d):
    assert os.preadv(fd, [page], 0) == 4096
print("done", flush=True)
sys.stdin.readline()
""" % N


@contextlib.contextmanager
def crowded():
    """One that always runs on the last CPU: whoever else runs there is not alone."""
    with subprocess.Popen(["taskset", "-c", str(CPU), sys.executable, "-c", "while True: pass"]) as other:
        try:
            yield
        finally:
            other.kill()


def count(view, command, *options):
    """The rows of all intervals while a command does what it was made for, from its line to what it says then."""
    with subprocess.Popen(["taskset", "-c", str(CPU), *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as work:
        work.stdout.readline()
        filters = " ".join((f"pid={work.pid}", *options))
        with live.Watch(view, "--filter", filters, binary=live.CHECKED) as watch:
            watch.next()
            work.stdin.write("\n")
            work.stdin.flush()
            work.stdout.readline()
            watch.until(live.now_ns())
        work.kill()
    return [r for x in watch.reports for r in x["rows"]]


def calls(*options):
    rows = count("syscalls", [CALLS, "exact", str(N)], "syscall=getppid", *options)
    return sum(r["count"] for r in rows)


def test_run_queue():
    """Calls of a thread that shares its CPU: all with two or more to run, none alone"""
    with crowded():
        same("getppid, two or more to run", N, calls("nr_running=2-"))
        same("getppid, one to run", 0, calls("nr_running=0-1"))


def test_mode():
    """Pages that a program touches itself, and those that the kernel touches for it"""
    for who, other in (("user", "kernel"), ("kernel", "user")):
        command = [sys.executable, "-c", TOUCH, who]
        found = sum(r["count"] for r in count("faults", command, f"mode={who}"))
        live.near(found, N, N // 20, f"faults of {who}, mode={who}")
        found = sum(r["count"] for r in count("faults", command, f"mode={other}"))
        live.near(found, 0, N // 20, f"faults of {who}, mode={other}")


def check_reads(view, path, field):
    """Reads of a page: by the kernel, with interrupts on, by a thread that is alone on its CPU or not."""
    read = lambda *terms: sum(r[field] for r in count(view, [sys.executable, "-c", READ, path], *terms))  # noqa: E731
    if not read():
        raise live.Skip(f"{view} has no {field} of such a read here")
    terms = [("mode=kernel", N), ("mode=user", 0)]
    if irqs_told():
        terms += [("irqs_disabled=0", N), ("irqs_disabled=1", 0)]
    for term, wanted in terms:
        same(f"{view}: {field}, {term}", wanted, read(term))
    with crowded():
        same(f"{view}: {field}, two or more to run", N, read("nr_running=2-"))
        same(f"{view}: {field}, one to run", 0, read("nr_running=0-1"))


def test_requests():
    """Requests of a device, by the moment when they are made"""
    with blockdev.loop_device() as device:
        check_reads("io", f"/dev/{device}", "count")


def test_pages():
    """Reads of a page that is in the cache"""
    with tempfile.NamedTemporaryFile(dir=live.FOLDER) as f:  # /tmp may be a tmpfs
        f.write(bytes(4096))
        f.flush()
        os.fsync(f.fileno())
        check_reads("cache", f.name, "read_hits")


def irqs_told():
    with open("/proc/kallsyms", encoding="utf-8") as f:
        return any(line.split()[2] == "bpf_local_irq_save" for line in f)


def test_interrupts():
    """Calls end with interrupts on; handlers of devices have them off, softirqs on; a page fault's registers tell"""
    found = sum(r["count"] for r in count("faults", [sys.executable, "-c", TOUCH, "user"], "irqs_disabled=0"))
    live.near(found, N, N // 20, "faults, interrupts on")
    if not irqs_told():
        refused("syscalls", "irqs_disabled=1", "from Linux 6.14 on", status=4)
        return
    same("getppid, interrupts on", N, calls("irqs_disabled=0"))
    same("getppid, interrupts off", 0, calls("irqs_disabled=1"))
    kinds = {}
    for off in (0, 1):
        report = live.batch("-V", "irq", "-n", 1, "-d", 2, "--group", "kind", "--filter", f"irqs_disabled={off}")[-1]
        kinds[off] = {r["kind"] for r in report["rows"] if r["count"]}
    assert "soft" in kinds[0] and "hard" not in kinds[0], kinds
    assert "soft" not in kinds[1], kinds


def refused(view, terms, why, status=2):
    done = live.proftop("-b", "-n", 1, "-V", view, "--filter", terms)
    assert done.status == status and why in done.err and len(done.err.splitlines()) == 1, str(done)


def test_refused():
    """What is no event has no moment: one line says so"""
    for view in ("sched", "offcpu", "procs", "overview", "counters", "tcp"):
        refused(view, "nr_running=2-", "does not filter by nr_running=")


if __name__ == "__main__":
    live.main(globals())
