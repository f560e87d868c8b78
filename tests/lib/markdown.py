# SPDX-License-Identifier: GPL-2.0-only
"""Tables for docs/."""


def lines_of(rows):
    """A table in Markdown, its columns as wide as what is in them."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    text = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in rows]
    text.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return text
