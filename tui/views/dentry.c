// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up. Its source is attached only while this screen is there. */
#include "tui/views/dentry.h"

#include <stdio.h>

#include "models/dentry.h"
#include "tui/views/tally.h"

static const struct screen_ops dentry_ops;
static const struct listing_ops dentry_listing;

static const struct tally_pane pane = {
	.table = &dentry_table,
	.title = "lookups",
	.view = "cache-dentries",
	.name = "dentries",
	.at = PANE_view_cache_dentries,
	.screen = &dentry_ops,
	.list = &dentry_listing,
};

QUERY_RUN(dentry__run, tally__query, MODEL_DENTRY)

/* --- what it says --- */

static void dentry__headline(struct listing *l, struct headline *line)
{
	const u64 *n;

	if (!tally__headline(l, line))
		return;
	n = tally__result(l)->n;
	tally__add_rate(line, l->result, "", n[DENTRY_LOOKUPS]);
	tally__add_pct(line, "absent",
		       (double)n[DENTRY_NEGATIVE] * 100 / (double)n[DENTRY_LOOKUPS]);
}

static void draw_state(const struct dentry_state_sample *state, struct canvas *c, struct rect r)
{
	struct headline line = {c, {r.x, r.y, r.w, 1}, r.x};
	char text[16];

	if (!state) {
		headline__add(&line, ROLE_DIM, "how large the dentry cache is, is not known");
		return;
	}
	format__count(text, sizeof(text), state->dentries);
	headline__addf(&line, ROLE_TEXT, "dentries %s", text);
	format__count(text, sizeof(text), state->unused);
	headline__addf(&line, ROLE_TEXT, " · unused %s", text);
	format__count(text, sizeof(text), state->negative);
	headline__addf(&line, ROLE_TEXT, " · negative (names that are not there) %s", text);
}

static int dentry__above(struct listing *l, struct canvas *c, struct rect area)
{
	if (area.h < 4)
		return 0;
	draw_state(dentry__state(l->result->snap), c, area);
	draw__cut(c, area.x, area.y + 1, area.w, ROLE_DIM,
		  "partial: only system calls that name a path are seen; hits "
		  "inside the cache are not told apart");
	return 2;
}

static void dentry__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to system calls that name a path",
						"watch names being looked up",
						"watching names being looked up"};
	char clear[16];

	if (!listing__waiting(l, &words, buf, size))
		snprintf(buf, size,
			 "nothing in scope has looked up a name in the window (%s clears the "
			 "filter)",
			 host__key(l->base.host, ACTION_CLEAR_FILTER, clear, sizeof(clear)));
}

static void dentry__selection(const struct listing *l, struct listing_place at, char *buf,
			      size_t size)
{
	const struct tally_row *r = &tally__result(l)->rows[at.row];
	char who[160];

	snprintf(buf, size, "%s: %llu lookups, %llu absent · cgroup %s",
		 tally__who(tally__result(l), at.row, who, sizeof(who)),
		 (unsigned long long)r->n[DENTRY_LOOKUPS],
		 (unsigned long long)r->n[DENTRY_NEGATIVE], r->cgroup_name);
}

static void dentry__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct tally_result *a = container_of(base, struct tally_result, base);
	const struct dentry_state_sample none = {0}, *state = dentry__state(base->snap);
	enum value_type known = state ? VALUE_COUNT : VALUE_NONE;

	state = state ? state : &none;
	tally__report(a, &pane, MODEL_DENTRY, f, r);
	report__sum_number(r, "lookups", VALUE_COUNT, a->n[DENTRY_LOOKUPS]);
	report__sum_number(r, "negative", VALUE_COUNT, a->n[DENTRY_NEGATIVE]);
	report__sum_number(r, "slow", VALUE_NONE, 0);
	report__sum_number(r, "dentries", known, state->dentries);
	report__sum_number(r, "unused_dentries", known, state->unused);
	report__sum_number(r, "negative_dentries", known, state->negative);
}

static const struct group_keys dentry_keys = TALLY_KEYS(DENTRY_GROUPS);

static const struct listing_ops dentry_listing = {
	TALLY_LISTING(MODEL_DENTRY, dentry__run),
	.keys = &dentry_keys,
	.headline = dentry__headline,
	.above = dentry__above,
	.empty = dentry__empty,
	.selection = dentry__selection,
	.report = dentry__report,
};

static const struct screen_ops dentry_ops = {
	LISTING_SCREEN,
	.section = "dentries",
	.models = 1ULL << MODEL_DENTRY,
	.free = listing__free,
	.action = listing__action,
	.hints = (const enum action[]){ACTION_GROUP_NEXT, ACTION_WINDOW, ACTION_FILTER, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

struct screen *dentry__open(struct host *h, const struct scope *extra)
{
	return tally__open(h, &pane, NULL, extra);
}

/* --- as a view of its own, for --view and batch mode --- */

const struct view_ops view_cache_dentries = {
	.name = "cache-dentries",
	.title = "names that processes look up, and those that are not there",
	.models = 1ULL << MODEL_DENTRY,
	.feed = MODEL_DENTRY,
	.terms = SCOPE_TERM_TASK | SCOPE_TERM_SCHED,
	.groups = "pid comm cgroup",
	.one_group = true,
	TALLY_VIEW_OPS(&pane),
};
