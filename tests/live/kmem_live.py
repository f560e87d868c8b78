#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Kernel memory: objects that a workload holds, of caches and in numbers that are known; perf stat
and bpftrace on the same tracepoints."""
import collections
import contextlib
import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from cgroups import cgroup, with_controller  # noqa: E402

PIPES, SOCKETS, KEPT = 500, 300, 30
FLOWS = "acquired", "acquired_bytes", "released", "released_bytes"


class Held:
    """The workload, step by step; what is held of each key after each."""

    def __init__(self, *options, group="cache", key="cache", pipes=PIPES, sockets=SOCKETS,
                 during=None):
        live.need_root()
        self.after, self.said, self.key = [], [], key
        with live.Workload("kmem_holds", pipes, sockets, min(KEPT, sockets)) as work, \
             live.Watch("kmem", "--group", group, "--pid", work.pid, *options,
                        binary=live.CHECKED) as watch:
            watch.next()
            self.pid = work.pid
            if during:
                during.begin(work.pid)
            for _ in range(3):
                os.kill(work.pid, signal.SIGUSR1)
                self.said.append(json.loads(work.process.stdout.readline()))
                watch.until(live.now_ns() + int(0.3e9))  # what RCU frees comes later
                self.after.append({r[key]: r for r in watch.reports[-1]["rows"]}
                                  if isinstance(key, str) else watch.reports[-1]["rows"])
            if during:
                during.end()
            os.kill(work.pid, signal.SIGUSR1)
            self.reports = watch.reports
        self.health = self.reports[-1]["health"]
        assert self.health["map_full"] == 0, self.health
        for report in self.reports:
            sound(report)

    def held(self, step, name, field="held"):
        row = self.after[step].get(name)
        return row[field] if row else 0

    def flows(self, field, *names):
        return sum(r[field] for x in self.reports for r in x["rows"]
                   if not names or r[self.key] in names)


def sound(report):
    """What holds of every report, and that rows sum to what is said of all."""
    for field in ("held", "held_bytes", *FLOWS):
        assert sum(r[field] for r in report["rows"]) == report["summary"][field], field
    wall = report["t1_ns"]
    for r in report["rows"]:
        assert (r["oldest_ns"] is None) == (r["held"] == 0), r
        assert r["oldest_ns"] is None or 0 <= r["oldest_ns"] < wall, r


def test_objects_of_known_caches():
    """Files and sockets that a program holds are held, and go when it closes them"""
    h = Held("--sample-bytes", "0")
    for step, said in enumerate(h.said):
        live.near(h.held(step, "filp"), said["files"], 1, f"files held after step {step + 1}")
        live.near(h.held(step, "sock_inode_cache"), said["sockets"], 1,
                  f"sockets held after step {step + 1}")
    size = h.held(0, "filp", "held_bytes") / h.held(0, "filp")
    assert size == slab_size("filp"), f"a file is {size} bytes, slabinfo: {slab_size('filp')}"


def slab_size(cache):
    with open(f"/sys/kernel/slab/{cache}/slab_size", encoding="ascii") as f:
        return int(f.read())


def test_flows_are_what_is_held():
    """What came less what went is what is held, in each cache"""
    h = Held("--sample-bytes", "0")
    for name, row in h.after[2].items():
        end = {r["cache"]: r for r in h.reports[-1]["rows"]}.get(name, row)
        assert h.flows("acquired", name) - h.flows("released", name) == end["held"], name
        assert h.flows("acquired_bytes", name) - h.flows("released_bytes", name) == \
            end["held_bytes"], name


class PerfStat:
    """How often each event happened in a process."""

    def begin(self, pid):
        self.process = subprocess.Popen(
            ["perf", "stat", "-x,", "-e", "kmem:kmem_cache_alloc,kmem:kmalloc,kmem:mm_page_alloc",
             "-p", str(pid)], stderr=subprocess.PIPE, text=True)
        live.wait_for(self.counts_already)

    def counts_already(self):
        """perf to have its events"""
        folder = f"/proc/{self.process.pid}/fd/"
        for fd in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):  # closed since it was listed
                if "perf_event" in os.readlink(folder + fd):
                    return True
        return False

    def end(self):
        self.process.send_signal(signal.SIGINT)
        text = self.process.communicate(timeout=30)[1]
        self.counts = {m[2]: int(m[1]) for m in re.finditer(r"^(\d+),,kmem:(\w+),", text, re.M)}
        assert len(self.counts) == 3, text


def test_perf_stat_counts_the_same():
    """perf stat counts as many allocations in the process"""
    try:
        subprocess.run(["perf", "--version"], stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError) as why:
        raise live.Skip("no perf") from why
    perf = PerfStat()
    h = Held("--sample-bytes", "0", group="kind", key="kind", during=perf)
    slab = perf.counts["kmem_cache_alloc"] + perf.counts["kmalloc"]
    live.near_peer(h.flows("acquired", "slab"), ("perf stat", slab), 0.01 * slab,
                   "objects of caches")
    live.near_peer(h.flows("acquired", "page"), ("perf stat", perf.counts["mm_page_alloc"]),
                   max(5, 0.02 * perf.counts["mm_page_alloc"]), "allocations of pages")


def test_stacks_say_who():
    """Held objects have the stack that they were made from"""
    h = Held("--sample-bytes", "0", group="stack", key=None)
    by = collections.Counter()
    for r in h.after[0]:
        names = [f["symbol"] for f in r["stack"]]
        assert not any(n.startswith(("bpf_trace_run", "bpf_prog_")) for n in names), names
        for call, inside in (("pipe", "create_pipe_files"), ("socket", "__sock_create")):
            if inside in names:
                by[call] += r["held"]
    assert by["pipe"] >= 3 * PIPES and by["socket"] >= 2 * SOCKETS, by


def test_sampled_estimates():
    """Sampled by bytes, what is held is estimated without bias"""
    h = Held("--sample-bytes", "2048", pipes=4000, sockets=0)
    files, size = h.said[0]["files"], slab_size("filp")
    # p = 1 - exp(-size / N) of each is followed and stands for 1/p: the variance is n (1 - p) / p.
    p = 1 - 2.718281828 ** (-size / 2048)
    sigma = (files * (1 - p) / p) ** 0.5
    live.near(h.held(0, "filp"), files, 4.5 * sigma, "files held, an estimate")
    assert h.health["samples"] >= 0 and "sampled" in h.health["note"], h.health["note"]
    live.near(h.held(2, "filp"), 0, 1, "files held in the end")


def test_others_are_nobody_s():
    """With a filter only the process is counted"""
    h = Held("--sample-bytes", "0", group="pid", key="pid")
    assert set(h.after[0]) == {h.pid}, h.after[0]
    assert all(x["summary"]["released_unseen"] == 0 for x in h.reports)


def test_memory_of_a_cgroup():
    """Beside slabs and free pages stands what the memory controller says of the group that is looked at"""
    live.need_root()
    base = with_controller("memory")
    with cgroup(base, f"proftop-kmem-{os.getpid()}") as path:
        keep = f"import time; b = bytearray({20 << 20}); print(1, flush=True); time.sleep({live.LIMIT_S})"
        with subprocess.Popen(["sh", "-c", f'echo $$ >{path}/cgroup.procs; exec {sys.executable} -c "{keep}"'],
                              stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            try:
                reports = live.batch("-V", "kmem", "-n", 1, "-d", "0.5", "-G", path[len(base):])
                v1 = os.path.exists(path + "/memory.usage_in_bytes")
                with open(path + "/memory.stat", encoding="ascii") as f:
                    stat = dict(line.split() for line in f)
            finally:
                process.kill()
    note = reports[-1]["health"]["note"]
    said = re.search(r"cgroup (\S+) has (\d+) MiB: anon (\d+), file (\d+), kernel (\d+)", note)
    assert said and said[1] == path[len(base):], note
    live.near(int(said[3]), int(stat["rss" if v1 else "anon"]) >> 20, 1, "MiB of anonymous memory")
    assert 20 <= int(said[3]) <= int(said[2]), note


def test_levels():
    """The summary says what /proc/meminfo and /proc/buddyinfo do"""
    live.need_root()
    with open("/proc/meminfo", encoding="ascii") as f:
        meminfo = {line.split(":")[0]: int(line.split()[1]) << 10 for line in f}
    summary = live.batch("-V", "kmem", "-n", 1, "-d", "0.2")[-1]["summary"]
    assert abs(summary["slab_bytes"] - meminfo["Slab"]) < meminfo["Slab"] / 4, (summary, meminfo["Slab"])
    assert summary["slab_unreclaimable_bytes"] < summary["slab_bytes"], summary
    assert 0 <= summary["free_small_bytes"] <= summary["free_bytes"] <= meminfo["MemTotal"], summary


if __name__ == "__main__":
    live.main(globals())
