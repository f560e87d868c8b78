#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Recordings of several machines side by side. Here each machine is a UTS namespace with a name of its own."""
import contextlib
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from tmux import Tmux  # noqa: E402

HOSTS = "web1", "web2", "db"
WHOLE = "-d", 3600
WORK = os.path.join(live.WORKLOADS, "two_functions")
DD = "dd", "if=/dev/zero", "of=/dev/null", "bs=1"
READS = {"web1": 1000, "web2": 20000}
SLEEPS = {"web1": "1.5", "web2": "2.5"}  # they go on where intervals end: then their stacks are whole
WRITES = {"web1": 40, "web2": 90}


def record(folder, host, view, *command, n=3):
    path = f"{folder}/{host}-{view}.ptr"
    words = [live.CHECKED, "-b", "--no-config", "-V", view, "-n", n, "-d", 1, "--record", path,
             "--format", "json", "--", *command]
    line = f"hostname {host} && exec {shlex.join(map(str, words))}"
    done = live.proftop("-c", line, binary="/bin/sh", wrap=("unshare", "--uts"))
    assert done.status == 0, done
    return path


@contextlib.contextmanager
def profiles():
    """Three machines run the same program; on web2 its functions have changed places."""
    live.need_root()
    with live.temporary() as folder:
        yield [record(folder, host, "cpu", WORK, "4", *["swapped"] * (host == "web2")) for host in HOSTS]


def only(reports):
    assert len(reports) == 1, len(reports)
    return reports[0]


def counts(report, *labels, value="self_count"):
    out = {}
    for r in report["rows"]:
        key = tuple(r[name] for name in labels)
        out[key] = out.get(key, 0) + r[value]
    return {k: v for k, v in out.items() if v}


def test_profiles():
    """Samples of three hosts are those of each recording alone, by function, by process and in intervals"""
    with profiles() as paths:
        alone = {}
        for host, path in zip(HOSTS, paths):
            report = only(live.batch("--replay", path, *WHOLE))
            assert report["host"] == host, report["host"]
            alone.update({(host, *k): n for k, n in counts(report, "symbol", "object").items()})
        assert sum(alone.values()) > 20, alone  # fewer where CPUs are busy
        both = only(live.batch("--replay", *paths, *WHOLE, "--group", "host,symbol"))
        assert both["host"] == ", ".join(HOSTS), both["host"]
        assert counts(both, "host", "symbol", "object") == alone
        by_host = {h: sum(n for k, n in alone.items() if k[0] == h) for h in HOSTS}
        report = only(live.batch("--replay", *paths, *WHOLE, "--group", "host"))
        assert {k[0]: n for k, n in counts(report, "host").items()} == by_host
        assert report["health"]["samples"] == sum(by_host.values()), report["health"]
        report = only(live.batch("--replay", *paths, *WHOLE, "--group", "pid"))
        assert {r["host"] for r in report["rows"]} == set(HOSTS), report["rows"]
        merged = only(live.batch("--replay", *paths, *WHOLE))
        names = {}
        for (_, symbol, _), n in alone.items():
            names[symbol] = names.get(symbol, 0) + n
        assert {k[0]: n for k, n in counts(merged, "symbol").items()} == names
        each = live.batch("--replay", *paths, "--group", "host")
        assert len(each) <= 4, [(r["t0_ns"], r["t1_ns"]) for r in each]
        assert sum(n for r in each for n in counts(r, "host").values()) == sum(by_host.values())


def test_filters():
    """Filters by host leave what they name, in profiles and in measures; of one recording there is none"""
    with profiles() as paths:
        for terms, left in (("host=web1", {"web1"}), ("host=web1,db", {"web1", "db"}),
                            ("host~^web", {"web1", "web2"}), ("host!=web2", {"web1", "db"})):
            report = only(live.batch("--replay", *paths, *WHOLE, "--group", "host", "--filter", terms))
            assert {r["host"] for r in report["rows"]} == left, (terms, report["rows"])
        for args in (("--filter", "host=web1"), ("--group", "host")):
            done = live.proftop("-b", "--replay", paths[0], *args)
            assert done.status == 2 and "host" in done.err, done
        done = live.proftop("-b", "--replay", *paths, "-V", "sched")
        assert done.status == 4 and "one machine" in done.err, done


def test_difference():
    """Between two hosts a function has what it has on one less what it has on the other"""
    with profiles() as paths:
        pct = {}
        for host, path in zip(HOSTS, paths):
            rows = only(live.batch("--replay", path, *WHOLE))["rows"]
            pct[host] = {r["symbol"]: r["self_pct"] for r in rows}
        assert pct["web2"]["hot_70"] < 50 < pct["web1"]["hot_70"], pct
        report = only(live.batch("--replay", *paths, *WHOLE, "--baseline", "host=web1", "--filter", "host=web2"))
        for name in ("hot_70", "hot_30"):
            row = live.rows_by(report, "symbol")[name]
            live.near(row["then_self_pct"], pct["web1"][name], 1e-9, "before")
            live.near(row["self_pct"], pct["web2"][name], 1e-9, "now")
        done = live.proftop("-b", "--replay", *paths, "--baseline", "host=nobody")
        assert done.status == 2 and "nobody" in done.err, done


