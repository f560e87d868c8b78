#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Short waits at one place: callers have the number and the time of theirs, a rare long one its own."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import waits  # noqa: E402
from waits import steady, symbols, total  # noqa: E402

CALLERS = ("short", "longer", "rare")


def of_caller(rows, caller):
    wanted = {"waits_at_one_place", f"{caller}_caller"}
    return [r for r in rows if wanted <= set(symbols(r["stack"]))]


def asleep(ended):
    return sum(to - since for since, to in ended)


@steady
def test_callers_at_one_place():
    """By turns, at random, behind a large frame: each caller has its waits and their share of time"""
    live.need_root()
    m = waits.Measured("offcpu", "short_waits", seconds=4, options=["--group", "comm+stack"])
    for name in ("turns", "dice", "large"):
        thread, rows = m.threads[name], m.of(comm=name, state="S")
        slept = asleep(thread.ended(m.t0, m.t1))
        for caller in CALLERS:
            true, mine = thread.ended(m.t0, m.t1, caller), of_caller(rows, caller)
            live.near(total(mine, "count"), len(true), max(3, 0.02 * len(true)),
                      f"{name}'s {caller} waits")
            live.near(100 * total(mine) / total(rows), 100 * asleep(true) / slept, 2,
                      f"{name}'s {caller} share of time, %")


if __name__ == "__main__":
    live.main(globals())
