#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Memory of programs: blocks that a workload holds, frees, leaves to a thread and to a child, each of
them known; sampled by bytes within the error that is to be expected."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from cgroups import limited  # noqa: E402

SIZE = 128


class Held:
    """The workload, step by step: what it said, and the rows after each."""

    def __init__(self, *options, n=2000, size=SIZE, group="stack", steps=4, path=None, preload=None):
        live.need_root()
        self.said, self.after, self.n = [], [], n
        env = {**os.environ, "LD_PRELOAD": preload} if preload else None
        with live.Workload("heap_holds", n, size, path=path, env=env) as work, \
             live.Watch("heap", "--group", group, "--filter", f"tree={work.process.pid}", *options,
                        binary=live.CHECKED) as watch:
            self.pid = work.process.pid
            watch.next()
            for step in range(steps):
                os.kill(self.pid, signal.SIGUSR1)
                self.said.append(json.loads(work.process.stdout.readline()))
                watch.until(live.now_ns())
                if step == 2:  # the child is seen
                    watch.next()
                    watch.next()
                    child = self.said[-1]["child"]
                    self.said[-1] = json.loads(self.next_step(work, watch))
                    self.child = child
                self.after.append(watch.reports[-1])
            self.reports = list(watch.reports)
        for report in self.reports:
            for field in "held", "held_bytes", "acquired", "released":
                assert sum(r[field] for r in report["rows"]) == report["summary"][field], field
        health = self.reports[-1]["health"]
        assert health["lost"] == 0 and health["map_full"] == 0, health

    def next_step(self, work, watch):
        os.kill(self.pid, signal.SIGUSR1)
        line = work.process.stdout.readline()
        watch.until(live.now_ns() + int(0.3e9))
        return line

    def of(self, step, function, field="held"):
        return sum(r[field] for r in self.after[step]["rows"]
                   if any(f["symbol"] == function for f in r["stack"]))

    def flows(self, function, field):
        return sum(r[field] for x in self.reports for r in x["rows"]
                   if any(f["symbol"] == function for f in r["stack"]))


