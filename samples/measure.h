/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures: an analysis of a known shape as one declaration. From it come the source
 * (sources/measure.c), the model (models/measure.c), its queries, the view, exports, recording,
 * help and documentation.
 *
 * To add one: 1. bpf/NAME.bpf.c on bpf/measure.bpf.h; 2. measures/NAME.c with a const struct
 * measure; 3. a row in measures/measures.def. docs/ARCHITECTURE.md has a worked example.
 *
 * A sample carries texts of its labels, so nobody but the source knows what their values mean.
 */
#ifndef SAMPLES_MEASURE_H
#define SAMPLES_MEASURE_H

#include "base/table.h"
#include "bpf/measure.h"
#include "samples/sample.h"

/* What a label is. The first kind is a measure's own; of the others there is one each. */
enum label_kind {
	LABEL_NAMED,   /* a value with a name; bits of a word of the key */
	LABEL_ERROR,   /* errno, likewise: what failed is also distinguished in rows by other labels */
	LABEL_DERIVED, /* made of another label's text: several of one text at most */
	LABEL_PID,
	LABEL_TID,
	LABEL_COMM,
	LABEL_CGROUP,
	LABEL_STACK,
	LABEL_HOST, /* of several: each measure has it then, behind its own (measures__add_host_label) */
	LABEL_ALL,  /* the same of everything: one row */
};

/* MEASURE_OWN_LABELS are of LABEL_NAMED and LABEL_ERROR, which come first. */
#define MEASURE_MAX_LABELS 14 /* of all kinds */
#define MEASURE_LABEL_TEXT 1024

/* Values first to first + n - 1. */
struct measure_range {
	u32 first, n; /* below MEASURE_FILTERED */
};

struct measure_label {
	const char *name;  /* in --group and JSON; one of the common names for the common kinds */
	const char *title; /* of its column */
	const char *help;
	enum label_kind kind;
	u8 width;
	u8 word, shift, bits; /* LABEL_NAMED, LABEL_ERROR: where it is in the key */
	u32 implied_by; /* labels (bits) of which each decides what this one is: shown beside them */
	bool splits; /* rows by what implies it are by it, too: one name may be of several things, in several of it */
	bool always; /* own labels: in exports of all groupings; null where rows are not by it, nor tell it */
	bool number; /* LABEL_NAMED: its texts are decimal, and numbers in exports */
	bool exact; /* LABEL_NAMED: of one text there may be several, distinguished by their values */
	bool by_value; /* LABEL_NAMED: values alone distinguish, as names may come late: one in brackets stands for
			* one that is not known yet */
	bool address; /* LABEL_NAMED: its texts are places in the row's process, as watch_spec.h has them behind
		       * "pid:N:"; those that are none do not begin so. A key opens the view watch with it. */
	bool holder; /* LABEL_NAMED: the one of who has what is waited for: SAMPLE_MEASURE_HOLDER */
	/* LABEL_NAMED: what a value is called; NULL: the programs send names. LABEL_ERROR has none. */
	void (*text)(u64 value, char *buf, size_t size);
	/* Optional beside names that the programs send: values that have one of their own; false: it is
	 * not such a one. */
	bool (*known)(u64 value, char *buf, size_t size);
	/* LABEL_NAMED, in the place of `text`: what a value is called beside that of label `of`, which
	 * stands before it. */
	void (*join)(const char *of, u64 value, char *buf, size_t size);
	/* Optional, with .text: values that names are known of beforehand, so that filters by the label
	 * work in the kernel. Those beyond pass there. Ends with an empty one. */
	const struct measure_range *values;
	/* Optional: makes a name of what the programs sent, in its place. */
	void (*tidy)(u64 value, char *text, size_t size);
	/* LABEL_DERIVED: of which label (index); fills the i-th part, false: there are no more. */
	u8 of; /* of `join`, too */
	/* LABEL_DERIVED, of events: rows by it are metrics (samples/counters.h). */
	bool metric;
	bool (*part)(const char *text, u32 i, char *buf, size_t size);
};

/* The common labels. A declaration says whose they are, and what the stack is of. */
#define PID_LABEL(help_)	  .name = "pid", .title = "PID", .kind = LABEL_PID, .help = help_
#define TID_LABEL(help_)	  .name = "tid", .title = "TID", .kind = LABEL_TID, .help = help_
#define COMM_LABEL(help_)	  .name = "comm", .title = "Command", .width = 15, .kind = LABEL_COMM, .help = help_
#define STACK_LABEL(title_, help_) .name = "stack", .title = title_, .width = 24, .kind = LABEL_STACK, .help = help_
#define CGROUP_LABEL                                                                               \
	.name = "cgroup", .title = "Cgroup", .width = 16, .kind = LABEL_CGROUP,                    \
	.help = "cgroup v2, path below its mount point"

