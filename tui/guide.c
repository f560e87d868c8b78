/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/guide.h"

#include <stdio.h>

#include "base/embed.h"
#include "tui/app.h"

#define PARAGRAPH_MAX 4096
#define LINE_MAX_W    100 /* longer lines are hard to read */

/* The file itself is the text: what is read on the web is what is on the screen. */
EMBED(proftop_guide, "docs/GUIDE.md");

/* --- lines and pages of the file --- */

/* The line at *at, without its end; false at the end of the file. */
static bool next_line(const char **at, char *line, size_t size)
{
	const char *end = memchr(*at, '\n', (size_t)(proftop_guide_end - *at));

	if (!end)
		return false;
	copy_str(line, MIN((size_t)(end - *at) + 1, size), *at);
	*at = end + 1;
	return true;
}

/* Goes on to the next page; its views stand in the line below its title. */
static bool next_page(const char **at, char *title, char *views, size_t size)
{
	char line[256];

	while (next_line(at, line, sizeof(line))) {
		if (strncmp(line, "## ", 3))
			continue;
		copy_str(title, size, line + 3);
		return next_line(at, views, size);
	}
	return false;
}

bool guide__title(u32 n, char *buf, size_t size)
{
	const char *at = proftop_guide;
	char views[128];

	for (u32 i = 0; next_page(&at, buf, views, MIN(size, sizeof(views))); i++)
		if (i == n)
			return true;
	return false;
}

/* "<!-- views: io cache -->" */
static bool is_about(const char *views, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = strchr(views, ':'); at; at = strchr(at + 1, ' '))
		if (!strncmp(at + 1, name, n) && at[1 + n] == ' ')
			return true;
	return false;
}

/* --- keys --- */

/* A number opens a view as its own action does. */
static bool does(enum action bound, enum action wanted)
{
	return bound == wanted || (bound >= ACTION_VIEW_0 && bound <= ACTION_VIEW_9 &&
				   wanted >= ACTION_SHOW_FIRST &&
				   view__of_action(bound) == view__of_action(wanted));
}

/* In any section: the page may be about a view that is not shown. */
static void key_of(const struct host *h, enum action a, char *buf, size_t size)
{
	char name[16], first[16] = "", letter[4];

	for (u32 i = 0; i < h->keymap.n; i++) {
		const struct binding *b = &h->keymap.rows[i];

		if (!does(b->action, a))
			continue;
		if (b->first)
			key__name(b->first, first, sizeof(first));
		snprintf(buf, size, "%s%s%s", first, *first ? " " : "", key__name(b->key, name, sizeof(name)));
		return;
	}
	host__key(h, ACTION_VIEW_PICK, name, sizeof(name));
	if (a >= ACTION_SHOW_FIRST && *name)
		snprintf(buf, size, "%s %s", name, view__key_text(view__of_action(a), letter, sizeof(letter)));
	else
		snprintf(buf, size, ":%s", action_table[a].name);
}

/* Whether the name of an action stands behind a key's closing mark; then what does it. */
static bool key_before(const struct host *h, const char *close, char *key, size_t size)
{
	char name[32];
	enum action a;

	if (sscanf(close, "` (%31[a-z0-9-])", name) != 1)
		return false;
	a = action__by_name(name);
	if (a != ACTION_NONE)
		key_of(h, a, key, size);
	return a != ACTION_NONE;
}

void guide__keys(const struct host *h, const char *from, char *to, size_t size)
{
	char key[32];
	size_t n = 0;

	while (*from && n + sizeof(key) + 2 < size) {
		const char *close = *from == '`' ? strchr(from + 1, '`') : NULL;

		if (!close) {
			to[n++] = *from++;
			continue;
		}
		if (key_before(h, close, key, sizeof(key)))
			n += (size_t)snprintf(to + n, size - n, "`%s`", key);
		else
			n += (size_t)snprintf(to + n, size - n, "%.*s", (int)MIN((size_t)(close + 1 - from), size - n - 1), from);
		from = close + 1;
	}
	to[n] = '\0';
}

/* --- lines of the screen --- */

