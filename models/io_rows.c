// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the io view's rows. */
#include "base/columns.h"
#include "models/io_answer.h"
#include "models/windows.h"

enum io_column {
	COL_TIME_PCT,
	COL_TREND,
	COL_PID_TEXT,
	COL_COMM,
	COL_DEVICE,
	COL_OP,
	COL_FLAGS,
	COL_IOPS,
	COL_RATE,
	COL_COUNT,
	COL_BYTES,
	COL_READ_BYTES,
	COL_WRITE_BYTES,
	COL_WRITEBACK_BYTES,
	COL_AVG,
	COL_PERCENTILE, /* and one for each further one */
	COL_PERCENTILE_END = COL_PERCENTILE + IO_PERCENTILES,
	COL_QUEUED = COL_PERCENTILE_END,
	COL_QUEUE_P50,
	COL_DEVICE_P50,
	COL_IN_FLIGHT,
	COL_QUEUE_AVG_TEXT,
	COL_QUEUE_AVG,
	COL_DEVICE_AVG,
	COL_SIZE_AVG,
	COL_SIZE_P50,
	COL_RANDOM,
	COL_FILE,
	COL_CGROUP,
	COL_PID,
	COL_INODE,
	COL_SIZES,
	COL_HIST,
	COL_QUEUE_HIST,
	COL_DEVICE_HIST,
	COLUMNS,
};

#define PERCENTILE(i, name, title, priority, help)                                                 \
	[COL_PERCENTILE + (i)] = TIME_COLUMN(name, title, 7, priority, COLUMN_BOTH, help)
/* Where there is no I/O scheduler the screen says so in a word, and programs get null. */
#define QUEUED(shown, shown_name, column, name, help)                                              \
	[shown] = TIME_COLUMN(shown_name, "Queued", 7, 2, COLUMN_SCREEN,                           \
			      help "; unknown where there is none"),                               \
	[column] = TIME_COLUMN(name, "Queued", 7, 0, COLUMN_EXPORT,                                \
			       help "; null where there is none")

