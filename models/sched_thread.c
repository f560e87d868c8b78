// SPDX-License-Identifier: GPL-2.0-only
/* One thread: its states, its histograms, and what it did in the last seconds. */
#include "base/columns.h"
#include "models/fields.h"
#include "models/sched_result.h"

static const char *const state_texts[TASK_STATES] = {
	[TASK_STATE_RUNNING] = "running on a CPU",
	[TASK_STATE_RUNNABLE] = "waiting for a CPU",
	[TASK_STATE_SLEEP] = "asleep until an event or a signal",
	[TASK_STATE_DISK] = "asleep for disk, memory, kernel locks",
	[TASK_STATE_STOPPED] = "stopped by a signal",
	[TASK_STATE_TRACED] = "stopped by a debugger",
	[TASK_STATE_IDLE] = "a kernel thread without work",
	[TASK_STATE_OTHER] = "parked, or ending",
};

struct thread_box {
	struct sched_thread_result result;
	struct sched_state_row rows[TASK_STATES];
	struct sched_part parts[TASK_STATES + WAIT_REASONS];
	struct sched_span *spans;
};

/* --- the table of states --- */

#define ROW struct sched_state_row

static const struct field fields[] = {
	{PCT_COLUMN("pct", "Share%", 11, 0, COLUMN_BOTH | COLUMN_BAR,
		    "of the time that the thread was watched"),
	 PART_AT(ROW, ns, span_ns)},
	{TIME_COLUMN("time_ns", "Time", 7, 0, COLUMN_BOTH, "time in that state"), NUMBER_AT(ROW, ns)},
	{TEXT_COLUMN("state", "State", 5, 0, COLUMN_BOTH, "its letter, as in perf and ps"),
	 NAMED_AT(ROW, state, task_state_names)},
	{TEXT_COLUMN("meaning", "What it means", 20, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX | COLUMN_PROSE,
		     "the state in words"),
	 NAMED_AT(ROW, state, state_texts)},
};

/* Most time first. */
static int by_ns(const void *a, const void *b)
{
	const ROW *x = a, *y = b;

	return x->ns == y->ns ? (x->key > y->key) - (x->key < y->key) : (x->ns < y->ns) - (x->ns > y->ns);
}

/* sums: of the window; NULL without a thread. */
static void fill_states(struct thread_box *box, const struct sched_sums *sums)
{
	struct sched_thread_result *a = &box->result;

	for (u32 i = 0; sums && i < TASK_STATES; i++)
		if (sums->state_ns[i])
			box->rows[a->nrows++] = (ROW){i + 1, i, sums->state_ns[i], sums->span_ns};
	qsort(box->rows, a->nrows, sizeof(*box->rows), by_ns);
	a->rows = box->rows;
	RESULT_TABLE(&a->base, fields, a->rows, a->nrows, 0, 0, "pct");
}

/* --- the timeline --- */

static enum wait_reason reason_of(struct thread_box *box, const struct sched_snap *snap,
				  const struct sched_switch *s)
{
	struct wait_entry e = {
		.kstack = s->kstack,
		.ustack = s->ustack,
		.state = s->state,
		.syscall = s->syscall,
		.futex_op = s->futex_op,
	};
	bool pending = false;
	enum wait_reason reason;

	if (s->state == TASK_STATE_RUNNING || s->state == TASK_STATE_RUNNABLE)
		return WAIT_REASONS;
	if (box->result.task)
		e.task = box->result.task->task;
	reason = wait_entry__reason(&e, snap->symbols, &pending);
	box->result.base.unresolved |= pending;
	return reason;
}

/* The threads that wait for something are distinguished by what for, whatever letter that has. */
static u32 part_of(struct thread_box *box, enum task_state state, enum wait_reason reason)
{
	u32 i = 0, n = box->result.nparts;

	while (i < n && !(box->parts[i].reason == reason &&
			  (reason != WAIT_REASONS || box->parts[i].state == state)))
		i++;
	if (i == n) {
		box->parts[i] = (struct sched_part){
			.state = state,
			.reason = reason,
			.name = reason == WAIT_REASONS ? state_texts[state]
						       : wait_reasons[reason].name,
		};
		box->result.nparts++;
	}
	return i;
}

