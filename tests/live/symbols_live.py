#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Names: of code that comes late, goes early, hides or lies."""
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402


def watch(pid, seconds=2, *more, freq=499):
    report = live.batch("-d", seconds, "-n", 1, "-F", freq, "-p", pid, *more)[0]
    live.conserved(report)
    return report


def test_dlopen():
    """A library loaded while it is watched"""
    live.need_root()
    with live.Workload("dlopen_late", 20, 1) as work:
        report = watch(work.pid, 3)
    row = live.row(report, "late_function")
    assert row["self_pct"] > 80, row
    assert os.path.basename(row["object"]) == "liblate.so", row


def to_its_end(work, delay, until):
    """The reports on a process that stands still until it is watched, and goes on until it has ended."""
    live.need_root()
    work.process.send_signal(signal.SIGSTOP)
    with live.Watch("cpu", "-p", work.pid, "-F", 499, delay=delay, binary=live.CHECKED) as watching:
        watching.next()
        work.process.send_signal(signal.SIGCONT)
        until(work)
        work.process.wait()
        watching.until(live.now_ns())
        return watching.reports


def share(reports, symbol):
    return sum(live.row(r, symbol)["self_count"] for r in reports) / sum(r["health"]["samples"] for r in reports)


def test_exec():
    """A process that becomes three programs, one after another"""
    with live.Workload("exec_chain", "2.4") as work:
        reports = to_its_end(work, 1, lambda work: None)
    for stage in ("stage_one", "stage_two", "stage_three"):
        assert share(reports, stage) > 0.15, (stage, [r["rows"][:3] for r in reports])


def test_exit():
    """A process that is gone when the interval ends keeps its names"""
    def for_a_moment(work):
        enough = work.cpu_seconds() + 0.2
        live.wait_for(lambda: work.cpu_seconds() > enough, 60)
        work.process.kill()

    with live.Workload("exits_early", 120) as work:
        reports = to_its_end(work, 3, for_a_moment)
    assert share(reports, "early_function") > 0.8, [r["rows"][:3] for r in reports]


def test_churn():
    """Processes that live for 5 ms are counted under their function"""
    live.need_root()
    with live.Workload("churn", 20):
        report = live.batch("-d", 2, "-n", 1, "-F", 999, "--comm", "^churn$")[0]
    live.conserved(report)
    row = live.row(report, "short_lived")
    known = sum(r["self_count"] for r in report["rows"] if r["kind"] != "unknown")
    assert row["self_count"] > 200, row
    assert known > 0.9 * report["health"]["samples"], "too much unknown"


def test_inlined():
    """Inlined functions are found when asked for, their place keeps the time otherwise"""
    live.need_root()
    with live.Workload("inlined", 20) as work:
        report = watch(work.pid)
    names = {r["symbol"]: r for r in report["rows"]}
    whole = names.get("has_inlined", {"self_pct": 0})["self_pct"]
    inner = sum(r["self_pct"] for n, r in names.items() if n in ("innermost", "middle"))
    assert whole + inner > 90, report["rows"][:5]
    for name in ("innermost", "middle"):
        if name in names:
            assert names[name]["kind"] == "inlined", names[name]


def test_jit():
    """Code made at run time has the name its perf map gives"""
    live.need_root()
    with live.Workload("jit", 20) as work:
        report = watch(work.pid)
        os.unlink(f"/tmp/perf-{work.pid}.map")
    row = live.row(report, "jit_loop<a;b>")
    assert row["self_pct"] > 80, report["rows"][:5]
    assert row["kind"] == "jit", row


def test_huge_perf_map():
    """A perf map of 1 GB neither hangs nor fills the memory"""
    live.need_root()
    if shutil.disk_usage("/tmp").free < 3 << 30:
        raise live.Skip("less than 3 GB free in /tmp")
    with live.Workload("jit", 120, 1 << 30) as work:
        path = f"/tmp/perf-{work.pid}.map"
        try:
            run = live.proftop("--batch", "--format", "json", "-d", 1, "-n", 2, "-F", 199, "-p",
                               work.pid, timeout=60, binary=live.RELEASE,
                               wrap=("/usr/bin/python3", "-c", LIMITED, str(400 << 20)))
        finally:
            os.unlink(path)
    assert run.status == 0, str(run)
    for report in run.json():
        live.conserved(report)


# Runs the rest of its arguments and fails when they took more resident memory.
LIMITED = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
if used > int(sys.argv[1]):
    sys.exit(f"{used >> 20} MiB resident")