/* A sum beside that of the value, as a declaration names it. */
struct measure_sum {
	const char *name, *title, *help; /* title: of its rate, per second */
	enum value_type type; /* VALUE_COUNT or VALUE_BYTES; of a span VALUE_NS: part of its time, or beside it */
	/* Optional: it is how many have this value of a label; so it is known by stack, too. */
	const struct measure_label *counts;
	u64 when;
	bool bad; /* any of it is worth a look */
	bool of_rest; /* part of the declaration's rest, not beside it */
};

/* Cells of programs have MEASURE_CELL_SUMS. */
#define MEASURE_SUMS   13
#define RATIO_OF_COUNT MEASURE_SUMS

/* One sum by another, or by the count: VALUE_PCT, of it; VALUE_NS, VALUE_COUNT, for each of it. */
struct measure_ratio {
	const char *name, *title, *help; /* name NULL: there is none */
	enum value_type type;
	u8 of, in;
};

#define MEASURE_RATIOS 2

/* What the machine has when an interval ends, whatever the scope: in summaries and above the rows. */
struct measure_level {
	const char *name, *title; /* name NULL: there is none */
	enum value_type type;	  /* VALUE_COUNT or VALUE_BYTES */
};

#define MEASURE_LEVELS 4

/* A count has a value, or none; that of a span is its duration in ns. What is held has a size in
 * bytes; how its sums are named is fixed. */
enum measure_shape { MEASURE_SHAPE_COUNT, MEASURE_SHAPE_SPAN, MEASURE_SHAPE_HOLDING };
/* The sums of a holding: what was released. Its count and value are what was acquired; what is
 * counted as failed are releases of what was acquired unseen. */
enum {
	HOLDING_RELEASED,
	HOLDING_RELEASED_BYTES,
	HOLDING_CHURNED, /* of what was released: what came in the same interval */
	HOLDING_CHURNED_BYTES,
	HOLDING_WASTED_BYTES, /* acquired, though nobody asked for them; only where .wastes */
};

struct measure_setup;
struct measure_key;
struct measure_values;

#define MEASURE_LINE_(n) #n
#define MEASURE_LINE(n)	 MEASURE_LINE_(n)
/* Where a declaration is, for whoever refuses it: its first line. */
#define MEASURE_HERE .at = __FILE__ ":" MEASURE_LINE(__LINE__)

