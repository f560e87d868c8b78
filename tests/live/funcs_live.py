#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Functions: calls, times and their parts of a workload that knows how often it calls what."""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

MS = 1000000
PATH = os.path.join(live.WORKLOADS, "funcs")
MANY = 500


def code_of(pid, function):
    """The first bytes of a function in a process: a probe's breakpoint would be among them."""
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        base = next(int(line.split("-")[0], 16) for line in f if line.rstrip().endswith("/funcs"))
    names = subprocess.run(["nm", PATH], capture_output=True, text=True, check=True).stdout
    at = next(int(line.split()[0], 16) for line in names.splitlines()
              if line.split()[-1] == function)
    with open(f"/proc/{pid}/mem", "rb") as f:
        f.seek(base + at)
        return f.read(8)


class Called:
    """The workload, watched from before it calls until after."""

    def __init__(self, *options, name="funcs"):
        live.need_root()
        with live.Workload(name) as work:
            options = [str(o).replace("PID", str(work.pid)) for o in options]
            with live.Watch("funcs", *options, binary=live.CHECKED) as watch:
                watch.next()
                os.kill(work.pid, signal.SIGUSR1)
                self.said = json.loads(work.process.stdout.readline())
                watch.until(live.now_ns())
                self.reports = watch.reports
            self.pid = work.pid
            os.kill(work.pid, signal.SIGUSR1)
            work.process.wait(10)
            self.status = work.process.returncode
        self.rows = [r for x in self.reports for r in x["rows"]]
        self.note = self.reports[-1]["health"].get("note", "")

    def counts(self):
        found = collections.Counter()
        for r in self.rows:
            found[r["function"]] += r["count"]
        return found

    def sum_of(self, function, field):
        return sum(r[field] for r in self.rows if r["function"] == function and r["count"])


def test_calls():
    """Calls, recursion, tail calls, what longjmp leaves, threads that end inside, 500 more; times"""
    seen = Called("--function", f"!{PATH}:*_*", "--function", f"{PATH}:[srlj]*", "--function-waits")
    counts = seen.counts()
    for name in ("spins", "sleeps", "recurses", "tail_first", "tail_last"):
        live.fact(f"calls of {name}", seen.said[name], counts[name])
        assert counts[name] == seen.said[name], (name, counts)
    for name in ("leaves", "jumps", "ends_thread"):
        assert not counts[name], f"{name} does not return: {counts[name]}"
    many = {n: c for n, c in counts.items() if n.startswith("many_")}
    assert len(many) == MANY and set(many.values()) == {3}, (len(many), set(many.values()))
    assert "left without a return" in seen.note, seen.note
    assert seen.status == 0, seen.status
    for r in seen.rows:
        assert r["object"] == "funcs"
        if r["count"]:
            assert r["oncpu_ns"] + r["runq_ns"] + r["blocked_ns"] == r["total_ns"], r
    assert seen.sum_of("spins", "oncpu_ns") >= 40 * 2 * MS * 0.95
    assert seen.sum_of("sleeps", "blocked_ns") >= 20 * 5 * MS * 0.9
    assert seen.sum_of("spins", "blocked_ns") <= seen.sum_of("spins", "total_ns") * 0.2


def test_wait_reasons():
    """What calls wait for: a lock, a socket, also in poll, a disk, a time; the rest is a pipe's, and none of it a CPU's"""
    path = os.path.join(live.WORKLOADS, "wait_reasons")
    seen = Called("--function", f"!{path}:for_*", "--function", f"{path}:in_each", "--function-waits",
                  name="wait_reasons")
    calls, wait = seen.said["calls"], seen.said["calls"] * seen.said["ns"]
    reasons = ("lock_ns", "disk_ns", "network_ns", "sleep_ns")
    truth = {"for_lock": {"lock_ns"}, "for_socket": {"network_ns"}, "for_poll": {"network_ns"},
             "for_pipe": set(), "for_sleep": {"sleep_ns"}, "for_disk": {"disk_ns"}, "for_cpu": set(),
             "in_each": {"lock_ns", "sleep_ns"}}
    for name, wanted in truth.items():
        times = 2 * calls if name in ("for_lock", "for_sleep") else calls
        assert seen.counts()[name] == times, (name, seen.counts())
        blocked = seen.sum_of(name, "blocked_ns")
        for reason in reasons:
            ns = seen.sum_of(name, reason)
            if reason in wanted and reason != "disk_ns":
                live.fact(f"{name}: {reason}", wait * times / calls / 1e6, ns / 1e6)
                # What it waits for may come while it has no CPU to begin to wait.
                assert wait * times // calls <= ns + seen.sum_of(name, "runq_ns"), (name, reason, ns)
            elif reason not in wanted:
                assert ns <= 0.02 * wait, (name, reason, ns)
        known = sum(seen.sum_of(name, r) for r in reasons)
        if name == "for_pipe":
            assert blocked + seen.sum_of(name, "runq_ns") >= wait and known <= 0.02 * wait, (blocked, known)
        elif name != "for_cpu":
            assert 0.9 * blocked <= known <= blocked, (name, blocked, known)
    assert seen.sum_of("for_disk", "disk_ns") > 0 and seen.sum_of("for_cpu", "oncpu_ns") >= wait, seen.rows


