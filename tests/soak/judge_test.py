#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The soak's judge: what grows is found in figures as noisy as real ones, and noise is no growth."""
import os
import random
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import judge  # noqa: E402
import live  # noqa: E402
import vitals  # noqa: E402

MEMORY = judge.Column("rss", "MiB", 0.05, 4)
COUNT = judge.Column("maps", exact=True)
TRIES = 200


def series(n, level, noise, growth, seed):
    """Rounds around a level, which grow so much from the first to the last."""
    r = random.Random(seed)
    return [level + r.gauss(0, noise) + growth * i / (n - 1) for i in range(n)]


def states(n, growth, noise=6, column=MEMORY):
    found = [judge.Verdict(column, series(n, 250, noise, growth, seed)).state
             for seed in range(TRIES)]
    return {state: found.count(state) / TRIES for state in set(found)}


def test_slope():
    """The slope is the median of all pairs': a round that is far off does not move it"""
    assert judge.slope([1, 3, 5, 7]) == 2
    assert judge.slope([1, 3, 500, 7, 9]) == 2
    assert judge.slope([5, 5, 5]) == 0


def test_chance():
    """The chance of a rise is that of all orders, or near it by the normal distribution"""
    assert judge.chance([1, 2, 3, 4, 5]) == 1 / 120
    assert judge.chance([5, 4, 3, 2, 1]) == 1
    few, many = judge.chance([1, 3, 2, 4, 6, 5, 7]), judge.chance([1, 3, 2, 4, 6, 5, 7, 8])
    assert many < few < judge.SURE
    assert judge.chance(list(range(12))) < 0.001 < 0.4 < judge.chance([2, 3, 1] * 4)


def test_leaks():
    """A leak that is twice what is allowed is found nearly always, by ten rounds"""
    found = states(10, 2 * (250 * 0.05 + 4))
    assert found.get("GREW", 0) > 0.95, found


def test_noise():
    """What only varies holds, nearly always; that is not by allowing much"""
    found = states(10, 0)
    assert found["holds"] > 0.99, found
    assert "GREW" not in states(10, -30), "what shrinks did not grow"


def test_late():
    """A cache that filled and stays full is no leak; one that fills twice as slowly grows still"""
    full = [200, 240, 260, 268, 270, 271, 270, 271, 270, 271]
    warm = judge.warm(len(full))
    assert judge.Verdict(MEMORY, full[warm:]).holds
    assert not judge.Verdict(MEMORY, [200 + 10 * i for i in range(10)][warm:]).holds


def test_exact():
    """Of what has to be the same one more is growth, wherever in the last third it is"""
    assert judge.Verdict(COUNT, [21, 21, 21, 21, 21, 21]).holds
    assert judge.Verdict(COUNT, [21, 21, 21, 21, 21, 22]).state == "GREW"
    assert judge.Verdict(COUNT, [22, 21, 21, 21, 21, 22]).holds


def test_columns():
    """Each column is judged by itself; too few rounds prove nothing"""
    rounds = [{c.name: 100.0 for c in vitals.COLUMNS} for _ in range(8)]
    assert [v.state for v in judge.judged(vitals.COLUMNS, rounds)] == ["holds"] * len(
        vitals.COLUMNS)
    for column in vitals.COLUMNS:
        leaky = [{**r, column.name: 100.0 + 20 * i} for i, r in enumerate(rounds)]
        grew = [v.column.name for v in judge.judged(vitals.COLUMNS, leaky) if not v.holds]
        assert grew == [column.name], grew
    assert not judge.judged(vitals.COLUMNS, rounds[:judge.FEWEST - 1])


def test_self():
    """What is measured of a process is there: this one's, with a descriptor more"""
    before = vitals.measure(os.getpid())
    with open("/dev/null", encoding="ascii"):
        after = vitals.measure(os.getpid())
    assert after["fds"] == before["fds"] + 1, (before, after)
    assert before["rss"] > before["private"] > 1 and before["mappings"] > 10, before
    assert before["threads"] == 1 and not before["programs"], before


if __name__ == "__main__":
    live.main(globals())
