// SPDX-License-Identifier: GPL-2.0-only
#include "tui/tabs.h"

#include <stdio.h>

#include "sources/ask.h"
#include "tui/app.h"

#define NOTE_MIN_W   24 /* less than that tells nothing */
#define CRUMBS_MIN_W 28
#define NOTE_GAP     3 /* before what a view cannot do */

struct tab {
	enum action action;
	bool active;
	int x, w;
	char text[48];
};

struct tabs {
	struct tab v[VIEW_COUNT + 1];
	u32 n;
	int w;
};

/* "cpu > callers of x > code": where one is, outermost first. */
static void crumbs(const struct screen *s, char *buf, size_t size)
{
	char own[200];
	size_t n;

	*buf = '\0';
	if (s->below)
		crumbs(s->below, buf, size);
	s->ops->crumb(s, own, sizeof(own));
	n = strlen(buf);
	if (own[0] && n + 4 < size)
		snprintf(buf + n, size - n, "%s%s", n ? " > " : "", own);
}

/* The filter's terms that this view cannot apply; false when it applies all. */
static bool unfiltered_text(const struct host *h, char *buf, size_t size)
{
	char names[64];

	view__unapplied(view_table[h->view], h->scope, names, sizeof(names));
	snprintf(buf, size, "! not filtered by %s", names);
	return *names;
}

static const struct feed *feed_of(const struct host *h)
{
	return h->frame ? &h->frame->feeds[view_table[h->view]->feed] : NULL;
}

enum note { NOTE_NONE, NOTE_PLAIN, NOTE_LIMITED };

static enum note note_of(const struct host *h)
{
	const struct feed *f = feed_of(h);

	if (!f || f->state != FEED_LIVE || !f->health.note[0])
		return NOTE_NONE;
	return f->reason[0] || f->refused[0] || f->gone[0] ? NOTE_LIMITED : NOTE_PLAIN;
}

/* Of the line's width, what others than tabs have to have at least. */
static int others_width(const struct host *h)
{
	char buf[600];
	int w;

	crumbs(app__screen(h), buf, sizeof(buf));
	w = MIN(text__width(buf), CRUMBS_MIN_W) + 2;
	if (unfiltered_text(h, buf, sizeof(buf)))
		w += text__width(buf) + NOTE_GAP;
	else if (note_of(h) == NOTE_LIMITED)
		w += NOTE_MIN_W + NOTE_GAP;
	return w;
}

static bool is_asked(const struct host *h, u32 v)
{
	const struct ask_list *asks = h->sampling.asks;

	for (u32 i = 0; asks && i < asks->n; i++)
		if (ask__model(asks->v[i]) == view_table[v]->feed)
			return true;
	return false;
}

static bool is_alert(const struct host *h, u32 v)
{
	return view_table[v]->alert && h->frame && view_table[v]->alert(h->frame);
}

/* Views that a digit opens, that were opened, and that have something to tell have their tab always;
 * those of questions once there are any. */
static bool must_have_tab(const struct host *h, u32 v)
{
	return (view_keys[v] <= 9 && view_table[v]->models) || v == h->view || h->stacks[v] || is_alert(h, v) ||
	       (view_table[v]->any_group && is_asked(h, v));
}

static const char *pick_key(const struct host *h, char *buf, size_t size)
{
	*buf = '\0';
	host__key(h, ACTION_VIEW_PICK, buf, size);
	return buf;
}

static void add(struct tabs *t, enum action action, bool active, const char *text)
{
	struct tab *tab = &t->v[t->n++];

	*tab = (struct tab){.action = action, .active = active, .x = t->w};
	tab->w = snprintf(tab->text, sizeof(tab->text), " %s", text);
	t->w += tab->w;
}

enum show { SHOW_NOT, SHOW_KEY, SHOW_NAME };

/* "4:io!", "vk:kmem": with the key before a letter. */
static const char *tab_text(const struct host *h, u32 v, enum show show, char *buf, size_t size)
{
	bool named = show == SHOW_NAME;
	char key[4], pick[16];

	snprintf(buf, size, "%s%s%s%s%s", view_keys[v] > 9 ? pick_key(h, pick, sizeof(pick)) : "",
		 view__key_text(v, key, sizeof(key)), named ? ":" : "", named ? view_table[v]->name : "",
		 is_alert(h, v) ? "!" : "");
	return buf;
}

static int width_of(const struct host *h, u32 v, enum show show)
{
	char buf[48];

	return 1 + text__width(tab_text(h, v, show, buf, sizeof(buf)));
}