def built(folder):
    """The workload whose arguments follow from the number of the call."""
    path = os.path.join(folder, "args")
    source = os.path.join(live.ROOT, "tests/workloads/arguments/arguments.c")
    subprocess.run(["gcc", "-g", "-O2", "-o", path, source], check=True)
    return path


def rows_by(path, *options):
    """Rows with calls of a run of 12 calls each."""
    with live.Workload("", 12, path=path, stdin=subprocess.PIPE) as work:
        with live.Watch("funcs", "-p", work.pid, *options, binary=live.CHECKED) as watch:
            watch.next()
            work.process.communicate("\n", timeout=60)
            watch.until(live.now_ns())
    assert "arguments could not" not in watch.reports[-1]["health"].get("note", ""), watch.reports[-1]
    return [r for x in watch.reports for r in x["rows"] if r["count"]]


def test_arguments():
    """Calls by arguments and results: numbers, strings, members, enums; filtered; none that are not asked for"""
    live.need_root()
    with tempfile.TemporaryDirectory() as folder:
        path = built(folder)
        expected = collections.Counter()
        for i in range(12):
            text = "odd" if i % 2 else "even"
            expected["members", f"req->len={i % 10}", f"text={text}", f"ret={i % 10 + ord(text[0])}"] += 1
            expected["gives_color", f"n={i}", "ret=" + ("GREEN" if i % 2 else "BLUE"), None] += 1
            expected["kept", None, None, None] += 1
        picked = ("--function", f"!{path}:members by req->len, text, ret", "--function",
                  f"{path}:gives_color by n, ret", "--function", f"{path}:kept")
        found = collections.Counter()
        for r in rows_by(path, *picked, "--group", "function,arg1,arg2,arg3"):
            found[r["function"], r["arg1"], r["arg2"], r["arg3"]] += r["count"]
        assert found == expected, (found - expected, expected - found)
        rows = rows_by(path, *picked, "--group", "arg2", "--filter", "arg1=n=3,n=4")
        assert {(r["arg2"], r["count"]) for r in rows} == {("ret=GREEN", 1), ("ret=BLUE", 1)}, rows
        run = live.proftop("-b", "-n", 1, "--function", f"{path}:members by nothing", binary=live.CHECKED)
        assert run.status == 2 and "req, text" in run.err, run


def test_stacks():
    """Stacks reach main through functions whose returns are probed, too"""
    seen = Called("--function", f"!{PATH}:recurses", "--group", "function+stack")
    whole = 0
    for r in seen.rows:
        names = [f["symbol"] for f in r["stack"]]
        assert r["oncpu_ns"] is None, "nobody asked for the parts"
        if "main" in names:
            assert set(names[:names.index("main")]) <= {"recurses", "call_all", "[unknown]"}, names
            whole += r["count"]
    assert whole >= 210 * 0.8, (whole, seen.reports[-1]["health"])


def test_one_process():
    """pid:N is that process alone, and so is what a filter leaves; nothing stays attached"""
    with live.Workload("funcs") as other:
        code = code_of(other.pid, "tail_last")
        seen = Called("--function", "!pid:PID:spins", "--function", f"!{PATH}:tail_last",
                      "-p", other.pid)
        assert not seen.counts()["spins"] and not seen.counts()["tail_last"], seen.counts()
        os.kill(other.pid, signal.SIGUSR1)
        seen = Called("--function", "!pid:PID:spins", "--group", "function+pid")
        assert seen.counts()["spins"] == 40, seen.counts()
        assert {r["pid"] for r in seen.rows if r["count"]} == {seen.pid}, seen.rows
        assert code_of(other.pid, "tail_last") == code, "a breakpoint is left"


def probed(works, function):
    """Which of the processes have a breakpoint there."""
    return {w.pid for w in works if code_of(w.pid, function)[0] == 0xcc}