sys.exit(status)
"""


def test_deleted():
    """A program whose file is deleted"""
    live.need_root()
    with live.temporary() as tmp:
        with live.Workload("deleted", 20, env={**os.environ, "TMPDIR": tmp}) as work:
            report = watch(work.pid)
    assert live.row(report, "deleted_function")["self_pct"] > 80, report["rows"][:5]


def test_replaced():
    """A program whose file was replaced by another one with the same name"""
    live.need_root()
    with live.temporary() as tmp:
        path = os.path.join(tmp, "program")
        shutil.copy(os.path.join(live.WORKLOADS, "two_functions"), path)
        with live.Workload("two_functions", 20, path=path) as work:
            shutil.copy(os.path.join(live.WORKLOADS, "inlined"), path + ".new")
            os.rename(path + ".new", path)
            report = watch(work.pid)
    live.near(live.row(report, "hot_70")["self_pct"], 70, 8, "hot_70")


def test_mount_namespace():
    """A program that only its own mount namespace can see"""
    live.need_root()
    with live.temporary() as tmp:
        script = ('mount -t tmpfs none "$1" && cp "$2" "$1/inside" && exec "$1/inside" 20')
        with live.Workload("two_functions", tmp, os.path.join(live.WORKLOADS, "two_functions"),
                           path="sh", wrap=("unshare", "-m", "--propagation", "private", "sh",
                                            "-c", script)) as work:
            assert not os.path.exists(os.path.join(tmp, "inside"))
            report = watch(work.pid)
    live.near(live.row(report, "hot_70")["self_pct"], 70, 8, "hot_70")


def test_stripped():
    """A stripped program: its samples are its own, under no wrong name"""
    live.need_root()
    with live.temporary() as tmp:
        path = os.path.join(tmp, "stripped")
        subprocess.run(["strip", "-s", "-o", path,
                        os.path.join(live.WORKLOADS, "two_functions")], check=True)
        with live.Workload("two_functions", 20, path=path) as work:
            report = watch(work.pid)
    rows = [r for r in report["rows"] if os.path.basename(r["object"] or "") == "stripped"]
    assert sum(r["self_pct"] for r in rows) > 90, report["rows"][:5]


def test_debuglink():
    """A stripped program beside its debug file (.gnu_debuglink)"""
    live.need_root()
    with live.temporary() as tmp:
        path, debug = os.path.join(tmp, "linked"), os.path.join(tmp, "linked.debug")
        whole = os.path.join(live.WORKLOADS, "two_functions")
        subprocess.run(["objcopy", "--only-keep-debug", whole, debug], check=True)
        subprocess.run(["objcopy", "-S", f"--add-gnu-debuglink={debug}", whole, path], check=True)
        with live.Workload("two_functions", 20, path=path) as work:
            report = watch(work.pid)
    live.near(live.row(report, "hot_70")["self_pct"], 70, 8, "hot_70")


def test_minidebuginfo():
    """A stripped program with .gnu_debugdata"""
    live.need_root()
    with live.temporary() as tmp:
        path, mini = os.path.join(tmp, "mini"), os.path.join(tmp, "mini.debug")
        whole = os.path.join(live.WORKLOADS, "two_functions")
        subprocess.run(["objcopy", "-S", "--strip-debug", "--keep-symbol=hot_70",
                        "--keep-symbol=hot_30", whole, mini], check=True)
        subprocess.run(["xz", "-z", mini], check=True)
        subprocess.run(["objcopy", "-S", "--add-section", f".gnu_debugdata={mini}.xz", whole,
                        path], check=True)
        with live.Workload("two_functions", 20, path=path) as work:
            report = watch(work.pid)
    live.near(live.row(report, "hot_70")["self_pct"], 70, 8, "hot_70")


def test_broken_elf():
    """A running program whose file was overwritten with rubbish does no harm"""
    live.need_root()
    with live.temporary() as tmp:
        path = os.path.join(tmp, "rubbish")
        shutil.copy(os.path.join(live.WORKLOADS, "two_functions"), path)
        with open(path, "rb") as f:
            image = bytearray(f.read())
        # The section table lies: the program still runs.
        image[0x28:0x30] = (0x7FFFFFFFFFFFFF00).to_bytes(8, "little")
        image[0x3C:0x3E] = (0xFFFF).to_bytes(2, "little")
        with open(path, "wb") as f:
            f.write(image)
        with live.Workload("two_functions", 20, path=path) as work:
            report = watch(work.pid)
    assert report["health"]["samples"] > 150, report["health"]


def test_deep_stack():
    """200 frames: the leaf is right and the stacks are said to be truncated"""
    live.need_root()
    with live.Workload("deep_recursion", 20) as work:
        report = watch(work.pid)
    assert live.row(report, "recurse")["self_pct"] > 90, report["rows"][:5]
    assert live.row(report, "recurse")["total_pct"] <= 100.1
    assert report["health"]["stacks_truncated_pct"] > 50, report["health"]


MUSL_THREAD = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long sum;
static void *work(void *arg)
{
	for (;;)
		sum++;
	return arg;
}
int main(void)
{
	pthread_t thread;

	printf("ready %d\n", getpid());
	fflush(stdout);
	pthread_create(&thread, 0, work, 0);
	return work(0) != 0;
}
"""


