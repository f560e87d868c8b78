// SPDX-License-Identifier: GPL-2.0-only
/* The slowest delays as rows, each with the stack of who held the CPU. */
#include "base/columns.h"
#include "models/frames.h"
#include "models/sched_answer.h"
#include "models/stack_rows.h"
#include "models/wait_place.h"

enum delay_column {
	DELAY_NS,
	DELAY_AGO,
	DELAY_CPU_TEXT,
	DELAY_TID_TEXT,
	DELAY_COMM,
	DELAY_HOLDER_RAN,
	DELAY_HOLDER_TID_TEXT,
	DELAY_HOLDER,
	DELAY_HOLDER_SYMBOL,
	DELAY_T,
	DELAY_CPU,
	DELAY_PID,
	DELAY_TID,
	DELAY_HOLDER_PID,
	DELAY_HOLDER_TID,
	DELAY_HOLDER_STACK,
	DELAY_COLUMNS,
};

static const struct column sched_delay_columns[DELAY_COLUMNS] = {
	[DELAY_NS] = TIME_COLUMN("delay_ns", "Delay", 7, 0, COLUMN_BOTH,
				 "how long it was runnable without a CPU"),
	[DELAY_AGO] = TIME_COLUMN("ago_ns", "Ago", 6, 2, COLUMN_BOTH | COLUMN_ASCENDING,
				  "since it ended"),
	[DELAY_CPU_TEXT] =
		TEXT_COLUMN("processor", "CPU", 4, 0, COLUMN_SCREEN, "where it got to run"),
	[DELAY_TID_TEXT] = TEXT_COLUMN("thread", "TID", 7, 1, COLUMN_SCREEN, "who waited"),
	[DELAY_COMM] = TEXT_COLUMN("comm", "Who waited", 15, 0, COLUMN_BOTH, "who waited"),
	[DELAY_HOLDER_RAN] = TIME_COLUMN("holder_ran_ns", "Ran", 6, 1, COLUMN_BOTH,
					 "how long who held the CPU had run without a break"),
	[DELAY_HOLDER_TID_TEXT] = TEXT_COLUMN("holder_thread", "TID", 7, 3, COLUMN_SCREEN,
					      "who held the CPU until then"),
	[DELAY_HOLDER] =
		TEXT_COLUMN("holder_comm", "Who held it", 36, 0,
			    COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX, "who held the CPU until then"),
	[DELAY_HOLDER_SYMBOL] = TEXT_COLUMN("holder_symbol", "in", 24, 4, COLUMN_SCREEN,
					    "where it was when it let the CPU go"),
	[DELAY_T] =
		TIME_COLUMN("t_ns", "Time", 7, 0, COLUMN_EXPORT, "when it ended, CLOCK_MONOTONIC"),
	[DELAY_CPU] = ID_COLUMN("cpu", "where it got to run"),
	[DELAY_PID] = ID_COLUMN("pid", "process of who waited"),
	[DELAY_TID] = ID_COLUMN("tid", "thread of who waited"),
	[DELAY_HOLDER_PID] = ID_COLUMN("holder_pid", "process of who held the CPU"),
	[DELAY_HOLDER_TID] = ID_COLUMN("holder_tid", "thread of who held the CPU; 0: it was idle"),
	[DELAY_HOLDER_STACK] = COLUMN(VALUE_STACK, "holder_stack", "Stack", 0, 0, COLUMN_EXPORT,
				      "where it was when it let the CPU go"),
};

/* A delay and what its cells need. */
struct delay_row {
	u64 key;
	const struct symbols *symbols;
	const struct sched_delay *d;
	u32 nframes, telling; /* of these the one that says what it did */
	const char *cpu_text, *tid_text, *holder_tid_text;
};

struct delays_box {
	struct sched_delays_answer answer;
	struct arena arena;
	struct delay_row *rows;
};

/* --- cells --- */

/* Kernel frames, then user frames. */
static u32 frame_loc(const struct sched_delay *d, u32 i)
{
	u32 nkernel = profile_stack__nlocs(d->holder_kstack);

	return i < nkernel ? d->holder_kstack->locs[i] : d->holder_ustack->locs[i - nkernel];
}

static void value_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct delay_row *r = of;
	struct frame_text f = frame__text(r->symbols, frame_loc(r->d, i));

	*out = (struct value_frame){.symbol = f.name, .object = f.object_name, .kind = f.kind};
}

static const char *telling_text(const struct delay_row *r)
{
	return r->nframes ? frame__text(r->symbols, frame_loc(r->d, r->telling)).name : "";
}

static const char *text_cell(const struct delay_row *r, u32 column)
{
	switch (column) {
	case DELAY_CPU_TEXT:
		return r->cpu_text;
	case DELAY_TID_TEXT:
		return r->tid_text;
	case DELAY_HOLDER_TID_TEXT:
		return r->holder_tid_text;
	case DELAY_HOLDER:
		return r->d->holder.tid ? r->d->holder.comm : "[idle]";
	case DELAY_HOLDER_SYMBOL:
		return telling_text(r);
	default:
		return r->d->task.comm;
	}
}