static const struct column io_columns[COLUMNS] = {
	[COL_TIME_PCT] = PCT_COLUMN("time_pct", "Time%", 11, 3, COLUMN_BOTH | COLUMN_BAR,
				    "share of the time that all requests took, from begin to end"),
	[COL_TREND] = COLUMN(VALUE_TREND, "trend", "Trend", 8, 4, COLUMN_SCREEN,
			     "requests of the last 16 intervals, newest right"),
	[COL_PID_TEXT] =
		TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN,
			    "process id; of flushes and of what nobody knows who dirtied it none"),
	[COL_COMM] = TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH,
				 "name of the thread that began it, or dirtied the file that a "
				 "worker writes; [writeback]: that is not known"),
	[COL_DEVICE] = TEXT_COLUMN("device", "Device", 10, 0, COLUMN_BOTH, "disk or partition"),
	[COL_OP] = TEXT_COLUMN("op", "Op", 7, 0, COLUMN_BOTH,
			       "read, write, flush, discard, as /proc/diskstats has it"),
	[COL_FLAGS] = TEXT_COLUMN("flags", "Flags", 9, 1, COLUMN_BOTH,
				  "sync: somebody waits for the write; meta: a file system's own "
				  "data; other: without data"),
	[COL_IOPS] = COUNT_COLUMN("iops", "IOPS", 7, 0, COLUMN_SCREEN | COLUMN_SHARE,
				  "requests that ended, per second"),
	[COL_RATE] =
		BYTES_COLUMN("rate", "B/s", 7, 0, COLUMN_SCREEN | COLUMN_SHARE, "bytes per second"),
	[COL_COUNT] =
		COUNT_COLUMN("count", "I/O", 7, 0, COLUMN_BOTH | COLUMN_SUM, "requests that ended"),
	[COL_BYTES] = BYTES_COLUMN("bytes", "Bytes", 7, 0, COLUMN_BOTH | COLUMN_SUM, "bytes moved"),
	[COL_READ_BYTES] =
		BYTES_COLUMN("read_bytes", "Read", 7, 3, COLUMN_BOTH | COLUMN_SUM, "bytes read"),
	[COL_WRITE_BYTES] = BYTES_COLUMN("write_bytes", "Written", 7, 3, COLUMN_BOTH | COLUMN_SUM,
					 "bytes written"),
	[COL_WRITEBACK_BYTES] =
		BYTES_COLUMN("writeback_bytes", "WrBack", 7, 4, COLUMN_BOTH | COLUMN_SUM,
			     "of the bytes written: by workers, later, for who dirtied the file"),
	[COL_AVG] = TIME_COLUMN("avg_ns", "Avg", 7, 1, COLUMN_BOTH, "mean time from begin to end"),
	PERCENTILE(0, "p1_ns", "p1", 3, "1 in 100 requests took at most this long"),
	PERCENTILE(1, "p5_ns", "p5", 4, "5 in 100 requests took at most this long"),
	PERCENTILE(2, "p10_ns", "p10", 2, "10 in 100 requests took at most this long"),
	PERCENTILE(3, "p16_ns", "p16", 5, "16 in 100 requests took at most this long"),
	PERCENTILE(4, "p25_ns", "p25", 2, "a quarter of the requests took at most this long"),
	PERCENTILE(5, "p50_ns", "p50", 0, "half of the requests took at most this long"),
	PERCENTILE(6, "p75_ns", "p75", 2, "three quarters of the requests took at most this long"),
	PERCENTILE(7, "p84_ns", "p84", 5, "84 in 100 requests took at most this long"),
	PERCENTILE(8, "p90_ns", "p90", 1, "90 in 100 requests took at most this long"),
	PERCENTILE(9, "p95_ns", "p95", 1, "95 in 100 requests took at most this long"),
	PERCENTILE(10, "p99_ns", "p99", 0, "99 in 100 requests took at most this long"),
	PERCENTILE(11, "max_ns", "Max", 0, "the slowest request"),
	QUEUED(COL_QUEUED, "queued", COL_QUEUE_P50, "queue_p50_ns",
	       "half of the requests were held by the I/O scheduler this long at most"),
	[COL_DEVICE_P50] = TIME_COLUMN("device_p50_ns", "Device", 7, 2, COLUMN_BOTH,
				       "half of the requests took the device this long at most"),
	[COL_IN_FLIGHT] = COUNT_COLUMN("in_flight", "InFl", 7, 2, COLUMN_BOTH,
				       "requests of the whole device on their way now"),
	QUEUED(COL_QUEUE_AVG_TEXT, "queue_avg", COL_QUEUE_AVG, "queue_avg_ns",
	       "mean time held by the I/O scheduler"),
	[COL_DEVICE_AVG] = TIME_COLUMN("device_avg_ns", "Device", 7, 2, COLUMN_BOTH,
				       "mean time that the device took"),
	[COL_SIZE_AVG] = BYTES_COLUMN("size_avg_bytes", "Size", 7, 0, COLUMN_BOTH,
				      "mean size of a request; of a flush none"),
	[COL_SIZE_P50] =
		BYTES_COLUMN("size_p50_bytes", "Sz p50", 7, 2, COLUMN_BOTH,
			     "power of two that half of the requests' sizes do not exceed"),
	[COL_RANDOM] = PCT_COLUMN("random_pct", "Random%", 11, 0, COLUMN_BOTH | COLUMN_BAR,
				  "requests that did not begin where the device's last one ended"),
	[COL_FILE] =
		TEXT_COLUMN("file", "File", 18, 3, COLUMN_BOTH,
			    "file whose pages they carry, where that is known: not of direct I/O"),
	[COL_CGROUP] = TEXT_COLUMN("cgroup", "Cgroup", 16, 4, COLUMN_BOTH,
				   "cgroup v2 that is charged: of writeback that of who dirtied"),
	[COL_PID] = ID_COLUMN(
		"pid", "process id; null of flushes and of what nobody knows who dirtied it"),
	[COL_INODE] = ID_COLUMN("inode", "the file's number"),
	[COL_SIZES] = EXPORT_COLUMN(VALUE_LIST, "sizes",
				    "requests by size: powers of two from 512 bytes (and less) on"),
	[COL_HIST] = EXPORT_COLUMN(VALUE_LIST, "hist", "requests by time from begin to end"),
	[COL_QUEUE_HIST] = EXPORT_COLUMN(VALUE_LIST, "queue_hist",
					 "requests by time held by the I/O scheduler"),
	[COL_DEVICE_HIST] =
		EXPORT_COLUMN(VALUE_LIST, "device_hist", "requests by time that the device took"),
};

static bool is_percentile(u32 column)
{
	return column >= COL_PERCENTILE && column < COL_PERCENTILE_END;
}

#define MAX_COLUMN (COL_PERCENTILE_END - 1)

/* Of rows of devices; false: of those who use them. */
static bool of_devices(u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
	case COL_COMM:
	case COL_READ_BYTES:
	case COL_WRITE_BYTES:
	case COL_WRITEBACK_BYTES:
	case COL_FILE:
	case COL_CGROUP:
	case COL_PID:
	case COL_INODE:
		return false;
	default:
		return true;
	}
}

