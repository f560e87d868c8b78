// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/sched.h. */
#include "bpf/hist.h"
#include "recording/types.h"

#define WAKER_KINDS (WAKER_INTERRUPT + 1)

static void code_ident(struct codec *c, struct task_ident *t)
{
	code_u32(c, &t->tgid);
	code_u32(c, &t->tid);
	code_cgroup(c, &t->cgroup);
	code_u64(c, &t->start_ns);
	code_bool(c, &t->kthread);
	code_text(c, t->comm, sizeof(t->comm));
}

static void code_waker(struct codec *c, struct waker *w)
{
	CODE_ENUM(c, w->kind, WAKER_KINDS);
	if (w->kind == WAKER_NONE)
		return;
	code_u32(c, &w->tgid);
	code_u32(c, &w->tid);
	code_text(c, w->comm, sizeof(w->comm));
	code_stack(c, &w->kstack, w->tgid);
	code_stack(c, &w->ustack, w->tgid);
}

void code_wait(struct codec *c, union any_sample *s)
{
	struct wait_sample *w = &s->wait;

	code_ident(c, &w->task);
	code_stack(c, &w->kstack, w->task.tgid);
	code_stack(c, &w->ustack, w->task.tgid);
	CODE_ENUM(c, w->state, TASK_STATES);
	code_u32(c, &w->syscall);
	code_u32(c, &w->futex_op);
	code_waker(c, &w->waker);
	code_u64(c, &w->count);
	code_u64(c, &w->off_ns);
	code_u64(c, &w->runq_ns);
	code_u64(c, &w->full_ns);
	code_u64(c, &w->max_ns);
	code_u64(c, &w->open);
	code_u64(c, &w->open_ns);
	code_u64(c, &w->open_full_ns);
	code_time(c, &w->t_ns);
	code_bool(c, &w->since_before);
	code_hist(c, &w->hist, HIST_OCTAVES);
	code_u32(c, &w->on);
	code_u64(c, &w->object);
}

void code_task(struct codec *c, union any_sample *s)
{
	struct task_sample *t = &s->task;

	code_ident(c, &t->task);
	code_u32(c, &t->cpu);
	code_time(c, &t->t_ns);
	code_u64(c, &t->span_ns);
	for (u32 i = 0; i < TASK_STATES; i++)
		code_u64(c, &t->state_ns[i]);
	CODE_ENUM(c, t->state, TASK_STATES);
	code_u64(c, &t->since_ns);
	code_bool(c, &t->gone);
	code_u64(c, &t->runs);
	code_u64(c, &t->voluntary);
	code_u64(c, &t->preempted);
	code_u64(c, &t->migrations);
	code_u64(c, &t->delays);
	code_u64(c, &t->delay_ns);
	code_u64(c, &t->delay_max_ns);
	code_u64(c, &t->run_max_ns);
	code_hist(c, &t->delay_hist, HIST_BUCKETS);
	code_hist(c, &t->on_hist, HIST_BUCKETS);
	code_hist(c, &t->off_hist, HIST_BUCKETS);
}

void code_cpu(struct codec *c, union any_sample *s)
{
	struct cpu_sample *p = &s->cpu;

	code_u32(c, &p->cpu);
	code_time(c, &p->t_ns);
	code_u64(c, &p->span_ns);
	code_u64(c, &p->busy_ns);
	code_u64(c, &p->switches);
	code_u64(c, &p->run_max_ns);
	code_ident(c, &p->longest);
	code_ident(c, &p->running);
	code_table64(c, &p->delay_hist, HIST_BUCKETS);
}

void code_delay(struct codec *c, union any_sample *s)
{
	struct delay_sample *d = &s->delay;

	code_ident(c, &d->task);
	code_u32(c, &d->cpu);
	code_time(c, &d->t_ns);
	code_u64(c, &d->delay_ns);
	code_ident(c, &d->holder);
	code_u64(c, &d->holder_ran_ns);
	code_stack(c, &d->holder_kstack, d->holder.tgid);
	code_stack(c, &d->holder_ustack, d->holder.tgid);
}

/* Its thread's process is not told: kernel frames are found without, user frames in the source's
 * own way. */
void code_switch(struct codec *c, union any_sample *s)
{
	struct switch_sample *w = &s->sw;

	code_u32(c, &w->tid);
	code_u32(c, &w->cpu);
	code_time(c, &w->t_ns);
	CODE_ENUM(c, w->state, TASK_STATES);
	code_u32(c, &w->syscall);
	code_u32(c, &w->futex_op);
	code_stack(c, &w->kstack, 0);
	code_stack(c, &w->ustack, 0);
}

static struct subject subject_of(const struct task_ident *t)
{
	return (struct subject){.known = true,
				.has_tid = true,
				.has_comm = true,
				.has_kind = true,
				.tgid = t->tgid,
				.tid = t->tid,
				.cgroup = t->cgroup,
				.comm = t->comm,
				.kthread = t->kthread};
}

void wait_subject(const union any_sample *s, struct subject *out)
{
	/* As SCOPE_STATES has them; a wait for a CPU is R. */
	static const u8 letters[TASK_STATES] = {
		[TASK_STATE_RUNNING] = 1 << 0, [TASK_STATE_RUNNABLE] = 1 << 0,
		[TASK_STATE_SLEEP] = 1 << 1,   [TASK_STATE_DISK] = 1 << 2,
		[TASK_STATE_STOPPED] = 1 << 3, [TASK_STATE_TRACED] = 1 << 4,
	};
	const struct wait_sample *w = &s->wait;

	*out = subject_of(&w->task);
	out->state = letters[w->state];
	if (w->state == TASK_STATE_IDLE)
		out->state = 1u << 8;
	out->longest_ns = w->max_ns;
}

void task_subject(const union any_sample *s, struct subject *out)
{
	*out = subject_of(&s->task.task);
	out->has_cpu = true;
	out->cpu = s->task.cpu;
}

void delay_subject(const union any_sample *s, struct subject *out)
{
	*out = subject_of(&s->delay.task);
	out->has_cpu = true;
	out->cpu = s->delay.cpu;
}
