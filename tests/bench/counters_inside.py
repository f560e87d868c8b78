#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs within an emulated machine (emulated.py), as root, and prints JSON: us of CPU time for each round trip of perf
bench sched pipe, alone, with the view counters, and below perf stat of the same events."""
import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../lib")]
import counters_bench  # noqa: E402

ROUNDS = 2


def main():
    counters_bench.OPERATIONS = 20000
    pipe, found = counters_bench.Pipe(), {"alone": [], "ours": [], "theirs": []}
    for _ in range(ROUNDS):
        found["alone"].append(pipe.us())
        with counters_bench.batch("counters"):
            found["ours"].append(pipe.us())
        with pipe.stat():
            found["theirs"].append(pipe.us())
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
