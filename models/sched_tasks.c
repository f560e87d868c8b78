// SPDX-License-Identifier: GPL-2.0-only
/* The threads that are known: who they are, what they did, which are forgotten. */
#include "models/sched_model.h"

/* What is forgotten at once when there is no room: finding them takes a sort. */
#define FORGET_PART 4

static u64 live_hash(const struct task_ident *t)
{
	return mix64_pair(t->tid, t->start_ns);
}

static u32 find_live(const struct model *m, const struct task_ident *t)
{
	u32 at;

	HIDX_FIND(at, &m->index, live_hash(t), pos,
		  m->live[pos].task.tid == t->tid && m->live[pos].task.start_ns == t->start_ns);
	return at;
}

/* --- forgetting --- */

struct age {
	u32 age; /* the higher the longer gone */
	u32 pos;
};

static int by_age(const void *a, const void *b)
{
	const struct age *x = a, *y = b;

	return x->age == y->age ? (x->pos > y->pos) - (x->pos < y->pos)
				: (x->age < y->age) - (x->age > y->age);
}

/* One that goes on is about to be reported: it counts as younger than those that ended. */
static u32 age_of(const struct model *m, const struct live *l)
{
	return (m->ticks - l->seen) * 2 + l->gone;
}

static bool is_ended_group(const struct live *l)
{
	return l->task.tid == PROFILE_MERGED;
}

static bool many_processes(const struct live *l)
{
	return l->task.tgid == PROFILE_MERGED;
}

/*
 * Whom it is merged with: ended threads of its process; and a process that ended, with those of
 * its name and cgroup. So sums by process, name and cgroup stay right, as far as they can.
 */
static struct task_ident ended_ident(const struct live *l)
{
	struct task_ident group = l->task;
	bool whole = is_ended_group(l) || l->task.tid == l->task.tgid;

	if (whole)
		group.tgid = PROFILE_MERGED;
	group.tid = PROFILE_MERGED;
	group.start_ns = mix64_pair(mix64_pair(group.tgid, group.cgroup),
				    hash_bytes(group.comm, strlen(group.comm)) ^ group.kthread);
	return group;
}

static void merge(struct model *m, struct live *to, const struct live *from)
{
	track__merge(&to->track, &from->track);
	for (u32 i = 0; i < TREND_LEN; i++)
		to->trend[i] += from->trend[i];
	for (u32 k = 0; k < SCHED_HISTS; k++)
		cells__merge(&to->cells[k], &from->cells[k], &m->cells);
	to->n += from->n;
	to->seen = MAX(to->seen, from->seen);
	to->t_ns = MAX(to->t_ns, from->t_ns);
}

static void merge_into_others(struct model *m, const struct live *l)
{
	track__merge(&m->others, &l->track);
	for (u32 k = 0; k < SCHED_HISTS; k++)
		hist_track__add(&m->other_hists[k], &l->cells[k]);
	m->nothers += l->n;
}

static struct live *append_live(struct model *m, const struct task_ident *t)
{
	m->live = xgrow(m->live, m->nlive, &m->live_cap, sizeof(*m->live));
	m->live[m->nlive] = (struct live){.task = *t};
	hidx__add(&m->index, live_hash(t), m->nlive);
	return &m->live[m->nlive++];
}

/* NULL: there is no room for more of them. */
static struct live *ended_group(struct model *m, const struct live *l)
{
	struct task_ident group = ended_ident(l);
	u32 at = find_live(m, &group);
	struct live *k;

	if (at != HIDX_NONE)
		return &m->live[at];
	if (m->ngroups >= SCHED_MAX_GROUPS)
		return NULL;
	m->ngroups++;
	k = append_live(m, &group);
	k->gone = true;
	k->state = TASK_STATE_OTHER;
	return k;
}

/* Positions stay as they are until close_gaps(). */
static void forget(struct model *m, u32 pos)
{
	struct live l = m->live[pos], *group = many_processes(&l) ? NULL : ended_group(m, &l);

	if (group)
		merge(m, group, &l);
	else
		merge_into_others(m, &l);
	for (u32 k = 0; k < SCHED_HISTS; k++)
		cells__fini(&l.cells[k], &m->cells);
	m->ngroups -= is_ended_group(&l);
	m->live[pos].task.tid = 0;
}

static void close_gaps(struct model *m)
{
	u32 kept = 0;

	hidx__clear(&m->index);
	for (u32 i = 0; i < m->nlive; i++) {
		if (!m->live[i].task.tid)
			continue;
		if (kept != i)
			m->live[kept] = m->live[i];
		hidx__add(&m->index, live_hash(&m->live[kept].task), kept);
		kept++;
	}
	m->nlive = kept;
	m->norder = 0;
}

static void forget_oldest(struct model *m, u32 n)
{
	struct age *ages = xmalloc(m->nlive * sizeof(*ages));

	for (u32 i = 0; i < m->nlive; i++)
		ages[i] = (struct age){age_of(m, &m->live[i]), i};
	qsort(ages, m->nlive, sizeof(*ages), by_age);
	for (u32 i = 0; i < n; i++)
		forget(m, ages[i].pos);
	free(ages);
	close_gaps(m);
}

void sched__trim_tasks(struct model *m)
{
	u32 stale = 0;

	for (u32 i = 0; i < m->nlive; i++)
		stale += m->live[i].gone || m->live[i].seen != m->ticks;
	if (stale > SCHED_MAX_STALE)
		forget_oldest(m, stale - SCHED_MAX_STALE + SCHED_MAX_STALE / FORGET_PART);
}

/* --- samples --- */

static struct live *add_live(struct model *m, const struct task_ident *t)
{
	struct live *l;