struct measure {
	const char *at;    /* MEASURE_HERE */
	const char *name;  /* of the view, the model and the programs */
	const char *noun;  /* what is counted: "calls" */
	const char *event; /* what the programs are on, for the header and the doctor */
	enum measure_shape shape;
	/* Of a count: its unit, "bytes", "ns" or "" of plain numbers; NULL: there is none. */
	const char *value;
	/* Optional, of a count: what exports call its count and the sum of its values, too. */
	const char *count_name, *sum_name;
	/* Stacks are of the first of the sums, which needs no count beside it. */
	bool stacks_of_sum;
	/* Optional: one of the first labels, and 1, whose values stacks of no thread have as their root. */
	u32 stacks_by;
	const struct measure_label *labels;
	u32 nlabels;
	u32 by; /* default grouping: a bit per label */
	struct measure_sum sums[MEASURE_SUMS];
	struct measure_ratio ratios[MEASURE_RATIOS]; /* of sums, which need no names for it */
	struct measure_level levels[MEASURE_LEVELS]; /* struct measure_hooks.levels reads them */
	/* Of a span whose sums are parts of its time: what is left. The programs may or may not know
	 * the parts: where the first is 0 none of them is known. */
	struct measure_sum rest;
	/* Optional: whether what has these words of the key is there to wait for something new:
	 * such rows stand behind the others. */
	bool (*waits)(const __u64 *words);
	/* Values are times: labels that others imply are those of the last event of a row, not those of most of it. */
	bool latest;
	u8 kept; /* the word of labels that is known where even commands are too many: MEASURE_KEPT */
	/* What a drill groups by, one after the other, after `by`; ends with 0: the slowest list.
	 * A row of a derived label leads to those by the label that it is of. */
	const u32 *drills;
	/* Of the programs: the settings of their constants; what struct measure_stats.notes
	 * counts, in words; what they cannot see, in words. */
	void (*setup)(struct measure_setup *s);
	const char *notes[4];
	const char *unseen;
	u32 stacks; /* of a holding: so many are kept apart at once, where there is memory; 0: as usual */
	u32 cold;   /* so many rows that nothing came to for long are kept apart; 0: as many as there may be rows */
	/* Of a holding of few, who replace what they have: what grows is no leak as long as half as much may be in the
	 * place of what was there before watching began. */
	bool replaces;
	u64 sample_bytes; /* of a holding: --sample-bytes where none are given; 0: all are followed */
	const char *hint; /* where there are no rows: what to do, in words */
	/* Optional: "counts are of whole intervals": why it has no filters by the moment of what is counted. */
	const char *no_moment;
	/* Optional: names of functions that all stacks end in, such as an allocator's, with * behind them where it is
	 * how they begin: rows by stack are named by what called them. Ends with NULL. */
	const char *const *innermost;
	/* Optional: names of the columns that narrow screens have, blank-separated; the others come as there
	 * is room for them. */
	const char *narrow;
	const char *sort; /* optional: name of the column that rows are sorted by at first */
	/* Programs on what not every kernel has, blank-separated: they may be missing. */
	const char *optional;
	/* Optional: a slow one in words ("read(3</tmp/x>, ...) = 4096"). keys: of its own labels. */
	void (*text)(const struct measure_slow *slow, const struct measure_key *keys, char *buf,
		     size_t size);
	/* Optional: which did more, as qsort has it, where that is a matter of several sums. So rows are in order, and
	 * are called after their members, of those whose first label is known if there are some. */
	int (*compare)(const struct measure_values *a, const struct measure_values *b);
	/* Rows, of which grouping ever, unfold to the stacks of what they count; there are no derived labels. */
	bool unfolds;
	/* Samples do not say when processes began: those that had a pid one after the other are told apart by
	 * SAMPLE_PROC. */
	bool by_pid_alone;
	bool keeps_processes; /* what is too much loses its own labels before it loses its process */
	bool of_cpus;	/* of a span: its first sum is a CPU's time, whichever thread was there */
	bool wastes;	/* of a holding: more may be given than was asked for */
	bool is_signed; /* of a count: values may be below 0, as MEASURE_ZERO says */
	bool asked; /* at run time (samples/ask.h), and not of measure_table */
};

enum measure_id {
#define MEASURE(id, name, ...) MEASURE_##id,
#include "measures/measures.def"
#undef MEASURE
	MEASURE_TABLE_SIZE
};

extern const struct measure *measure_table[MEASURE_TABLE_SIZE];
/* Samples are of several machines: a label says of which. Before anything looks at the table. */
void measures__add_host_label(void);

/* A value as a decimal, for .text. */
void label__number(u64 value, char *buf, size_t size);

/* Sets a constant of the programs by its name, for .setup. */
void measure_setup__set(struct measure_setup *s, const char *name, const void *data, size_t size);

/* -1: there is none of that name. */
int measure__label(const struct measure *m, const char *name);
u32 measure__own_labels(const struct measure *m);

/* Whether the function of that name, or a clone of it, is among m->innermost. */
bool measure__is_innermost(const struct measure *m, const char *name);
/* The value of an own label in the words of a key. */
static inline u64 measure_label__value(const struct measure_label *l, const __u64 *words)
{
	u64 v = words[l->word] >> l->shift;

	return l->bits < 64 ? v & ((1ULL << l->bits) - 1) : v;
}
/* False: one line in buf says where a declaration is wrong, and how. make check asks for each. */
bool measure__check(const struct measure *m, char *buf, size_t size);

/* --- samples --- */

struct measure_key {
	u64 value;
	const char *text; /* "": none; less than MEASURE_LABEL_TEXT bytes */
};

/* What ended since the last drain and agrees in labels, thread and stack. SAMPLE_MEASURE. */
struct measure_sample {
	struct sample head;
	bool rest;    /* of nobody: what found no room; keys are not looked at */
	bool sampled; /* of the stack: what it stands for; sums by stack are those of the others */
	bool waits; /* of the measure's kind that waits for something new */
	struct measure_who who;
	const struct measure_key *keys; /* one per own label */
	u32 nkeys;
	u64 stack; /* 0: none */
	u32 stack_tgid; /* whose addresses these are; 0: who.tgid's */
	u64 count, errors, sum, min, max;
	u64 sums[MEASURE_SUMS];
	const u32 *hist; /* MEASURE_BUCKETS, in units of the shape's; NULL: none */
};

