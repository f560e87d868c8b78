#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the CPU tells of a sample, beside who and where: accesses to memory with their latency and where the data came
from, and branches. Clocks tell nothing, and the kernel says so in a value of its own."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

# PERF_MEM_NA of linux/perf_event.h: each part is "not available".
NOT_AVAILABLE = 1 | 1 << 5 | 1 << 19 | 1 << 24 | 1 << 26 | 0xF << 33
HZ = 499


def need_context():
    """Where programs can get at the kernel's own context."""
    release = tuple(int(n) for n in os.uname().release.split("-")[0].split(".")[:2])
    if release < (6, 2):
        raise live.Skip("programs see no more than registers before Linux 6.2")


def asked(question):
    live.need_root()
    need_context()
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as work:
        try:
            report, = live.batch("--ask", question, "-p", work.pid, "-F", HZ, "-n", 1, "-d", 1)
        finally:
            work.kill()
    assert report["summary"]["count"] > HZ / 4, report["summary"]
    return report["rows"]


def test_clock():
    """A clock's samples are of no access: the kernel's own value for that, and a weight of 0"""
    row, = asked("count cpu-clock by data_src, weight")
    assert (row["data_src"], row["weight"]) == (NOT_AVAILABLE, 0), row


def test_words():
    """The parts of that in words, and as conditions in the kernel"""
    row, = asked("count cpu-clock by source, access, tlb")
    assert {row[k] for k in ("source", "access", "tlb")} == {"unknown"}, row
    row, = asked(f"count cpu-clock if data_src == {NOT_AVAILABLE} && !weight by snoop hist weight")
    assert row["snoop"] == "unknown" and row["max"] == row["min"] == 0, row


def test_branches():
    """Branches need what notes them: a line that says so"""
    live.need_root()
    need_context()
    done = live.proftop("-b", "-n", 1, "-d", 1, "--ask", "count cpu-clock by branch, guessed")
    assert done.status == 4 and "LBR" in done.err and done.err.count("\n") == 1, str(done)


if __name__ == "__main__":
    live.main(globals())
