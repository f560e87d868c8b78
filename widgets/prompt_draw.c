/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/prompt.h"
#include "widgets/text.h"

#define ERROR_LINES 2 /* caret and message */

static int list_lines(const struct prompt *p)
{
	return (int)MIN(p->list.n, (u32)PROMPT_LIST_LINES);
}

int prompt__height(const struct prompt *p)
{
	return 1 + list_lines(p) + (p->error[0] ? ERROR_LINES : 0);
}

/* Cells before byte `at` of the text. */
static int cells_before(const struct prompt *p, u32 at)
{
	struct glyph g;
	int w = 0;

	for (u32 pos = 0; pos < at && text__glyph(p->text + pos, &g); pos += g.bytes)
		w += g.width;
	return w;
}

static void draw_list(const struct prompt *p, struct canvas *c, struct rect r)
{
	int text_w = 0, lines = list_lines(p);

	for (u32 i = 0; i < p->list.n; i++)
		text_w = MAX(text_w, text__width(p->list.items[i].text));
	text_w = MIN(text_w, r.w * 2 / 3);
	for (int i = 0; i < lines; i++) {
		u32 at = p->list_top + (u32)i;
		const struct completion *item = &p->list.items[at];
		int y = r.y + i;

		draw__fill(c, (struct rect){r.x, y, r.w, 1}, ROLE_TEXT, ' ');
		draw__middle(c, r.x + 1, y, text_w, ROLE_STRONG, item->text);
		draw__text(c, r.x + text_w + 3, y, r.w - text_w - 4, ROLE_DIM, item->help);
		if (p->list_pos == at + 1)
			draw__select(c, r.x, y, r.w);
	}
	if (p->list_top + (u32)lines < p->list.n)
		draw__right(c, r.x, r.y + lines - 1, r.w, ROLE_DIM, "↓");
}

/* Draws the line so that the cursor is in view; returns the column where the text's first
 * cell is or would be. */
static int draw_line(const struct prompt *p, struct canvas *c, struct rect r, int y)
{
	int x = r.x, w, cursor = cells_before(p, p->cursor), skip;

	draw__fill(c, (struct rect){r.x, y, r.w, 1}, ROLE_TEXT, ' ');
	x += draw__text(c, x, y, r.w / 2, ROLE_PROMPT, p->label);
	x += draw__text(c, x, y, 1, ROLE_PROMPT, " ");
	w = MAX(r.x + r.w - x, 1);
	skip = cursor >= w ? cursor - w + 1 : 0;
	draw__text(c, x, y, w, ROLE_TEXT, p->text + text__fit(p->text, skip, &skip));
	/* A wide character at the left edge moves the text by one more cell. */
	if (cursor - skip >= w)
		skip = cursor - w + 1;
	c->cursor_x = MIN(x + cursor - skip, c->w - 1);
	c->cursor_y = y;
	return x - skip;
}

static void draw_error(const struct prompt *p, struct canvas *c, struct rect r, int y, int text_x)
{
	int from = text_x + cells_before(p, p->error_column);
	int to = text_x + cells_before(p, p->error_column + p->error_length);

	draw__fill(c, (struct rect){r.x, y, r.w, ERROR_LINES}, ROLE_TEXT, ' ');
	from = CLAMP(from, r.x, r.x + r.w - 1);
	for (int x = from; x < MAX(to, from + 1) && x < r.x + r.w; x++)
		draw__text(c, x, y, 1, ROLE_BAD, x == from ? "^" : "~");
	draw__text(c, r.x, y + 1, r.w, ROLE_BAD, p->error);
}

void prompt__draw(const struct prompt *p, struct canvas *c, struct rect area)
{
	int height = MIN(prompt__height(p), area.h);
	int errors = p->error[0] && height > ERROR_LINES ? ERROR_LINES : 0;
	int line_y = area.y + area.h - 1 - errors, text_x;
	struct rect list = {area.x, line_y - list_lines(p), area.w, list_lines(p)};

	if (area.h < 1 || area.w < 1)
		return;
	if (list.h && list.y >= area.y)
		draw_list(p, c, list);
	text_x = draw_line(p, c, area, line_y);
	if (errors)
		draw_error(p, c, area, line_y + 1, text_x);
}
