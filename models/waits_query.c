// SPDX-License-Identifier: GPL-2.0-only
/* Rows of waits that agree in what they are grouped by. */
#include "models/task_text.h"
#include "models/waits_result.h"
#include "models/windows.h"

/* --- grouping --- */

static bool by(const struct row_groups *g, enum waits_group group)
{
	return g->query->groups & WAITS_BIT(group);
}

/* Rows by process, not by thread. */
static bool is_by_process(const struct row_groups *g)
{
	return by(g, WAITS_BY_PID) && !by(g, WAITS_BY_TID);
}

static void find_storms(struct row_groups *g)
{
	const struct waits_snap *s = g->s.snap;

	for (u32 i = 0; is_by_process(g) && i < g->s.nwaits; i++) {
		const struct task_ident *t = &g->s.waits[i].entry->task;
		const struct wait_task *p = waits__process(s, t);

		if (p && p->gone && t->tgid != PROFILE_MERGED)
			storms__add(&g->storms, p->task.comm, waits__process_key(s, t));
	}
}

const struct storm *row_groups__storm(struct row_groups *g, const struct wait_entry *e)
{
	const struct wait_task *p = is_by_process(g) ? waits__process(g->s.snap, &e->task) : NULL;

	return p && p->gone && e->task.tgid != PROFILE_MERGED ? storms__of(&g->storms, p->task.comm) : NULL;
}

static u64 process_key(struct row_groups *g, const struct wait_entry *e)
{
	const struct storm *storm = row_groups__storm(g, e);

	return storm ? storm__key(storm) : waits__process_key(g->s.snap, &e->task);
}

static u64 group_key(struct row_groups *g, const struct picked_wait *w)
{
	const struct wait_entry *e = w->entry;
	u64 key = mix64_pair(g->query->groups, w->is.class);

	/* Who was preempted where others wait did not wait there. */
	if (by(g, WAITS_BY_STACK))
		key = mix64_pair(key, g->s.places[w->place].key + e->folded +
					      2 * (e->state == TASK_STATE_RUNNABLE));
	if (by(g, WAITS_BY_COMM))
		key = mix64_pair(key, hash_bytes(e->task.comm, strlen(e->task.comm)));
	if (by(g, WAITS_BY_TID))
		key = mix64_pair(key, task_ident__key(&e->task));
	else if (by(g, WAITS_BY_PID))
		key = mix64_pair(key, process_key(g, e));
	if (by(g, WAITS_BY_CGROUP))
		key = mix64_pair(key, e->task.cgroup);
	if (by(g, WAITS_BY_STATE))
		key = mix64_pair(key, e->state);
	if (by(g, WAITS_BY_REASON))
		key = mix64_pair(key, w->is.reason);
	if (by(g, WAITS_BY_HOST))
		key = mix64_pair(key, e->task.host);
	if (by(g, WAITS_BY_WAKER))
		key = mix64_pair(key, waits__waker_key(&g->s, e));
	return key;
}

static u32 find_group(struct row_groups *g, const struct picked_wait *w)
{
	u64 key = group_key(g, w);
	u32 at;

	HIDX_FIND(at, &g->index, key, pos, g->items[pos].row.key == key);
	if (at != HIDX_NONE)
		return at;
	g->items = xgrow(g->items, g->n, &g->cap, sizeof(*g->items));
	g->items[g->n] = (struct row_group){.row = {.key = key, .class = w->is.class}};
	hidx__add(&g->index, key, g->n);
	return g->n++;
}

/* True the first time that a thread is seen in a row. */
static bool new_thread(struct row_groups *g, u64 row, const struct task_ident *t)
{
	return hidx__put(&g->threads, mix64_pair(row, task_ident__key(t)));
}

static void add_sums(struct wait_sums *to, const struct wait_sums *from)
{
	to->count += from->count;
	to->off_ns += from->off_ns;
	to->runq_ns += from->runq_ns;
	to->full_ns += from->full_ns;
	to->max_ns = MAX(to->max_ns, from->max_ns);
	to->open += from->open;
	to->open_ns += from->open_ns;
}

static bool larger(const struct row_groups *g, const struct wait_entry *a,
		   const struct wait_entry *b)
{
	return !b || a->sums[g->s.window].off_ns > b->sums[g->s.window].off_ns;
}

