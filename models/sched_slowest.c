// SPDX-License-Identifier: GPL-2.0-only
/* The slowest delays as rows, each with the stack of who held the CPU. */
#include "base/columns.h"
#include "models/sched_result.h"
#include "models/slow_rows.h"
#include "models/task_text.h"
#include "models/wait_place.h"

struct row {
	struct slow_row base;
	const struct sched_delay *d;
	const char *cpu_text, *tid_text, *holder_tid_text, *holder, *holder_name, *holder_symbol;
};

/* Of the delay itself. */
#define OF(member) VIA(struct row, d), NUMBER_AT(struct sched_delay, member)

static const struct field fields[] = {
	{TIME_COLUMN("delay_ns", "Delay", 7, 0, COLUMN_BOTH,
		     "how long it was runnable without a CPU"),
	 OF(delay_ns)},
	{TIME_COLUMN("ago_ns", "Ago", 6, 2, COLUMN_BOTH | COLUMN_ASCENDING, "since it ended"),
	 VIA(struct row, d), AGO_AT(struct sched_delay, t_ns)},
	{TEXT_COLUMN("processor", "CPU", 4, 0, COLUMN_SCREEN, "where it got to run"),
	 TEXT_AT(struct row, cpu_text)},
	{TEXT_COLUMN("thread", "TID", 7, 1, COLUMN_SCREEN, "who waited"),
	 TEXT_AT(struct row, tid_text)},
	{TEXT_COLUMN("comm", "Who waited", 15, 0, COLUMN_BOTH, "who waited"), VIA(struct row, d),
	 CHARS_AT(struct sched_delay, task.comm)},
	THREAD_NAME_FIELD(struct row, base.thread_name, 0),
	{TIME_COLUMN("holder_ran_ns", "Ran", 6, 1, COLUMN_BOTH,
		     "how long who held the CPU had run without a break"),
	 OF(holder_ran_ns)},
	{TEXT_COLUMN("holder_thread", "TID", 7, 3, COLUMN_SCREEN, "who held the CPU until then"),
	 TEXT_AT(struct row, holder_tid_text)},
	{TEXT_COLUMN("holder_comm", "Who held it", 36, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX,
		     "who held the CPU until then"),
	 TEXT_AT(struct row, holder)},
	{TEXT_COLUMN("holder_thread_name", "Its thread", 20, 2, COLUMN_BOTH,
		     "what Python or Java calls the thread that held it"),
	 TEXT_AT(struct row, holder_name), .if_any = true},
	{TEXT_COLUMN("holder_symbol", "in", 24, 4, COLUMN_SCREEN,
		     "where it was when it let the CPU go"),
	 TEXT_AT(struct row, holder_symbol)},
	{TIME_COLUMN("t_ns", "Time", 7, 0, COLUMN_EXPORT, "when it ended, CLOCK_MONOTONIC"),
	 OF(t_ns)},
	{ID_COLUMN("cpu", "where it got to run"), OF(cpu)},
	{ID_COLUMN("pid", "process of who waited"), OF(task.tgid)},
	{ID_COLUMN("tid", "thread of who waited"), OF(task.tid)},
	{ID_COLUMN("holder_pid", "process of who held the CPU"), OF(holder.tgid)},
	{ID_COLUMN("holder_tid", "thread of who held the CPU; 0: it was idle"), OF(holder.tid)},
	{COLUMN(VALUE_STACK, "holder_stack", "Stack", 0, 0, COLUMN_EXPORT,
		"where it was when it let the CPU go"),
	 MADE_BY(slow_row__stack)},
};

/* Past the frames of the scheduler, and of the interrupt that took the CPU away. */
static u32 deciding_frame(const struct slow_row *r)
{
	struct wait_place place = {0};
	u32 passed;

	wait_place__read_kernel(&place, r->stacks[0], r->symbols);
	passed = place.known ? place.clue.passed : 0;
	return passed < r->nframes ? passed : 0;
}

static void fill_row(struct query_result *a, struct row *r, const struct sched_delay *d,
		     const struct symbols *symbols)
{
	u64 id = mix64_pair(d->task.tid | (u64)d->cpu << 32, d->t_ns);

	slow_row__init(&r->base, a, symbols, mix64_pair(id, d->delay_ns), d->holder_kstack,
		       d->holder_ustack);
	r->d = d;
	r->cpu_text = sched__id_text(&a->arena, d->cpu, 4);
	r->tid_text = sched__id_text(&a->arena, d->task.tid, 7);
	r->holder_tid_text = sched__id_text(&a->arena, d->holder.tid, 7);
	r->base.thread_name = task__thread_name(&a->arena, d->task.tgid, d->task.tid, d->task.start_ns);
	r->holder_name =
		task__thread_name(&a->arena, d->holder.tgid, d->holder.tid, d->holder.start_ns);
	r->holder = d->holder.tid ? d->holder.comm : "[idle]";
	r->holder_symbol =
		r->base.nframes ? slow_row__frame(&r->base, deciding_frame(&r->base)).name : "";
}

struct sched_delays_result *sched__delays(const struct sched_snap *snap,
					  const struct sched_delays_query *q,
					  const struct scope *scope)
{
	struct sched_delays_result *a =
		query_result__new(sizeof(*a), &snap->base, snap->symbols,
				  slow__since(&snap->base, snap->since_ns, SCHED_DELAYS_S));
	struct row *rows = arena__array(&a->base.arena, struct row, snap->ndelays);
	const struct sched_delay **found =
		arena__array(&a->base.arena, const struct sched_delay *, snap->ndelays);

	for (u32 i = 0; i < snap->ndelays; i++) {
		const struct sched_delay *d = &snap->delays[i];

		if (!sched__passes(scope, &d->task, d->cpu) ||
		    !heat_range__has(&q->range, d->t_ns, d->delay_ns))
			continue;
		fill_row(&a->base, &rows[a->nrows], d, snap->symbols);
		found[a->nrows++] = d;
	}
	a->rows = found;
	RESULT_TABLE(&a->base, fields, rows, a->nrows, 0, 0, "delay_ns");
	slow_rows__unfold(&a->base, q->unfolded, q->nunfolded, NULL);
	return a;
}
