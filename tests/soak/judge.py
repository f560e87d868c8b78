# SPDX-License-Identifier: GPL-2.0-only
"""Whether something grew, by what was measured once a round. Rounds do the same work, so what is
not given back shows as a slope through all of them; single rounds may be far off, as caches fill
and other processes come and go, and do not decide."""
import itertools
import math
import statistics

FEWEST = 4  # rounds after warm-up, less prove nothing
SURE = 0.05  # the chance that rounds in any order would rise as much


class Column:
    """
    What is measured: its unit, and what may be added from the first to the last round: a share of
    it and so much. Of an exact one the highest is compared, of the first and of the last third.
    """

    def __init__(self, name, unit="", share=0.0, more=0.0, exact=False):
        self.name, self.unit, self.share, self.more, self.exact = name, unit, share, more, exact


def thirds(values):
    n = max(len(values) // 3, 1)
    return values[:n], values[-n:]


def slope(values):
    """The median of the slopes between all pairs, per round (Theil 1950, Sen 1968)."""
    return statistics.median((b - a) / (j - i) for (i, a), (j, b) in
                             itertools.combinations(enumerate(values), 2))


def chance(values):
    """
    How likely a series without a trend rises as much (Mann 1945, Kendall): by all orders where
    these are few, else by the normal distribution.
    """
    def score(order):
        return sum((b > a) - (b < a) for a, b in itertools.combinations(order, 2))

    n, got = len(values), score(values)
    if n <= 7:
        orders = [score(order) for order in itertools.permutations(values)]
        return sum(s >= got for s in orders) / len(orders)
    deviation = math.sqrt(n * (n - 1) * (2 * n + 5) / 18)
    return 0.5 * math.erfc((got - 1) / deviation / math.sqrt(2))


class Verdict:
    """Of a column: what it was in the first and in the last third, its growth, what is allowed."""

    def __init__(self, column, values):
        self.column = column
        first, last = thirds(values)
        of = max if column.exact else statistics.median
        self.first, self.last = of(first), of(last)
        self.allowed = self.first * column.share + column.more
        self.growth = (self.last - self.first if column.exact else
                       slope(values) * (len(values) - 1))
        self.state = "holds"
        if self.growth > self.allowed:
            sure = column.exact or chance(values) <= SURE
            self.state = "GREW" if sure else "unclear"

    @property
    def holds(self):
        return self.state == "holds"


def warm(rounds):
    """How many of the rounds are warm-up: caches and history fill."""
    return max(2, -(-rounds // 3))


def judged(columns, rounds):
    """A verdict a column, of rounds after warm-up: [{column's name: value}]."""
    if len(rounds) < FEWEST:
        return []
    return [Verdict(c, [r[c.name] for r in rounds]) for c in columns]
