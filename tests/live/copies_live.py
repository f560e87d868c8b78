#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
User stacks of code without frame pointers where BPF may not be used: copied by the perf engine with
each sample, for a user without privileges and his own process. They are as complete as those that the
kernel walks, and the same.
"""
import collections
import contextlib
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

SOURCES = os.path.join(live.ROOT, "tests/workloads")
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
RATE = 499
SHAPES = "deep", "alloca", "realigned", "callback", "tail", "threads"


def need():
    live.need_root()
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        if int(f.read()) > 2:
            raise live.Skip("perf_event_paranoid above 2 forbids it")


@contextlib.contextmanager
def shapes(*names):
    """The workload, run by nobody, and a proftop that nobody can run."""
    need()
    with live.temporary() as folder:
        path, program = os.path.join(folder, "shapes"), os.path.join(folder, "proftop")
        subprocess.run(["gcc", "-D_GNU_SOURCE", "-w", "-O2", "-fomit-frame-pointer",
                        os.path.join(SOURCES, "unwind_shapes.c"), "-o", path, "-ldl", "-lpthread",
                        "-lrt"], check=True)
        shutil.copy(live.RELEASE, program)
        with live.Workload("shapes", *(names or SHAPES), path=path, wrap=NOBODY, cwd="/") as work:
            yield work.pid, program


def report(pid, *args, **how):
    """Of two intervals the second one: what is mapped is known then."""
    return live.batch("-V", "cpu", "-p", pid, "-n", 2, "-d", 1, "-F", RATE, *args, **how)[-1]


def early(health):
    """How many copies were not walked to their outermost frame."""
    ends = health["user_stacks"]
    return sum(ends[k] for k in ("cut", "not_known_yet", "no_table_yet", "no_row", "bad_stack",
                                 "no_frame_pointer", "copy_too_short", "not_walked"))


def test_complete():
    """Copies of 8 KiB reach the outermost frame in 99 %, and frame pointers do not"""
    with shapes() as (pid, program):
        health = report(pid, wrap=NOBODY, binary=program)["health"]
        chains = report(pid, "--call-graph", "fp", wrap=NOBODY, binary=program)["health"]
    ends = health["user_stacks"]
    assert health["tier"] == "perf" and ends["by"] == "copies", health
    assert "8 KiB copied with each sample" in health["note"], health
    assert health["samples"] > 10, health
    assert early(health) <= max(1, 0.01 * ends["whole"]), health
    assert health["stacks_truncated_pct"] <= max(1, 100 / health["samples"]), health
    assert chains["user_stacks"]["by"] == "frame pointers", chains
    assert chains["stacks_truncated_pct"] > 50, chains


def test_copy_too_short():
    """A copy that is too short is said to be: 60 frames do not fit into 1 KiB"""
    with shapes("deep") as (pid, program):
        health = report(pid, "--stack-copy", 1024, wrap=NOBODY, binary=program)["health"]
    assert health["user_stacks"]["copy_too_short"] > 0, health
    assert "longer than the copy (--stack-copy)" in health["note"], health


def chains_of(pid, **how):
    """How often which stack was seen in user mode, all that nobody may see."""
    run = live.proftop("-b", "-n", 1, "-d", 2, "-F", RATE, "-e", "cpu-clock:u", "-p", pid,
                       "--format", "folded", **how)
    assert run.status == 0, str(run)
    shares = collections.Counter()
    for line in run.out.splitlines():
        stack, n = line.rsplit(" ", 1)
        shares[tuple(stack.split(";")[1:])] += int(n)
    return shares


def test_same_as_the_kernels_walk():
    """Stacks are those that BPF walks by the same tables"""
    with shapes() as (pid, program):
        copies = chains_of(pid, wrap=NOBODY, binary=program)
        walked = chains_of(pid, binary=live.RELEASE)
    for some, others, what in ((copies, walked, "copies"), (walked, copies, "BPF")):
        total = sum(some.values())
        assert total > 20, f"{what}: only {total} samples"
        # One in ten is there in both, or it is another stack.
        lone = {s: n for s, n in some.items() if n > 0.1 * total and s not in others}
        assert not lone, f"only with {what}: {lone}; else {others.most_common(8)}"


if __name__ == "__main__":
    live.main(globals())
