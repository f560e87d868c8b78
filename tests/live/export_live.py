#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Formats of one interval of the live machine, and of a recording of it, agree; SIGUSR1 leaves
snapshots."""
import contextlib
import glob
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import formats  # noqa: E402
import live  # noqa: E402
from tmux import Tmux  # noqa: E402

STACKS = ("folded", "time.folded", "svg", "html", "speedscope.json", "pb.gz", "perf.txt", "om",
          "json", "ansi.txt", "csv", "txt")


def outputs(prefix, suffixes=STACKS):
    return [x for s in suffixes for x in ("-o", f"{prefix}.{s}")]


def check(prefix):
    missing = formats.check(prefix)
    if missing:
        raise live.Skip(missing)


def test_live_and_replayed():
    """All formats of one interval agree, and so do those of its recording"""
    live.need_root()
    with live.temporary() as tmp, live.Workload("two_functions", 20) as work:
        tape, now, then = (os.path.join(tmp, x) for x in ("tape", "now", "then"))
        run = live.proftop("-b", "-n", "1", "-d", "2", "-F", "499", "-p", str(work.pid),
                           "--record", tape, *outputs(now), binary=live.RELEASE)
        assert run.status == 0, run
        run = live.proftop("--replay", tape, "-b", "-d", "3600", *outputs(then))
        assert run.status == 0, run
        assert formats.flame_sums.lines(now + ".folded") == \
            formats.flame_sums.lines(then + ".folded")
        lines = formats.flame_sums.lines(now + ".folded")
        hot = sum(w for k, w in lines.items() if k[-1] == "hot_70")
        assert hot > sum(lines.values()) / 2, lines
        check(now)
        check(then)


def test_events_and_metrics():
    """Slow waits for a CPU become a trace, their histogram is one in OpenMetrics"""
    live.need_root()
    with live.temporary() as tmp:
        out = os.path.join(tmp, "x")
        run = live.proftop("-b", "-n", "1", "-d", "2", "-V", "sched",
                           *outputs(out, ("trace.json", "om", "json", "html")),
                           binary=live.RELEASE)
        assert run.status == 0, run
        formats.check_trace(out + ".trace.json")
        formats.check_html(out + ".html")
        with open(out + ".json", encoding="utf-8") as f:
            want = live.json.loads(f.readline())
        families = formats.check_openmetrics(out + ".om")
        if families is None:
            raise live.Skip("no prometheus_client")
        (top,) = [x.value for x in families["proftop_sched_summary_hist_seconds"].samples
                  if x.labels["le"] == "+Inf"]
        assert top == sum(x["count"] for x in want["summary"]["hist"]), top
        rows = families["proftop_sched_row_oncpu_seconds"].samples
        assert len(rows) == min(len(want["rows"]), 100)
        assert rows[0].labels["tid"] == str(want["rows"][0]["tid"]), rows[0]
        live.near(rows[0].value, want["rows"][0]["oncpu_ns"] / 1e9, 1e-9)


def test_refused():
    """A format that a view has nothing for is one line, and exit code 4"""
    live.need_root()
    for view, name, what in (("cpu", "trace", "list of events"), ("sched", "pprof", "stacks")):
        run = live.proftop("-b", "-n", "1", "-d", "0.2", "-V", view, "--format", name,
                           binary=live.RELEASE)
        assert run.status == 4 and f"view {view} has no {what} for format {name}" in run.err, run


def test_sorted_by_nothing():
    """A column that a view has not is one line before anything is sampled, and a column of another grouping, too"""
    live.need_root()
    for view in ("cpu", "offcpu", "cache", "io", "sched", "procs", "overview", "syscalls", "heap", "bpf", "percpu"):
        run = live.proftop("-b", "-n", "1", "-d", "600", "-V", view, "--sort", "nothing", binary=live.RELEASE)
        assert run.status == 2 and f"view {view} has no column nothing: it has " in run.err, run
        assert len(run.err.splitlines()) == 1, run
    run = live.proftop("-b", "-n", "1", "-d", "600", "-V", "io", "--sort", "in_flight", "--group", "pid",
                       binary=live.RELEASE)
    assert run.status == 2 and "view io has no column in_flight: it has " in run.err, run


@contextlib.contextmanager
def begun(*args, cwd):
    process = subprocess.Popen([live.RELEASE, *args], cwd=cwd, env=live.environment(),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_signal_in_batch():
    """SIGUSR1 leaves snapshots of batch mode's view, which goes on"""
    live.need_root()
    with live.temporary() as tmp, \
            begun("-b", "-d", "0.3", "--format", "json", "--snapshot-on-signal=csv",
                  cwd=tmp) as process:
        files = lambda: sorted(glob.glob(os.path.join(tmp, "*.csv")))  # noqa: E731
        process.stdout.readline()
        for n in 1, 2:
            process.send_signal(signal.SIGUSR1)
            live.wait_for(lambda: len(files()) == n)
        for path in files():
            assert os.path.basename(path).startswith("proftop-cpu-"), path
            assert os.stat(path).st_mode & 0o777 == 0o600, path
            with open(path, encoding="utf-8") as f:
                assert f.readline().startswith("seq,t0_ns,t1_ns,"), path
        assert not glob.glob(os.path.join(tmp, ".*")), os.listdir(tmp)
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_signal_on_screen():
    """On the screen all views that are open are in one report"""
    live.need_root()
    with live.temporary() as tmp:
        command = ["env", "-C", tmp, live.RELEASE, "-V", "cpu", "--snapshot-on-signal=html"]
        with Tmux(command, 120, 30) as t:
            t.wait(r"by symbol.* [1-9]\d* rows", 20)
            t.keys("5")
            t.wait(r"by tid.* \d+ rows", 20)
            os.kill(t.pid(), signal.SIGUSR1)
            (path,) = live.wait_for(lambda: glob.glob(os.path.join(tmp, "proftop-report-*.html")))
            t.keys("q")
        found = formats.check_html(path)
        assert found["section"] == 2 and found["svg"] == 1, found


if __name__ == "__main__":
    live.main(globals())
