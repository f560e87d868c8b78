# SPDX-License-Identifier: GPL-2.0-only
"""What BPF programs of a process ran, as the kernel counts it while it is told to."""
import contextlib
import re

import live

SYSCTL = "/proc/sys/kernel/bpf_stats_enabled"


@contextlib.contextmanager
def statistics_on():
    with open(SYSCTL, encoding="ascii") as f:
        before = f.read()
    try:
        with open(SYSCTL, "w", encoding="ascii") as f:
            f.write("1")
        yield
    finally:
        with open(SYSCTL, "w", encoding="ascii") as f:
            f.write(before)


def counted(pid, what):
    found = {}
    for text in live.fdinfos(pid):
        got = dict(re.findall(r"^(prog_id|run_cnt|run_time_ns|verified_insns):\s+(\d+)$", text, re.M))
        if what in got:
            found[int(got["prog_id"])] = int(got[what])
    return found


def programs_runs(pid):
    """{id: runs} of the programs that a process holds."""
    return counted(pid, "run_cnt")


def programs_ns(pid):
    """{id: ns} of their runs."""
    return counted(pid, "run_time_ns")


def programs_verified(pid):
    """{id: instructions} that the verifier processed of them; Linux 5.16 on."""
    return counted(pid, "verified_insns")
