# SPDX-License-Identifier: GPL-2.0-only
"""docs/SOAK.md out of a run."""
from markdown import lines_of

import vitals

HEAD = """# Soak

Written by `make soak`: one proftop for a long time with all views, while processes, threads,
mappings, files and stacks come and go ([load.py](../tests/soak/load.py)) and somebody is at its keys
([hands.py](../tests/soak/hands.py)): every view, grouping, chain, flame graph, heat map, the past,
baselines, filters, pickers, saving and recording, round after round, with a rest after each in which
the views that were left are closed. It keeps two minutes of history in at most 32 MiB. At the end the
same process is asked about loads whose truth is known ([truth.py](../tests/soak/truth.py)).
`make soak SOAK_MINUTES=14` is a short one, which leaves this file as it is (`SOAK_DOC=FILE` writes it);
`SOAK_MINUTES=24 SOAK_LEAK=4` has proftop forget 4 MiB a minute and descriptors, and must not hold.

"""

GROWTH = """
## Growth after warm-up

Each round is measured once: at rest, at its most, and the CPU time of its own that a key took, and
at rest a second and a sample, of which one alone may grow by what else the machine does. The rounds
after warm-up are halved, and the lowest of each half compared: what else goes on only adds to them.
Of what has to be the same it is the highest
([judge.py](../tests/soak/judge.py)). Files are those of programs, a few of which are kept open.

"""

COURSE = """
## Round by round

"""

TRUTH = """
## Still right at the end

"""
SHOWN = "rss", "private", "most rss", "map memory", "fds", "most fds", "mappings", "cpu a key", \
    "cpu a second", "cpu a sample"


def number(x, unit):
    return f"{x:.1f} {unit}" if unit else f"{x:.0f}"


def growth(verdicts):
    yield ["", "first half", "second half", "growth", "allowed", ""]
    for v in verdicts:
        yield [v.column.name, *(number(x, v.column.unit)
                                for x in (v.first, v.last, v.growth, v.allowed)),
               "holds" if v.holds else "GREW"]


def course(rounds):
    columns = [c for c in vitals.COLUMNS if c.name in SHOWN]
    yield ["minute", *(c.name for c in columns), "lost"]
    for r in rounds:
        yield [f"{r['minute']:.1f}", *(number(r[c.name], c.unit) for c in columns),
               number(r["lost"], "")]


def text(found):
    rounds = found["rounds"]
    what = (f"{rounds[-1]['minute']:.0f} minutes on Linux {found['kernel']} with {found['cpus']} "
            f"CPUs: {len(rounds)} rounds, {found['load'].turns} loads one after the other (at work "
            f"{found['duty'] * 100:.0f} % of the time); the first {found['warm']} rounds are "
            "warm-up.\n")
    out = HEAD + what
    for title, rows in ((GROWTH, growth(found["verdicts"])), (COURSE, course(rounds)),
                        (TRUTH, [["", "true", "said"], *map(list, found["truths"])])):
        out += title + "\n".join(lines_of(list(rows))) + "\n"
    return out
