# SPDX-License-Identifier: GPL-2.0-only
"""What a second of a view takes beyond the second, and of the tool for the same question: most of it is the verifier's."""
import subprocess
import time

import live
from figures import need, ratio_at_most, result, tool

TOOLS = {"offcpu": ("offcputime", "1"), "sched": ("runqlat", "1", "1"), "io": ("biolatency", "1", "1"),
         "syscalls": ("syscount", "-d", "1"), "irq": ("softirqs", "1", "1")}


def beyond_a_second(*command):
    """Milliseconds."""
    start = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.monotonic() - start - 1) * 1000


def one_view(name):
    return beyond_a_second(live.RELEASE, "-b", "-V", name, "-d", "1", "-n", "1")


def bench_first(rounds):
    need(*(command[0] for command in TOOLS.values()))
    for view, (name, *arguments) in TOOLS.items():
        rows = [(one_view(view), beyond_a_second(tool(name), *arguments)) for _ in range(rounds)]
        result(f"first second of {view}: what it takes beyond it", [x[0] for x in rows], [x[1] for x in rows], name, "ms")
    result("first second of overview: what it takes beyond it", [one_view("overview") for _ in range(rounds)], [4000],
           "what is left of five seconds", "ms", ratio_at_most(1))
