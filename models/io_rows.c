// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the io view's rows. */
#include "base/columns.h"
#include "models/fields.h"
#include "models/io_result.h"

#define ROW struct io_row

/* Groupings: of devices, whose kinds may be joined, and of those who use them. */
enum {
	JOINED = IO_GROUPS,
	KINDS = 1u << IO_BY_DEVICE,
	DEVICES = KINDS | 1u << JOINED,
	PIDS = 1u << IO_BY_PID,
	COMMS = 1u << IO_BY_COMM,
	CGROUPS = 1u << IO_BY_CGROUP,
	FILES = 1u << IO_BY_FILE,
	HOSTS = 1u << IO_BY_HOST,
	OF_USERS = PIDS | COMMS | CGROUPS | FILES | HOSTS,
};

/* Those who use devices have one set of columns. */
enum {
	LATENCY = 1u << IO_SHOW_LATENCY,
	PERCENTILES = 1u << IO_SHOW_PERCENTILES,
	SHAPE = 1u << IO_SHOW_SHAPE,
	USERS = 1u << IO_SHOWS,
};

static void time_share(const struct query_result *base, const void *row, struct value *out)
{
	const struct io_result *a = container_of(base, struct io_result, base);
	u64 all = a->sums.ns[IO_TOTAL], ns = ((const struct io_row *)row)->sums.ns[IO_TOTAL];

	out->type = all ? VALUE_PCT : VALUE_NONE;
	out->f = all ? MIN((double)ns * 100 / (double)all, 100) : 0;
}

/* What is never known of a stage is none. */
#define STAGE_AT(member, stage) NUMBER_AT(ROW, member[stage]), UNLESS_0(ROW, sums.known[stage])
#define PERCENTILE(i, name, title, priority, help, groups_, sets_)                                 \
	{                                                                                          \
		TIME_COLUMN(name, title, 7, priority, COLUMN_BOTH, help),                          \
			NUMBER_AT(ROW, percentiles[i]), UNLESS_0(ROW, known), .groups = groups_,   \
									      .sets = sets_        \
	}
/* Where there is no I/O scheduler the screen says so in a word, and programs get null. */
#define QUEUED(shown, name, member, sets_, help)                                                   \
	{TIME_COLUMN(shown, "Queued", 7, 2, COLUMN_SCREEN, help "; unknown where there is none"),  \
	 STAGE_AT(member, IO_QUEUED), .unknown = "unknown", .groups = DEVICES, .sets = sets_},     \
	{                                                                                          \
		TIME_COLUMN(name, "Queued", 7, 0, COLUMN_EXPORT,                                   \
			    help "; null where there is none"),                                    \
			STAGE_AT(member, IO_QUEUED), .groups = DEVICES                             \
	}

