#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Filters let through what they name and nothing else; -- COMMAND; cgroups."""
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from cgroups import cgroup, join, v1_mount, v2_mount  # noqa: E402


def take(*args, seconds=1, **kw):
    report = live.batch("-d", seconds, "-n", 1, "-F", 499, *args, **kw)[0]
    live.conserved(report)
    return report


def seen(report, key):
    return {r[key] for r in report["rows"]}


def spinning(report):
    """Processes that do nothing else: a shell or `sleep` that starts has a sample or two."""
    return {r["pid"] for r in report["rows"] if r["self_pct"] > 5}


def test_pids():
    """-p takes several processes and lets no other through"""
    live.need_root()
    with live.Workload("two_functions", 30) as a, live.Workload("inlined", 30) as b, \
            live.Workload("deep_recursion", 30):
        report = take("-p", f"{a.pid},{b.pid}", "--group", "pid", seconds=2)
        assert seen(report, "pid") == {a.pid, b.pid}, report["rows"]
        report = take("--filter", f"pid={b.pid}", "--group", "pid")
        assert seen(report, "pid") == {b.pid}, report["rows"]


def test_negation():
    """!pid takes a process out and leaves the others"""
    live.need_root()
    with live.Workload("two_functions", 30) as a, live.Workload("inlined", 30) as b:
        report = take("--filter", f"!pid={a.pid}", "--group", "pid")
    assert a.pid not in seen(report, "pid") and b.pid in seen(report, "pid"), report["rows"]


def test_tid():
    """-t takes one thread of three"""
    live.need_root()
    with live.Workload("threads", 30) as work:
        tids = sorted(int(t) for t in os.listdir(f"/proc/{work.pid}/task"))
        report = take("-t", tids[1], "--group", "tid")
    assert seen(report, "tid") == {tids[1]}, report["rows"]


def test_comm():
    """--comm and comm~ take threads by their names"""
    live.need_root()
    with live.Workload("threads", 30):
        report = take("--comm", "^share-[53]0$", "--group", "comm")
        assert seen(report, "comm") == {"share-50", "share-30"}, report["rows"]
        report = take("--filter", "comm~^share- !comm~50", "--group", "comm")
        assert seen(report, "comm") == {"share-30", "share-20"}, report["rows"]


def test_cpu():
    """-C takes one CPU"""
    live.need_root()
    if os.cpu_count() < 2:
        raise live.Skip("one CPU only")
    with live.Workload("two_functions", 30, wrap=("taskset", "-c", "0")) as a, \
            live.Workload("inlined", 30, wrap=("taskset", "-c", "1")) as b:
        report = take("-C", 1, "--group", "pid")
        assert b.pid in seen(report, "pid") and a.pid not in seen(report, "pid"), report["rows"]
        report = take("-C", 0, "--group", "cpu")
        assert seen(report, "cpu") == {0}, report["rows"]


def test_terms_together():
    """All terms must hold"""
    live.need_root()
    with live.Workload("threads", 30) as work, live.Workload("two_functions", 30):
        report = take("--filter", f"pid={work.pid} comm~20", "--group", "comm")
        assert seen(report, "comm") == {"share-20"}, report["rows"]
        report = take("-p", work.pid, "--filter", "comm~two_functions", "--group", "comm")
        assert not report["rows"], report["rows"]


def test_symbol_term():
    """sym~ keeps the stacks that go through a function"""
    live.need_root()
    with live.Workload("two_functions", 30) as work:
        report = live.batch("-d", 1, "-n", 1, "-F", 499, "-p", work.pid, "--filter",
                            "sym~^hot_30$")[0]
    assert live.row(report, "hot_70")["self_count"] == 0, report["rows"]
    live.near(live.row(report, "hot_30")["total_pct"], 100, 0.1, "hot_30")


def test_cgroup():
    """-G takes a cgroup with what is below it (v2)"""
    live.need_root()
    base = v2_mount()
    if not base:
        raise live.Skip("no cgroup v2 mounted")
    with cgroup(base, "proftop-test") as outer, cgroup(outer, "inner") as inner, \
            live.Workload("two_functions", 30) as a, live.Workload("inlined", 30) as b, \
            live.Workload("deep_recursion", 30) as c:
        join(outer, a.pid)
        join(inner, b.pid)
        report = take("-G", "/proftop-test", "--group", "pid", seconds=2)
        assert seen(report, "pid") == {a.pid, b.pid}, report["rows"]
        report = take("--filter", "cgroup=/proftop-test/inner", "--group", "pid", seconds=2)
        assert seen(report, "pid") == {b.pid}, report["rows"]
        report = take("--filter", "!cgroup=/proftop-test", "--group", "pid", seconds=2)
        assert not seen(report, "pid") & {a.pid, b.pid} and c.pid in seen(report, "pid")
        report = take("-G", "/proftop-test", "--group", "cgroup", seconds=2)
        assert seen(report, "cgroup") == {"/proftop-test", "/proftop-test/inner"}, report["rows"]


