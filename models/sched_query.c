// SPDX-License-Identifier: GPL-2.0-only
/* Rows of threads, processes, commands, cgroups and CPUs with what they waited and ran. */
#include <stdio.h>

#include "base/bisect.h"
#include "base/hidx.h"
#include "models/sched_result.h"
#include "models/storms.h"
#include "models/task_text.h"

const char *const sched_group_names[SCHED_GROUPS] = {
	[SCHED_BY_TID] = "tid",	      [SCHED_BY_PID] = "pid", [SCHED_BY_COMM] = "comm",
	[SCHED_BY_CGROUP] = "cgroup", [SCHED_BY_CPU] = "cpu",
};

/* Threads that share a row. */
struct group {
	u64 key;
	const struct sched_task *task; /* names it */
	u32 nthreads;
	u32 n, first; /* in grouping.members */
	const struct storm *storm; /* NULL: it is a single one */
};

struct grouping {
	const struct sched_snap *snap;
	const struct sched_query *query;
	const struct scope *scope;
	struct arena *arena;
	struct group *items;
	u32 n, cap;
	struct hidx index;
	struct storms storms; /* by pid */
	u32 *of;      /* by task: its group, HIDX_NONE when it is left out */
	u32 *members; /* tasks by group */
	struct sched_hist hists[SCHED_HISTS]; /* of one row at a time */
};

/* --- what is shared --- */

bool sched__passes(const struct scope *scope, const struct task_ident *t, u32 cpu)
{
	return scope__task(scope, t->tgid, t->tid, cpu, t->cgroup, t->comm) &&
	       scope__thread(scope, t->kthread);
}

static const char *sched__who(struct arena *a, const struct task_ident *t)
{
	return t->tid ? task__who(a, t->tgid, t->tid, t->comm) : "idle";
}

const char *sched__id_text(struct arena *a, u32 id, int width)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "%*u", width, id);
	return arena__strdup(a, buf);
}

/* --- grouping --- */

/* In the order of tasks: whether it is a thread before the main one that began by then, or that one. */
static bool is_before(const struct task_ident *x, u32 tgid, u64 until)
{
	return x->tgid != tgid ? x->tgid < tgid : x->tid != tgid ? x->tid < tgid : x->start_ns <= until;
}

/* The main thread of a thread's process: that of its pid that began last before it, as numbers are used
 * again. NULL: not known. */
static const struct sched_task *main_thread(const struct sched_snap *s, const struct task_ident *t)
{
	u64 until = t->tid == PROFILE_MERGED ? UINT64_MAX : t->start_ns;
	const struct sched_task *found;
	u32 n;

	BISECT(n, 0, s->ntasks, i, is_before(&s->tasks[i].task, t->tgid, until));
	found = n ? &s->tasks[n - 1] : NULL;
	return found && found->task.tgid == t->tgid && found->task.tid == t->tgid ? found : NULL;
}

static bool task_counts(const struct grouping *g, const struct sched_task *t)
{
	const struct sched_sums *s = &t->sums[g->query->window];

	if (!s->span_ns && !s->runs)
		return false;
	if (g->query->by_cpu && t->cpu != g->query->cpu)
		return false;
	return sched__passes(g->scope, &t->task, t->cpu);
}

static void find_storms(struct grouping *g)
{
	for (u32 i = 0; g->query->group == SCHED_BY_PID && i < g->snap->ntasks; i++) {
		const struct sched_task *t = &g->snap->tasks[i];

		if (t->gone && t->task.tid == t->task.tgid && t->task.tgid != PROFILE_MERGED &&
		    task_counts(g, t))
			storms__add(&g->storms, t->task.comm,
				    mix64_pair(t->task.tgid, t->task.start_ns));
	}
}

static u64 process_key(const struct grouping *g, const struct sched_task *t,
		       const struct storm **storm)
{
	const struct sched_task *main = main_thread(g->snap, &t->task);

	*storm = main && main->gone && t->task.tgid != PROFILE_MERGED ? storms__of(&g->storms, main->task.comm)
								       : NULL;
	return *storm ? storm__key(*storm)
		      : mix64_pair(t->task.tgid, main ? main->task.start_ns : 0);
}

static u64 group_key(const struct grouping *g, const struct sched_task *t, const struct storm **storm)
{
	enum sched_group by = g->query->group;
	u64 seed = by + 1;

	switch (by) {
	case SCHED_BY_PID:
		if (t->task.tgid == PROFILE_MERGED)
			return mix64_pair(seed, t->task.tgid);
		return mix64_pair(seed, process_key(g, t, storm));
	case SCHED_BY_COMM:
		return mix64_pair(seed, hash_bytes(t->task.comm, strlen(t->task.comm)));
	case SCHED_BY_CGROUP:
		return mix64_pair(seed, t->task.cgroup);
	default:
		return mix64_pair(mix64_pair(seed, t->task.tid), t->task.start_ns);
	}
}

