#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Static probes of programs, and functions of one process, as events of questions."""
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

PATH = os.path.join(live.WORKLOADS, "usdt")


def asked(*questions, beside=None):
    """What the workload says, its semaphore in the end, and for each question its rows. PID stands for
    the workload's; beside: a program that runs at the same time, and has to say something first."""
    live.need_root()
    with live.Workload("usdt") as work:
        texts = [q.replace("PID", str(work.pid)) for q in questions]
        options = [o for q in texts for o in ("--ask", q)]
        with live.Watch("events", *options, binary=live.CHECKED) as watch:
            watch.next()
            if beside:
                beside(work.pid)
            os.kill(work.pid, signal.SIGUSR1)
            said = json.loads(work.process.stdout.readline())
            watch.until(live.now_ns())
            rows = [r for x in watch.reports for r in x["rows"] if r["count"]]
        os.kill(work.pid, signal.SIGUSR1)
        said.update(json.loads(work.process.stdout.readline()))
    return said, [[r for r in rows if r["ask"] == q] for q in texts]


def sums(rows, key, field="count"):
    found = collections.Counter()
    for r in rows:
        found[r[key]] += r[field]
    return dict(found)


def test_arguments():
    """Arguments in registers, memory and constants, with their signs; semaphores; one process"""
    said, (by, total, gated, function, short, all_) = asked(
        f"count usdt:{PATH}:proftest:step by arg1, arg3",
        "count usdt:pid:PID:proftest:step if arg2 >= 300 by (char *)arg4 sum arg2",
        f"count usdt:{PATH}:proftest:gated",
        "count uprobe:pid:PID:step",
        f"count usdt:{PATH}:proftest:step by arg5",
        f"count usdt:{PATH}:proftest:* by arg1")
    assert sums(by, "arg1") == {-1: 20, -2: 20, -3: 20}, by
    assert set(sums(by, "arg3")) == {7}, by
    assert sums(total, "(char *)arg4") == {"even": 15, "odd": 15}, total
    assert sum(r["sum"] for r in total) == sum(10 * i for i in range(30, 60)), total
    assert said["gate"] == 25 and sum(r["count"] for r in gated) == 25, (said, gated)
    assert said["semaphore"] == 0, "its semaphore is still up"
    assert sum(r["count"] for r in function) == said["step"], function
    assert set(sums(short, "arg5")) == {-5}, short
    assert sum(r["count"] for r in all_) == 85, all_


def test_bpftrace():
    """bpftrace beside it counts the same"""
    if not shutil.which("bpftrace"):
        raise live.Skip("no bpftrace")
    peers = []

    def begin(pid):
        peer = subprocess.Popen(
            ["bpftrace", "-p", str(pid), "-e",
             f'BEGIN {{ printf("begun\\n"); }} usdt:{PATH}:proftest:step {{ @n[(int32)arg0] = count(); }}'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = ""
        while "begun" not in line:
            line = peer.stdout.readline()
            if not line:
                raise live.Skip("bpftrace does not run here")
        peers.append(peer)

    _, (ours,) = asked(f"count usdt:{PATH}:proftest:step", beside=begin)
    peers[0].send_signal(signal.SIGINT)
    out, _ = peers[0].communicate(timeout=30)
    theirs = sum(int(line.split(":")[1]) for line in out.splitlines() if line.startswith("@n["))
    live.near_peer(sum(r["count"] for r in ours), ("bpftrace", theirs), 0, "probes passed", truth=60)


def passes(work):
    """Has a workload pass its probes; what it says, and its semaphore in the end."""
    os.kill(work.pid, signal.SIGUSR1)
    said = json.loads(work.process.stdout.readline())
    os.kill(work.pid, signal.SIGUSR1)
    said.update(json.loads(work.process.stdout.readline()))
    return said


def gated(report):
    return sum(r["count"] for r in report["rows"])


def test_killed():
    """Killed at once, proftop leaves no semaphore up and no probe behind; another process goes on counting"""
    live.need_root()
    with live.Workload("usdt") as work, live.Workload("usdt") as other:
        question = f"count usdt:{PATH}:proftest:gated"
        with live.Watch("events", "--ask", question, binary=live.CHECKED) as killed:
            killed.next()
            killed.process.kill()
            killed.process.wait()
            said = passes(work)
            assert said["gate"] == 0 and said["semaphore"] == 0, said
        with live.Watch("events", "--ask", question, binary=live.CHECKED) as watch:
            watch.next()
            said = passes(other)
            watch.until(live.now_ns())
        assert said["gate"] == 25, said
        assert sum(gated(x) for x in watch.reports) == 25, watch.reports


def test_started_later():
    """A process that starts while its file is watched has its semaphore up, and is counted"""
    live.need_root()
    with live.Watch("events", "--ask", f"count usdt:{PATH}:proftest:gated", binary=live.CHECKED) as watch:
        watch.next()
        with live.Workload("usdt") as work:
            said = passes(work)
            watch.until(live.now_ns())
    assert said["gate"] == 25, said
    assert sum(gated(x) for x in watch.reports) == 25, watch.reports


def test_deleted():
    """A program whose file is deleted is probed by its process"""
    live.need_root()
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(PATH, folder)
        with live.Workload("usdt", path=path) as work:
            os.unlink(path)
            question = f"count usdt:pid:{work.pid}:proftest:gated"
            with live.Watch("events", "--ask", question, binary=live.CHECKED) as watch:
                watch.next()
                said = passes(work)
                watch.until(live.now_ns())
    assert said["gate"] == 25, said
    assert sum(gated(x) for x in watch.reports) == 25, watch.reports


def test_refused():
    """What is not there is said"""
    for text in (f"count usdt:{PATH}:proftest:nothing", "count usdt:/etc/passwd:a:b",
                 f"count usdt:{PATH}:proftest:step by arg6", "count usdt:pid:x:a:b",
                 "count uprobe:pid:999999999:f"):
        run = live.proftop("-b", "-n", 1, "--ask", text, binary=live.CHECKED)
        assert run.status and run.err, run


if __name__ == "__main__":
    live.main(globals())
