# SPDX-License-Identifier: GPL-2.0-only
"""What the view of system calls costs whom it watches, beside libbpf-tools' syscount: CPU time
added to a call that does next to nothing (perf bench syscall basic: getppid), and whether all of
them were counted."""
import contextlib
import json
import re
import subprocess
import tempfile
import time

import live
from figures import need, note, ratio_at_most, result
from sched_bench import attached, children_us, in_turns, on_last_cpu, peer

OPERATIONS = 3_000_000
ROUNDS = 7


def call_us():
    before = children_us()
    said = subprocess.run(on_last_cpu("perf", "bench", "syscall", "basic", "-l", str(OPERATIONS)),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    found = re.search(r"Executed ([\d,]+) ", said.stdout)
    return (children_us() - before) / int(found[1].replace(",", ""))


def check(path, counted):
    """Nothing is lost, and every call is in a row."""
    with open(path, encoding="utf-8") as f:
        reports = [json.loads(line) for line in f]
    calls = sum(r["count"] for x in reports for r in x["rows"] if r["syscall"] == "getppid")
    health = reports[-1]["health"]
    counted.append((calls, health["lost"], health["map_full"]))


@contextlib.contextmanager
def batch(counted):
    with tempfile.NamedTemporaryFile("w") as out, \
            subprocess.Popen([live.RELEASE, "-b", "-V", "syscalls", "--format", "json", "-d", "1",
                              "-n", "100000"], stdout=out, stderr=subprocess.DEVNULL) as p:
        live.wait_for(lambda: attached(p.pid), 20)
        time.sleep(2)  # as after the start of any view: names and tables are there
        yield [p.pid]
        p.terminate()
        p.wait(30)
        check(out.name, counted)


def bench_syscalls(rounds):
    need("perf", "taskset", "syscount")
    counted = []
    added = in_turns(max(rounds, ROUNDS), {"ours": lambda: batch(counted),
                                           "syscount": lambda: peer("syscount", "-L", "-i", "1")},
                     call_us)
    result("added to perf bench syscall basic, syscalls open", added["ours"], added["syscount"],
           "syscount -L", "us/op", ratio_at_most(0.7))
    note("counted of each round's calls, lost, without room: " +
         ", ".join(f"{n} of {OPERATIONS}, {lost}, {full}" for n, lost, full in counted))
    assert all(n >= OPERATIONS and not lost for n, lost, _ in counted), counted
