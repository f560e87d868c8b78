#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What came within slow spans, in time order, against a program that notes what it does and when."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from asks import MS, Watch, same  # noqa: E402

LIBC = "uprobe:libc.so.6:"
RETURN = "uretprobe:libc.so.6:"
SLEEP_NS, SPIN_NS = 30 * MS, 40 * MS
MOMENTS = 128  # MEASURE_MOMENTS

# Sorts two numbers with a function that does one thing after the other, each with the time before and
# after it; then with one that calls labs() so many times.
STEPS = """
import ctypes, json, mmap, sys, time
libc = ctypes.CDLL(None)
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
watched = ctypes.c_uint64(0)
page = mmap.mmap(-1, 4096)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
steps = []

def step(name, do):
    begin = time.monotonic_ns()
    do()
    steps.append([name, begin, time.monotonic_ns()])

def spin():
    end = time.monotonic_ns() + int(sys.argv[2])
    while time.monotonic_ns() < end:
        pass

def touch():
    page[0] = 1

def store():
    watched.value = 7

@kind
def all_of_it(a, b):
    step("first", lambda: libc.labs(1))
    step("sleep", lambda: time.sleep(int(sys.argv[1]) / 1e9))
    step("second", lambda: libc.labs(2))
    step("touch", touch)
    step("spin", spin)
    step("store", store)
    step("third", lambda: libc.labs(3))
    return 0

@kind
def many(a, b):
    for i in range(int(sys.argv[3])):
        libc.labs(i)
    return 0

step("first", lambda: None)
steps.clear()
print(json.dumps({"watched": ctypes.addressof(watched), "touched": address}), flush=True)
for how in (all_of_it, many):
    sys.stdin.readline()
    begin = time.monotonic_ns()
    libc.qsort((ctypes.c_int * 2)(1, 2), 2, 4, how)
    print(json.dumps({"steps": steps, "begin": begin, "end": time.monotonic_ns()}), flush=True)
    steps = []
sys.stdin.readline()
"""


