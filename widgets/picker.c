/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/picker.h"

#include <stdio.h>

#include "base/arena.h"
#include "widgets/text.h"

#define BOX_MAX_W   100
#define BOX_MAX_H   24
#define WHEEL_LINES 3

/* ---- matching ---- */

static int compare_matches(const void *a, const void *b)
{
	const struct picker_match *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->item < y->item ? -1 : 1;
}

static u64 key_at(const struct picker *p, const struct picker_source *src, u32 match)
{
	struct picker_item item = {0};

	src->item(src->ctx, p->matches[match].item, &item);
	return item.key;
}

static void keep_visible(struct picker *p)
{
	u32 page = MAX(p->page, 1U), last = p->nmatches > page ? p->nmatches - page : 0;

	p->top = MIN(p->top, last);
	if (p->cursor < p->top)
		p->top = p->cursor;
	else if (p->cursor >= p->top + page)
		p->top = p->cursor - page + 1;
}

/* A list that changes under the cursor takes the cursor along, and the place on the screen
 * with it. */
static void follow_selection(struct picker *p, const struct picker_source *src)
{
	u32 offset = p->cursor - MIN(p->top, p->cursor);

	if (!p->nmatches) {
		p->cursor = p->top = 0;
		return;
	}
	p->cursor = p->moved ? MIN(p->cursor, p->nmatches - 1) : 0;
	for (u32 i = 0; p->moved && i < p->nmatches; i++)
		if (key_at(p, src, i) == p->selected) {
			p->cursor = i;
			break;
		}
	p->selected = key_at(p, src, p->cursor);
	p->top = p->cursor > offset ? p->cursor - offset : 0;
	keep_visible(p);
}

void picker__update(struct picker *p, const struct picker_source *src)
{
	struct picker_item item;

	if (src->n > p->cap) {
		p->cap = src->n;
		p->matches = xrealloc(p->matches, sizeof(*p->matches) * p->cap);
	}
	p->total = src->n;
	p->nmatches = 0;
	for (u32 i = 0; i < src->n; i++) {
		int score;

		item = (struct picker_item){0};
		src->item(src->ctx, i, &item);
		score = fuzzy__score(p->pattern, item.text, NULL);
		if (score)
			p->matches[p->nmatches++] = (struct picker_match){i, score};
	}
	if (p->pattern[0] && p->nmatches)
		qsort(p->matches, p->nmatches, sizeof(*p->matches), compare_matches);
	follow_selection(p, src);
}

void picker__open(struct picker *p, const char *title, const struct picker_source *src)
{
	*p = (struct picker){0};
	copy_str(p->title, sizeof(p->title), title);
	picker__update(p, src);
}

void picker__fini(struct picker *p)
{
	free(p->matches);
	*p = (struct picker){0};
}

bool picker__accepts(struct picker *p)
{
	bool accepts = p->early && p->nmatches;

	p->early &= !p->total;
	return accepts;
}

bool picker__selected(const struct picker *p, const struct picker_source *src, u32 *index)
{
	if (!p->nmatches || p->matches[p->cursor].item >= src->n)
		return false;
	*index = p->matches[p->cursor].item;
	return true;
}

/* ---- keys ---- */

static void go_to(struct picker *p, const struct picker_source *src, s64 line)
{
	if (!p->nmatches)
		return;
	p->cursor = (u32)CLAMP(line, 0, (s64)p->nmatches - 1);
	p->selected = key_at(p, src, p->cursor);
	p->moved = true;
	keep_visible(p);
}

static void set_pattern(struct picker *p, const struct picker_source *src, u32 len)
{
	p->len = len;
	p->pattern[len] = '\0';
	p->moved = false;
	picker__update(p, src);
}

static u32 without_last(const struct picker *p)
{
	u32 at = p->len;

	while (at > 0 && ((u8)p->pattern[--at] & 0xc0) == 0x80)
		;
	return at;
}

