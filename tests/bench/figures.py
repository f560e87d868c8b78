# SPDX-License-Identifier: GPL-2.0-only
"""Figures of the benches: the list that is written, and how they are measured."""
import os
import statistics

results = []


def note(text):
    print(f"# {text}", flush=True)


def result(name, ours, peer, peer_name, unit):
    """Medians of two lists, and their ratio."""
    a, b = statistics.median(ours), statistics.median(peer)
    row = {"name": name, "ours": round(a, 4), "peer": round(b, 4), "peer_name": peer_name,
           "unit": unit, "ratio": round(a / b, 4) if b else None}
    results.append(row)
    print(f"{name:<44} {row['ours']:>10} {unit:<10} {peer_name:<24} {row['peer']:>10}   "
          f"ratio {row['ratio']}", flush=True)


def cpu_ns(pid):
    """CPU time of a process's living threads, to the nanosecond."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total
