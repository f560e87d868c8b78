// SPDX-License-Identifier: GPL-2.0-only
/* The slowest requests as rows, each with the stack where it was begun. */
#include <stdio.h>

#include "base/columns.h"
#include "models/frames.h"
#include "models/io_answer.h"
#include "models/stack_rows.h"
#include "models/who.h"

enum slow_column {
	SLOW_TOTAL,
	SLOW_QUEUED_TEXT,
	SLOW_DEVICE_NS,
	SLOW_AGO,
	SLOW_OP,
	SLOW_DEVICE,
	SLOW_SIZE,
	SLOW_SECTOR_TEXT,
	SLOW_PID_TEXT,
	SLOW_COMM,
	SLOW_FLAGS,
	SLOW_FILE,
	SLOW_LEAF,
	SLOW_QUEUED,
	SLOW_T,
	SLOW_SECTOR,
	SLOW_PID,
	SLOW_TID,
	SLOW_INODE,
	SLOW_STACK,
	SLOW_COLUMNS,
};

static const struct column io_slow_columns[SLOW_COLUMNS] = {
	[SLOW_TOTAL] =
		TIME_COLUMN("total_ns", "Total", 7, 0, COLUMN_BOTH, "from its begin to its end"),
	[SLOW_QUEUED_TEXT] = TIME_COLUMN("queued", "Queued", 7, 1, COLUMN_SCREEN,
					 "held by the I/O scheduler; unknown where there is none"),
	[SLOW_DEVICE_NS] =
		TIME_COLUMN("device_ns", "Device", 7, 1, COLUMN_BOTH, "the device took so long"),
	[SLOW_AGO] = TIME_COLUMN("ago_ns", "Ago", 7, 2, COLUMN_BOTH | COLUMN_ASCENDING,
				 "since it ended"),
	[SLOW_OP] = TEXT_COLUMN("op", "Op", 7, 0, COLUMN_BOTH, "read, write, flush, discard"),
	[SLOW_DEVICE] = TEXT_COLUMN("device", "Device", 9, 0, COLUMN_BOTH, "disk or partition"),
	[SLOW_SIZE] = BYTES_COLUMN("bytes", "Size", 6, 1, COLUMN_BOTH, "its size"),
	[SLOW_SECTOR_TEXT] = TEXT_COLUMN("at", "Sector", 11, 3, COLUMN_SCREEN,
					 "where it began, of the disk, in 512 bytes"),
	[SLOW_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 1, COLUMN_SCREEN, "who began it"),
	[SLOW_COMM] = TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX,
				  "who began it, or dirtied the file that a worker writes; "
				  "[writeback]: that is not known"),
	[SLOW_FLAGS] = TEXT_COLUMN(
		"flags", "Flags", 9, 4, COLUMN_BOTH,
		"sync, meta, other; writeback: a worker wrote what the process dirtied"),
	[SLOW_FILE] = TEXT_COLUMN("file", "File", 16, 3, COLUMN_BOTH,
				  "file whose pages it carried, if known"),
	[SLOW_LEAF] = TEXT_COLUMN("symbol", "in", 20, 5, COLUMN_SCREEN, "where it was begun"),
	[SLOW_QUEUED] = TIME_COLUMN("queued_ns", "queued_ns", 7, 0, COLUMN_EXPORT,
				    "held by the I/O scheduler; null where there is none"),
	[SLOW_T] =
		TIME_COLUMN("t_ns", "t_ns", 7, 0, COLUMN_EXPORT, "when it ended, CLOCK_MONOTONIC"),
	[SLOW_SECTOR] = ID_COLUMN("sector", "where it began, of the disk, in 512 bytes"),
	[SLOW_PID] = ID_COLUMN("pid", "who began it"),
	[SLOW_TID] = ID_COLUMN("tid", "the thread that began it"),
	[SLOW_INODE] = ID_COLUMN("inode", "the file's number"),
	[SLOW_STACK] = EXPORT_COLUMN(VALUE_STACK, "stack",
				     "where it was begun; of many requests that of some is taken"),
};

