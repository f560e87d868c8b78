#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Counters: as perf stat counts the same threads in the same seconds."""
import collections
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

EVENTS = "task-clock", "context-switches", "minor-faults", "major-faults", "alignment-faults"
PAGES = 3000
SLEEPS = 150
WORK = f"""
import json, mmap, os, resource, sys, time
def used():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return [r.ru_minflt, r.ru_nvcsw + r.ru_nivcsw]
for line in sys.stdin:
    for round in 1, 2:
        if line.strip() == "work":
            m = mmap.mmap(-1, {PAGES} * 4096)
            if hasattr(m, "madvise"):
                m.madvise(mmap.MADV_NOHUGEPAGE)
            for i in range({PAGES}):
                m[i * 4096] = 1
            m.close()
            for _ in range({SLEEPS}):
                time.sleep(0.0005)
    print(json.dumps(used()), flush=True)
"""


class Worker:
    """A process that works when it is told to, and else waits."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.do("nothing")

    def do(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return eval(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


class PerfStat:
    """perf stat on a process or the machine, from begin to stop()."""

    def __init__(self, *on, events=EVENTS):
        if not shutil.which("perf"):
            raise live.Skip("there is no perf")
        self.events = events
        self.process = subprocess.Popen(
            ["perf", "stat", "-x,", "-e", ",".join(events), *on], stderr=subprocess.PIPE,
            text=True)
        live.wait_for(self.counts, 20)

    def counts(self):
        """perf has opened its events"""
        folder = f"/proc/{self.process.pid}/fd"
        links = [os.readlink(f"{folder}/{fd}") for fd in os.listdir(folder)
                 if os.path.lexists(f"{folder}/{fd}")]
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as f:
            waits = f.read().rsplit(")", 1)[1].split()[0] == "S"
        return waits and sum("perf_event" in x for x in links) >= len(self.events)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        lines = self.process.communicate(timeout=20)[1].splitlines()
        return {event: float(x.split(",")[0]) for x in lines if x.count(",") > 4
                for event in self.events if x.split(",")[2].removesuffix(":u") == event}


def sums(reports, *keys):
    found = collections.Counter()
    for r in (r for x in reports for r in x["rows"]):
        found[tuple(r[k] for k in keys)] += r["count"]
    return found


def test_one_process():
    """Faults and switches of a process are those of perf stat and of getrusage, to the last one"""
    live.need_root()
    with Worker() as worker, live.Watch("counters", "--group", "event+pid", "-p", worker.pid,
                                        binary=live.CHECKED) as watch:
        watch.next()
        peer = PerfStat("-p", str(worker.pid))
        before = worker.do("nothing")
        after = worker.do("work")
        # What it did after that look is one more switch, to wait for us.
        live.wait_for(lambda: "S (sleeping)" in open(f"/proc/{worker.pid}/status").read())
        said = peer.stop()
        watch.until(live.now_ns())
        found = sums(watch.reports[1:], "event", "pid")
        rows = [r for x in watch.reports for r in x["rows"]]
    assert {pid for _, pid in found} == {worker.pid}, found
    ours = {event: n for (event, _), n in found.items()}
    faults = after[0] - before[0]
    assert faults >= 2 * PAGES and after[1] - before[1] >= 2 * SLEEPS, (before, after)
    live.near_peer(ours["minor-faults"], ("perf stat", said["minor-faults"]), 0, "minor faults",
                   faults, "getrusage")
    live.near_peer(ours["context-switches"], ("perf stat", said["context-switches"]), 0,
                   "context switches")
    live.near_peer(ours["task-clock"], ("perf stat", said["task-clock"] * 1e6),
                   said["task-clock"] * 1e5 + 20e6, "ns of CPU time")
    assert all(r["scaled_pct"] == 100 for r in rows), rows


def test_machine():
    """Sums of the machine lie between those of perf stat within and around"""
    live.need_root()
    with Worker() as worker:
        around = PerfStat("-a")
        with live.Watch("counters", binary=live.CHECKED) as watch:
            watch.next()
            within = PerfStat("-a")
            worker.do("work")
            least = within.stop()
            watch.until(live.now_ns())
            reports = list(watch.reports)
        most = around.stop()
    ours, later = sums(reports, "event"), sums(reports[1:], "event")
    for event in "context-switches", "minor-faults", "major-faults":
        assert later[event,] >= least[event] and ours[event,] <= most[event], \
            f"{event}: {least[event]} to {most[event]} by perf, {later[event,]} to {ours[event,]}"
    for report in reports[1:]:
        rows = live.rows_by(report, "event")
        took = (report["t1_ns"] - report["t0_ns"]) * os.cpu_count()
        assert abs(rows["cpu-clock"]["count"] - took) < took * 0.2 + 50e6, (rows["cpu-clock"], took)
        assert "alignment-faults" in rows, "what did not happen has a row too"


def test_metrics():
    """Metrics are what their formulas make of the counts of the same process; what lacks says why"""
    live.need_root()
    with Worker() as worker, live.Watch("counters", "--group", "metric", "-p", worker.pid,
                                        binary=live.CHECKED) as watch:
        watch.next()
        before = worker.do("nothing")
        after = worker.do("work")
        live.wait_for(lambda: "S (sleeping)" in open(f"/proc/{worker.pid}/status").read())
        watch.until(live.now_ns())
        reports = watch.reports[1:]
    faults = switches = 0
    for report in reports:
        rows = live.rows_by(report, "metric")
        seconds = (report["t1_ns"] - report["t0_ns"]) / 1e9
        used = (rows["cpus-used"]["value"] or 0) * seconds
        faults += (rows["faults-per-cpu-s"]["value"] or 0) * used
        switches += (rows["context-switch-rate"]["value"] or 0) * seconds
        for r in report["rows"]:
            assert (r["value"] is None) == (r["missing"] is not None), r
        if "cycles" in report["health"]["note"]:
            assert "cycles: nothing was counted" in rows["ipc"]["missing"], rows["ipc"]
    # Of the interpreter, between the two looks, a little is not ours.
    live.near(faults, after[0] - before[0], 10, "minor faults", "getrusage")
    live.near(switches, after[1] - before[1], 4, "switches", "getrusage")


def test_missing():
    """Hardware events are counted, or it is said which are not and why"""
    live.need_root()
    reports = live.batch("-V", "counters", "-n", 2, "-d", 0.5)
    rows, note = live.rows_by(reports[-1], "event"), reports[-1]["health"]["note"]
    for event in "cycles", "instructions", "cache-misses", "dTLB-load-misses":
        has = "perf", "stat", "-x,", "-e", event, "true"
        line = subprocess.run(has, stderr=subprocess.PIPE, text=True, check=False).stderr
        if "not supported" in line:
            assert event not in rows and event in note and "not counted" in note, (event, note)
            if not os.path.exists("/sys/bus/event_source/devices/cpu"):
                assert "no hardware counters" in note, note
        else:
            assert rows[event]["count"] > 0, (event, rows)


def test_table_of_a_command():
    """A command ends with perf stat's table, whose sums are those of the reports, and times the kernel's"""
    touch = (f"import mmap, resource; m = mmap.mmap(-1, {PAGES} * 4096); m.madvise(mmap.MADV_NOHUGEPAGE)\n"
             f"for i in range({PAGES}): m[i * 4096] = 1\n"
             "r = resource.getrusage(resource.RUSAGE_SELF)\n"
             "print(r.ru_minflt, r.ru_utime, r.ru_stime)")
    out = os.path.join(os.environ.get("TMPDIR", "/tmp"), "counters.json")
    done = subprocess.run([live.CHECKED, "-b", "-V", "counters", "-d", "0.2", "-o", out, "--format", "text",
                           "--", sys.executable, "-c", touch], capture_output=True, text=True,
                          timeout=60, env=live.environment())
    assert not done.returncode, done.stderr
    found = {name: float(n.replace(",", "")) for n, name in
             re.findall(r"^ *([0-9.,]+) (?:msec)? +([a-z-]+) +#", done.stderr, re.M)}
    times = {what: float(n) for n, what in
             re.findall(r"^ *([0-9.]+) seconds (time elapsed|user|sys)$", done.stderr, re.M)}
    said = next(x for x in done.stdout.splitlines() if re.fullmatch(r"\d+ [0-9.]+ [0-9.]+", x))
    faults, user, system = map(float, said.split())
    # Its own figure has what came before its exec, ours what came behind its last look at itself.
    assert abs(faults - found["minor-faults"]) <= 150, (faults, found)
    assert min(faults, found["minor-faults"]) >= PAGES
    for what, truth in (("user", user), ("sys", system)):
        assert truth <= times[what] + 0.005 and times[what] <= truth + 0.2, (what, truth, times)
    both = times["user"] + times["sys"]
    live.fact("task-clock of the command, s", both, found["task-clock"] / 1000)
    assert abs(found["task-clock"] / 1000 - both) <= 0.1 * both + 0.02, (found, times)
    assert times["time elapsed"] * os.cpu_count() >= both - 0.02


def test_chosen():
    """Events of choice, tracepoints and groups among them, are those of perf stat; what is wrong is refused"""
    live.need_root()
    chosen = "{page-faults,minor-faults},context-switches,syscalls:sys_enter_clock_nanosleep"
    with Worker() as worker, live.Watch("counters", "--group", "event", "-p", worker.pid, "--counters", chosen,
                                        binary=live.CHECKED) as watch:
        watch.next()
        peer = PerfStat("-p", str(worker.pid), events=re.findall(r"[^,{}]+", chosen))
        worker.do("work")
        live.wait_for(lambda: "S (sleeping)" in open(f"/proc/{worker.pid}/status").read())
        said = peer.stop()
        watch.until(live.now_ns())
        ours = sums(watch.reports[1:], "event")
    assert {event for event, in ours} == set(re.findall(r"[^,{}]+", chosen)), ours
    for (event,), n in ours.items():
        live.near_peer(n, ("perf stat", said[event]), 0, event)
    assert ours["syscalls:sys_enter_clock_nanosleep",] == 2 * SLEEPS, ours
    for wrong, words in (("cycels", "did you mean 'cycles'"), ("{page-faults", "no }")):
        run = live.proftop("-b", "-V", "counters", "--counters", wrong, "-n", 1)
        assert run.status == 2 and words in run.err, run


if __name__ == "__main__":
    live.main(globals())