static bool of_procs(enum io_group by, u32 column)
{
	switch (column) {
	case COL_TIME_PCT:
		return true;
	case COL_PID_TEXT:
	case COL_PID:
		return by == IO_BY_PID;
	case COL_COMM:
		return by == IO_BY_PID || by == IO_BY_COMM;
	case COL_FILE:
	case COL_DEVICE:
	case COL_CGROUP:
	case COL_IOPS:
	case COL_RATE:
	case COL_COUNT:
	case COL_BYTES:
	case COL_READ_BYTES:
	case COL_WRITE_BYTES:
	case COL_WRITEBACK_BYTES:
	case COL_AVG:
	case MAX_COLUMN:
		return true;
	case COL_INODE:
		return by == IO_BY_FILE;
	default:
		return false;
	}
}

static bool applies(const struct io_query *q, u32 column)
{
	if (column == COL_FLAGS && q->joined)
		return false;
	return q->group == IO_BY_DEVICE ? of_devices(column) : of_procs(q->group, column);
}

/* Which sets of columns one belongs to on screen; those who use devices have one set. */
static bool shown(const struct io_query *q, u32 column)
{
	bool latency = q->show == IO_SHOW_LATENCY, shape = q->show == IO_SHOW_SHAPE;

	if (q->group != IO_BY_DEVICE)
		return column != COL_IOPS && column != COL_RATE;
	switch (column) {
	case COL_COUNT:
	case COL_BYTES:
		return shape;
	case COL_IOPS:
	case COL_RATE:
		return latency || shape;
	case COL_TIME_PCT:
	case COL_TREND:
		return latency;
	case COL_AVG:
	case COL_QUEUE_AVG_TEXT:
	case COL_DEVICE_AVG:
	case COL_SIZE_AVG:
	case COL_SIZE_P50:
	case COL_RANDOM:
		return shape;
	case COL_PERCENTILE + 5:
	case COL_PERCENTILE + 9:
	case COL_PERCENTILE + 10:
	case MAX_COLUMN:
		return !shape;
	case COL_QUEUED:
	case COL_DEVICE_P50:
	case COL_IN_FLIGHT:
		return latency;
	default:
		return !is_percentile(column) || q->show == IO_SHOW_PERCENTILES;
	}
}

/* --- cells --- */

static const char *text_cell(const struct io_answer *a, const struct io_row *r, u32 column)
{
	bool device = a->query.group == IO_BY_DEVICE;

	switch (column) {
	case COL_PID_TEXT:
		return r->pid_text;
	case COL_DEVICE:
		return device ? r->name : r->devices;
	case COL_OP:
		return io_op_names[r->op];
	case COL_FLAGS:
		return r->flags_text;
	case COL_FILE:
		return a->query.group == IO_BY_FILE ? r->name : r->files;
	case COL_CGROUP:
		return r->cgroup_name;
	default:
		return r->name;
	}
}

static u64 mean(u64 sum, u64 n)
{
	return n ? sum / n : 0;
}

/* What is never known of a stage is none. */
static struct value stage_value(u64 ns, u64 known)
{
	return (struct value){.type = known ? VALUE_NS : VALUE_NONE, .u = known ? ns : 0};
}

static struct value stage_mean(const struct io_sums *s, enum io_stage stage)
{
	return stage_value(window__mean(s->ns[stage], s->known[stage], s->max_ns[stage]),
			   s->known[stage]);
}

static struct value stage_median(const struct io_row *r, enum io_stage stage)
{
	return stage_value(r->p50_ns[stage], r->sums.known[stage]);
}

static struct value queued_value(const struct io_row *r, u32 column)
{
	bool in_words = column == COL_QUEUED || column == COL_QUEUE_AVG_TEXT;

	if (in_words && !r->sums.known[IO_QUEUED])
		return (struct value){.type = VALUE_TEXT, .s = "unknown"};
	return column == COL_QUEUED || column == COL_QUEUE_P50 ? stage_median(r, IO_QUEUED)
							       : stage_mean(&r->sums, IO_QUEUED);
}

static struct value time_share(const struct io_answer *a, u64 ns)
{
	u64 all = a->sums.ns[IO_TOTAL];

	return (struct value){.type = all ? VALUE_PCT : VALUE_NONE,
			      .f = all ? MIN((double)ns * 100 / (double)all, 100) : 0};
}

static u64 device_number(const struct io_answer *a, const struct io_row *r, u32 column)
{
	const struct io_sums *s = &r->sums;

	switch (column) {
	case COL_IOPS:
		return window__per_second(s->count, a->window_ns);
	case COL_RATE:
		return window__per_second(s->bytes, a->window_ns);
	case COL_COUNT:
		return s->count;
	case COL_BYTES:
		return s->bytes;
	case COL_IN_FLIGHT:
		return r->in_flight;
	case COL_SIZE_AVG:
		return mean(s->bytes, s->count);
	default:
		return r->size_p50;
	}
}

static struct value device_value(const struct io_answer *a, const struct io_row *r, u32 column)
{
	const struct io_sums *s = &r->sums;
	struct value v = {.type = io_columns[column].type};
	u64 placed = s->random + s->sequential;

