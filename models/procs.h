/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes: what each has, what it did, and where its wall time went. Takes SAMPLE_PROCS.
 * Identity is thread id and start time, so that a number that is used again is another process.
 *
 * Memory is bounded: PROCS_MAX entries, PROCS_MAX_ENDED of them of threads that ended; what is
 * beyond is summed up as "[others]". Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_PROCS_H
#define MODELS_PROCS_H

#include "models/query_result.h"
#include "models/profile.h" /* enum time_window */
#include "samples/procs.h"
#include "scope/scope.h"

#define PROCS_LETTERS "ukqdlws" /* of the parts of wall time, in bars */

#define PROCS_MAX	131072
#define PROCS_MAX_ENDED 4096
#define PROCS_ENDED_NS	(5 * NSEC_PER_SEC) /* for so long the decaying window has them */

struct model_ops;
extern const struct model_ops model_procs;

/* What is summed up: the parts of wall time, and these. */
enum procs_count {
	PROCS_MINOR = PROCS_PARTS,
	PROCS_MAJOR,
	PROCS_READ,
	PROCS_WRITTEN,
	PROCS_STARTS,
	PROCS_COUNTS
};

enum procs_kind {
	PROCS_THREAD,	     /* a thread */
	PROCS_ENDED_THREADS, /* those of a process that ended, together */
	PROCS_BRIEF,	     /* short-lived processes of one starter and one name */
	PROCS_OTHERS,	     /* what there was no room for */
	PROCS_FREE,	     /* nobody: a place that somebody had */
};

/* Of a thread, what its process has stands with its first one. Its numbers are as of the end of an
 * interval; from then on it did nothing but rest: procs_entry__counts() has what they are now. */
struct procs_entry {
	enum procs_kind kind;
	enum procs_part rest; /* PROCS_PARTS: what it is has no time of its own */
	u64 as_of_ns;	      /* struct procs_now, then */
	double decay_ns;
	u32 tgid, tid, ppid, uid;
	u64 start_ns, process_ns, cgroup;
	u64 ended_ns; /* 0: it lives */
	u64 rss_bytes;
	u32 fds, nthreads, policy, rt_priority, flags;
	s32 nice;
	char state;
	bool unsplit;
	char comm[COMM_LEN], parent_comm[COMM_LEN];
	const char *cmdline, *user; /* the snapshot's */
	u64 last[PROCS_COUNTS], total[PROCS_COUNTS];
	double decay[PROCS_COUNTS];
};

/* How much time was counted since the first interval, and in the decaying window. */
struct procs_now {
	u64 counted_ns;
	double decay_ns;
};

struct procs_pages; /* what snapshots share (models/procs_entries.h) */

struct procs_snap {
	struct snap base;
	u64 since_ns;
	u64 window_ns[WINDOWS];
	struct procs_now now;
	u32 n;
	const struct procs_pages *pages;
};

const struct procs_entry *procs_snap__entry(const struct procs_snap *s, u32 i); /* i < n */
void procs_entry__counts(const struct procs_snap *s, const struct procs_entry *e,
			 enum time_window w, u64 out[PROCS_COUNTS]);
/* Brings an entry's sums, but not those of its last interval, to now; the collector's alone. */
void procs_entry__settle(struct procs_entry *e, const struct procs_now *now);

/* --- rows --- */

enum procs_group {
	PROCS_BY_PID,
	PROCS_BY_TID,
	PROCS_BY_COMM,
	PROCS_BY_USER,
	PROCS_BY_CGROUP,
	PROCS_BY_CONTAINER,
	PROCS_GROUPS
};
extern const char *const procs_group_names[PROCS_GROUPS];

/* Sets of columns on the screen. */
enum procs_show { PROCS_SHOW_WHERE, PROCS_SHOW_PARTS, PROCS_SHOW_MEMORY, PROCS_SHOWS };

/* A value; zero it first. */
struct procs_query {
	enum procs_group group;
	enum time_window window;
	enum procs_show show;
	bool tree; /* by pid: children below their parents */
};

struct procs_row {
	u64 key;
	const struct procs_entry *e; /* of a process its first thread, of a group who did most */
	const char *name;	     /* of the group; of a process its command line */
	const char *text;	     /* that, with the lines of the tree before it */
	char pid_text[12], tid_text[12]; /* right-aligned */
	const char *cgroup_name, *container;
	const char *thread_name; /* by tid: what the runtime calls it; NULL: nothing else */
	u64 n[PROCS_COUNTS];
	u64 most_ns; /* e's on a CPU */
	u64 rss_bytes, fds, nthreads, nprocs;
	u32 nstarters; /* of short processes */
	bool has_rss, has_fds, has_io, unsplit;
	double threads; /* mean number over the window; pct sums to 100 times as much */
	double pct[PROCS_PARTS];
	float split[PROCS_PARTS]; /* pct as shares of 1 */
};

struct procs_result {
	struct query_result base; /* rows by time on a CPU, descending; a tree's in its order */
	struct procs_query query;
	u32 nrows;
	const struct procs_row *rows;
	u64 window_ns;
	u32 nprocs, nthreads, running, blocked, zombies;
	u64 n[PROCS_COUNTS]; /* of all rows */
};

/* Never NULL; scope may be NULL (everything). */
struct procs_result *procs__query(const struct procs_snap *snap, const struct procs_query *q,
				  const struct scope *scope);

/* "docker 0123456789ab", "web" of a container's cgroup; "" of others. Returns buf. */
const char *procs__container(const char *cgroup, char *buf, size_t size);

#endif