def test_cgroup_alone():
    """A cgroup with "/." is without what is below it, in the kernel too"""
    live.need_root()
    base = v2_mount()
    if not base:
        raise live.Skip("no cgroup v2 mounted")
    with cgroup(base, "proftop-alone") as outer, cgroup(outer, "inner") as inner, \
            live.Workload("two_functions", 30) as a, live.Workload("inlined", 30) as b, \
            live.Workload("deep_recursion", 30) as c:
        join(outer, a.pid)
        join(inner, b.pid)
        report = take("-G", "/proftop-alone/.", "--group", "pid", seconds=2)
        assert seen(report, "pid") == {a.pid}, report["rows"]
        report = take("--filter", "!cgroup=/.", "--group", "pid", seconds=2)
        assert {a.pid, b.pid} <= seen(report, "pid"), report["rows"]
        assert c.pid not in seen(report, "pid"), report["rows"]
        report = take("-G", "/proftop-alone", "--filter", "!cgroup=/proftop-alone/.", "--group",
                      "pid", seconds=2)
        assert seen(report, "pid") == {b.pid}, report["rows"]


def test_cgroup_v1():
    """-G takes a cgroup that only v1 knows by its members"""
    live.need_root()
    base = v1_mount()
    if not base:
        raise live.Skip("no cgroup v1 mounted")
    with cgroup(base, "proftop-old") as path, live.Workload("two_functions", 30) as a, \
            live.Workload("inlined", 30):
        join(path, a.pid)
        report = take("-G", "/proftop-old", "--group", "pid", seconds=2)
    assert seen(report, "pid") == {a.pid}, report["rows"]


def workload(name):
    return os.path.join(live.WORKLOADS, name)


def test_command():
    """-- COMMAND: from its first instruction to its end, and nothing else"""
    live.need_root()
    with live.Workload("inlined", 30) as other:
        report = live.batch("-d", 20, "-F", 999, "--", workload("two_functions"), 2,
                            status=0, drop_output=True)[0]
        assert other.pid not in {r.get("pid") for r in report["rows"]}
    live.conserved(report)
    assert live.row(report, "has_inlined")["self_count"] == 0
    live.near(live.row(report, "hot_70")["self_pct"], 70, 4, "hot_70")
    assert report["health"]["samples"] > 300, report["health"]


def test_command_status():
    """The command's exit status is passed through, a signal as the shell does"""
    live.need_root()
    run = live.proftop("--batch", "-d", 1, "--", workload("exits_early"))
    assert run.status == 7, str(run)
    run = live.proftop("--batch", "-d", 1, "--", "sh", "-c", "kill -TERM $$")
    assert run.status == 128 + signal.SIGTERM, str(run)
    run = live.proftop("--batch", "-d", 1, "--", "true")
    assert run.status == 0, str(run)


def test_command_ends_batch():
    """Batch mode ends with its command, and waits for it after the last iteration"""
    live.need_root()
    start = time.monotonic()
    run = live.proftop("--batch", "-d", 60, "--", workload("exits_early"), 0.5)
    assert run.status == 7 and time.monotonic() - start < 15, str(run)
    start = time.monotonic()
    run = live.proftop("--batch", "-d", 0.3, "-n", 1, "--", workload("exits_early"), 2)
    assert run.status == 7 and time.monotonic() - start > 1.9, str(run)


def test_command_children():
    """What the command forks and execs belongs to it"""
    live.need_root()
    report = live.batch("-d", 30, "-F", 999, "--", "sh", "-c",
                        f"{workload('churn')} 1; {workload('inlined')} 1",
                        drop_output=True)[0]
    live.conserved(report)
    assert live.row(report, "short_lived")["self_count"] > 100, report["rows"][:5]
    names = ("has_inlined", "middle", "innermost")
    assert sum(live.row(report, n)["self_count"] for n in names) > 250, report["rows"][:5]


def test_command_early():
    """A command that lives for a few milliseconds is seen, from its exec on"""
    live.need_root()
    report = live.batch("-d", 20, "-F", 4999, "--", workload("churn"), 0, "child",
                        drop_output=True)[0]
    live.conserved(report)
    assert live.row(report, "short_lived")["self_count"] >= 8, report["rows"][:8]