static void add_span(struct thread_box *box, const struct sched_snap *snap,
		     const struct sched_switch *s, u64 t1)
{
	struct sched_thread_result *a = &box->result;
	u64 t0 = MAX(s->t_ns, a->t0_ns);
	struct sched_part *part;
	u32 at;

	if (t1 <= t0)
		return;
	at = part_of(box, s->state, reason_of(box, snap, s));
	box->spans[a->nspans++] = (struct sched_span){t0, t1, s->cpu, at};
	part = &box->parts[at];
	part->ns += t1 - t0;
	part->count++;
	part->max_ns = MAX(part->max_ns, t1 - t0);
}

/* A thread that ended does nothing any more. */
static u64 last_ns(const struct sched_thread_result *a)
{
	return a->task && a->task->gone ? MIN(a->task->t_ns, a->t1_ns) : a->t1_ns;
}

/* Before the first change that was seen, the thread was as it is known to have been since. */
static void fill_unwatched(struct thread_box *box, const struct sched_snap *snap)
{
	const struct sched_task *t = box->result.task;

	if (!t || !t->since_ns)
		return;
	add_span(box, snap,
		 &(struct sched_switch){.cpu = t->cpu,
					.t_ns = t->since_ns,
					.state = t->state,
					.syscall = WAIT_NO_SYSCALL},
		 last_ns(&box->result));
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct sched_part *parts = ctx;
	u64 x = parts[*(const u32 *)a].ns, y = parts[*(const u32 *)b].ns;

	return (x < y) - (x > y);
}

static void sort_parts(struct thread_box *box)
{
	struct sched_part sorted[ARRAY_SIZE(box->parts)];
	u32 order[ARRAY_SIZE(box->parts)], place[ARRAY_SIZE(box->parts)];
	struct sched_thread_result *a = &box->result;

	for (u32 i = 0; i < a->nparts; i++)
		order[i] = i;
	qsort_r(order, a->nparts, sizeof(*order), by_time, box->parts);
	for (u32 i = 0; i < a->nparts; i++) {
		sorted[i] = box->parts[order[i]];
		place[order[i]] = i;
	}
	memcpy(box->parts, sorted, a->nparts * sizeof(*sorted));
	for (u32 i = 0; i < a->nspans; i++)
		box->spans[i].part = place[box->spans[i].part];
}

static void fill_timeline(struct thread_box *box, const struct sched_snap *snap, u32 tid)
{
	struct sched_thread_result *a = &box->result;
	u64 age = SCHED_TIMELINE_S * NSEC_PER_SEC;
	u32 n = snap->watched_tid == tid ? snap->nswitches : 0;

	a->t1_ns = snap->base.t1_ns;
	a->t0_ns = a->t1_ns > age ? a->t1_ns - age : 0;
	box->spans = arena__array(&a->base.arena, struct sched_span, n + 1);
	for (u32 i = 0; i < n; i++)
		add_span(box, snap, &snap->switches[i],
			 i + 1 < n ? snap->switches[i + 1].t_ns : last_ns(a));
	if (!n)
		fill_unwatched(box, snap);
	sort_parts(box);
	a->spans = box->spans;
	a->parts = box->parts;
}

/* --- the answer --- */

/* start_ns 0: whoever has that tid last. */
static const struct sched_task *find_task(const struct sched_snap *s, u32 tid, u64 start_ns)
{
	const struct sched_task *found = NULL;

	for (u32 i = 0; i < s->ntasks; i++) {
		const struct sched_task *t = &s->tasks[i];

		if (t->task.tid != tid || (start_ns && t->task.start_ns != start_ns))
			continue;
		if (!found || t->task.start_ns > found->task.start_ns)
			found = t;
	}
	return found;
}

struct sched_thread_result *sched__thread(const struct sched_snap *snap, u32 tid, u64 start_ns,
					  enum time_window window)
{
	struct thread_box *box = window_result__new(sizeof(*box), &snap->base, window);
	struct sched_thread_result *a = &box->result;

	a->window = window;
	a->task = find_task(snap, tid, start_ns);
	for (u32 k = 0; a->task && k < SCHED_HISTS; k++)
		sched_hist__add(&a->hists[k], &a->task->hists[k], window);
	a->delays = sched_hist__value(&a->hists[SCHED_DELAY], &a->base.arena);
	fill_states(box, a->task ? &a->task->sums[window] : NULL);
	fill_timeline(box, snap, tid);
	return a;
}
