// SPDX-License-Identifier: GPL-2.0-only
/* What is kept one by one: the slowest delays, and the changes of the watched thread. */
#include "models/sched_model.h"

/* --- slow delays --- */

static struct delay_slot *slot_of(struct model *m, u64 t_ns)
{
	u64 epoch = t_ns / DELAY_SLOT_NS;
	struct delay_slot *slot = &m->delays[epoch % DELAY_SLOTS];

	if (slot->epoch > epoch)
		return NULL;
	if (slot->epoch < epoch) {
		slot->epoch = epoch;
		slot->n = 0;
	}
	if (!slot->items)
		slot->items = xcalloc(SCHED_MAX_DELAYS, sizeof(*slot->items));
	return slot;
}

static struct live_delay *least(const struct delay_slot *slot)
{
	struct live_delay *d = &slot->items[0];

	for (u32 i = 1; i < slot->n; i++)
		if (slot->items[i].d.delay_ns < d->d.delay_ns)
			d = &slot->items[i];
	return d;
}

/* Where a delay goes; NULL when it is not among the slowest. */
static struct live_delay *place_delay(struct delay_slot *slot, u64 delay_ns)
{
	struct live_delay *d;

	if (slot->n < SCHED_MAX_DELAYS)
		return &slot->items[slot->n++];
	d = least(slot);
	return delay_ns > d->d.delay_ns ? d : NULL;
}

void sched__consume_delay(struct model *m, const struct delay_sample *s)
{
	struct delay_slot *slot = slot_of(m, s->t_ns);
	struct live_delay *d = slot ? place_delay(slot, s->delay_ns) : NULL;

	if (!d)
		return;
	*d = (struct live_delay){
		.d = {.task = s->task,
		      .holder = s->holder,
		      .cpu = s->cpu,
		      .t_ns = s->t_ns,
		      .delay_ns = s->delay_ns,
		      .holder_ran_ns = s->holder_ran_ns},
		.kstack = stacks__find(&m->stacks, s->holder_kstack, s->holder.tgid),
		.ustack = stacks__find(&m->stacks, s->holder_ustack, s->holder.tgid),
	};
}

static int by_delay(const void *a, const void *b)
{
	const struct live_delay *x = a, *y = b;

	if (x->d.delay_ns != y->d.delay_ns)
		return x->d.delay_ns > y->d.delay_ns ? -1 : 1;
	return (x->d.t_ns < y->d.t_ns) - (x->d.t_ns > y->d.t_ns);
}

static u32 gather_delays(const struct model *m, u64 from_ns, struct live_delay *out)
{
	u32 n = 0;

	for (u32 i = 0; i < DELAY_SLOTS; i++)
		for (u32 k = 0; k < m->delays[i].n; k++)
			if (m->delays[i].items[k].d.t_ns >= from_ns)
				out[n++] = m->delays[i].items[k];
	return n;
}

void sched__snap_delays(struct model *m, struct sched_snap *snap, struct arena *a)
{
	u64 age = SCHED_DELAYS_S * NSEC_PER_SEC, now = snap->base.t1_ns;
	struct live_delay *all = xmalloc(DELAY_SLOTS * SCHED_MAX_DELAYS * sizeof(*all));
	u32 n = gather_delays(m, now > age ? now - age : 0, all);
	struct sched_delay *out;

	qsort(all, n, sizeof(*all), by_delay);
	n = MIN(n, (u32)SCHED_MAX_DELAYS);
	out = arena__array(a, struct sched_delay, n);
	for (u32 i = 0; i < n; i++) {
		out[i] = all[i].d;
		out[i].holder_kstack = stacks__at(&m->stacks, all[i].kstack);
		out[i].holder_ustack = stacks__at(&m->stacks, all[i].ustack);
	}
	free(all);
	snap->delays = out;
	snap->ndelays = n;
}

/* --- the watched thread --- */

static u32 tgid_of(const struct model *m, u32 tid)
{
	for (u32 i = 0; i < m->nlive; i++)
		if (m->live[i].task.tid == tid && !m->live[i].gone)
			return m->live[i].task.tgid;
	return tid;
}

static void watch(struct model *m, u32 tid)
{
	m->watched_tid = tid;
	m->watched_tgid = tgid_of(m, tid);
	m->first_switch = m->nswitches = 0;
}

static void drop_switches(struct model *m, u32 n)
{
	m->first_switch += n;
	m->nswitches -= n;
}

/* The front is moved up rarely: when half of the room is not used. */
static struct live_switch *add_switch(struct model *m)
{
	if (m->nswitches == SCHED_MAX_SWITCHES)
		drop_switches(m, 1);
	if (m->first_switch && m->first_switch >= m->nswitches) {
		memmove(m->switches, m->switches + m->first_switch,
			m->nswitches * sizeof(*m->switches));
		m->first_switch = 0;
	}
	m->switches = xgrow(m->switches, m->first_switch + m->nswitches, &m->switches_cap,
			    sizeof(*m->switches));
	return &m->switches[m->first_switch + m->nswitches++];
}

void sched__consume_switch(struct model *m, const struct switch_sample *s)
{
	if (s->tid != m->watched_tid)
		watch(m, s->tid);
	*add_switch(m) = (struct live_switch){
		.s = {.cpu = s->cpu,
		      .t_ns = s->t_ns,
		      .state = MIN((u32)s->state, TASK_STATE_OTHER),
		      .syscall = s->syscall,
		      .futex_op = s->futex_op},
		.kstack = stacks__find(&m->stacks, s->kstack, m->watched_tgid),
		.ustack = stacks__find(&m->stacks, s->ustack, m->watched_tgid),
	};
}

/* The change before the timeline's begin tells what goes on there. */
static void drop_old_switches(struct model *m, u64 from_ns)
{
	u32 n = 0;

	while (n + 1 < m->nswitches && m->switches[m->first_switch + n + 1].s.t_ns <= from_ns)
		n++;
	drop_switches(m, n);
}

void sched__snap_switches(struct model *m, struct sched_snap *snap, struct arena *a)
{
	u64 age = SCHED_TIMELINE_S * NSEC_PER_SEC, now = snap->base.t1_ns;
	struct sched_switch *out;

	drop_old_switches(m, now > age ? now - age : 0);
	out = arena__array(a, struct sched_switch, m->nswitches);
	for (u32 i = 0; i < m->nswitches; i++) {
		const struct live_switch *s = &m->switches[m->first_switch + i];

		out[i] = s->s;
		out[i].kstack = stacks__at(&m->stacks, s->kstack);
		out[i].ustack = stacks__at(&m->stacks, s->ustack);
	}
	snap->switches = out;
	snap->nswitches = m->nswitches;
	snap->watched_tid = m->watched_tid;
}

/* --- both --- */

void sched__move_stacks(struct model *m, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < DELAY_SLOTS; i++) {
		struct delay_slot *slot = &m->delays[i];

		for (u32 k = 0; k < slot->n; k++) {
			slot->items[k].kstack = stacks__move(to, from, slot->items[k].kstack);
			slot->items[k].ustack = stacks__move(to, from, slot->items[k].ustack);
		}
	}
	for (u32 i = 0; i < m->nswitches; i++) {
		struct live_switch *s = &m->switches[m->first_switch + i];

		s->kstack = stacks__move(to, from, s->kstack);
		s->ustack = stacks__move(to, from, s->ustack);
	}
}

void sched__zero_events(struct model *m)
{
	for (u32 i = 0; i < DELAY_SLOTS; i++)
		m->delays[i].n = 0;
	m->first_switch = m->nswitches = 0;
}
