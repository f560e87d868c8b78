#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Page faults: those of a workload that touches pages one by one, as getrusage and perf stat count
them, by code, file and address."""
import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

PAGES, FILE_PAGES = 3000, 200


class Touched:
    """One run of the workload under a view: what it counted itself, and all rows."""

    def __init__(self, group, during=None):
        live.need_root()
        self.path = os.path.join(live.FOLDER, "faults_view_live.tmp")
        try:
            with live.Workload("touches", PAGES, self.path, FILE_PAGES) as work, \
                 live.Watch("faults", "--group", group, "--pid", work.pid,
                            binary=live.CHECKED) as watch:
                watch.next()
                stop = during(work.pid) if during else None
                os.kill(work.pid, signal.SIGUSR1)
                self.said = json.loads(work.process.stdout.readline())
                watch.until(live.now_ns())
                self.judged = stop() if stop else None
                self.reports = list(watch.reports)
        finally:
            if os.path.exists(self.path):
                os.unlink(self.path)
        if self.said["major"] < FILE_PAGES:
            raise live.Skip("this file system's pages do not leave memory")
        self.rows = [r for x in self.reports for r in x["rows"]]
        health = self.reports[-1]["health"]
        assert health["lost"] == 0 and health["map_full"] == 0, health
        for r in self.rows:
            assert r["count"] == r["minor"] + r["major"], r

    def sum(self, field, passes=lambda r: True):
        return sum(r[field] for r in self.rows if passes(r))


def in_function(name):
    return lambda r: any(f["symbol"] == name for f in r["stack"])


def perf_stat(pid):
    process = subprocess.Popen(["perf", "stat", "-x,", "-e", "minor-faults,major-faults", "-p", str(pid)],
                               stderr=subprocess.PIPE, text=True)
    live.wait_for(lambda: "perf_event" in " ".join(
        os.readlink(f"/proc/{process.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{process.pid}/fd")))

    def stop():
        process.send_signal(signal.SIGINT)
        text = process.communicate(timeout=30)[1]
        return {m[2]: int(m[1]) for m in re.finditer(r"^(\d+),,(minor|major)-faults", text, re.M)}
    return stop


def test_by_stack():
    """Faults by stack are those of the functions that touch the pages"""
    t = Touched("stack")
    live.near(t.sum("minor", in_function("touch_anonymous")), PAGES, 0, "minor faults of a function")
    live.near(t.sum("major", in_function("touch_anonymous")), 0, 0, "its major faults")
    live.near(t.sum("major", in_function("touch_file")), FILE_PAGES, 0, "major faults of a function")
    for kind in "minor", "major":
        live.near(t.sum(kind), t.said[kind], 0, f"{kind} faults of the process", judge="getrusage")


def short_processes(count, pause_ms):
    """Those counted by function and file, of so many processes."""
    live.need_root()
    with live.Watch("faults", "--group", "stack,file", "--comm", "short_touches", binary=live.CHECKED) as watch:
        watch.next()
        with live.Workload("short_touches", 60, count, pause_ms) as work:
            processes = work.result()["processes"]
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"]]

    def faults(passes):
        return sum(r["count"] for r in rows if passes(r))
    touched = [faults(in_function(name)) for name in ("touch_70", "touch_30")]
    live.near(sum(touched), 100 * processes, 3 * processes, "pages that are touched")
    live.near(100 * touched[0] / sum(touched), 70, 2, "share of touch_70, percent")
    live.near(faults(lambda r: not r["stack"]), 0, 0.02 * faults(lambda r: True), "faults without a stack")


def test_short_processes():
    """A thousand short processes, more stacks than there is room for: each fault has one, shares are right"""
    short_processes(1000, 2)


def test_very_short_processes():
    """Thousands a second, more than are kept apart: what they did is known by command, with stacks"""
    short_processes(8000, 0)


def test_very_short_processes_of_others():
    """Of those that only their command is known of, too, a filter by name leaves others out"""
    live.need_root()
    # A name is left out in the kernel from the end of the interval on that it was first seen in.
    with live.Watch("faults", "--group", "comm", "--comm", "^nobody_has_it$", delay=5, binary=live.CHECKED) as watch:
        watch.next()
        with live.Workload("short_touches", 60, 8000, 0) as work:
            work.result()
        watch.until(live.now_ns())
        rows = [r for x in watch.reports for r in x["rows"]]
    # Who what found no room is of is not known.
    assert {r["comm"] for r in rows} <= {"[rest]"}, rows


RENAMED = f"""
import ctypes, mmap
m = mmap.mmap(-1, 2 * {PAGES} * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(mmap.MADV_NOHUGEPAGE)
def touch(first):
    for i in range(first, first + {PAGES}):
        m[i * mmap.PAGESIZE] = 1
input()
touch(0)
print("touched", flush=True)
input()
ctypes.CDLL(None).prctl(15, b"renamed_one")
touch({PAGES})
print("touched", flush=True)
input()
"""


def test_renamed():
    """A thread that has faults under a name that is left out, and then another name, is in scope from then on"""
    live.need_root()
    with subprocess.Popen([sys.executable, "-c", RENAMED], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            with live.Watch("faults", "--group", "pid,cause", "--comm", "^renamed_one$", binary=live.CHECKED) as watch:
                watch.next()
                for _ in range(2):
                    process.stdin.write("\n")
                    process.stdin.flush()
                    assert process.stdout.readline() == "touched\n"
                    watch.until(live.now_ns())
                rows = [r for x in watch.reports for r in x["rows"] if r["pid"] == process.pid]
        finally:
            process.kill()
    live.near(sum(r["first_touch"] for r in rows), PAGES, 0.1 * PAGES, "pages that are touched under the new name")


def test_by_file_and_address():
    """Each fault is of the file that is mapped there, and within its address range"""
    try:
        subprocess.run(["perf", "--version"], stdout=subprocess.DEVNULL, check=True)
        judge = perf_stat
    except (OSError, subprocess.CalledProcessError):
        judge = None
    t = Touched("file,address", judge)
    files = {r["file"] for r in t.rows}
    assert t.path in files and "[anon]" in files, files
    live.near(t.sum("major", lambda r: r["file"] == t.path), FILE_PAGES, 0, "major faults of a file")
    anonymous = [r for r in t.rows if r["file"] == "[anon]"]
    live.near(sum(r["count"] for r in anonymous), PAGES, 20, "faults of anonymous memory")
    for r in t.rows:
        if r["file"] == t.path:
            assert r["address"] == f"{t.path}+0x0", r
        if r["file"] == "[anon]":
            assert int(r["address"], 16) % (1 << 20) == 0 and r["count"] <= 256, r
    for kind in "minor", "major":
        if t.judged:
            live.near_peer(t.sum(kind), ("perf stat", t.judged[kind]), 0, f"{kind} faults")


def test_causes():
    """Why there was a fault: first touch, copy-on-write after fork and of a file, write-protect; and how long it took"""
    live.need_root()
    path = os.path.join(live.FOLDER, "faults_causes_live.tmp")
    try:
        with live.Workload("fault_causes", FILE_PAGES, path) as work, \
             live.Watch("faults", "--group", "cause,stack", "--pid", work.pid, binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            json.loads(work.process.stdout.readline())
            watch.until(live.now_ns())
            rows = [r for x in watch.reports for r in x["rows"]]
    finally:
        if os.path.exists(path):
            os.unlink(path)
    if not any(r["cause"] for r in rows):
        raise live.Skip("the kernel does not say how memory is accessed")
    for function, cause in (("touch_new", "first touch"), ("copy_pages", "copy-on-write"),
                            ("copy_file", "copy-on-write"), ("dirty_file", "write-protect")):
        of = [r for r in rows if in_function(function)(r)]
        # After a fork the thread's area for restartable sequences is one page more: who is preempted has it copied.
        live.near(sum(r["count"] for r in of if r["cause"] == cause), FILE_PAGES, function == "copy_pages",
                  f"{cause} of {function}")
        live.near(sum(r["first_touch"] for r in of), FILE_PAGES if function == "touch_new" else 0, 0,
                  f"first touches of {function}")
        for r in of:
            assert 0 < r["min_ns"] <= r["avg_ns"] <= r["max_ns"], r


HUGE = """
import mmap
size = 2 << 20
m = mmap.mmap(-1, 9 * size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(14)  # MADV_HUGEPAGE
input()
def touch_huge():
    for at in range(0, len(m), 4096):
        m[at] = 1
def huge():
    return sum(int(line.split()[1]) for line in open("/proc/self/smaps") if "AnonHugePages" in line)
touch_huge()
print(huge(), flush=True)
input()
for at in range(0, len(m), size):
    m.madvise(mmap.MADV_DONTNEED, at, 4096)  # a part of each at most
print(huge(), flush=True)
input()
"""


def test_huge_pages():
    """A huge page is one fault with its own cause, as smaps counts them; memory is of the CPU's node; how many are split
    is said"""
    live.need_root()
    with subprocess.Popen([sys.executable, "-c", HUGE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        try:
            with live.Watch("faults", "--group", "cause,node", "--pid", process.pid, binary=live.CHECKED) as watch:
                watch.next()
                process.stdin.write("\n")
                process.stdin.flush()
                judged = int(process.stdout.readline()) >> 11
                watch.until(live.now_ns())
                rows = [r for x in watch.reports for r in x["rows"]]
                before = watch.reports[-1]["summary"]
                process.stdin.write("\n")
                process.stdin.flush()
                left = int(process.stdout.readline()) >> 11
                watch.until(live.now_ns())
                after = watch.reports[-1]["summary"]
        finally:
            process.kill()
    if not judged:
        raise live.Skip("the kernel gives no huge pages")
    huge = [r for r in rows if r["cause"] == "huge"]
    live.near(sum(r["count"] for r in huge), judged, 0, "faults of huge pages", judge="smaps")
    live.near(sum(r["huge"] for r in rows), judged, 0, "huge pages touched first", judge="smaps")
    # Others may have some, too.
    assert before["huge_bytes"] >= judged << 21, (before, judged)
    split = after["huge_split"] - before["huge_split"]
    assert judged - left <= split <= judged - left + 20 and judged > left, (judged, left, before, after)
    nodes = {int(x[4:]) for x in os.listdir("/sys/devices/system/node") if x.startswith("node")}
    assert {r["node"] for r in rows} <= nodes, (rows, nodes)


if __name__ == "__main__":
    live.main(globals())
