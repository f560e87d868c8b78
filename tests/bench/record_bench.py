# SPDX-License-Identifier: GPL-2.0-only
"""What recording and the history cost on top of looking, beside perf record -g of the same load,
and how long it takes to open and to go back in an hour-long recording."""
import contextlib
import os
import subprocess
import tempfile
import time

import live
from figures import comparison, cpu_ns, need, note, ratio_at_most, result
from pty_session import Session

SECONDS, FREQ = 60, "99"
HOUR = "3600", "200", "20000"  # intervals, samples in each, stacks


@contextlib.contextmanager
def load():
    with subprocess.Popen(["sh", "-c", "while :; do gzip -9 </bin/bash >/dev/null; ls -lR /usr/lib"
                                       " >/dev/null; python3 -c 'import json, ssl'; done"],
                          start_new_session=True) as work:
        try:
            yield
        finally:
            os.killpg(work.pid, 9)


def batch(*more):
    """CPU seconds of a batch run of the view cpu, and of the children's start."""
    before = os.times()
    run = subprocess.run([live.RELEASE, "-b", "-F", FREQ, "-n", str(SECONDS), "--format", "json",
                          *more], stdout=subprocess.DEVNULL, check=False)
    assert run.returncode == 0, run
    after = os.times()
    return after.children_user + after.children_system - before.children_user - \
        before.children_system


def perf_record(path):
    before = os.times()
    subprocess.run(["perf", "record", "-q", "-a", "-g", "-F", FREQ, "-o", path, "--", "sleep",
                    str(SECONDS)], stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - \
        before.children_system


def screen(*more):
    """CPU milliseconds a second of the screen."""
    with Session("-F", FREQ, *more, binary=live.RELEASE, columns=120, rows=40) as s:
        s.read(4)
        before, start = cpu_ns(s.pid), time.monotonic()
        s.read(10)
        used = (cpu_ns(s.pid) - before) / 1e6 / (time.monotonic() - start)
        os.write(s.fd, b"q")
        s.wait_end(20)
    return used


def opened(path):
    """Milliseconds until an hour's first rows, and until the last interval after a jump."""
    start = time.monotonic()
    with Session("--replay", path, binary=live.RELEASE, columns=120, rows=40) as s:
        s.wait_text(b"function_", 30)
        shown = time.monotonic()
        s.read(1)
        s.screen = b""
        jump = time.monotonic()
        os.write(s.fd, b":goto end\r")
        s.wait_text(b"-0:00", 30)
        there = time.monotonic()
        os.write(s.fd, b"q")
        s.wait_end(20)
    return (shown - start) * 1000, (there - jump) * 1000


def bench_recording(rounds, folder):
    need("perf")
    rows = []
    with load():
        for n in range(rounds):
            ours, theirs = os.path.join(folder, f"{n}.ptr"), os.path.join(folder, f"{n}.data")
            rows.append((batch(), batch("--record", ours), perf_record(theirs),
                         os.stat(ours).st_size, os.stat(theirs).st_size))
    note(f"batch alone {rows[0][0]:.2f} s CPU, with --record {rows[0][1]:.2f} s, in {SECONDS} s")
    result("recording: bytes", [r[3] * 60 / SECONDS / 1e6 for r in rows],
           [r[4] * 60 / SECONDS / 1e6 for r in rows], "perf record -g", "MB/min",
           ratio_at_most(0.05))
    result("recording: CPU on top of looking", [(r[1] - r[0]) / SECONDS * 1000 for r in rows],
           [r[2] / SECONDS * 1000 for r in rows], "perf record -g", "ms/s")


def bench_history(rounds):
    with load():
        rows = [(screen("--history", "0"), screen()) for _ in range(rounds)]
    result("history: CPU of the screen", [r[1] for r in rows], [r[0] for r in rows], "without it",
           "ms/s")


def bench_hour(rounds, folder):
    hour = os.path.join(folder, "hour.ptr")
    size = subprocess.run([os.path.join(live.BUILD, "rel/tests/bench/record_bench"), hour, *HOUR],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    note(f"an hour of {HOUR[1]} samples a second over {HOUR[2]} stacks: {int(size) / 1e6:.1f} MB")
    times = [opened(hour) for _ in range(rounds)]
    result("an hour's recording: first rows", [t[0] for t in times], [1000], "a second", "ms",
           ratio_at_most(1))
    result("an hour's recording: jump to its end", [t[1] for t in times], [1000], "a second",
           "ms")


def bench_record(rounds):
    with tempfile.TemporaryDirectory() as tmp:
        with comparison("recording: bytes and CPU"):
            bench_recording(rounds, tmp)
        bench_history(rounds)
        bench_hour(rounds, tmp)
