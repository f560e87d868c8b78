#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Processes: workloads of which it is known where their wall time goes; /proc/PID/schedstat, stat,
io and statm for what the kernel itself counts of them."""
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from tmux import Tmux  # noqa: E402

PARTS = "user", "system", "runq", "disk", "lock", "wait", "sleep"
PYTHON = sys.executable
WATCHED_S = 2.0


@contextlib.contextmanager
def running(*command, **popen):
    popen.setdefault("stdin", subprocess.DEVNULL)
    popen.setdefault("stdout", subprocess.DEVNULL)
    process = subprocess.Popen(command, **popen)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def python(program, **popen):
    """A program that says "ready" when it is."""
    return running(PYTHON, "-u", "-c", program, stdout=subprocess.PIPE, stdin=subprocess.PIPE,
                   text=True, **popen)


def ready(process):
    line = process.stdout.readline()
    assert line == "ready\n", line
    return process.pid


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def schedstat(pid):
    """Nanoseconds on a CPU and in a run queue."""
    return [int(n) for n in read(f"/proc/{pid}/schedstat").split()[:2]]


def stat(pid):
    return read(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()


def io(pid):
    return dict((line.split(": ")[0], int(line.split(": ")[1]))
                for line in read(f"/proc/{pid}/io").splitlines())


def sums_to_threads(report):
    for r in report["rows"]:
        shares = [r[f"{p}_pct"] or 0 for p in PARTS]
        assert abs(sum(shares) - 100 * r["threads"]) < 0.01 * max(r["threads"], 1), r
        assert all(s >= 0 for s in shares), r


class Watched:
    """Rows of one process, of intervals that lie between begin and end; the means of its shares."""

    def __init__(self, pid, *options, seconds=WATCHED_S, key="pid", of=None, **watch):
        live.need_root()
        with live.Watch("procs", *options, **watch) as w:
            w.next()
            self.begin = [schedstat(pid), time.monotonic_ns()] if os.path.exists(f"/proc/{pid}") \
                else None
            begun = live.now_ns()
            w.until(begun + int(seconds * 1e9))
            self.reports = w.since(begun)
        for r in self.reports:
            sums_to_threads(r)
            assert r["health"]["lost"] == 0 and r["health"]["map_full"] == 0, r["health"]
        self.rows = [r for x in self.reports for r in x["rows"] if r.get(key) == (of or pid)]
        assert self.rows, f"no row of {pid}"
        self.last = self.rows[-1]

    def pct(self, *parts):
        return sum(r[f"{p}_pct"] for r in self.rows for p in parts) / len(self.rows)


def test_user_code_is_user():
    """A loop in user code: all of its time on a CPU is user"""
    with running("sh", "-c", "while :; do :; done") as p:
        w = Watched(p.pid)
    live.near(w.pct("user") / w.pct("user", "system"), 1, 0.05, "user share of a loop's CPU time")
    live.near(w.pct("user", "system", "runq"), 100, 1, "a loop runs or could, %")


def test_system_calls_are_kernel():
    """Reads and writes of a byte: the kernel's share is what /proc/PID/stat says"""
    with running("dd", "if=/dev/zero", "of=/dev/null", "bs=1", stderr=subprocess.DEVNULL) as p:
        w = Watched(p.pid, seconds=4)
        user, system = (int(n) for n in stat(p.pid)[11:13])
    live.near(w.pct("system") / w.pct("user", "system"), system / (user + system), 0.1,
              "kernel share of dd's CPU time")
    live.near(w.pct("user", "system", "runq"), 100, 2, "dd runs or could, %")


def test_run_queue_is_the_kernels_own_count():
    """Two loops on one CPU: each waits for it half of the time, as /proc/PID/schedstat counts"""
    cpu = str(max(os.sched_getaffinity(0)))
    loop = "taskset", "-c", cpu, "sh", "-c", "while :; do :; done"
    with running(*loop) as a, running(*loop) as b:
        live.need_root()
        with live.Watch("procs") as w:
            w.next()
            first, t0 = schedstat(a.pid), live.now_ns()
            w.until(t0 + int(3e9))
            second, t1 = schedstat(a.pid), live.now_ns()
            reports = w.since(t0)
        rows = {p: [r for x in reports for r in x["rows"] if r["pid"] == p]
                for p in (a.pid, b.pid)}
    wall = t1 - t0
    mean = {p: {k: sum(r[k] for r in v) / len(v) for k in ("runq_pct", "cpu_pct")}
            for p, v in rows.items()}
    live.near(mean[a.pid]["runq_pct"], 100 * (second[1] - first[1]) / wall, 6,
              "run queue of a loop, % (schedstat)")
    live.near(mean[a.pid]["cpu_pct"], 100 * (second[0] - first[0]) / wall, 6,
              "CPU of a loop, % (schedstat)")
    assert mean[a.pid]["runq_pct"] > 35 and mean[b.pid]["runq_pct"] > 35, mean