static void add_lock_wait(struct row_groups *g, struct row_group *group, const struct wait_entry *e)
{
	if (larger(g, e, group->lock))
		group->lock = e;
	if (waits_selection__waker(&g->s, e) == WAKER_TASK && larger(g, e, group->lock_woken))
		group->lock_woken = e;
}

static void add_wait(struct row_groups *g, struct row_group *group, const struct picked_wait *w)
{
	const struct wait_sums *sums = picked_wait__sums(&g->s, w);
	const struct wait_entry *e = w->entry;

	add_sums(&group->row.sums, sums);
	group->states |= 1u << e->state;
	group->reasons |= 1u << w->is.reason;
	group->reason_ns[w->is.reason] += sums->off_ns;
	group->open_full_ns += sums->open ? e->open_full_ns : 0;
	group->row.merged |= e->ended;
	group->row.nthreads += new_thread(g, group->row.key, &e->task);
	if (larger(g, e, group->row.entry)) {
		group->row.entry = e;
		group->row.because = w->is.why;
		group->place = w->place;
	}
	if (waits_selection__waker(&g->s, e) == WAKER_TASK && larger(g, e, group->row.woken))
		group->row.woken = e;
	if (w->is.reason == WAIT_LOCK)
		add_lock_wait(g, group, e);
}

static bool in_range(const struct row_groups *g, const struct picked_wait *w)
{
	u64 max = picked_wait__sums(&g->s, w)->max_ns;

	return !g->query->longest_hi_ns ||
	       (max >= g->query->longest_lo_ns && max < g->query->longest_hi_ns);
}

/* What is in no row is not there. */
static void narrow(struct row_groups *g)
{
	u32 n = 0;

	for (u32 i = 0; i < g->s.nwaits; i++)
		if (in_range(g, &g->s.waits[i]))
			g->s.waits[n++] = g->s.waits[i];
	g->s.nwaits = n;
}

static void group_all(struct row_groups *g, struct waits_result *a)
{
	g->of = xmalloc(MAX(g->s.nwaits, 1u) * sizeof(*g->of));
	find_storms(g);
	for (u32 i = 0; i < g->s.nwaits; i++) {
		const struct picked_wait *w = &g->s.waits[i];

		g->of[i] = find_group(g, w);
		add_wait(g, &g->items[g->of[i]], w);
		if (w->is.class == CLASS_IDLE)
			a->idle_threads += new_thread(g, 0, &w->entry->task);
	}
}

/* Of user stacks, by time: their outermost function is not where threads begin. */
static double truncated_share(const struct row_groups *g)
{
	u64 whole = 0, truncated = 0;

	for (u32 i = 0; i < g->s.nwaits; i++) {
		const struct picked_wait *w = &g->s.waits[i];
		u64 ns = w->entry->sums[g->query->window].off_ns;

		switch (g->s.names.filtered[g->s.places[w->place].filtered].user) {
		case USER_TRUNCATED:
			truncated += ns;
			break;
		case USER_WHOLE:
			whole += ns;
			break;
		default:
			break;
		}
	}
	return waits__pct(truncated, truncated + whole);
}

static void row_groups__fini(struct row_groups *g)
{
	waits_selection__fini(&g->s);
	free(g->items);
	hidx__fini(&g->index);
	hidx__fini(&g->threads);
	storms__fini(&g->storms);
	hidx__fini(&g->lock_index);
	free(g->of);
}

/* --- rows --- */

static enum wait_reason main_reason(const struct row_group *group)
{
	enum wait_reason most = WAIT_REASONS;

	for (u32 i = 0; i < WAIT_REASONS; i++)
		if ((group->reasons & 1u << i) &&
		    (most == WAIT_REASONS || group->reason_ns[i] > group->reason_ns[most]))
			most = i;
	return most;
}

static bool one_bit(u32 bits)
{
	return !(bits & (bits - 1));
}

static u64 average(const struct row_group *group)
{
	const struct wait_sums *s = &group->row.sums;

	if (s->count)
		return window__mean(s->full_ns, s->count, s->max_ns);
	return s->open ? group->open_full_ns / s->open : 0;
}

