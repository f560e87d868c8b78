#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What offcpu says of asynchronous I/O: libaio and io_uring, with fio."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
import waits  # noqa: E402

FRAMES = {"libaio": "read_events", "io_uring": "io_cqring_wait"}


def check(engine, depth):
    live.need_root()
    fio, = servers.need("fio")
    with servers.folder() as folder:
        path = f"{folder}/file"
        options = {"name": "x", "filename": path, "size": "64m", "rw": "randread", "bs": "4k",
                   "direct": 1, "ioengine": engine, "iodepth": depth, "time_based": 1,
                   "runtime": 60, "thread": 1, "rate_iops": 2000}
        with servers.running(fio, *(f"--{k}={v}" for k, v in options.items())) as p:
            live.wait_for(lambda: reads(p), 20)
            r = servers.report(p.pid, seconds=2)
    servers.not_hidden(r)
    # Whoever is there and has to give its CPU to others waits for that.
    waiting = [x for x in servers.with_frame(r, FRAMES[engine]) if x["reason"] != "preempted"]
    assert waits.total(waiting, "count") > 500, servers.summary(r)
    disk = [x for x in waiting if x["reason"] == "disk" and x["class"] == "harmful"]
    part = waits.total(disk) / waits.total(waiting)
    assert part > 0.9, (f"{engine}, depth {depth}: {part:.2f} for the disk",
                        [servers.line(x) for x in waiting if x not in disk])
    assert not any(x["idle"] for x in waiting), servers.summary(r)


def reads(p):
    """fio to read"""
    if p.poll() is not None:
        raise live.Skip("fio cannot do that here")
    with open(f"/proc/{p.pid}/io", encoding="ascii") as f:
        return int(f.read().split("read_bytes: ")[1].split()[0]) > 4 << 20


def test_libaio():
    """Reads by libaio at depth 1 and 8 wait for the disk"""
    check("libaio", 1)
    check("libaio", 8)


def test_io_uring():
    """Reads by io_uring at depth 1 and 8 wait for the disk"""
    check("io_uring", 1)
    check("io_uring", 8)


if __name__ == "__main__":
    live.main(globals())
