#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What gperftools and jemalloc say of a program's heap: its leak checker asks proftop for names, and heap
profiles open as recordings whose sums are those of the program, and of pprof."""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

N, SIZE = 500, 1000
WORK = os.path.join(live.WORKLOADS, "leaks")


def library(name):
    """Where it is, as the linker has it"""
    out = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    paths = [line.split(" => ")[1] for line in out.splitlines() if line.strip().startswith(name)]
    if not paths:
        raise live.Skip(f"there is no {name}")
    return paths[0]


def pprof():
    path = shutil.which("google-pprof")
    if not path:
        raise live.Skip("there is no google-pprof")
    return path


def run(preload, *more, n=N, size=SIZE, **env):
    return subprocess.run([WORK, str(n), str(size), *more], capture_output=True, text=True, timeout=live.LIMIT_S,
                          env={**os.environ, "LD_PRELOAD": preload, **env})


def frames(said):
    return re.findall(r"^\t@ [0-9a-f]+ (.*)$", said, re.M)


def test_leak_checker():
    """HEAPCHECK with PPROF_PATH=proftop names the same functions as with pprof, in each frame"""
    preload, peer = library("libtcmalloc.so"), pprof()
    with live.temporary() as folder:
        path = os.path.join(folder, "pprof")
        with open(path, "w") as f:  # what is preloaded is for the program alone
            f.write(f'#!/bin/sh\nunset LD_PRELOAD HEAPCHECK\nexec {live.CHECKED} "$@"\n')
        os.chmod(path, 0o755)
        ours, theirs = (run(preload, HEAPCHECK="normal", PPROF_PATH=p, HEAP_CHECK_DUMP_DIRECTORY=folder)
                        for p in (path, peer))
    live.near(len(frames(ours.stderr)), len(frames(theirs.stderr)), 0, "frames of the leak")
    assert frames(ours.stderr)[:2] == ["leak_blocks", "main"], ours.stderr
    assert frames(ours.stderr) == frames(theirs.stderr), (ours.stderr, theirs.stderr)
    assert not any(report in ours.stderr for report in live.ASAN_REPORT), ours.stderr


def test_same_lines():
    """--symbols PROGRAM writes for each function of a program the line that pprof --symbols writes"""
    peer = pprof()
    nm = subprocess.run(["nm", "--defined-only", WORK], capture_output=True, text=True, check=True).stdout
    starts = [int(a, 16) for a, kind, name in (line.split() for line in nm.splitlines())
              if kind in "tT" and not name.startswith(("_", ".", "deregister", "register", "frame_dummy"))]
    base = 0x500000000000
    maps = f"{base:x}-{base + 0x100000:x} r-xp 00000000 08:01 1 {WORK}\n"
    text = maps + "".join(f"0x{base + at + 1:x}\n" for at in starts)
    ours, theirs = (subprocess.run([path, "--symbols", WORK], input=text, capture_output=True, text=True, check=True)
                    .stdout for path in (live.CHECKED, peer))
    assert ours == theirs and "leak_blocks" in ours, (ours, theirs)
    none = subprocess.run([live.CHECKED, "--symbols", WORK], input=maps + "0x10\n", capture_output=True, text=True,
                          check=True).stdout
    assert none == "??\n", none


INLINED = """
static inline __attribute__((always_inline)) int within(volatile int *p) { return *p; }
__attribute__((noinline)) int around(volatile int *p) { return within(p) + 1; }
int main(int argc, char **argv) { (void)argv; return around(&argc); }
"""


def test_inlined():
    """Code that is inlined has the name of the function that it is in, as with pprof --symbols"""
    peer, gcc = pprof(), shutil.which("gcc")
    if not gcc:
        raise live.Skip("there is no gcc")
    with live.temporary() as folder:
        source, path = os.path.join(folder, "work.c"), os.path.join(folder, "work")
        with open(source, "w", encoding="ascii") as f:
            f.write(INLINED)
        subprocess.run([gcc, "-O2", "-g", "-no-pie", "-o", path, source], check=True)
        nm = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        at = next(int(line.split()[0], 16) for line in nm.splitlines() if line.endswith(" around"))
        within = subprocess.run(["addr2line", "-f", "-i", "-e", path, hex(at + 1)], capture_output=True, text=True,
                                check=True).stdout
        assert within.splitlines()[0] == "within", within
        text = f"400000-500000 r-xp 00000000 08:01 1 {path}\n0x{at + 1:x}\n"
        ours, theirs = (subprocess.run([p, "--symbols", path], input=text, capture_output=True, text=True,
                                       check=True).stdout for p in (live.CHECKED, peer))
    assert ours == theirs == "around\n", (ours, theirs)


def replay(path):
    """The rows of its only interval, by the function that allocated"""
    reports = live.batch("--replay", path)
    assert len(reports) == 1 and reports[0]["view"] == "heap", reports
    return {r["stack"][0]["symbol"]: r for r in reports[0]["rows"] if r["stack"]}, reports[0]


def test_tcmalloc():
    """A profile of HEAPPROFILE opens in view heap, with all that was held and all that was given"""
    with live.temporary() as folder:
        run(library("libtcmalloc.so"), HEAPPROFILE=os.path.join(folder, "p"))
        rows, _ = replay(sorted(glob.glob(os.path.join(folder, "p.*.heap")))[-1])
    live.near(rows["leak_blocks"]["held"], N, 0, "blocks held, of a tcmalloc profile")
    live.near(rows["leak_blocks"]["held_bytes"], N * SIZE, 0, "bytes held")
    live.near(rows["free_blocks"]["held"], 0, 0, "blocks that were freed")
    live.near(rows["free_blocks"]["acquired"], N, 0, "of those given")


def test_jemalloc():
    """A profile of jemalloc, sampled, is estimated as pprof does, and it is said that it is"""
    n, size, rate = 50000, 1024, 16384
    with live.temporary() as folder:
        path = os.path.join(folder, "j.heap")
        run(library("libjemalloc.so"), path, n=n, size=size, MALLOC_CONF="prof:true,lg_prof_sample:14")
        rows, report = replay(path)
        peer = subprocess.run([pprof(), "--collapsed", "--inuse_space", WORK, path], capture_output=True, text=True)
    p = 1 - 2.718281828 ** (-size / rate)
    sigma = (n * (1 - p) / p) ** 0.5
    live.near(rows["leak_blocks"]["held"], n, 5 * sigma, "blocks held, an estimate of jemalloc's samples")
    assert "estimated" in report["health"]["note"], report["health"]
    theirs = [float(line.rsplit(" ", 1)[1]) for line in peer.stdout.splitlines() if "leak_blocks" in line]
    if theirs:
        live.near(rows["leak_blocks"]["held_bytes"], sum(theirs), 0.001 * sum(theirs), "bytes, as pprof has them")


if __name__ == "__main__":
    live.main(globals())
