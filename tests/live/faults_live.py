#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What befalls a tracer: after each the figures are right again within two ticks, against a load
that knows the truth, and what was missed is said."""
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from scene import Scene  # noqa: E402
from waits import steady  # noqa: E402

STOPPED_S = 4


def gap(watch, t_ns):
    """The interval in which it was stopped."""
    found = [r for r in watch.reports if r["t0_ns"] <= t_ns < r["t1_ns"]]
    assert len(found) == 1, [(r["t0_ns"], r["t1_ns"]) for r in watch.reports]
    return found[0]


@steady
def test_stopped():
    """Stopped for seconds: every view says so, misses nothing of them, and goes on rightly"""
    with Scene() as scene:
        begin = live.now_ns()
        scene.signal(signal.SIGSTOP)
        scene.read()
        time.sleep(STOPPED_S)
        scene.signal(signal.SIGCONT)
        end = live.now_ns()
        scene.check(end)
        for view, watch in scene.watches.items():
            report = gap(watch, (begin + end) // 2)
            assert report["t1_ns"] - report["t0_ns"] > STOPPED_S * 0.8e9, (view, report["t1_ns"])
            health = report["health"]
            assert health["missed_ticks"] >= STOPPED_S and "missed" in health["note"], health
            assert health["lost"] == 0, (view, health)
            after = watch.since(end)[1]["health"]
            assert not after["missed_ticks"] and "missed" not in after["note"], after
        scene.check_times(begin - 1e9, end)


if __name__ == "__main__":
    live.main(globals())
