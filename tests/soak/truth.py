# SPDX-License-Identifier: GPL-2.0-only
"""Whether a session that has run for long still counts right: loads whose truth is known, asked
for by keys, answered by snapshots. Each returns (what, true, said) and raises when it is not."""
import os
import signal
import subprocess
import time

import blockdev
import live
import waits

PAGE = os.sysconf("SC_PAGE_SIZE")
READS = 200_000


def begin(hands, view, *words):
    for _ in range(4):
        hands.press(b"\x1b")
    hands.words(f"view {view}", *words)
    hands.snapshot(view)  # it is open
    hands.press(b"z", 2.5)


def cpu(hands):
    """70 % and 30 % of a thread's time."""
    with live.Workload("two_functions", 120) as work:
        begin(hands, "cpu", "mode both", "group symbol", "freq 999", f"filter pid={work.pid}",
              "window total")
        hands.idle(8)
        report = hands.snapshot("cpu")
        if any(row["kind"] == "inlined" for row in report["rows"]):
            hands.words("inlined")  # some round left it on
            report = hands.snapshot("cpu")
    live.check_report(report)
    live.conserved(report)
    assert report["rows"], f"nothing of {work.pid} with {report['scope']['expr']!r}"
    a, b = (live.row(report, name)["self_count"] for name in ("hot_70", "hot_30"))
    assert a + b, f"neither function, with {report['scope']['expr']!r}: {report['rows'][:2]}"
    got = 100 * a / (a + b)
    live.near(got, 70, 1.5, "hot_70")
    hands.words("freq 199", "filter")
    return "CPU time of a function that has 70 % of it", "70 %", f"{got:.2f} %"


def offcpu(hands):
    """What threads logged of their waits, in the newest interval."""
    with live.Workload("sleepers", 120) as work:
        begin(hands, "offcpu", f"filter pid={work.pid}", "group tid", "window last", "idle on")
        hands.idle(3)
        report = hands.snapshot("offcpu")
        time.sleep(0.5)
        work.process.send_signal(signal.SIGTERM)
        threads = waits.threads(work.result())
    live.check_report(report)
    t0, t1, off, said = report["t0_ns"], report["t1_ns"], 0, 0
    for name, thread in threads.items():
        if not name.startswith("sleep-"):
            continue
        rows = waits.rows_of(report, comm=name)
        got = waits.total(rows)
        asleep = thread.waited(t0, t1)
        # On a busy machine it waits for a CPU, too, when it wakes and when it is put aside.
        waits.between(got, min(thread.least_off(t0, t1), asleep),
                      max(thread.off(t0, t1), asleep + thread.delay(t0, t1)),
                      f"off-CPU time of {name}", pct=1, ms=2)
        off, said = off + thread.off(t0, t1), said + got
    hands.words("idle off", "window decaying", "group stack", "filter")
    return "time that five threads slept in a second", f"{off / 1e6:.1f} ms", f"{said / 1e6:.1f} ms"


def sched(hands):
    """CPU time of three hogs of one CPU, by their own clocks."""
    with live.Workload("nice_hogs", 120) as work:
        begin(hands, "sched", f"filter pid={work.pid}", "group tid", "window last")
        hands.idle(3)
        report = hands.snapshot("sched")
        time.sleep(1)  # a thread is looked at some time after the interval's end
        work.process.send_signal(signal.SIGTERM)
        threads = waits.threads(work.result())
    live.check_report(report)
    t0, true, said = report["t0_ns"], 0, 0
    for name, thread in threads.items():
        row, = waits.rows_of(report, comm=name)
        ran = thread.cpu(t0, t0 + row["span_ns"])
        live.near(row["oncpu_ns"] / 1e6, ran / 1e6, 10 + ran / 1e6 * 0.01, f"{name} ran, ms,")
        assert sum(row["states"].values()) == row["span_ns"], row
        true, said = true + ran, said + row["oncpu_ns"]
    hands.words("window decaying", "filter")
    return "CPU time of three hogs of one CPU", f"{true / 1e6:.1f} ms", f"{said / 1e6:.1f} ms"


def cache(hands):
    """Reads of pages that are in the cache, each of them a hit."""
    path = os.path.join(hands.folder, "warm")
    with open(path, "wb") as f:
        f.write(os.urandom(512 * PAGE))
        os.fsync(f.fileno())
    begin(hands, "cache", "filter", "group file", "window total")
    subprocess.run([os.path.join(live.WORKLOADS, "cache_reads"), path, str(READS)], check=True,
                   stdout=subprocess.DEVNULL)
    hands.idle(3)
    report = hands.snapshot("cache")
    rows = [r for r in report["rows"] if os.path.basename(r["file"]) == "warm"]
    hits, misses = (sum(r[key] for r in rows) for key in ("read_hits", "misses"))
    assert (hits, misses) == (READS, 0), rows
    hands.words("group pid", "window decaying")
    return "reads of cached pages", f"{READS} hits", f"{hits} hits"


def io(hands):
    """What the kernel counts of a device that nobody else uses."""
    with blockdev.loop_device() as dev:
        begin(hands, "io", "filter", "group device", "window total")
        before = blockdev.diskstats(dev)
        for how in ("if=/dev/zero", f"of=/dev/{dev}"), (f"if=/dev/{dev}", "of=/dev/null"):
            flag = "oflag=direct" if "null" not in how[1] else "iflag=direct"
            subprocess.run(["dd", *how, "bs=16k", "count=2000", flag], check=True,
                           stderr=subprocess.DEVNULL)
        hands.idle(3)
        theirs = blockdev.difference(blockdev.diskstats(dev), before)
        ours = blockdev.added([hands.snapshot("io")], dev)
    assert ours == theirs, f"{ours}\n{theirs}"
    hands.words("window decaying")

    def told(sums):
        return ", ".join(f"{n} {op}s of {size >> 20} MiB" for op, (n, size) in sums.items() if n)
    return "requests of a disk", told(theirs), told(ours)


def thrice(check, hands):
    """A machine that is busy with other things may be late once; a wrong sum stays wrong."""
    for _ in range(2):
        try:
            return check(hands)
        except AssertionError as e:
            print(f"once more: {' '.join(str(e).split())[:300]}", flush=True)
    return check(hands)


CHECKS = cpu, offcpu, sched, cache, io