class Steps:
    def __init__(self, many=1000):
        self.process = subprocess.Popen(
            [sys.executable, "-c", STEPS, str(SLEEP_NS), str(SPIN_NS), str(many)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.places = json.loads(self.process.stdout.readline())

    def go(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate("\n\n\n", timeout=60)


def slowest(reports):
    return [s for r in reports for s in r["summary"]["slowest"]]


def of(timeline, kind, step=None, event=None):
    """What came of a kind, within a step that the program noted."""
    return [m for m in timeline if m["kind"] == kind and (event is None or m["event"] == event)
            and (step is None or step[1] <= m["t_ns"] <= step[2])]


def asked(places):
    return (f"span {LIBC}qsort -> {RETURN}qsort by pid "
            f"between {LIBC}labs, mem:{places['watched']:#x}/8:w")


def check_order(work, said, timeline):
    """Each step of the program has what it did in its time, and nothing else has."""
    steps = {s[0]: s for s in said["steps"]}
    times = [m["t_ns"] for m in timeline]
    same("in time order", sorted(times), times)
    labs = of(timeline, "event", event=LIBC + "labs")
    same("values of labs()", [1, 2, 3], [m["value"] for m in labs])
    for m, name in zip(labs, ("first", "second", "third")):
        assert steps[name][1] <= m["t_ns"] <= steps[name][2], (name, m, steps[name])
    same("stores", 1, len(of(timeline, "event", steps["store"],
                             f"mem:{work.places['watched']:#x}/8:w")))
    fault = [m for m in of(timeline, "fault", steps["touch"])
             if m["value"] // 4096 == work.places["touched"] // 4096]
    same("faults of the page", 1, len(fault))
    for m in timeline:
        assert m["kind"] in ("wakeup", "out", "in") or m["tid"] == work.pid, m


def check_states(said, timeline):
    """It sleeps once in its sleep, for as long as it does, and is sampled while it spins."""
    steps = {s[0]: s for s in said["steps"]}
    out = [m for m in of(timeline, "out", steps["sleep"]) if m["value"]]
    same("sleeps", 1, len(out))
    assert out[0]["value"] & 1, out[0]
    woken = of(timeline, "wakeup", steps["sleep"])
    same("wakeups", 1, len(woken))
    got = [m for m in of(timeline, "in", steps["sleep"]) if m["t_ns"] > woken[0]["t_ns"]]
    assert got, timeline
    slept = woken[0]["t_ns"] - out[0]["t_ns"]
    live.fact("slept", SLEEP_NS, slept)
    # It begins to after its clock is read, and goes by a timer that is never early.
    assert SLEEP_NS - 2 * MS <= slept <= steps["sleep"][2] - steps["sleep"][1], slept
    assert any("nanosleep" in f["symbol"] for f in out[0]["stack"]), out[0]["stack"]
    samples = of(timeline, "sample", steps["spin"])
    off = sum(1 for m in of(timeline, "out", steps["spin"]))
    live.fact("samples", SPIN_NS // MS, len(samples))
    # One for each ms that it has the CPU, which others may want, too.
    assert len(samples) <= (steps["spin"][2] - steps["spin"][1]) // MS + 1
    assert len(samples) >= 3 or off, "neither sampled nor without a CPU"
    assert all(m["stack"] for m in samples), samples


def test_order_and_times():
    """Events, sleeps, faults, samples and breakpoints of a slow span, where the program did them"""
    with Steps() as work:
        question = asked(work.places)
        with Watch(question, view="pairs", options=("-p", work.pid)) as watch:
            watch.next()
            said = work.go()
            watch.until(live.now_ns())
    spans = slowest(watch.reports)
    same("slow spans", 1, len(spans))
    assert said["begin"] <= spans[0]["t_ns"] - spans[0]["total_ns"], (said, spans[0]["t_ns"])
    assert spans[0]["t_ns"] <= said["end"]
    same("dropped", 0, spans[0]["timeline_dropped"])
    check_order(work, said, spans[0]["timeline"])
    check_states(said, spans[0]["timeline"])
    same("between", 3, watch.sum(LIBC + "labs", ask=question))


SHORT = """
import ctypes, time
libc = ctypes.CDLL(None)
kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
@kind
def spin(a, b):
    end = time.monotonic_ns() + 60_000
    while time.monotonic_ns() < end:
        pass
    return 0
while True:
    time.sleep(0.5)
    libc.qsort((ctypes.c_int * 2)(1, 2), 2, 4, spin)
"""


def test_short():
    """Spans of 0.06 ms are the slowest of the first interval, as nothing slower is there"""
    with subprocess.Popen([sys.executable, "-c", SHORT]) as work:
        try:
            out = live.proftop("-b", "-n", 1, "-d", 4, "--format", "json", "-p", work.pid,
                               "--ask", f"span {LIBC}qsort -> {RETURN}qsort by pid")
        finally:
            work.kill()
    report = json.loads(out.out)
    count = sum(r["count"] for r in report["rows"])
    assert count > 2, report["rows"]
    same("slow spans", count, len(slowest([report])))


def test_bound():
    """What a timeline has no room for is counted, and the sums are exact all the same"""
    n = 1000
    with Steps(n) as work:
        question = asked(work.places)
        with Watch(question, view="pairs", options=("-p", work.pid)) as watch:
            watch.next()
            work.go()
            watch.until(live.now_ns())
            before = len(watch.reports)
            work.go()
            watch.until(live.now_ns())
    span = slowest(watch.reports[before:])[0]
    labs = of(span["timeline"], "event", event=LIBC + "labs")
    same("kept", MOMENTS, len(span["timeline"]))
    same("the first ones", list(range(len(labs))), [m["value"] for m in labs])
    others = len(span["timeline"]) - len(labs)
    live.fact("dropped", f"at least {n - len(labs)}", span["timeline_dropped"])
    assert span["timeline_dropped"] >= n - len(labs), (others, span["timeline_dropped"])
    same("between", n + 3, watch.sum(LIBC + "labs", ask=question))


def stream(nbytes):
    """So many bytes through a connection to itself, which softirqs hand over."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def receive():
            with server.accept()[0] as to:
                while to.recv(1 << 20):
                    pass
        receiver = threading.Thread(target=receive)
        receiver.start()
        with socket.create_connection(server.getsockname()) as of:
            for _ in range(nbytes >> 20):
                of.sendall(bytes(1 << 20))
        receiver.join()


def test_by_cpu():
    """Softirqs of a CPU: what the CPU is at is known by the CPU; of other keys events alone are"""
    by_cpu = "span irq:softirq_entry -> irq:softirq_exit on cpu by vec between irq:softirq_raise"
    by_key = ("span timer:hrtimer_start -> timer:hrtimer_expire_exit on hrtimer "
              "between timer:hrtimer_expire_entry")
    with Watch(by_cpu, by_key, view="pairs") as watch:
        for _ in range(8):  # what is slow is halved in each, down to 20 us
            watch.next()
        stream(64 << 20)
        watch.until(live.now_ns())
    spans = slowest(watch.reports)
    for question in (by_cpu, by_key):
        own = [s for s in spans if s["ask"] == question]
        known = [s for s in own if s["timeline"] is not None]
        live.fact("known within", f"most of {len(own)}", len(known))
        # Of a timer that is set anew meanwhile nothing is known, nor of one that had no log.
        assert own and len(known) >= len(own) / 2, (question, len(own), len(known))
        for s in known:
            begin = s["t_ns"] - s["total_ns"]
            assert all(begin <= m["t_ns"] <= s["t_ns"] for m in s["timeline"]), s
    for s in spans:
        if s["ask"] == by_key and s["timeline"] is not None:
            same("within", [("event", "timer:hrtimer_expire_entry")],
                 [(m["kind"], m["event"]) for m in s["timeline"]])
    for s in spans:
        if s["ask"] == by_cpu and s["timeline"] is not None:
            assert all(m["cpu"] == s["cpu"] for m in s["timeline"]), s


def test_recorded():
    """A recording has the timelines that were live"""
    with tempfile.TemporaryDirectory() as folder, Steps() as work:
        path = os.path.join(folder, "timeline.ptr")
        question = asked(work.places)
        with Watch(question, view="pairs", options=("-p", work.pid, "--record", path)) as watch:
            watch.next()
            work.go()
            watch.until(live.now_ns())
        again = live.batch("--replay", path, "--view", "pairs", "-n", 1000)
    ours, theirs = slowest(watch.reports), slowest(again)
    same("slow spans", len(ours), len(theirs))
    for a, b in zip(ours, theirs):
        same("dropped", a["timeline_dropped"], b["timeline_dropped"])
        for x, y in zip(a["timeline"], b["timeline"]):
            same("moment", {k: v for k, v in x.items() if k != "stack"},
                 {k: v for k, v in y.items() if k != "stack"})
            same("frames", len(x["stack"]), len(y["stack"]))
        same("moments", len(a["timeline"]), len(b["timeline"]))


if __name__ == "__main__":
    live.main(globals())
