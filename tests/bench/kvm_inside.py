#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Runs within an emulated machine (emulated.py), as root, and prints JSON: ns of its own CPU time that a guest takes for
each exit, with nothing beside it, with the view kvm and with perf kvm stat record. The machine's clock goes by the
instructions that it executes, so that who else is busy outside has no part in it.
"""
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../lib"), os.path.join(HERE, "../live")]
import live  # noqa: E402
import kvm_live  # noqa: E402

EXITS, ROUNDS, TURNS = 20000, 2, 3  # TURNS of each
DATA = "/run/disk/perf.data"


def program():
    """What KVM answers by itself, in turns; user space has its say in between."""
    turn = kvm_live.loop(EXITS, kvm_live.msr(kvm_live.MSR_READ, b"\x0f\x32")) + kvm_live.out(kvm_live.NEXT)
    return kvm_live.out(kvm_live.BEGINS) + turn * (1 + 3 * TURNS * ROUNDS)


def perf_is_ready(process):
    """It has its events in its ring, and waits."""
    folder = f"/proc/{process.pid}/fd"
    events = [fd for fd in os.listdir(folder) if "perf_event" in os.readlink(f"{folder}/{fd}")]
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as f:
        return events and os.path.getsize(DATA) and f.read().rsplit(")", 1)[1].split()[0] == "S"


class Bench:
    def __init__(self):
        self.guest = kvm_live.Guest(program())
        assert self.guest.step() == (kvm_live.EXIT_IO, kvm_live.BEGINS)
        self.turn()  # its first accesses to memory

    def turn(self):
        begun = time.thread_time_ns()
        self.guest.run((kvm_live.EXIT_IO, kvm_live.NEXT))
        return (time.thread_time_ns() - begun) / EXITS

    def turns(self):
        return [self.turn() for _ in range(TURNS)]

    def ours(self):
        with live.Watch("kvm") as watch:
            watch.next()
            took = self.turns()
            watch.until(live.now_ns())
        seen = sum(r["count"] for x in watch.reports for r in x["rows"] if r["reason"] == "msr")
        assert seen == TURNS * EXITS, f"{seen} exits were counted"
        return took

    def theirs(self):
        if os.path.exists(DATA):
            os.unlink(DATA)
        with subprocess.Popen(["perf", "kvm", "--host", "stat", "record", "-a", "-o", DATA], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as p:
            live.wait_for(lambda: os.path.exists(DATA) and perf_is_ready(p), 60)
            took = self.turns()
            p.send_signal(signal.SIGINT)
            p.wait()
        return took


def main():
    bench, found = Bench(), {"alone": [], "ours": [], "theirs": []}
    for _ in range(ROUNDS):
        found["alone"] += bench.turns()
        found["ours"] += bench.ours()
        found["theirs"] += bench.theirs()
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
