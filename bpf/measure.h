/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of a measure count and send (bpf/measure.bpf.h); shared by kernel and user
 * side. Times are bpf_ktime_get_ns(), CLOCK_MONOTONIC.
 *
 * A cell adds up what agrees in its labels, its thread and its stack. Cells lie in an array with
 * open addressing, in two halves that take turns, so that user space reads a half that no program
 * writes. As they fill, stacks are not kept apart any more, then threads of one name are not; what
 * finds no cell at all is added to the rest of its CPU: sums stay exact.
 */
#ifndef BPF_MEASURE_H
#define BPF_MEASURE_H

#include <linux/types.h>

#include "bpf/hist.h"

#define MEASURE_LABELS 4 /* words of labels; what is in them the declaration says */
#define MEASURE_SUMS   2 /* sums beside that of the value */

/* Buckets of values, 1/4 of their lower end wide at most (loglin__bucket). Durations are counted
 * in units of 16 ns: the last bucket begins at 120 s. Other values in units of 1. */
#define MEASURE_BUCKETS	  128
#define MEASURE_SUB_SHIFT 2
#define MEASURE_NS_SHIFT  4

/* tgid of what many threads did: their name and one word of labels are all that is known. */
#define MEASURE_MANY 0xffffffffu
#define MEASURE_NO_STACK 1 /* it was taken, but is not to be had */

struct measure_who {
	__u64 start_ns; /* of the thread: with its id it names one thread for good */
	__u64 process_ns; /* start of the process */
	__u64 cgroup;	  /* v2 id */
	__u32 tgid, tid;
	__u32 kthread;
	__u32 pad;
	char comm[16];	  /* of the thread */
	char process[16]; /* of the process: its main thread's */
};

struct measure_cell {
	__u64 id; /* hash of the key; 0: free */
	__u64 labels[MEASURE_LABELS];
	__u64 stack; /* 0: all of them; else what was sampled with this stack, MEASURE_NO_STACK */
	struct measure_who who;
	__u64 count, errors;
	__u64 sum, min, max; /* of the value: a span's duration in ns */
	__u64 sums[MEASURE_SUMS];
	/* Of cells of all stacks: what no stack stands for yet, and the last one that was taken. */
	__u64 unsampled, unsampled_sum, last_stack;
	__u32 hist[MEASURE_BUCKETS];
};

/* A span that goes on, written by the iterator. */
struct measure_open {
	__u64 labels[MEASURE_LABELS];
	__u64 begin_ns;
	struct measure_who who;
};

#define MEASURE_ARGS  6
#define MEASURE_TEXTS 2
#define MEASURE_TEXT  128

/* Records in the ring, behind those of bpf/stack.h. */
enum { RECORD_MEASURE_SLOW = 16, RECORD_MEASURE_NAME };

/* A span that took long; only the used part of texts is sent. */
struct measure_slow {
	__u32 type; /* RECORD_MEASURE_SLOW */
	__u32 cpu;
	__u64 t_ns, ns; /* when it ended, how long it took */
	__s64 result;
	__u64 labels[MEASURE_LABELS];
	__u64 stack;
	struct measure_who who;
	__u64 args[MEASURE_ARGS];
	struct {
		__u8 arg; /* which argument it is the text of; 0xff: there is none */
		char text[MEASURE_TEXT - 1];
	} texts[MEASURE_TEXTS];
};

#define MEASURE_NAME_MAX 1024 /* bytes of a name; a power of two */

/* What a label's value is called, sent when the value is first seen. */
struct measure_name {
	__u32 type; /* RECORD_MEASURE_NAME */
	__u32 label; /* index of its word */
	__u64 value;
	char text[MEASURE_NAME_MAX]; /* sent as far as its 0 byte */
};

/* Per CPU, since attach. */
struct measure_stats {
	__u64 count;	   /* counted, cells or rest */
	__u64 folded;	   /* of those: threads of one name in one cell */
	__u64 full;	   /* in the rest */
	__u64 slow_lost;   /* slow ones that the ring had no room for */
	__u64 names_lost;  /* names likewise */
	__u64 tasks_full;  /* threads that could not be watched: no memory */
	__u64 forks_lost;  /* children not followed: no room */
	__u64 backward;	   /* negative times, dropped */
	__u64 stacks_lost; /* stacks taken, but not to be had */
	__u64 runs, timed, run_ns; /* program runs; one in 64 is timed */
	__u64 notes[4];	   /* the measure's own, as its declaration names them */
};

/* Two limits of what is slow: of those that work, and of those that wait for something new. */
enum { MEASURE_WORKS, MEASURE_WAITS, MEASURE_CLASSES };

/* Slow spans of a class reported before its limit rises within an interval. */
#define MEASURE_SLOW_MAX 64

#endif
