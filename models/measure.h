/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model of any measure (samples/measure.h): what was counted by labels, thread and stack, per
 * window; spans that go on; the slowest ones. Queries are pure functions over a const snapshot.
 *
 * Memory is bounded: of MEASURE_MAX_ENTRIES, or a quarter more than the stacks that a measure keeps apart, those that
 * did least lately lose their thread and process (or, by struct measure.keeps_processes, their labels); then their
 * stack, cgroup, and of their labels what many threads' do not tell (struct measure.kept); then all of these become
 * one, "[rest]". So do those of ended processes beyond MEASURE_MAX_ENDED, and those beyond a measure's `cold` that
 * nothing came to in the decaying window. Sums never change.
 */
#ifndef MODELS_MEASURE_H
#define MODELS_MEASURE_H

#include "models/growth.h"
#include "models/heat_range.h"
#include "models/profile.h" /* enum time_window, struct callstack */
#include "models/slow_rows.h"
#include "models/window_snap.h"
#include "samples/ask.h"
#include "samples/measure.h"
#include "scope/scope.h"

#define MEASURE_MAX_ENTRIES 16384 /* and as many by stack */
#define MEASURE_MAX_ENDED   4096  /* of those, of processes that ended */
#define MEASURE_MAX_OPEN    16384
#define MEASURE_MAX_SLOW    128 /* of each 10 s */
#define MEASURE_SLOW_S	    60

struct model_ops;
#define MEASURE(id, name, ...) extern const struct model_ops model_measure_##name;
#include "measures/measures.def"
#undef MEASURE

struct flame_source;
struct heat_source;
#define MEASURE(id, name, ...)                                                                          \
	extern const struct flame_source flame_measure_##name;                                     \
	extern const struct heat_source heat_measure_##name;
#include "measures/measures.def"
#undef MEASURE

/* The model of a measure, and the view that shows it. */
enum model_id measure__model(const struct measure *m);
const char *measure__view(const struct measure *m);
/* Of questions. */
enum model_id asked__model(enum ask_kind kind);

struct measure_values {
	u64 count, errors, sum, sums[MEASURE_SUMS];
	u64 min, max; /* of the decaying window: see struct window_max */
};
/* Whether there is anything in it: sums may be without a count. */
static inline bool measure_values__any(const struct measure_values *v)
{
	u64 any = v->count;

	for (u32 i = 0; i < MEASURE_SUMS; i++)
		any |= v->sums[i];
	return any;
}

/* So many first members of struct measure_values add up. */
#define MEASURE_VALUE_SUMS (3 + MEASURE_SUMS)

/* Least values of buckets, as measures have them. */
u64 (*measure__lo(const struct measure *m))(u32 bucket);

/* What is held at the end of the interval, whatever the window. */
struct measure_held {
	u64 n, bytes;
	u64 begin_ns; /* of the oldest; 0: nothing is held */
	double variance; /* of the bytes, where they are an estimate */
};

static inline void measure_held__add(struct measure_held *to, const struct measure_held *h)
{
	to->n += h->n;
	to->bytes += h->bytes;
	to->variance += h->variance;
	if (h->begin_ns && (!to->begin_ns || h->begin_ns < to->begin_ns))
		to->begin_ns = h->begin_ns;
}

struct measure_bin {
	u32 bucket;
	float n[WINDOWS];
};

struct measure_text {
	u64 value;
	const char *text; /* never NULL */
};

struct measure_entry {
	struct measure_who who; /* tgid MEASURE_MANY: [rest] */
	struct measure_text keys[MEASURE_OWN_LABELS];
	bool waits, ended; /* ended: its process has */
	const struct callstack *stack; /* of entries by stack; NULL: not known */
	struct measure_values v[WINDOWS];
	struct measure_held held;
	const struct measure_bin *bins; /* of what is held: ages, of the last interval alone */
	u32 nbins;
	float trend[TREND_LEN]; /* counts per second, or bytes held; oldest first */
	/* Of a holding: what it held, and had acquired by then; struct measure_snap.growth says of
	 * when; else NULL. */
	const struct growth_series *marks;
};

struct measure_open_entry {
	struct measure_who who;
	bool waits;
	struct measure_text keys[MEASURE_OWN_LABELS];
	u64 begin_ns;
	const struct callstack *stack; /* where it is; NULL: not known */
};