static void add_line(struct guide_text *t, enum role role, const char *text)
{
	t->lines = xrealloc(t->lines, sizeof(*t->lines) * (t->n + 1));
	t->lines[t->n++] = (struct help_line){role, arena__strdup(&t->arena, text)};
}

/* Bytes up to the next blank that is not within marks, and the cells they take. */
static size_t word_at(const char *text, int *w)
{
	char word[256];
	bool marked = false;
	size_t n = 0, len = 0;

	for (; text[len] && (marked || text[len] != ' '); len++) {
		if (text[len] == '`')
			marked = !marked;
		else if (n + 1 < sizeof(word))
			word[n++] = text[len];
	}
	word[n] = '\0';
	*w = text__width(word);
	return len;
}

/* first and rest stand before the first line, and before the others. */
static void wrap(struct guide_text *t, const char *text, int w, const char *first, const char *rest)
{
	char line[1024];
	size_t n = (size_t)snprintf(line, sizeof(line), "%s", first);
	int used = text__width(first), word_w;
	bool any = false;

	for (size_t len; *text; text += len + strspn(text + len, " ")) {
		len = word_at(text, &word_w);
		if (any && (used + 1 + word_w > w || n + len + 2 > sizeof(line))) {
			add_line(t, ROLE_TEXT, line);
			n = (size_t)snprintf(line, sizeof(line), "%s", rest);
			used = text__width(rest);
			any = false;
		}
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%.*s", any ? " " : "",
				      (int)MIN(len, sizeof(line) - n - 2), text);
		used += any + word_w;
		any = true;
	}
	add_line(t, ROLE_TEXT, line);
}

/* A paragraph or an item that is being read. */
struct block {
	char text[PARAGRAPH_MAX];
	size_t n;
	bool item;
};

static void block__add(struct block *b, const char *line)
{
	b->n += (size_t)snprintf(b->text + b->n, sizeof(b->text) - b->n, "%s%s", b->n ? " " : "", line);
	b->n = MIN(b->n, sizeof(b->text) - 1);
}

static void block__end(struct block *b, struct guide_text *t, const struct host *h, int w)
{
	char text[PARAGRAPH_MAX];

	if (!b->n)
		return;
	guide__keys(h, b->text, text, sizeof(text));
	wrap(t, text, w, b->item ? "· " : "", b->item ? "  " : "");
	b->n = 0;
	b->item = false;
}

static void text_line(struct block *b, struct guide_text *t, const struct host *h, const char *line, int w)
{
	bool item = !strncmp(line, "- ", 2);

	if (item || !*line)
		block__end(b, t, h, w);
	if (!*line) {
		add_line(t, ROLE_TEXT, "");
		return;
	}
	b->item |= item;
	block__add(b, line + (item ? 2 : 0) + strspn(line + (item ? 2 : 0), " "));
}

/* Up to the next page, or the end. */
static void add_page(struct guide_text *t, const struct host *h, const char *at, const char *title, int w)
{
	struct block b = {.n = 0};
	bool screen = false;
	char line[1024];

	add_line(t, ROLE_TEXT, "");
	add_line(t, ROLE_TITLE, title);
	while (next_line(&at, line, sizeof(line)) && strncmp(line, "## ", 3)) {
		if (!strncmp(line, "```", 3))
			screen = !screen;
		else if (screen)
			add_line(t, ROLE_DIM, line);
		else if (strncmp(line, "<!--", 4))
			text_line(&b, t, h, line, w);
	}
	block__end(&b, t, h, w);
}

u32 guide__add(struct guide_text *t, const struct host *h, const char *view, const char *title, int w)
{
	const char *at = proftop_guide;
	char name[128], views[128];
	u32 pages = 0;

	while (next_page(&at, name, views, sizeof(name))) {
		if ((view && !is_about(views, view)) || !strcasestr(name, title))
			continue;
		add_page(t, h, at, name, MIN(w, LINE_MAX_W));
		pages++;
	}
	return pages;
}

void guide_text__fini(struct guide_text *t)
{
	arena__fini(&t->arena);
	free(t->lines);
	*t = (struct guide_text){0};
}
