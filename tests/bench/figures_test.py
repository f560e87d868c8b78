#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The benches' figures: spreads are of rounds, what is missing is named, parts that did not run
keep what was known of them."""
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../lib")]
import figures  # noqa: E402
import live  # noqa: E402


def test_spread():
    """The least and largest ratio of a round; none of one round, or where noise is larger"""
    assert figures.spread([1, 2, 3], [2, 2, 2]) == [0.5, 1.5]
    assert figures.spread([1, 2, 3], [2]) == [0.5, 1.5]
    assert figures.spread([1], [2]) is None
    assert figures.spread([1, -1], [2, 2]) is None and figures.spread([1, 1], [2, 0]) is None
    assert figures.between({"spread": [0.5, 1.5], "rounds": 3}) == "0.5 to 1.5 of 3"
    assert figures.between({"spread": None, "rounds": 1}) == "one round"


def test_missing():
    """Who lacks its peer is left out and named with its package; what follows is measured"""
    assert figures.commit()  # git is not what is missing
    path, os.environ["PATH"] = os.environ["PATH"], "/nonexistent"
    figures.part = "sched"
    try:
        with figures.comparison("beside runqlat"):
            figures.need("runqlat")
            raise AssertionError("it went on")
        with figures.comparison("beside an object"):
            figures.object_of("/nonexistent/lib*.so", "libnone")
        with figures.comparison("without a peer"):
            figures.result("a figure", [1, 2], [4], "an aim", "ms")
    finally:
        os.environ["PATH"] = path
    assert [(x["part"], x["what"], x["missing"]) for x in figures.missing] == [
        ("sched", "beside runqlat", "runqlat (package libbpf-tools)"),
        ("sched", "beside an object", "/nonexistent/lib*.so (package libnone)")], figures.missing
    assert figures.missing_line(figures.missing[0]).startswith(
        "missing: runqlat (package libbpf-tools); ")
    assert [(x["name"], x["ratio"], x["rounds"]) for x in figures.results] == \
        [("a figure", 0.375, 2)], figures.results


def test_merged():
    """A part that ran replaces what was known of it, and nothing else"""
    old = {"figures": [{"part": "sched", "name": "old"}, {"part": "io", "name": "kept"}],
           "missing": [{"part": "sched", "what": "old"}, {"part": "cache", "what": "kept"}]}
    figures.results[:] = [{"part": "sched", "name": "new"}]
    figures.missing[:] = [{"part": "sched", "what": "new"}]
    assert figures.merged(old, ["sched"]) == {
        "figures": [{"part": "io", "name": "kept"}, {"part": "sched", "name": "new"}],
        "missing": [{"part": "cache", "what": "kept"}, {"part": "sched", "what": "new"}]}
    assert figures.merged({}, ["sched"])["figures"] == figures.results


if __name__ == "__main__":
    live.main(globals())