static const struct field fields[] = {
	{PCT_COLUMN("time_pct", "Time%", 11, 3, COLUMN_BOTH | COLUMN_BAR,
		    "share of the time that all requests took, from begin to end"),
	 MADE_BY(time_share), .sets = LATENCY | USERS},
	{COLUMN(VALUE_TREND, "trend", "Trend", 8, 4, COLUMN_SCREEN,
		"requests of the last 16 intervals, newest right; all rows have one scale"),
	 TREND_AT(ROW, trend), .groups = DEVICES, .sets = LATENCY},
	{TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN,
		     "process id; of flushes and of what nobody knows who dirtied it none"),
	 TEXT_AT(ROW, pid_text), .groups = PIDS},
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH,
		     "name of the process, or of the thread that began it, or dirtied the file "
		     "that a worker writes; [writeback]: that is not known"),
	 TEXT_AT(ROW, name), .groups = PIDS | COMMS, .keys = PIDS | COMMS},
	END_FIELDS(ROW, PIDS),
	CMDLINE_FIELD(ROW, PIDS),
	HOST_FIELD(ROW, DEVICES | PIDS | CGROUPS | FILES | HOSTS, HOSTS),
	{TEXT_COLUMN("device", "Device", 10, 0, COLUMN_BOTH, "disk or partition"),
	 TEXT_AT(ROW, devices), .keys = DEVICES},
	{TEXT_COLUMN("op", "Op", 7, 0, COLUMN_BOTH,
		     "read, write, flush, discard, as /proc/diskstats has it"),
	 NAMED_AT(ROW, op, io_op_names), .groups = DEVICES},
	{TEXT_COLUMN("flags", "Flags", 9, 1, COLUMN_BOTH,
		     "sync: somebody waits for the write; meta: a file system's own "
		     "data; other: without data"),
	 TEXT_AT(ROW, flags_text), .groups = KINDS},
	{COUNT_COLUMN("iops", "IOPS", 7, 0, COLUMN_SCREEN | COLUMN_SHARE,
		      "requests that ended, per second"),
	 RATE_AT(ROW, sums.count), .sets = LATENCY | SHAPE},
	{BYTES_COLUMN("rate", "B/s", 7, 0, COLUMN_SCREEN | COLUMN_SHARE, "bytes per second"),
	 RATE_AT(ROW, sums.bytes), .sets = LATENCY | SHAPE},
	{COUNT_COLUMN("count", "I/O", 7, 0, COLUMN_BOTH | COLUMN_SUM, "requests that ended"),
	 NUMBER_AT(ROW, sums.count), .sets = SHAPE | USERS},
	{BYTES_COLUMN("bytes", "Bytes", 7, 0, COLUMN_BOTH | COLUMN_SUM, "bytes moved"),
	 NUMBER_AT(ROW, sums.bytes), .sets = SHAPE | USERS},
	{BYTES_COLUMN("read_bytes", "Read", 7, 3, COLUMN_BOTH | COLUMN_SUM, "bytes read"),
	 NUMBER_AT(ROW, read_bytes), .groups = OF_USERS},
	{BYTES_COLUMN("write_bytes", "Written", 7, 3, COLUMN_BOTH | COLUMN_SUM, "bytes written"),
	 NUMBER_AT(ROW, write_bytes), .groups = OF_USERS},
	{BYTES_COLUMN("writeback_bytes", "WrBack", 7, 4, COLUMN_BOTH | COLUMN_SUM,
		      "of the bytes written: by workers, later, for who dirtied the file"),
	 NUMBER_AT(ROW, writeback_bytes), .groups = OF_USERS},
	{TIME_COLUMN("avg_ns", "Avg", 7, 1, COLUMN_BOTH, "mean time from begin to end"),
	 STAGE_AT(avg_ns, IO_TOTAL), .sets = SHAPE | USERS},
	PERCENTILE(0, "p1_ns", "p1", 3, "1 in 100 requests took at most this long", DEVICES,
		   PERCENTILES),
	PERCENTILE(1, "p5_ns", "p5", 4, "5 in 100 requests took at most this long", DEVICES,
		   PERCENTILES),
	PERCENTILE(2, "p10_ns", "p10", 2, "10 in 100 requests took at most this long", DEVICES,
		   PERCENTILES),
	PERCENTILE(3, "p16_ns", "p16", 5, "16 in 100 requests took at most this long", DEVICES,
		   PERCENTILES),
	PERCENTILE(4, "p25_ns", "p25", 2, "a quarter of the requests took at most this long",
		   DEVICES, PERCENTILES),
	PERCENTILE(5, "p50_ns", "p50", 0, "half of the requests took at most this long", DEVICES,
		   LATENCY | PERCENTILES | USERS),
	PERCENTILE(6, "p75_ns", "p75", 2, "three quarters of the requests took at most this long",
		   DEVICES, PERCENTILES),
	PERCENTILE(7, "p84_ns", "p84", 5, "84 in 100 requests took at most this long", DEVICES,
		   PERCENTILES),
	PERCENTILE(8, "p90_ns", "p90", 1, "90 in 100 requests took at most this long", DEVICES,
		   PERCENTILES),
	PERCENTILE(9, "p95_ns", "p95", 1, "95 in 100 requests took at most this long", DEVICES,
		   LATENCY | PERCENTILES | USERS),
	PERCENTILE(10, "p99_ns", "p99", 0, "99 in 100 requests took at most this long", DEVICES,
		   LATENCY | PERCENTILES | USERS),
	PERCENTILE(11, "max_ns", "Max", 0, "the slowest request", 0, LATENCY | PERCENTILES | USERS),
	QUEUED("queued", "queue_p50_ns", p50_ns, LATENCY,
	       "half of the requests were held by the I/O scheduler this long at most"),
	{TIME_COLUMN("device_p50_ns", "Device", 7, 2, COLUMN_BOTH,
		     "half of the requests took the device this long at most"),
	 STAGE_AT(p50_ns, IO_DEVICE), .groups = DEVICES, .sets = LATENCY},
	{COUNT_COLUMN("in_flight", "InFl", 7, 2, COLUMN_BOTH,
		      "requests of the whole device on their way now"),
	 NUMBER_AT(ROW, in_flight), .groups = DEVICES, .sets = LATENCY},
	QUEUED("queue_avg", "queue_avg_ns", avg_ns, SHAPE, "mean time held by the I/O scheduler"),
	{TIME_COLUMN("device_avg_ns", "Device", 7, 2, COLUMN_BOTH,
		     "mean time that the device took"),
	 STAGE_AT(avg_ns, IO_DEVICE), .groups = DEVICES, .sets = SHAPE},
	{BYTES_COLUMN("size_avg_bytes", "Size", 7, 0, COLUMN_BOTH,
		      "mean size of a request; of a flush none"),
	 .kind = FIELD_MEAN, NUMBER_AT(ROW, sums.bytes), .by = offsetof(ROW, sums.count),
	 UNLESS_0(ROW, sums.bytes), .groups = DEVICES, .sets = SHAPE},
	{BYTES_COLUMN("size_p50_bytes", "Sz p50", 7, 2, COLUMN_BOTH,
		      "power of two that half of the requests' sizes do not exceed"),
	 NUMBER_AT(ROW, size_p50), UNLESS_0(ROW, sums.bytes), .groups = DEVICES, .sets = SHAPE},
	{PCT_COLUMN("random_pct", "Rand%", 11, 0, COLUMN_BOTH | COLUMN_BAR,
		    "requests that did not begin where the device's last one ended"),
	 PART_AT(ROW, sums.random, placed), .groups = DEVICES, .sets = SHAPE},
	{TEXT_COLUMN("file", "File", 18, 3, COLUMN_BOTH,
		     "file whose pages they carry, where that is known: not of direct I/O"),
	 TEXT_AT(ROW, file_text), .groups = OF_USERS, .keys = FILES},
	{TEXT_COLUMN("cgroup", "Cgroup", 16, 4, COLUMN_BOTH,
		     "cgroup v2 that is charged: of writeback that of who dirtied"),
	 TEXT_AT(ROW, cgroup_name), .groups = OF_USERS, .keys = CGROUPS},
	{ID_COLUMN("pid", "process id; null of flushes and of what nobody knows who dirtied it"),
	 NUMBER_AT(ROW, pid), UNLESS_0(ROW, pid), .groups = PIDS},
	{ID_COLUMN("inode", "the file's number"), VIA(ROW, proc), NUMBER_AT(struct io_proc, who.inode),
	 UNLESS_0(struct io_proc, who.inode), .groups = FILES},
	{EXPORT_COLUMN(VALUE_LIST, "sizes",
		       "requests by size: powers of two from 512 bytes (and less) on"),
	 VALUE_AT(ROW, sizes), .groups = DEVICES},
	{EXPORT_COLUMN(VALUE_LIST, "hist", "requests by time from begin to end"),
	 VALUE_AT(ROW, hist_values[IO_TOTAL]), .groups = DEVICES},
	{EXPORT_COLUMN(VALUE_LIST, "queue_hist", "requests by time held by the I/O scheduler"),
	 VALUE_AT(ROW, hist_values[IO_QUEUED]), .groups = DEVICES},
	{EXPORT_COLUMN(VALUE_LIST, "device_hist", "requests by time that the device took"),
	 VALUE_AT(ROW, hist_values[IO_DEVICE]), .groups = DEVICES},
};

void io_result__table(struct io_result *a)
{
	const struct io_query *q = &a->query;
	bool devices = q->group == IO_BY_DEVICE;
	struct column *columns =
		RESULT_TABLE(&a->base, fields, a->rows, a->nrows,
			     devices && q->joined ? (u32)JOINED : (u32)q->group,
			     devices ? (u32)q->show : (u32)IO_SHOWS, devices ? "iops" : "count");

	/* Beside their rates. */
	if (devices)
		column__named(columns, ARRAY_SIZE(fields), "count")->priority =
			column__named(columns, ARRAY_SIZE(fields), "bytes")->priority = 3;
}
