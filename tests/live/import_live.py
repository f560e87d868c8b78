#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""perf.data of perf record: shares by function are those of perf report on the same file."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

TMP = tempfile.mkdtemp(prefix="proftop-import.")
ROUNDING = 0.0101  # perf prints two digits


def path(name):
    return os.path.join(TMP, name)


# A second, and as much longer as a process needs for 0.3 s of a CPU.
ENOUGH = """ran() { cut -d' ' -f1 /proc/$1/schedstat; }
from=$(ran $1); sleep 1
while [ $(($(ran $1) - from)) -lt 300000000 ]; do sleep 0.1; done"""


def record(name, *args, work=None):
    """A perf.data of about a second, in which a workload ran; skips when perf cannot do it here."""
    live.need_root()
    if not shutil.which("perf"):
        raise live.Skip("perf is not installed")
    file = path(name)
    during = ["sh", "-c", ENOUGH, "sh", work.pid] if work else ["sleep", 1]
    done = subprocess.run(["perf", "record", "-q", "-o", file, *map(str, [*args, *during])],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                          env=live.environment(HOME=TMP), check=False)
    if done.returncode or not os.path.exists(file):
        raise live.Skip(f"perf record {' '.join(map(str, args))} fails here: "
                        f"{done.stderr.strip().splitlines()[-1:]}")
    return file


def record_all():
    """All CPUs for a second, with a workload."""
    with live.Workload("two_functions", 30) as work:
        return record("all.data", "-a", "-g", "-F", 997, work=work)


def named(file):
    """A file by its name alone; the kernel has several."""
    return "[kernel]" if file.startswith("[kernel") else os.path.basename(file)


