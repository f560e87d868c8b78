#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A baseline on the live machine: a mix that changes between two windows, and by how much."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402


def test_mix():
    """70 and 30 % become 30 and 70 %: the difference is 40 points, by the functions' names"""
    live.need_root()
    load = os.path.join(live.WORKLOADS, "two_functions")
    how = ("-n", 1, "-d", 2, "-F", 499)
    with live.temporary() as tmp:
        file = os.path.join(tmp, "then.ptr")
        live.batch(*how, "--record", file, "--", load, "3", drop_output=True)
        report, = live.batch(*how, "--baseline", file, "--", load, "3", "swapped",
                             drop_output=True)
    assert report["baseline"]["file"] == file, report["baseline"]
    for name, then, change in ("hot_70", 70, -40), ("hot_30", 30, 40):
        row = live.rows_by(report, "symbol")[name]
        assert row["presence"] == "both", row
        live.near(row["then_self_pct"], then, 6, name)
        live.near(row["diff_self_pct"], change, 10, name)
        assert abs(row["self_pct"] - row["then_self_pct"] - row["diff_self_pct"]) < 1e-9, row
    names = [r["symbol"] for r in report["rows"]]
    assert set(names[:2]) == {"hot_70", "hot_30"}, names


if __name__ == "__main__":
    live.main(globals())
