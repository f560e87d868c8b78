# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's locks beside perf lock contention -b, which adds up in BPF programs, too: how many contentions both see
while programs create files in one directory, and what the programs on contention_begin and contention_end take for
each. Debian's perf has no -b; one that has it is made of Debian's source of the kernel, once."""
import contextlib
import glob
import os
import re
import subprocess
import time

import live
from bpf_stats import programs_ns, programs_runs, statistics_on
from creates import begin, loads
from figures import Missing, need, ratio_at_least, ratio_at_most, result
from mix_bench import name_of

ROUNDS = 5
SECONDS = 3
LIMIT_S = 120
SOURCE = "/usr/src/linux-source-*.tar.xz"
MAKE = ("BUILD_BPF_SKEL=1", "WERROR=0", *(f"NO_{x}=1" for x in (
    "LIBPERL", "LIBPYTHON", "LIBBABELTRACE", "SLANG", "GTK2", "LIBCRYPTO", "LIBNUMA", "LIBCAP", "SDT", "JVMTI",
    "LIBUNWIND", "LIBZSTD", "AIO")))


# --- the peer ---

def has_bpf(perf):
    done = subprocess.run([perf, "lock", "contention", "-b", "-a", "--", "true"], capture_output=True, check=False)
    return done.returncode == 0


def made(path):
    """perf with BPF programs, below build/."""
    need("flex", "bison")
    sources = sorted(glob.glob(SOURCE))
    if not sources:
        raise Missing(f"{SOURCE} (package linux-source)")
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    parts = ("tools", "scripts", "include/uapi", "arch/x86", "arch/arm64", "kernel/bpf", "Makefile")
    subprocess.run(["tar", "xf", sources[-1], "-C", folder, "--strip-components=1", "--wildcards",
                    *(f"linux-source-*/{p}{'' if p == 'Makefile' else '/*'}" for p in parts)], check=True)
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        done = subprocess.run(["nice", "make", "-C", f"{folder}/tools/perf", f"-j{os.cpu_count()}", *MAKE], stdout=log,
                              stderr=log, check=False)
    if done.returncode:
        raise Missing(f"perf with -b, which could not be made: {folder}/log")
    os.link(f"{folder}/tools/perf/perf", path)


def perf_with_bpf():
    path = os.path.join(live.BUILD, "kernels/perf/perf")
    if has_bpf("perf"):
        return "perf"
    if not os.path.exists(path):
        made(path)
    if not has_bpf(path):
        raise Missing("perf lock contention -b, which does not run here")
    return path


# --- what both see ---

def seen_by_perf(text):
    """Contentions of what sleeps: within such a wait perf counts no other one."""
    return sum(int(n) for n in re.findall(r"^ +(\d+) .* (?:rwsem:[RW]|mutex) +\S+", text, re.M))


def seen_by_us(reports):
    rows = [r for x in reports for r in x["rows"] if r["kind"] == "kernel"]
    return sum(r["count"] for r in rows if re.search(r"\b(rwsem:[RW]|mutex)\b", r["lock"]))


def counts(perf):
    """(ours, perf's) of the same load at the same time."""
    with loads(SECONDS) as work:
        pids = ",".join(str(w.pid) for w in work)
        command = [perf, "lock", "contention", "-b", "-p", pids, "--", "sh", "-c", "echo ready; read line"]
        pipes = {x: subprocess.PIPE for x in ("stdin", "stdout", "stderr")}
        with subprocess.Popen(command, text=True, **pipes) as peer, \
             live.Watch("locks", "-p", pids, "--group", "lock", binary=live.RELEASE) as watch:
            watch.next()
            assert peer.stdout.readline() == "ready\n"
            begin(work)
            for w in work:
                w.wait(LIMIT_S)
            watch.until(live.now_ns())
            err = peer.communicate("\n", timeout=LIMIT_S)[1]
    return seen_by_us(watch.reports), seen_by_perf(err)


# --- what it takes ---

def names(pid):
    """{name: id} of its programs on contention, which are there while it runs."""
    found = {}
    for program in programs_runs(pid):
        with contextlib.suppress(subprocess.CalledProcessError):
            found[name_of(program)] = program
    return {n: i for n, i in found.items() if n.startswith("contention_")}


def takes(command):
    """ns of its programs for each contention."""
    with loads(10 * LIMIT_S) as work:
        begin(work)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as p:
            try:
                end = time.monotonic() + LIMIT_S
                while len(ours := names(p.pid)) < 2 or not all(programs_runs(p.pid)[i] for i in ours.values()):
                    assert p.poll() is None and time.monotonic() < end, command
                    time.sleep(0.1)
                before = programs_runs(p.pid), programs_ns(p.pid)
                time.sleep(SECONDS)
                runs, ns = ({n: now[i] - was[i] for n, i in ours.items()}
                            for was, now in zip(before, (programs_runs(p.pid), programs_ns(p.pid))))
            finally:
                p.terminate()
                p.wait(LIMIT_S)
    return sum(ns.values()) / next(n for name, n in runs.items() if name.startswith("contention_e"))


def bench_locks(rounds):
    perf = perf_with_bpf()
    rounds = max(rounds, ROUNDS)
    both = [counts(perf) for _ in range(rounds)]
    result("contentions of the kernel's locks that sleep, counted", [a for a, _ in both], [b for _, b in both],
           "perf lock contention -b", "", ratio_at_least(0.98))
    ours = [live.RELEASE, "-b", "-V", "locks", "-n", "100000"]
    peer = [perf, "lock", "contention", "-b", "-a", "sleep", "100000"]
    with statistics_on():
        both = [(takes(ours), takes(peer)) for _ in range(rounds)]
    result("a contention in the kernel: its programs", [a for a, _ in both], [b for _, b in both],
           "perf lock contention -b", "ns", ratio_at_most(1.0))
