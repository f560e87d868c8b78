#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The view bpf: runs of a program that are known, whose it is, its map, statistics given back."""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

SYSCTL = "/proc/sys/kernel/bpf_stats_enabled"


class Runs(live.Workload):
    """A program that runs when it is told."""

    def __init__(self):
        live.need_root()
        super().__init__("bpf_runs", 60, stdin=subprocess.PIPE)

    def run(self, times):
        """Returns how many runs the kernel has counted."""
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@contextlib.contextmanager
def watching(*options, n=6, interval=0.5):
    """proftop in batch mode, its first interval over."""
    process = subprocess.Popen([live.CHECKED, "-b", "-V", "bpf", "--format", "json", "-d",
                                str(interval), "-n", str(n), *options], stdout=subprocess.PIPE,
                               text=True, env=live.environment())
    try:
        process.first = json.loads(process.stdout.readline())
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def reports(process):
    return [process.first, *map(json.loads, process.stdout)]


def rows_of(found, pid):
    return [r for d in found for r in d["rows"] if r["pid"] == pid]


def need_own_statistics():
    with open(SYSCTL, encoding="ascii") as f:
        if f.read().strip() != "0":
            raise live.Skip("kernel.bpf_stats_enabled is on here")


def test_runs_are_exact():
    """A program that ran 12,345 times has 12,345 runs, with the kernel's time of them"""
    with Runs() as work, watching() as process:
        work.run(12000)
        counted = work.run(345)
        rows = rows_of(reports(process), work.pid)
    assert counted >= 12345, counted  # others may keep statistics on
    assert sum(r["runs"] for r in rows) == 12345, rows
    assert sum(r["run_ns"] for r in rows) > 0, rows
    row = max(rows, key=lambda r: r["runs"])
    assert row["name"] == "known_runs" and row["type"] == "socket_filter", row
    assert row["own"] is False and row["comm"] == "bpf_runs", row
    assert abs(row["avg_ns"] - row["run_ns"] / row["runs"]) <= 1, row


def test_as_bpftool_says():
    """Ids, types, tags and sizes are those that bpftool prints"""
    with Runs() as work, watching() as process:
        row = rows_of([process.first], work.pid)[0]
        try:
            done = subprocess.run(["bpftool", "-j", "prog", "show", "id", str(row["id"])],
                                  stdout=subprocess.PIPE, check=True)
        except (OSError, subprocess.CalledProcessError) as why:
            raise live.Skip(f"bpftool does not run here: {why}")
        peer = json.loads(done.stdout)
    for ours, theirs in (("id", "id"), ("type", "type"), ("name", "name"), ("tag", "tag"),
                         ("uid", "uid"), ("xlated_bytes", "bytes_xlated"),
                         ("jited_bytes", "bytes_jited")):
        assert row[ours] == peer.get(theirs, 0), (ours, row, peer)
    assert row["maps"] == len(peer["map_ids"]), (row, peer)


def bpftool_code(prog):
    try:
        done = subprocess.run(["bpftool", "-j", "prog", "dump", "xlated", "id", str(prog), "linum"],
                              stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError) as why:
        raise live.Skip(f"bpftool does not run here: {why}")
    return json.loads(done.stdout)


def code_of(name):
    """The code of a program that another proftop has loaded, as bpftool prints it, too, and the names of maps."""
    with live.Watch("irq") as other:
        other.next()
        report = live.batch("-V", "bpf", "-p", other.process.pid, "-n", 1, "-d", "0.5",
                            "--do", f"search {name}; drill")[-1]
        peer = bpftool_code(report["summary"]["id"])
        maps = {r["id"]: r["name"] for r in live.batch("-V", "bpf-maps", "-n", 1, "-d", "0.3")[-1]["rows"]}
        assert report["group"] == name and not report["summary"]["note"], report["summary"]
        return report["rows"], peer, maps


def plain(text):
    """Without what names are added, and what is hashed into names."""
    text = re.sub(r"  # .*", "", text)
    return re.sub(r"#bpf_prog_[0-9a-f]{16}_", "#", text)


