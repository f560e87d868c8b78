/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Io: block I/O by device and kind, by who did it, and what was slow; the model behind `io`.
 * Takes the samples of samples/block.h and SAMPLE_STACK_DEF.
 *
 * A disk's rows have the I/O of its partitions in them, as in /proc/diskstats; a partition has
 * its own rows beside them. Memory is bounded: IO_MAX_DEVICES kinds of I/O of devices,
 * IO_MAX_PROCS of processes and files (the coldest lose their file, then become "[others]"),
 * CELLS_MAX buckets, IO_MAX_SLOW slow requests, IO_MAX_STACKS stacks (the coldest lose theirs). Queries are pure functions over a const
 * snapshot.
 */
#ifndef MODELS_IO_H
#define MODELS_IO_H

#include "bpf/block.h"
#include "models/cells.h"
#include "models/slow_rows.h"
#include "models/window_snap.h"
#include "samples/block.h"
#include "scope/scope.h"
#include "models/profile.h" /* struct callstack, enum time_window */
#include "symbols/symbols.h"

#define IO_MAX_DEVICES 4096
#define IO_MAX_STATES  8192
#define IO_MAX_PROCS   16384
#define IO_CPU_PROCS   512 /* for each CPU, where memory is little */
#define IO_MAX_SLOW    512	  /* the slowest of the last IO_SLOW_S seconds */
#define IO_SLOW_S      60
#define IO_MAX_STACKS  4096 /* processes on devices, by stack */
#define IO_HEAT_MERGED 4   /* buckets of bpf/block.h that are one of the heat log's */

struct model_ops;
struct heat_result;
extern const struct model_ops model_io;

extern const char *const io_op_names[IO_OPS];	    /* "read" "write" "flush" "discard" */
extern const char *const io_stage_names[IO_STAGES]; /* "total" "queued" "device" */

/* How often, by bucket of bpf/block.h. Whole numbers, but for the decaying window. */
struct io_hist {
	double n[BLOCK_BUCKETS];
};

/* Sums over one window; from max_ns on they are maxima. All u64. */
struct io_sums {
	u64 count, bytes, random, sequential;
	u64 ns[IO_STAGES], known[IO_STAGES];
	u64 sizes[IO_SIZES];
	u64 max_ns[IO_STAGES];
};

struct io_proc_sums {
	u64 count, bytes, known, ns;
	u64 max_ns;
};

/* One kind of I/O of one device. */
struct io_kind {
	struct io_device device; /* of a whole disk: disk is dev */
	enum io_op op;
	u32 flags;
	struct io_sums sums[WINDOWS];
	struct hist_cells hists[IO_STAGES];
	float trend[TREND_LEN]; /* requests per second, oldest first */
};

/* A device that is there. */
struct io_state {
	u64 dev; /* io_device__id() */
	char name[IO_NAME_LEN];
	u64 in_flight;
};

/* Writeback of what nobody knows who dirtied it. */
static inline bool io_who__is_nobody(const struct io_who *w)
{
	return w->writeback && w->kthread;
}

#define IO_MERGED UINT32_MAX /* pid of those whose process was forgotten */

/* One kind of I/O of one process on one file. */
struct io_proc {
	struct io_who who;
	u32 past;   /* not 0: another process has had the pid since; one number for each process */
	bool ended; /* the process has */
	u64 latest; /* grows with each sample: which of a process's names is the newest */
	struct io_proc_sums sums[WINDOWS];
};

struct io_slow {
	struct io_slow_sample s;
	const struct callstack *stack; /* NULL: not known */
};

/* What stacks weigh in flame graphs and exports. */
enum io_weight { IO_WEIGHT_COUNT, IO_WEIGHT_BYTES, IO_WEIGHT_NS, IO_WEIGHTS };

/* Estimates of sums by the requests that were sampled, exact where all were. spread is the variance
 * of an estimate. */
struct io_stack_sums {
	double n[IO_WEIGHTS], spread[IO_WEIGHTS];
};

/* What a process had a device do from one place of its code. */
struct io_stack {
	struct io_who who; /* as in struct io_stack_sample; no device: of any */
	const struct callstack *stack; /* NULL: not known */
	struct io_stack_sums sums[WINDOWS];
};

/* What a device does, of any flags. The heat log has a series for each of its stages: its
 * position times IO_STAGES, plus the stage. */
struct io_heat_part {
	struct io_device device;
	enum io_op op;
};

struct io_snap {
	WINDOW_SNAP;
	u32 nkinds, nstates, nprocs, nslow, nstacks, nheat_parts;
	const struct io_kind *kinds;
	const struct io_state *states; /* by dev */
	const struct io_proc *procs;
	const struct io_slow *slow; /* slowest first */
	const struct io_stack *stacks;
	const struct io_heat_part *heat_parts;
};