def test_sleep_is_sleep():
    """A sleeper sleeps, whether in a timer or in poll"""
    with running("sleep", "1000") as a, \
            python("import select; print('ready'); select.poll().poll()") as b:
        ready(b)
        live.near(Watched(a.pid).pct("sleep"), 100, 0.5, "sleep of a sleeper, %")
        live.near(Watched(b.pid).pct("sleep"), 100, 0.5, "sleep in poll, %")


def test_runs_across_an_intervals_end():
    """Beside 5,000 that sleep, so that most are passed over: one that got its CPU before an interval's end
    and left it after that sleeps from then on, and does not wait for a CPU"""
    work = ("import os, time\n"
            "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))\n"
            "print('ready')\n"
            "for i in range(1000):\n"
            "    end = time.thread_time() + 0.6\n"
            "    while time.thread_time() < end: pass\n"
            "    time.sleep(2.05)\n")
    live.need_root()
    with live.Workload("many_processes", 600, 5000), python(work) as p:
        rows = Watched(ready(p), seconds=15).rows
    waits = [r["runq_pct"] for r in rows if r["cpu_pct"] < 1]
    assert all(w < 50 for w in waits), waits
    live.near(sum(r["runq_pct"] for r in rows) / len(rows), 0, 20, "run queue of a real-time thread, %")


