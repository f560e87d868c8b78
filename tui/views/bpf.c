// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs: what each of them costs, whose it is, where it is attached. */
#include <stdio.h>

#include "base/arena.h"
#include "models/windows.h"
#include "tui/views/bpf_parts.h"
#include "tui/views/terms.h"
#include "tui/views/window.h"

struct bpf_screen {
	struct listing list;
	struct bpf_query query;
};

static struct bpf_screen *of(const struct listing *l)
{
	return container_of(l, struct bpf_screen, list);
}

static const struct bpf_result *result(const struct listing *l)
{
	return container_of(l->result, struct bpf_result, base);
}

QUERY_RUN(bpf__run, bpf__query, MODEL_BPF)

static const struct listing_view the_view;

/* --- query --- */

static const enum action group_actions[BPF_GROUPS] = {
	[BPF_BY_PROGRAM] = ACTION_GROUP_LABEL_1,
	[BPF_BY_TYPE] = ACTION_GROUP_LABEL_2,
	[BPF_BY_COMM] = ACTION_GROUP_COMM,
	[BPF_BY_PID] = ACTION_GROUP_PID,
};
static const struct group_keys bpf_keys = {bpf_group_names, group_actions, BPF_GROUPS, true};

/* --- what it says --- */

static void add_costs(const struct bpf_result *a, struct headline *line)
{
	char rate[16], all[16], own[16];

	format__count(rate, sizeof(rate), window__per_second(a->n[BPF_RUNS], a->base.window_ns));
	format__pct(all, sizeof(all), bpf__cpu_pct(a->n[BPF_RUN_NS], a->base.window_ns));
	format__pct(own, sizeof(own), bpf__cpu_pct(a->own[BPF_RUN_NS], a->base.window_ns));
	headline__addf(line, ROLE_TEXT, " · %u programs · %s runs/s · %s%% of a CPU", a->nprogs,
		       rate, all);
	headline__addf(line, ROLE_DIM, " · proftop's own %u: %s%%", a->nown, own);
}

static void bpf__headline(struct listing *l, struct headline *line)
{
	const struct bpf_query *q = &of(l)->query;
	char key[16];

	headline__addf(line, ROLE_STRONG, "by %s", bpf_group_names[q->group]);
	headline__addf(line, ROLE_DIM, " [%s] · %s",
		       host__key(l->base.host, ACTION_GROUP_NEXT, key, sizeof(key)),
		       window__text(q->window));
	if (l->result)
		add_costs(result(l), line);
}

static void statistics_text(const struct bpf_state_sample *s, char *buf, size_t size)
{
	if (!s->by_sysctl && !*s->others)
		snprintf(buf, size, "only while this view is open");
	else
		snprintf(buf, size, "also on by %s%s%s",
			 s->by_sysctl ? "kernel.bpf_stats_enabled" : "",
			 s->by_sysctl && *s->others ? ", " : "", s->others);
}

/* The formula, with the numbers of all rows. */
static int bpf__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct bpf_result *a = result(l);
	struct headline line = {c, {area.x, area.y, area.w, 1}, area.x};
	char rate[16], cost[16], pct[16], text[256];
	u64 avg = a->n[BPF_RUN_NS] / MAX(a->n[BPF_RUNS], 1ULL);

	if (area.h < 4)
		return 0;
	format__count(rate, sizeof(rate), window__per_second(a->n[BPF_RUNS], a->base.window_ns));
	format__ns(cost, sizeof(cost), avg);
	format__pct(pct, sizeof(pct), bpf__cpu_pct(a->n[BPF_RUN_NS], a->base.window_ns) /
					      MAX(a->state.ncpus, 1u));
	headline__addf(&line, ROLE_TEXT, "%s/s x %s / %u CPUs = %s%% of the machine", rate, cost,
		       a->state.ncpus, pct);
	statistics_text(&a->state, text, sizeof(text));
	headline__addf(&line, ROLE_DIM, " · run-time statistics %s", text);
	return 1;
}

bool bpf__waiting(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to BPF programs' statistics",
						"look at BPF programs", "looking at BPF programs"};

	return listing__waiting(l, &words, buf, size);
}

static void bpf__empty(const struct listing *l, char *buf, size_t size)
{
	char more[MORE_TEXT];

	if (!bpf__waiting(l, buf, size))
		snprintf(buf, size, "no BPF program is loaded by processes in scope (%s)",
			 listing__more(l, more));
}

static enum role bpf__role(const struct listing *l, u32 row, u32 column)
{
	const struct bpf_row *r = &result(l)->rows[row];
	const struct row_table *t = &l->result->table;
	double cpu = bpf__cpu_pct(r->n[BPF_RUN_NS], l->result->window_ns);
	struct value v;

	if (r->gone || !t->cell(t, row, column, &v))
		return ROLE_DIM;
	if (!strcmp(t->columns[column].name, "map_fill_pct") && v.type == VALUE_PCT)
		return v.f >= 99 ? ROLE_HOT : v.f >= 90 ? ROLE_WARM : ROLE_TEXT;
	if (v.type == VALUE_PCT)
		return cpu >= 10 ? ROLE_HOT : cpu >= 1 ? ROLE_WARM : ROLE_TEXT;
	if (v.type == VALUE_COUNT && !v.u)
		return ROLE_DIM;
	return ROLE_TEXT;
}