/* A span that goes on at the end of the interval. SAMPLE_MEASURE_OPEN. */
struct measure_open_sample {
	struct sample head;
	bool waits;
	struct measure_who who;
	const struct measure_key *keys;
	u32 nkeys;
	u64 begin_ns;
	u64 stack; /* where it is; 0: not known */
};

/* What agrees in labels, process and stack: what is held of it at the end of the interval, and what
 * came and went in it. Each one of which something is held is handed out in each interval.
 * SAMPLE_MEASURE_HELD. */
struct measure_held_sample {
	struct sample head;
	bool rest; /* of nobody: what found no room; keys are not looked at */
	struct measure_who who;
	const struct measure_key *keys;
	u32 nkeys;
	u64 stack; /* 0: none */
	u64 held, held_bytes;
	u64 begin_ns; /* when the oldest was acquired; 0: nothing is held */
	u64 acquired, acquired_bytes, released, released_bytes;
	u64 churned, churned_bytes; /* of what was released: what came in the interval */
	u64 wasted_bytes; /* acquired, though nobody asked for them */
	u64 error_bytes; /* standard error of held_bytes; 0: all is followed */
	u64 unseen;	 /* of the rest: released, but not seen when it was acquired */
	const u32 *hist; /* of ages: MEASURE_BUCKETS, as of spans; NULL: none */
};

/* Who had, or has, what was waited for. SAMPLE_MEASURE_HOLDER. */
struct measure_holder_sample {
	struct sample head;
	const struct measure_key *keys; /* of what is waited for */
	u32 nkeys;
	u32 tgid, tid; /* of the holder */
	char comm[COMM_LEN];
	u64 stack; /* where it let go of it; 0: not known */
	u64 ns;	   /* for so long was it waited for in the interval */
	/* Of a wait that goes on: who waits, since when; tid 0: of those that ended. */
	struct measure_who waiter;
	u64 begin_ns;
};

#define MEASURE_GUARDS 4

/* Who waited for a lock, or took it, while it had another one. SAMPLE_MEASURE_ORDER. */
struct measure_order_sample {
	struct sample head;
	const struct measure_key *keys; /* the lock that it had, and the one that it waited for */
	u32 nkeys;			/* 2 */
	struct measure_who who;
	u64 t_ns;
	u64 stack;	/* where it waited; 0: not known */
	char where[64]; /* in which function; "": not known */
	u64 guards[MEASURE_GUARDS]; /* values of other locks that it had */
	u32 nguards;
	/* Where each lock that is taken is seen, and not only those that are waited for: */
	bool exact;	 /* it had no others than the guards, unless they are MEASURE_GUARDS */
	bool by_several; /* threads */
	bool first_read, second_read; /* others may read under it at the same time */
	u64 count;	 /* so often, since it was handed out last; 0: not known */
	u64 first_stack; /* where it took the first one; 0: not known */
};

/* The declaration's levels. SAMPLE_MEASURE_LEVELS, one an interval where they are known. */
struct measure_levels_sample {
	struct sample head;
	u64 v[MEASURE_LEVELS];
};

enum measure_moment_kind {
	MOMENT_EVENT,  /* one of the question's own */
	MOMENT_SAMPLE, /* of the CPU's clock */
	MOMENT_FAULT,  /* a page fault; value: the address */
	MOMENT_OUT,    /* a thread leaves its CPU; value: its state, 0: it could have gone on */
	MOMENT_WAKEUP, /* value: the thread that woke it */
	MOMENT_IN,     /* a thread has a CPU from here on */
	MOMENT_KINDS,
};

/* What came within a span. */
struct measure_moment {
	u64 t_ns, value;
	u64 stack; /* 0: none */
	u32 tid, cpu;
	u32 kind; /* enum measure_moment_kind */
	bool is_signed, is_address; /* what the value of a MOMENT_EVENT is */
	const char *event; /* of a MOMENT_EVENT; else "" */
	const char *field; /* what the value is called; "": there is none */
};

/* One that took long. SAMPLE_MEASURE_SLOW. */
struct measure_slow_sample {
	struct sample head;
	bool waits;
	struct measure_who who;
	const struct measure_key *keys;
	u32 nkeys;
	u32 cpu;
	u64 t_ns, ns;
	u64 stack;
	char text[512]; /* in words; "" none */
	const struct measure_moment *moments; /* by time */
	u32 nmoments; /* at most MEASURE_MOMENTS */
	u32 dropped;  /* so many more came */
	bool timed;   /* it is known what came within it: even nothing */
};

#endif
