// SPDX-License-Identifier: GPL-2.0-only
#include "sources/sched_tasks.h"

#include "base/hidx.h"

_Static_assert((int)SCHED_RUNNING == TASK_STATE_RUNNING && (int)SCHED_STATES == TASK_STATES &&
		       (int)SCHED_OTHER == TASK_STATE_OTHER,
	       "states");
_Static_assert(SCHED_OBJECT_MANY == WAIT_OBJECT_MANY, "objects");
_Static_assert(SCHED_WAKER_TASK == WAKER_TASK && SCHED_WAKER_INTERRUPT == WAKER_INTERRUPT,
	       "kinds of wakers");

/* The sums that only grow. */
struct sums {
	u64 state_ns[SCHED_STATES];
	u64 runs, delays, delay_ns, voluntary, preempted, migrations, open_ns, open_runq_ns;
};

struct seen {
	u64 watch_id, t_ns;
	struct sums sums;
	struct sched_hists *hists; /* NULL: all 0 */
	u32 round;
	bool gone;
};

struct sched_tasks {
	struct seen *items;
	u32 n, cap;
	u32 round;
	struct hidx index; /* by watch_id */
};

struct sched_tasks *sched_tasks__new(void)
{
	return xcalloc(1, sizeof(struct sched_tasks));
}

void sched_tasks__free(struct sched_tasks *t)
{
	if (!t)
		return;
	for (u32 i = 0; i < t->n; i++)
		free(t->items[i].hists);
	free(t->items);
	hidx__fini(&t->index);
	free(t);
}

u32 sched_tasks__count(const struct sched_tasks *t)
{
	return t->n;
}

static u64 spread(u64 id)
{
	return (id ^ (id >> 29)) * 0x9fb21c651e98df25ULL;
}

static struct seen *find(struct sched_tasks *t, u64 watch_id)
{
	u64 hash = spread(watch_id);
	struct seen *s;
	u32 at;

	HIDX_FIND(at, &t->index, hash, pos, t->items[pos].watch_id == watch_id);
	if (at != HIDX_NONE)
		return &t->items[at];
	if (t->n == t->cap) {
		t->cap = MAX(t->cap * 2, 256u);
		t->items = xrealloc(t->items, t->cap * sizeof(*t->items));
	}
	hidx__add(&t->index, hash, t->n);
	s = &t->items[t->n++];
	*s = (struct seen){.watch_id = watch_id, .t_ns = watch_id >> 8, .round = t->round};
	return s;
}

static struct sums sums_of(const struct sched_task_record *r)
{
	struct sums s = {
		.runs = r->runs,
		.delays = r->delays,
		.delay_ns = r->delay_ns,
		.voluntary = r->voluntary,
		.preempted = r->preempted,
		.migrations = r->migrations,
		.open_ns = r->open_ns,
		.open_runq_ns = r->open_runq_ns,
	};

	memcpy(s.state_ns, r->state_ns, sizeof(s.state_ns));
	return s;
}

/* now - then, field by field. A sum that was read while it was written may be smaller than
 * before: then it is 0 and comes later. */
static struct sums difference(const struct sums *now, struct sums *then)
{
	const u64 *a = (const u64 *)now;
	u64 *b = (u64 *)then;
	struct sums out;
	u64 *d = (u64 *)&out;

	for (u32 i = 0; i < sizeof(out) / sizeof(u64); i++) {
		d[i] = a[i] > b[i] ? a[i] - b[i] : 0;
		b[i] = MAX(a[i], b[i]);
	}
	return out;
}

/* What was added since; false when nothing was. */
static bool hists_difference(struct seen *s, const struct sched_hists *now, struct sched_hists *out)
{
	const u32 *a = &now->n[0][0];
	u32 *b, *d = &out->n[0][0], any = 0;

	if (!s->hists)
		s->hists = xcalloc(1, sizeof(*s->hists));
	b = &s->hists->n[0][0];
	for (u32 i = 0; i < SCHED_HIST_KINDS * HIST_BUCKETS; i++) {
		d[i] = a[i] - b[i];
		any |= d[i];
		b[i] = a[i];
	}
	return any != 0;
}

void sched_ident__to(struct task_ident *out, const struct sched_ident *id)
{
	*out = (struct task_ident){
		.tgid = id->tgid,
		.tid = id->tid,
		.cgroup = id->cgroup,
		.start_ns = id->start_ns,
		.kthread = id->kthread != 0,
	};
	copy_str(out->comm, sizeof(out->comm), id->comm);
}