struct measure_moment_entry {
	struct measure_moment m;
	const struct callstack *stack; /* NULL: none */
};

struct measure_slow_entry {
	struct measure_slow_sample s; /* keys, moments: NULL */
	struct measure_text keys[MEASURE_OWN_LABELS];
	const struct callstack *stack;
	const struct measure_moment_entry *moments; /* s.nmoments, by time */
};

/* Who has, or had, what was waited for. */
struct measure_holder {
	struct measure_text lock;
	u32 tgid, tid;
	char comm[COMM_LEN];
	const struct callstack *stack;	   /* where it let go of it; NULL: not known */
	u64 ns[WINDOWS];		   /* for so long others waited */
};

/* A wait that goes on, and who has what it is for. */
struct measure_waiting {
	struct measure_text lock;
	struct measure_who waiter;
	u64 begin_ns;
	u32 tgid, tid;
	char comm[COMM_LEN];
	u32 open; /* where it is in the snapshot's open; MEASURE_MAX_OPEN: not there */
	const struct callstack *stack; /* where it waits; NULL: not known */
	const struct symbols *symbols; /* what its frames are called */
};

#define ORDERS_MAX 1024

/* Another lock that was had meanwhile. */
struct measure_guard {
	u64 lock;      /* 0: none */
	u64 since_ns;  /* when that was seen first */
	/* When the order was seen last without it; 0: it was not; UINT64_MAX: it was, and it is sure. */
	u64 without_ns;
};

/* A lock was waited for, or taken, by who had another one. */
struct measure_order {
	struct measure_text first, second;
	struct measure_who who; /* who did so last */
	bool by_several;	/* more than one thread did */
	bool first_read, second_read; /* others may read under it at the same time */
	u64 t_ns;		/* when it was seen last */
	u64 count;		/* so often since watching began, where each lock that is taken is seen; 0: not known */
	const struct callstack *stack;	   /* where it waited for the second one; NULL: not known */
	const struct callstack *first_stack; /* where it took the first one; likewise */
	const struct symbols *symbols;	   /* of its frames */
	char where[64];			   /* in which function; "": not known */
	struct measure_guard guards[MEASURE_GUARDS];
};

#define CYCLE_MAX 8

/* Orders that contradict each other: each one's second lock is the next one's first, and the last one's that
 * of the first; who has it, or who waits for it, writes under it. Those that one lock guards all are none: of it, it has to be known that it is a lock, so
 * orders that were seen before it was had anywhere do not speak against it. */
struct measure_cycle {
	u32 n;
	const struct measure_order *v[CYCLE_MAX];
};

struct measure_snap {
	WINDOW_SNAP;
	const struct measure *measure;
	u32 nentries, nsampled, nopen, nslow;
	const struct measure_entry *entries; /* of all stacks; of a holding there are none */
	const struct measure_entry *sampled; /* by stack: what stacks stand for */
	const struct measure_open_entry *open;
	const struct measure_slow_entry *slow; /* slowest first */
	const struct measure_holder *holders;
	const struct measure_waiting *waiting;
	const struct measure_order *orders; /* by the value of their first lock */
	u32 nholders, nwaiting, norders;
	struct growth_clock growth; /* of a holding */
	struct growth_series replaced; /* so many were released that had been there before, as `acquired` */
	const char *const *heat_names; /* of series: texts of the first label */
	u32 nheat_names;
	bool levels_known;
	u64 levels[MEASURE_LEVELS]; /* the newest */
	const void *own; /* what the model keeps beside it, of the same life */
};

/* --- rows --- */

/* Only what has this text of a label (own and derived ones). */
struct measure_narrow {
	u64 hashes[MEASURE_MAX_LABELS]; /* of the key, or of its text; 0: any */
	u64 first; /* of the text of the first label: what heat maps know; 0: any */
	u32 by_process, tgid; /* by_process: only of this one */
};

/* What stacks weigh in flame graphs and exports. */
enum measure_weight {
	WEIGHT_OWN,   /* time of spans, counts, bytes held */
	WEIGHT_COUNT, /* of a holding: what was acquired */
	WEIGHT_ERRORS,
	WEIGHT_VALUE, /* the sum of values */
	WEIGHT_HELD,  /* so many are held */
	WEIGHT_SUM,   /* the first of the declaration's sums; those after it follow */
};

