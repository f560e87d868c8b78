#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a test program's cases are called: one that has the name of another, before it, is never run."""
import ast
import collections
import glob
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import live  # noqa: E402


def twice(source):
    names = collections.Counter(node.name for node in ast.parse(source).body
                                if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    return [name for name, n in names.items() if n > 1]


def test_finds():
    """A name that is defined twice is found"""
    assert twice("def a(): pass\ndef b(): pass\ndef a(): pass\n") == ["a"]


def test_names():
    """No function of a test program takes the place of another"""
    bad = {}
    for path in glob.glob(os.path.join(live.ROOT, "tests/**/*.py"), recursive=True):
        with open(path, encoding="utf-8") as f:
            bad[os.path.relpath(path, live.ROOT)] = twice(f.read())
    assert len(bad) > 50, bad
    assert not any(bad.values()), {path: names for path, names in bad.items() if names}


if __name__ == "__main__":
    live.main(globals())
