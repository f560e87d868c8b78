#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Whether files of one snapshot agree, box by box: flame_sums.py VIEW.folded [FILE...], where a
file is .folded (the same lines), .svg (each box is as wide as the lines through it) or .json (a
flame graph's rows)."""
import json
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
# What is narrower than this part of all is no box of an .svg.
NARROW = 1 / 24000


def lines(path):
    """Weights by stack, as a tuple of names from the root."""
    sums = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            key = tuple(stack.split(";"))
            sums[key] = sums.get(key, 0) + int(weight)
    return sums


def boxes(stacks):
    """Weights of all that lies on the way of stacks."""
    sums = {}
    for stack, weight in stacks.items():
        for n in range(len(stack) + 1):
            sums[stack[:n]] = sums.get(stack[:n], 0) + weight
    return sums


def svg_boxes(path):
    """Weights by path, from where rects lie above one another."""
    root = xml.etree.ElementTree.parse(path).getroot()
    whole, found, open_boxes = None, {}, {}
    for g in root.find(f"{SVG}g[@class='frames']"):
        rect = g.find(f"{SVG}rect")
        start, weight, depth = (int(rect.get("data-" + x)) for x in "swd")
        whole = whole or weight
        width = float(rect.get("width"))
        assert abs(width - weight * 1200 / whole) < 1e-3, (rect.attrib, whole)
        assert g.find(f"{SVG}title").text.startswith(rect.get("data-n") + f" ({weight} ")
        key = ()
        if depth:
            below = open_boxes[depth - 1]
            key = below[0] + (rect.get("data-n"),)
            assert below[1] <= start and start + weight <= below[2], rect.attrib
        open_boxes[depth] = key, start, start + weight
        assert key not in found, key
        found[key] = weight
    return found


def check_svg(path, want):
    found = svg_boxes(path)
    whole = want[()]
    for key, weight in found.items():
        assert want.get(key) == weight, (key, weight, want.get(key))
    for key, weight in want.items():
        assert key in found or weight <= whole * NARROW, (key, weight)


def check_json(path, want):
    """Rows of times are ns, folded text has us."""
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    rows, paths = report["rows"], []
    time = "time_ns" in rows[0]
    total, own = ("time_ns", "self_ns") if time else ("count", "self_count")
    for i, row in enumerate(rows):
        parent = row["parent"]
        paths.append(() if parent is None else paths[parent] + (row["symbol"].replace(";", ":"),))
        assert row["depth"] == len(paths[i])
        children = sum(r[total] for r in rows if r["parent"] == i)
        assert children + row[own] == row[total], row
        clean = paths[i] if all(x.isprintable() and "?" not in x for x in paths[i]) else None
        if clean in want and len(set(paths)) == len(paths):
            away = row[total] / 1000 - want[clean] if time else row[total] - want[clean]
            assert abs(away) <= len(rows) * time, (clean, row[total], want[clean])
    assert abs(rows[0]["total_pct"] - 100) < 1e-9


def main():
    first = lines(sys.argv[1])
    assert first, sys.argv[1]
    want = boxes(first)
    for path in sys.argv[2:]:
        if path.endswith(".svg"):
            check_svg(path, want)
        elif path.endswith(".json"):
            check_json(path, want)
        else:
            assert lines(path) == first, path


if __name__ == "__main__":
    main()
