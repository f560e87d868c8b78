#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""System calls against a workload that knows how many it made of which (workloads/syscalls.c),
perf stat, perf trace and syscount."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import cgroups  # noqa: E402
from asks import Calls  # noqa: E402

MS = 1_000_000


class Watch(live.Watch):
    def __init__(self, *options, group="pid,syscall", binary=live.CHECKED, **kw):
        super().__init__("syscalls", "--group", group, *options, binary=binary, **kw)

    def sums(self, **labels):
        """Of the rows that have these labels, added up over all intervals."""
        return added([r for x in self.reports for r in x["rows"]
                      if all(r[k] == v for k, v in labels.items())])


def added(rows):
    out = {"count": 0, "errors": 0, "total_ns": 0, "errnos": {}, "min_ns": None, "max_ns": 0,
           "hist": {}}
    for r in rows:
        for key in ("count", "errors", "total_ns"):
            out[key] += r[key]
        for name, n in r["errnos"].items():
            out["errnos"][name] = out["errnos"].get(name, 0) + n
        for h in r["hist"]:
            out["hist"][h["lo_ns"]] = out["hist"].get(h["lo_ns"], 0) + h["count"]
        if r["count"]:
            out["min_ns"] = min(x for x in (out["min_ns"], r["min_ns"]) if x is not None)
            out["max_ns"] = max(out["max_ns"], r["max_ns"])
    assert sum(out["hist"].values()) == out["count"], out
    return out


def run(mode, n, *options, **kw):
    """The workload from its line to its end, between two intervals' ends; what it says it did."""
    with Calls(mode, n) as work, Watch(*options, **kw) as watch:
        watch.next()
        work.tell()
        said = work.result()
        watch.until(live.now_ns())
    for r in watch.reports:
        assert r["health"]["lost"] == 0, r["health"]
        for key in ("count", "errors", "total_ns"):
            assert sum(x[key] for x in r["rows"]) == r["summary"][key], (key, r["summary"])
    return work.pid, said, watch


def same(what, truth, ours):
    live.fact(what, truth, ours)
    assert ours == truth, f"{what}: {ours}, wanted {truth}"