struct slow_row {
	u64 key;
	const struct symbols *symbols;
	const struct io_slow *slow;
	u32 nframes;
	const char *pid_text, *sector_text, *flags_text;
};

struct slow_box {
	struct io_slow_answer answer;
	struct arena arena;
	struct slow_row *rows;
};

/* --- cells --- */

static struct frame_text frame_of(const struct slow_row *r, u32 i)
{
	return frame__text(r->symbols, r->slow->stack->locs[i]);
}

static void value_frame(const void *of, u32 i, struct value_frame *out)
{
	struct frame_text f = frame_of(of, i);

	*out = (struct value_frame){.symbol = f.name, .object = f.object_name, .kind = f.kind};
}

static const char *text_cell(const struct slow_row *r, u32 column)
{
	const struct io_slow_sample *s = &r->slow->s;

	switch (column) {
	case SLOW_OP:
		return io_op_names[s->op];
	case SLOW_DEVICE:
		return s->device.name;
	case SLOW_SECTOR_TEXT:
		return r->sector_text;
	case SLOW_PID_TEXT:
		return r->pid_text;
	case SLOW_FLAGS:
		return r->flags_text;
	case SLOW_FILE:
		return s->file;
	case SLOW_LEAF:
		return r->nframes ? frame_of(r, 0).name : "";
	default:
		return io__who(s->writeback, s->kthread, s->comm);
	}
}

static u64 number_cell(const struct slow_row *r, u32 column, u64 now)
{
	const struct io_slow_sample *s = &r->slow->s;

	switch (column) {
	case SLOW_TOTAL:
		return s->total_ns;
	case SLOW_QUEUED:
	case SLOW_QUEUED_TEXT:
		return s->queued_ns;
	case SLOW_DEVICE_NS:
		return s->device_ns;
	case SLOW_AGO:
		return now > s->t_ns ? now - s->t_ns : 0;
	case SLOW_SIZE:
		return s->bytes;
	case SLOW_T:
		return s->t_ns;
	case SLOW_SECTOR:
		return s->sector;
	case SLOW_PID:
		return s->tgid;
	case SLOW_TID:
		return s->tid;
	default:
		return s->inode;
	}
}

/* Where 0 stands for what is not known. */
static bool is_unknown(const struct slow_row *r, u32 column)
{
	const struct io_slow_sample *s = &r->slow->s;

	switch (column) {
	case SLOW_QUEUED:
	case SLOW_QUEUED_TEXT:
		return !s->queued_ns;
	case SLOW_DEVICE_NS:
		return !s->device_ns;
	case SLOW_PID:
	case SLOW_TID:
		return !s->tgid;
	case SLOW_INODE:
		return !s->inode;
	case SLOW_SECTOR:
		return !s->bytes;
	default:
		return false;
	}
}

static bool slow__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct slow_box *box = container_of(t, struct slow_box, answer.base.table);
	const struct slow_row *r = &box->rows[row];

	*out = (struct value){.type = io_slow_columns[column].type};
	if (is_unknown(r, column)) {
		out->type = column == SLOW_QUEUED_TEXT ? VALUE_TEXT : VALUE_NONE;
		out->s = "unknown";
	} else if (out->type == VALUE_TEXT) {
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

static u64 slow__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct slow_box, answer.base.table)->rows[row].key;
}

/* --- stacks below the rows --- */

static u64 stack_key(const void *ctx, u32 row)
{
	return ((const struct slow_row *)ctx)[row].key;
}

static u32 stack_nframes(const void *ctx, u32 row)
{
	return ((const struct slow_row *)ctx)[row].nframes;
}

static struct frame_text stack_frame(const void *ctx, u32 row, u32 i)
{
	return frame_of(&((const struct slow_row *)ctx)[row], i);
}

static void build_trees(struct slow_box *box, const u64 *unfolded, u32 nunfolded)
{
	const struct stack_rows rows = {
		.n = box->answer.nrows,
		.key = stack_key,
		.nframes = stack_nframes,
		.frame = stack_frame,
		.ctx = box->rows,
		.none = "no stack was taken: where there are many requests only some have theirs",
	};

	stack_rows__build(&box->answer.base, &rows, unfolded, nunfolded, &box->arena);
}

