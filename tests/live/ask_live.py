#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Questions that are asked at run time, against workloads that know what they did, perf stat and
bpftrace."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from asks import CALLS, MS, Calls, Watch, run, same  # noqa: E402


def test_counts():
    """Counts by keys, of several questions at once, to the event"""
    n = 3000
    asked = ("count syscalls:sys_enter_getppid by pid", "count syscalls:sys_enter_dup by comm",
             "count syscalls:sys_enter_* by pid",
             'count raw_syscalls:sys_exit if ret < 0 && comm == "calls" by ret, pid')
    pid, _, watch = run("exact", n, *(f"! {q}" for q in asked))
    same("getppid", n, watch.sum(ask=asked[0], pid=pid))
    same("dup", n, watch.sum(ask=asked[1], comm="calls"))
    assert watch.sum(ask=asked[2], pid=pid) >= 6 * n
    for error, count in ((-2, 2 * n), (-20, n // 2), (-11, n), (-9, n)):
        same(f"failed with {error}", count, watch.sum(ask=asked[3], pid=pid, ret=error))


def test_events_of_a_glob():
    """Events that a glob stands for are told apart"""
    n = 1000
    pid, _, watch = run("exact", n, "count syscalls:sys_enter_* if comm == \"calls\"",
                        options=("--group", "event,pid"))
    for call in ("getppid", "pread64", "dup"):
        same(call, n, watch.sum(pid=pid, event=f"syscalls:sys_enter_{call}"))


MANY = """
import contextlib, os, sys
print("ready", flush=True)
sys.stdin.readline()
for i in range(400):
    os.uname()
    with contextlib.suppress(OSError):
        os.getsid(0x7fffffff)
    with contextlib.suppress(OSError):
        os.stat(f"/nowhere/{i % 2}")
"""


def many(question, **kw):
    """What is said of a python that makes known calls while a question about all of them is asked."""
    with subprocess.Popen([sys.executable, "-c", MANY], stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE) as work, \
            Watch("! " + question.replace("PID", str(work.pid)), **kw) as watch:
        assert work.stdout.readline() == "ready\n"
        watch.next()
        work.communicate("\n")
        watch.until(live.now_ns())
    for r in watch.reports:
        assert r["health"]["lost"] == 0, r["health"]
    return watch


def test_all_calls():
    """Globs of all calls, which one program serves: what is passed, what is returned, how long"""
    live.need_root()
    watch = many("count syscalls:sys_enter_* if tid == PID", options=("--group", "event"))
    for call in ("newuname", "getsid"):  # the former is called uname elsewhere
        same(call, 400, watch.sum(event=f"syscalls:sys_enter_{call}"))
    watch = many("count syscalls:sys_exit_* if tid == PID && ret < 0 by ret",
                 options=("--group", "event,ret"))
    same("no such process", 400, watch.sum(event="syscalls:sys_exit_getsid", ret=-3))
    same("others", {-3}, {r["ret"] for r in watch.rows(event="syscalls:sys_exit_getsid")})
    watch = many("span syscalls:sys_enter_* -> syscalls:sys_exit_* if tid == PID by __syscall_nr",
                 view="pairs")
    getsid = GETSID[os.uname().machine]
    same("spans", 400, watch.sum(__syscall_nr=getsid))
    same("of them failed", 400, watch.sum("errors", __syscall_nr=getsid))
    assert all(r["min_ns"] > 0 for r in watch.rows() if r["count"]), watch.rows()


def test_values():
    """Sums and distributions are the workload's arithmetic"""
    n = 2000
    asked = ("count syscalls:sys_enter_pread64 by pid sum count",
             "count syscalls:sys_enter_pread64 by pid hist count * 2 + 1 bytes")
    pid, _, watch = run("exact", n, *asked)
    same("sum", 64 * n, watch.sum("sum", ask=asked[0], pid=pid))
    same("sum of an expression", 129 * n, watch.sum("sum_bytes", ask=asked[1], pid=pid))
    for r in watch.rows(ask=asked[1], pid=pid):
        assert r["min_bytes"] == r["max_bytes"] == r["p50_bytes"] == 129, r
        assert sum(h["count"] for h in r["hist"]) == r["count"], r
        assert all(h["lo_bytes"] <= 129 < h["hi_bytes"] for h in r["hist"]), r
    for r in watch.rows(ask=asked[0], pid=pid):
        assert all(h["lo"] <= 64 < h["hi"] for h in r["hist"]), r


def test_many_stacks():
    """Rows by stack sum to what was counted, also where there is no room for the stacks of all threads"""
    n = 2000
    for asked in ("! count raw_syscalls:sys_enter if id == 124 hist tid by stack",
                  "! count raw_syscalls:sys_enter if id == 124 by stack"):
        pid, _, watch = run("threads", n, asked)
        same(asked, 10 * n, watch.sum())


def test_signal_names():
    """A signal has its name behind its number; exports have the number"""
    with Watch("count signal:signal_generate by sig, pid") as watch, \
         subprocess.Popen(["sleep", "100"]) as sleeper:
        watch.next()
        sleeper.kill()
        sleeper.wait()
        watch.until(live.now_ns())
    same("SIGKILL", 1, watch.sum(sig=9, pid=sleeper.pid))
    shown = live.proftop("-b", "-n", 1, "-d", 2, "--ask", "count signal:signal_generate by sig",
                         "--", "sh", "-c", "kill -USR1 $$; sleep 5")
    assert "10 SIGUSR1" in shown.out, str(shown)


CALLING = "import os, time; [os.getppid() for i in range(9)]; time.sleep(3)"


def test_call_names():
    """A system call has its name behind its number on screen, and what is counted within it its own as a title"""
    for question in ("count syscalls:sys_enter_* by __syscall_nr",
                     "span raw_syscalls:sys_enter -> raw_syscalls:sys_exit by id between sched:sched_switch"):
        shown = live.proftop("-b", "-n", 1, "-d", 1.5, "--ask", "!" + question, "--", sys.executable, "-c", CALLING)
        assert re.search(r"\b\d+ getppid\b", shown.out), str(shown)
        assert "between" not in question or re.search(r" sched_switch +Total", shown.out), str(shown)


# Calls that fail, whose argument is one more each time, until a line comes; then the last one.
RISING = """
import os, select, sys
at = 0x40000000
print("ready", flush=True)
while at % 64 or not select.select([sys.stdin], [], [], 0)[0]:
    at += 1
    try:
        os.lseek(at, 0, 0)
    except OSError:
        pass
print(at, flush=True)
"""


def rising(question, **kw):
    """A question about such calls, which go on when it is asked and end before it does; the last argument."""
    live.need_root()
    with subprocess.Popen([sys.executable, "-c", RISING], stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE) as work:
        assert work.stdout.readline() == "ready\n"
        with Watch("! " + question.replace("PID", str(work.pid)), options=("-d", "0.05"), **kw) as watch:
            watch.until(live.now_ns() + 500 * MS)
            last = int(work.communicate("\n")[0])
            watch.until(live.now_ns())
    assert watch.reports[0]["rows"], watch.reports[0]
    return last, watch


def test_first_numbers():
    """What is read while programs go on to count, as at the beginning, is exact in the end"""
    last, watch = rising("count syscalls:sys_enter_lseek if pid == PID by pid sum fd")
    n = watch.sum()
    # Those were consecutive.
    same(f"sum of {n} arguments", n * (2 * last - n + 1) // 2, watch.sum("sum"))
    same("in buckets", n, sum(h["count"] for r in watch.rows() for h in r["hist"]))
    last, watch = rising("span syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek if pid == PID by pid",
                         view="pairs")
    n = watch.sum()
    same(f"of {n} spans failed", n, watch.sum("errors"))
    same("in buckets", n, sum(h["count"] for r in watch.rows() for h in r["hist"]))


def test_texts():
    """Texts as keys, compared and matched by globs"""
    n = 500
    asked = ('count syscalls:sys_enter_openat if filename ~ "/nowhere/*" by filename, pid',
             'count syscalls:sys_enter_openat if filename == "/nowhere/two" by pid')
    pid, _, watch = run("exact", n, *asked)
    for path in ("/nowhere/one", "/nowhere/two"):
        same(path, n, watch.sum(ask=asked[0], pid=pid, filename=path))
    same("others", {"/nowhere/one", "/nowhere/two"},
         {r["filename"] for r in watch.rows(ask=asked[0], pid=pid)})
    same("equal", n, watch.sum(ask=asked[1], pid=pid))


GETPPID = {"x86_64": 110, "aarch64": 173}
GETSID = {"x86_64": 124, "aarch64": 156}

LABS = """
import ctypes, sys
libc = ctypes.CDLL(None)
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(sys.argv[1])):
    libc.labs(i)
"""


def test_functions():
    """Functions of a library: calls, arguments, results and how long they take"""
    n = 2000
    asked = ("count uprobe:libc.so.6:labs by pid sum (s32)arg0",
             "count uretprobe:libc.so.6:labs if (s32)ret >= 1000 by pid",
             "span uprobe:libc.so.6:labs -> uretprobe:libc.so.6:labs by pid")
    with subprocess.Popen([sys.executable, "-c", LABS, str(n)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as work:
        work.stdout.readline()
        with Watch(*asked[:2], options=("-p", work.pid)) as watch, \
                Watch(asked[2], view="pairs", options=("-p", work.pid)) as spans:
            watch.next()
            spans.next()
            work.communicate("\n", timeout=60)
            end = live.now_ns()
            watch.until(end)
            spans.until(end)
    same("calls", n, watch.sum(ask=asked[0], pid=work.pid))
    same("sum of arguments", n * (n - 1) // 2, watch.sum("sum", ask=asked[0], pid=work.pid))
    same("results from 1000 on", n - 1000, watch.sum(ask=asked[1], pid=work.pid))
    same("spans", n, spans.sum(ask=asked[2], pid=work.pid))


AGAIN = """
import ctypes, os, sys, threading
libc = ctypes.CDLL("libc.so.6")
def call(n):
    for i in range(n):
        libc.labs(i)
        libc.llabs(i)
if len(sys.argv) > 2:
    call(500)
    sys.exit()
print("ready", flush=True)
sys.stdin.readline()
threads = [threading.Thread(target=call, args=(n,)) for n in (300, 200)]
for t in threads:
    t.start()
call(700)
for t in threads:
    t.join()
os.execv(sys.argv[1], [sys.argv[1], "-c", os.environ["AGAIN"], sys.argv[1], "more"])
"""


def test_functions_by_whom():
    """Calls of functions and nothing else: by thread, also at once, and by program after it executes another one"""
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again")
        os.symlink(os.path.realpath(sys.executable), again)
        with subprocess.Popen([sys.executable, "-c", AGAIN, again], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE, env={**os.environ, "AGAIN": AGAIN}) as work:
            work.stdout.readline()
            asked = "! count uprobe:libc.so.6:labs, uprobe:libc.so.6:llabs"
            with Watch(asked, options=("--group", "event,comm,tid")) as watch, \
                    Watch(asked, options=("-p", work.pid, "--group", "event,comm,tid")) as filtered:
                watch.next()
                filtered.next()
                work.communicate("\n", timeout=60)
                watch.until(live.now_ns())
                filtered.until(live.now_ns())
    for w in (watch, filtered):
        for event in ("labs", "llabs"):
            event = f"uprobe:libc.so.6:{event}"
            mine = [r for r in w.rows(event=event) if r["tid"] == work.pid or r["comm"].startswith("python")]
            threads = collections.Counter()
            for r in mine:
                threads[r["tid"], r["comm"] == "again"] += r["count"]
            same(f"{event} by thread and program", [200, 300, 500, 700], sorted(threads.values()))
            same(f"{event} of the program that is executed", 500, threads[work.pid, True])


def test_kernel_types():
    """Arguments of raw tracepoints and members of the kernel's structs"""
    number = GETPPID.get(os.uname().machine)
    if not number:
        raise live.Skip(f"the number of getppid on {os.uname().machine} is not known here")
    n = 1000
    asked = (f"! count btf:sys_enter if id == {number} by current->tgid",
             f"! count raw_syscalls:sys_enter if id == {number} && current->mm != 0 by comm")
    pid, _, watch = run("exact", n, *asked)
    same("current->tgid", n, watch.sum(ask=asked[0][2:], **{"current->tgid": pid}))
    same("current->mm", n, watch.sum(ask=asked[1][2:], comm="calls"))


def test_names():
    """A question that is compiled in is asked by its name"""
    n = 1000
    _, _, watch = run("exact", n, "! syscount")
    number = GETPPID.get(os.uname().machine)
    assert {r["ask"] for r in watch.rows()} == {"syscount"}, watch.rows()[:3]
    if number:
        same("getppid", n, watch.sum(ask="syscount", comm="calls", id=number))


def test_scope():
    """Filters act in the kernel: what is out of scope is in no count"""
    n = 1000
    with Calls("exact", n) as work, Calls("exact", n) as other:
        with Watch("! count raw_syscalls:sys_enter by pid", options=("-p", work.pid)) as watch:
            watch.next()
            for w in (other, work):
                w.tell()
                w.result()
            watch.until(live.now_ns())
    assert watch.sum(pid=work.pid) >= 6 * n
    same("pids", {work.pid}, {r["pid"] for r in watch.rows()})


def test_spans():
    """100 sleeps of 10 ms come out at 10 ms, by call and by thread"""
    n = 100
    asked = ("! span raw_syscalls:sys_enter -> raw_syscalls:sys_exit if id == 230 by pid",
             "span syscalls:sys_enter_clock_nanosleep -> syscalls:sys_exit_clock_nanosleep "
             "if latency > 5ms && entry(which_clock) >= 0 by pid",
             "span syscalls:sys_enter_clock_nanosleep -> syscalls:sys_exit_clock_nanosleep "
             "on pid by pid")
    if os.uname().machine != "x86_64":
        asked = asked[1:]
    pid, said, watch = run("sleeps", n, *asked, view="pairs")
    for q in asked:
        rows = watch.rows(ask=q.removeprefix("! "), pid=pid)
        same(f"spans: {q}", n, sum(r["count"] for r in rows))
        total = sum(r["total_ns"] for r in rows)
        assert n * 10 * MS <= total <= said["total_ns"] * 1.01, (q, total, said)
        assert min(r["min_ns"] for r in rows if r["count"]) >= 10 * MS, rows


def test_errors():
    """What system calls return at a span's end tells which failed, whether the question names it or not"""
    n = 300
    asked = {f"span syscalls:sys_enter_{call} -> syscalls:sys_exit_{call}": failed
             for call, failed in (("openat", 2 * n + n // 2), ("dup", n), ("getppid", 0))}
    with Calls("exact", n) as work, \
         Watch(*(f"! {q}" for q in asked), view="pairs", options=("-p", work.pid)) as watch:
        watch.next()
        work.tell()
        work.result()
        watch.until(live.now_ns())
    for q, failed in asked.items():
        same(f"errors: {q}", failed, watch.sum("errors", ask=q))
        assert watch.sum(ask=q) >= n, q


def test_unfinished():
    """Who has begun and not ended is counted, with age"""
    asked = "span syscalls:sys_enter_recvfrom -> syscalls:sys_exit_recvfrom by pid"
    with Watch(asked, view="pairs") as watch:
        watch.next()
        with Calls("blocked", 3) as work:
            ready = live.now_ns()
            watch.until(ready + 700 * MS)
            last = [r for r in watch.reports[-1]["rows"] if r["pid"] == work.pid]
            work.tell()
            work.result()
        watch.until(live.now_ns())
    same("inside", [3], [r["unfinished"] for r in last])
    assert last[0]["unfinished_ns"] >= 500 * MS, last
    same("ended then", 3, watch.sum(pid=work.pid))


def test_like_perf_stat():
    """perf stat counts the same of the same program"""
    perf = shutil.which("perf")
    if not perf:
        raise live.Skip("perf is not installed")
    n = 1500
    for event, exact in (("syscalls:sys_enter_getppid", True), ("syscalls:sys_exit_dup", True),
                         ("raw_syscalls:sys_enter", False), ("page-faults", False)):
        with Watch(f'! count {event} if comm == "calls"') as watch:
            watch.next()
            done = subprocess.run([perf, "stat", "-x,", "-e", event, CALLS, "exact", str(n)],
                                  input="\n", text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"),
                                  check=True)
            watch.until(live.now_ns())
        theirs = int(re.search(r"^(\d+),", done.stderr, re.M).group(1))
        # The program names itself after it began: until then its events are another name's.
        if exact:
            same(event, theirs, watch.sum())
        else:
            assert theirs - 150 <= watch.sum() <= theirs, (event, theirs, watch.sum())


def test_two_of_them():
    """Two proftops that ask the same count the same"""
    n = 1000
    asked = "count syscalls:sys_enter_getppid by pid"
    with Calls("exact", n) as work, Watch(asked) as one, Watch(asked) as two:
        one.next()
        two.next()
        work.tell()
        work.result()
        for w in (one, two):
            w.until(live.now_ns())
    for w in (one, two):
        same("getppid", n, w.sum(pid=work.pid))


WRONG = {
    "count sched:sched_switch if prev_con == 1": "no field",
    "count sched:sched_switch by": "",
    "count sched:sched_swit": "did you mean",
    "cuont page-faults": "",
    "count page-faults if pid ==": "",
    "count page-faults by pid, pid": "twice",
    "burst page-faults sample stack if foo > 3": "a slot has page_faults,",
    "burst cpu-clock sample stack if foo > 3": "a slot has cpu_clock; words: pid, tid,",
    "burst sched:sched_switch sample stack if sched:sched_switch > 3": "without its system",
    "span page-faults by pid": "",
    "x" * 66000: "",
    "": "",
}


def test_wrong_questions():
    """A question that is wrong is one message with a caret, and status 2; nothing is attached"""
    for question, word in WRONG.items():
        done = live.proftop("-b", "-n", 1, "--ask", question)
        assert done.status == 2, str(done)
        assert word in done.err and done.err.startswith("proftop: --ask: "), str(done)
        assert not done.out, str(done)
    for question, wrong in (("count sched:sched_switch if prev_con == 1", "prev_con"),
                            ("span sched:sched_switch -> sched:nosuch", "sched:nosuch"),
                            ("count uprobe:/nonexistent:f by pid", "uprobe:")):
        done = live.proftop("-b", "-n", 1, "--ask", question)
        lines = done.err.splitlines()
        assert done.status == 2 and len(lines) == 3, str(done)
        assert lines[2].index("^") == lines[1].index(wrong), str(done)
    done = live.proftop("-b", "-n", 1, "--ask", "count btf:nosuch")
    assert done.status == 2 and "no such tracepoint" in done.err, str(done)


def test_rate_guard():
    """What would take more than a tenth of a CPU says so, and is had with ! all the same"""
    asked = "count raw_syscalls:sys_enter by comm"
    workers = [Calls("spin") for _ in range(2 * os.cpu_count())]
    try:
        for w in workers:
            w.tell()
        done = live.proftop("-b", "-n", 1, "-d", 0.2, "--ask", asked)
        raw = live.proftop("-b", "-n", 1, "-d", 0.2, "--ask", "count btf:sys_enter by comm")
        forced = live.batch("-n", 1, "-d", 0.2, "--ask", "! " + asked)
    finally:
        for w in workers:
            w.__exit__()
    if not done.status:
        raise live.Skip("this machine makes too few system calls a second: " + done.out[:300])
    assert done.status == 2 and "of a CPU" in done.err and not done.out, str(done)
    assert raw.status == 2 and "of a CPU" in raw.err and not raw.out, str(raw)
    assert forced[0]["summary"]["count"] > 10000, forced[0]["summary"]
    same("the question's name", {asked}, {r["ask"] for r in forced[0]["rows"]})


def ran_ns(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0])


def test_events_that_perf_weighs():
    """perf adds up what sched_stat_runtime carries: its rate is that of events all the same, and sums are the run time"""
    asked = "count sched:sched_stat_runtime by pid sum runtime"
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as work:
        try:
            before = ran_ns(work.pid)
            done = live.batch("-n", 1, "-d", 1, "--ask", asked)
            most = ran_ns(work.pid) - before
        finally:
            work.kill()
    row = [r for r in done[0]["rows"] if r["pid"] == work.pid][0]
    assert 0 < row["sum"] <= most, (row, most)
    assert row["count"] < 20000, row
    live.near(row["sum"] / row["count"], row["avg"], 1, "the average")


CALLS_TO_END = """
import ctypes, os, signal, sys
libc = ctypes.CDLL(None)
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(sys.argv[1])):
    libc.labs(i)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_program_that_ends():
    """A program that is killed while it is probed has been counted to its last call; others go on"""
    n = 500
    asked = ("! count uprobe:pid:{}:labs by pid", "! count uprobe:libc.so.6:labs by pid")
    with subprocess.Popen([sys.executable, "-c", CALLS_TO_END, str(n)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as work, \
            subprocess.Popen([sys.executable, "-c", LABS, str(n)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True) as other:
        work.stdout.readline()
        other.stdout.readline()
        one = asked[0].format(work.pid)
        with Watch(one, asked[1]) as watch:
            watch.next()
            work.communicate("\n", timeout=60)
            watch.until(live.now_ns())
            other.communicate("\n", timeout=60)
            watch.until(live.now_ns())
    same("of the one that ended", n, watch.sum(ask=one[2:], pid=work.pid))
    same("of all", n, watch.sum(ask=asked[1][2:], pid=work.pid))
    same("of the other", n, watch.sum(ask=asked[1][2:], pid=other.pid))
    gone = live.proftop("-b", "-n", 1, "-d", 0.2, "--ask", one)
    assert gone.status and str(work.pid) in gone.err, str(gone)


def test_stacks():
    """Stacks of a question are a flame graph, and in every format of stacks; pairs are by their names"""
    n = 700
    nest = "! nest uprobe:libc.so.6:qsort -> uretprobe:libc.so.6:qsort on tid"
    out = os.path.join(os.environ.get("TMPDIR", "/tmp"), "stacks.folded")
    asked = ("! count syscalls:sys_enter_getppid by kstack", "events", n)
    command = [sys.executable, "-c", f"import os\nfor i in range({n}): os.getppid()"]
    done = live.proftop("-b", "-d", 60, "-V", asked[1], "--ask", asked[0], "-o", out, "--", *command)
    assert not done.status, str(done)
    with open(out, encoding="utf-8") as f:
        lines = [x.rsplit(" ", 1) for x in f.read().splitlines()]
    same("stacks", n, sum(int(weight) for _, weight in lines))
    assert all("syscall" in path for path, _ in lines), lines[:3]
    sort = ("import ctypes\nlibc = ctypes.CDLL(None)\n"
            "for i in range(50): libc.qsort((ctypes.c_int * 8)(), 0, 4, None)")
    done = live.proftop("-b", "-d", 60, "-V", "pairs", "--ask", nest, "-o", out, "--format", "json", "--",
                        sys.executable, "-c", sort)
    assert not done.status, str(done)
    row = json.loads(done.out.splitlines()[-1])["rows"][0]
    assert row["count"] >= 50, row  # the interpreter sorts, too
    with open(out, encoding="utf-8") as f:
        path, us = f.read().strip().rsplit(" ", 1)
    same("a path of names", "uprobe:libc.so.6:qsort", path)
    assert abs(int(us) - row["own_ns"] / 1000) <= 1, (us, row)


def counts(pid):
    """Whether a proftop has programs attached, and waits for the end of its first interval."""
    rests = False
    for task in glob.glob(f"/proc/{pid}/task/*"):
        with open(task + "/comm", encoding="utf-8") as comm, open(task + "/wchan", encoding="utf-8") as wchan:
            rests |= comm.read() == "collector\n" and wchan.read() in ("do_epoll_wait", "ep_poll")
    return rests and any("link_type" in text for text in live.fdinfos(pid))


def test_one_more():
    """What a question has counted stays when others are asked, and when these are over"""
    n = 1000
    asked = 'count syscalls:sys_enter_getppid if comm == "calls" by pid'
    others = "ask count sched:sched_wakeup by comm; ask count irq:softirq_entry by vec; unask 2"
    with Calls("exact", n) as work:
        with subprocess.Popen([live.CHECKED, "-b", "-d", "2", "--format", "json", "-V", "events", "--ask",
                               asked, "--do", f"window total; {others}"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=live.environment()) as p:
            live.wait_for(lambda: counts(p.pid))
            work.tell()
            work.result()
            out, err = p.communicate(timeout=60)
    assert not p.returncode, err
    rows = json.loads(out.splitlines()[-1])["rows"]
    same("calls", n, sum(r["count"] for r in rows if r["ask"] == asked and r["pid"] == work.pid))
    same("questions", {asked, "count irq:softirq_entry by vec"}, {r["ask"] for r in rows})


def test_long_questions():
    """A question of 64 KiB has an answer or a reason, in bounded time; one that is longer has a reason"""
    term, head = "next_pid == 1 || ", "! count sched:sched_switch if "
    for size, wanted in ((60, 0), (65000, 2), (70000, 2)):
        asked = head + term * ((size - len(head)) // len(term)) + "next_pid >= 0"
        begin = live.now_ns()
        done = live.proftop("-b", "-n", 1, "-d", 0.2, "--ask", asked)
        assert done.status == wanted, (size, str(done)[:400])
        assert len(done.err) < 1000, done.err[:400]
        assert live.now_ns() - begin < 30e9, size


def test_hostile_names():
    """Escapes in a question move no cursor, and are whole in JSON"""
    done = live.proftop("-b", "-n", 1, "--ask", "count sched:\x1b[2Jx by \x1b]0;x\a")
    assert done.status == 2 and "\x1b" not in done.err, repr(done.err)


def test_what_is_not_there():
    """What this machine does not have says why"""
    for question, status, word in (("count kprobe:vfs_read", None, "kprobe"),
                                   ("count uprobe:/nowhere/at/all:main", None, "/nowhere"),
                                   ("count nothing:at_all", 2, "nothing")):
        done = live.proftop("-b", "-n", 1, "-d", 0.2, "--ask", question)
        if status is None and not done.status:
            continue  # this kernel has it
        assert done.status in ((1, 2, 4) if status is None else (status,)), str(done)
        assert word in done.err, str(done)


def test_like_bpftrace():
    """bpftrace adds up the same values"""
    bpftrace = shutil.which("bpftrace")
    if not bpftrace:
        raise live.Skip("bpftrace is not installed")
    program = ('BEGIN { printf("begun\\n"); } tracepoint:syscalls:sys_enter_pread64 '
               '/comm == "calls"/ { @n = count(); @s = sum(args->count); }')
    asked = 'count syscalls:sys_enter_pread64 if comm == "calls" sum count'
    n = 700
    with Calls("exact", n) as work, Watch(asked) as watch:
        peer = subprocess.Popen([bpftrace, "-e", program], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        for line in peer.stdout:
            if "begun" in line:
                break
        else:
            raise live.Skip("bpftrace does not run here: " + peer.stderr.read()[:200])
        watch.next()
        work.tell()
        work.result()
        watch.until(live.now_ns())
        peer.send_signal(2)
        out, _ = peer.communicate(timeout=30)
    theirs = dict(re.findall(r"@(\w): (\d+)", out))
    same("count", int(theirs["n"]), watch.sum())
    same("sum", int(theirs["s"]), watch.sum("sum"))


def test_names_of_the_kernel():
    """The kernel's names, which take longer to read than a question to load, are read for stacks alone"""
    if not shutil.which("strace"):
        raise live.Skip("strace is not installed")
    for question, wanted in (("count context-switches by comm", False), ("count context-switches by stack", True)):
        with live.temporary() as folder:
            calls = os.path.join(folder, "calls")
            live.batch("-n", 3, "-d", 0.3, "--ask", question, binary=live.RELEASE,
                       wrap=("strace", "-f", "-e", "trace=openat", "-o", calls))
            with open(calls) as f:
                assert ("/proc/kallsyms" in f.read()) == wanted, question


PACED = "import os, time\nprint('ready', flush=True)\nwhile True: os.getppid(); time.sleep(0.001)"


def test_first_interval():
    """It begins when the first question is attached: what was counted while others were loaded is of it"""
    asked = ("count syscalls:sys_enter_getppid by pid", "count raw_syscalls:sys_enter by stack",
             "span raw_syscalls:sys_enter -> raw_syscalls:sys_exit by stack")
    with subprocess.Popen([sys.executable, "-c", PACED], stdout=subprocess.PIPE, text=True) as work:
        try:
            work.stdout.readline()
            report = live.batch("-n", 1, "-d", 0.05, "-V", "events",
                                *(x for q in asked for x in ("--ask", "!" + q)))[0]
        finally:
            work.kill()
    count = sum(r["count"] for r in report["rows"] if r["ask"] == asked[0] and r["pid"] == work.pid)
    # On a busy machine cells are read some milliseconds after the end.
    most = 1.25 * (report["t1_ns"] - report["t0_ns"]) / MS + 1
    assert 0 < count <= most, f"{count} calls a millisecond apart, of {most:.1f} ms"


def test_nothing_stays():
    """No program, map or link is left behind"""
    with Watch("count page-faults by comm") as watch:
        watch.next()
        held = live.held(watch.process.pid)
        assert {"prog", "map"} <= {kind for kind, _ in held}, held
    live.wait_for(lambda: not held & live.loaded(), 10)


if __name__ == "__main__":
    live.main(globals())
