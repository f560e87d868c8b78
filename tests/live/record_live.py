#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of the live machine: what is replayed is what was shown, also without permissions,
after a kill, and from as much as a limit let through."""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
TMP = tempfile.mkdtemp(prefix="proftop-record.")


def path(name):
    return os.path.join(TMP, name)


def rows(report):
    """Rows that are equal in what they are sorted by come in any order."""
    return sorted(json.dumps(r, sort_keys=True) for r in report["rows"])


def same(shown, played):
    """One that ended while the last was being shown is recorded too."""
    assert len(shown) <= len(played) <= len(shown) + 1, (len(shown), len(played))
    for a, b in zip(shown, played):
        for key in ("view", "seq", "t0_ns", "t1_ns", "host", "kernel", "summary"):
            assert a[key] == b[key], (key, a[key], b[key])
        assert b["health"]["tier"] == "replay" and a["health"]["samples"] == b["health"]["samples"]
        differ = set(rows(a)) ^ set(rows(b))
        assert not differ, (len(a["rows"]), len(b["rows"]), list(differ)[:4])


def heat_agrees(shown, file, of_rows=None):
    """The heat map's counts of each interval are those of the view, waits without idle workers'."""
    maps = live.batch("-V", shown[0]["view"] + "-heat", "--replay", file)
    assert len(shown) <= len(maps) <= len(shown) + 1, (len(shown), len(maps))
    for report, heat in zip(shown, maps):
        count = sum(x["count"] for x in report["summary"].get("hist", [])) if not of_rows \
            else sum(r["count"] for r in report["rows"] if of_rows(r))
        assert heat["summary"] == {"count": count, "left_out": 0}, (count, heat["summary"])
        assert sum(r["count"] for r in heat["rows"]) == count, heat["rows"]
    assert any(heat["rows"] for heat in maps)


def record_and_replay(view, load):
    live.need_root()
    file = path(view + ".ptr")
    with subprocess.Popen(["stress-ng", *load, "--timeout", "30", "--quiet"]) as stress:
        try:
            shown = live.batch("-V", view, "-n", 3, "-d", "0.5", "--record", file)
        finally:
            stress.terminate()
    assert os.stat(file).st_mode & 0o777 == 0o600
    same(shown, live.batch("-V", view, "--replay", file))
    assert any(r["rows"] for r in shown), view
    return shown, file


def test_cpu():
    """CPU samples with their stacks are replayed as they were"""
    record_and_replay("cpu", ["--cpu", "1"])


def test_offcpu():
    """Waits, their stacks and who woke whom are replayed as they were"""
    heat_agrees(*record_and_replay("offcpu", ["--pipe", "1"]), lambda row: row["state"] != "I")


def test_sched():
    """Threads, CPUs and delays are replayed as they were"""
    heat_agrees(*record_and_replay("sched", ["--switch", "1"]))


def test_io():
    """Block I/O is replayed as it was"""
    heat_agrees(*record_and_replay("io", ["--hdd", "1", "--hdd-bytes", "8M", "--temp-path", TMP]))


def test_cache():
    """The page cache is replayed as it was, and which processes have ended"""
    with subprocess.Popen(["sh", "-c", "while :; do /bin/true; done"]) as short:
        try:
            shown, _ = record_and_replay("cache", ["--hdd", "1", "--hdd-bytes", "8M", "--temp-path", TMP])
        finally:
            short.kill()
    assert any(row["ended"] and row["comm"] == "true" for report in shown for row in report["rows"])


def test_elsewhere():
    """Nobody in particular can replay; filters, groups, intervals and formats work"""
    live.need_root()
    # Where whoever runs the tests keeps his files, others may not look.
    with tempfile.TemporaryDirectory(dir="/tmp") as public:
        os.chmod(public, 0o755)
        file = shutil.copy(path("cpu.ptr"), os.path.join(public, "public.ptr"))
        os.chmod(file, 0o644)
        replay_as_nobody(file)


def replay_as_nobody(file):
    whole = live.batch("--replay", file, "-d", 1000, wrap=NOBODY)
    assert len(whole) == 1
    parts = live.batch("--replay", file, wrap=NOBODY)
    assert whole[0]["health"]["samples"] == sum(r["health"]["samples"] for r in parts)
    stress = live.batch("--replay", file, "--comm", "^stress", "--group", "comm", wrap=NOBODY)
    assert {x["comm"] for r in stress for x in r["rows"]} and all(
        x["comm"].startswith("stress") for r in stress for x in r["rows"]), stress
    done = live.proftop("--replay", file, "-b", "--format", "folded", wrap=NOBODY)
    assert done.status == 0 and done.out.count("\n") > 1, str(done)
    done = live.proftop("--replay", file, "-b", "-V", "io", wrap=NOBODY)
    assert done.status == 4 and "nothing for view io" in done.err, str(done)


def test_code():
    """A replay shows the code of a file that is here, and none of another or of the kernel"""
    live.need_root()
    program, file, script = path("two_functions"), path("code.ptr"), path("code.keys")
    shutil.copy(os.path.join(live.WORKLOADS, "two_functions"), program)
    with live.Workload("two_functions", 30, path=program) as work:
        live.batch("-n", 2, "-d", "0.5", "-p", work.pid, "--record", file)
    for expect in ("expect instruction\nreject no code", "expect the file is not on this machine"):
        with open(script, "w", encoding="ascii") as f:
            f.write(f"tick 2\nkey Enter Enter\n{expect}\nquit\n")
        run = live.proftop("--replay", file, "--script", script, "--size", "120x40")
        assert run.status == 0, str(run)
        shutil.copy("/bin/true", program)


def test_killed():
    """What was written before a kill can be read"""
    live.need_root()
    file = path("killed.ptr")
    with subprocess.Popen([live.CHECKED, "-b", "-d", "0.2", "--record", file],
                          stdout=subprocess.DEVNULL, env=live.environment()) as run:
        try:
            size = live.wait_for(lambda: os.path.exists(file) and os.stat(file).st_size > 4000
                                 and os.stat(file).st_size, 30)
            live.wait_for(lambda: os.stat(file).st_size > size + 1000, 30)
        finally:
            run.send_signal(signal.SIGKILL)
    assert len(live.batch("--replay", file)) >= 5


def test_no_room():
    """A full disk ends the recording with one line, and nothing else"""
    live.need_root()
    file = path("full.ptr")

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    with open(path("full.json"), "wb"):
        pass
    run = live.proftop("-b", "-n", 20, "-d", "0.2", "--format", "csv", "--record", file,
                       preexec_fn=small)
    assert run.status == 0, str(run)
    lines = [x for x in run.err.splitlines() if "recording" in x]
    assert len(lines) == 1 and "cannot write" in lines[0], str(run)
    assert os.stat(file).st_size <= 3000


def main():
    try:
        live.main(globals())
    finally:
        shutil.rmtree(TMP, ignore_errors=True)


if __name__ == "__main__":
    main()
