# SPDX-License-Identifier: GPL-2.0-only
"""What a person does with it, as keys: every view and grouping, chains, callers, code, flame
graphs, heat maps, the past, baselines, filters, pickers, saving and recording."""
import fcntl
import glob
import json
import os
import signal
import struct
import termios
import time

import live
from pty_session import Session

UP, DOWN, RIGHT, LEFT = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D"
ENTER, ESC = b"\r", b"\x1b"
KEPT = 1 << 16  # of what it draws
LEAKS = os.path.join(live.WORKLOADS, "libleak.so")
STILL_SECONDS = 70  # views that were left rest after a minute


def lines(*words):
    """The palette's words as keys."""
    return [b":" + word.encode() + ENTER for word in words]


def listing(groupings):
    """In a listing: move, unfold, drill, sort, window, flame graph, heat map, the past."""
    keys = [DOWN, DOWN, UP, RIGHT, RIGHT, DOWN, b"r", b"e", b"e", LEFT]
    keys += [bytes([k]) for k in groupings.encode()]
    keys += [ENTER, DOWN, ENTER, DOWN, b".", b".", b"a", ESC, ESC, ESC]
    keys += [b">", b">", b"R", b"R", b"<", b"<", b"w", b"w", b"w"]
    keys += [b"F", DOWN, ENTER, b"r", b"o", b"i", b"T", ESC, b"F"]
    keys += [b"H", LEFT, LEFT, UP, ENTER, ESC, b"y", b"i", b"o", b"H"]
    keys += [b"[", b"[", b"]", b"(", b"[", b"[", b"(", b")"]
    keys += [b"b", RIGHT, b"F", b"t", b"F", b"b"]
    return keys


def round_of_keys(number):
    """About three hundred keys; every round is the same but for its files' names, and leaves no
    option on (i splits inlined functions where a view has no heat map to zoom)."""
    keys = []
    for view, groupings in (("1", "omPtGCyg"), ("2", "tPmGDoKyWI"), ("3", "imGPToado"),
                            ("4", "PmiGDotyad"), ("5", "PmGCtoad")):
        keys += [view.encode()] + listing(groupings) + [ESC, ESC, ESC]
    keys += [b"3", b"L", ESC, b"t", ESC, b"1"]
    keys += [b"/main" + ENTER, b"n", b"N", b"?", ESC, b"v", ESC, b"p", b"a", ESC, b"c", ESC]
    keys += [b"f" + b"comm~s" + ENTER, b"x", b"X", b"fcolour=red" + ENTER, ESC, b"X"]
    keys += [b"u", b"u", b"u", b"I", b"I", b"i", b"i", b"i", b"+", b"-", b" ", b" ", b"z"]
    keys += lines(f"record soak-{number}.rec", "view offcpu", "view io", "view cpu", "record off",
                  "save soak.html", "save soak.svg", "goto -10s", "goto live",
                  "theme safe", "theme default", "keymap vi", "keymap default",
                  "group comm,symbol", "group symbol", "filter", "window decaying")
    return keys


class Hands:
    """proftop with somebody at its keys; leak: MiB a minute that it is made to forget."""

    def __init__(self, binary, folder, leak=0):
        self.folder, self.rounds = folder, 0
        env = {"LD_PRELOAD": LEAKS, "LEAK_MIB": str(leak)} if leak else {}
        here = os.getcwd()
        os.chdir(folder)  # it saves where it is
        try:
            self.session = Session("-V", "cpu", "-F", "199", "--history", "2:32", "--no-config",
                                   "--snapshot-on-signal=json", binary=binary, columns=140,
                                   rows=45, **env)
        finally:
            os.chdir(here)
        self.session.wait_text(b"/s", 30)

    @property
    def pid(self):
        return self.session.pid

    def idle(self, seconds):
        """Somebody only looks."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            assert self.session.read(min(left, 0.5)), "it ended"
            self.session.screen = self.session.screen[-KEPT:]

    def press(self, key, seconds=0.12):
        os.write(self.session.fd, key)
        self.idle(seconds)

    def words(self, *words, seconds=1.0):
        for key in lines(*words):
            self.press(key, seconds)

    def resize(self, columns, rows):
        fcntl.ioctl(self.session.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.idle(0.3)

    def play(self):
        """A round, and what it saved is removed; it ends on the first view. Returns how many keys
        it were."""
        keys = round_of_keys(self.rounds)
        for columns, rows in ((40, 10), (200, 60), (140, 45)):
            self.resize(columns, rows)
        for key in keys:
            self.press(key)
        for path in glob.glob(os.path.join(self.folder, "*")):
            if os.path.isfile(path):
                os.unlink(path)
        self.rounds += 1
        return len(keys)

    def rest(self):
        """Looks at the first view until the others are closed; returns the report."""
        self.words("window total")
        self.press(b"z")
        self.idle(STILL_SECONDS)
        report = self.snapshot("cpu")
        self.words("window decaying")
        return report

    def snapshot(self, view, seconds=60):
        """The open view as it is now, as an object; one that is still being opened has none."""
        pattern = os.path.join(self.folder, f"proftop-{view}-*.json")
        for path in glob.glob(pattern):
            os.unlink(path)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            os.kill(self.pid, signal.SIGUSR1)
            for _ in range(10):
                self.idle(0.25)
                for path in glob.glob(pattern):
                    with open(path, encoding="utf-8") as f:
                        text = f.read()
                    if text.endswith("\n"):
                        return json.loads(text)
        raise AssertionError(f"no snapshot of {view}")

    def quit(self):
        for key in (ESC, ESC, ESC):
            self.press(key)
        os.write(self.session.fd, b"q")
        status = self.session.wait_end(30)
        assert status == 0, f"exit status {status}"
        self.session.restored()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session.__exit__()
