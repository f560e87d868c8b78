#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The cache view against commands whose pages are known, and against mincore."""
import contextlib
import ctypes
import mmap
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

PAGE = mmap.PAGESIZE
PAGES = 300
libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def folder():
    """On the file system of the build, whose pages are told of: /tmp may be a tmpfs."""
    path = os.path.join(live.FOLDER, f"cache_live.{os.getpid()}")
    os.makedirs(path)
    try:
        yield path
    finally:
        subprocess.run(["rm", "-rf", path], check=True)


def make(path, pages, drop=False):
    with open(path, "wb") as f:
        f.write(os.urandom(PAGE) * pages)
        os.fsync(f.fileno())
        if drop:
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return path


def cached(path):
    """Pages of the file that are in the cache, as mincore has it."""
    with open(path, "r+b") as f, mmap.mmap(f.fileno(), 0) as m:
        vec = (ctypes.c_ubyte * (len(m) // PAGE))()
        at = ctypes.addressof(ctypes.c_char.from_buffer(m))
        assert libc.mincore(ctypes.c_void_p(at), ctypes.c_size_t(len(m)), vec) == 0
        return sum(v & 1 for v in vec)


def cat(*paths):
    return "sh", "-c", 'exec cat "$@" >/dev/null', "sh", *paths


def told(path, *command, group="file"):
    """The numbers of the file while the command ran, over all intervals."""
    reports = live.batch("-V", "cache", "--group", group, "-d", "0.5", "--", *command,
                         drop_output=True)
    sums = {}
    for row in (r for report in reports for r in report["rows"]):
        if path is None or os.path.basename(row["file"]) == os.path.basename(path):
            for key, value in row.items():
                if isinstance(value, int):
                    sums[key] = sums.get(key, 0) + value
    return sums, reports


def until_calm(run):
    """Pages may be reclaimed at any time: tried again a few times."""
    for n in range(6):
        facts = live.facts_so_far()
        try:
            return run()
        except AssertionError:
            if n == 5:
                raise
            live.forget_facts(facts)
    return None


def test_cold_and_warm():
    """A cold file read once: misses and readahead are its pages; again: hits alone"""
    def run():
        with folder() as d:
            path = make(f"{d}/cold file", 2000, drop=True)
            assert cached(path) == 0
            sums, reports = told(path, *cat(path))
            live.fact("pages read from disk", cached(path),
                      sums["read_misses"] + sums["readahead_added"], judge="mincore")
            assert sums["read_misses"] + sums["readahead_added"] == cached(path) == 2000, sums
            assert sums["readahead_used"] == sums["readahead_added"] == sums["read_hits"], sums
            assert abs(from_disk(path, reports) - 2000) < 0.01, reports
            sums, _ = told(path, *cat(path))
            live.fact("pages read again: hits", 2000, sums["read_hits"])
            live.fact("pages read again: misses", 0, sums["misses"])
            assert sums["read_hits"] == 2000 and sums["misses"] == 0, sums
    until_calm(run)


def from_disk(path, reports):
    """Pages of the file that were asked for and came from a disk."""
    rows = [row for r in reports for row in r["rows"] if row["disk_pct"] is not None and
            os.path.basename(row["file"]) == os.path.basename(path)]
    return sum(row["disk_pct"] / 100 * (row["hits"] + row["misses"]) for row in rows)


def test_cold_read_three_times():
    """A cold file read three times: nearly all are hits, and a third came from the disk"""
    def run():
        with folder() as d:
            path = make(f"{d}/read thrice", 2000, drop=True)
            sums, reports = told(path, *cat(path, path, path))
            assert sums["hits"] + sums["misses"] == 6000, sums
            assert sums["hits"] > 5900, sums
            disk = from_disk(path, reports)
            live.fact("pages from disk of those read", 2000, round(disk))
            assert abs(disk - 2000) < 0.01, disk
    until_calm(run)


def test_small_reads():
    """A million small reads of cached pages are a million hits"""
    def run():
        with folder() as d:
            path = make(f"{d}/warm", 512)
            work = os.path.join(live.WORKLOADS, "cache_reads")
            sums, reports = told(path, work, path, "1000000")
            live.fact("small reads: hits", 1000000, sums["read_hits"])
            assert (sums["read_hits"], sums["misses"]) == (1000000, 0), sums
            assert reports[-1]["health"]["lost"] == 0
    until_calm(run)


def test_other_processes():
    """What others read is not in the numbers of the command"""
    def run():
        with folder() as d:
            path = make(f"{d}/shared", 256)
            with subprocess.Popen(["sh", "-c", 'while :; do cat "$0" >/dev/null; done', path]) as p:
                try:
                    sums, _ = told(path, *cat(path))
                finally:
                    p.kill()
            assert (sums["read_hits"], sums["misses"]) == (256, 0), sums
    until_calm(run)


def test_named_at_exec():
    """A filter by name: who gets it as it executes is counted from there on, and not before"""
    live.need_root()
    with folder() as tmp:
        path = make(tmp + "/named", PAGES)
        # The shell reads it first, under a name of its own that is not known yet, as long as it
        # takes until that is out of scope.
        script = 'while read -r line; do :; done <"$0"; exec cat "$0" >/dev/null'
        shells = [f"{tmp}/shell-{i}" for i in range(5)]
        for shell in shells:
            os.symlink(shutil.which("sh"), shell)

        begun = live.now_ns()
        subprocess.run([shells[0], "-c", script, path], check=True)
        delay = 0.8 * (live.now_ns() - begun) / 1e9  # mostly one interval ends while a shell reads

        def run():
            with live.Watch("cache", "--comm", "^cat$", "--group", "file", delay=delay) as watch:
                watch.next()
                watch.next()
                for shell in shells:
                    subprocess.run([shell, "-c", script, path], check=True)
                watch.until(live.now_ns())
                watch.next()
            rows = [r for report in watch.reports for r in report["rows"]
                    if os.path.basename(r["file"]) == "named"]
            assert sum(r["read_hits"] for r in rows) == len(shells) * PAGES, rows
        until_calm(run)


def test_writes():
    """What dd writes: misses where there was nothing, then hits, and what became dirty"""
    def run():
        with folder() as d:
            path = f"{d}/out"
            command = ["dd", "if=/dev/zero", f"of={path}", "bs=64k", "count=64", "conv=notrunc",
                       "status=none"]
            sums, _ = told(path, *command)
            assert (sums["write_misses"], sums["write_hits"]) == (1024, 0), sums
            live.fact("pages written: misses", 1024, sums["write_misses"])
            live.fact("pages written: dirty", 1024, sums["dirties"])
            assert sums["dirties"] == 1024, sums
            sums, _ = told(path, *command)
            assert (sums["write_misses"], sums["write_hits"]) == (0, 1024), sums
    until_calm(run)


def test_direct():
    """O_DIRECT is no traffic of the cache"""
    with folder() as d:
        path = make(f"{d}/direct", 256, drop=True)
        sums, _ = told(path, "dd", f"if={path}", "of=/dev/null", "bs=64k", "iflag=direct",
                       "status=none")
        traffic = sum(sums.get(k, 0) for k in ("hits", "misses", "readahead_added", "other_added"))
        live.fact("pages of O_DIRECT reads", 0, traffic)
        assert not traffic, sums


def test_many_files():
    """More files than there is room for: sums are what they are, and it is told"""
    count = 30000
    reader = ("import os,sys\n"
              "for i in range(int(sys.argv[2])):\n"
              " f=os.open(f'{sys.argv[1]}/{i}',0);os.read(f,100);os.close(f)\n")
    with folder() as d:
        for i in range(count):
            with open(f"{d}/{i}", "wb") as f:
                f.write(b"x" * 100)
        reports = live.batch("-V", "cache", "--group", "total", "-d", "20", "--", sys.executable,
                             "-c", reader, d, str(count))
        got = sum(r["summary"]["hits"] + r["summary"]["misses"] for r in reports)
        health = reports[-1]["health"]
        assert "in no file's row" in health["note"] and health["lost"] == 0, health
        assert got >= count, (got, health)


if __name__ == "__main__":
    live.need_root()
    live.main(dict(globals()))
