# SPDX-License-Identifier: GPL-2.0-only
"""Questions asked at run time beside bpftrace asking the same: from Enter to the first count that is shown, from the
start of the program to the first event that was counted, and what its BPF programs take for each event, as the
kernel's own statistics of programs say (sysctl kernel.bpf_stats_enabled)."""
import os
import re
import signal
import subprocess
import time

import live
from bpf_stats import SYSCTL, programs_ns, programs_runs, statistics_on
from figures import Missing, need, ratio_at_most, result, tool
from pty_session import Session
from screen import Screen

ROUNDS = 5
COUNTED_SECONDS = 2
FIRST_SECONDS = 60
WRITTEN_SECONDS = 1  # a question stands there, as it is being read once more
QUESTIONS = {
    "a key": ("count raw_syscalls:sys_enter by id",
              "tracepoint:raw_syscalls:sys_enter { @[args->id] = count(); }"),
    "a text and a number as keys": (
        "count raw_syscalls:sys_enter by comm, id",
        "tracepoint:raw_syscalls:sys_enter { @[comm, args->id] = count(); }"),
    "a condition": ('count raw_syscalls:sys_enter if id == 110 && comm != "x" by pid',
                    'tracepoint:raw_syscalls:sys_enter /args->id == 110 && comm != "x"/ '
                    "{ @[pid] = count(); }"),
    "a distribution": ("count raw_syscalls:sys_exit by id hist ret",
                       "tracepoint:raw_syscalls:sys_exit { @[args->id] = hist(args->ret); }"),
    "spans": ("span raw_syscalls:sys_enter -> raw_syscalls:sys_exit by id",
              "tracepoint:raw_syscalls:sys_enter { @b[tid] = nsecs; } "
              "tracepoint:raw_syscalls:sys_exit /@b[tid]/ "
              "{ @[args->id] = hist(nsecs - @b[tid]); delete(@b[tid]); }"),
}


def spent(pid):
    """[runs, ns] of the programs that a process holds."""
    return [sum(programs_runs(pid).values()), sum(programs_ns(pid).values())]


def ask(command):
    """ms to the first event that was counted, ns for each of those that come then."""
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL) as p:
        try:
            while not spent(p.pid)[0]:
                assert p.poll() is None, f"{command} ended: {p.returncode}"
                assert time.monotonic() < began + FIRST_SECONDS, command
                time.sleep(0.001)
            first = time.monotonic() - began
            before = spent(p.pid)
            time.sleep(COUNTED_SECONDS)
            runs, ns = (b - a for a, b in zip(before, spent(p.pid)))
        finally:
            p.terminate()
            try:
                p.wait(30)
            except subprocess.TimeoutExpired:
                p.kill()
    return first * 1000, ns / max(runs, 1)


def wait_screen(s, screen, pattern, seconds=FIRST_SECONDS):
    """Until the screen matches, or for so long when it never does; when what it is made of had come."""
    end = time.monotonic() + seconds
    came = time.monotonic()
    while not (pattern and re.search(pattern, screen.text())) and came < end:
        assert s.read_once(0.05), screen.text()
        came = time.monotonic()
        screen.feed(s.screen)
        s.screen = b""
    assert not pattern or came < end, screen.text()
    return came


def enter(question):
    """ms from Enter behind a question in :ask to its first count on the screen."""
    s, screen = Session("--no-config", "-V", "events", columns=120, rows=40), Screen(120, 40)
    try:
        wait_screen(s, screen, "nothing is asked")
        os.write(s.fd, f":ask !{question}".encode())
        wait_screen(s, screen, None, WRITTEN_SECONDS)
        began = time.monotonic()
        os.write(s.fd, b"\r")
        ms = (wait_screen(s, screen, r"[1-9][0-9.]*[kMG]? (events|spans)/s") - began) * 1000
        os.write(s.fd, b"q")
        s.wait_end()
    finally:
        if s.pid:
            os.kill(s.pid, signal.SIGKILL)
            os.waitpid(s.pid, 0)
        os.close(s.fd)
    return ms


def first_print(script):
    """ms from the start of bpftrace, which is its Enter, to the first count that it prints, as soon as it can."""
    began = time.monotonic()
    with subprocess.Popen([tool("bpftrace"), "-e", script + " interval:ms:10 { print(@); }"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as p:
        try:
            while not re.match(r"@\[", line := p.stdout.readline()):
                assert line, f"{script} ended"
            return (time.monotonic() - began) * 1000
        finally:
            p.kill()


def bench_ask(rounds):
    need("bpftrace", "perf")
    if not os.access(SYSCTL, os.W_OK):
        raise Missing(f"the right to write {SYSCTL}")
    load = [tool("perf"), "bench", "syscall", "basic", "-l", "1000000000"]
    with statistics_on(), subprocess.Popen(load, stdout=subprocess.DEVNULL) as calls:
        try:
            for what, (question, script) in QUESTIONS.items():
                ours = [live.RELEASE, "-b", "-n", "100000", "--ask", "!" + question]
                shown = [(enter(question), first_print(script)) for _ in range(max(rounds, ROUNDS))]
                result(f"{what}: Enter to the first count", [a for a, _ in shown], [b for _, b in shown],
                       "bpftrace", "ms", ratio_at_most(0.05))
                both = [(ask(ours), ask([tool("bpftrace"), "-e", script]))
                        for _ in range(max(rounds, ROUNDS))]
                for i, (figure, unit, aim) in enumerate((("start to the first event", "ms", 0.05),
                                                         ("for each event", "ns", 1.0))):
                    result(f"{what}: {figure}", [a[i] for a, _ in both], [b[i] for _, b in both],
                           "bpftrace", unit, ratio_at_most(aim))
        finally:
            calls.terminate()
