/* SPDX-License-Identifier: GPL-2.0-only */
/* Editing of the line. Its completion list: prompt_list.c, its looks: prompt_draw.c. */
#include "widgets/prompt.h"

#include "base/arena.h"
#include "widgets/prompt_list.h"
#include "widgets/text.h"

/* ---- history ---- */

void prompt_history__add(struct prompt_history *h, const char *line)
{
	u32 at = 0;

	if (!line[0])
		return;
	while (at < h->n && strcmp(h->lines[at], line))
		at++;
	if (at == h->n && h->n == PROMPT_HISTORY)
		at = 0;
	if (at < h->n) { /* the double, or the oldest one when full */
		free(h->lines[at]);
		memmove(&h->lines[at], &h->lines[at + 1], sizeof(char *) * (h->n - at - 1));
		h->n--;
	}
	h->lines[h->n++] = xstrdup(line);
}

void prompt_history__fini(struct prompt_history *h)
{
	for (u32 i = 0; i < h->n; i++)
		free(h->lines[i]);
	*h = (struct prompt_history){0};
}

/* ---- the text ---- */

/* As much of src as fits, whole characters only. */
static void set_text(struct prompt *p, const char *src)
{
	struct glyph g;

	p->len = 0;
	while (text__glyph(src + p->len, &g) && p->len + g.bytes < PROMPT_MAX)
		p->len += g.bytes;
	memmove(p->text, src, p->len);
	p->text[p->len] = '\0';
	p->cursor = p->len;
	p->error[0] = '\0';
}

void prompt__open(struct prompt *p, const char *label, const char *text)
{
	*p = (struct prompt){.history_pos = UINT32_MAX};
	copy_str(p->label, sizeof(p->label), label);
	set_text(p, text ? text : "");
}

static void changed(struct prompt *p)
{
	p->error[0] = '\0';
	p->history_pos = UINT32_MAX;
}

void prompt__replace(struct prompt *p, u32 from, u32 to, const char *with)
{
	size_t n = strlen(with);

	if (p->len - (to - from) + n >= PROMPT_MAX)
		return;
	memmove(p->text + from + n, p->text + to, p->len - to + 1);
	memcpy(p->text + from, with, n);
	p->len = p->len - (to - from) + (u32)n;
	p->cursor = from + (u32)n;
	changed(p);
}

static u32 next_char(const struct prompt *p, u32 at)
{
	struct glyph g;

	return text__glyph(p->text + at, &g) ? at + g.bytes : at;
}

static u32 previous_char(const struct prompt *p, u32 at)
{
	u32 pos = 0, next;

	while ((next = next_char(p, pos)) < at)
		pos = next;
	return at ? pos : 0;
}

static bool is_word(char c)
{
	return c != ' ' && c != '/' && c != '=' && c != ',' && c != '~';
}

static u32 word_start(const struct prompt *p)
{
	u32 at = p->cursor;

	while (at > 0 && !is_word(p->text[at - 1]))
		at--;
	while (at > 0 && is_word(p->text[at - 1]))
		at--;
	return at;
}

static u32 word_end(const struct prompt *p)
{
	u32 at = p->cursor;

	while (at < p->len && !is_word(p->text[at]))
		at++;
	while (at < p->len && is_word(p->text[at]))
		at++;
	return at;
}

static void insert(struct prompt *p, int key)
{
	char bytes[5] = "";

	if (key < 0x20 || key == 0x7f || (key >= 0x80 && key < 0xa0))
		return;
	if (utf8__encode((u32)key, bytes))
		prompt__replace(p, p->cursor, p->cursor, bytes);
}

/* ---- keys ---- */

static bool move_cursor(struct prompt *p, int key)
{
	switch (key) {
	case KEYCODE_LEFT:
	case KEYCODE_CTRL('b'):
		p->cursor = previous_char(p, p->cursor);
		return true;
	case KEYCODE_RIGHT:
	case KEYCODE_CTRL('f'):
		p->cursor = next_char(p, p->cursor);
		return true;
	case KEYCODE_HOME:
	case KEYCODE_CTRL('a'):
		p->cursor = 0;
		return true;
	case KEYCODE_END:
	case KEYCODE_CTRL('e'):
		p->cursor = p->len;
		return true;
	case KEYCODE_ALT | 'b':
		p->cursor = word_start(p);
		return true;
	case KEYCODE_ALT | 'f':
		p->cursor = word_end(p);
		return true;
	}
	return false;
}

