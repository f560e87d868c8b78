# SPDX-License-Identifier: GPL-2.0-only
"""Figures of the benches: the list that is written, what is aimed at, and how they are measured."""
import os
import statistics

results = []
missing = []
part = ""  # of the benches, whose figures come now


def note(text):
    print(f"# {text}", flush=True)


class Missing(Exception):
    """A peer that is not here: what is compared with it is left out, and said to be."""


class Aim:
    """What a figure should be, and whether it is. A ratio's aim is of the medians."""

    def __init__(self, text, holds):
        self.text, self.holds = text, holds


def ratio_at_most(x):
    return Aim(f"{x} of the peer's", lambda row: row["ratio"] is not None and row["ratio"] <= x)


def ratio_at_least(x):
    return Aim(f"{x} times the peer's", lambda row: row["ratio"] is not None and row["ratio"] >= x)


def at_most(x, unit):
    return Aim(f"{x} {unit}", lambda row: row["ours"] <= x)


def spread(ours, peer):
    """The least and the largest ratio of a round; None: rounds are not paired, or there is one."""
    if len(ours) != len(peer) or len(ours) < 2 or not all(peer):
        return None
    ratios = [a / b for a, b in zip(ours, peer)]
    return [round(min(ratios), 4), round(max(ratios), 4)]


def result(name, ours, peer, peer_name, unit, aim=None):
    """Medians of two lists, one value a round, and their ratio."""
    a, b = statistics.median(ours), statistics.median(peer)
    row = {"part": part, "name": name, "ours": round(a, 4), "peer": round(b, 4), "peer_name": peer_name,
           "unit": unit, "ratio": round(a / b, 4) if b else None, "spread": spread(ours, peer),
           "rounds": len(ours)}
    if aim:
        row.update(aim=aim.text, met=aim.holds(row))
    results.append(row)
    print(line(row), flush=True)


def line(row):
    ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3g}"
    if row["spread"]:
        ratio += f" ({row['spread'][0]:.3g} to {row['spread'][1]:.3g})"
    verdict = "" if "aim" not in row else \
        f"aim {row['aim']}: " + ("met" if row["met"] else "MISSED")
    return (f"{row['name']:<52} {row['ours']:>11.5g} {row['unit']:<10} {row['peer_name']:<24} "
            f"{row['peer']:>11.5g}  ratio {ratio:<24} {verdict}").rstrip()


def table():
    """All of them once more, and what could not be compared."""
    print()
    for row in results:
        print(line(row))
    for what in missing:
        print(f"missing: {what}")


def markdown(rows):
    """A table for docs/PERFORMANCE.md."""
    out = ["| What | proftop | Peer | Ratio | Rounds' ratios | Aim |", "|---|---|---|---|---|---|"]
    for row in rows:
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3g}"
        between = "" if not row.get("spread") else \
            f"{row['spread'][0]:.3g} to {row['spread'][1]:.3g}"
        aim = "" if "aim" not in row else row["aim"] + (": met" if row["met"] else ": **missed**")
        out.append(f"| {row['name']} | {row['ours']:.4g} {row['unit']} | {row['peer']:.4g} "
                   f"({row['peer_name']}) | {ratio} | {between} | {aim} |")
    return "\n".join(out)


def cpu_ns(pid):
    """CPU time of a process's living threads, to the nanosecond."""
    total = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total
