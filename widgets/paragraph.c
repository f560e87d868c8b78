/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/paragraph.h"

#include "widgets/text.h"

/* A number keeps its percent sign. */
static bool may_end_at(const char *text, size_t n)
{
	return !text[n] || text[n] == '\n' || (text[n] == ' ' && text[n + 1] != '%');
}

/* Bytes of the first line: up to the last blank that fits, or as much as fits. */
static size_t line_bytes(const char *text, int w)
{
	size_t fit = MIN((size_t)text__fit(text, w, NULL), strcspn(text, "\n")), n = fit;

	while (n && !may_end_at(text, n))
		n--;
	return n ? n : fit;
}

static const char *next_line(const char *text, size_t bytes)
{
	text += bytes;
	text += strspn(text, " ");
	return text + (*text == '\n');
}

int paragraph__height(const char *text, int w)
{
	int lines = 0;

	for (size_t n; *text && (n = line_bytes(text, w)); lines++)
		text = next_line(text, n);
	return lines;
}

int draw__paragraph_from(struct canvas *c, struct rect r, enum role role, const char *text, int skip)
{
	int line = -skip;
	char buf[1024];

	while (*text && line < r.h && r.w > 0) {
		size_t n = line_bytes(text, r.w);

		if (!n)
			break;
		copy_str(buf, MIN(n + 1, sizeof(buf)), text);
		if (line >= 0)
			draw__text(c, r.x, r.y + line, r.w, role, buf);
		text = next_line(text, n);
		line++;
	}
	return MAX(line, 0);
}

int draw__paragraph(struct canvas *c, struct rect r, enum role role, const char *text)
{
	return draw__paragraph_from(c, r, role, text, 0);
}
