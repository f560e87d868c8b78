// SPDX-License-Identifier: GPL-2.0-only
/* The slowest requests as rows, each with the stack where it was begun. */
#include <stdio.h>

#include "base/columns.h"
#include "models/io_result.h"
#include "models/io_who.h"
#include "models/slow_rows.h"
#include "models/task_text.h"

struct row {
	struct slow_row base;
	const struct io_slow *slow;
	const char *host; /* of several, else NULL */
	const char *comm, *pid_text, *sector_text, *flags_text, *leaf;
};

/* Of the request itself. */
#define OF(member)	VIA(struct row, slow), NUMBER_AT(struct io_slow, s.member)
#define OF_TEXT(member) VIA(struct row, slow), CHARS_AT(struct io_slow, s.member)
#define KNOWN(member)	UNLESS_0(struct io_slow, s.member)

/* Parts sum to the total: what is neither of the two. */
static void outside_cell(const struct query_result *a, const void *row, struct value *out)
{
	const struct io_slow_sample *s = &((const struct row *)row)->slow->s;
	u64 known = s->queued_ns + s->device_ns;

	*out = (struct value){.type = VALUE_NONE};
	if (s->device_ns)
		*out = (struct value){.type = VALUE_NS,
				      .u = s->total_ns > known ? s->total_ns - known : 0};
}

static const struct field fields[] = {
	{TIME_COLUMN("total_ns", "Total", 7, 0, COLUMN_BOTH, "from its begin to its end"),
	 OF(total_ns)},
	{TIME_COLUMN("queued", "Queued", 7, 1, COLUMN_SCREEN,
		     "held by the I/O scheduler; unknown where there is none"),
	 OF(queued_ns), KNOWN(queued_ns), .unknown = "unknown"},
	{TIME_COLUMN("device_ns", "Device", 7, 1, COLUMN_BOTH, "the device took so long"),
	 OF(device_ns), KNOWN(device_ns)},
	{TIME_COLUMN("outside_ns", "Outside", 7, 2, COLUMN_BOTH,
		     "the rest of the total: before the scheduler or the device had it, as its "
		     "thread collects requests (plug) and may lose its CPU meanwhile, and after the "
		     "device, as of a flush that follows; where queued is unknown, that too"),
	 MADE_BY(outside_cell)},
	{TIME_COLUMN("ago_ns", "Ago", 7, 2, COLUMN_BOTH | COLUMN_ASCENDING, "since it ended"),
	 VIA(struct row, slow), AGO_AT(struct io_slow, s.t_ns)},
	{TEXT_COLUMN("op", "Op", 7, 0, COLUMN_BOTH, "read, write, flush, discard"),
	 VIA(struct row, slow), NAMED_AT(struct io_slow, s.who.op, io_op_names)},
	{TEXT_COLUMN("device", "Device", 9, 0, COLUMN_BOTH, "disk or partition"),
	 OF_TEXT(who.device.name)},
	HOST_FIELD(struct row, 0, 0),
	{BYTES_COLUMN("bytes", "Size", 6, 1, COLUMN_BOTH, "its size"), OF(bytes)},
	{TEXT_COLUMN("at", "Sector", 11, 3, COLUMN_SCREEN,
		     "where it began, of the disk, in 512 bytes"),
	 TEXT_AT(struct row, sector_text)},
	{TEXT_COLUMN("process", "PID", 7, 1, COLUMN_SCREEN, "who began it"),
	 TEXT_AT(struct row, pid_text)},
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH | COLUMN_KEY | COLUMN_FLEX,
		     "who began it, or dirtied the file that a worker writes; "
		     "[writeback]: that is not known"),
	 TEXT_AT(struct row, comm)},
	THREAD_NAME_FIELD(struct row, base.thread_name, 0),
	{TEXT_COLUMN("flags", "Flags", 9, 4, COLUMN_BOTH,
		     "sync, meta, other; writeback: a worker wrote what the process dirtied"),
	 TEXT_AT(struct row, flags_text)},
	{TEXT_COLUMN("file", "File", 16, 3, COLUMN_BOTH, "file whose pages it carried, if known"),
	 OF_TEXT(who.file)},
	{TEXT_COLUMN("symbol", "in", 20, 5, COLUMN_SCREEN, "where it was begun"),
	 TEXT_AT(struct row, leaf)},
	{TIME_COLUMN("queued_ns", "queued_ns", 7, 0, COLUMN_EXPORT,
		     "held by the I/O scheduler; null where there is none"),
	 OF(queued_ns), KNOWN(queued_ns)},
	{TIME_COLUMN("t_ns", "t_ns", 7, 0, COLUMN_EXPORT, "when it ended, CLOCK_MONOTONIC"),
	 OF(t_ns)},
	{ID_COLUMN("sector", "where it began, of the disk, in 512 bytes"), OF(sector),
	 KNOWN(bytes)},
	{ID_COLUMN("pid", "who began it"), OF(who.tgid), KNOWN(who.tgid)},
	{ID_COLUMN("tid", "the thread that began it"), OF(who.tid), KNOWN(who.tgid)},
	{ID_COLUMN("inode", "the file's number"), OF(who.inode), KNOWN(who.inode)},
	{EXPORT_COLUMN(VALUE_STACK, "stack",
		       "where it was begun; of many requests that of some is taken"),
	 MADE_BY(slow_row__stack)},
};