static bool delete (struct prompt *p, int key)
{
	switch (key) {
	case KEYCODE_BACKSPACE:
		prompt__replace(p, previous_char(p, p->cursor), p->cursor, "");
		return true;
	case KEYCODE_DELETE:
	case KEYCODE_CTRL('d'): {
		u32 at = p->cursor;

		prompt__replace(p, at, next_char(p, at), "");
		return true;
	}
	case KEYCODE_CTRL('w'):
	case KEYCODE_ALT | KEYCODE_BACKSPACE:
		prompt__replace(p, word_start(p), p->cursor, "");
		return true;
	case KEYCODE_CTRL('u'):
		prompt__replace(p, 0, p->cursor, "");
		return true;
	case KEYCODE_CTRL('k'):
		prompt__replace(p, p->cursor, p->len, "");
		return true;
	}
	return false;
}

/* The line being edited is kept below the newest one. */
static void walk_history(struct prompt *p, int dir)
{
	const struct prompt_history *h = p->history;
	u32 pos;

	if (!h || !h->n)
		return;
	pos = MIN(p->history_pos, h->n);
	if (dir < 0 ? pos == 0 : pos == h->n)
		return;
	if (pos == h->n)
		copy_str(p->draft, sizeof(p->draft), p->text);
	pos += (u32)dir;
	set_text(p, pos == h->n ? p->draft : h->lines[pos]);
	p->history_pos = pos;
}

static bool walk(struct prompt *p, int key)
{
	int dir = 0;

	if (key == KEYCODE_UP || key == KEYCODE_CTRL('p'))
		dir = -1;
	else if (key == KEYCODE_DOWN || key == KEYCODE_CTRL('n'))
		dir = 1;
	if (!dir)
		return false;
	if (p->list.n && (!p->offers || p->list_pos || (dir > 0 && p->history_pos == UINT32_MAX))) {
		prompt_list__walk(p, dir);
		return true;
	}
	walk_history(p, dir);
	prompt_list__offer(p);
	return true;
}

/* A list that is open is closed first, with what was typed before it. */
static enum prompt_result cancel(struct prompt *p)
{
	if (!p->list.n || (p->offers && !p->list_pos))
		return PROMPT_CANCELLED;
	prompt_list__close(p, true);
	prompt_list__offer(p);
	return PROMPT_EDITING;
}

static enum prompt_result accept(struct prompt *p)
{
	prompt_list__close(p, false);
	if (p->history)
		prompt_history__add(p->history, p->text);
	p->history_pos = UINT32_MAX;
	return PROMPT_ACCEPTED;
}

enum prompt_result prompt__input(struct prompt *p, const struct input *in)
{
	if (in->type != INPUT_KEY)
		return PROMPT_EDITING;
	switch (in->key) {
	case KEYCODE_ENTER:
		return accept(p);
	case KEYCODE_ESC:
	case KEYCODE_CTRL('c'):
	case KEYCODE_CTRL('g'):
		return cancel(p);
	case KEYCODE_TAB:
		prompt_list__tab(p, 1);
		return PROMPT_EDITING;
	case KEYCODE_BACKTAB:
		prompt_list__tab(p, -1);
		return PROMPT_EDITING;
	}
	if (walk(p, in->key))
		return PROMPT_EDITING;
	prompt_list__close(p, false);
	if (!move_cursor(p, in->key) && !delete (p, in->key) && in->key < KEY_SPECIAL_BASE)
		insert(p, in->key);
	prompt_list__offer(p);
	return PROMPT_EDITING;
}

void prompt__offer(struct prompt *p)
{
	p->offers = true;
	prompt_list__offer(p);
}

void prompt__error(struct prompt *p, u32 column, u32 length, const char *msg)
{
	p->error_column = MIN(column, p->len);
	p->error_length = MAX(length, 1U);
	copy_str(p->error, sizeof(p->error), msg);
	p->cursor = p->error_column;
	while (p->cursor > 0 && ((u8)p->text[p->cursor] & 0xc0) == 0x80)
		p->cursor--;
}