/* Where there is no room for the names of all that have to be there, the last ones lose theirs. */
static int show_musts(const struct host *h, int room, u8 show[VIEW_COUNT])
{
	int w = 0;

	for (u32 v = 0; v < VIEW_COUNT; v++) {
		show[v] = must_have_tab(h, v) ? SHOW_NAME : SHOW_NOT;
		w += show[v] ? width_of(h, v, SHOW_NAME) : 0;
	}
	for (u32 v = VIEW_COUNT; v-- > 0 && w > room;) {
		if (!show[v] || v == h->view)
			continue;
		show[v] = SHOW_KEY;
		w -= width_of(h, v, SHOW_NAME) - width_of(h, v, SHOW_KEY);
	}
	return w;
}

/* Views of questions that were not asked have nothing to show. */
static bool may_have_tab(u32 v)
{
	return view_table[v]->models && !view_table[v]->any_group;
}

/* Others in their order, while there is room. True: for all of them. */
static bool show_others(const struct host *h, int room, u8 show[VIEW_COUNT])
{
	for (u32 v = 0; v < VIEW_COUNT; v++) {
		if (show[v] || !may_have_tab(v))
			continue;
		room -= width_of(h, v, SHOW_NAME);
		if (room < 0)
			return false;
		show[v] = SHOW_NAME;
	}
	return true;
}

#define MORE_W 7 /* " v:more" */

static void make(const struct host *h, struct tabs *t)
{
	int room = h->canvas.w - others_width(h) - MORE_W;
	/* What the view cannot see comes before tabs that need not be there. */
	int note = note_of(h) == NOTE_PLAIN ? NOTE_MIN_W + NOTE_GAP : 0;
	u8 show[VIEW_COUNT];
	int w = show_musts(h, room, show);
	bool all = show_others(h, room - note - w, show);
	char buf[48], pick[16];

	*t = (struct tabs){0};
	for (u32 v = 0; v < VIEW_COUNT; v++)
		if (show[v])
			add(t, ACTION_SHOW_FIRST + v, v == h->view, tab_text(h, v, show[v], buf, sizeof(buf)));
	if (all)
		return;
	snprintf(buf, sizeof(buf), "%s:more", pick_key(h, pick, sizeof(pick)));
	add(t, ACTION_VIEW_PICK, false, buf);
}

enum action tabs__at(const struct host *h, int x)
{
	struct tabs t;

	make(h, &t);
	for (u32 i = 0; i < t.n; i++)
		if (x >= t.v[i].x && x < t.v[i].x + t.v[i].w)
			return t.v[i].action;
	return ACTION_NONE;
}

/* What the engine cannot see, for as much of it as there is room; it stands out when a better
 * engine would see it, or what is looked at has gone. */
static void draw_note(struct host *h, int x, int y)
{
	struct canvas *c = &h->canvas;
	enum note note = note_of(h);

	if (note == NOTE_NONE || c->w - x < NOTE_MIN_W)
		return;
	if (note == NOTE_LIMITED)
		x += draw__text(c, x, y, c->w - x, ROLE_WARN, "! ");
	h->note_cut = text__width(feed_of(h)->health.note) > c->w - x;
	draw__cut(c, x, y, c->w - x, note == NOTE_LIMITED ? ROLE_WARN : ROLE_DIM, feed_of(h)->health.note);
}

const char *host__note(const struct host *h)
{
	return h->note_cut ? feed_of(h)->health.note : NULL;
}

void tabs__draw(struct host *h, int y)
{
	struct canvas *c = &h->canvas;
	char buf[600];
	struct tabs t;
	int x = 0;

	h->note_cut = note_of(h) != NOTE_NONE;
	make(h, &t);
	for (u32 i = 0; i < t.n; i++)
		x += draw__text(c, x, y, c->w - x, t.v[i].active ? ROLE_TAB_ACTIVE : ROLE_TAB, t.v[i].text);
	x += draw__text(c, x, y, c->w - x, ROLE_TAB, " ");
	crumbs(app__screen(h), buf, sizeof(buf));
	x += draw__middle(c, x + 1, y, c->w - x - 1, ROLE_STRONG, buf);
	x += NOTE_GAP;
	if (unfiltered_text(h, buf, sizeof(buf)))
		draw__text(c, x, y, c->w - x, ROLE_WARN, buf);
	else
		draw_note(h, x, y);
}
