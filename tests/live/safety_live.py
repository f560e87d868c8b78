#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whatever ends it, nothing stays: no BPF program, map or link, no raw terminal."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from pty_session import Session  # noqa: E402


def ended_by(action, wanted):
    live.need_root()
    with Session("-V", "cpu") as s:
        s.wait_text(b"cpu")
        s.wait_text(b"/s")
        held = live.held(s.pid)
        assert held <= live.loaded(), "bpftool does not list what it holds"
        action(s)
        status = s.wait_end()
        assert status in wanted, f"exit status {status}"
        s.restored()
    nothing_stays(held)


def nothing_stays(held):
    """Others may be at work on the same machine: what this process had must be gone, and so is
    not pinned either."""
    assert any(kind == "prog" for kind, _ in held), "nothing was attached at all"

    def gone():
        """its BPF objects to go"""
        return not live.loaded() & held

    live.wait_for(gone, 5)


def test_quit():
    """q ends it and restores the terminal"""
    ended_by(lambda s: os.write(s.fd, b"q"), (0,))


def test_signals():
    """SIGTERM, SIGINT and SIGHUP restore the terminal"""
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        ended_by(lambda s, sig=sig: os.kill(s.pid, sig), (0, 1, 128 + sig, -sig))


def test_crash():
    """A crash restores the terminal"""
    for sig in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE):
        ended_by(lambda s, sig=sig: os.kill(s.pid, sig), (-sig, 128 + sig))


def test_kill_leaves_nothing():
    """After kill -9 in any view nothing is attached or pinned"""
    live.need_root()
    held, running = set(), []
    try:
        for view in ("cpu", "offcpu", "cache", "io", "sched"):
            running.append(subprocess.Popen([live.RELEASE, "-b", "-d", "0.2", "-V", view],
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            env=live.environment()))
        for process in running:
            process.stdout.readline()
            mine = live.held(process.pid)
            assert {"prog", "map", "link"} <= {kind for kind, _ in mine}, mine
            held |= mine
        assert held <= live.loaded(), "bpftool does not list what they hold"
    finally:
        for process in running:
            process.kill()
            process.communicate()
    nothing_stays(held)


def test_hangup():
    """A terminal that goes away ends it within 3 s, and nothing stays"""
    live.need_root()
    s = Session("-V", "cpu")
    s.wait_text(b"cpu")
    s.wait_text(b"/s")
    held = live.held(s.pid)
    os.close(s.fd)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        if os.waitpid(s.pid, os.WNOHANG)[0]:
            nothing_stays(held)
            return
        time.sleep(0.02)
    os.kill(s.pid, signal.SIGKILL)
    os.waitpid(s.pid, 0)
    raise AssertionError("it goes on without a terminal")


def test_hostile_names_on_screen():
    """Names full of escape sequences do not reach the terminal as such"""
    live.need_root()
    with live.Workload("hostile_names", 60) as work, \
            Session("-p", str(work.pid), "--group", "comm") as s:
        s.wait_text(b"comma")
        s.read(2)
        assert b"\x1b[2J\x1b[31mred" not in s.screen
        assert b"red\a" not in s.screen
        os.write(s.fd, b"q")
        assert s.wait_end() == 0


def test_stall_of_reader():
    """A reader that does not read for 2 s does not lose intervals' samples"""
    live.need_root()
    with live.Workload("two_functions", 30) as work:
        run = subprocess.Popen([live.CHECKED, "-b", "--format", "json", "-d", "0.2", "-n", "5",
                                "-F", "999", "-p", str(work.pid)], stdout=subprocess.PIPE,
                               env=live.environment(), text=True)
        time.sleep(2)
        out, _ = run.communicate(timeout=30)
    assert run.returncode == 0
    for line in out.splitlines():
        live.conserved(json.loads(line))


if __name__ == "__main__":
    live.main(globals())
