#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""docs/ACCURACY.md from the tests that know the truth: what was true, what proftop said.

	make accuracy

Runs the live tests below as they are; each comparison of theirs (live.near, live.fact) is a row.
Rows of one case and kind are put together: the worst one is shown, and how many there were.
"""
import collections
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
DOC = os.path.join(HERE, "../docs/ACCURACY.md")
TESTS = {
    "Hot functions (`cpu`)": "accuracy_live.py",
    "Waiting (`offcpu`)": "offcpu_live.py",
    "Scheduler (`sched`)": "sched_live.py",
    "Block I/O (`io`)": "io_live.py",
    "Page cache (`cache`)": "cache_live.py",
    "Unwinding": "unwind_live.py",
}
PEERS = "perf sched", "perf report", "offcputime", "biolatency", "diskstats", "/proc"


def run(test, facts):
    """Its comparisons, in order, and the cases that failed or were skipped."""
    done = subprocess.run([sys.executable, os.path.join(HERE, "live", test)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                          env={**os.environ, "PROFTOP_FACTS": facts})
    with open(facts, encoding="utf-8") as f:
        found = valid([json.loads(x) for x in f])
    odd = [x for x in done.stdout.splitlines() if x.startswith("not ok") or "# SKIP" in x]
    return found, odd


def valid(facts):
    """Without those of tries that were followed by another."""
    kept = []
    for fact in facts:
        if "forget" in fact:
            kept = [x for x in kept if x["case"] != fact["case"]]
        else:
            kept.append(fact)
    return kept


def judge(fact):
    named = [p for p in PEERS if p in fact["case"]]
    return named[0] if fact["judge"] == "by construction" and named else fact["judge"]


def off(fact):
    """How far off, as a part of what is allowed; what allows nothing counts whole."""
    apart = abs(fact["ours"] - fact["truth"])
    return apart / fact["within"] if fact["within"] else apart


def number(x):
    return f"{x:,.0f}" if x == int(x) or abs(x) >= 1000 else f"{x:.4g}"


def table(facts):
    groups = collections.OrderedDict()
    for fact in facts:
        groups.setdefault((fact["case"], fact["what"], judge(fact)), []).append(fact)
    lines = ["| Case | What | True | proftop | Allowed | Says who | Times |", "|---|---|---|---|---|---|---|"]
    for (case, what, who), same in groups.items():
        worst = max(same, key=off) if len(same) > 3 else same[-1]
        allowed = f"± {number(worst['within'])}" if worst["within"] else "exact"
        lines.append(f"| {case} | {what.rstrip(',')} | {number(worst['truth'])} | "
                     f"{number(worst['ours'])} | {allowed} | {who} | {len(same)} |")
    return "\n".join(lines).replace("&", "&amp;").replace("<", "&lt;")


def main():
    if os.geteuid():
        sys.exit("accuracy: needs root, as the live tests do")
    out = ["# What was true, and what proftop said", "",
           "Made by `make accuracy`, which runs the live tests and writes down what they compare: with",
           "workloads whose truth is known by construction (`tests/workloads/` say it in their heads), and",
           "with independent tools that watched the same seconds. Where one kind of comparison was made",
           "more than three times the worst is shown, else the last. `make check` fails when one is not",
           "allowed. Stacks are compared frame by frame with libdw by `tests/live/unwind_test.c`.", "",
           f"{time.strftime('%Y-%m-%d')}, Linux {platform.release()}, {os.cpu_count()} CPUs.", ""]
    for title, test in TESTS.items():
        with tempfile.NamedTemporaryFile() as facts:
            found, odd = run(test, facts.name)
        print(f"{title}: {len(found)} comparisons, {len(odd)} cases failed or skipped", flush=True)
        out += [f"## {title}", "", table(found), ""]
        out += [f"- {x}" for x in odd] + [""] * bool(odd)
    with open(DOC, "w", encoding="utf-8") as f:
        f.write("\n".join(out).rstrip() + "\n")


if __name__ == "__main__":
    main()