def test_every_call():
    """Held is what a program has allocated and not freed, by the function that did"""
    h = Held("--sample-bytes", "0")
    check_ways(h)
    live.near(h.of(0, "churn"), 0, 0, "blocks that were freed at once")
    live.near(h.of(2, "other_ways"), h.n // 10, 0, "its parent's, of which it freed a copy")


def test_sampled():
    """Sampled by bytes, what is held is an estimate without bias, and it is said that it is one"""
    h = Held("--sample-bytes", "4096", n=50000, size=256, steps=2)
    p = 1 - 2.718281828 ** (-256 / 4096)
    sigma = (h.n * (1 - p) / p) ** 0.5
    live.near(h.of(0, "leak_blocks"), h.n, 4.5 * sigma, "blocks held, an estimate")
    live.near(h.of(0, "from_nothing"), h.n, 4.5 * sigma, "blocks that two functions gave, an estimate")
    live.near(h.of(1, "leak_blocks"), h.n / 2, 4.5 * sigma, "half of them, an estimate")
    assert "sampled" in h.reports[-1]["health"]["note"], h.reports[-1]["health"]


def test_of_nobody():
    """Without somebody to look at, it is said what is needed"""
    live.need_root()
    r = live.proftop("--batch", "-V", "heap", "-n", "1", binary=live.CHECKED)
    assert r.status and "-p PID" in r.err, r


def test_command():
    """A command is seen from its first allocation on; frees of what was before are told apart"""
    live.need_root()
    reports = live.batch("-V", "heap", "--sample-bytes", "0", "-n", 2, "-d", "0.5", "--group", "comm", "--",
                         "/bin/sh", "-c", "sleep 2")
    assert any(r["comm"] in ("sh", "sleep") and r["acquired"] for x in reports for r in x["rows"]), \
        reports[-1]["rows"]
    assert all(x["summary"]["released_unseen"] == 0 for x in reports), reports[-1]["summary"]


def test_of_before():
    """What was there before and is freed is counted apart"""
    live.need_root()
    n = 2000
    with live.Workload("heap_holds", n, SIZE) as work:
        os.kill(work.pid, signal.SIGUSR1)
        work.process.stdout.readline()
        with live.Watch("heap", "--sample-bytes", "0", "-p", work.pid, binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            work.process.stdout.readline()
            watch.until(live.now_ns())
            live.near(sum(x["summary"]["released_unseen"] for x in watch.reports), n // 2, 0, "objects of before")
            assert not sum(x["summary"]["released"] for x in watch.reports), watch.reports


def test_cost():
    """What probes take of what is looked at is said, with how often they are met, and what has none"""
    live.need_root()
    with live.Workload("heap_leaks", os.path.join(live.WORKLOADS, "libheap_late.so")) as work, \
         live.Watch("heap", "-p", work.pid, delay=2) as watch:
        watch.next()
        os.kill(work.pid, signal.SIGUSR1)
        watch.next()
        before = work.cpu_seconds()
        began, reports = live.now_ns(), [watch.next() for _ in range(2)]
        took = 100 * (work.cpu_seconds() - before) / (live.now_ns() - began) * 1e9
    # A thousand objects twice in each step, and as often free; what others took of the CPU it did not get.
    for r in reports:
        note = r["health"]["note"]
        found = re.search(r"probes, met (\d+)k times/s, take about (\d+)% of a CPU: --sample-bytes pages has none", note)
        assert found, note
        calls, seconds = 1000 * int(found[1]), (r["t1_ns"] - r["t0_ns"]) / 1e9
        wanted = 2 * r["summary"]["acquired"] / seconds
        sigma = 2 * (r["summary"]["acquired"] * 524288 / 4000) ** 0.5 / seconds
        live.near(calls, wanted, 4.5 * sigma + 0.1 * calls, "calls of malloc and free a second")
        assert took / 4 < int(found[2]) < took * 4, (took, note)


def test_mapped():
    """What a program maps itself counts until it is unmapped, what its allocator maps does not"""
    live.need_root()
    for options in ("0",), ("256",):
        with live.Workload("heap_maps", 10) as work, \
             live.Watch("heap", "--group", "call", "--sample-bytes", *options, "-p", work.pid,
                        binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            said = json.loads(work.process.stdout.readline())
            watch.until(live.now_ns())
            rows = {r["call"]: r for r in watch.reports[-1]["rows"]}
            flows = {call: sum(r["acquired"] for x in watch.reports for r in x["rows"] if r["call"] == call)
                     for call in ("mmap", "brk", "malloc")}
            os.kill(work.pid, signal.SIGUSR1)
            status = work.process.wait(timeout=live.LIMIT_S)
        for call in "mmap", "brk":
            live.near(rows[call]["held_bytes"], said[call], 0, f"bytes held by {call}, sampled {options[0]}")
        live.near(flows["mmap"], said["maps"], 0, f"mappings that came, sampled {options[0]}")
        live.near(rows["malloc"]["held_bytes"], said["malloc"], 0, f"bytes of malloc, sampled {options[0]}")
        live.near(status, 7, 0, "exit status of what was traced")


def test_mapped_beside_another():
    """Another process whose returns are probed changes nothing of what the allocator maps"""
    live.need_root()
    with live.Workload("heap_holds", 1000, SIZE) as other, \
         live.Watch("heap", "--sample-bytes", "0", "-p", other.process.pid, binary=live.CHECKED) as beside:
        beside.next()
        m = Many(60000, 100, "--sample-bytes", "4096", binary=live.CHECKED)
    calls = {r["call"]: r["held_bytes"] for r in m.after[0]["rows"]}
    assert set(calls) == {"malloc"}, calls


def test_churn():
    """What is released in the interval that it came in is churn, what is kept longer is none"""
    h = Held("--sample-bytes", "0", steps=2)
    live.near(h.flows("leak_blocks", "churned"), 0, 0, "blocks that were kept, churned")
    churned = h.flows("churn", "churned")
    assert h.n * 0.9 <= churned <= h.n, churned  # an interval may end meanwhile
    live.near(h.flows("churn", "churned_bytes"), churned * SIZE, 0, "their bytes")


def test_error():
    """The error that is said of an estimate is that of the estimator"""
    h = Held("--sample-bytes", "4096", n=50000, size=256, steps=1)
    p = 1 - 2.718281828 ** (-256 / 4096)
    sigma = 256 * (h.n * (1 - p) / p) ** 0.5
    # A stack that was cut before its tables were there has a row of its own: errors of rows are independent.
    error = sum(r["error_bytes"] ** 2 for r in h.after[0]["rows"]
                if any(f["symbol"] == "leak_blocks" for f in r["stack"])) ** 0.5
    live.near(error, sigma, 0.1 * sigma, "standard error of bytes held")


def test_ages():
    """Ages of what is held, as a histogram and of the oldest one, are those of three allocations at known times"""
    live.need_root()
    with live.Workload("heap_ages", 1000) as work, \
         live.Watch("heap", "--group", "pid", "--sample-bytes", "0", "-p", work.pid, binary=live.CHECKED) as watch:
        watch.next()
        said = []
        for _ in range(3):
            os.kill(work.pid, signal.SIGUSR1)
            said.append(json.loads(work.process.stdout.readline()))
            watch.until(live.now_ns() + int(1.7e9))
        report = watch.reports[-1]
        row, = report["rows"]
    live.near(sum(b["count"] for b in row["hist"]), sum(x["n"] for x in said), 0, "objects with an age")
    # Ages are counted in units of 2^20 ns, and looked at between an interval's begin and its end.
    unit, looked = 1 << 20, (report["t0_ns"], report["t1_ns"])
    for x in said:
        youngest, oldest = looked[0] - x["end_ns"] - 2 * unit, looked[1] - x["begin_ns"] + 2 * unit
        there = sum(b["count"] for b in row["hist"] if b["hi_ns"] > youngest and b["lo_ns"] <= oldest)
        live.near(there, x["n"], 0, f"objects of {oldest / 1e9:.1f} s")
    youngest, oldest = looked[0] - said[0]["end_ns"], looked[1] - said[0]["begin_ns"]
    assert youngest - 2 * unit <= row["oldest_ns"] <= oldest + 2 * unit, (row["oldest_ns"], youngest, oldest)


def test_pages():
    """By pages, what a process touched first is held until the kernel has it back, without a probe on the allocator:
    page by page, as RssAnon has it"""
    live.need_root()
    n, page, steps = 3000, os.sysconf("SC_PAGESIZE"), ("touch_large", "touch_small", "touch_file")
    with live.Workload("heap_pages", n) as work, \
         live.Watch("heap", "--sample-bytes", "pages", "-p", work.pid, binary=live.CHECKED) as watch:
        watch.next()
        said, after = [], []
        for _ in range(8):
            os.kill(work.pid, signal.SIGUSR1)
            said.append(json.loads(work.process.stdout.readline())["pages"])
            watch.until(live.now_ns())
            after.append(watch.reports[-1])
        os.kill(work.pid, signal.SIGUSR1)
        assert work.process.wait(timeout=live.LIMIT_S) == 0

    def pages(step, function, field="held"):
        return sum(r[field] for r in after[step]["rows"] if any(f["symbol"] == function for f in r["stack"]))
    live.near(pages(0, "touch_large"), n, 0, "pages of a block, touched")
    live.near(pages(0, "touch_large", "held_bytes"), n * page, 0, "their bytes")
    live.near(pages(2, "touch_file"), n, 0, "pages of a private file, written to")
    live.near(pages(3, "touch_large"), n // 2, 0, "pages of the block when half of it was given back")
    live.near(pages(4, "touch_large"), 0, 0, "pages of the block when it was freed")
    # Beside the blocks there are their heads, and some of the C library's.
    for step, function in enumerate(steps):
        live.near(pages(step, function), said[step], 4, f"pages of {function}, as RssAnon has them")
    live.near(after[4]["summary"]["held"], sum(said[:5]), 16, "pages in all, as RssAnon has them")
    # What is shared since a fork is copied when it is written to: as long as the child has the old ones, too.
    live.near(pages(6, "copy_half"), n // 2, 2, "pages that were copied")
    live.near(pages(6, "touch_again"), n, 4, "pages before that, which the child has")
    live.near(pages(7, "touch_again"), n - n // 2, 4, "of those what is left without the child")
    # Its own stack and a few of the C library are copied, too.
    live.near(after[7]["summary"]["held"], sum(said), 48, "pages in all, as RssAnon has them")
    health = after[-1]["health"]
    assert health["lost"] == 0 and "by pages" in health["note"], health


class Many:
    """Objects of many stacks: what is held when all are there, and when half of them are freed."""

    def __init__(self, n, stacks, *options, size=64, **kinds):
        live.need_root()
        with live.Workload("heap_many", n, stacks, size) as work, \
             live.Watch("heap", "--group", "call", "-p", work.pid, *options, **kinds) as watch:
            watch.next()
            self.said, self.after = [], []
            for _ in range(2):
                os.kill(work.pid, signal.SIGUSR1)
                self.said.append(json.loads(work.process.stdout.readline()))
                watch.until(live.now_ns())
                self.after.append(watch.reports[-1])
            self.tables = tables_bytes(watch.process.pid)
        self.rows = [next(r for r in x["rows"] if r["call"] == "malloc") for x in self.after]
        self.health = self.after[-1]["health"]
        assert self.health["lost"] == 0 and self.health["stacks_lost"] == 0, self.health


MMAPABLE = "0x400"  # BPF_F_MMAPABLE, as fdinfo has it: arrays whose size is that of what they are for
UNWIND_PAGE = "4096"  # of tables by which stacks are walked, whoever holds what


def tables_bytes(pid):
    """Memory of the BPF arrays that a process maps: objects, sites, owners, stacks that are known"""
    maps = {}
    for text in live.fdinfos(pid):
        found = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        if found.get("map_flags") == MMAPABLE and found["value_size"] != UNWIND_PAGE:
            maps[found["map_id"]] = int(found["memlock"])
    return sum(maps.values())


def test_pages_sampled():
    """One page in so many bytes is an estimate of them all without bias, and said to be one"""
    live.need_root()
    n, page = 20000, os.sysconf("SC_PAGESIZE")
    with live.Workload("heap_pages", n) as work, \
         live.Watch("heap", "--sample-bytes", "pages:65536", "-p", work.pid, binary=live.CHECKED) as watch:
        watch.next()
        os.kill(work.pid, signal.SIGUSR1)
        json.loads(work.process.stdout.readline())
        watch.until(live.now_ns())
        report = watch.reports[-1]
    p = 1 - 2.718281828 ** (-page / 65536)
    sigma = (n * (1 - p) / p) ** 0.5
    of = [r for r in report["rows"] if any(f["symbol"] == "touch_large" for f in r["stack"])]
    live.near(sum(r["held"] for r in of), n, 4.5 * sigma, "pages of a block, an estimate")
    error = sum(r["error_bytes"] ** 2 for r in of) ** 0.5 / page
    live.near(error, sigma, 0.2 * sigma, "standard error of pages held")
    assert "sampled every 65536" in report["health"]["note"], report["health"]


def test_a_million():
    """A million objects of a hundred thousand stacks are followed one by one, in 32 MiB"""
    m = Many(1000000, 100000, "--sample-bytes", "0", delay=2)
    for said, row in zip(m.said, m.rows):
        live.near(row["held"], said["held"], 0, "objects held")
        live.near(row["held_bytes"], said["bytes"], 0, "bytes held")
    assert "lost their stacks" not in m.health["note"] and "estimates" not in m.health["note"], m.health
    assert 20 << 20 < m.tables <= 32 << 20, m.tables


def test_many_stacks():
    """Thousands of stacks are kept apart, and each object of each of them is followed"""
    m = Many(60000, 6000, "--sample-bytes", "0", binary=live.CHECKED)
    for said, row in zip(m.said, m.rows):
        live.near(row["held"], said["held"], 0, "objects held")
        live.near(row["held_bytes"], said["bytes"], 0, "bytes held")
    assert "lost their stacks" not in m.health["note"] and "estimates" not in m.health["note"], m.health


def test_more_than_there_is_room_for():
    """Of more objects than there are slots numbers are estimates without bias, with their error, and it is said"""
    with limited("memory", 64 << 20) as wrap:
        m = Many(400000, 500, "--sample-bytes", "0", wrap=wrap, delay=3)
    for said, row in zip(m.said, m.rows):
        assert row["error_bytes"] > 0, row
        live.near(row["held_bytes"], said["bytes"], 5 * row["error_bytes"], "bytes held, an estimate")
    assert "numbers are estimates" in m.health["note"], m.health
    assert all(x["summary"]["released_unseen"] == 0 for x in m.after), m.after


SOURCES = os.path.join(live.ROOT, "tests/workloads")
ALLOCATORS = "libjemalloc.so", "libtcmalloc_minimal.so", "libmimalloc.so"  # of any version
WORK_FLAGS = "-O2", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-D_GNU_SOURCE"


def library(name):
    """Where one of the allocators is, as the linker has it"""
    out = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    paths = [line.split(" => ")[1] for line in out.splitlines() if line.strip().startswith(name)]
    if not paths:
        raise live.Skip(f"there is no {name}")
    return paths[0]


def build(folder, compiler, source, *flags):
    if not shutil.which(compiler):
        raise live.Skip(f"there is no {compiler}")
    path = os.path.join(folder, "work")
    subprocess.run([compiler, *WORK_FLAGS, os.path.join(SOURCES, source), "-o", path, *flags], check=True)
    return path


def check_ways(h):
    """Of heap_holds, whatever its allocator is"""
    tenth = h.n // 10
    live.near(h.of(0, "leak_blocks"), h.n, 0, "blocks held")
    live.near(h.of(0, "leak_blocks", "held_bytes"), h.n * SIZE, 0, "bytes held")
    live.near(h.of(0, "from_nothing"), h.n, 0, "blocks of realloc of NULL")
    live.near(h.of(0, "other_ways"), tenth, 0, "blocks of calloc, realloc and the like")
    live.near(h.of(0, "other_ways", "held_bytes"), tenth * SIZE, 0, "their bytes")
    live.near(h.of(0, "in_thread"), tenth, 0, "blocks of a thread that ended")
    live.near(h.flows("churn", "acquired"), h.n, 0, "blocks that were freed at once, acquired")
    live.near(h.flows("churn", "released"), h.n, 0, "of those released")
    live.near(h.of(1, "leak_blocks"), h.n - h.n // 2, 0, "blocks held after half were freed")
    live.near(h.of(2, "in_child"), tenth, 0, "blocks of a child")
    for function in "leak_blocks", "from_nothing", "other_ways", "in_thread":
        live.near(h.of(3, function), 0, 0, f"held of {function} in the end")


def test_preloaded():
    """The same with an allocator that is preloaded in the place of the C library's"""
    for path in map(library, ALLOCATORS):
        check_ways(Held("--sample-bytes", "0", preload=path))


def test_linked():
    """The same with one that the program is linked with"""
    for path in map(library, ALLOCATORS):
        with tempfile.TemporaryDirectory(dir=live.FOLDER) as folder:
            check_ways(Held("--sample-bytes", "0",
                            path=build(folder, "gcc", "heap_holds.c", "-Wl,--no-as-needed", path)))


def test_c_libraries():
    """The same of static programs, of glibc and of musl, and of musl's shared library"""
    musl = "-idirafter", "/usr/include"
    for compiler, *rest in ("gcc", "-static"), ("musl-gcc", "-static", *musl), ("musl-gcc", *musl):
        with tempfile.TemporaryDirectory(dir=live.FOLDER) as folder:
            check_ways(Held("--sample-bytes", "0", path=build(folder, compiler, "heap_holds.c", *rest)))


def check_news(path, preload, n=1000):
    """After each form of operator new, all that is held, and that all is gone in the end"""
    env = {**os.environ, "LD_PRELOAD": preload} if preload else None
    with live.Workload("heap_news", n, SIZE, path=path, env=env) as work, \
         live.Watch("heap", "--group", "pid", "--sample-bytes", "0", "-p", work.pid,
                    binary=live.CHECKED) as watch:
        step = None
        watch.next()
        while step != "delete_all":
            os.kill(work.pid, signal.SIGUSR1)
            said = json.loads(work.process.stdout.readline())
            step, held = said["step"], said["held"]
            watch.until(live.now_ns())
            summary = watch.reports[-1]["summary"]
            live.near(summary["held"], held, 0, f"{preload or path}: held after {step}")
            live.near(summary["held_bytes"], held * SIZE, 0, f"{preload or path}: bytes after {step}")
        unseen = sum(x["summary"]["released_unseen"] for x in watch.reports)
        live.near(unseen, 0, 0, f"{preload or path}: released of what was not seen")


def test_operator_new():
    """Every form of operator new counts once, through malloc or by the allocator itself"""
    live.need_root()
    with tempfile.TemporaryDirectory(dir=live.FOLDER) as folder:
        path = build(folder, "g++", "heap_news.cc")
        for preload in None, *map(library, ALLOCATORS):
            check_news(path, preload)
        check_news(build(folder, "g++", "heap_news.cc", "-static"), None)


if __name__ == "__main__":
    live.main(globals())