/* A process is named by its main thread; what runs now rather than what ran. */
static bool is_better_label(const struct sched_task *a, const struct sched_task *b,
			    const struct sched_query *q)
{
	bool amain = a->task.tid == a->task.tgid, bmain = b->task.tid == b->task.tgid;

	if (q->group == SCHED_BY_PID && amain != bmain)
		return amain;
	if (a->gone != b->gone)
		return b->gone;
	return a->sums[q->window].state_ns[TASK_STATE_RUNNING] >
	       b->sums[q->window].state_ns[TASK_STATE_RUNNING];
}

static u32 find_group(struct grouping *g, const struct sched_task *t)
{
	const struct storm *storm = NULL;
	u64 key = group_key(g, t, &storm);
	u32 at;

	HIDX_FIND(at, &g->index, key, pos, g->items[pos].key == key);
	if (at == HIDX_NONE) {
		g->items = xgrow(g->items, g->n, &g->cap, sizeof(*g->items));
		g->items[g->n] = (struct group){.key = key, .task = t, .storm = storm};
		hidx__add(&g->index, key, g->n);
		at = g->n++;
	} else if (is_better_label(t, g->items[at].task, g->query)) {
		g->items[at].task = t;
	}
	return at;
}

static void make_groups(struct grouping *g)
{
	u32 n = g->snap->ntasks, first = 0;

	find_storms(g);
	g->of = xmalloc(n * sizeof(*g->of));
	g->members = xmalloc(n * sizeof(*g->members));
	for (u32 i = 0; i < n; i++) {
		const struct sched_task *t = &g->snap->tasks[i];

		g->of[i] = task_counts(g, t) ? find_group(g, t) : HIDX_NONE;
		if (g->of[i] == HIDX_NONE)
			continue;
		g->items[g->of[i]].n++;
		g->items[g->of[i]].nthreads += t->n;
	}
	for (u32 i = 0; i < g->n; i++) {
		g->items[i].first = first;
		first += g->items[i].n;
		g->items[i].n = 0;
	}
	for (u32 i = 0; i < n; i++)
		if (g->of[i] != HIDX_NONE) {
			struct group *to = &g->items[g->of[i]];

			g->members[to->first + to->n++] = i;
		}
}

static void grouping__fini(struct grouping *g)
{
	free(g->items);
	hidx__fini(&g->index);
	storms__fini(&g->storms);
	free(g->of);
	free(g->members);
}

/* --- rows --- */

/* A thread that waits and waits is in no histogram yet. */
static void add_open_wait(struct sched_sums *to, const struct sched_task *t, u64 now)
{
	if (t->state == TASK_STATE_RUNNABLE && !t->gone && t->since_ns && now > t->since_ns)
		to->delay_max_ns = MAX(to->delay_max_ns, now - t->since_ns);
}

static void add_quantiles(struct sched_row *r, const struct sched_hist *h)
{
	u64 wait_max = r->sums.delay_max_ns, run_max = r->sums.run_max_ns;

	r->wait_p50_ns = sched_hist__quantile(&h[SCHED_DELAY], 0.50, wait_max);
	r->wait_p95_ns = sched_hist__quantile(&h[SCHED_DELAY], 0.95, wait_max);
	r->wait_p99_ns = sched_hist__quantile(&h[SCHED_DELAY], 0.99, wait_max);
	r->on_p50_ns = sched_hist__quantile(&h[SCHED_ON], 0.50, run_max);
	r->on_p99_ns = sched_hist__quantile(&h[SCHED_ON], 0.99, run_max);
	r->off_p50_ns = sched_hist__quantile(&h[SCHED_OFF], 0.50, UINT64_MAX);
	r->off_p99_ns = sched_hist__quantile(&h[SCHED_OFF], 0.99, UINT64_MAX);
}

static void add_totals(struct sched_result *a, const struct sched_sums *sums,
		       const struct sched_hist *hists)
{
	sched_sums__add(&a->sums, sums);
	for (u32 k = 0; k < SCHED_HISTS; k++)
		sched_hist__merge(&a->hists[k], &hists[k]);
}

