# SPDX-License-Identifier: GPL-2.0-only
"""Whether something grew, by what was measured once a round. Rounds do the same work, and what
else goes on only adds to what they take: other processes to be named, a query at work. So it is
the lowest of the rounds that tell; what is not given back is in these, too."""

FEWEST = 4  # rounds after warm-up, less prove nothing


class Column:
    """
    What is measured: its unit, and what may be added from the first to the second half of the
    rounds: a share of it and so much. Of an exact one the highest is compared. beside: another
    column that measures the same by something else, which has to have grown, too.
    """

    def __init__(self, name, unit="", share=0.0, more=0.0, exact=False, beside=None):
        self.name, self.unit, self.share, self.more, self.exact = name, unit, share, more, exact
        self.beside = beside


class Verdict:
    """Of a column: what it was in the first and in the second half, its growth, what is allowed."""

    def __init__(self, column, values):
        self.column = column
        of, half = max if column.exact else min, len(values) // 2
        self.first, self.last = of(values[:half]), of(values[half:])
        self.growth = self.last - self.first
        self.allowed = self.first * column.share + column.more
        self.beside = None  # the verdict on that column

    @property
    def grew(self):
        return self.growth > self.allowed

    @property
    def holds(self):
        return not self.grew or (self.beside is not None and not self.beside.grew)


def warm(rounds):
    """How many of the rounds are warm-up: caches and history fill."""
    return max(2, -(-rounds // 3))


def judged(columns, rounds):
    """A verdict a column, of rounds after warm-up: [{column's name: value}]."""
    if len(rounds) < FEWEST:
        return []
    verdicts = {c.name: Verdict(c, [r[c.name] for r in rounds]) for c in columns}
    for v in verdicts.values():
        v.beside = verdicts.get(v.column.beside)
    return list(verdicts.values())
