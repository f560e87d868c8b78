// SPDX-License-Identifier: GPL-2.0-only
/* Names that are looked up. Its source is attached only while this screen is there. */
#include "tui/views/dentry.h"

#include <stdio.h>

#include "base/arena.h"
#include "models/dentry.h"
#include "tui/views/listing.h"
#include "tui/views/terms.h"
#include "tui/views/window.h"

struct dentry_screen {
	struct listing list;
	struct dentry_query query;
};

static struct dentry_screen *of(const struct listing *l)
{
	return container_of(l, struct dentry_screen, list);
}

static const struct dentry_answer *answer(const struct listing *l)
{
	return container_of(l->answer, struct dentry_answer, base);
}

static struct answer *dentry__run(const struct frame *f, const void *query,
				  const struct scope *scope)
{
	return &dentry__query((const void *)f->snaps[MODEL_DENTRY], query, scope)->base;
}

/* --- query --- */

static const enum action group_actions[DENTRY_GROUPS] = {
	[TALLY_BY_PID] = ACTION_GROUP_PID,
	[TALLY_BY_COMM] = ACTION_GROUP_COMM,
	[TALLY_BY_CGROUP] = ACTION_GROUP_CGROUP,
};
static const struct group_keys dentry_keys = {tally_group_names, group_actions, DENTRY_GROUPS,
					      true};

static u32 dentry__groups(const struct listing *l)
{
	return 1u << of(l)->query.group;
}

static void dentry__set_groups(struct listing *l, u32 groups)
{
	of(l)->query.group = (enum tally_group)__builtin_ctz(groups);
}

static enum profile_window *dentry__window(struct listing *l)
{
	return &of(l)->query.window;
}

/* --- what it says --- */

static void dentry__headline(struct listing *l, struct headline *line)
{
	const struct dentry_query *q = &of(l)->query;
	char key[16], text[16];
	u64 n;

	headline__addf(line, ROLE_STRONG, "lookups by %s", tally_group_names[q->group]);
	headline__addf(line, ROLE_DIM, " [%s] · %s",
		       host__key(l->base.host, ACTION_GROUP_NEXT, key, sizeof(key)),
		       window__text(q->window));
	if (!l->answer || !answer(l)->n[DENTRY_LOOKUPS])
		return;
	n = answer(l)->n[DENTRY_LOOKUPS];
	format__count(text, sizeof(text), (u64)((double)n * 1e9 / (double)answer(l)->window_ns));
	headline__addf(line, ROLE_TEXT, " · %s/s", text);
	format__pct(text, sizeof(text), (double)answer(l)->n[DENTRY_NEGATIVE] * 100 / (double)n);
	headline__addf(line, ROLE_TEXT, " · absent %s%%", text);
}

static void draw_state(const struct dentry_snap *s, struct canvas *c, struct rect r)
{
	struct headline line = {c, {r.x, r.y, r.w, 1}, r.x};
	char text[16];

	if (!s->state_known) {
		headline__add(&line, ROLE_DIM, "how large the dentry cache is, is not known");
		return;
	}
	format__count(text, sizeof(text), s->state.dentries);
	headline__addf(&line, ROLE_TEXT, "dentries %s", text);
	format__count(text, sizeof(text), s->state.unused);
	headline__addf(&line, ROLE_TEXT, " · unused %s", text);
	format__count(text, sizeof(text), s->state.negative);
	headline__addf(&line, ROLE_TEXT, " · negative (names that are not there) %s", text);
}

static int dentry__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct dentry_snap *s = container_of(l->answer->snap, struct dentry_snap, base);

	if (area.h < 4)
		return 0;
	draw_state(s, c, area);
	draw__cut(c, area.x, area.y + 1, area.w, ROLE_DIM,
		  s->slow_known ? "counted: system calls that name a path"
				: "partial: only system calls that name a path are seen; hits "
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

static enum role dentry__role(const struct listing *l, u32 row, u32 column)
{
	const struct row_table *t = &l->answer->table;
	struct value v;

	if (t->columns[column].flags & COLUMN_KEY)
		return answer(l)->rows[row].most->kthread ? ROLE_KERNEL : ROLE_TEXT;
	if (t->cell(t, row, column, &v) && v.type == VALUE_COUNT && !v.u)
		return ROLE_DIM;
	return ROLE_TEXT;
}

static void dentry__selection(const struct listing *l, struct listing_place at, char *buf,
			      size_t size)
{
	const struct tally_row *r = &answer(l)->rows[at.row];

	snprintf(buf, size, "%s%s%s: %llu lookups, %llu absent · cgroup %s", r->name,
		 *r->pid_text ? " pid " : "", r->pid_text + strspn(r->pid_text, " "),
		 (unsigned long long)r->n[DENTRY_LOOKUPS],
		 (unsigned long long)r->n[DENTRY_NEGATIVE], r->cgroup_name);
}

static bool dentry__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct tally_row *r = &answer(l)->rows[row];

	if (r->most->tgid == TALLY_OTHERS)
		return false;
	switch (of(l)->query.group) {
	case TALLY_BY_PID:
		return term__id("pid", r->most->tgid, buf, size);
	case TALLY_BY_COMM:
		return term__name("comm", r->most->comm, buf, size);
	default:
		return term__cgroup(r->most->cgroup, r->cgroup_name, buf, size);
	}
}

