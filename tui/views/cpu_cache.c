// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's own caches. Their counters are taken only while one of these screens is there. */
#include "tui/views/cpu_cache.h"

#include <stdio.h>

#include "models/cpu_cache.h"
#include "tui/views/tally.h"

static const struct screen_ops cpu_cache_ops;
static const struct listing_ops cpu_cache_listing;

#define PANE(cache, id, title_, name_)                                                             \
	[cache] = {&cpu_cache_tables[cache], title_, "cache-" #id, name_, PANE_view_cache_##id,    \
		   &cpu_cache_ops, &cpu_cache_listing}
static const struct tally_pane panes[CPU_CACHES] = {
	PANE(CPU_CACHE_LLC, llc, "last-level cache", "LLC"),
	PANE(CPU_CACHE_TLB, tlb, "TLB of data", "TLB"),
};

static enum cpu_cache cache_of(const struct tally_query *q)
{
	return (enum cpu_cache)(q->of - cpu_cache_tables);
}

static const struct cpu_cache_state *state_of(const struct query_result *base)
{
	const struct tally_result *a = container_of(base, struct tally_result, base);

	return cpu_cache__state(base->snap, cache_of(&a->query));
}

QUERY_RUN(cpu_cache__run, cpu_cache__query, MODEL_CPU_CACHE)

/* --- what it says --- */

static void cpu_cache__headline(struct listing *l, struct headline *line)
{
	const u64 *n;

	if (!tally__headline(l, line))
		return;
	n = tally__result(l)->n;
	tally__add_rate(line, l->result, "references", n[CPU_CACHE_REFERENCES]);
	tally__add_rate(line, l->result, "misses", n[CPU_CACHE_MISSES]);
	tally__add_pct(line, "hit", cpu_cache__hit_pct(n).f);
}

static int cpu_cache__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct cpu_cache_state *s = state_of(l->result);
	char text[256];

	if (area.h < 3 || !s->known)
		return 0;
	snprintf(text, sizeof(text),
		 "%s: %s on each CPU, divided among tasks by samples, small ones are rough",
		 s->events, s->estimated ? "shared counters, scaled," : "counted");
	draw__cut(c, area.x, area.y, area.w, ROLE_DIM, text);
	return 1;
}

static void cpu_cache__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to the CPU's counters", "count",
						"counting cache references and misses"};
	char more[MORE_TEXT];

	if (listing__waiting(l, &words, buf, size))
		return;
	if (l->result && *state_of(l->result)->why)
		snprintf(buf, size, "cannot count: %s", state_of(l->result)->why);
	else
		snprintf(buf, size, "nothing in scope has used this cache in the window (%s)",
			 listing__more(l, more));
}

static void cpu_cache__selection(const struct listing *l, struct listing_place at, char *buf,
				 size_t size)
{
	const struct tally_row *r = &tally__result(l)->rows[at.row];
	char who[160];

	snprintf(buf, size, "%s: %llu references, %llu misses of the %s",
		 tally__who(tally__result(l), at.row, who, sizeof(who)),
		 (unsigned long long)r->n[CPU_CACHE_REFERENCES],
		 (unsigned long long)r->n[CPU_CACHE_MISSES], tally__of(l)->pane->title);
}

static void cpu_cache__report(const struct query_result *base, const struct frame *f,
			      struct report *r)
{
	const struct tally_result *a = container_of(base, struct tally_result, base);
	enum value_type type = state_of(base)->known ? VALUE_COUNT : VALUE_NONE;

	tally__report(a, &panes[cache_of(&a->query)], MODEL_CPU_CACHE, f, r);
	report__sum_number(r, "references", type, a->n[CPU_CACHE_REFERENCES]);
	report__sum_number(r, "misses", type, a->n[CPU_CACHE_MISSES]);
}

static const struct group_keys cpu_cache_keys = TALLY_KEYS(TALLY_GROUPS);

static const struct listing_ops cpu_cache_listing = {
	TALLY_LISTING(MODEL_CPU_CACHE, cpu_cache__run),
	.keys = &cpu_cache_keys,
	.headline = cpu_cache__headline,
	.above = cpu_cache__above,
	.empty = cpu_cache__empty,
	.selection = cpu_cache__selection,
	.report = cpu_cache__report,
};

/* --- the screen --- */

/* Each pane's key leads to the other one. */
static bool cpu_cache__action(struct screen *base, enum action a)
{
	struct tally_screen *s = (struct tally_screen *)base;

	if (a != ACTION_LLC && a != ACTION_TLB)
		return listing__action(base, a);
	tally__show(s, &panes[a == ACTION_LLC ? CPU_CACHE_LLC : CPU_CACHE_TLB]);
	listing__reset(&s->list);
	return true;
}

static const struct screen_ops cpu_cache_ops = {
	LISTING_SCREEN,
	.section = "counters",
	.models = 1ULL << MODEL_CPU_CACHE,
	.free = listing__free,
	.action = cpu_cache__action,
	.hints = (const enum action[]){ACTION_GROUP_NEXT, ACTION_LLC, ACTION_TLB, ACTION_WINDOW,
				       ACTION_FILTER, ACTION_BACK, ACTION_PAUSE, ACTION_SNAPSHOT,
				       ACTION_NONE},
};

struct screen *cpu_cache__open(struct host *h, enum cpu_cache cache, const struct scope *extra)
{
	return tally__open(h, &panes[cache], NULL, extra);
}

/* --- as views of their own, for --view and batch mode --- */

#define PANE_VIEW(id, cache, name_, title_)                                                        \
	const struct view_ops view_cache_##id = {                                                  \
		.name = name_,                                                                     \
		.title = title_,                                                                   \
		.models = 1ULL << MODEL_CPU_CACHE,                                                 \
		.feed = MODEL_CPU_CACHE,                                                           \
		.terms = SCOPE_TERM_TASK,                                                          \
		.groups = "pid comm cgroup cpu",                                                   \
		.one_group = true,                                                                 \
		TALLY_VIEW_OPS(&panes[cache]),                                                     \
	}

PANE_VIEW(llc, CPU_CACHE_LLC, "cache-llc", "the CPU's last-level cache: references and misses");
PANE_VIEW(tlb, CPU_CACHE_TLB, "cache-tlb", "the CPU's TLB of data: references and misses");