static void sum_group(struct grouping *g, const struct group *from, struct sched_row *r)
{
	memset(g->hists, 0, sizeof(g->hists));
	r->ended = g->query->group == SCHED_BY_TID || g->query->group == SCHED_BY_PID;
	for (u32 i = 0; i < from->n; i++) {
		const struct sched_task *t = &g->snap->tasks[g->members[from->first + i]];

		r->ended &= t->gone || t->task.tid == PROFILE_MERGED;
		sched_sums__add(&r->sums, &t->sums[g->query->window]);
		add_open_wait(&r->sums, t, g->snap->base.t1_ns);
		for (u32 k = 0; k < TREND_LEN; k++)
			r->trend[k] += t->trend[k];
		for (u32 k = 0; k < SCHED_HISTS; k++)
			sched_hist__add(&g->hists[k], &t->hists[k], g->query->window);
	}
	add_quantiles(r, g->hists);
}

static void name_row(struct sched_row *r, const struct group *from, struct grouping *g)
{
	const struct sched_task *t = from->task;
	enum sched_group by = g->query->group;

	r->task = t;
	r->comm = by == SCHED_BY_CGROUP ? "" : t->task.comm;
	r->cgroup_name = by == SCHED_BY_CGROUP ? task__cgroup_text(g->arena, t->task.cgroup) : "";
	if ((by == SCHED_BY_TID || by == SCHED_BY_PID) && t->task.tgid != PROFILE_MERGED)
		r->pid_text = sched__id_text(g->arena, t->task.tgid, 7);
	if (from->storm) {
		r->starts = from->storm->n;
		r->pid_text = storm__text(from->storm, g->arena);
	}
	if (by == SCHED_BY_TID && t->task.tid != PROFILE_MERGED) {
		r->tid_text = sched__id_text(g->arena, t->task.tid, 7);
		r->cpu_text = sched__id_text(g->arena, t->cpu, 4);
		r->thread_name = task__thread_name(g->arena, t->task.tgid, t->task.tid,
						   t->task.start_ns);
	}
	if (r->pid_text && !from->storm)
		r->cmdline = task__cmdline(g->arena, t->task.tgid,
					   t->task.tid == PROFILE_MERGED ? 0 : t->task.start_ns);
	r->name = by == SCHED_BY_CGROUP ? r->cgroup_name : r->comm;
}

/* Waiting for a CPU all the time is what must not be hidden. */
static bool did_run(const struct sched_sums *s)
{
	return s->runs || s->delays || s->state_ns[TASK_STATE_RUNNING] ||
	       s->state_ns[TASK_STATE_RUNNABLE];
}

/* Forgotten threads have no ids: they pass where no set of ids is asked for. */
static bool others_count(const struct grouping *g)
{
	const struct sched_sums *s = &g->snap->others[g->query->window];
	const struct task_ident nobody = {.tgid = UINT32_MAX, .tid = UINT32_MAX};

	return (s->span_ns || s->runs) && !g->query->by_cpu &&
	       sched__passes(g->scope, &nobody, UINT32_MAX);
}

/* Whether its ids, which are not known any more, may be among those asked for. */
static bool may_be_meant(const struct scope *scope, const struct task_ident *t)
{
	return scope && ((t->tid == PROFILE_MERGED && scope->include[SCOPE_TID].active) ||
			 (t->tgid == PROFILE_MERGED && scope->include[SCOPE_PID].active));
}

static void note_left_out(const struct grouping *g, struct sched_result *a)
{
	const struct sched_sums *s = &g->snap->others[g->query->window];

	if ((s->span_ns || s->runs) && !others_count(g)) {
		a->left_out = g->snap->nothers;
		a->left_out_runs = s->runs;
	}
	for (u32 i = 0; i < g->snap->ntasks; i++) {
		const struct sched_task *t = &g->snap->tasks[i];

		if (g->of[i] != HIDX_NONE || !may_be_meant(g->scope, &t->task))
			continue;
		a->left_out += t->n;
		a->left_out_runs += t->sums[g->query->window].runs;
	}
}

static void fill_others(struct grouping *g, struct sched_result *a, struct sched_row *r)
{
	enum time_window w = g->query->window;
	bool cgroup = g->query->group == SCHED_BY_CGROUP;

	*r = (struct sched_row){.key = mix64(SCHED_GROUPS + 1), .name = "[others]"};
	r->comm = cgroup ? "" : r->name;
	r->cgroup_name = cgroup ? r->name : "";
	r->nthreads = g->snap->nothers;
	r->sums = g->snap->others[w];
	r->oncpu_pct = sched__pct(r->sums.state_ns[TASK_STATE_RUNNING], a->base.window_ns);
	add_quantiles(r, g->snap->other_hists[w]);
	add_totals(a, &r->sums, g->snap->other_hists[w]);
}