static void dentry__report(const struct answer *base, const struct frame *f, struct report *r)
{
	const struct dentry_answer *a = container_of(base, struct dentry_answer, base);
	const struct dentry_snap *s = container_of(base->snap, struct dentry_snap, base);
	enum value_type state = s->state_known ? VALUE_COUNT : VALUE_NONE;

	r->view = "cache-dentries";
	r->window = window__text(a->query.window);
	r->group = tally_group_names[a->query.group];
	r->health = f->feeds[MODEL_DENTRY].health;
	report__sum_number(r, "lookups", VALUE_COUNT, a->n[DENTRY_LOOKUPS]);
	report__sum_number(r, "negative", VALUE_COUNT, a->n[DENTRY_NEGATIVE]);
	report__sum_number(r, "slow", a->slow_known ? VALUE_COUNT : VALUE_NONE, a->n[DENTRY_SLOW]);
	report__sum_number(r, "dentries", state, s->state.dentries);
	report__sum_number(r, "unused_dentries", state, s->state.unused);
	report__sum_number(r, "negative_dentries", state, s->state.negative);
}

static const struct listing_ops dentry_listing = {
	.ask = {.size = sizeof(struct dentry_query), .model = MODEL_DENTRY, .run = dentry__run},
	.keys = &dentry_keys,
	.groups = dentry__groups,
	.set_groups = dentry__set_groups,
	.window = dentry__window,
	.headline = dentry__headline,
	.above = dentry__above,
	.empty = dentry__empty,
	.cell_role = dentry__role,
	.selection = dentry__selection,
	.term = dentry__term,
	.report = dentry__report,
};

static void dentry__free(struct screen *base)
{
	listing__fini((struct listing *)base);
	free(base);
}

static const struct screen_ops dentry_ops = {
	LISTING_SCREEN,
	.section = "dentries",
	.models = 1u << MODEL_DENTRY,
	.free = dentry__free,
	.action = listing__action,
	.hints = (const enum action[]){ACTION_GROUP_NEXT, ACTION_WINDOW, ACTION_FILTER, ACTION_BACK,
				       ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE},
};

struct screen *dentry__open(struct host *h, const struct scope *extra)
{
	struct dentry_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){
		.ops = &dentry_ops, .host = h, .pane = pane_table[PANE_view_cache_dentries]};
	s->query.window = WINDOW_DECAY;
	listing__init(&s->list, h, &dentry_listing, &s->query);
	s->list.asker.extra_scope = extra ? scope__get(extra) : NULL;
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), "dentries");
	return &s->list.base;
}

/* --- as a view of its own, for --view and batch mode --- */

static void query__init(struct dentry_query *q, const struct view_args *args,
			enum profile_window window)
{
	memset(q, 0, sizeof(*q));
	q->window = window;
	if (args->group)
		q->group = tally_group__by_name(args->group);
	if (q->group >= DENTRY_GROUPS)
		q->group = TALLY_BY_PID;
}

static struct screen *pane__open(struct host *h, const struct view_args *args)
{
	struct screen *s = dentry__open(h, NULL);

	query__init(&((struct dentry_screen *)s)->query, args, WINDOW_DECAY);
	return s;
}

static int pane__batch(const struct frame *f, const struct view_args *args,
		       const struct scope *scope, struct report *r)
{
	struct dentry_query q;

	query__init(&q, args, WINDOW_LAST);
	return listing__batch(&dentry_listing, f, args, &q, scope, r);
}

const struct view_ops view_cache_dentries = {
	.name = "cache-dentries",
	.title = "names that processes look up, and those that are not there",
	.models = 1u << MODEL_DENTRY,
	.feed = MODEL_DENTRY,
	.terms = SCOPE_TERM_TASK | SCOPE_TERM_SCHED,
	.groups = "pid comm cgroup",
	.one_group = true,
	.open = pane__open,
	.report = pane__batch,
	.report_free = listing__report_free,
};
