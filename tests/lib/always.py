#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Labels that rows of a view always have are in each grouping, with null where rows are not by them:
always.py PROFTOP_FIXTURE FOLDER-OF-FIXTURES"""
import csv
import io
import json
import subprocess
import sys

VIEWS = {
    "net": (("device", "queue", "direction"), ("device", "device+queue", "direction", "reason", "queue+direction")),
    "irq": (("vector", "kind", "cpu"), ("vector", "cpu", "kind", "comm", "vector+cpu", "tid")),
}
TOLD_BY = {"kind": ("kind", "vector")}  # what else tells it


def batch(view, group, form):
    return subprocess.run([sys.argv[1], f"{sys.argv[2]}/{view}.fixture", "-b", "-V", view, "--group", group,
                           "--do", "sort-next", "--format", form], stdout=subprocess.PIPE, check=True, text=True, timeout=30).stdout


def check(view, group, labels):
    rows = json.loads(batch(view, group, "json").splitlines()[-1])["rows"]
    assert rows, (view, group)
    for label in labels:
        told = set(group.split("+")) & set(TOLD_BY.get(label, (label,)))
        values = [r[label] for r in rows]
        assert any(v is not None for v in values) == bool(told), (view, group, label, values)
    header, *lines = csv.reader(io.StringIO(batch(view, group, "csv")))
    assert len(lines) == len(rows) and set(labels) <= set(header), (view, group, header)


for name, (labels, groups) in VIEWS.items():
    for g in groups:
        check(name, g, labels)
