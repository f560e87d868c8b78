#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The soak's judge: what grows is found in figures that vary as real ones do, and no other."""
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
    """Rounds that take a level and, mostly, something more; growth: from the first to the last."""
    r = random.Random(seed)
    return [level + abs(r.gauss(0, noise)) + growth * i / (n - 1) for i in range(n)]


def grew(n, growth, noise=40):
    """The share of runs of n rounds in which growth is found."""
    found = [judge.Verdict(MEMORY, series(n, 300, noise, growth, seed)) for seed in range(TRIES)]
    return sum(not v.holds for v in found) / TRIES


def test_leaks():
    """A leak is found nearly always, among rounds that differ by more than it"""
    assert grew(8, 100) > 0.95, grew(8, 100)
    assert grew(20, 80) > 0.95, grew(20, 80)
    assert grew(8, 100, noise=0) == 1


def test_noise():
    """What only varies holds, mostly: it is not by allowing much"""
    assert grew(8, 0) < 0.25 and grew(20, 0) < 0.05, (grew(8, 0), grew(20, 0))
    assert grew(8, 0, noise=15) == 0
    assert grew(8, -30) < 0.05, "what shrinks did not grow"


def test_real():
    """A run of 26 minutes as it was measured holds; had it forgotten 4 MiB a minute it would not"""
    real = [224.0, 262.4, 293.5, 406.8, 298.7, 338.3, 346.4, 406.6, 334.4, 344.4, 298.9, 366.6]
    leaky = [x + 4 * 26 / len(real) * i for i, x in enumerate(real)]
    for rounds, holds in ((real, True), (leaky, False)):
        assert judge.Verdict(MEMORY, rounds[judge.warm(len(rounds)):]).holds == holds, rounds


def test_exact():
    """Of what has to be the same one more is growth, wherever in the second half it is"""
    assert judge.Verdict(COUNT, [21, 21, 21, 21, 21, 21]).holds
    assert not judge.Verdict(COUNT, [21, 21, 21, 21, 21, 22]).holds
    assert judge.Verdict(COUNT, [22, 21, 21, 21, 21, 22]).holds


def test_columns():
    """Each column is judged by itself; too few rounds prove nothing"""
    rounds = [{c.name: 100.0 for c in vitals.COLUMNS} for _ in range(8)]
    assert all(v.holds for v in judge.judged(vitals.COLUMNS, rounds))
    for column in vitals.COLUMNS:
        names = {column.name, column.beside or column.name}
        leaky = [{**r, **dict.fromkeys(names, 100.0 + 20 * i)} for i, r in enumerate(rounds)]
        found = {v.column.name for v in judge.judged(vitals.COLUMNS, leaky) if not v.holds}
        assert found == names, found
    assert not judge.judged(vitals.COLUMNS, rounds[:judge.FEWEST - 1])


def test_beside():
    """A machine that is busier in one half: a sample costs less then, and nothing grew"""
    def cost(samples):
        return {"cpu a second": 20 + 0.05 * samples, "cpu a sample": 50 + 20000 / samples}
    columns = [c for c in vitals.COLUMNS if c.beside]
    for first, second in ((100, 400), (400, 100)):
        rounds = [cost(first)] * 4 + [cost(second)] * 4
        verdicts = judge.judged(columns, rounds)
        assert [v.grew for v in verdicts] == [second > first, second < first], verdicts
        assert all(v.holds for v in verdicts)


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