def test_measures():
    """System calls of two hosts are counted apart, and their sums are exact"""
    live.need_root()
    with live.temporary() as folder:
        paths = [record(folder, host, "syscalls", *DD, f"count={n}") for host, n in READS.items()]
        report = only(live.batch("--replay", *paths, *WHOLE, "--group", "host,syscall"))
        found = counts(report, "host", "syscall", value="count")
        for host, n in READS.items():
            live.near(found[host, "write"], n, 3, f"writes on {host}")  # and what it says at its end
        for host, path in zip(READS, paths):
            one = only(live.batch("--replay", path, *WHOLE))
            assert {(host, *k): n for k, n in counts(one, "syscall", value="count").items()} == \
                {k: n for k, n in found.items() if k[0] == host}
        report = only(live.batch("--replay", *paths, *WHOLE, "--filter", "host=web2"))
        assert counts(report, "syscall", value="count") == {k[1:]: n for k, n in found.items() if k[0] == "web2"}
        report = only(live.batch("--replay", *paths, *WHOLE, "--group", "pid"))
        assert {r["host"] for r in report["rows"]} == set(READS), report["rows"]


def test_waits():
    """Time off the CPU of two hosts is that of each recording alone, by host, by thread and by place; the same place
    of both is compared"""
    live.need_root()
    with live.temporary() as folder:
        paths = [record(folder, host, "offcpu", "sleep", seconds) for host, seconds in SLEEPS.items()]
        alone = {host: only(live.batch("--replay", path, *WHOLE, "-V", "offcpu"))
                 for host, path in zip(SLEEPS, paths)}
        both = only(live.batch("--replay", *paths, *WHOLE, "-V", "offcpu", "--group", "host"))
        by_host = counts(both, "host", value="off_ns")
        for host, seconds in SLEEPS.items():
            assert by_host[host,] == sum(r["off_ns"] for r in alone[host]["rows"]), (by_host, alone)
            assert alone[host]["summary"]["off_ns"] > float(seconds) * 0.9e9, alone[host]
        both = only(live.batch("--replay", *paths, *WHOLE, "-V", "offcpu"))
        assert counts(both, "host", "tid", "symbol", value="off_ns") == \
            {(h, *k): n for h, r in alone.items() for k, n in counts(r, "tid", "symbol", value="off_ns").items()}
        report = only(live.batch("--replay", *paths, *WHOLE, "-V", "offcpu", "--filter", "host=web2"))
        assert {r["host"] for r in report["rows"]} == {"web2"}, report["rows"]
        report = only(live.batch("--replay", *paths, *WHOLE, "-V", "offcpu", "--group", "stack",
                                 "--baseline", "host=web1", "--filter", "host=web2"))
        nap = live.rows_by(report, "symbol")["do_nanosleep"]
        naps = {host: live.rows_by(r, "symbol")["do_nanosleep"] for host, r in alone.items()}
        assert nap["then_max_ns"] == naps["web1"]["max_ns"] and nap["off_ns"] == naps["web2"]["off_ns"], (nap, naps)


def test_io():
    """Block I/O of two hosts' disks is that of each recording alone; a disk of one name is each host's own"""
    live.need_root()
    with live.temporary() as folder:
        paths = {}
        for host, n in WRITES.items():
            paths[host] = record(folder, host, "io", "dd", "if=/dev/zero", f"of={folder}/{host}", "bs=64k",
                                 f"count={n}", "oflag=direct")
        alone = {host: only(live.batch("--replay", path, *WHOLE)) for host, path in paths.items()}
        labels = "device", "op", "flags"
        both = only(live.batch("--replay", *paths.values(), *WHOLE, "-V", "io"))
        assert counts(both, "host", *labels, value="bytes") == \
            {(h, *k): n for h, r in alone.items() for k, n in counts(r, *labels, value="bytes").items()}
        assert both["summary"]["count"] == sum(r["summary"]["count"] for r in alone.values())
        by_host = only(live.batch("--replay", *paths.values(), *WHOLE, "-V", "io", "--group", "host"))
        for host, n in WRITES.items():
            assert live.rows_by(by_host, "host")[host]["write_bytes"] >= n * 65536, (host, by_host["rows"])
        one = only(live.batch("--replay", *paths.values(), *WHOLE, "-V", "io", "--filter", "host=web2"))
        assert {r["host"] for r in one["rows"]} == {"web2"}, one["rows"]
        assert one["summary"]["hist"] == alone["web2"]["summary"]["hist"]


def test_screen():
    """On the screen rows are grouped by host, and Enter leads to that host's functions"""
    with profiles() as paths, Tmux([live.CHECKED, "--no-config", "--replay", *paths], 120, 30) as t:
        live.wait_for(lambda: "hot_70" in t.screen(), 60)
        t.type(":group host")
        t.keys("Enter")
        live.wait_for(lambda: all(f"▸ {h}" in t.screen() for h in HOSTS), 60)
        t.keys("Enter")
        live.wait_for(lambda: "host~" in t.screen() and "hot_30" in t.screen(), 60)


if __name__ == "__main__":
    live.main(globals())
