#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The screens in docs/GUIDE.md: guide.py --screens FOLDER compares them with those that a session
saved there as NAME.golden; with UPDATE_GOLDENS=1 it puts those into the guide. Which lines of one
stand in the guide is said there: <!-- screen: NAME FIRST-LAST -->"""
import os
import re
import sys

GUIDE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../docs/GUIDE.md")
SCREEN = re.compile(r"(<!-- screen: (\S+) (\d+)-(\d+) -->\n```text\n)(.*?)(```\n)", re.S)


def lines_of(folder, name, first, last):
    with open(os.path.join(folder, name + ".golden"), encoding="utf-8") as f:
        return "".join(f.readlines()[first - 1:last])


def main():
    assert sys.argv[1] == "--screens", __doc__
    folder = sys.argv[2]
    with open(GUIDE, encoding="utf-8") as f:
        was = f.read()
    assert was.count("<!-- screen:") == len(SCREEN.findall(was)) > 5
    made = SCREEN.sub(lambda m: m[1] + lines_of(folder, m[2], int(m[3]), int(m[4])) + m[6], was)
    used = {m[1] for m in SCREEN.findall(was)}
    saved = {x[:-7] for x in os.listdir(folder) if x.endswith(".golden")}
    assert used == saved, f"saved or shown alone: {used ^ saved}"
    if made == was:
        return 0
    if os.environ.get("UPDATE_GOLDENS") == "1":
        with open(GUIDE, "w", encoding="utf-8") as f:
            f.write(made)
        return 0
    print("docs/GUIDE.md shows screens that are not drawn so any more; UPDATE_GOLDENS=1 puts in the new ones")
    return 1


if __name__ == "__main__":
    sys.exit(main())
