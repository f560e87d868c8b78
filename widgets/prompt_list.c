/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/prompt_list.h"

bool completions__add(struct completions *l, const char *text, const char *help)
{
	struct completion *item;

	if (l->n >= PROMPT_COMPLETIONS)
		return false;
	item = &l->items[l->n];
	if (strlen(text) >= sizeof(item->text))
		return true;
	copy_str(item->text, sizeof(item->text), text);
	copy_str(item->help, sizeof(item->help), help ? help : "");
	l->n++;
	return true;
}

/* Bytes that all completions begin with, whole characters only. */
static u32 common_prefix(const struct completions *l)
{
	const char *first = l->items[0].text;
	u32 n = (u32)strlen(first);

	for (u32 i = 1; i < l->n; i++) {
		u32 same = 0;

		while (same < n && l->items[i].text[same] == first[same])
			same++;
		n = same;
	}
	while (n > 0 && ((u8)first[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void keep_visible(struct prompt *p)
{
	u32 at = p->list_pos ? p->list_pos - 1 : 0;

	if (at < p->list_top)
		p->list_top = at;
	else if (at >= p->list_top + PROMPT_LIST_LINES)
		p->list_top = at - PROMPT_LIST_LINES + 1;
}

static void choose(struct prompt *p, u32 pos)
{
	p->list_pos = pos;
	prompt__replace(p, p->list.start, p->list_end, pos ? p->list.items[pos - 1].text : p->stem);
	p->list_end = p->cursor;
	keep_visible(p);
}

void prompt_list__walk(struct prompt *p, int dir)
{
	u32 n = p->list.n + 1;

	choose(p, (p->list_pos + (dir < 0 ? n - 1 : 1)) % n);
}

void prompt_list__close(struct prompt *p, bool restore)
{
	if (p->list.n && restore)
		choose(p, 0);
	p->list.n = 0;
	p->list_pos = p->list_top = 0;
}

static void remember_stem(struct prompt *p)
{
	u32 n = p->cursor - p->list.start;

	memcpy(p->stem, p->text + p->list.start, n);
	p->stem[n] = '\0';
	p->list_end = p->cursor;
}

static void find_completions(struct prompt *p)
{
	p->list = (struct completions){.start = p->cursor};
	p->list_pos = p->list_top = 0;
	p->complete(p->ctx, p->text, p->cursor, &p->list);
	p->list.start = MIN(p->list.start, p->cursor);
}

/* What stands there already is nothing to offer. */
static bool is_complete(const struct prompt *p)
{
	const char *only = p->list.items[0].text;
	u32 typed = p->cursor - p->list.start;

	return p->list.n == 1 && strlen(only) == typed &&
	       !strncmp(only, p->text + p->list.start, typed);
}

void prompt_list__offer(struct prompt *p)
{
	if (!p->offers || !p->complete)
		return;
	find_completions(p);
	if (is_complete(p))
		p->list.n = 0;
	if (p->list.n)
		remember_stem(p);
}

static void open_list(struct prompt *p)
{
	char prefix[sizeof(p->list.items[0].text)];

	find_completions(p);
	if (!p->list.n)
		return;
	copy_str(prefix, common_prefix(&p->list) + 1, p->list.items[0].text);
	if (strlen(prefix) > p->cursor - p->list.start)
		prompt__replace(p, p->list.start, p->cursor, prefix);
	if (p->list.n == 1)
		p->list.n = 0;
	else
		remember_stem(p);
}

/* Whether what all have in common is more than what stands there. */
static bool completes_more(const struct prompt *p)
{
	return p->list.n && common_prefix(&p->list) > p->cursor - p->list.start;
}

void prompt_list__tab(struct prompt *p, int dir)
{
	if (!p->complete)
		return;
	if (p->list.n && (p->list_pos || !p->offers || !completes_more(p)))
		prompt_list__walk(p, dir);
	else
		open_list(p);
	if (!p->list.n)
		prompt_list__offer(p);
}