/* --- the answer --- */

static const char *flags_of(const struct io_slow_sample *s, struct arena *a)
{
	char flags[40], text[64];
	const char *known = io_flags__text(s->flags, flags, sizeof(flags));

	snprintf(text, sizeof(text), "%s%s%s", known, *known && s->writeback ? " " : "",
		 s->writeback ? "writeback" : "");
	return arena__strdup(a, text);
}

static void fill_row(struct slow_box *box, struct slow_row *r, const struct io_slow *slow,
		     const struct symbols *symbols)
{
	const struct io_slow_sample *s = &slow->s;
	char buf[40];

	*r = (struct slow_row){.symbols = symbols, .slow = slow};
	r->key = mix64_pair(mix64_pair(s->sector ^ ((u64)s->device.dev << 32), s->t_ns), s->tid);
	r->nframes = profile_stack__nlocs(slow->stack);
	r->pid_text = who__id_text(&box->arena, s->tgid);
	if (s->bytes)
		snprintf(buf, sizeof(buf), "%11llu", (unsigned long long)s->sector);
	else /* as a flush, which is nowhere */
		buf[0] = '\0';
	r->sector_text = arena__strdup(&box->arena, buf);
	r->flags_text = flags_of(s, &box->arena);
	for (u32 i = 0; i < r->nframes; i++)
		box->answer.base.unresolved |= frame_of(r, i).pending;
}

bool io_slow__passes(const struct io_slow_sample *s, bool by_dev, u32 dev,
		     const struct scope *scope)
{
	if (by_dev && !io__of_device(&s->device, dev))
		return false;
	return who__passes(scope, s->tgid, s->tid, s->cgroup, s->comm) &&
	       (!scope || (s->total_ns >= scope->min_ns &&
			   (!scope->max_ns || s->total_ns <= scope->max_ns)));
}

static bool in_query(const struct io_slow_sample *s, const struct io_slow_query *q)
{
	const u64 ns[IO_STAGES] = {[IO_TOTAL] = s->total_ns,
				   [IO_QUEUED] = s->queued_ns,
				   [IO_DEVICE] = s->device_ns};

	return (!q->by_op || s->op == q->op) && heat_range__has(&q->range, s->t_ns, ns[q->stage]);
}

static void fill_rows(struct slow_box *box, const struct io_snap *snap,
		      const struct io_slow_query *q, const struct scope *scope)
{
	struct io_slow_answer *a = &box->answer;
	const struct io_slow **rows =
		arena__array(&box->arena, const struct io_slow *, snap->nslow);

	box->rows = arena__array(&box->arena, struct slow_row, snap->nslow);
	for (u32 i = 0; i < snap->nslow; i++) {
		const struct io_slow_sample *s = &snap->slow[i].s;

		if (!io_slow__passes(s, q->by_dev, q->dev, scope) || !in_query(s, q))
			continue;
		fill_row(box, &box->rows[a->nrows], &snap->slow[i], snap->symbols);
		rows[a->nrows++] = &snap->slow[i];
	}
	a->rows = rows;
}

static void slow__free(struct answer *base)
{
	struct slow_box *box = container_of(base, struct slow_box, answer.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

static u64 slow_since(const struct io_snap *s)
{
	u64 age = IO_SLOW_S * NSEC_PER_SEC;

	return MAX(s->since_ns, s->base.t1_ns > age ? s->base.t1_ns - age : 0);
}

struct io_slow_answer *io__slow(const struct io_snap *snap, const struct io_slow_query *q,
				const struct scope *scope)
{
	struct slow_box *box = xcalloc(1, sizeof(*box));

	arena__init(&box->arena);
	io_answer__init(&box->answer.base, snap, slow_since(snap), slow__free);
	fill_rows(box, snap, q, scope);
	build_trees(box, q->unfolded, q->nunfolded);
	box->answer.base.table = (struct row_table){
		.columns = io_slow_columns,
		.ncolumns = SLOW_COLUMNS,
		.nrows = box->answer.nrows,
		.sort = SLOW_TOTAL,
		.cell = slow__cell,
		.key = slow__key,
	};
	return &box->answer;
}
