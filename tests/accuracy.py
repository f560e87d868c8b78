#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""docs/ACCURACY.md from the tests that know the truth: what was true, what proftop said, what
another tool said of the same seconds.

	make accuracy

Runs the live tests below as they are; each comparison of theirs (live.near, live.near_peer,
live.fact) is a row. Rows of one case and kind are put together: the worst one is shown, and how
many there were. A test that fails is run once more, as in `make check`; when it fails again nothing
is written.
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
HEAD = """# What was true, and what proftop said

Made by `make accuracy`, which runs the live tests and writes down what they compare. True is what
was so, and who says it: a workload by construction (`tests/workloads/` say it in their heads) or
in its log, its threads' CPU clocks, the kernel (schedstat, diskstats, mincore), the length of
the interval, or another sum of proftop's that it has to agree with. Peer is what an independent
tool said of the same seconds; where there is one it is what proftop is compared with, and what was
true stands beside it where that is known. Of a comparison that was made several times the worst is
shown. `make check` fails when one is not allowed. Stacks are compared frame by frame with libdw by
`tests/live/unwind_test.c`.
"""
COLUMNS = "Case", "What", "True", "Says who", "proftop", "Peer", "Allowed", "Times"


def run(test):
    """Its comparisons, in order; its cases that were skipped; what went wrong, as text."""
    with tempfile.NamedTemporaryFile() as facts:
        done = subprocess.run([sys.executable, os.path.join(HERE, "live", test)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, "PROFTOP_FACTS": facts.name})
        with open(facts.name, encoding="utf-8") as f:
            found = [json.loads(x) for x in f]
    skipped = [x for x in done.stdout.splitlines() if "# SKIP" in x]
    if not found and not skipped and not done.returncode:
        return found, skipped, f"{test}: compared nothing"
    return found, skipped, failure(test, done)


def failure(test, done):
    """Cases that are not ok and why, or an end that is no end; "" when all is well."""
    wrong = [x for x in done.stdout.splitlines() if x.startswith("not ok") or "Error: " in x]
    if not done.returncode and not any(x.startswith("not ok") for x in wrong):
        return ""
    said = [*wrong, *done.stderr.splitlines()[-5:]]
    return "\n".join([f"{test}: exit status {done.returncode}", *said])


def wanted(fact):
    """What ours is compared with."""
    return fact["said"] if fact["peer"] else fact["truth"]


def off(fact):
    """How far off, as a part of what is allowed; what allows nothing counts whole."""
    apart = abs(fact["ours"] - wanted(fact))
    return apart / fact["within"] if fact["within"] else apart


def number(x):
    return f"{x:,.0f}" if x == int(x) or abs(x) >= 1000 else f"{x:.4g}"


def row(fact, times):
    known = fact["truth"] is not None
    allowed = f"± {number(fact['within'])}" if fact["within"] else "exact"
    return [fact["case"], fact["what"].rstrip(","), number(fact["truth"]) if known else "-",
            fact["judge"] if known else "-", number(fact["ours"]),
            f"{number(fact['said'])} ({fact['peer']})" if fact["peer"] else "-",
            allowed + (" of the peer's" if fact["peer"] and known else ""), str(times)]


def table(facts):
    groups = collections.OrderedDict()
    for fact in facts:
        key = fact["case"], fact["what"], fact["judge"], fact["peer"]
        groups.setdefault(key, []).append(fact)
    rows = [COLUMNS, ["---"] * len(COLUMNS),
            *(row(max(same, key=off), len(same)) for same in groups.values())]
    lines = "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
    return lines.replace("&", "&amp;").replace("<", "&lt;")


def main():
    if os.geteuid():
        sys.exit("accuracy: needs root, as the live tests do")
    out = [HEAD, f"{time.strftime('%Y-%m-%d')}, Linux {platform.release()}, {os.cpu_count()} CPUs.",
           ""]
    failures = []
    for title, test in TESTS.items():
        found, skipped, wrong = run(test)
        if wrong:
            print(f"once more, as {wrong}", flush=True)
            found, skipped, wrong = run(test)
        print(f"{title}: {len(found)} comparisons, {len(skipped)} cases skipped", flush=True)
        out += [f"## {title}", "", table(found), ""]
        out += [f"- {x}" for x in skipped] + [""] * bool(skipped)
        failures += [wrong] if wrong else []
    if failures:
        sys.exit("accuracy: not written, as tests failed\n" + "\n".join(failures))
    with open(DOC, "w", encoding="utf-8") as f:
        f.write("\n".join(out).rstrip() + "\n")


if __name__ == "__main__":
    main()
