#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Memory that is made free: who reclaims at the limit of a control group and how many pages, what is
written to swap and comes back, who is killed, who compacts memory; getrusage and perf stat on the same."""
import contextlib
import ctypes
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from cgroups import limited  # noqa: E402

PAGE = os.sysconf("SC_PAGESIZE")
MIB = 1 << 20
LIMIT, SIZE = 24 * MIB, 64 * MIB
PYTHON = "/usr/bin/python3"

READ = """
import os
f = os.open(sys.argv[1], os.O_RDONLY)
while os.read(f, 1 << 20):
    pass
"""
TOUCH = """
import mmap
m = mmap.mmap(-1, int(sys.argv[1]), getattr(mmap, sys.argv[2]) | mmap.MAP_ANONYMOUS)
for at in range(0, len(m), mmap.PAGESIZE):
    m[at] = 1
"""
# What was touched first was swapped out.
TOUCH_AGAIN = TOUCH + """
before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
sum(m[at] for at in range(0, len(m) // 2, mmap.PAGESIZE))
print(resource.getrusage(resource.RUSAGE_SELF).ru_majflt - before)
"""


def limited_python(wrap, code, *args, **kinds):
    """Code in a group with a limit; a thread's name of its own, so that a filter by it has nobody else."""
    name = "import ctypes, resource, sys; ctypes.CDLL(None).prctl(15, b'reclaimer')\n"
    return subprocess.run([*wrap, PYTHON, "-c", name + code, *map(str, args)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, timeout=live.LIMIT_S, **kinds)


def watched(run, *options, view="reclaim", killed=0):
    """Rows of all intervals in which run() did its work, and what it returned. killed: at least so many processes."""
    with live.Watch(view, *options, binary=live.CHECKED) as watch:
        watch.next()
        result = run()
        watch.until(live.now_ns())
        reports = list(watch.reports)
    health, summary = reports[-1]["health"], reports[-1]["summary"]
    if view == "reclaim":
        assert summary["available_bytes"] > 0 and summary["oom_kills"] >= killed, summary
    assert health["lost"] == 0 and health["map_full"] == 0, health
    return [r for x in reports for r in x["rows"]], result


def counted(command, event):
    """Words before a command that have perf stat count an event of it."""
    if subprocess.run(["sh", "-c", "command -v perf"], stdout=subprocess.DEVNULL, check=False).returncode:
        return command, lambda result: None
    return (["perf", "stat", "-x,", "-e", event, *command],
            lambda result: int(re.search(rf"^(\d+),,{event}", result.stderr, re.M)[1]))


@contextlib.contextmanager
def cold_file(size):
    """A file of which nothing is in memory."""
    path = os.path.join(live.FOLDER, f"reclaim_live.{os.getpid()}")
    try:
        with open(path, "wb") as f:
            for _ in range(size // MIB):
                f.write(os.urandom(MIB))
            f.flush()
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        yield path
    finally:
        os.unlink(path)


def total(rows, field, **labels):
    return sum(r[field] for r in rows if all(r[k] == v for k, v in labels.items()))


def test_limit_of_a_cgroup():
    """Who reads more than its control group may have reclaims the rest, as often as perf stat counts"""
    live.need_root()
    with cold_file(SIZE) as path, limited("memory", LIMIT) as wrap:
        command, perf = counted(list(wrap), "vmscan:mm_vmscan_memcg_reclaim_begin")
        rows, result = watched(lambda: limited_python(command, READ, path),
                               "--group", "kind,comm,why,stack", "--filter", "comm~^reclaimer$")
    assert not result.returncode, result.stderr
    assert {r["kind"] for r in rows} == {"cgroup limit"}, rows
    pages = total(rows, "reclaimed_pages")
    # All that is read is charged; what is in use at the end is at most the limit.
    assert (SIZE - LIMIT) // PAGE <= pages <= (SIZE + 8 * MIB) // PAGE, pages
    assert total(rows, "scanned_pages") >= pages // 2, rows  # slabs are not looked at page by page
    for r in rows:
        assert re.match("order [0-9]+: pages of programs or files", r["why"]), r["why"]
        assert r["throttled_ns"] <= r["total_ns"] and 0 < r["min_ns"] <= r["max_ns"], r
    named = [r for r in rows if any(f["symbol"] == "filemap_get_pages" for f in r["stack"])]
    assert total(named, "count") >= 0.9 * total(rows, "count"), [r["stack"] for r in rows]
    judged = perf(result)
    if judged is not None:
        # Before it has its name it is nobody that is asked for.
        live.near_peer(total(rows, "count"), ("perf stat", judged), max(3, 0.05 * judged), "reclaims")


def test_oom_kill():
    """Who is killed at a limit is named, with what was asked for and where"""
    live.need_root()
    with limited("memory", LIMIT) as wrap:
        rows, result = watched(lambda: limited_python([*wrap], "import os; print(os.getpid(), flush=True)\n" + TOUCH,
                                                      4 * LIMIT, "MAP_PRIVATE"), "--group", "kind,victim,why,comm,stack",
                               killed=1)
    assert result.returncode in (-9, 137), result
    killed = [r for r in rows if r["victim"] == f"{int(result.stdout)} reclaimer"]
    assert total(killed, "count") == 1 and killed[0]["kind"] == "cgroup oom kill", rows
    assert killed[0]["comm"] == "reclaimer" and killed[0]["why"].startswith("order 0: pages of programs"), killed
    assert any("oom" in f["symbol"] for f in killed[0]["stack"]), killed[0]["stack"]


@contextlib.contextmanager
def swap(size):
    path = os.path.join(live.FOLDER, f"reclaim_live.swap.{os.getpid()}")
    with open(path, "wb") as f:
        os.posix_fallocate(f.fileno(), 0, size)
    os.chmod(path, 0o600)
    try:
        for command in ["mkswap", path], ["swapon", path]:
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            except OSError as e:
                raise live.Skip(f"no {command[0]}: {e}") from e
            if done.returncode:
                raise live.Skip(f"{command[0]}: {done.stderr.strip()}")
        yield
    finally:
        subprocess.run(["swapoff", path], stderr=subprocess.DEVNULL, check=False)
        os.unlink(path)


def swapped(kind, wrap, size):
    """Memory of a kind (private, shared) that is written to swap and faulted in again."""
    rows, result = watched(lambda: limited_python(wrap, TOUCH, size, kind), "--group", "kind,comm",
                           "--filter", "comm~^reclaimer$")
    faults, again = watched(lambda: limited_python(wrap, TOUCH_AGAIN, size, kind), "--group", "cause,pid,comm",
                            "--filter", "comm~^reclaimer$", view="faults")
    assert not result.returncode and not again.returncode, (result, again)
    written = total(rows, "written_pages")
    # A page that is on its way counts again when it is met again.
    assert (size - LIMIT) // PAGE <= written <= 2 * size // PAGE, (kind, written)
    # Pages of the interpreter are read again meanwhile: from files, or as they were written to from swap.
    major, judged = total(faults, "major"), int(again.stdout)
    assert judged > 100 and total(faults, "major", cause="swap") >= 0.8 * judged, (kind, faults, judged)
    assert major >= judged, (kind, major, judged)


def test_swap():
    """What is written to swap is counted where it is reclaimed, what is read again by who faults it in"""
    live.need_root()
    size = 2 * LIMIT
    with swap(2 * size), limited("memory", LIMIT) as wrap:
        for kind in "MAP_PRIVATE", "MAP_SHARED":
            swapped(kind, wrap, size)


# Half of it is read again behind the first line; then it waits.
SLEEPER = """
import mmap, os, sys
m = mmap.mmap(-1, int(sys.argv[1]), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
m.madvise(mmap.MADV_NOHUGEPAGE)
for at in range(0, len(m), mmap.PAGESIZE):
    m[at] = 1
print("ready", flush=True)
sys.stdin.readline()
sum(m[at] for at in range(0, len(m) // 2, mmap.PAGESIZE))
print("again", flush=True)
sys.stdin.readline()
"""
MADV_PAGEOUT, SYS_PIDFD_OPEN, SYS_PROCESS_MADVISE = 21, 434, 440


class Range(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("len", ctypes.c_size_t)]


def page_out(pid, size):
    """Another process has the memory of one written to swap: this one."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        spans = [[int(x, 16) for x in line.split()[0].split("-")] for line in f if len(line.split()) == 5]
    # The kernel may have put it beside others.
    begin, end = next(s for s in spans if s[1] - s[0] >= size)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(SYS_PIDFD_OPEN, pid, 0)
    done = libc.syscall(SYS_PROCESS_MADVISE, fd, ctypes.byref(Range(begin, end - begin)), 1, MADV_PAGEOUT, 0)
    error = ctypes.get_errno()
    os.close(fd)
    if done < 0:
        raise live.Skip(f"process_madvise: {os.strerror(error)}")


def in_swap(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return int(re.search(r"^VmSwap:\s+(\d+) kB", f.read(), re.M)[1]) * 1024 // PAGE


def test_swap_of_processes():
    """Pages that go to swap are of the process that has them, whoever reclaims; less those that come back they are
    what the kernel says is there"""
    live.need_root()
    size = LIMIT
    with swap(2 * size), subprocess.Popen([PYTHON, "-c", SLEEPER, str(size)], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True) as work, \
         live.Watch("faults", "-p", work.pid, "--group", "pid", binary=live.CHECKED) as watch:
        assert work.stdout.readline() == "ready\n"
        watch.next()
        page_out(work.pid, size)
        watch.until(live.now_ns())
        first, there = list(watch.reports), in_swap(work.pid)
        work.stdin.write("\n")
        work.stdin.flush()
        assert work.stdout.readline() == "again\n"
        watch.until(live.now_ns())
        left = in_swap(work.pid)
        work.stdin.write("\n")
        work.stdin.flush()
    assert there >= 0.9 * size // PAGE and left < there, (there, left, size // PAGE)
    rows = [r for x in first for r in x["rows"]]
    assert {r["pid"] for r in rows if r["swapped_out"]} == {work.pid}, rows
    assert total(rows, "swapped_out") == there and not total(rows, "swapped_in"), (there, rows)
    rows = [r for x in watch.reports for r in x["rows"]]
    assert total(rows, "swapped_out") == there, (there, rows)
    live.fact("pages that came back from swap", there - left, total(rows, "swapped_in"), within=0)


def test_compaction():
    """Who compacts memory is counted, as often as perf stat counts, and how long it takes"""
    live.need_root()
    if not os.path.exists("/proc/sys/vm/compact_memory"):
        raise live.Skip("the kernel does not compact memory")
    command, perf = counted([], "compaction:mm_compaction_begin")
    rows, result = watched(lambda: limited_python(command, "open('/proc/sys/vm/compact_memory', 'w').write('1')"),
                           "--group", "kind,comm,why", "--filter", "comm~^reclaimer$")
    assert not result.returncode, result.stderr
    assert {(r["kind"], r["why"]) for r in rows} == {("compaction", "waits for pages")}, rows
    judged = perf(result)
    assert total(rows, "count") >= 1 and total(rows, "total_ns") > 0, rows
    if judged is not None:
        live.near_peer(total(rows, "count"), ("perf stat", judged), 0, "compactions of zones")


if __name__ == "__main__":
    live.main(globals())
