#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Real programs under steady load, each of whose allocations is followed, leak nothing; beside them one leaks.
HEAP_MINUTES (1) is how long they are watched."""
import contextlib
import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits_postgresql_live as postgresql  # noqa: E402

MINUTES = float(os.environ.get("HEAP_MINUTES", "1"))
WORTH_SAYING = 64 << 10  # bytes a minute from which on the screen says so in words
PYTHON = "/usr/bin/python3"
PAUSE_S = 0.02  # of loads, so that all fit on few CPUs

PYTHON_LOAD = f"""
import json, time
recent = {{}}
for i in range(10**9):
    text = json.dumps([{{"name": "x" * (j % 300), "at": i}} for j in range(100)])
    recent[i % 64] = json.loads(text)
    time.sleep({PAUSE_S})
"""

LEAK = """
import time
kept = []
while True:
    kept.append(bytearray(4096))
    time.sleep(0.01)
"""

NODE_LOAD = """
const recent = new Map();
let i = 0;
setInterval(() => {
	const all = [];
	for (let j = 0; j < 200; j++)
		all.push({ at: i, name: "x".repeat(j), data: Buffer.alloc(512) });
	recent.set(i++ % 64, JSON.parse(JSON.stringify(all.map(a => a.name))));
}, 20);
"""

COMPILE = """
while :; do
	for i in 1 2 3 4; do
		printf '#include <stdio.h>\\n#include <pthread.h>\\nint f(int a) { return a * '$i'; }\\n'
	done | head -3 | gcc -O1 -c -xc - -o /dev/null
	sleep 0.2