def watch_musl(source, *flags):
    live.need_root()
    if not shutil.which("musl-gcc"):
        raise live.Skip("no musl-gcc")
    with live.temporary() as folder:
        program = os.path.join(folder, "musl_thread")
        subprocess.run(["musl-gcc", "-static", "-O1", *flags, "-x", "c", "-", "-o", program], check=True,
                       input=source, text=True)
        with live.Workload("musl_thread", path=program) as work:
            health = watch(work.pid)["health"]
    assert health["samples"] > 50, health
    # The first stacks may come before the program's table.
    assert health["stacks_truncated_pct"] < 20, health
    return health


def test_musl_outermost():
    """musl describes neither what calls main nor what calls a thread's function: both are whole"""
    watch_musl(MUSL_THREAD)


def test_musl_stripped():
    """Without symbols the main thread's stacks are whole, too, and the walks say the same"""
    source = MUSL_THREAD.replace("pthread_create(&thread, 0, work, 0);", "(void)thread;")
    health = watch_musl(source, "-s")
    ends = health["user_stacks"]
    early = sum(ends[k] for k in ("no_row", "bad_stack", "no_frame_pointer", "frame_pointer_zero"))
    assert ends["whole"] > 50 and early < ends["whole"] / 5, health


def test_kernel():
    """Kernel code has its names and its kind"""
    live.need_root()
    with live.Workload("switch_storm", 20) as work:
        report = live.batch("-d", 2, "-n", 1, "-F", 999, "-p", work.pid)[0]
    kernel = [r for r in report["rows"] if r["kind"] == "kernel"]
    assert sum(r["self_pct"] for r in kernel) > 30, report["rows"][:5]
    assert not [r for r in kernel if r["symbol"].startswith("0x")], kernel[:5]


def set_max_map_count(value):
    path = "/proc/sys/vm/max_map_count"
    with open(path, encoding="ascii") as f:
        before = int(f.read())
    try:
        with open(path, "w", encoding="ascii") as f:
            f.write(str(value))
    except OSError as e:
        raise live.Skip(f"vm.max_map_count cannot be raised: {e}") from e
    return before


def test_many_mappings():
    """A process with 100,000 mappings"""
    live.need_root()
    before = set_max_map_count(200000)
    try:
        with live.Workload("many_mappings", 60) as work:
            report = watch(work.pid, 2)
    finally:
        set_max_map_count(before)
    assert live.row(report, "mapped_function")["self_pct"] > 80, report["rows"][:5]


def test_hostile_names():
    """Names with control characters, wide, combining and broken ones, in every format"""
    live.need_root()
    with live.Workload("hostile_names", 60) as work:
        for fmt in ("json", "text", "csv", "folded"):
            run = live.proftop("--batch", "--format", fmt, "-d", 2, "-n", 1, "-F", 999, "-p",
                               work.pid, "--group", "comm")
            assert run.status == 0, str(run)
            for bad in "\033\a" if fmt == "csv" else "\033\a\t\r":
                assert bad not in run.out, f"{fmt}: {bad!r} in {run.out!r}"
            if fmt == "json":
                report = json.loads(run.out)
                live.conserved(report)
                assert len([r for r in report["rows"] if r["self_pct"] > 5]) >= 6, report["rows"]
            if fmt == "folded":
                for line in run.out.splitlines():
                    assert line.rpartition(" ")[2].isdigit(), line
            if fmt == "csv":
                assert_csv(run.out)


def assert_csv(text):
    rows = [r for r in csv.reader(io.StringIO(text)) if r and not r[0].startswith("#")]
    assert len({len(r) for r in rows}) == 1, f"rows of different lengths: {rows}"


def test_suspended_process():
    """A stopped process takes no samples and does not hold anything up"""
    live.need_root()
    with live.Workload("two_functions", 60) as work:
        os.kill(work.pid, signal.SIGSTOP)
        report = watch(work.pid, 1)
        os.kill(work.pid, signal.SIGCONT)
    assert report["health"]["samples"] <= 2, report["health"]


if __name__ == "__main__":
    live.main(globals())