	if (m->nlive >= SCHED_MAX_TASKS)
		forget_oldest(m, SCHED_MAX_TASKS / FORGET_PART);
	l = append_live(m, t);
	l->n = 1;
	return l;
}

static void add_sums(struct model *m, struct live *l, const struct task_sample *s)
{
	struct sched_sums sums = {
		.runs = s->runs,
		.voluntary = s->voluntary,
		.preempted = s->preempted,
		.migrations = s->migrations,
		.delays = s->delays,
		.delay_ns = s->delay_ns,
		.delay_max_ns = s->delay_max_ns,
		.run_max_ns = s->run_max_ns,
	};

	memcpy(sums.state_ns, s->state_ns, sizeof(sums.state_ns));
	for (u32 i = 0; i < TASK_STATES; i++)
		sums.span_ns += s->state_ns[i];
	sched_sums__add(&l->track.now, &sums);
	sched_sums__add(&m->all.now, &sums);
}

static void add_hist(struct model *m, struct live *l, enum sched_hist_kind kind, const u32 *hist)
{
	for (u32 i = 0; hist && i < HIST_BUCKETS; i++) {
		if (!hist[i])
			continue;
		cells__add(&l->cells[kind], i, hist[i], &m->cells);
		m->hists[kind].now.n[i] += hist[i];
	}
}

void sched__consume_task(struct model *m, const struct task_sample *s)
{
	u32 at = find_live(m, &s->task);
	struct live *l;

	if (!s->task.tid)
		return;
	l = at == HIDX_NONE ? add_live(m, &s->task) : &m->live[at];
	if (l->task.tgid != s->task.tgid)
		m->norder = 0;
	l->task = s->task;
	l->task.comm[COMM_LEN - 1] = '\0';
	l->cpu = s->cpu;
	l->state = MIN((u32)s->state, TASK_STATE_OTHER);
	l->since_ns = s->since_ns;
	l->t_ns = s->t_ns;
	l->gone = s->gone;
	l->seen = m->ticks;
	add_sums(m, l, s);
	add_hist(m, l, SCHED_DELAY, s->delay_hist);
	add_hist(m, l, SCHED_ON, s->on_hist);
	add_hist(m, l, SCHED_OFF, s->off_hist);
}

/* --- snapshots --- */

static int by_ident(const void *a, const void *b, void *ctx)
{
	const struct live *live = ctx;
	const struct task_ident *x = &live[*(const u32 *)a].task, *y = &live[*(const u32 *)b].task;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Most ticks nobody came. */
static void put_in_order(struct model *m)
{
	if (m->norder == m->nlive)
		return;
	if (m->order_cap < m->nlive) {
		m->order_cap = m->live_cap;
		m->order = xrealloc(m->order, m->order_cap * sizeof(*m->order));
	}
	m->norder = m->nlive;
	for (u32 i = 0; i < m->norder; i++)
		m->order[i] = i;
	qsort_r(m->order, m->norder, sizeof(*m->order), by_ident, m->live);
}

/* Of one CPU: an interval is as long as it was, whatever of it the thread was watched. */
static void advance_trend(struct live *l, u64 interval_ns)
{
	u64 ran = l->track.now.state_ns[TASK_STATE_RUNNING];

	memmove(l->trend, l->trend + 1, sizeof(l->trend) - sizeof(l->trend[0]));
	l->trend[TREND_LEN - 1] =
		interval_ns ? (float)((double)ran * 100 / (double)interval_ns) : 0;
}

/* See hist_cells__cover. */
static void cover_maxima(struct sched_task *t)
{
	struct sched_sums *s = &t->sums[WINDOW_DECAY];
	const struct sched_sums *all = &t->sums[WINDOW_TOTAL];

	s->delay_max_ns = hist_cells__cover(&t->hists[SCHED_DELAY], sched_hist__lo, s->delay_max_ns,
					   all->delay_max_ns);
	s->run_max_ns = hist_cells__cover(&t->hists[SCHED_ON], sched_hist__lo, s->run_max_ns,
					 all->run_max_ns);
}

const struct sched_task *sched__snap_tasks(struct model *m, const struct window_pace *p,
					   u64 interval_ns, struct arena *a)
{
	struct sched_task *out = arena__take(a, m->nlive * sizeof(*out));

	put_in_order(m);
	for (u32 i = 0; i < m->nlive; i++) {
		struct live *l = &m->live[m->order[i]];

		memset(&out[i], 0, sizeof(out[i]));
		out[i].task = l->task;
		out[i].n = l->n;
		out[i].cpu = l->cpu;
		out[i].state = l->state;
		out[i].since_ns = l->since_ns;
		out[i].t_ns = l->t_ns;
		out[i].gone = l->gone;
		advance_trend(l, interval_ns);
		memcpy(out[i].trend, l->trend, sizeof(l->trend));
		track__advance(&l->track, p, out[i].sums);
		for (u32 k = 0; k < SCHED_HISTS; k++)
			out[i].hists[k] = cells__advance(&l->cells[k], p->keep, a);
		cover_maxima(&out[i]);
	}
	return out;
}

void sched__zero_tasks(struct model *m)
{
	for (u32 i = 0; i < m->nlive; i++)
		for (u32 k = 0; k < SCHED_HISTS; k++)
			cells__fini(&m->live[i].cells[k], &m->cells);
	m->nlive = m->norder = m->ngroups = m->nothers = 0;
	hidx__clear(&m->index);
	m->all = m->others = (struct track){0};
	memset(m->hists, 0, sizeof(m->hists));
	memset(m->other_hists, 0, sizeof(m->other_hists));
}
