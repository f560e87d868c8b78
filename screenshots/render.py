#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A terminal's screen as a picture: render.py COLUMNS ROWS OUT.png <SCREEN, where SCREEN is
what `tmux capture-pane -e -p` prints. Knows SGR: 16, 256 and true colours, bold, dim,
underline, reverse."""
import re
import sys
import unicodedata

from PIL import Image, ImageDraw, ImageFont

FONTS = "/usr/share/fonts/truetype/dejavu/"
SIZE, MARGIN = 15, 12
BACKGROUND, FOREGROUND = (22, 24, 29), (208, 212, 220)
BASIC = [(40, 44, 52), (224, 92, 98), (140, 190, 106), (226, 184, 92), (86, 156, 232),
         (190, 122, 220), (78, 184, 190), (200, 204, 212), (100, 108, 122), (246, 120, 122),
         (166, 214, 130), (244, 208, 120), (120, 182, 250), (212, 150, 240), (110, 212, 216),
         (245, 247, 250)]
SGR = re.compile(r"\x1b\[([0-9;:]*)m")
OTHER = re.compile(r"\x1b[()][0-9A-B]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x0e\x0f]")


def indexed(n):
    if n < 16:
        return BASIC[n]
    if n < 232:
        n -= 16
        return tuple(0 if c == 0 else 55 + 40 * c for c in (n // 36, n // 6 % 6, n % 6))
    return (8 + 10 * (n - 232),) * 3


class Pen:
    """Colours and attributes in force."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.underline = self.reverse = False

    def colours(self):
        fg, bg = self.fg or FOREGROUND, self.bg or BACKGROUND
        if self.reverse:
            fg, bg = bg, fg
        if self.dim:
            fg = tuple((a * 6 + b * 4) // 10 for a, b in zip(fg, bg))
        return fg, bg

    def apply(self, text):
        codes = [int(c or 0) for c in re.split("[;:]", text)]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 4: "underline", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code in (24, 27):
                setattr(self, {24: "underline", 27: "reverse"}[code], False)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.fg = BASIC[code - 30 if code < 90 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.bg = BASIC[code - 40 if code < 100 else code - 92]
            elif code in (38, 48):
                colour = self.extended(codes)
                if code == 38:
                    self.fg = colour
                else:
                    self.bg = colour
            elif code == 39:
                self.fg = None
            elif code == 49:
                self.bg = None

    @staticmethod
    def extended(codes):
        kind = codes.pop(0) if codes else 0
        if kind == 5 and codes:
            return indexed(codes.pop(0))
        if kind == 2 and len(codes) >= 3:
            return tuple(codes.pop(0) for _ in range(3))
        return None


def width(ch):
    if unicodedata.combining(ch):
        return 0
    return 2 if unicodedata.east_asian_width(ch) in "WF" else 1


def cells(line, pen):
    """(column, text with its combining characters, colours, bold, underline) of each cell."""
    column, last = 0, None
    for n, part in enumerate(SGR.split(OTHER.sub("", line))):
        if n % 2:
            pen.apply(part)
            continue
        for ch in part:
            w = width(ch)
            if not w and last:
                last[1] += ch
                continue
            if last:
                yield tuple(last)
            last = [column, ch, pen.colours(), pen.bold, pen.underline]
            column += w
    if last:
        yield tuple(last)


class Renderer:
    def __init__(self, columns, rows):
        self.regular = ImageFont.truetype(FONTS + "DejaVuSansMono.ttf", SIZE)
        self.bold = ImageFont.truetype(FONTS + "DejaVuSansMono-Bold.ttf", SIZE)
        ascent, descent = self.regular.getmetrics()
        self.w, self.h = round(self.regular.getlength("M")), ascent + descent
        self.image = Image.new("RGB", (columns * self.w + 2 * MARGIN, rows * self.h + 2 * MARGIN),
                               BACKGROUND)
        self.draw = ImageDraw.Draw(self.image)
        self.columns, self.rows = columns, rows

    def block(self, ch, x, y, fg):
        """Block elements as rectangles, so that neighbours touch. False: not one."""
        code = ord(ch)
        if 0x2581 <= code <= 0x2588:
            top = self.h - round(self.h * (code - 0x2580) / 8)
            box = (x, y + top, x + self.w - 1, y + self.h - 1)
        elif 0x2589 <= code <= 0x258F:
            box = (x, y, x + max(round(self.w * (0x2590 - code) / 8), 1) - 1, y + self.h - 1)
        else:
            return False
        self.draw.rectangle(box, fill=fg)
        return True

    def braille(self, ch, x, y, fg):
        """Dots as small squares: the font has none. False: not one."""
        bits = ord(ch) - 0x2800
        if not 0 <= bits < 0x100:
            return False
        for bit, (across, down) in enumerate([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3),
                                              (1, 3)]):
            if bits >> bit & 1:
                left = x + round(self.w * (across + 0.5) / 2) - 1
                top = y + round(self.h * (down + 0.5) / 4) - 1
                self.draw.rectangle((left, top, left + 2, top + 2), fill=fg)
        return True

    def drawn(self, ch, x, y, fg):
        return self.block(ch, x, y, fg) or self.braille(ch, x, y, fg)

    def cell(self, row, column, text, colours, bold, underline):
        fg, bg = colours
        x, y = MARGIN + column * self.w, MARGIN + row * self.h
        wide = max(width(text[0]), 1) * self.w
        if bg != BACKGROUND:
            self.draw.rectangle((x, y, x + wide - 1, y + self.h - 1), fill=bg)
        if not text.isspace() and not self.drawn(text[0], x, y, fg):
            self.draw.text((x, y), text, fill=fg, font=self.bold if bold else self.regular)
        if underline:
            self.draw.line((x, y + self.h - 2, x + wide - 1, y + self.h - 2), fill=fg)

    def screen(self, text):
        pen = Pen()
        for row, line in enumerate(text.split("\n")[:self.rows]):
            for cell in cells(line, pen):
                if cell[0] < self.columns:
                    self.cell(row, *cell)
        return self.image


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    renderer = Renderer(int(sys.argv[1]), int(sys.argv[2]))
    renderer.screen(sys.stdin.read()).save(sys.argv[3], optimize=True)


if __name__ == "__main__":
    main()