/* A value; compared bytewise: zero it first. */
struct measure_query {
	u32 groups; /* a bit per label of the measure */
	enum time_window window;
	struct measure_narrow narrow;
	const struct measure *asked; /* which question of its model's; NULL of measure_table's */
	u32 weight;		     /* of its stacks: enum measure_weight */
	bool leaf_first;	     /* trees of stacks are from where they came from, not from the root */
	u32 nunfolded;
	u64 unfolded[RESULT_MAX_UNFOLDED];
};

struct metric;
struct metric_operand;

struct measure_row {
	u64 key;
	const struct measure_who *who; /* of one of its members: the one that did most */
	const struct measure_entry *top; /* the same; NULL: it has only what goes on */
	u64 most;
	const char *texts[MEASURE_MAX_LABELS]; /* of what it is grouped by; else NULL */
	const char *nested; /* of pairs in each other: its name, below those that it lies in */
	u64 hashes[MEASURE_OWN_LABELS]; /* of its keys: measure__key_hash */
	bool rest, waits, ended;
	bool has_stacks; /* below it, where the measure unfolds */
	const char *cmdline; /* by pid and tid; NULL not known */
	const char *thread_name; /* by tid: what the runtime calls it; NULL: nothing else */
	const struct measure_holder *holder; /* NULL: not known, or the measure has none */
	const char *holder_text;	     /* as task__who(); "" of none */
	const struct callstack *stack;
	const struct symbols *symbols; /* of its frames */
	struct measure_values v;
	u64 waiting_ns; /* part of v.sum: of what waits for something new */
	u32 nthreads;	/* distinct ones */
	u64 p50, p95, p99;
	u64 unfinished, unfinished_ns;
	struct measure_held held;
	u64 acquired; /* bytes, since watching began */
	struct growth_series *marks; /* of what it held; NULL: of no holding */
	struct growth growth;
	float trend[TREND_LEN];
	struct value hist, errnos;
	double *buckets; /* MEASURE_BUCKETS, as hist has them */
	/* Of a metric (models/measure_metrics.h): */
	const struct metric *metric; /* NULL: it is none */
	struct metric_operand *operands; /* of its formula's names */
	double value;			 /* not a number: `missing` says why */
	const char *missing;
};

struct measure_result {
	struct query_result
		base; /* rows by sum (spans), count or bytes held, those that wait behind */
	struct measure_query query;
	const struct measure *measure;
	const struct measure_row *rows;
	u32 nrows;
	struct measure_values all;
	double buckets[MEASURE_BUCKETS]; /* of all */
	u64 p50, p95, p99;		 /* likewise */
	u64 waiting_ns; /* part of all.sum */
	u64 unfinished;
	struct measure_held held;
	const struct measure_row *grower; /* of a holding: what grows most; NULL: nothing does, or it is not sure */
	const struct measure_waiting *const *deadlock; /* measure__deadlock */
	u32 ndeadlock;
	const struct measure_waiting *const *chain; /* measure__chain */
	u32 nchain;
	const struct measure_cycle *cycles; /* measure__cycles */
	u32 ncycles;
	const void *own; /* what its view makes of it, in the arena */
};

/* Never NULL; scope may be NULL (everything). */
struct measure_result *measure__query(const struct measure_snap *snap,
				      const struct measure_query *q, const struct scope *scope);
/* What stands first in a row: the name of its stack, or the text of the first label of the grouping. */
const char *measure_row__name(const struct measure_result *a, const struct measure_row *r);
/* The function that a row by stack is called after; 0: it is by none, or not resolved yet. */
u32 measure_row__function(const struct measure_result *a, const struct measure_row *r);
/* Reads "syscall,pid"; false (and 0) when one is unknown or none is there. */
bool measure__parse_groups(const struct measure *m, const char *text, u32 *groups);
const char *measure__groups_text(const struct measure *m, u32 groups, char *buf, size_t size);
/* What is shown by a column; WEIGHT_OWN where it is no sum. */
u32 measure__weight_of(const struct measure *m, const char *column);
bool measure__is_by_stack(const struct measure *m, u32 groups);
/* Whether what has these keys passes the narrowing. */
bool measure__passes(const struct measure *m, const struct measure_narrow *n,
		     const struct measure_text *keys);
/* Whether it is not known what text of a label something of many threads has. */
bool measure__is_unknown(const struct measure *m, const struct measure_who *who,
			 const struct measure_text *keys, u32 label);