def test_command_not_found():
    """A command that is not there is one clear line, with a shell's exit status, before anything
    is sampled and before there is a screen"""
    for args in (["--batch"], [], ["--batch", "--do", "view io"]):
        for name, status in (("/nonexistent/program", 127), ("no-such-program", 127),
                             ("/etc/passwd", 126), ("/etc", 126)):
            run = live.proftop(*args, "--", name, timeout=10)
            assert run.status == status, str(run)
            assert name in run.err and len(run.err.splitlines()) == 1, str(run)


def test_target_exits():
    """-p of a process that ends: the report still comes, with its samples"""
    live.need_root()
    with live.Workload("exits_early", 60) as work, \
            live.Watch("cpu", "-p", work.pid, "-F", 499, binary=live.CHECKED) as watch:
        live.wait_for(lambda: watch.next()["health"]["samples"], 60)
        work.process.kill()
        work.process.wait()
        watch.until(live.now_ns())
    for report in watch.reports:
        live.conserved(report)
    found = sum(live.row(r, "early_function")["self_count"] for r in watch.reports)
    assert found > 0.5 * sum(r["health"]["samples"] for r in watch.reports), found
    assert not watch.reports[-1]["health"]["samples"], watch.reports[-1]["health"]


def test_children_of_pid():
    """Threads that a watched process starts later belong to it"""
    live.need_root()
    script = f"echo ready $$; sleep 1; exec {workload('threads')} 20 >/dev/null"
    work = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(work.stdout.readline().split()[1])
        report = take("-p", pid, "--group", "comm", seconds=3)
        assert {"share-50", "share-30", "share-20"} <= seen(report, "comm"), report["rows"]
    finally:
        work.kill()
        work.communicate()


def test_tree():
    """tree= takes whoever descends from the process: who is there at the start and who comes, nobody else"""
    live.need_root()
    nobody = ("prlimit", "--memlock=0", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
    with live.temporary() as tmp, live.Workload("two_functions", 60) as other:
        ours = shutil.copy(workload("two_functions"), tmp)
        script = f"sh -c '{ours} 60 >/dev/null & echo ready; wait' & sleep 2; {ours} 60"
        work = subprocess.Popen([*nobody, "sh", "-c", script], stdout=subprocess.PIPE, text=True,
                                start_new_session=True)
        tree = "--filter", f"tree={work.pid}", "--group", "pid"
        try:
            assert work.stdout.readline() == "ready\n"
            there = take(*tree)
            with live.Watch("cpu", "-F", 499, *tree) as watch:
                live.wait_for(lambda: len(spinning(watch.next())) == 2, 20)
                both = spinning(watch.reports[-1])
            alone = take(*tree, wrap=nobody)
            waits = live.batch("-V", "offcpu", "-d", 1, "-n", 1, *tree)[0]
        finally:
            os.killpg(work.pid, signal.SIGKILL)
            work.communicate()
    # A shell that starts the second is of the tree too, and may be met; its own wait for a child is sure.
    assert spinning(there) <= both and other.pid not in seen(there, "pid") | both, (there["rows"], both)
    assert there["health"]["tier"] == "bpf" and alone["health"]["tier"] == "perf", alone["health"]
    assert spinning(alone) == both and other.pid not in seen(alone, "pid"), (alone["rows"], both)
    assert work.pid in seen(waits, "pid") and other.pid not in seen(waits, "pid"), waits["rows"]


def test_container():
    """In a PID namespace its processes are found by their ids there; what cannot be says why"""
    live.need_root()
    script = '"$0" 30 >/dev/null & ready=$!; exec "$@" --filter "pid=$ready"'
    wrap = ("unshare", "-pf", "--mount-proc", "sh", "-c", script, workload("two_functions"))
    if subprocess.run([*wrap, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise live.Skip("no PID namespaces here")
    report = take(seconds=2, wrap=wrap)
    live.near(live.row(report, "hot_70")["self_pct"], 70, 4, "hot_70")
    with live.Workload("two_functions", 30):
        whole = take("--group", "pid", wrap=wrap[:3])
    assert "outside of this container" in whole["health"]["note"], whole["health"]
    assert seen(whole, "pid") <= {1}, whole["rows"]
    for view in "offcpu", "sched", "io", "cache":
        run = live.proftop("--batch", "-V", view, "-n", 1, wrap=wrap)
        assert run.status == 4 and "--pid=host" in run.err, str(run)


if __name__ == "__main__":
    live.main(globals())
