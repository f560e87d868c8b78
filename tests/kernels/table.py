# SPDX-License-Identifier: GPL-2.0-only
"""docs/KERNELS.md out of what was found in the guests."""
from markdown import lines_of

HEAD = """# Kernels

Written by `make check-kernels`, which boots Debian's kernels under qemu, by emulation, with this
machine's files as their root and an ext4 of their own, runs the built program in each as root and
compares what it says with loads whose truth is known. `make check-kernels KERNELS=bullseye`
repeats one of them; `make check` boots one each time. The kernels come from Debian's archive by
apt, which verifies them, and are kept in build/kernels.

Behind each "works" stands what served: bpf+fentry are programs on kernel functions where no
tracepoint tells, perf is the engine for those who may not load programs, with samples of perf
events alone. A kernel's rows may be of several boots: a guest that was ended because the machine
was too busy adds what it had told by then, and what is "not tried" was not reached. Where a column
names several builds of proftop, its rows are of one or the other.

An emulated x86 machine has no hardware counters; an emulated Arm machine has those of cycles and
instructions, but none of caches. Precise sampling is not tried here. Where a view cannot work,
`proftop -V VIEW` ends with exit status 4 and the reason that stands below.

"""

PROBES_HEAD = """
## What these kernels offer

By `proftop --doctor`, which loads and attaches the smallest program of each kind.

"""


def words(row):
    """A view's state in words."""
    if row["state"] == "works":
        return f"{row['tier']}: {row['event']}"
    return " ".join(row["text"].split())


def short(row, notes):
    """The same for a cell; what needs a sentence becomes a note."""
    if row is None:
        return "not tried"
    if row["state"] == "works":
        return "works, " + words(row)
    text = words(row)
    if text not in notes:
        notes.append(text)
    return f"{'no' if row['state'] == 'cannot' else 'WRONG'} ({notes.index(text) + 1})"


def views(found, out):
    names = list(dict.fromkeys(row["view"] for _, f in found for row in f["views"]))
    truth = {row["view"]: row["truth"] for _, f in found for row in f["views"]}
    rows, notes = [["View", *(f"{f['kernel']} ({suite})" for suite, f in found)]], []
    rows.append(["proftop", *(f.get("proftop", "") for _, f in found)])
    for name in names:
        by = [next((r for r in f["views"] if r["view"] == name), None) for _, f in found]
        rows.append([name, *(short(row, notes) for row in by)])
    out += lines_of(rows)
    out += ["", *(f"{n}. {note}" for n, note in enumerate(notes, 1)), ""] if notes else [""]
    out += ["What had to come out:", "", *(f"- {name}: {truth[name]}" for name in names)]


def probes(found, out):
    names, found = [], [(suite, f) for suite, f in found if "doctor" in f]
    for _, f in found:
        names += [c["name"] for c in f["doctor"]["checks"]
                  if c["group"] == "probes" and c["name"] not in names]
    rows = [["Probe", *(f["kernel"] for _, f in found)]]
    for name in names:
        states = [next((c["state"] for c in f["doctor"]["checks"]
                        if c["group"] == "probes" and c["name"] == name), "-") for _, f in found]
        rows.append([name, *states])
    out += lines_of(rows)


def write(found, path):
    out = []
    views(found, out)
    below = []
    if any("doctor" in f for _, f in found):
        probes(found, below)
    with open(path, "w", encoding="utf-8") as f:
        f.write(HEAD + "\n".join(out) + "\n")
        if below:
            f.write(PROBES_HEAD + "\n".join(below) + "\n")
