/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/paragraph.h"
#include "widgets/prompt.h"
#include "widgets/text.h"

#define MESSAGE_LINES 4 /* of an error, below its caret */

static int list_lines(const struct prompt *p)
{
	return (int)MIN(p->list.n, (u32)PROMPT_LIST_LINES);
}

static int error_lines(const struct prompt *p, int w)
{
	return p->error[0] ? 1 + MIN(paragraph__height(p->error, w), MESSAGE_LINES) : 0;
}

int prompt__height(const struct prompt *p, int w)
{
	return 1 + list_lines(p) + error_lines(p, w);
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

/* On a low screen the list shows fewer lines than it keeps the chosen one within. */
static u32 first_shown(const struct prompt *p, u32 lines)
{
	return p->list_pos > p->list_top + lines ? p->list_pos - lines : p->list_top;
}

static void draw_list(const struct prompt *p, struct canvas *c, struct rect r)
{
	u32 top = first_shown(p, (u32)r.h);
	int text_w = 0;

	for (u32 i = 0; i < p->list.n; i++)
		text_w = MAX(text_w, text__width(p->list.items[i].text));
	text_w = MIN(text_w, r.w * 2 / 3);
	for (int i = 0; i < r.h; i++) {
		u32 at = top + (u32)i;
		const struct completion *item = &p->list.items[at];
		int y = r.y + i;

		draw__fill(c, (struct rect){r.x, y, r.w, 1}, ROLE_TEXT, ' ');
		draw__middle(c, r.x + 1, y, text_w, ROLE_STRONG, item->text);
		draw__cut(c, r.x + text_w + 3, y, r.w - text_w - 5, ROLE_DIM, item->help);
		if (p->list_pos == at + 1)
			draw__select(c, r.x, y, r.w);
	}
	if (top + (u32)r.h < p->list.n)
		draw__right(c, r.x, r.y + r.h - 1, r.w, ROLE_DIM, "↓");
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

static void draw_error(const struct prompt *p, struct canvas *c, struct rect r, int text_x)
{
	struct rect message = {r.x, r.y + 1, r.w, r.h - 1};
	int from = text_x + cells_before(p, p->error_column);
	int to = text_x + cells_before(p, p->error_column + p->error_length);

	draw__fill(c, r, ROLE_TEXT, ' ');
	from = CLAMP(from, r.x, r.x + r.w - 1);
	for (int x = from; x < MAX(to, from + 1) && x < r.x + r.w; x++)
		draw__text(c, x, r.y, 1, ROLE_BAD, x == from ? "^" : "~");
	draw__paragraph(c, message, ROLE_BAD, p->error);
}

void prompt__draw(const struct prompt *p, struct canvas *c, struct rect area)
{
	int errors = error_lines(p, area.w), lines, line_y, text_x;

	if (area.h < 1 || area.w < 1)
		return;
	if (errors >= area.h)
		errors = 0;
	line_y = area.y + area.h - 1 - errors;
	lines = MIN(list_lines(p), line_y - area.y);
	if (lines)
		draw_list(p, c, (struct rect){area.x, line_y - lines, area.w, lines});
	text_x = draw_line(p, c, area, line_y);
	if (errors)
		draw_error(p, c, (struct rect){area.x, line_y + 1, area.w, errors}, text_x);
}
