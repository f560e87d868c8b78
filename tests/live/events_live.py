#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sampling events other than time, counted one by one against what the kernel counted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402


def count(event, period=1, seconds=3):
    """A report that spans the workload's whole life, and what the workload did."""
    report = live.batch("-d", 30, "-c", period, "-e", event, "--",
                        os.path.join(live.WORKLOADS, "events"), seconds, drop_output=True)[0]
    live.conserved(report)
    assert report["health"]["lost"] == 0, report["health"]
    return report


def truth(event, seconds=3):
    with live.Workload("events", seconds + 2) as work:
        report = live.batch("-d", seconds, "-n", 1, "-c", 1, "-e", event, "-p", work.pid)[0]
        live.conserved(report)
        assert report["health"]["lost"] == 0, report["health"]
        return report, work.result(), seconds / (seconds + 2)


def test_page_faults():
    """page-faults: every one, in the function that has them"""
    live.need_root()
    row = live.row(count("page-faults"), "touch_pages")
    # The workload has 64 in every round, about 100 times a second, and is counted whole.
    assert row["total_count"] % 64 == 0 and row["total_count"] > 64 * 30, row


def test_page_faults_of_a_window():
    """page-faults of a running process: the window's share of what the kernel counted"""
    live.need_root()
    report, did, share = truth("page-faults")
    row = live.row(report, "touch_pages")
    live.near(row["total_count"], did["page_faults"] * share, 0.1 * did["page_faults"],
              "page faults")
    assert row["total_pct"] > 95, row


def switches(event):
    """libc's sleep has no frame pointer, so its caller is lost: the kernel's side counts."""
    report, did, share = truth(event)
    row = live.row(report, "do_nanosleep")
    live.near(row["total_count"], did["switches"] * share, 0.15 * did["switches"], "switches")
    assert row["total_pct"] > 80, row


def test_context_switches():
    """context-switches: every one, where it sleeps"""
    live.need_root()
    switches("context-switches")


def need_tracepoint(name):
    group, event = name.split(":")
    live.mount_tracefs()
    for base in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        if os.path.exists(f"{base}/events/{group}/{event}/id"):
            return
    raise live.Skip(f"no tracepoint {name} (is tracefs mounted?)")


def test_tracepoint():
    """A tracepoint as the sampling event"""
    live.need_root()
    need_tracepoint("sched:sched_switch")
    switches("sched:sched_switch")


def test_period():
    """-c 64 takes every 64th event"""
    live.need_root()
    report = count("page-faults", 64)
    row = live.row(report, "touch_pages")
    rounds = 3 / 0.0103
    live.near(row["total_count"], rounds, 0.25 * rounds, "samples")


def test_default_event():
    """Without -e it takes cycles where there is a PMU, else cpu-clock, and names it"""
    live.need_root()
    with live.Workload("two_functions", 20) as work:
        for args in ((), ("-e", "cpu-clock"), ("-e", "cpu-clock:u")):
            report = live.batch("-d", 1, "-n", 1, "-F", 499, "-p", work.pid, *args)[0]
            live.conserved(report)
            assert live.row(report, "hot_70")["self_pct"] > 55, report["rows"][:4]
            if args and args[1].endswith(":u"):
                assert not [r for r in report["rows"] if r["kind"] == "kernel"]


def test_call_graph_off():
    """--call-graph off: the same leaves, nobody above them"""
    live.need_root()
    with live.Workload("two_functions", 20) as work:
        report = live.batch("-d", 1, "-n", 1, "-F", 499, "-p", work.pid, "--call-graph",
                            "off")[0]
    live.conserved(report)
    assert live.row(report, "hot_70")["self_pct"] > 55, report["rows"][:4]
    assert live.row(report, "main")["total_count"] <= 5, live.row(report, "main")


if __name__ == "__main__":
    live.main(globals())
