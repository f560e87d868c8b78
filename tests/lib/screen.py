# SPDX-License-Identifier: GPL-2.0-only
"""What a terminal shows of the bytes that are written to it, as far as proftop writes them: no scrolling, characters
of one column."""
import codecs
import re

SEQUENCE = re.compile(r"\x1b\[([?>]?)([0-9;:]*)([A-Za-z@`])|\x1b[()][0-9A-B]|\x1b[=>78M]|[\x0e\x0f\x07]")


class Screen:
    def __init__(self, columns, rows):
        self.cells = [[" "] * columns for _ in range(rows)]
        self.columns, self.rows = columns, rows
        self.x = self.y = 0
        self.rest, self.last = "", " "
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def put(self, char):
        if char == "\r":
            self.x = 0
        elif char == "\n":
            self.y = min(self.y + 1, self.rows - 1)
        elif char == "\b":
            self.x = max(self.x - 1, 0)
        else:
            self.cells[self.y][min(self.x, self.columns - 1)] = self.last = char
            self.x += 1

    def blank(self, y, begin, end):
        for x in range(begin, min(end, self.columns)):
            self.cells[y][x] = " "

    def control(self, arguments, kind):
        given = [int(a or 0) for a in arguments.split(";")]
        n = max(given[0], 1)
        if kind in "Hf":
            self.y, self.x = n - 1, max(given[1], 1) - 1 if len(given) > 1 else 0
        elif kind in "G`":
            self.x = n - 1
        elif kind == "d":
            self.y = n - 1
        elif kind in "ABCD":
            dx, dy = {"A": (0, -n), "B": (0, n), "C": (n, 0), "D": (-n, 0)}[kind]
            self.x, self.y = self.x + dx, self.y + dy
        elif kind == "X":
            self.blank(self.y, self.x, self.x + n)
        elif kind == "b":
            for _ in range(n):
                self.put(self.last)
        elif kind == "K":
            self.blank(self.y, 0 if given[0] else self.x, self.x + 1 if given[0] == 1 else self.columns)
        elif kind == "J":
            for y in range(0 if given[0] == 2 else self.y + 1, self.rows):
                self.blank(y, 0, self.columns)
            self.blank(self.y, self.x, self.columns)
        self.x, self.y = max(self.x, 0), min(max(self.y, 0), self.rows - 1)

    def feed(self, data):
        text, at = self.rest + self.decoder.decode(data), 0
        self.rest = ""
        while at < len(text):
            if text[at] not in "\x1b\x0e\x0f\x07":
                self.put(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found and len(text) - at < 32:
                self.rest = text[at:]  # the rest of it comes
                return
            if found and found[3] and not found[1] and found[3] != "m":
                self.control(found[2], found[3])
            at = found.end() if found else at + 1
