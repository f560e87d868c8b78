// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's own caches. Their counters are taken only while one of these screens is there. */
#include "tui/views/cpu_cache.h"

#include <stdio.h>

#include "base/arena.h"
#include "models/cpu_cache.h"
#include "tui/views/listing.h"
#include "tui/views/terms.h"
#include "tui/views/window.h"

struct cpu_cache_screen {
	struct listing list;
	struct cpu_cache_query query;
};

static const struct pane {
	const char *name, *title, *report;
	enum action key; /* of the other one */
} panes[CPU_CACHES] = {
	[CPU_CACHE_LLC] = {"LLC", "last-level cache", "cache-llc", ACTION_TLB},
	[CPU_CACHE_TLB] = {"TLB", "TLB of data", "cache-tlb", ACTION_LLC},
};

static struct cpu_cache_screen *of(const struct listing *l)
{
	return container_of(l, struct cpu_cache_screen, list);
}

static const struct cpu_cache_answer *answer(const struct listing *l)
{
	return container_of(l->answer, struct cpu_cache_answer, base);
}

static const struct cpu_cache_state *state_of(const struct cpu_cache_answer *a)
{
	return &container_of(a->base.snap, struct cpu_cache_snap, base)->state.of[a->query.cache];
}

static struct answer *cpu_cache__run(const struct frame *f, const void *query,
				     const struct scope *scope)
{
	return &cpu_cache__query((const void *)f->snaps[MODEL_CPU_CACHE], query, scope)->base;
}

/* --- query --- */

static const enum action group_actions[TALLY_GROUPS] = {
	[TALLY_BY_PID] = ACTION_GROUP_PID,
	[TALLY_BY_COMM] = ACTION_GROUP_COMM,
	[TALLY_BY_CGROUP] = ACTION_GROUP_CGROUP,
	[TALLY_BY_CPU] = ACTION_GROUP_CPU,
};
static const struct group_keys cpu_cache_keys = {tally_group_names, group_actions,
						 TALLY_GROUPS, true};

static u32 cpu_cache__groups(const struct listing *l)
{
	return 1u << of(l)->query.group;
}

static void cpu_cache__set_groups(struct listing *l, u32 groups)
{
	of(l)->query.group = (enum tally_group)__builtin_ctz(groups);
}

static enum profile_window *cpu_cache__window(struct listing *l)
{
	return &of(l)->query.window;
}

/* --- what it says --- */

static void add_rate(struct headline *line, const char *what, u64 n, u64 window_ns)
{
	char text[16];

	format__count(text, sizeof(text), (u64)((double)n * 1e9 / (double)MAX(window_ns, 1ULL)));
	headline__addf(line, ROLE_TEXT, " · %s %s/s", what, text);
}

static void cpu_cache__headline(struct listing *l, struct headline *line)
{
	const struct cpu_cache_query *q = &of(l)->query;
	char key[16], text[16];
	struct value hit;

	headline__addf(line, ROLE_STRONG, "%s by %s", panes[q->cache].title,
		       tally_group_names[q->group]);
	headline__addf(line, ROLE_DIM, " [%s] · %s",
		       host__key(l->base.host, ACTION_GROUP_NEXT, key, sizeof(key)),
		       window__text(q->window));
	if (!l->answer || !answer(l)->n[CPU_CACHE_REFERENCES])
		return;
	add_rate(line, "references", answer(l)->n[CPU_CACHE_REFERENCES], answer(l)->window_ns);
	add_rate(line, "misses", answer(l)->n[CPU_CACHE_MISSES], answer(l)->window_ns);
	hit = cpu_cache__hit_pct(answer(l)->n);
	format__pct(text, sizeof(text), hit.f);
	headline__addf(line, ROLE_TEXT, " · hit %s%%", text);
}