static void program_text(const struct bpf_row *r, char *buf, size_t size)
{
	const struct bpf_prog_sample *s = &r->first->s;
	char maps[120] = "";

	if (r->fill_pct >= 0)
		snprintf(maps, sizeof(maps), " · map %.16s is %.1f%% full", r->fullest, r->fill_pct);
	snprintf(buf, size, "%s%s · held by %s · %s%s%s%s", s->name, r->gone ? " (gone)" : "",
		 *r->owners ? r->owners : "no process: a link or a pin keeps it",
		 *s->attached ? "attached to " : "no link or perf event attaches it", s->attached,
		 r->n[BPF_MISSES] ? " · runs were left out: it ran on that CPU already" : "", maps);
}

static void bpf__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct bpf_row *r = &result(l)->rows[at.row];

	if (result(l)->query.group == BPF_BY_PROGRAM)
		program_text(r, buf, size);
	else
		snprintf(buf, size, "%u programs, %u of them proftop's", r->nprogs, r->nown);
}

static bool bpf__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct bpf_prog_sample *s = &result(l)->rows[row].first->s;

	if (!s->nowners)
		return false;
	switch (result(l)->query.group) {
	case BPF_BY_TYPE:
		return false;
	case BPF_BY_COMM:
		return term__name("comm", s->owners[0].comm, buf, size);
	default:
		return term__id("pid", s->owners[0].tgid, buf, size);
	}
}

/* --- drills --- */

/* To the programs of a row that sums some up. */
static void push_programs(struct listing *l, u32 row)
{
	const struct bpf_row *r = &result(l)->rows[row];
	struct bpf_query q = of(l)->query;
	const struct scope *narrow = NULL;
	char term[TERM_MAX] = "";

	if (q.group == BPF_BY_TYPE)
		copy_str(q.type, sizeof(q.type), r->first->s.type);
	else if (!(narrow = listing__narrow_to_row(l, row, term, sizeof(term))))
		return host__message(l->base.host, ROLE_WARN, "no process holds these programs");
	q.group = BPF_BY_PROGRAM;
	host__push(l->base.host,
		   &listing__drill_to(&the_view, l, &q, *term ? term : q.type, narrow)->base);
}

static bool bpf__drill(struct listing *l, struct listing_place at)
{
	const struct bpf_row *r = &result(l)->rows[at.row];

	if (result(l)->query.group != BPF_BY_PROGRAM)
		push_programs(l, at.row);
	else if (r->gone)
		host__message(l->base.host, ROLE_WARN, "this program is gone");
	else
		host__push(l->base.host, bpf_code__open(l->base.host, &r->first->s));
	return true;
}

/* --- reports --- */

static void bpf__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct bpf_result *a = container_of(base, struct bpf_result, base);

	r->view = "bpf";
	r->window = window__text(a->query.window);
	r->group = bpf_group_names[a->query.group];
	r->health = f->feeds[MODEL_BPF].health;
	report__sum_number(r, "programs", VALUE_COUNT, a->nprogs);
	report__sum_number(r, "own_programs", VALUE_COUNT, a->nown);
	report__sum_number(r, "runs", VALUE_COUNT, a->n[BPF_RUNS]);
	report__sum_number(r, "run_ns", VALUE_NS, a->n[BPF_RUN_NS]);
	report__sum_number(r, "own_run_ns", VALUE_NS, a->own[BPF_RUN_NS]);
	report__sum_number(r, "cpus", VALUE_COUNT, a->state.ncpus);
	report__sum_number(r, "stats_sysctl", VALUE_BOOL, a->state.by_sysctl);
	report__sum(r, "stats_others", (struct value){.type = VALUE_TEXT, .s = a->state.others});
	report__sum_number(r, "window_ns", VALUE_NS, a->base.window_ns);
}

/* --- the screen --- */

static const struct listing_ops bpf_listing = {
	.ask = {.size = sizeof(struct bpf_query), .model = MODEL_BPF, .run = bpf__run},
	.keys = &bpf_keys,
	.at.group = LISTING_AT(struct bpf_query, group),
	.at.window = LISTING_AT(struct bpf_query, window),
	.headline = bpf__headline,
	.above = bpf__above,
	.empty = bpf__empty,
	.cell_role = bpf__role,
	.drill = bpf__drill,
	.selection = bpf__selection,
	.term = bpf__term,
	.report = bpf__report,
};

static bool bpf__action(struct screen *base, enum action a)
{
	if (a != ACTION_MAPS)
		return listing__action(base, a);
	host__push(base->host, bpf_maps__open(base->host, NULL));
	return true;
}

static const struct screen_ops bpf_screen_ops = {
	LISTING_SCREEN,
	.section = "bpf",
	.free = listing__free,
	.action = bpf__action,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_GROUP_NEXT, ACTION_MAPS, ACTION_WINDOW,
				       ACTION_FILTER, ACTION_PAUSE, ACTION_NONE},
};

static const struct listing_view the_view = {
	LISTING_VIEW(struct bpf_screen, &bpf_screen_ops, &bpf_listing),
	.groups = 1u << BPF_BY_PROGRAM,
	.window = WINDOW_DECAY,
};

const struct view_ops view_bpf = {
	.name = "bpf",
	.title = "BPF programs: what each costs, whose it is, its maps; proftop's own too",
	.models = 1ULL << MODEL_BPF,
	.rests_at_once = true,
	.feed = MODEL_BPF,
	.screens = "bpf-code bpf-maps",
	.groups = "program type comm pid",
	.one_group = true,
	LISTING_VIEW_OPS(&the_view),
};