def test_counts():
    """Calls, errors and their names are counted to the call"""
    n = 2000
    pid, _, watch = run("exact", n)
    same("getppid", n, watch.sums(pid=pid, syscall="getppid")["count"])
    same("pread64", n, watch.sums(pid=pid, syscall="pread64")["count"])
    for call, errnos in (("openat", {"ENOENT": 2 * n, "ENOTDIR": n // 2}),
                         ("read", {"EAGAIN": n}), ("dup", {"EBADF": n})):
        found = watch.sums(pid=pid, syscall=call)
        same(f"{call}: errors by name", errnos, found["errnos"])
        same(f"{call}: errors", sum(errnos.values()), found["errors"])


def test_label_filters():
    """Filters by labels: what the programs count is what passes, to the call"""
    n = 1000
    with Calls("exact", n) as work, \
         Watch("--filter", f"pid={work.pid} syscall=getppid,open* !error=ENOTDIR",
               group="syscall,error") as watch:
        watch.next()
        work.tell()
        work.result()
        watch.until(live.now_ns())
    same("getppid", n, watch.sums(syscall="getppid")["count"])
    same("openat: errors", {"ENOENT": 2 * n}, watch.sums(syscall="openat", error="ENOENT")["errnos"])
    assert {r["syscall"] for x in watch.reports for r in x["rows"]} <= {"getppid", "openat"}
    # The end of the workload may open something.
    counted = watch.reports[-1]["health"]["samples_total"]
    live.fact("counted in the kernel", 3 * n, counted)
    assert 3 * n <= counted <= 3 * n + 5, counted
    wrong = live.proftop("-b", "-V", "syscalls", "-n", "1", "--filter", "file=x")
    assert wrong.status == 2 and "it has syscall, error, path" in wrong.err, wrong


def test_paths():
    """What failed calls named is told apart"""
    n = 500
    pid, _, watch = run("exact", n, group="pid,path,error")
    for path, error, count in (("/nowhere/one", "ENOENT", n), ("/nowhere/two", "ENOENT", n),
                               ("/dev/null/three", "ENOTDIR", n // 2)):
        found = watch.sums(pid=pid, path=path, error=error)
        same(f"{path}", (count, count), (found["count"], found["errors"]))
    assert watch.sums(pid=pid, path=None, error=None)["count"] >= 2 * n


def test_durations():
    """100 sleeps of 10 ms: total, least, longest and median are between 10 ms and what was seen"""
    n = 100
    pid, said, watch = run("sleeps", n)
    found = watch.sums(pid=pid, syscall="clock_nanosleep")
    same("sleeps", n, found["count"])
    live.near(found["total_ns"], said["total_ns"], 0.02 * said["total_ns"], "time in all, ns")
    assert n * 10 * MS <= found["total_ns"] <= said["total_ns"], (found, said)
    assert 10 * MS <= found["min_ns"] <= said["min_ns"], (found, said)
    assert found["max_ns"] <= said["max_ns"], (found, said)
    for row in (r for x in watch.reports for r in x["rows"]
                if r["pid"] == pid and r["syscall"] == "clock_nanosleep" and r["count"]):
        assert row["min_ns"] <= row["p50_ns"] <= row["p95_ns"] <= row["p99_ns"] <= row["max_ns"]
        assert row["waits"] and row["waiting_ns"] == row["total_ns"], row


def test_unfinished():
    """Who is inside a call has its age: from before watching began, and from later"""
    with Calls("blocked", 3) as before, Watch(group="pid,tid,syscall") as watch:
        watch.next()
        start = watch.reports[0]["t0_ns"]  # watching began a moment before
        with Calls("blocked", 2) as after:
            ready = live.now_ns()
            watch.until(ready + 500 * MS)
            last = watch.reports[-1]
            after.tell()
            after.result()
        before.tell()
        before.result()
        watch.until(live.now_ns())
    for work, n, since in ((before, 3, start), (after, 2, ready)):
        rows = [r for r in last["rows"] if r["pid"] == work.pid and r["syscall"] == "recvfrom"]
        same("threads inside", (n, [1] * n), (len(rows), [r["unfinished"] for r in rows]))
        for r in rows:
            live.near(r["unfinished_ns"], last["t1_ns"] - since, 500 * MS, "age, ns")
            assert r["comm"] == "waiter" and r["count"] == 0 and r["min_ns"] is None, r
        found = watch.sums(pid=work.pid, syscall="recvfrom")
        same("ended then", n, found["count"])
        assert found["min_ns"] >= last["t1_ns"] - since - 500 * MS, found


def test_forks():
    """Children, threads, exec and exit: each call once"""
    n = 25
    _, _, watch = run("forks", n, group="comm,syscall")
    wanted = {"vfork": 2 * n, "clone": n, "clone3": n, "execve": n, "getppid": 3 * n, "getpgid": n,
              "exit": 2 * n, "exit_group": 2 * n + 1, "wait4": 3 * n}
    for call, count in wanted.items():
        found = [watch.sums(comm=comm, syscall=call)["count"] for comm in ("calls", "syscalls")]
        same(call, count, sum(found))


def test_signals():
    """A call that a signal interrupts ends there, and is a second one where it is restarted"""
    n = 30
    pid, _, watch = run("signals", n)
    found = watch.sums(pid=pid, syscall="recvfrom")
    same("calls", 3 * n, found["count"])
    same("interrupted", {"ERESTARTSYS": 2 * n}, found["errnos"])
    assert "interrupted by signals" in watch.reports[-1]["health"]["note"], watch.reports[-1]


def test_compat():
    """32-bit calls have their own names"""
    n = 300
    pid, said, watch = run("compat", n)
    if not said["compat"]:
        raise live.Skip("no 32-bit calls here")
    same("getppid (32-bit)", n, watch.sums(pid=pid, syscall="getppid (32-bit)")["count"])
    same("semget", 0, watch.sums(pid=pid, syscall="semget")["count"])


def test_extremes_by_stack():
    """No call of a stack took no time, and none less than the least of its kind"""
    n = 500
    with Calls("exact", n) as work, Watch("-p", work.pid, group="syscall,stack") as watch:
        watch.next()
        work.tell()
        work.result()
        watch.until(live.now_ns())
    rows = [r for x in watch.reports for r in x["rows"]
            if r["syscall"] in ("dup", "getppid") and r["count"]]
    same("calls", 2 * n, sum(r["count"] for r in rows))
    for r in rows:
        assert 0 < r["min_ns"] <= r["avg_ns"] <= r["max_ns"], r


def test_threads():
    """Threads are apart"""
    pid, said, watch = run("threads", 150, group="tid,syscall")
    rows = [r for x in watch.reports for r in x["rows"]
            if r["pid"] == pid and r["syscall"] == "getsid" and r["count"]]
    same("calls", said["count"], sum(r["count"] for r in rows))
    same("threads", 150, len({r["tid"] for r in rows}))
    assert {r["comm"] for r in rows} == {f"calls-{i}" for i in range(150)}, rows[:3]


def test_filters():
    """-p, --comm, -G and min= are applied in the kernel: nothing else is counted"""
    live.need_root()
    with Calls("exact", 1000) as other:
        for options in (["-p"], ["--comm", "^calls$"]):
            with Calls("exact", 300) as work:
                if options == ["-p"]:
                    options = ["-p", work.pid]
                with Watch(*options) as watch:
                    watch.next()
                    work.tell()
                    if "--comm" not in options:
                        other.tell()
                        other.result()
                    work.result()
                    watch.until(live.now_ns())
            same(f"{options[0]}: getppid", 300, watch.sums(syscall="getppid")["count"])
            pids = {r["pid"] for x in watch.reports for r in x["rows"]}
            assert pids <= {work.pid, other.pid}, pids
            if options[0] == "-p":
                counted = sum(x["health"]["samples"] for x in watch.reports)
                same("counted in the kernel", counted, watch.sums()["count"])


def test_cgroup_filter():
    """-G: a cgroup's calls alone"""
    live.need_root()
    base = cgroups.v2_mount()
    with cgroups.cgroup(base, "proftop-syscalls") as group, Calls("exact", 300) as other, \
            Calls("exact", 300) as work:
        cgroups.join(group, work.pid)
        with Watch("-G", group[len(base):]) as watch:
            watch.next()
            for w in (other, work):
                w.tell()
                w.result()
            watch.until(live.now_ns())
    same("getppid", 300, watch.sums(syscall="getppid")["count"])
    assert {r["pid"] for x in watch.reports for r in x["rows"]} == {work.pid}, watch.reports[-1]


def test_least_time():
    """min=: shorter ones are not counted"""
    pid, _, watch = run("sleeps", 20, "--filter", "min=5ms")
    found = watch.sums(pid=pid)
    assert found["count"] >= 20 and found["min_ns"] >= 5 * MS, found
    same("sleeps", 20, watch.sums(pid=pid, syscall="clock_nanosleep")["count"])
    same("of others", 0, watch.sums(pid=pid, syscall="setitimer")["count"])


def test_stacks():
    """Sums by stack are those by call, and so they are in a recording"""
    with live.temporary() as tmp:
        path = os.path.join(tmp, "a.ptr")
        _, _, watch = run("exact", 3000, "--record", path, group="syscall")
        whole = [r["summary"] for r in watch.reports]
        for group in ("syscall", "stack", "syscall,stack", "pid"):
            again = live.batch("-V", "syscalls", "--replay", path, "--group", group)
            # What began when it was told to end is recorded, too.
            assert len(again) >= len(whole), (len(again), len(whole))
            for r, summary in zip(again, whole):
                for key in ("count", "errors", "total_ns"):
                    assert r["summary"][key] == summary[key], (group, key, r["summary"], summary)
                    assert sum(x[key] for x in r["rows"]) == summary[key], (group, key)
        found = [r for x in live.batch("-V", "syscalls", "--replay", path, "--group",
                                       "syscall,stack", "--comm", "^calls$")
                 for r in x["rows"] if r["syscall"] == "pread64" and r["stack"]]
        names = {f["symbol"] for r in found for f in r["stack"]}
        assert "main" in names, names


def overfull(mode, n, group):
    """A workload that is watched alone and has too many keys: what was counted is in some row."""
    with Calls(mode, n) as work, Watch("-p", work.pid, group=group, binary=live.RELEASE) as watch:
        watch.next()
        work.tell()
        said = work.result()
        watch.until(live.now_ns())
    counted = sum(x["health"]["samples"] for x in watch.reports)
    same(f"{mode}: all calls", counted, watch.sums()["count"])
    return said["count"], watch


def test_rest():
    """Of too many different ones sums are exact, and what is not kept apart is called so"""
    n, watch = overfull("alike", 6000, "tid,syscall")
    same("calls of 6,000 threads", n, watch.sums(syscall="getsid")["count"])
    same("the same by name", n, watch.sums(syscall="getsid", comm="alike")["count"])
    assert watch.sums(tid=None)["count"] > 0, "none is too many"
    n, watch = overfull("threads", 6000, "tid,syscall")
    same("calls of 6,000 threads, or of nobody", True,
         watch.sums(syscall="getsid")["count"] + watch.sums(syscall="[rest]")["count"] >= n)
    n, watch = overfull("paths", 20000, "syscall,path")
    same("calls with 20,000 paths", n, watch.sums(syscall="openat")["errnos"].get("ENOENT"))
    assert len({r["path"] for x in watch.reports for r in x["rows"]}) > 1000, "no paths"


def interrupted(process):
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    return out + err


def wait_attached(text, process):
    """Waits until a peer's process holds a program or an event."""
    def there():
        """it is attached"""
        try:
            fds = [os.readlink(f"/proc/{process.pid}/fd/{x}")
                   for x in os.listdir(f"/proc/{process.pid}/fd")]
        except OSError:
            return False
        return any(text in x for x in fds)
    live.wait_for(there, 20)
    time.sleep(0.3)  # all of them


def beside(command, mark):
    """The same calls seen by a peer and by proftop; what the peer wrote, our sums by call."""
    if not shutil.which(command[0]):
        raise live.Skip(f"no {command[0]} here")
    with Calls("spin") as work, Watch(binary=live.RELEASE) as watch:
        command = [str(work.pid) if x == "PID" else x for x in command]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=live.environment()) as peer:
            try:
                wait_attached(mark, peer)
                watch.until(live.now_ns())
                first = len(watch.reports)
                work.tell()
                time.sleep(0.5)
                work.tell()
                said = work.result()
                watch.until(live.now_ns())
                if peer.poll() is None:
                    out = interrupted(peer)
                else:
                    out = "".join(peer.communicate(timeout=30))
            finally:
                if peer.poll() is None:
                    peer.kill()
        rows = [r for x in watch.reports[first - 1:] for r in x["rows"] if r["pid"] == work.pid]
    return out, {c: added([r for r in rows if r["syscall"] == c])["count"]
                 for c in {r["syscall"] for r in rows}}, said["count"]


def test_perf_stat():
    """As many calls as perf stat counts ends of"""
    out, ours, said = beside(["perf", "stat", "-x,", "-e", "raw_syscalls:sys_exit", "-p", "PID"],
                             "[perf_event]")
    found = re.search(r"^(\d+),.*raw_syscalls:sys_exit", out, re.M)
    if not found:
        raise live.Skip(f"perf stat counts none: {out.strip()[:100]}")
    same("getppid", said, ours["getppid"])
    # exit_group does not return.
    live.near_peer(sum(ours.values()) - ours["exit_group"], ("perf stat", int(found[1])), 0,
                   "calls that returned")


def test_perf_trace():
    """Call by call as perf trace's summary"""
    out, ours, said = beside(["perf", "trace", "-s", "-p", "PID"], "[perf_event]")
    theirs = {name: int(n) for name, n in re.findall(r"^\s+(\w+)\s+(\d+)\s+\d+\s+[\d.]+", out, re.M)}
    if not theirs.get("getppid"):
        raise live.Skip(f"perf trace says nothing of them: {out.strip()[:200]}")
    same("getppid", said, ours["getppid"])
    if theirs["getppid"] != said:
        raise live.Skip(f"perf trace lost {said - theirs['getppid']} of {said} calls")
    live.near_peer(ours["getppid"], ("perf trace", theirs["getppid"]), 0, "getppid")


def test_syscount():
    """Call by call as libbpf-tools' syscount"""
    out, ours, said = beside(["syscount", "-p", "PID", "-T", "100"], "bpf")
    theirs = {name: int(n) for name, n in re.findall(r"^(\w+)\s+(\d+)\s*$", out, re.M)}
    if not theirs.get("getppid"):
        raise live.Skip(f"syscount says nothing of them: {out.strip()[:200]}")
    same("getppid", said, ours["getppid"])
    live.near_peer(ours["getppid"], ("syscount", theirs["getppid"]), 0, "getppid")


FORMATS = {"json": b'{"schema"', "csv": b"getppid", "folded": b"calls;", "svg": b"<svg",
           "html": b"<html", "trace": b"traceEvents", "openmetrics": b"# EOF", "pprof": b"\x1f\x8b",
           "speedscope": b"speedscope", "perf": b"calls", "text": b"getppid",
           "by-time": b"calls;", "ansi": b"getppid"}


def test_formats():
    """Every format has something to write"""
    with Calls("spin") as work:
        work.tell()
        for name, mark in FORMATS.items():
            done = subprocess.run([live.CHECKED, "-b", "-V", "syscalls", "-p", str(work.pid), "-n",
                                   "1", "-d", "1", "--format", name], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=live.environment(), timeout=60,
                                  check=False)
            assert done.returncode == 0, (name, done.stderr.decode()[:500])
            assert mark in done.stdout, (name, done.stdout[:300])
        work.tell()


def test_nothing_stays():
    """No program, map or link is left behind"""
    with Watch() as watch:
        watch.next()
        held = live.held(watch.process.pid)
        assert {kind for kind, _ in held} == {"prog", "map", "link"}, held
    live.wait_for(lambda: not held & live.loaded(), 10)


if __name__ == "__main__":
    live.main(globals())