	if (is_percentile(column))
		return stage_value(r->percentiles[column - COL_PERCENTILE],
				   s->known[a->query.stage]);
	switch (column) {
	case COL_TIME_PCT:
		return time_share(a, s->ns[IO_TOTAL]);
	case COL_TREND:
		v.trend = r->trend;
		v.n = PROFILE_TREND;
		return v;
	case COL_AVG:
		return stage_mean(s, IO_TOTAL);
	case COL_QUEUED:
	case COL_QUEUE_P50:
	case COL_QUEUE_AVG_TEXT:
	case COL_QUEUE_AVG:
		return queued_value(r, column);
	case COL_DEVICE_P50:
		return stage_median(r, IO_DEVICE);
	case COL_DEVICE_AVG:
		return stage_mean(s, IO_DEVICE);
	case COL_SIZE_AVG:
	case COL_SIZE_P50:
		v.type = s->bytes ? VALUE_BYTES : VALUE_NONE;
		v.u = s->bytes ? device_number(a, r, column) : 0;
		return v;
	case COL_RANDOM:
		v.type = placed ? VALUE_PCT : VALUE_NONE;
		v.f = placed ? (double)s->random * 100 / (double)placed : 0;
		return v;
	case COL_SIZES:
		return r->sizes;
	case COL_HIST:
		return r->hist_values[IO_TOTAL];
	case COL_QUEUE_HIST:
		return r->hist_values[IO_QUEUED];
	case COL_DEVICE_HIST:
		return r->hist_values[IO_DEVICE];
	default:
		v.u = device_number(a, r, column);
		return v;
	}
}

static struct value proc_value(const struct io_answer *a, const struct io_row *r, u32 column)
{
	const struct io_proc_sums *s = &r->proc_sums;
	struct value v = {.type = io_columns[column].type};

	switch (column) {
	case COL_TIME_PCT:
		return time_share(a, s->ns);
	case COL_PID:
		v.type = r->proc && *r->pid_text ? VALUE_COUNT : VALUE_NONE;
		v.u = r->proc ? r->proc->tgid : 0;
		break;
	case COL_INODE:
		v.type = r->proc && r->proc->inode ? VALUE_COUNT : VALUE_NONE;
		v.u = r->proc ? r->proc->inode : 0;
		break;
	case COL_IOPS:
		v.u = window__per_second(s->count, a->window_ns);
		break;
	case COL_RATE:
		v.u = window__per_second(s->bytes, a->window_ns);
		break;
	case COL_COUNT:
		v.u = s->count;
		break;
	case COL_BYTES:
		v.u = s->bytes;
		break;
	case COL_READ_BYTES:
		v.u = r->read_bytes;
		break;
	case COL_WRITE_BYTES:
		v.u = r->write_bytes;
		break;
	case COL_WRITEBACK_BYTES:
		v.u = r->writeback_bytes;
		break;
	case COL_AVG:
		return stage_value(mean(s->ns, s->known), s->known);
	default:
		/* Maxima are forgotten before sums have faded. */
		return stage_value(MAX(s->max_ns, mean(s->ns, s->known)), s->known);
	}
	return v;
}

static bool answer__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct io_answer *a = container_of(t, struct io_answer, base.table);
	const struct io_row *r = &a->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(&a->query, column))
		return false;
	if (io_columns[column].type == VALUE_TEXT) {
		out->s = text_cell(a, r, column);
		out->type = out->s ? VALUE_TEXT : VALUE_NONE;
	} else {
		*out = a->query.group == IO_BY_DEVICE ? device_value(a, r, column)
						      : proc_value(a, r, column);
	}
	return true;
}

static u64 answer__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct io_answer, base.table)->rows[row].key;
}

/* --- the table --- */

static enum io_column key_column(enum io_group by)
{
	switch (by) {
	case IO_BY_DEVICE:
		return COL_DEVICE;
	case IO_BY_CGROUP:
		return COL_CGROUP;
	case IO_BY_FILE:
		return COL_FILE;
	default:
		return COL_COMM;
	}
}

void io_answer__table(struct io_answer *a, struct arena *arena)
{
	struct column *columns = arena__dup(arena, io_columns, sizeof(io_columns));
	const struct io_query *q = &a->query;
	enum io_column key = key_column(q->group);

	for (u32 i = 0; i < COLUMNS; i++)
		if (!shown(q, i))
			columns[i].flags &= ~COLUMN_SCREEN;
	columns[key].flags |= COLUMN_KEY | COLUMN_FLEX;
	columns[key].priority = 0;
	/* Beside their rates. */
	if (q->group == IO_BY_DEVICE)
		columns[COL_COUNT].priority = columns[COL_BYTES].priority = 3;
	a->base.table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = q->group == IO_BY_DEVICE ? COL_IOPS : COL_COUNT,
		.cell = answer__cell,
		.key = answer__key,
	};
}