static int cpu_cache__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct cpu_cache_state *s = state_of(answer(l));
	char text[256];

	if (area.h < 3 || !answer(l)->known)
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
	if (l->answer && *state_of(answer(l))->why)
		snprintf(buf, size, "cannot count: %s", state_of(answer(l))->why);
	else
		snprintf(buf, size, "nothing in scope has used this cache in the window (%s)",
			 listing__more(l, more));
}

static enum role cpu_cache__role(const struct listing *l, u32 row, u32 column)
{
	const struct row_table *t = &l->answer->table;
	struct value v;

	if (t->cell(t, row, column, &v) && v.type == VALUE_COUNT && !v.u)
		return ROLE_DIM;
	return answer(l)->rows[row].most->tgid == TALLY_OTHERS &&
			       answer(l)->query.group != TALLY_BY_CPU
		       ? ROLE_DIM
		       : ROLE_TEXT;
}

static void cpu_cache__selection(const struct listing *l, struct listing_place at, char *buf,
				 size_t size)
{
	const struct tally_row *r = &answer(l)->rows[at.row];
	char what[64];

	if (answer(l)->query.group == TALLY_BY_CPU)
		snprintf(what, sizeof(what), "CPU %u", r->most->cpu);
	else
		snprintf(what, sizeof(what), "%.40s%s%s", r->name, *r->pid_text ? " pid " : "",
			 r->pid_text + strspn(r->pid_text, " "));
	snprintf(buf, size, "%s: %llu references, %llu misses of the %s", what,
		 (unsigned long long)r->n[CPU_CACHE_REFERENCES],
		 (unsigned long long)r->n[CPU_CACHE_MISSES], panes[answer(l)->query.cache].title);
}

static bool cpu_cache__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct tally_row *r = &answer(l)->rows[row];

	switch (answer(l)->query.group) {
	case TALLY_BY_CPU:
		return term__id("cpu", r->most->cpu, buf, size);
	case TALLY_BY_COMM:
		return term__name("comm", r->most->comm, buf, size);
	case TALLY_BY_CGROUP:
		return term__cgroup(r->most->cgroup, r->cgroup_name, buf, size);
	default:
		return r->most->tgid != TALLY_OTHERS && term__id("pid", r->most->tgid, buf, size);
	}
}

static void cpu_cache__report(const struct answer *base, const struct frame *f, struct report *r)
{
	const struct cpu_cache_answer *a = container_of(base, struct cpu_cache_answer, base);
	enum value_type type = a->known ? VALUE_COUNT : VALUE_NONE;

	r->view = panes[a->query.cache].report;
	r->window = window__text(a->query.window);
	r->group = tally_group_names[a->query.group];
	r->health = f->feeds[MODEL_CPU_CACHE].health;
	report__sum_number(r, "references", type, a->n[CPU_CACHE_REFERENCES]);
	report__sum_number(r, "misses", type, a->n[CPU_CACHE_MISSES]);
}

static const struct listing_ops cpu_cache_listing = {
	.ask = {.size = sizeof(struct cpu_cache_query),
		.model = MODEL_CPU_CACHE,
		.run = cpu_cache__run},
	.keys = &cpu_cache_keys,
	.groups = cpu_cache__groups,
	.set_groups = cpu_cache__set_groups,
	.window = cpu_cache__window,
	.headline = cpu_cache__headline,
	.above = cpu_cache__above,
	.empty = cpu_cache__empty,
	.cell_role = cpu_cache__role,
	.selection = cpu_cache__selection,
	.term = cpu_cache__term,
	.report = cpu_cache__report,
};

/* --- the screen --- */

static void show(struct cpu_cache_screen *s, enum cpu_cache cache)
{
	s->query.cache = cache;
	s->list.base.pane =
		pane_table[cache == CPU_CACHE_LLC ? PANE_view_cache_llc : PANE_view_cache_tlb];
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), panes[cache].name);
}