static void finish_row(struct row_groups *g, struct row_group *group, const struct waits_result *a)
{
	struct waits_row *row = &group->row;

	row->why = main_reason(group);
	row->reason = one_bit(group->reasons) ? wait_reasons[row->why].name : "mixed";
	row->state = one_bit(group->states) ? wait_state__text(row->entry->state) : "mixed";
	row->symbols = g->s.snap->symbols;
	row_group__lock(g, group);
	row->woken_by = row->woken ? waits__waker_text(&g->s, row->woken) : "";
	row->ended_by = row->woken_by;
	if (row->holds_now)
		row->ended_by = task__who(g->s.names.arena, row->holder->tgid, row->holder->tid,
					  row->holder->comm);
	if (row->woken)
		row->woken_from = waits_selection__tracer(&g->s, row->woken->waker_kstack);
	row->avg_ns = average(group);
	row->pct = waits__pct(row->sums.off_ns, a->base.window_ns * row->nthreads);
	row->share_pct = waits__pct(row->sums.off_ns, waits_row__whole(row, a));
	row->mark = row->sums.open ? "+" : "";
	row->counted = row->sums.count || row->sums.open || !row->sums.off_ns;
	row->has_max = row->sums.max_ns || !row->sums.off_ns;
	row->single = !row->merged;
	row->idle = row->class == CLASS_IDLE;
	row_group__name(g, group);
}

static void sum_rows(const struct row_groups *g, struct waits_result *a)
{
	for (u32 i = 0; i < g->n; i++) {
		const struct waits_row *row = &g->items[i].row;

		a->class_ns[row->class] += row->sums.off_ns;
		if (row->class == CLASS_IDLE) {
			a->idle_ns += row->sums.off_ns;
			a->idle_rows++;
			continue;
		}
		a->off_ns += row->sums.off_ns;
		a->count += row->sums.count;
		a->open += row->sums.open;
	}
}

struct order {
	const struct waits_row *row;
	u32 source;
};

static int compare_rows(const void *pa, const void *pb)
{
	const struct waits_row *a = ((const struct order *)pa)->row;
	const struct waits_row *b = ((const struct order *)pb)->row;
	int c;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->sums.off_ns != b->sums.off_ns)
		return a->sums.off_ns < b->sums.off_ns ? 1 : -1;
	c = strcmp(a->name, b->name);
	return c ? c : (a->key > b->key) - (a->key < b->key);
}

/* Returns where each row comes from; the caller frees it. */
static u32 *make_rows(struct row_groups *g, struct waits_result *a, struct arena *arena)
{
	struct order *order = xmalloc(MAX(g->n, 1u) * sizeof(*order));
	u32 *sources = xmalloc(MAX(g->n, 1u) * sizeof(*sources));
	struct waits_row *rows;

	for (u32 i = 0; i < g->n; i++) {
		struct row_group *group = &g->items[i];

		if (group->row.class == CLASS_IDLE && !g->query->idle)
			continue;
		finish_row(g, group, a);
		a->base.table.nfirst += group->row.class == CLASS_HARMFUL;
		a->base.table.nlast += group->row.class == CLASS_IDLE;
		order[a->nrows++] = (struct order){&group->row, i};
	}
	qsort(order, a->nrows, sizeof(*order), compare_rows);
	rows = arena__array(arena, struct waits_row, a->nrows);
	for (u32 i = 0; i < a->nrows; i++) {
		rows[i] = *order[i].row;
		sources[i] = order[i].source;
	}
	a->rows = rows;
	free(order);
	return sources;
}

/* --- answers --- */

static struct waits_result *new_result(const struct waits_snap *snap, const struct waits_query *q)
{
	struct waits_result *a = window_result__new(sizeof(*a), &snap->base, q->window);
	char grouping[WAITS_GROUPS_TEXT];

	a->query = *q;
	a->query.nunfolded = MIN(q->nunfolded, RESULT_MAX_UNFOLDED);
	a->grouping = arena__strdup(&a->base.arena,
				    waits_groups__text(q->groups, grouping, sizeof(grouping)));
	return a;
}

struct waits_result *waits__query(const struct waits_snap *snap, const struct waits_query *q,
				  const struct scope *scope)
{
	struct waits_result *a = new_result(snap, q);
	struct row_groups g = {.query = &a->query};
	u32 *sources;

	waits_selection__init(&g.s, &a->base.arena, snap, q->window, q->caller_first, scope);
	waits_selection__fill(&g.s, 0, 0);
	narrow(&g);
	group_all(&g, a);
	sum_rows(&g, a);
	a->truncated_pct = truncated_share(&g);
	sources = make_rows(&g, a, &a->base.arena);
	waits_result__table(a);
	waits_result__trees(a, &g, sources);
	a->base.unresolved = waits_selection__pending(&g.s);
	free(sources);
	row_groups__fini(&g);
	return a;
}