def test_code_as_bpftool_says():
    """Instructions, their source lines and what they call are those that bpftool prints"""
    ours, peer, maps = code_of("irq_hrtimer_ends")
    assert len(ours) == len(peer) > 100, (len(ours), len(peer))
    last, unknown, names = {}, 0, {m[:15] for m in maps.values()}
    for r, p in zip(ours, peer):
        # A move with an offset is younger than some bpftools.
        if "__percpu" in r["instruction"]:
            unknown += 1
        else:
            assert plain(r["instruction"]) == plain(p["disasm"].split(" ", 1)[1]), (r, p)
        if "src" in p:
            last = {"source": p["src"], "file": p["file"], "line": p.get("line_num", 0), "column": p.get("line_col", 0)}
        assert {k: r[k] for k in last} == last, (r, last)
        at = re.search(r"map\[id:(\d+)\].*  # (.*)", r["instruction"])
        if at:
            assert maps[int(at[1])] == at[2] and at[2] in names, (r, maps)
    calls = {r["instruction"] for r in ours if r["instruction"].startswith("call ")}
    assert any("#frame__ends" in c for c in calls) and any("bpf_ktime_get_ns#" in c for c in calls), calls
    assert {r["function"] for r in ours} >= {"irq_hrtimer_ends", "frame__ends", "span__ends"}, ours
    assert unknown < len(ours) / 20, unknown
    live.fact("instructions of a program", len(peer), len(ours), judge="bpftool")


def test_machine_code():
    """Machine code is disassembled, instruction by instruction, and is as long as the kernel says"""
    with live.Watch("irq") as other:
        other.next()
        row = [r for r in live.batch("-V", "bpf", "-p", other.process.pid, "-n", 1, "-d", "0.5")[-1]["rows"]
               if r["name"] == "irq_hard_begins"][0]
        report = live.batch("-V", "bpf", "-p", other.process.pid, "-n", 1, "-d", "0.5",
                            "--do", "search irq_hard_begins; drill; machine-code")[-1]
    if "was not compiled" in report["summary"]["note"]:
        raise live.Skip(report["summary"]["note"])
    rows = report["rows"]
    assert report["view"] == "bpf-machine-code" and report["summary"]["id"] == row["id"], report
    assert rows[0]["offset"] == 0 and rows[-1]["offset"] < row["jited_bytes"], (rows[-1], row)
    assert [r["offset"] for r in rows] == sorted({r["offset"] for r in rows}), rows
    assert not any(".byte" in r["instruction"] for r in rows), rows
    assert any("bpf_ktime_get_ns" in r["instruction"] for r in rows), rows
    assert {r["function"] for r in rows} == {"irq_hard_begins"}, rows
    assert any("irq.bpf.c" in (r["file"] or "") and "frame__begins" in r["source"] for r in rows), rows


def test_code_of_what_is_gone():
    """A recording has no code of programs, and that is said"""
    path = os.path.join(live.BUILD, f"bpf_code.{os.getpid()}.rec")
    with contextlib.ExitStack() as end:
        end.callback(lambda: os.path.exists(path) and os.unlink(path))
        with Runs() as work, watching("--record", path) as process:
            work.run(10)
            reports(process)
        report = live.batch("-V", "bpf", "--replay", path, "--do", "search known_runs; drill")[-1]
    assert report["rows"] == [] and "a recording has none" in report["summary"]["note"], report


def test_shares():
    """The share of a CPU is the run time of the interval; of the machine, by its CPUs"""
    with Runs() as work, watching() as process:
        work.run(100000)
        found = reports(process)
    for d in found:
        for r in d["rows"]:
            cpu = 100 * r["run_ns"] / d["summary"]["window_ns"]
            assert abs(r["cpu_pct"] - cpu) < 1e-6 * max(cpu, 1), r
            assert abs(r["machine_pct"] - cpu / d["summary"]["cpus"]) < 1e-6 * max(cpu, 1), r
        assert d["summary"]["run_ns"] == sum(r["run_ns"] for r in d["rows"]), d["summary"]


def test_own_programs():
    """Programs of this proftop are told apart, and are all that are"""
    with watching("-n", "2") as process:
        found = reports(process)
        for d in found:
            mine = {r["id"] for r in d["rows"] if r["own"]}
            assert mine == {r["id"] for r in d["rows"] if r["pid"] == process.pid}, d["rows"]
            assert {r["name"] for r in d["rows"] if r["own"]} == {"bpf_files", "bpf_fills"}, d