/* Each pane's key leads to the other one. */
static bool cpu_cache__action(struct screen *base, enum action a)
{
	struct cpu_cache_screen *s = (struct cpu_cache_screen *)base;

	if (a != ACTION_LLC && a != ACTION_TLB)
		return listing__action(base, a);
	show(s, a == ACTION_LLC ? CPU_CACHE_LLC : CPU_CACHE_TLB);
	listing__reset(&s->list);
	return true;
}

static void cpu_cache__free(struct screen *base)
{
	listing__fini((struct listing *)base);
	free(base);
}

static const struct screen_ops cpu_cache_ops = {
	LISTING_SCREEN,
	.section = "counters",
	.models = 1u << MODEL_CPU_CACHE,
	.free = cpu_cache__free,
	.action = cpu_cache__action,
	.hints = (const enum action[]){ACTION_GROUP_NEXT, ACTION_LLC, ACTION_TLB, ACTION_WINDOW,
				       ACTION_FILTER, ACTION_BACK, ACTION_PAUSE, ACTION_SNAPSHOT,
				       ACTION_NONE},
};

struct screen *cpu_cache__open(struct host *h, enum cpu_cache cache, const struct scope *extra)
{
	struct cpu_cache_screen *s = xcalloc(1, sizeof(*s));

	s->list.base = (struct screen){.ops = &cpu_cache_ops, .host = h};
	s->query.window = WINDOW_DECAY;
	listing__init(&s->list, h, &cpu_cache_listing, &s->query);
	s->list.asker.extra_scope = extra ? scope__get(extra) : NULL;
	show(s, cache);
	return &s->list.base;
}

/* --- as views of their own, for --view and batch mode --- */

static void query__init(struct cpu_cache_query *q, enum cpu_cache cache,
			const struct view_args *args, enum profile_window window)
{
	*q = (struct cpu_cache_query){.cache = cache, .window = window};
	if (args->group)
		q->group = tally_group__by_name(args->group);
	if (q->group == TALLY_GROUPS)
		q->group = TALLY_BY_PID;
}

static struct screen *pane__open(struct host *h, enum cpu_cache cache, const struct view_args *args)
{
	struct screen *s = cpu_cache__open(h, cache, NULL);

	query__init(&((struct cpu_cache_screen *)s)->query, cache, args, WINDOW_DECAY);
	return s;
}

static struct screen *llc__open(struct host *h, const struct view_args *args)
{
	return pane__open(h, CPU_CACHE_LLC, args);
}

static struct screen *tlb__open(struct host *h, const struct view_args *args)
{
	return pane__open(h, CPU_CACHE_TLB, args);
}

static int pane__batch(const struct frame *f, enum cpu_cache cache, const struct view_args *args,
		       const struct scope *scope, struct report *r)
{
	struct cpu_cache_query q;

	query__init(&q, cache, args, WINDOW_LAST);
	return listing__batch(&cpu_cache_listing, f, args, &q, scope, r);
}

static int llc__batch(const struct frame *f, const struct view_args *args,
		      const struct scope *scope, struct report *r)
{
	return pane__batch(f, CPU_CACHE_LLC, args, scope, r);
}

static int tlb__batch(const struct frame *f, const struct view_args *args,
		      const struct scope *scope, struct report *r)
{
	return pane__batch(f, CPU_CACHE_TLB, args, scope, r);
}

#define PANE_VIEW(name_, title_, open_, report_)                                                   \
	{                                                                                          \
		.name = name_, .title = title_, .models = 1u << MODEL_CPU_CACHE,                   \
		.feed = MODEL_CPU_CACHE, .terms = SCOPE_TERM_TASK,                                 \
		.groups = "pid comm cgroup cpu", .one_group = true, .open = open_,                 \
		.report = report_, .report_free = listing__report_free                             \
	}

const struct view_ops view_cache_llc = PANE_VIEW(
	"cache-llc", "the CPU's last-level cache: references and misses", llc__open, llc__batch);
const struct view_ops view_cache_tlb = PANE_VIEW(
	"cache-tlb", "the CPU's TLB of data: references and misses", tlb__open, tlb__batch);
