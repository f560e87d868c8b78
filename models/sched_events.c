// SPDX-License-Identifier: GPL-2.0-only
/* What is kept one by one: the slowest delays, and the changes of the watched thread. */
#include "models/sched_model.h"

/* --- slow delays --- */

const struct slowest_kind sched_slow_delays = {
	.size = sizeof(struct live_delay),
	.max = SCHED_MAX_DELAYS,
	.seconds = SCHED_DELAYS_S,
	.ns_at = offsetof(struct live_delay, d.delay_ns),
	.end_at = offsetof(struct live_delay, d.t_ns),
	.stacks_at = {offsetof(struct live_delay, kstack), offsetof(struct live_delay, ustack)},
};

void sched__consume_delay(struct model *m, const struct delay_sample *s)
{
	struct live_delay *d = slowest__place(&m->delays, s->delay_ns, s->t_ns);

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

void sched__snap_delays(struct model *m, struct sched_snap *snap, struct arena *a)
{
	struct live_delay *all = slowest__list(&m->delays, snap->base.t1_ns, &snap->ndelays);
	struct sched_delay *out = arena__array(a, struct sched_delay, snap->ndelays);

	for (u32 i = 0; i < snap->ndelays; i++) {
		out[i] = all[i].d;
		out[i].holder_kstack = stacks__at(&m->stacks, all[i].kstack);
		out[i].holder_ustack = stacks__at(&m->stacks, all[i].ustack);
	}
	free(all);
	snap->delays = out;
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
	slowest__move(&m->delays, to, from);
	for (u32 i = 0; i < m->nswitches; i++) {
		struct live_switch *s = &m->switches[m->first_switch + i];

		s->kstack = stacks__move(to, from, s->kstack);
		s->ustack = stacks__move(to, from, s->ustack);
	}
}

void sched__zero_events(struct model *m)
{
	slowest__zero(&m->delays);
	m->first_switch = m->nswitches = 0;
}
