#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Opening a large file: the screen says how far it is, and a key stops it."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from tmux import Tmux  # noqa: E402

LINES = b"".join(b"prog;main;work_%d;leaf_%d %d\n" % (i % 97, i, i % 9 + 1) for i in range(10000))
MEGABYTES = 400


def test_progress_and_stop():
    """A file of folded stacks that takes seconds to read"""
    with tempfile.NamedTemporaryFile(dir="/dev/shm", suffix=".folded") as f:
        for _ in range((MEGABYTES << 20) // len(LINES)):
            f.write(LINES)
        f.flush()
        # tmux 3.3 does not always show what a program writes last.
        errors = f.name + ".errors"
        with Tmux(["sh", "-c", 'exec "$0" --replay "$1" 2>"$2"', live.RELEASE, f.name, errors], 80, 24) as t:
            t.wait(r"\d+ % of \d+", 20)
            screen = t.screen()
            assert "reading" in screen and re.search(r"q .*stop", screen), screen
            t.keys("q")
            live.wait_for(t.ended, 10)
            assert t.status() == "1", t.status()
            with open(errors, encoding="utf-8") as said:
                assert "was not read to its end" in said.read()
            os.unlink(errors)


if __name__ == "__main__":
    live.main(globals())