def report(file, *args):
    """Percent by (file, symbol) as perf report has it, the file "" where it is not asked for; one may have several
    rows."""
    done = subprocess.run(["perf", "report", "-i", file, "--stdio", "-g", "none", "--percent-limit",
                           "0", *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, errors="replace", env=live.environment(HOME=TMP), check=True)
    found = {}
    for line in done.stdout.splitlines():
        row = re.match(r"\s*([\d.]+)%\s+(?:[\d.]+%\s+)?(?:(\S.*?)\s+)?\[.\] (\S+)", line)
        if row:
            key = named(row[2] or ""), row[3]
            share, rows = found.get(key, (0, 0))
            found[key] = share + float(row[1]), rows + 1
    return found


def replay(file, *args):
    """The whole of it as one interval, and percent by symbol."""
    shown = live.batch("--replay", file, "-d", 86400, *args, env=live.environment(HOME=TMP))
    assert len(shown) == 1
    found = {}
    for row in shown[0]["rows"]:
        share = found.setdefault(row["symbol"], [0, 0])
        share[0] += row["self_pct"]
        share[1] += row["total_pct"]
    return shown[0], found


def samples(file):
    done = subprocess.run(["perf", "script", "-i", file, "-F", "comm"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors="replace", check=True)
    return sum(bool(line.strip()) for line in done.stdout.splitlines())


def compare(file, least, children=()):
    """What both know: of several names for one address files choose differently, so each file is for itself, and
    what has none is called after its address, in the file or after its beginning."""
    shown, mine = replay(file)
    assert shown["health"]["samples"] == samples(file), shown["health"]
    ours = collections.Counter()
    for row in shown["rows"]:
        ours[named(row["object"] or ""), row["symbol"]] += row["self_pct"]
    theirs = report(file, "--no-children", "-F", "overhead,dso,sym")
    common = ours.keys() & theirs.keys()
    for key in common:
        share, rows = theirs[key]
        assert abs(ours[key] - share) <= ROUNDING * rows, (key, ours[key], theirs[key])
    known = sum(theirs[key][0] for key in common)
    assert known >= least, (known, ours.most_common(9), sorted(theirs.items(), key=lambda x: -x[1][0])[:9])
    theirs = report(file, "--children", "-F", "overhead_children,sym")
    for name in children:
        assert abs(mine[name][1] - theirs["", name][0]) <= ROUNDING, (name, mine[name], theirs["", name])
    return mine


def test_all():
    """perf record -a -g: functions of programs and of the kernel, with their callers"""
    compare(record_all(), 50, ["hot_70", "hot_30", "work"])


def test_pipe():
    """perf record -o - | proftop --replay -: as perf report has it of the same bytes"""
    live.need_root()
    if not shutil.which("perf"):
        raise live.Skip("perf is not installed")
    file, work = path("pipe.data"), os.path.join(live.WORKLOADS, "two_functions")
    with open(file, "wb") as out:
        subprocess.run(["perf", "record", "-q", "-o", "-", "-F", "997", "--", work, "1"], stdout=out,
                       stderr=subprocess.DEVNULL, env=live.environment(HOME=TMP), check=True)
    with open(file, "rb") as saved, subprocess.Popen(["cat"], stdin=saved,
                                                     stdout=subprocess.PIPE) as cat:
        run = live.proftop("-b", "--replay", "-", "-d", "86400", "--format", "json", stdin=cat.stdout)
    assert run.status == 0, run
    rows = {r["symbol"]: r["self_pct"] for r in json.loads(run.out)["rows"]}
    theirs = report(file, "-s", "sym")
    for name in "hot_70", "hot_30":
        live.near(rows[name], theirs["", name][0], 0.02, f"{name}, %", judge="perf report")
    nothing = live.proftop("-b", "--replay", "-", stdin=subprocess.DEVNULL)
    assert nothing.status == 2 and "standard input is no recording" in nothing.err, nothing


def test_threads():
    """perf record --threads: a folder of files, one a CPU"""
    with live.Workload("two_functions", 30) as work:
        file = record("threads.data", "-a", "-g", "-F", 997, "--threads", work=work)
    assert os.path.isdir(file)
    compare(file, 50, ["hot_70", "hot_30", "work"])


def test_process():
    """perf record -p: one process"""
    with live.Workload("two_functions", 30) as work:
        file = record("process.data", "-F", 997, "-p", work.pid, work=work)
    mine = compare(file, 90)
    assert mine["hot_70"][0] > mine["hot_30"][0] > 5, mine


def test_dwarf():
    """perf record --call-graph dwarf: stacks of code without frame pointers, walked here"""
    with live.Workload("unwind_shapes", 30) as work:
        file = record("dwarf.data", "-F", 499, "--call-graph", "dwarf", "-p", work.pid, work=work)
    mine = compare(file, 90)
    assert mine["main"][1] > 90, mine


def test_page_faults():
    """perf record -e page-faults: a software event, weighed by its periods"""
    with live.Workload("events", 30) as work:
        file = record("faults.data", "-g", "-e", "page-faults", "-p", work.pid, work=work)
    assert compare(file, 90)["touch_pages"][0] > 90


def test_tracepoint():
    """perf record -e sched:sched_switch: a tracepoint; packed too"""
    with subprocess.Popen(["stress-ng", "--pipe", "1", "--timeout", "30", "--quiet"]) as stress:
        try:
            plain = record("switch.data", "-a", "-g", "-e", "sched:sched_switch")
            packed = record("packed.data", "-z", "-a", "-g", "-e", "sched:sched_switch")
        finally:
            stress.terminate()
    compare(plain, 90)
    compare(packed, 90)


def test_several_events():
    """A file of two events: each has its samples, and -e says whose are shown"""
    with live.Workload("events", 30) as work:
        file = record("two.data", "-g", "-e", "cpu-clock", "-e", "page-faults", "-p", work.pid, work=work)
    done = subprocess.run(["perf", "script", "-i", file, "-F", "event", "-G"], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    theirs = collections.Counter(x.strip().split(":")[0] for x in done.stdout.splitlines() if x)
    assert theirs["page-faults"] > 5 and theirs["cpu-clock"] > 5, theirs
    for event in "cpu-clock", "page-faults":
        shown, mine = replay(file, "-e", event)
        assert shown["health"]["samples"] == theirs[event], (shown["health"], theirs)
    assert mine["touch_pages"][0] > 90, mine
    assert replay(file)[0]["health"]["event"].startswith("cpu-clock")
    wrong = live.proftop("--replay", file, "-b", "-e", "cycles")
    assert wrong.status == 2 and "-e takes cpu-clock" in wrong.err, wrong


def periods(file):
    """Samples and their periods by event, as perf script has them"""
    done = subprocess.run(["perf", "script", "-i", file, "-F", "event,period", "-G"], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    found = {}
    for line in done.stdout.splitlines():
        row = re.match(r"\s*(\d+)\s+([\w-]+):", line)
        if row:
            n, whole = found.get(row[2], (0, 0))
            found[row[2]] = n + 1, whole + int(row[1])
    return found


def test_group():
    """Members of a group that only its leader samples (:S) have what was counted between samples"""
    with live.Workload("events", 30) as work:
        file = record("group.data", "-g", "-e", "{cpu-clock,page-faults}:S", "-p", work.pid)
    theirs = periods(file)
    assert theirs["page-faults"][1] > 5, theirs
    for event in "cpu-clock", "page-faults":
        shown, _ = replay(file, "-e", event)
        assert shown["health"]["samples"] == theirs[event][0], (shown["health"], theirs)


def test_empty_first_event():
    """Where the first event never happened, the first that did is shown"""
    file = record("empty.data", "-g", "-e", "alignment-faults", "-e", "cpu-clock", "-a")
    theirs = periods(file)
    if "alignment-faults" in theirs:
        raise live.Skip("there were alignment faults")
    shown, _ = replay(file)
    assert shown["health"]["event"].startswith("cpu-clock"), shown["health"]
    assert shown["health"]["samples"] == theirs["cpu-clock"][0], (shown["health"], theirs)


def test_code():
    """Functions of an imported file have code, and those inlined in them rows of their own"""
    with live.Workload("inlined", 30) as work:
        file, script = record("inlined.data", "-g", "-p", work.pid), path("inlined.keys")
    with open(script, "w", encoding="ascii") as f:
        f.write("wait has_inlined\nkey i\nwait innermost\nkey i\nwait has_inlined\n"
                "key Enter Enter\nwait instruction\nreject no code\nquit\n")
    run = live.proftop("--replay", file, "--script", script, "--size", "120x40")
    assert run.status == 0, str(run)


def test_folded():
    """Folded stacks of a perf.data make the same table again"""
    live.need_root()
    file, folded = path("all.data"), path("all.folded")
    if not os.path.exists(file):
        record_all()
    done = live.proftop("--replay", file, "-b", "-d", 86400, "-o", folded)
    assert done.status == 0, str(done)
    first, again = replay(file)[1], replay(folded)[1]
    sums = {}
    for name, (own, _) in first.items():
        sums[name] = sums.get(name, 0) + own
    for name, own in sums.items():
        if name.startswith("bpf_prog_"):  # named by what the kernel has loaded at the moment
            continue
        assert abs(again.get(name, [0])[0] - own) < 0.001, (name, own, again.get(name))
    whole = json.dumps(live.batch("--replay", folded, "--comm", "^two_functions$"))
    assert "hot_70" in whole, whole[:500]


if __name__ == "__main__":
    try:
        live.main(globals())
    finally:
        shutil.rmtree(TMP)
