#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The flame graph's .svg and the .html report in a browser: what is drawn, zoom, search, sorting."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402
from browser import Browser  # noqa: E402

WIDE = """return Array.from(document.querySelectorAll(".frames g")).filter(
    g => g.style.display !== "none").map(g => { const r = g.querySelector("rect");
    return [r.dataset.n, +r.getAttribute("width")]; })"""
WIDEST = """return Array.from(document.querySelectorAll(".frames rect")).filter(
    r => r.dataset.n === arguments[0]).sort((a, b) => b.dataset.w - a.dataset.w)[0]"""
FOUND = "return document.querySelector('.found').textContent"
COLUMN = """const i = arguments[0];
return Array.from(document.querySelectorAll("section tbody tr")).filter(x => !x.hidden).map(
    x => x.cells[i].dataset.v === undefined ? x.cells[i].textContent : +x.cells[i].dataset.v)"""


def made(tmp, *suffixes):
    live.need_root()
    files = [os.path.join(tmp, "hot." + x) for x in suffixes]
    with live.Workload("two_functions", 20) as work:
        run = live.proftop("-b", "-n", "1", "-d", "1", "-F", "999", "-p", str(work.pid),
                           *(x for f in files for x in ("-o", f)), binary=live.RELEASE)
    assert run.status == 0, run
    return files


def colours(path):
    """How much of a screenshot each colour takes, the most first."""
    from PIL import Image
    with Image.open(path) as image:
        counted = image.convert("RGB").getcolors(1 << 24)
        return [n / (image.width * image.height) for n, _ in sorted(counted, reverse=True)]


def is_drawn(browser, tmp):
    shot = os.path.join(tmp, "shot.png")
    browser.screenshot(shot)
    seen = colours(shot)
    assert len(seen) > 20 and seen[0] < 0.99, seen[:5]


def widths(browser):
    """Of all boxes that are shown, by name; calls may come from several places."""
    sums = {}
    for name, width in browser.script(WIDE):
        sums[name] = sums.get(name, 0) + width
    return sums


def test_flame_graph():
    """An .svg in Chromium: hot_70 is 70 % wide, a click zooms, search tells the matched share"""
    with live.temporary() as tmp, Browser() as browser:
        path, = made(tmp, "svg")
        browser.open(path)
        is_drawn(browser, tmp)
        before = widths(browser)
        live.near(100 * before["hot_70"] / before["all"], 70, 6, "hot_70 of all")
        browser.click(".look")
        browser.answer("^hot_70$")
        live.near(float(re.search(r"matched ([\d.]+) %", browser.script(FOUND))[1]),
                  100 * before["hot_70"] / before["all"], 0.05, "matched")
        browser.click(browser.script(WIDEST, "hot_70"))
        zoomed = widths(browser)
        assert abs(zoomed["hot_70"] - before["all"]) < 0.01 and "hot_30" not in zoomed, zoomed
        assert "matched 100.00 %" == browser.script(FOUND)
        browser.click(".back")
        assert widths(browser) == before
        assert not browser.complaints(), browser.complaints()


def test_report():
    """An .html in Chromium: its rows are the .json's, a heading sorts them, text filters them"""
    with live.temporary() as tmp, Browser() as browser:
        path, other = made(tmp, "html", "json")
        with open(other, encoding="utf-8") as f:
            rows = json.loads(f.readline())["rows"]
        browser.open(path)
        is_drawn(browser, tmp)
        titles = browser.script("return Array.from(document.querySelectorAll('th'))"
                                ".map(x => x.textContent)")
        symbol, own = titles.index("Symbol"), titles.index("Self%")
        shown = browser.script(COLUMN, symbol)
        assert shown == [r["symbol"] for r in rows][:len(shown)] and "hot_70" in shown, shown
        browser.click(f"th:nth-child({own + 1})")
        up = browser.script(COLUMN, own)
        browser.click(f"th:nth-child({own + 1})")
        down = browser.script(COLUMN, own)
        assert {tuple(up), tuple(down)} == {tuple(sorted(up)), tuple(sorted(up, reverse=True))}
        browser.type("section input", "HOT_7")
        assert browser.script(COLUMN, symbol) == ["hot_70"]
        assert "hot_70" in widths(browser)
        assert not browser.complaints(), browser.complaints()


if __name__ == "__main__":
    live.main(globals())
