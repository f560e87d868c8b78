#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Rows of locks in offcpu name the lock and who has it, against workloads that know both."""
import collections
import json
import os
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

ROUNDS, HOLD_MS = 8, 20
LOCKS = ("plain_mutex", "pi_mutex", "write_lock")


def frames(holder):
    return {f["symbol"] for f in holder["stack"]}


def test_held():
    """Mutexes and rwlocks by their symbols, with who let go of each and where; as often as they were waited for"""
    live.need_root()
    with live.Workload("lock_holds", ROUNDS, HOLD_MS) as work, \
         live.Watch("offcpu", "-p", work.pid, binary=live.CHECKED) as watch:
        watch.next()
        os.kill(work.pid, signal.SIGUSR1)
        work.process.stdout.readline()
        watch.until(live.now_ns())
        os.kill(work.pid, signal.SIGUSR1)
    counts, places = collections.Counter(), collections.defaultdict(set)
    for r in (r for x in watch.reports for r in x["rows"]):
        if r["reason"] != "lock":
            assert r["lock"] is None and r["holder"] is None, r
        elif r["lock"] in LOCKS and r["count"]:
            counts[r["lock"]] += r["count"]
            assert (r["holder"]["pid"], r["holder"]["tid"]) == (work.pid, work.pid), r
            assert r["holder"]["comm"] == "lock_holds", r
            places[r["lock"]] |= frames(r["holder"])
    assert all("holds_here" in places[lock] for lock in LOCKS), places
    assert counts == dict.fromkeys(LOCKS, ROUNDS), counts


def waiting(view, pid):
    """{waiter: (lock, holder)} of a chain that never moves."""
    report = live.batch("-V", view, "--group", "tid,stack" if view == "offcpu" else "lock,tid", "-p", pid,
                        "-d", 1, "-n", 2)[-1]
    return {r["tid"]: (r["lock"], r["holder"]) for r in report["rows"] if r["lock"] and r["holder"]}


def on_screen(pid, size, *commands):
    """A session on the waits of a process."""
    with tempfile.NamedTemporaryFile("w", suffix=".script") as script:
        script.write("\n".join([*commands, "quit", ""]))
        script.flush()
        return live.proftop("-V", "offcpu", "-p", pid, "--script", script.name, "--size", size)


def test_chain():
    """Locks that are waited for all the time: called as in locks, with who has each now, and where it waits itself"""
    live.need_root()
    with live.Workload("lock_holds", "chain", 4) as work:
        said = json.loads(work.process.stdout.readline())["chain"]
        links, reader = said[:4], said[4]
        found, locks = waiting("offcpu", work.pid), waiting("locks", work.pid)
        drawn = on_screen(work.pid, "200x40", "wait heap+0x", "wait awaits_next",
                          f"wait link/{links[-1]}")
    assert drawn.status == 0, drawn
    assert {tid: h["tid"] for tid, (_, h) in found.items()} == \
        {**dict(zip(links, links[1:])), reader: links[-1]}, (said, found)
    for tid, (lock, holder) in found.items():
        assert lock == locks[tid][0] and holder["tid"] == locks[tid][1]["tid"], (tid, found, locks)
        where = "keeps_it" if holder["tid"] == links[-1] else "awaits_next"
        assert holder["pid"] == work.pid and holder["comm"] == "link", holder
        assert where in frames(holder), holder


def test_recorded():
    """A recording has them, too"""
    live.need_root()
    with live.temporary() as folder, live.Workload("lock_holds", "deadlock", 3) as work:
        ring = json.loads(work.process.stdout.readline())["ring"]
        path = os.path.join(folder, "ring.ptr")
        live.batch("-V", "offcpu", "-p", work.pid, "-d", 1, "-n", 2, "--record", path)
        rows = live.batch("-V", "offcpu", "--replay", path)[-1]["rows"]
    found = {r["tid"]: r for r in rows if r["lock"]}
    assert set(found) == set(ring), (ring, rows)
    assert {r["lock"].split("+")[0] for r in found.values()} == {"ring"}, rows
    assert {r["holder"]["tid"] for r in found.values()} == set(ring), rows


if __name__ == "__main__":
    live.main(globals())
