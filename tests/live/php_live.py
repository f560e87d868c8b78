#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stacks through PHP, by a program whose shares, chain, waits and lines are known by construction
(tests/workloads/php_shares.php)."""
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
import servers  # noqa: E402
from runtimes import folded, follow, share, whole  # noqa: E402

SOURCE = os.path.join(live.ROOT, "tests/workloads/php_shares.php")
WALKED = "8.2"
DEPTH = 5
CHAIN = ["{main}"] + ["descend"] * (DEPTH + 1) + ["produce"]
CALLS = [*CHAIN, "Caller::by_sort", "usort", "Caller::{closure}", "Caller::round"]


def program():
    live.need_root()
    php, = servers.need("php")
    version = subprocess.run([php, "-r", "echo PHP_VERSION;"], capture_output=True, text=True, check=True).stdout
    if not version.startswith(WALKED + "."):
        raise live.Skip(f"php {version} is here, not {WALKED}")
    return servers.running(php, "-n", SOURCE, DEPTH, text=True, stdout=subprocess.PIPE)


def test_shares():
    """70 and 30 % below a recursion, a generator, a sort's callback and a method; no interpreter's frames"""
    def named():
        stacks = folded("cpu", p.pid, "-F", 997)
        return stacks if share(stacks, lambda s: "Caller::round" in s) > 90 else None
    with program() as p:
        servers.printed(p, "ready")
        stacks = live.wait_for(named, 40, 0)
    # Few samples on a busy machine: three standard deviations may be missed.
    within = max(6, 300 * math.sqrt(0.21 / sum(stacks.values())))
    for name, truth in ("hot_70", 70), ("hot_30", 30):
        got = share(stacks, lambda s: follow(s, [*CALLS, name]))
        live.near(got, truth, within, f"php: share of {name} below its callers, %")
    runs = share(stacks, lambda s: "execute_ex" in s)
    assert runs < 3, f"{runs:.1f} % of stacks have the interpreter's own frame"


def test_waits():
    """A wait is below the function of C that it is in, and that below its caller"""
    def waits():
        stacks = folded("offcpu", p.pid)
        slept = {s: w for s, w in stacks.items() if any("nanosleep" in f for f in s)}
        return slept if share(slept, lambda s: follow(s, [*CHAIN, "waits", "usleep"])) > 90 else None
    with program() as p:
        servers.printed(p, "ready")
        assert live.wait_for(waits, 40, 0)


def test_whole():
    """99 % of the stacks are whole"""
    with program() as p:
        servers.printed(p, "ready")
        note = whole(p.pid, "php")
    assert "interpreted functions" not in note, note


if __name__ == "__main__":
    live.main(globals())