def test_map_fill():
    """A map with 25 of 100 entries is 25 % full, where the kernel counts them (6.6)"""
    with Runs():
        found = live.batch("-V", "bpf-maps", "-n", 1, "-d", "0.3")[-1]["rows"]
        row = [r for r in found if r["name"] == "known_fill" and r["programs"] == "known_runs"][0]
        assert row["max_entries"] == 100 and row["key_bytes"] == 4 and row["bytes"] > 0, row
    if row["used"] is None:
        raise live.Skip("this kernel does not count what is in hash maps")
    assert row["used"] == 25 and abs(row["fill_pct"] - 25) < 1e-9, row


def test_filters():
    """A filter shows the programs that its processes hold"""
    with Runs() as work:
        found = live.batch("-V", "bpf", "-n", 1, "-d", "0.3", "-p", work.pid)[-1]
        assert [r["pid"] for r in found["rows"]] == [work.pid], found["rows"]


def test_statistics_are_given_back():
    """When it ends, by itself or killed, nothing counts any more and no process is left"""
    need_own_statistics()
    for how in ("ends", signal.SIGKILL):
        with Runs() as work, watching() as process:
            counted = work.run(1000)
            helpers = live.wait_for(lambda: children_of(process.pid))
            assert counted >= 1000, counted
            if how == "ends":
                reports(process)
            else:
                process.send_signal(how)
            process.wait(30)
            live.wait_for(lambda: not any(os.path.exists(f"/proc/{p}") for p in helpers))
            if others_keep_statistics():
                raise live.Skip("somebody else has statistics on")
            before = work.run(0)
            assert work.run(1000) == before, how


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return f.read().split()


def others_keep_statistics():
    found = live.batch("-V", "bpf", "-n", 1, "-d", "0.2")[-1]["summary"]
    return found["stats_others"] or found["stats_sysctl"]


def test_who_keeps_them():
    """Another process that has statistics on is named"""
    with watching() as process:
        found = live.batch("-V", "bpf", "-n", 1, "-d", "0.3")[-1]["summary"]
        assert f"proftop {process.pid}" in found["stats_others"], found


def test_names_of_tracepoints():
    """Programs on tracepoints, of system calls and others, say on which"""
    events = {"sched_process_fork": "sched:sched_process_fork", "sys_enter_close": "syscalls:sys_enter_close"}
    asked = [x for e in events.values() for x in ("--ask", f"count {e}")]
    with live.Watch("events", *asked) as other:
        other.next()
        rows = live.batch("-V", "bpf", "-n", 1, "-d", "0.5")[-1]["rows"]
        found = {r["attached"] for r in rows if r["pid"] == other.process.pid and r["type"] == "tracepoint"}
    assert found == {f"event {e}" for e in events}, found


def test_files_of_probes():
    """Programs on many functions of a file say on which, and on how many"""
    with live.Watch("locks", "--lock-orders", "-p", os.getpid()) as other:
        other.next()
        rows = live.batch("-V", "bpf", "-n", 1, "-d", "0.5")[-1]["rows"]
        found = [r["attached"] for r in rows if r["pid"] == other.process.pid and "uprobe_multi" in r["attached"]]
    if not found:
        raise live.Skip("this kernel has no links of many probes")
    for text in found:
        for said in re.findall(r"uprobe_multi ([^,]*)", text):
            path, n = re.fullmatch(r"(/\S*) \((\d+)\)", said).groups()
            assert os.path.exists(path) and int(n) >= 1, text


def test_recording():
    """A replay has the rows that were recorded"""
    path = os.path.join(live.BUILD, f"bpf_live.{os.getpid()}.rec")
    with Runs() as work, contextlib.ExitStack() as end:
        end.callback(lambda: os.path.exists(path) and os.unlink(path))
        with watching("--record", path) as process:
            work.run(777)
            found = rows_of(reports(process), work.pid)
        again = rows_of(live.batch("-V", "bpf", "--replay", path), work.pid)
        assert sum(r["runs"] for r in found) == sum(r["runs"] for r in again) == 777, again
        assert {r["attached"] for r in found} == {r["attached"] for r in again}


if __name__ == "__main__":
    live.main(globals())