void sched_wait__to(struct wait_sample *out, const struct sched_ident *id,
		    const struct sched_wait *w)
{
	*out = (struct wait_sample){
		.head.type = SAMPLE_WAIT,
		.kstack = w->kstack,
		.ustack = w->ustack,
		.state = (enum task_state)MIN(w->state, SCHED_OTHER),
		.syscall = w->syscall,
		.futex_op = w->futex_op,
		.since_before = w->since_before != 0,
		.on = w->on,
		.object = w->object,
		.waker = {.kind = (enum waker_kind)MIN(w->waker.kind, WAKER_INTERRUPT),
			  .tgid = w->waker.tgid,
			  .tid = w->waker.tid,
			  .kstack = w->waker.kstack,
			  .ustack = w->waker.ustack},
	};
	if (w->waker.kind)
		copy_str(out->waker.comm, sizeof(out->waker.comm), w->waker.comm);
	else
		out->waker = (struct waker){0};
	sched_ident__to(&out->task, id);
}

static void put_task(const struct sched_task_record *r, const struct sums *d,
		     const struct sched_hists *hists, const struct sample_sink *sink)
{
	struct task_sample out = {
		.head.type = SAMPLE_TASK,
		.cpu = r->cpu,
		.t_ns = r->t_ns,
		.state = (enum task_state)MIN(r->state, SCHED_OTHER),
		.since_ns = r->since_ns,
		.gone = r->gone,
		.runs = d->runs,
		.voluntary = d->voluntary,
		.preempted = d->preempted,
		.migrations = d->migrations,
		.delays = d->delays,
		.delay_ns = d->delay_ns,
		.delay_max_ns = r->delay_max_ns,
		.run_max_ns = r->run_max_ns,
	};

	sched_ident__to(&out.task, &r->task);
	memcpy(out.state_ns, d->state_ns, sizeof(out.state_ns));
	for (u32 i = 0; i < TASK_STATES; i++)
		out.span_ns += out.state_ns[i];
	if (hists) {
		out.delay_hist = hists->n[SCHED_HIST_DELAY];
		out.on_hist = hists->n[SCHED_HIST_ON];
		out.off_hist = hists->n[SCHED_HIST_OFF];
	}
	sink__put(sink, &out.head);
}

static void put_open_wait(const struct sched_task_record *r, const struct sums *d,
			  const struct sample_sink *sink)
{
	struct wait_sample out;

	if (!r->off_since_ns || !d->open_ns)
		return;
	sched_wait__to(&out, &r->task, &r->wait);
	out.off_ns = out.open_ns = d->open_ns;
	out.runq_ns = out.state == TASK_STATE_RUNNABLE ? d->open_ns : d->open_runq_ns;
	out.open = 1;
	out.open_full_ns = out.max_ns = r->t_ns - MIN(r->t_ns, r->off_since_ns);
	out.t_ns = r->t_ns;
	sink__put(sink, &out.head);
}

void sched_tasks__take(struct sched_tasks *t, const struct sched_task_record *r, size_t size,
		       bool waits, const struct sample_sink *sink)
{
	struct sched_hists hists;
	struct sums now, d;
	struct seen *s;
	bool any = false;

	if (size < offsetof(struct sched_task_record, hists) || (r->has_hists && size < sizeof(*r)))
		return;
	s = find(t, r->watch_id);
	/* Told of its end, it may be visited once more. */
	if (r->t_ns < s->t_ns)
		return;
	s->t_ns = r->t_ns;
	s->round = t->round;
	s->gone = r->gone;
	now = sums_of(r);
	d = difference(&now, &s->sums);
	if (r->has_hists)
		any = hists_difference(s, &r->hists, &hists);
	if (s->gone) { /* nothing more is to be told of it, and where many end these are most of the memory */
		free(s->hists);
		s->hists = NULL;
	}
	if (!sink)
		return;
	put_task(r, &d, any ? &hists : NULL, sink);
	if (waits && !r->gone)
		put_open_wait(r, &d, sink);
}

static bool is_forgotten(const struct sched_tasks *t, const struct seen *s, u32 rounds)
{
	return t->round - s->round > (s->gone ? 0 : rounds);
}

void sched_tasks__end_round(struct sched_tasks *t, u32 rounds)
{
	u32 kept = 0;

	for (u32 i = 0; i < t->n; i++) {
		if (!is_forgotten(t, &t->items[i], rounds))
			t->items[kept++] = t->items[i];
		else
			free(t->items[i].hists);
	}
	if (kept != t->n) {
		t->n = kept;
		hidx__clear(&t->index);
		for (u32 i = 0; i < kept; i++)
			hidx__add(&t->index, spread(t->items[i].watch_id), i);
	}
	t->round++;
}
