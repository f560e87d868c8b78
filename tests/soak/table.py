# SPDX-License-Identifier: GPL-2.0-only
"""docs/SOAK.md out of a run."""
from markdown import lines_of

HEAD = """# Soak

Written by `make soak`: one proftop for a long time with all views, while processes, threads,
mappings, files and stacks come and go ([load.py](../tests/soak/load.py)) and somebody is at its keys
([hands.py](../tests/soak/hands.py)): every view, grouping, chain, flame graph, heat map, the past,
baselines, filters, pickers, saving and recording, round after round, with a rest between rounds in
which the views that were left are closed. It keeps two minutes of history in at most 32 MiB. At the
end the same process is asked about loads whose truth is known
([truth.py](../tests/soak/truth.py)). `make soak SOAK_MINUTES=5` is a short one.

"""

GROWTH = """
## Growth after warm-up

The highest of the first and of the last third of what was sampled after warm-up, as views are open in
turn; of CPU the median. Files are those of programs, a few of which are kept open.

"""

COURSE = """
## Over time

"""

TRUTH = """
## Still right at the end

"""


def number(x, unit):
    return f"{x:.1f} {unit}" if unit else f"{x:.0f}"


def growth(rows):
    yield ["", "first", "last", "allowed", ""]
    for column, unit, first, last, bound, holds in rows:
        yield [column, number(first, unit), number(last, unit), number(bound, unit),
               "holds" if holds else "GREW"]


def course(samples, columns, lines=12):
    yield ["minute", *(name for name, *_ in columns)]
    step = max(len(samples) // lines, 1)
    for sample in samples[step - 1::step]:
        yield [f"{sample['t'] / 60:.1f}",
               *(number(sample[name], unit) for name, unit, *_ in columns)]


def text(found, columns):
    what = (f"{found['seconds'] / 60:.0f} minutes on Linux {found['kernel']} with {found['cpus']} "
            f"CPUs: {found['rounds']} rounds of keys, {found['turns']} loads one after the other "
            f"(at work {found['duty'] * 100:.0f} % of the time), {len(found['samples'])} samples; "
            f"warm after {found['warm'] / 60:.0f} minutes.\n")
    out = HEAD + what + GROWTH + "\n".join(lines_of(list(growth(found["grown"])))) + "\n"
    out += COURSE + "\n".join(lines_of(list(course(found["samples"], columns)))) + "\n"
    return out + TRUTH + "\n".join(lines_of([["", "true", "said"], *map(list, found["truths"])])) \
        + "\n"