static u64 number_cell(const struct delay_row *r, u32 column, u64 now)
{
	switch (column) {
	case DELAY_NS:
		return r->d->delay_ns;
	case DELAY_AGO:
		return now > r->d->t_ns ? now - r->d->t_ns : 0;
	case DELAY_HOLDER_RAN:
		return r->d->holder_ran_ns;
	case DELAY_T:
		return r->d->t_ns;
	case DELAY_CPU:
		return r->d->cpu;
	case DELAY_PID:
		return r->d->task.tgid;
	case DELAY_TID:
		return r->d->task.tid;
	case DELAY_HOLDER_PID:
		return r->d->holder.tgid;
	default:
		return r->d->holder.tid;
	}
}

static bool delays__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct delays_box *box = container_of(t, struct delays_box, answer.base.table);
	const struct delay_row *r = &box->rows[row];

	*out = (struct value){.type = sched_delay_columns[column].type};
	if (out->type == VALUE_TEXT) {
		out->s = text_cell(r, column);
	} else if (out->type == VALUE_STACK) {
		out->n = r->nframes;
		out->of = r;
		out->frame = value_frame;
	} else {
		out->u = number_cell(r, column, box->answer.base.snap->t1_ns);
	}
	return true;
}

static u64 delays__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct delays_box, answer.base.table)->rows[row].key;
}

/* --- stacks below the rows --- */

static u64 stack_key(const void *ctx, u32 row)
{
	return ((const struct delay_row *)ctx)[row].key;
}

static u32 stack_nframes(const void *ctx, u32 row)
{
	return ((const struct delay_row *)ctx)[row].nframes;
}

static struct frame_text stack_frame(const void *ctx, u32 row, u32 i)
{
	const struct delay_row *r = &((const struct delay_row *)ctx)[row];

	return frame__text(r->symbols, frame_loc(r->d, i));
}

static void build_trees(struct delays_box *box, const u64 *unfolded, u32 nunfolded)
{
	const struct stack_rows rows = {
		.n = box->answer.nrows,
		.key = stack_key,
		.nframes = stack_nframes,
		.frame = stack_frame,
		.ctx = box->rows,
	};

	stack_rows__build(&box->answer.base, &rows, unfolded, nunfolded, &box->arena);
}

/* --- the answer --- */

/* Past the frames of the scheduler, and of the interrupt that took the CPU away. */
static u32 telling_frame(const struct delay_row *r)
{
	struct wait_place place = {0};
	u32 passed;

	wait_place__read_kernel(&place, r->d->holder_kstack, r->symbols);
	passed = place.known ? place.clue.passed : 0;
	return passed < r->nframes ? passed : 0;
}

static void fill_row(struct delays_box *box, struct delay_row *r, const struct sched_delay *d,
		     const struct symbols *symbols)
{
	u64 id = mix64_pair(d->task.tid | (u64)d->cpu << 32, d->t_ns);

	*r = (struct delay_row){.key = mix64_pair(id, d->delay_ns), .symbols = symbols, .d = d};
	r->nframes =
		profile_stack__nlocs(d->holder_kstack) + profile_stack__nlocs(d->holder_ustack);
	r->cpu_text = sched__id_text(&box->arena, d->cpu, 4);
	r->tid_text = sched__id_text(&box->arena, d->task.tid, 7);
	r->holder_tid_text = sched__id_text(&box->arena, d->holder.tid, 7);
	r->telling = telling_frame(r);
	for (u32 i = 0; i < r->nframes; i++)
		box->answer.base.unresolved |= frame__text(symbols, frame_loc(d, i)).pending;
}

static void fill_rows(struct delays_box *box, const struct sched_snap *snap,
		      const struct heat_range *range, const struct scope *scope)
{
	struct sched_delays_answer *a = &box->answer;
	const struct sched_delay **rows =
		arena__array(&box->arena, const struct sched_delay *, snap->ndelays);

	box->rows = arena__array(&box->arena, struct delay_row, snap->ndelays);
	for (u32 i = 0; i < snap->ndelays; i++) {
		const struct sched_delay *d = &snap->delays[i];

		if (!sched__passes(scope, &d->task, d->cpu) ||
		    !heat_range__has(range, d->t_ns, d->delay_ns))
			continue;
		fill_row(box, &box->rows[a->nrows], d, snap->symbols);
		rows[a->nrows++] = d;
	}
	a->rows = rows;
}

static void delays__free(struct answer *base)
{
	struct delays_box *box = container_of(base, struct delays_box, answer.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

static u64 delays_since(const struct sched_snap *s)
{
	u64 age = SCHED_DELAYS_S * NSEC_PER_SEC;

	return MAX(s->since_ns, s->base.t1_ns > age ? s->base.t1_ns - age : 0);
}

struct sched_delays_answer *sched__delays(const struct sched_snap *snap,
					  const struct sched_delays_query *q,
					  const struct scope *scope)
{
	struct delays_box *box = xcalloc(1, sizeof(*box));

	arena__init(&box->arena);
	sched_answer__init(&box->answer.base, snap, delays_since(snap), delays__free);
	fill_rows(box, snap, &q->range, scope);
	build_trees(box, q->unfolded, q->nunfolded);
	box->answer.base.table = (struct row_table){
		.columns = sched_delay_columns,
		.ncolumns = DELAY_COLUMNS,
		.nrows = box->answer.nrows,
		.sort = DELAY_NS,
		.cell = delays__cell,
		.key = delays__key,
	};
	return &box->answer;
}