done
"""


def listens(port):
    """A server to listen"""
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


@contextlib.contextmanager
def redis():
    server, bench = servers.need("redis-server", "redis-benchmark")
    port = servers.free_port()
    command = [bench, "-p", str(port), "-t", "set,get,incr,hset,sadd,spop", "-r", "5000", "-q"]
    load = f"while :; do {' '.join(command)} -n 3000 -c 5; sleep 0.2; done"
    with servers.folder() as folder, servers.running(server, "--port", port, "--dir", folder, "--save", "") as p:
        live.wait_for(lambda: listens(port))
        # Until all keys are there its memory does grow.
        subprocess.run([*command, "-n", "50000", "-P", "16"], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, timeout=live.LIMIT_S)
        with servers.running("bash", "-c", load):
            yield p.pid


@contextlib.contextmanager
def postgres():
    pgbench, = servers.need("/usr/lib/postgresql/*/bin/pgbench")
    with postgresql.server() as s:
        subprocess.run([pgbench, "-i", "-q", "-s", "1"], env=s.env, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=live.LIMIT_S)
        with servers.running(pgbench, "-C", "-c", 2, "-R", 10, "-T", 100000, env=s.env):
            yield s.pid


def program(*command):
    @contextlib.contextmanager
    def load():
        with servers.running(*servers.need(command[0]), *command[1:]) as p:
            yield p.pid
    return load


LOADS = {"redis": redis, "PostgreSQL": postgres, "Python": program(PYTHON, "-c", PYTHON_LOAD),
         "node": program("node", "-e", NODE_LOAD), "a compiler": program("bash", "-c", COMPILE)}


class Watched:
    """What is said to leak in a process and all below it, by when it was said."""

    def __init__(self, pid):
        self.pid, self.said, self.reports, self.held = pid, [], 0, 0
        self.watch = live.Watch("heap", "--sample-bytes", "0", "--filter", f"tree={pid}", delay=1)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        with contextlib.suppress(live.Broken):
            while True:
                r = self.watch.next()
                self.reports += 1
                self.held = max(self.held, r["summary"]["held"])
                self.watch.reports.clear()
                self.said += [(self.reports, row["growth_bytes_per_min"], row["kept_pct"],
                               [f["symbol"] for f in row["stack"]][:4])
                              for row in r["rows"] if (row["growth_bytes_per_min"] or 0) >= WORTH_SAYING]

    def end(self):
        assert os.path.exists(f"/proc/{self.pid}"), "what was watched has ended"
        self.watch.process.terminate()
        self.thread.join(timeout=live.LIMIT_S)


def watched_for(seconds, loads):
    live.need_root()
    with contextlib.ExitStack() as running:
        all_of = {}
        for name, load in loads.items():
            try:
                all_of[name] = Watched(running.enter_context(load()))
            except live.Skip as e:
                print(f"# without {name}: {e}")
        time.sleep(seconds)
        for w in all_of.values():
            w.end()
    return all_of


def test_steady():
    """Of redis, PostgreSQL, Python, node and a compiler under steady load nothing is said to leak"""
    all_of = watched_for(MINUTES * 60, LOADS)
    assert all_of
    for name, w in all_of.items():
        print(f"# {name}: {w.reports} intervals, {w.held} objects at most")
        assert w.reports > MINUTES * 60 / 4 and w.held, (name, w.reports, w.held)
        assert not w.said, (name, w.said[:5], len(w.said))


def test_leak():
    """What does leak is said to, by half a minute after it was first watched"""
    w = watched_for(45, {"a leak": program(PYTHON, "-c", LEAK)})["a leak"]
    assert w.said, w.reports
    first, per_min, kept, _ = w.said[0]
    assert first >= 25, first
    live.near(w.said[-1][1], 60 * 100 * 4096, 0.15 * 60 * 100 * 4096, "bytes a minute that leak")
    assert kept > 90, kept


LEAKS = "leak_one_in_a_thousand", "leak_in_thread", "leak_in_library"
NO_LEAKS = "free_late", "cycle"
OBJECT, EACH = 4000, 65536  # bytes: of an object, from one that is followed to the next
FOLLOWED = 1 - math.exp(-OBJECT / EACH)


def of(report, function, field):
    """By rows whose allocation the function did."""
    return [r[field] or 0 for r in report["rows"] if any(f["symbol"] == function for f in r["stack"])]


def test_known_leaks():
    """One in a thousand objects, what a thread that ended and a library that was closed have lost is said to leak, as
    much as it is; what is freed late, and what grows in cycles, is not. What is held is exact; sampled it is within its
    error"""
    live.need_root()
    library = os.path.join(live.WORKLOADS, "libheap_late.so")
    with live.Workload("heap_leaks", library) as work, contextlib.ExitStack() as all_of:
        exact, sampled = (all_of.enter_context(live.Watch("heap", "--sample-bytes", n, "-p", work.pid, delay=1))
                          for n in (0, EACH))
        for watch in exact, sampled:
            watch.next()
        os.kill(work.pid, signal.SIGUSR1)
        began = time.monotonic()
        while time.monotonic() < began + 50:
            exact.next()
        seconds = time.monotonic() - began
        os.kill(work.pid, signal.SIGUSR1)
        said = json.loads(work.process.stdout.readline())
        for watch in exact, sampled:
            watch.until(live.now_ns())
        os.kill(work.pid, signal.SIGUSR1)
        assert work.process.wait(timeout=live.LIMIT_S) == 0
    last, estimate = exact.reports[-1], sampled.reports[-1]
    # What the C library has for a thread and frees at its end was never there before.
    live.near(sum(r["summary"]["released_unseen"] for r in exact.reports), 0, 0, "objects of before that were released")
    for function, n in said.items():
        live.near(sum(of(last, function, "held")), n, 0, f"objects that {function} keeps")
        live.near(sum(of(last, function, "held_bytes")), n * OBJECT, 0, f"bytes that {function} keeps")
        sigma = (n * (1 - FOLLOWED) / FOLLOWED) ** 0.5
        live.near(sum(of(estimate, function, "held")), n, 4.5 * sigma, f"objects that {function} keeps, an estimate")
    for function in LEAKS:
        per_min = said[function] * OBJECT * 60 / seconds
        live.near(sum(of(last, function, "growth_bytes_per_min")), per_min, 0.2 * per_min, f"growth of {function}")
        assert sum(of(estimate, function, "growth_bytes_per_min")) > 0, (function, estimate["rows"])
    growing = last["summary"]["growing"]
    assert re.match(r"leak_\w+ keeps \S+/min: (0\.10|99|100)% of its allocations of the last", growing), growing
    for function in NO_LEAKS:
        for report in exact.reports:
            assert max(of(report, function, "growth_bytes_per_min"), default=0) < WORTH_SAYING, (function, report)


if __name__ == "__main__":
    live.main(globals())
