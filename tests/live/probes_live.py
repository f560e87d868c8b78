#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The picker of functions, static probes and tracepoints, and what is offered for what is picked: each
session runs on the live screen, and the programs are built here, so their names and lines are known."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

SOURCE = os.path.join(live.ROOT, "tests/workloads/arguments/arguments.c")
USDT = os.path.join(live.WORKLOADS, "usdt")


def session(*lines, options=()):
    """Runs lines of a script on an empty view of functions; each `wait` has to come true."""
    live.need_root()
    with tempfile.NamedTemporaryFile("w", suffix=".script") as script:
        script.write("\n".join(("wait A picks functions", *lines, "quit", "")))
        script.flush()
        run = live.proftop("-V", "funcs", *options, "--script", script.name, "--size", "160x40",
                           binary=live.CHECKED)
    assert run.status == 0, run


def line_of(text):
    with open(SOURCE, encoding="utf-8") as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


def probes(path, *lines):
    return ("key :", f"type probes {path}", "key Enter", "wait members", *lines)


def test_functions():
    """Functions with their source lines, found by typing; the menu; the commands with their arguments"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picked")
        subprocess.run(["gcc", "-g", "-O0", "-o", path, SOURCE], check=True)
        line = line_of("NOINLINE long members(") + 1  # of its brace, where its code begins
        session(*probes(path, "type members", f"wait arguments.c:{line}", "key Enter",
                        "wait time its calls", "type time by result", "key Enter",
                        f"wait function {path}:members by text, req->len, ret", "key Enter",
                        "wait 1 function is picked"))
        session(*probes(path, "type members", "key Enter", "wait time its calls", "type who", "key Enter",
                        f"wait ask count uprobe:{path}:members by text, req->len, req->name, ustack", "key Enter",
                        "wait asked"), options=("-p", os.getpid()))
        session(*probes(path, "type members", "key Enter", "wait time its calls", "type count its",
                        "key Enter", f"wait ask count uprobe:{path}:members"))


def test_static_probes():
    """Static probes with arguments and semaphores, of a process that runs; tracepoints"""
    with live.Workload("usdt") as work:
        session("key A", "wait static probe", "type proftest:", "wait proftest:gated",
                "wait semaphore, usdt", "type step", "wait 5 arguments, usdt", "key Enter",
                f"wait ask count usdt:pid:{work.pid}:proftest:step by arg1, arg2",
                options=("-p", work.pid))
        session("key :", "type probes", "key Enter", "wait static probe", "type sched:sched_switch", "wait tracepoint",
                "key Enter",
                "wait ask count sched:sched_switch by comm", options=("-p", work.pid))


def test_process():
    """Without a process in the filter one is picked first; a row of a timed function leads to the menu"""
    with live.Workload("funcs", "load") as work:
        session("key A", "wait process whose functions", f"type {work.pid} funcs", "key Enter",
                "wait static probe", "type busy_call", "wait busy_call", "key Enter",
                "wait time its calls", "key Enter", f"wait function pid:{work.pid}:busy_call")
        os.kill(work.pid, 10)
        session("key :", f"type function !pid:{work.pid}:busy_call", "key Enter", "wait busy_call  ",
                "key A", "wait who calls it with what", "key Enter",
                f"wait function pid:{work.pid}:busy_call")


if __name__ == "__main__":
    live.main(globals())