/* Whether it passes a scope (NULL: everything): its task, and its labels as far as they are
 * known. */
bool measure__in_scope(const struct measure *m, const struct scope *scope,
		       const struct measure_who *who, const struct measure_text *keys);
/* Has the labels of all measures be terms of filters. */
void measure__know_labels(void);
/* What a label's text is distinguished by, in struct measure_narrow. */
u64 measure__text_hash(const char *text);
/* The same of a key: its text, and where that is not exact its value, too. */
u64 measure__key_hash(const struct measure_label *l, const struct measure_text *key);
/* The label of who has what is waited for; -1: there is none. */
int measure__holder_label(const struct measure *m);

/* --- who has it --- */

/* So long has each to wait for those that wait for each other to be stuck. */
#define DEADLOCK_NS NSEC_PER_SEC

/* Who kept others waiting for a lock longest; NULL: it is not known. */
const struct measure_holder *measure__holder(const struct measure_snap *s,
					     const struct measure_text *lock, enum time_window w);
/* Likewise of whatever a thread had. */
const struct measure_holder *measure__holder_of(const struct measure_snap *s, u32 tid,
						enum time_window w);
/* Threads that wait for each other, each for the next and the last one of a ring for its first, longer
 * than DEADLOCK_NS; a thread that waits for itself is one, too. Fills out; returns how many. */
u32 measure__deadlock(const struct measure_snap *s, const struct scope *scope,
		      const struct measure_waiting **out, u32 max);

/* So long has each of a chain to wait. */
#define CHAIN_NS (NSEC_PER_SEC / 10)
/* The longest line of two waits and more, each for a thread that is in the next one; the last one's holder waits
 * for no lock. Fills out; returns how many, 0: there is none. */
u32 measure__chain(const struct measure_snap *s, const struct scope *scope,
		   const struct measure_waiting **out, u32 max);

/* Cycles of at most CYCLE_MAX orders, not all of one thread; of each order that is in none yet the shortest.
 * Fills out; returns how many. */
u32 measure__cycles(const struct measure_snap *snap, const struct scope *scope, struct measure_cycle *out,
		    u32 max);

/* --- the slowest --- */

struct measure_slow_query {
	SLOW_QUERY;
	struct measure_narrow narrow;
	const struct measure *asked; /* as in struct measure_query */
	bool working;		     /* only what does not wait for something new */
};

struct measure_slow_row;

struct measure_slow_result {
	struct query_result base;
	struct measure_slow_query query;
	const struct measure *measure;
	const struct measure_slow_row *rows; /* slowest first */
	u32 nrows;
};

struct measure_slow_row {
	struct slow_row base;
	const struct measure_slow_entry *slow;
	const char *pid_text, *name, *cgroup, *caller;
	const char *labels[MEASURE_OWN_LABELS]; /* NULL: none */
};

struct measure_slow_result *measure__slow(const struct measure_snap *snap,
					  const struct measure_slow_query *q,
					  const struct scope *scope);

/* --- what came within one of them, in time order (measure_timeline.c) --- */

/* A value; compared bytewise: zero it first. */
struct measure_timeline_query {
	SLOW_QUERY;
	const struct measure *asked;
	u64 t_ns, ns; /* which one */
	u32 tid;
};

struct measure_timeline_row {
	struct slow_row base;
	u64 at_ns, since_ns; /* since the span began, since what came before */
	u64 off_ns, queue_ns; /* of a thread that gets a CPU: without one, and of that in the run queue; 0: not known */
	struct measure_moment m;
	const char *event, *detail, *tid_text, *where; /* of the screen */
};

struct measure_timeline_result {
	struct query_result base;
	struct measure_timeline_query query;
	const struct measure *measure;
	const struct measure_slow_entry *slow; /* NULL: it is not kept any more */
	const struct measure_timeline_row *rows; /* its begin, what came, its end */
	u32 nrows;
};

struct measure_timeline_result *measure__timeline(const struct measure_snap *snap,
						  const struct measure_timeline_query *q);
/* For a field of a struct measure_slow_row: a list; nothing where it is not known. */
void measure__timeline_value(const struct query_result *a, const void *row, struct value *out);

/* --- histograms --- */

/* Least value of a bucket of a measure; of its shape: */
u64 measure__bucket_lo(const struct measure *m, u32 bucket);
u64 measure__lo_ns(u32 bucket);
u64 measure__lo_number(u32 bucket);

#endif
