#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Terms of the filter about frames, in views of what is counted: each takes its part of what a program does, whose
shares are known by construction (tests/workloads/python_events.py)."""
import contextlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402

SOURCE = os.path.join(live.ROOT, "tests/workloads/python_events.py")
SECONDS = 3
OTHERS = "java", "javascript", "php", "ruby", "perl", "go", "jit"


@contextlib.contextmanager
def program():
    live.need_root()
    python, = servers.need("/usr/bin/python3")
    with servers.running(python, SOURCE, text=True, stdout=subprocess.PIPE) as p:
        servers.printed(p, "ready")
        yield p


def total(pid, field, view, terms, *args):
    """The sum over all rows of an interval."""
    report = live.batch("-V", view, "-p", pid, "-n", 2, "-d", SECONDS, *args, "--filter", terms, binary=live.RELEASE)[-1]
    return sum(r[field] for r in report["rows"]), report


def check_parts(view, field, what, only="", args=(), within=3):
    """70 and 30 % below two functions; all of it is python's, and nothing of other languages."""
    with program() as p:
        parts = {name: total(p.pid, field, view, f"{only} sym~{name}$", *args)[0]
                 for name in (f"{what}_70", f"{what}_30", "works")}
        for name, truth in (f"{what}_70", 70), (f"{what}_30", 30):
            got = 100 * parts[name] / (parts[f"{what}_70"] + parts[f"{what}_30"])
            live.near(got, truth, within, f"{view}: share of {field} below {name}, %")
        python, _ = total(p.pid, field, view, f"{only} lang=python", *args)
        live.near(100 * python / parts["works"], 100, 10, f"{view}: {field} of lang=python, in % of those below its main loop")
        for other in OTHERS:
            n, report = total(p.pid, field, view, f"{only} lang={other}", "-d", 1, *args)
            assert n == 0, (other, report)


def test_syscalls():
    """Calls by the stacks that stand for them, which some have"""
    check_parts("syscalls", "count", "writes", only="syscall=write", within=8)


def test_files():
    """Operations of files"""
    check_parts("files", "count", "writes", only="op=write", within=8)


def test_faults():
    """Page faults"""
    check_parts("faults", "count", "touches")


def test_heap():
    """Memory that is held"""
    check_parts("heap", "held_bytes", "keeps", args=("--sample-bytes", "0"))


def test_questions():
    """Questions that take stacks, and lists of events"""
    count = "count syscalls:sys_enter_write by stack"
    check_parts("events", "count", "writes", args=("--ask", count), within=8)
    with program() as p:
        listed, _ = total(p.pid, "pid", "events", "sym~writes_30", "--ask", "list syscalls:sys_enter_write show stack")
        stacks = live.batch("-V", "events", "-p", p.pid, "-n", 2, "-d", 1, "--ask",
                            "list syscalls:sys_enter_write show stack", "--filter", "sym~writes_30",
                            binary=live.RELEASE)[-1]["rows"]
    assert listed and stacks, listed
    assert all(any("writes_30" in f["symbol"] for f in r["stack"]) for r in stacks), stacks[:3]


def test_negated():
    """!sym~ is about the innermost function, as in view cpu"""
    with program() as p:
        kept, _ = total(p.pid, "count", "faults", "!obj~kernel sym~touch")
        none, _ = total(p.pid, "count", "faults", "!sym~. sym~touch")
    assert kept > 0 and none == 0, (kept, none)


def test_refused():
    """Views without stacks say which views take such a term"""
    run = live.proftop("-b", "-V", "tcp", "-n", 1, "--filter", "lang=python", binary=live.RELEASE)
    assert run.status == 2 and "lang=" in run.err and "syscalls" in run.err, run


if __name__ == "__main__":
    live.main(globals())