static u32 without_word(const struct picker *p)
{
	u32 at = p->len;

	while (at > 0 && p->pattern[at - 1] == ' ')
		at--;
	while (at > 0 && p->pattern[at - 1] != ' ')
		at--;
	return at;
}

static void type(struct picker *p, const struct picker_source *src, int key)
{
	char bytes[5] = "";
	u32 n;

	if (key < 0x20 || key >= KEY_SPECIAL_BASE || key == 0x7f)
		return;
	n = utf8__encode((u32)key, bytes);
	if (!n || p->len + n >= sizeof(p->pattern))
		return;
	memcpy(p->pattern + p->len, bytes, n);
	set_pattern(p, src, p->len + n);
}

/* How far a key moves; 0: it is no movement. */
static s64 movement(const struct picker *p, int key)
{
	switch (key) {
	case KEYCODE_UP:
	case KEYCODE_CTRL('p'):
	case KEYCODE_BACKTAB:
		return -1;
	case KEYCODE_DOWN:
	case KEYCODE_CTRL('n'):
	case KEYCODE_TAB:
		return 1;
	case KEYCODE_PGUP:
		return -(s64)MAX(p->page, 1U);
	case KEYCODE_PGDN:
		return MAX(p->page, 1U);
	case KEYCODE_HOME:
		return -(s64)UINT32_MAX;
	case KEYCODE_END:
		return UINT32_MAX;
	}
	return 0;
}

static enum picker_result on_key(struct picker *p, const struct picker_source *src, int key)
{
	s64 lines = movement(p, key);

	p->early = false;
	if (lines) {
		go_to(p, src, p->cursor + lines);
		return PICKER_EDITING;
	}
	switch (key) {
	case KEYCODE_ENTER:
		p->early = !p->total && p->len;
		return p->nmatches ? PICKER_ACCEPTED : PICKER_EDITING;
	case KEYCODE_ESC:
	case KEYCODE_CTRL('c'):
	case KEYCODE_CTRL('g'):
		return PICKER_CANCELLED;
	case KEYCODE_BACKSPACE:
		set_pattern(p, src, without_last(p));
		break;
	case KEYCODE_CTRL('w'):
		set_pattern(p, src, without_word(p));
		break;
	case KEYCODE_CTRL('u'):
		set_pattern(p, src, 0);
		break;
	default:
		type(p, src, key);
	}
	return PICKER_EDITING;
}

static enum picker_result on_mouse(struct picker *p, const struct picker_source *src,
				   const struct input *in)
{
	int x = in->x - p->list.x, y = in->y - p->list.y;

	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN) {
		go_to(p, src,
		      p->cursor + (in->mouse == MOUSE_WHEEL_UP ? -(s64)WHEEL_LINES : WHEEL_LINES));
		return PICKER_EDITING;
	}
	if (x < 0 || x >= p->list.w || y < 0 || y >= p->list.h || p->top + (u32)y >= p->nmatches)
		return PICKER_EDITING;
	go_to(p, src, (s64)p->top + y);
	return in->mouse == MOUSE_DOUBLE ? PICKER_ACCEPTED : PICKER_EDITING;
}

enum picker_result picker__input(struct picker *p, const struct picker_source *src,
				 const struct input *in)
{
	if (in->type == INPUT_KEY)
		return on_key(p, src, in->key);
	if (in->type == INPUT_MOUSE)
		return on_mouse(p, src, in);
	return PICKER_EDITING;
}

/* ---- looks ---- */

/* As high as all items need, not only those that match: typing must not make it jump. */
static struct rect box_in(const struct picker *p, struct rect area)
{
	int need = (int)MIN(MAX(p->total, 5U), (u32)BOX_MAX_H) + 3;
	struct rect box = {.w = MIN(area.w, BOX_MAX_W), .h = MIN(area.h, MIN(need, BOX_MAX_H))};

