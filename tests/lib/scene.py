# SPDX-License-Identifier: GPL-2.0-only
"""Every view at once on a load whose truth is known, while something befalls it: three hogs of a
CPU and five sleepers log what they did, a loop device and a file are read so and so often."""
import contextlib
import os
import signal
import subprocess

import blockdev
import live
import waits

FREQ = 999
HZ = ("-F", FREQ)
PAGES = 512
OPTIONS = {
    "cpu": (*HZ, "--group", "comm"),
    "offcpu": ("--group", "tid+state"),
    "sched": ("--group", "tid"),
    "io": ("--group", "device"),
    "cache": ("--group", "file"),
}
TIMES = "cpu", "offcpu", "sched"
WAKING_NS = 20e3


def kept(value, wanted, what):
    """Times and samples of one interval: far closer than what a fault would do to them."""
    live.near(value, wanted, 0.1 * wanted + 30e6, what)


def seventy(report):
    """What two_functions promises, of one interval."""
    live.conserved(report)
    a, b = live.row(report, "hot_70")["self_count"], live.row(report, "hot_30")["self_count"]
    assert a + b > 20, report["rows"][:4]
    live.near(100 * a / (a + b), 70, 9, "hot_70")


class Scene:
    """wrap: words before each proftop's own, or those of each view by its name. scope: of the views
    of time, instead of the pids."""

    def __init__(self, *views, wrap=(), scope=None, works=("nice_hogs", "sleepers")):
        self.stack = contextlib.ExitStack()
        self.views, self.wrap, self.scope = views or tuple(OPTIONS), wrap, scope
        self.names = works
        self.reads, self.watches = 0, {}

    def __enter__(self):
        with self.stack:
            self.begin()
            self.stack = self.stack.pop_all()
        return self

    def __exit__(self, *what):
        return self.stack.__exit__(*what)

    def begin(self):
        enter = self.stack.enter_context
        self.works = [enter(live.Workload(name, 120)) for name in self.names]
        if "io" in self.views:
            self.device = enter(blockdev.loop_device(megabytes=16))
        self.file = os.path.join(enter(live.temporary()), "scene-pages")
        with open(self.file, "wb") as f:
            f.write(b"x" * 4096 * PAGES)
        scope = self.scope or ("-p", ",".join(str(work.pid) for work in self.works))
        for view in self.views:
            options = OPTIONS[view] + (scope if view in TIMES else ())
            wrap = self.wrap[view] if isinstance(self.wrap, dict) else self.wrap
            self.watches[view] = enter(live.Watch(view, *options, wrap=wrap))
        self.settle()
        self.before = blockdev.diskstats(self.device) if "io" in self.views else None
        self.begun = live.now_ns()

    def settle(self):
        """All views have had an interval from now on, so they are past their beginning."""
        now = live.now_ns()
        for watch in self.watches.values():
            watch.until(now)

    def signal(self, number):
        for watch in self.watches.values():
            os.kill(watch.process.pid, number)

    def read(self):
        """What is exact: pages of the file that are all cached, the device's first 4 MiB."""
        self.reads += 1
        subprocess.run(["cat", self.file], stdout=subprocess.DEVNULL, check=True)
        if "io" in self.views:
            subprocess.run(["dd", f"if=/dev/{self.device}", "of=/dev/null", "iflag=direct",
                            "bs=64k", "count=64", "status=none"], check=True)

    def check(self, since):
        """After something that was over at that time: every interval that began later is right,
        and what was read at any time of the scene is there exactly once."""
        self.settle()
        self.read()
        self.settle()
        for name, check in (("io", self.check_io), ("cache", self.check_cache)):
            if name in self.views:
                check(self.watches[name].reports)
        self.threads = {}
        for work in self.works:
            work.process.send_signal(signal.SIGTERM)
            self.threads.update(waits.threads(work.result()))
        self.check_times(since)

    def check_times(self, since, until=None):
        """Intervals of the views of time that began within these; after check()."""
        for view in TIMES:
            if view in self.views:
                reports = [r for r in self.watches[view].since(since)
                           if until is None or r["t0_ns"] < until]
                # The last one may have ended after the load.
                reports = [r for r in reports if r["t1_ns"] < self.ended()]
                assert reports, f"{view}: no interval to check"
                for report in reports:
                    getattr(self, "right_" + view)(report)

    def ended(self):
        return min(t.times[-1] for t in self.threads.values())

    def hogs(self):
        return [t for t in self.threads.values() if t.name.startswith("hog")]

    def right_cpu(self, report):
        live.conserved(report)
        for hog in self.hogs():
            ns = hog.cpu(report["t0_ns"], report["t1_ns"])
            samples = waits.total(waits.rows_of(report, comm=hog.name), "self_count")
            kept(samples / FREQ * 1e9, ns, f"{hog.name} in cpu")

    def right_offcpu(self, report):
        t0, t1 = report["t0_ns"], report["t1_ns"]
        for thread in self.threads.values():
            off = waits.total(waits.rows_of(report, tid=thread.tid))
            kept(off, thread.off(t0, t1), f"{thread.name} in offcpu")

    def right_sched(self, report):
        t0, t1 = report["t0_ns"], report["t1_ns"]
        for thread in self.threads.values():
            row, = waits.rows_of(report, tid=thread.tid)
            # A thread's own clock begins at its wake-up on an idle CPU, ours at the switch to it.
            live.near(row["oncpu_ns"], thread.cpu(t0, t1),
                      0.1 * thread.cpu(t0, t1) + 30e6 + row["runs"] * WAKING_NS,
                      f"{thread.name} in sched")
            kept(sum(row["states"].values()), t1 - t0, f"{thread.name}'s states")

    def check_io(self, reports):
        theirs = blockdev.difference(blockdev.diskstats(self.device), self.before)
        ours = blockdev.added([r for r in reports if r["t1_ns"] > self.begun], self.device)
        if ours != theirs:  # however busy the machine is
            raise live.Broken(f"io: {ours}, diskstats {theirs}")
        assert ours["read"] == (64 * self.reads, 4 * self.reads << 20), ours

    def check_cache(self, reports):
        name = os.path.basename(self.file)
        hits = sum(r["read_hits"] for x in reports if x["t1_ns"] > self.begun
                   for r in x["rows"] if os.path.basename(r["file"]) == name)
        assert hits == PAGES * self.reads, f"{hits} hits, {self.reads} times {PAGES} pages read"