def thread_name(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as f:
        return f.read().strip()


def test_locks_are_locks():
    """A thread that waits for a mutex, held 20 of each 30 ms: that is lock. One in a semaphore, as
    python's Lock is, waits for something else. Shares of two threads sum to 200"""
    with live.Workload("futex_pair", 60, "mutex") as work:
        w = Watched(work.pid)
        tid = next(int(t) for t in os.listdir(f"/proc/{work.pid}/task")
                   if thread_name(work.pid, t) == "waiter")
        t = Watched(work.pid, "--group", "tid", key="tid", of=tid)
    live.near(w.pct(*PARTS), 200, 0.1, "shares of two threads, %")
    assert w.pct("lock") > 30 and t.pct("lock") > 30, (w.last, t.last)
    program = ("import threading, time\nl = threading.Lock(); l.acquire()\n"
               "t = threading.Thread(target=l.acquire, daemon=True); t.start()\n"
               "time.sleep(0.2); print('ready'); time.sleep(1000)")
    with python(program) as p:
        w = Watched(ready(p))
    live.near(w.pct("wait"), 100, 1, "wait of a process of two threads, %")
    assert w.pct("lock") < 0.1 and w.last["nthreads"] == 2 and w.last["threads"] == 2, w.last


def test_pipes_and_children_are_other_waits():
    """A reader of a pipe, and a shell that waits for its child"""
    with running("sh", "-c", "sleep 1000; true") as a, \
            running("cat", stdin=subprocess.PIPE) as b:
        live.near(Watched(a.pid).pct("wait"), 100, 0.5, "a shell waits for its child, %")
        live.near(Watched(b.pid).pct("wait"), 100, 0.5, "cat waits for its pipe, %")
        subprocess.run(["pkill", "-P", str(a.pid)], check=False)


def test_disk_and_bytes():
    """Direct reads: mostly disk, and bytes are those of /proc/PID/io"""
    program = ("import os, sys, mmap, signal, time\n"
               "n, b = 0, mmap.mmap(-1, 65536)\n"
               "fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)\n"
               "print('ready'); sys.stdin.readline()\n"
               "i, end = 0, time.monotonic() + 2.5\n"  # longer than two intervals
               "while i < 3000 or time.monotonic() < end:\n"
               "    os.preadv(fd, [b], (i * 37 % 512) * 65536)\n"
               "    i += 1\n"
               "out = os.open(sys.argv[1] + '.out', os.O_RDWR | os.O_CREAT)\n"
               "for i in range(50): os.write(out, b)\n"
               "print('done'); sys.stdin.readline()\n")
    live.need_root()
    with tempfile.TemporaryDirectory(dir=live.FOLDER) as folder:
        path = os.path.join(folder, "data")
        with open(path, "wb") as f:
            f.write(os.urandom(65536 * 512))
            os.fsync(f.fileno())
        with running(PYTHON, "-u", "-c", program, path, stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, text=True) as p, live.Watch("procs") as w:
            pid = ready(p)
            w.until(live.now_ns())
            before, mark = io(pid), len(w.reports)
            p.stdin.write("\n")
            p.stdin.flush()
            assert p.stdout.readline() == "done\n"
            w.until(live.now_ns())
            after = io(pid)
            rows = [r for x in w.reports[mark:] for r in x["rows"] if r["pid"] == pid]
    for key in ("read_bytes", "write_bytes"):
        found, wanted = sum(r[key] for r in rows), after[key] - before[key]
        live.fact(f"{key} of a reader and writer", wanted, found)
        assert found == wanted, (key, found, wanted)
    assert after["read_bytes"] - before["read_bytes"] >= 3000 * 65536
    busy = max(rows, key=lambda r: r["read_bytes"])
    assert busy["disk_pct"] > max(busy[f"{k}_pct"] for k in ("lock", "wait")), busy
    assert busy["disk_pct"] > 10, busy


def test_memory_and_faults():
    """256 MiB that are touched: the resident set is statm's, faults are stat's"""
    program = ("import sys\nprint('ready'); sys.stdin.readline()\n"
               "m = bytearray(256 << 20)\n"
               "for i in range(0, len(m), 4096): m[i] = 1\n"
               "print('done'); sys.stdin.readline()\n")
    live.need_root()
    with python(program) as p, live.Watch("procs") as w:
        pid = ready(p)
        w.until(live.now_ns())
        before, mark = stat(pid), len(w.reports)
        p.stdin.write("\n")
        p.stdin.flush()
        assert p.stdout.readline() == "done\n"
        w.until(live.now_ns())
        after = stat(pid)
        resident = int(read(f"/proc/{pid}/statm").split()[1]) * os.sysconf("SC_PAGESIZE")
        rows = [r for x in w.reports[mark:] for r in x["rows"] if r["pid"] == pid]
    for key, field in (("minor_faults", 7), ("major_faults", 9)):
        found, wanted = sum(r[key] for r in rows), int(after[field]) - int(before[field])
        live.fact(f"{key} of touching 256 MiB", wanted, found)
        assert found == wanted, (key, found, wanted)
    live.near(rows[-1]["rss_bytes"], resident, 1 << 20, "resident set of 256 MiB, bytes")
    assert rows[-1]["rss_bytes"] >= 256 << 20, rows[-1]
    assert rows[-1]["fds"] == 3, rows[-1]


def test_zombies():
    """A child that nobody waits for: Z, no time, no memory"""
    program = ("import os, time\npid = os.fork()\nif not pid: os._exit(0)\n"
               "time.sleep(0.2); print('ready'); print(pid); time.sleep(1000)\n")
    with python(program) as p:
        ready(p)
        child = int(p.stdout.readline())
        w = Watched(child)
    assert w.last["state"] == "Z" and w.last["rss_bytes"] is None, w.last
    assert w.last["threads"] == 0 and not any(w.last[f"{k}_pct"] for k in PARTS), w.last
    assert w.last["ppid"] == p.pid, w.last


def test_short_lived_are_counted():
    """500 programs: each is counted once, on the row of who started it and of its name"""
    live.need_root()
    loop = "for i in $(seq 500); do /bin/true; done; read x"
    with live.Watch("procs", delay=0.3) as w:
        w.next()
        with running("sh", "-c", loop, stdin=subprocess.PIPE) as p:
            live.wait_for(lambda: "read" not in read(f"/proc/{p.pid}/wchan"))
            live.wait_for(lambda: stat(p.pid)[0] == "S" and not
                          read(f"/proc/{p.pid}/task/{p.pid}/children").strip() and
                          read(f"/proc/{p.pid}/syscall").startswith("0 "), 30)
            w.until(live.now_ns())
            pid = p.pid
        rows = [r for x in w.reports for r in x["rows"]
                if r["starts"] and r["ppid"] == pid and r["comm"] == "true"]
        for x in w.reports:
            sums_to_threads(x)
    found = sum(r["starts"] for r in rows)
    live.fact("programs that a shell started", 500, found)
    assert found == 500, found
    assert all(r["pid"] is None and r["parent_comm"] == "sh" for r in rows), rows[0]


def test_short_lived_of_a_command():
    """Children of a command belong to its scope as they end, too: 200 in its first interval"""
    live.need_root()
    loop = "for i in $(seq 200); do /bin/true; done"
    report, = live.batch("-V", "procs", "-d", 30, "-n", 1, "--", "sh", "-c", loop, drop_output=True)
    found = sum(r["starts"] or 0 for r in report["rows"] if r["comm"] == "true")
    live.fact("programs that a command started", 200, found)
    assert found == 200, report["rows"]


def test_hostile_names():
    """A name and arguments with escapes and newlines become printable"""
    live.need_root()
    with tempfile.TemporaryDirectory(dir=live.FOLDER) as folder:
        path = os.path.join(folder, "a\x1b[2Jb")
        os.symlink("/bin/sh", path)
        with running(path, "-c", "read x", "1000", "\x1b]0;t\x07\n\t\x7f" * 3,
                     stdin=subprocess.PIPE) as p, \
                live.Watch("procs", binary=live.CHECKED) as w:
            w.until(live.now_ns())
            row = live.rows_by(w.reports[-1], "pid")[p.pid]
            text = live.proftop("-b", "-V", "procs", "-n", "1", "-d", "0.3").out
    assert all(ord(c) >= 32 and ord(c) != 127 for c in row["cmdline"]), row
    assert "1000 ?]0;t?" in row["cmdline"], row
    assert "\x1b" not in text and "1000 ?]0;t?" in text


def test_kernel_threads_and_groups():
    """Kernel threads have no command line; groups sum up what their members did"""
    live.need_root()
    with live.Watch("procs", binary=live.CHECKED) as w:
        w.until(live.now_ns())
    row = live.rows_by(w.reports[-1], "pid")[2]
    assert row["comm"] == "kthreadd" and row["cmdline"] is None and row["rss_bytes"] is None, row
    assert row["user"] == "root" and row["state"] in "SRD", row
    for group in ("tid", "comm", "user", "cgroup", "container"):
        with live.Watch("procs", "--group", group, binary=live.CHECKED) as w:
            w.until(live.now_ns())
            for x in w.reports:
                sums_to_threads(x)
            assert any("cpu_pct" in r for r in w.reports[-1]["rows"])


def test_a_filter_holds():
    """With a pid no other process has a row, and a wider filter shows the rest again"""
    with running("sleep", "1000") as p:
        w = Watched(p.pid, "--pid", p.pid)
        assert {r["pid"] for x in w.reports for r in x["rows"]} == {p.pid}, w.reports[-1]["rows"]


def test_without_privileges():
    """From /proc, where BPF is refused: CPU and memory, and null for what is not known"""
    live.need_root()
    with running("sh", "-c", "while :; do :; done") as p:
        run = live.proftop("-b", "-V", "procs", "-n", "1", "-d", "1", "--format", "json",
                           binary=live.RELEASE,
                           wrap=("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
        assert run.status == 0, run
        report = run.json()[0]
        sums_to_threads(report)
        row = live.rows_by(report, "pid")[p.pid]
    assert report["health"]["tier"] == "proc", report["health"]
    assert row["runq_pct"] is None and row["lock_pct"] is None and row["fds"] is None, row
    assert row["cpu_pct"] > 5 and row["rss_bytes"] > 0, row


def test_a_recording_is_the_same():
    """A replay has the rows of the recording"""
    live.need_root()
    with running("sleep", "1000") as p, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "r.ptr")
        live.batch("-V", "procs", "-n", "2", "-d", "0.5", "--record", path)
        rows = live.batch("-V", "procs", "--replay", path, "-d", "100")[0]["rows"]
        row = {r["pid"]: r for r in rows}[p.pid]
    assert row["cmdline"] == "sleep 1000" and row["sleep_pct"] > 99 and row["user"] == "root", row


def test_acts_on_the_process_that_is_meant():
    """Renice, CPUs and a signal from the screen, each after its question"""
    live.need_root()
    with running("sleep", "1000") as p, \
            Tmux([live.CHECKED, "-V", "procs", "--pid", str(p.pid)], 120, 30) as t:
        t.wait("sleep 1000")
        t.keys("B")
        t.wait("nice value")
        t.keys("C-u", "7", "Enter")
        t.wait("nice 7 for")
        t.keys("Enter")
        t.wait("nothing was done")
        assert os.getpriority(os.PRIO_PROCESS, p.pid) == 0
        t.keys("F8")
        t.wait("nice 1 for")
        t.keys("Down", "Enter")
        t.wait("done: nice 1")
        assert os.getpriority(os.PRIO_PROCESS, p.pid) == 1
        t.keys("%")
        t.wait("CPUs it may run on")
        t.keys("C-u", "0", "Enter")
        t.wait("CPUs 0 for")
        t.keys("Down", "Enter")
        t.wait("done: CPUs 0")
        assert os.sched_getaffinity(p.pid) == {0}
        t.keys("K")
        t.wait("signal to")
        t.keys("Enter")
        t.wait("SIGTERM to")
        t.keys("Down", "Enter")
        t.wait("done: SIGTERM")
        assert p.wait(10) == -signal.SIGTERM
        t.keys("q")
        t.wait_end()


if __name__ == "__main__":
    live.main(globals())