static const char *flags_of(const struct io_slow_sample *s, struct arena *a)
{
	char flags[40], text[64];
	const char *known = io_flags__text(s->who.flags, flags, sizeof(flags));

	snprintf(text, sizeof(text), "%s%s%s", known, *known && s->who.writeback ? " " : "",
		 s->who.writeback ? "writeback" : "");
	return arena__strdup(a, text);
}

static void fill_row(struct query_result *a, struct row *r, const struct io_slow *slow,
		     const struct symbols *symbols)
{
	const struct io_slow_sample *s = &slow->s;
	char sector[40] = ""; /* of a flush, which is nowhere */

	slow_row__init(
		&r->base, a, symbols,
		mix64_pair(mix64_pair(mix64_pair(io_device__id(&s->who.device), s->sector), s->t_ns), s->who.tid),
		slow->stack, NULL);
	if (s->bytes)
		snprintf(sector, sizeof(sector), "%11llu", (unsigned long long)s->sector);
	r->slow = slow;
	r->host = io_device__host(&s->who.device);
	r->comm = io_who__text(&s->who);
	r->base.thread_name = task__thread_name(&a->arena, s->who.tgid, s->who.tid, 0);
	r->pid_text = task__id_text(&a->arena, s->who.tgid);
	r->sector_text = arena__strdup(&a->arena, sector);
	r->flags_text = flags_of(s, &a->arena);
	r->leaf = r->base.nframes ? slow_row__frame(&r->base, 0).name : "";
}

bool io_slow__passes(const struct io_slow_sample *s, bool by_dev, u64 dev,
		     const struct scope *scope)
{
	if (by_dev && !io__of_device(&s->who.device, dev))
		return false;
	return io_who__passes(&s->who, s->who.tid, scope) && slow__passes(scope, s->total_ns);
}

static bool in_query(const struct io_slow_sample *s, const struct io_slow_query *q)
{
	const u64 ns[IO_STAGES] = {
		[IO_TOTAL] = s->total_ns, [IO_QUEUED] = s->queued_ns, [IO_DEVICE] = s->device_ns};

	return (!q->by_op || s->who.op == q->op) && heat_range__has(&q->range, s->t_ns, ns[q->stage]);
}

struct io_slow_result *io__slow(const struct io_snap *snap, const struct io_slow_query *q,
				const struct scope *scope)
{
	struct io_slow_result *a =
		query_result__new(sizeof(*a), &snap->base, snap->symbols,
				  slow__since(&snap->base, snap->since_ns, IO_SLOW_S));
	struct row *rows = arena__array(&a->base.arena, struct row, snap->nslow);
	const struct io_slow **found =
		arena__array(&a->base.arena, const struct io_slow *, snap->nslow);

	for (u32 i = 0; i < snap->nslow; i++) {
		const struct io_slow_sample *s = &snap->slow[i].s;

		if (!io_slow__passes(s, q->by_dev, q->dev, scope) || !in_query(s, q))
			continue;
		fill_row(&a->base, &rows[a->nrows], &snap->slow[i], snap->symbols);
		found[a->nrows++] = &snap->slow[i];
	}
	a->rows = found;
	RESULT_TABLE(&a->base, fields, rows, a->nrows, 0, 0, "total_ns");
	slow_rows__unfold(
		&a->base, q->unfolded, q->nunfolded,
		"no stack was taken: where there are many requests only some have theirs");
	return a;
}