	/* Some of what lies below stays in sight where there is room. */
	if (area.w > 20 && box.w > area.w - 4)
		box.w = area.w - 4;
	if (area.h > 10 && box.h > area.h - 2)
		box.h = area.h - 2;
	box.x = area.x + (area.w - box.w) / 2;
	box.y = area.y + (area.h - box.h) / 2;
	return box;
}

/* Matched characters are marked as far as the text stands uncut on the screen. */
static void draw_text(const struct picker *p, struct canvas *c, int x, int y, int w,
		      const struct picker_item *item)
{
	bool whole = text__width(item->text) <= w;
	char part[sizeof(u64) * 32 + 1];
	const char *s = item->text;
	struct glyph g;
	u64 mask = 0;

	if (!whole || !p->pattern[0] || !fuzzy__score(p->pattern, item->text, &mask)) {
		draw__middle(c, x, y, w, item->role, item->text);
		return;
	}
	for (u32 at = 0; text__glyph(s + at, &g); at += g.bytes) {
		bool matched = at < 64 && (mask >> at & 1);

		copy_str(part, (size_t)g.bytes + 1, s + at);
		x += draw__text(c, x, y, g.width, matched ? ROLE_MATCH : item->role, part);
	}
}

static void draw_item(const struct picker *p, const struct picker_source *src, struct canvas *c,
		      u32 match, struct rect line)
{
	struct picker_item item = {0};
	int detail_w = 0, room;

	if (p->matches[match].item >= src->n)
		return;
	src->item(src->ctx, p->matches[match].item, &item);
	/* Half of the line, and what the text leaves of the other half. */
	room = MAX(line.w / 2, line.w - 4 - text__width(item.text));
	if (item.detail && line.w >= 40)
		detail_w = MIN(text__width(item.detail), room);
	draw_text(p, c, line.x + 1, line.y, line.w - 2 - (detail_w ? detail_w + 2 : 0), &item);
	if (detail_w)
		draw__cut(c, line.x + line.w - 1 - detail_w, line.y, detail_w, ROLE_DIM,
			  item.detail);
	if (match == p->cursor)
		draw__select(c, line.x, line.y, line.w);
}

static void draw_pattern(const struct picker *p, struct canvas *c, struct rect line)
{
	char count[32];
	int x = line.x + 1, w, used;
	size_t from;

	snprintf(count, sizeof(count), "%u/%u", p->nmatches, p->total);
	w = line.w - 5 - (int)strlen(count);
	x += draw__text(c, x, line.y, 2, ROLE_PROMPT, "> ");
	from = text__fit_end(p->pattern, MAX(w - 1, 0), &used);
	draw__text(c, x, line.y, MAX(w, 0), ROLE_STRONG, p->pattern + from);
	draw__right(c, line.x + 1, line.y, line.w - 2, ROLE_DIM, count);
	c->cursor_x = MIN(x + used, c->w - 1);
	c->cursor_y = line.y;
}

void picker__draw(struct picker *p, const struct picker_source *src, struct canvas *c,
		  struct rect area)
{
	struct rect box = box_in(p, area), line = {box.x + 1, box.y + 1, box.w - 2, 1};

	if (box.w < 4 || box.h < 4)
		return;
	draw__fill(c, box, ROLE_TEXT, ' ');
	draw__box(c, box, ROLE_BORDER, p->title);
	draw_pattern(p, c, line);
	p->list = (struct rect){line.x, line.y + 1, line.w, box.h - 3};
	p->page = (u32)p->list.h;
	keep_visible(p);
	for (u32 i = 0; i < p->page && p->top + i < p->nmatches; i++) {
		line.y = p->list.y + (int)i;
		draw_item(p, src, c, p->top + i, line);
	}
	if (!p->nmatches)
		draw__text(c, p->list.x + 1, p->list.y, p->list.w - 2, ROLE_DIM,
			   p->total   ? "nothing matches: C-u empties the pattern"
			   : p->early ? "the list is being read, then the best match is picked"
				      : "the list is being read");
}