/* Maxima are the larger of both. */
static inline void io_sums__add(struct io_sums *to, const struct io_sums *from)
{
	WINDOW_ADD(struct io_sums, max_ns, to, from);
}
static inline void io_proc_sums__add(struct io_proc_sums *to, const struct io_proc_sums *from)
{
	WINDOW_ADD(struct io_proc_sums, max_ns, to, from);
}

/* The least duration of a bucket, as block__lo. */
static inline u64 io_hist__lo(u32 bucket)
{
	return block__lo(bucket);
}

/* As models/quantile.h has them; max_ns: the largest value that there was. */
u64 io_hist__quantile(const struct io_hist *h, double q, u64 max_ns);
double io_hist__count(const struct io_hist *h);
struct value io_hist__value(const struct io_hist *h, struct arena *a);

/* By command rows are of all hosts. */
enum io_group { IO_BY_DEVICE, IO_BY_PID, IO_BY_COMM, IO_BY_CGROUP, IO_BY_FILE, IO_BY_HOST, IO_GROUPS };
extern const char *const io_group_names[IO_GROUPS]; /* as in --group */

/* What the columns of devices are about. */
enum io_show {
	IO_SHOW_LATENCY,     /* rates, p50 p95 p99 max, queue and device, in flight */
	IO_SHOW_PERCENTILES, /* p1 to p100 */
	IO_SHOW_SHAPE,	     /* sizes, random share, in flight, means of the stages */
	IO_SHOWS
};

/* A value; zero it first. */
struct io_query {
	enum io_group group;
	enum time_window window;
	enum io_show show;
	enum io_stage stage; /* what percentiles and histograms are of */
	bool joined;	     /* kinds that differ by flags alone are one row */
	bool by_dev;	     /* only this device's, or this disk's with its partitions */
	u64 dev;	     /* io_device__id() */
	bool minutes; /* the answer has the last minutes too */
	enum io_weight weight; /* of its stacks */
};

#define IO_PERCENTILES 12
extern const double io_percentiles[IO_PERCENTILES]; /* 1 5 10 16 25 50 75 84 90 95 99 100 */

struct io_row {
	u64 key;
	const char *name; /* what it is called */
	/* By device: */
	struct io_device device;
	bool partition, present;
	enum io_op op;
	u32 flags;
	const char *flags_text;
	struct io_sums sums;   /* of those who use devices, too: of the stage total */
	u64 avg_ns[IO_STAGES]; /* 0 not known */
	u64 in_flight;
	const struct io_hist *hists; /* IO_STAGES */
	u64 percentiles[IO_PERCENTILES], known; /* of the query's stage; known 0: they are not */
	u64 p50_ns[IO_STAGES], size_p50, placed;
	struct value hist_values[IO_STAGES], sizes;
	float trend[TREND_LEN];
	/* Else: */
	const struct io_proc *proc; /* the one that names it */
	bool rest; /* of those whose process was forgotten */
	u32 pid; /* 0 none */
	bool ended;
	const char *cmdline; /* NULL not known */
	const char *host;    /* of several, but for commands' rows; else NULL */
	const char *pid_text, *cgroup_name, *devices, *files, *file_text; /* file_text: as shown */
	struct io_proc_sums proc_sums;
	u64 read_bytes, write_bytes;
	u64 writeback_bytes; /* of those written: by workers */
};

struct io_result {
	struct query_result base; /* rows by count, descending */
	struct io_query query;
	u32 nrows;
	const struct io_row *rows;
	/* Of all whole disks in the rows (of one device: its own). */
	struct io_sums sums;
	struct io_hist hists[IO_STAGES];
	struct value hist;
	u64 in_flight;
	struct heat_result *heat; /* the last minutes of the stage; NULL: not asked for */
};

/* Never NULL. The scope, which may be NULL (everything), is looked at for rows of processes;
 * those of devices have been filtered where they were counted. */
struct io_result *io__query(const struct io_snap *snap, const struct io_query *q,
			    const struct scope *scope);

/* The slowest requests as rows; each one's tree is the stack where it was begun. */
struct io_slow_result {
	struct query_result base; /* slowest first */
	u32 nrows;
	const struct io_slow *const *rows;
};
/* A value; zero it first. */
struct io_slow_query {
	SLOW_QUERY;
	bool by_dev; /* as in struct io_query */
	u64 dev;
	bool by_op; /* only of this one */
	enum io_op op;
	enum io_stage stage; /* whose time has to be in the range */
};
struct io_slow_result *io__slow(const struct io_snap *snap, const struct io_slow_query *q,
				const struct scope *scope);

/* By how many points shares of stacks may be wrong as only some requests were sampled, with 95 %
 * certainty; 0: none was left out. Of what ids in the scope (NULL: everything) leave. */
double io__stacks_error(const struct io_snap *snap, const struct io_query *q,
			const struct scope *scope);

/* "sync meta", "" none; at most 32 bytes. */
const char *io_flags__text(u32 flags, char *buf, size_t size);

#endif
