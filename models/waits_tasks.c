// SPDX-License-Identifier: GPL-2.0-only
/* Where each thread's time went: the states it was in, which sum to its span. */
#include "models/waits_model.h"

static u64 task_hash(const struct task_ident *t)
{
	return mix64_pair(t->tgid | (u64)t->tid << 32, t->start_ns) ^ t->host;
}

static bool same_task(const struct task_ident *a, const struct task_ident *b)
{
	return a->tid == b->tid && a->tgid == b->tgid && a->start_ns == b->start_ns && a->host == b->host;
}

static struct live_task *task_entry(struct model *m, const struct task_ident *task)
{
	u64 hash = task_hash(task);
	u32 at;

	HIDX_FIND(at, &m->task_index, hash, pos, same_task(&m->tasks[pos].task, task));
	if (at != HIDX_NONE)
		return &m->tasks[at];
	m->tasks = xgrow(m->tasks, m->ntasks, &m->tasks_cap, sizeof(*m->tasks));
	m->tasks[m->ntasks] = (struct live_task){.task = *task};
	hidx__add(&m->task_index, hash, m->ntasks);
	return &m->tasks[m->ntasks++];
}

/* --- the bound --- */

static void merge_task(struct live_task *to, const struct live_task *from)
{
	for (u32 i = 0; i < TASK_STATES; i++) {
		to->now[i] += from->now[i];
		to->total[i] += from->total[i];
		to->decay[i] += from->decay[i];
	}
	to->fresh = MAX(to->fresh, from->fresh);
}

/* Those that ended first, then those that took the least time. */
static double task_heat(const struct live_task *t)
{
	double heat = t->gone ? -1e30 : 0;

	for (u32 i = 0; i < TASK_STATES; i++)
		heat += t->decay[i];
	return heat;
}

struct rank {
	double heat;
	u32 pos;
};

static int compare_rank(const void *pa, const void *pb)
{
	const struct rank *a = pa, *b = pb;

	if (a->heat != b->heat)
		return a->heat < b->heat ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* In place, after their numbers have changed: equal ones become one. */
static void reindex_tasks(struct model *m)
{
	u32 n = m->ntasks;

	m->ntasks = 0;
	hidx__clear(&m->task_index);
	for (u32 i = 0; i < n; i++) {
		struct live_task t = m->tasks[i], *to = task_entry(m, &t.task);

		to->gone = t.gone || t.task.tid == PROFILE_MERGED;
		merge_task(to, &t);
	}
}

static void forget_thread(struct live_task *t, bool process)
{
	t->task.tid = PROFILE_MERGED;
	t->task.start_ns = 0;
	if (process)
		t->task.tgid = PROFILE_MERGED;
}

/* Threads of a process become one; then all become one. */
static void merge_coldest(struct model *m, bool processes)
{
	struct rank *ranks = xmalloc(m->ntasks * sizeof(*ranks));

	for (u32 i = 0; i < m->ntasks; i++)
		ranks[i] = (struct rank){task_heat(&m->tasks[i]), i};
	qsort(ranks, m->ntasks, sizeof(*ranks), compare_rank);
	for (u32 i = 0; i < m->ntasks / 2; i++)
		forget_thread(&m->tasks[ranks[i].pos], processes);
	free(ranks);
	reindex_tasks(m);
}

struct hidx waits__living(const struct model *m)
{
	struct hidx set = {0};

	for (u32 i = 0; i < m->ntasks; i++)
		if (!m->tasks[i].gone)
			hidx__put(&set, waits__process_hash(m->tasks[i].task.tgid, m->tasks[i].task.host));
	return set;
}

static bool is_single(const struct live_task *t)
{
	return t->task.tid != PROFILE_MERGED;
}

/* The first n that ended. Of a process that goes on they are its own still. */
static void merge_ended(struct model *m, u32 n)
{
	struct hidx living = waits__living(m);

	for (u32 i = 0; i < m->ntasks; i++) {
		struct live_task *t = &m->tasks[i];
		bool due = t->gone && is_single(t) && n;

		n -= due;
		if (due || !is_single(t))
			forget_thread(t, !hidx__has(&living, waits__process_hash(t->task.tgid, t->task.host)));
	}
	hidx__fini(&living);
	reindex_tasks(m);
}

static void trim_ended(struct model *m)
{
	u32 ended = 0;

	for (u32 i = 0; i < m->ntasks; i++)
		ended += m->tasks[i].gone && is_single(&m->tasks[i]);
	if (ended > m->most_ended)
		merge_ended(m, ended - m->most_ended / 4 * 3);
}

static void compact_tasks(struct model *m)
{
	merge_coldest(m, false);
	if (m->ntasks > m->most_tasks / 4 * 3)
		merge_coldest(m, true);
}

/* --- samples and snapshots --- */

void waits__consume_task(struct model *m, const struct task_sample *s)
{
	struct live_task *t;

	if (!s->task.tid)
		return;
	if (m->ntasks >= m->most_tasks)
		compact_tasks(m);
	t = task_entry(m, &s->task);
	t->task = s->task;
	t->gone = s->gone;
	if (s->gone)
		waits__note_end(m, &s->task);
	for (u32 i = 0; i < TASK_STATES; i++)
		t->now[i] += s->state_ns[i];
}

static void advance(struct live_task *t, const struct window_pace *p, struct wait_task *out)
{
	*out = (struct wait_task){.task = t->task, .gone = t->gone};
	waits__decay(t->decay, t->now, TASK_STATES, &t->fresh, p->keep);
	for (u32 i = 0; i < TASK_STATES; i++) {
		t->total[i] += t->now[i];
		out->state_ns[WINDOW_LAST][i] = t->now[i];
		out->state_ns[WINDOW_DECAY][i] = (u64)(t->decay[i] + 0.5);
		out->state_ns[WINDOW_TOTAL][i] = t->total[i];
		t->now[i] = 0;
	}
	for (u32 w = 0; w < WINDOWS; w++)
		for (u32 i = 0; i < TASK_STATES; i++)
			out->span_ns[w] += out->state_ns[w][i];
}

static int compare_tasks(const void *pa, const void *pb)
{
	const struct task_ident *a = &((const struct wait_task *)pa)->task;
	const struct task_ident *b = &((const struct wait_task *)pb)->task;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

const struct wait_task *waits__snap_tasks(struct model *m, const struct window_pace *p,
					  struct arena *a, u32 *ntasks)
{
	struct wait_task *out = arena__take(a, m->ntasks * sizeof(*out));

	u32 n = m->ntasks;

	for (u32 i = 0; i < n; i++) {
		memset(&out[i], 0, sizeof(out[i]));
		advance(&m->tasks[i], p, &out[i]);
	}
	if (n)
		qsort(out, n, sizeof(*out), compare_tasks);
	*ntasks = n;
	trim_ended(m);
	return out;
}