static int by_oncpu(const void *a, const void *b)
{
	const struct sched_row *x = a, *y = b;
	u64 xon = x->sums.state_ns[TASK_STATE_RUNNING], yon = y->sums.state_ns[TASK_STATE_RUNNING];

	if (xon != yon)
		return xon > yon ? -1 : 1;
	if (x->sums.delay_ns != y->sums.delay_ns)
		return x->sums.delay_ns > y->sums.delay_ns ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static void fill_threads(struct grouping *g, struct sched_result *a)
{
	struct sched_row *rows;
	u32 n = 0;

	make_groups(g);
	rows = arena__array(g->arena, struct sched_row, g->n + 1);
	for (u32 i = 0; i < g->n; i++) {
		const struct group *from = &g->items[i];
		struct sched_row *r = &rows[n];

		*r = (struct sched_row){.key = from->key, .nthreads = from->nthreads};
		sum_group(g, from, r);
		add_totals(a, &r->sums, g->hists);
		if (!g->query->all && !did_run(&r->sums)) {
			a->hidden += from->nthreads;
			continue;
		}
		r->oncpu_pct = sched__pct(r->sums.state_ns[TASK_STATE_RUNNING], a->base.window_ns);
		name_row(r, from, g);
		n++;
	}
	if (others_count(g))
		fill_others(g, a, &rows[n++]);
	note_left_out(g, a);
	qsort(rows, n, sizeof(*rows), by_oncpu);
	a->rows = rows;
	a->nrows = n;
}

/* --- CPUs --- */

static void fill_cpu(struct grouping *g, const struct sched_cpu *c, struct sched_row *r)
{
	enum time_window w = g->query->window;
	struct sched_hist h[SCHED_HISTS] = {0};

	*r = (struct sched_row){.key = mix64_pair(SCHED_BY_CPU + 1, c->cpu), .cpu = c};
	r->sums = c->sums[w];
	memcpy(r->trend, c->trend, sizeof(r->trend));
	r->oncpu_pct = sched__pct(r->sums.state_ns[TASK_STATE_RUNNING], r->sums.span_ns);
	r->name = sched__id_text(g->arena, c->cpu, 4);
	r->comm = r->cgroup_name = "";
	r->running = sched__who(g->arena, &c->running);
	r->longest = c->longest[w].ns ? sched__who(g->arena, &c->longest[w].who) : "";
	sched_hist__add(&h[SCHED_DELAY], &c->delays, w);
	r->wait_p50_ns = sched_hist__quantile(&h[SCHED_DELAY], 0.50, UINT64_MAX);
	r->wait_p95_ns = sched_hist__quantile(&h[SCHED_DELAY], 0.95, UINT64_MAX);
	r->wait_p99_ns = sched_hist__quantile(&h[SCHED_DELAY], 0.99, UINT64_MAX);
}

static bool cpu_passes(const struct scope *s, u32 cpu)
{
	return !s || ((!s->include[SCOPE_CPU].active || id_set__has(&s->include[SCOPE_CPU], cpu)) &&
		      !id_set__has(&s->exclude[SCOPE_CPU], cpu));
}

/* The threads' numbers above the table are the same as in the other groupings. */
static void sum_threads(struct grouping *g, struct sched_result *a)
{
	struct sched_row r;

	for (u32 i = 0; i < g->snap->ntasks; i++) {
		const struct sched_task *t = &g->snap->tasks[i];

		if (!task_counts(g, t))
			continue;
		sched_sums__add(&a->sums, &t->sums[g->query->window]);
		add_open_wait(&a->sums, t, g->snap->base.t1_ns);
		for (u32 k = 0; k < SCHED_HISTS; k++)
			sched_hist__add(&a->hists[k], &t->hists[k], g->query->window);
	}
	if (others_count(g))
		fill_others(g, a, &r);
}

static void fill_cpus(struct grouping *g, struct sched_result *a)
{
	struct sched_row *rows = arena__array(g->arena, struct sched_row, g->snap->ncpus);

	for (u32 i = 0; i < g->snap->ncpus; i++)
		if (cpu_passes(g->scope, g->snap->cpus[i].cpu))
			fill_cpu(g, &g->snap->cpus[i], &rows[a->nrows++]);
	a->rows = rows;
	sum_threads(g, a);
}

/* --- the answer --- */

struct sched_result *sched__query(const struct sched_snap *snap, const struct sched_query *q,
				  const struct scope *scope)
{
	struct sched_result *a = window_result__new(sizeof(*a), &snap->base, q->window);
	struct grouping g = {.snap = snap, .query = q, .scope = scope, .arena = &a->base.arena};

	a->query = *q;
	if (q->group == SCHED_BY_CPU)
		fill_cpus(&g, a);
	else
		fill_threads(&g, a);
	grouping__fini(&g);
	a->delays = sched_hist__value(&a->hists[SCHED_DELAY], &a->base.arena);
	sched_result__table(a);
	return a;
}