def test_filtered_process_alone():
    """With -p only that process has probes, of functions and of questions; others pay nothing"""
    live.need_root()
    ways = (("funcs", "--function", f"!{PATH}:busy_call"),
            ("events", "--ask", f"! count uprobe:{PATH}:busy_call by pid"),
            ("pairs", "--ask", f"! span uprobe:{PATH}:busy_call -> uretprobe:{PATH}:busy_call by pid"))
    with live.Workload("funcs", "load") as one, live.Workload("funcs", "load") as other:
        for w in (one, other):
            os.kill(w.pid, signal.SIGUSR1)
        for view, *options in ways:
            with live.Watch(view, *options, binary=live.CHECKED) as watch:
                watch.next()
                assert probed((one, other), "busy_call") == {one.pid, other.pid}, (view, "without -p")
            with live.Watch(view, *options, "-p", one.pid, binary=live.CHECKED) as watch:
                watch.next()
                rows = watch.next()["rows"]
                assert probed((one, other), "busy_call") == {one.pid}, view
                assert sum(r["count"] for r in rows) > 0, (view, rows)
            assert not probed((one, other), "busy_call"), (view, "a breakpoint is left")


def test_probes_move_with_the_filter():
    """Another filter on the screen: the probes are in that process then"""
    live.need_root()
    with live.Workload("funcs", "load") as one, live.Workload("funcs", "load") as other, \
         live.temporary() as folder:
        path = os.path.join(folder, "script")
        script = ["wait busy_call", "key :",
                  f"type filter pid={other.pid}", "key Enter",
                  f"wait pid={other.pid}", "wait never on the screen"]
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join(script) + "\n")
        run = subprocess.Popen([live.CHECKED, "-V", "funcs", "--function", f"!{PATH}:busy_call", "-p",
                                str(one.pid), "--script", path, "--size", "120x30"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        live.wait_for(lambda: probed((one, other), "busy_call") == {one.pid}, 20)
        os.kill(one.pid, signal.SIGUSR1)  # it calls: the script goes on
        live.wait_for(lambda: probed((one, other), "busy_call") == {other.pid}, 20)
        run.kill()
        run.communicate()
        live.wait_for(lambda: not probed((one, other), "busy_call"), 20)


def test_too_many_calls():
    """What takes more than a tenth of a CPU is taken off, and refused from the start, without a !"""
    live.need_root()
    with live.Workload("funcs", "load") as work:
        code = code_of(work.pid, "busy_call")
        with live.Watch("funcs", "--function", f"{PATH}:busy_call", binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            while "taken off" not in watch.next()["health"].get("note", ""):
                assert len(watch.reports) < 60, watch.reports[-1]["health"]
            assert code_of(work.pid, "busy_call") == code, "it is still probed"
        run = live.proftop("-b", "-n", 1, "--function", f"{PATH}:busy_call", binary=live.CHECKED)
        assert run.status and "!" in run.err and "of a CPU" in run.err, run
        assert work.process.poll() is None


def test_cost_is_shown():
    """What the probes take is said: about what the calls take longer with them than without"""
    live.need_root()
    with live.Workload("funcs", "load") as work:
        os.kill(work.pid, signal.SIGUSR1)
        options = ("--function", f"!pid:{work.pid}:busy_call")
        with live.Watch("funcs", *options, binary=live.CHECKED) as watch:
            watch.next()
            before, begin, said = work.cpu_seconds(), live.now_ns(), 0.0
            while not said or live.now_ns() - begin < 2.5e9:
                note = watch.next()["health"].get("note", "")
                found = re.search(r"probes take about ([0-9.]+)% of a CPU: ([0-9]+) ns a call", note)
                assert found and int(found[2]) and len(watch.reports) < 60, note
                said = float(found[1])
            used = (work.cpu_seconds() - before) / (live.now_ns() - begin) * 1e11
        live.fact("% of a CPU that the program used", used, said)
        # A call does nothing else: nearly all of its time is the probes'.
        assert 0.3 * used <= said <= 2 * used, (said, used)


def test_questions_too():
    """A question about a function that is called too often is refused, or taken off when that comes later"""
    live.need_root()
    with live.Workload("funcs", "load") as work:
        question = f"count uprobe:{PATH}:busy_call"
        with live.Watch("events", "--ask", question, "-p", work.pid, binary=live.CHECKED) as watch:
            watch.next()
            os.kill(work.pid, signal.SIGUSR1)
            while "taken off" not in watch.next()["health"].get("note", ""):
                assert len(watch.reports) < 60, watch.reports[-1]["health"]
        run = live.proftop("-b", "-n", 1, "--ask", question, binary=live.CHECKED)
        assert run.status == 2 and "% of a CPU" in run.err and "!" in run.err, run
        run = live.proftop("-b", "-n", 1, "--ask", f"! {question}", binary=live.CHECKED)
        assert run.status == 0, run


def test_refused():
    """What is wrong with a function that is asked for is said"""
    for text, word in ((f"{PATH}:no_such", "no function"), ("/no/such:f", "no such program"),
                       ("pid:999999999:f", "none of that number"), ("nothing", "PATH:FUNCTION")):
        run = live.proftop("-b", "-n", 1, "--function", text, binary=live.CHECKED)
        assert run.status and word in run.err, run


if __name__ == "__main__":
    live.main(globals())
