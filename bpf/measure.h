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

#include "bpf/scope.h"

#include "bpf/hist.h"

#define MEASURE_LABELS 4 /* words of labels; what is in them the declaration says */
#define MEASURE_OWN_LABELS 8 /* of the events themselves, in those words */
#define MEASURE_CELL_SUMS 9 /* sums beside that of the value */
#define MEASURE_SPAN_SUMS 4 /* of those: what spans, and questions, have; by stack, too */

/* Buckets of values, 1/4 of their lower end wide at most (loglin__bucket). Durations are counted
 * in units of 16 ns: the last bucket begins at 120 s. Other values in units of 1. */
#define MEASURE_BUCKETS	  128
#define MEASURE_SUB_SHIFT 2
#define MEASURE_NS_SHIFT  4

/* Values of which some may be below 0 are in the upper half of the buckets, each 1/2 of its lower end
 * wide at most; those below 0 in the lower half, mirrored: -1 in its last one. Their extremes are counted
 * from MEASURE_ZERO, so that they compare as others do, and sums[0] has what is below 0. */
#define MEASURE_SIGNED_SHIFT 1
#define MEASURE_ZERO	     (1ULL << 63)

/* tgid of what many threads did: their name is known, and one word of labels; with this tid all of them. */
#define MEASURE_MANY	     0xffffffffu
#define MEASURE_LABELS_KNOWN 1
#define MEASURE_NO_STACK 1 /* it was taken, but is not to be had */

struct measure_who {
	__u64 start_ns; /* of the thread: with its id it names one thread for good */
	__u64 process_ns; /* start of the process */
	__u64 cgroup;	  /* v2 id */
	__u32 tgid, tid;
	__u32 kthread;
	__u32 host; /* 0; of a replay of several recordings: which one (base/hosts.h) */
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
	__u64 sums[MEASURE_CELL_SUMS];
	/* Of cells of all stacks: what no stack stands for yet, and the last one that was taken, of which process: a
	 * cell of many threads has none of its own. */
	__u64 unsampled, unsampled_sum, last_stack, last_tgid;
	__u64 unsampled_sums[MEASURE_SPAN_SUMS];
	__u32 hist[MEASURE_BUCKETS];
};

#define MEASURE_FILTERED (1u << 17) /* values of a label that filters by it know */

/* Where a label is in its words. */
struct measure_place {
	__u32 word, shift;
	__u64 mask;
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

/* What is kept of what came within one span. */
#define MEASURE_MOMENTS 128

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
	SOURCE_FIGURES;
	__u64 count;	   /* counted, cells or rest */
	__u64 folded;	   /* of those: threads of one name in one cell */
	__u64 full;	   /* in the rest */
	__u64 slow_lost;   /* slow ones that the ring had no room for */
	__u64 names_lost;  /* names likewise */
	__u64 tasks_full;  /* threads that could not be watched: no memory */
	__u64 backward;	   /* negative times, dropped */
	__u64 stacks_lost; /* stacks taken, but not to be had */
	__u64 unseen;	   /* released, but not seen when it was acquired */
	__u64 untracked;   /* acquired, but there was no room: another one stands for it, or it for another one */
	__u64 notes[4];	   /* the measure's own, as its declaration names them */
};

/* --- holdings: what is acquired, until it is released by its address --- */

/* Slots of a bucket. An object may be in either of two buckets, seldom in one of HELD_CHOICES. */
#define HELD_SLOTS   8
#define HELD_CHOICES 16
/* One object is so many units of weight: a sampled one stands for several, with parts. */
#define HELD_WEIGHT 1024
/* Ages are counted in units of 2^20 ns since the programs were loaded. */
#define HELD_AGE_SHIFT 20
/* Sizes from here on are counted in units of 4 KiB, rounded up. */
#define HELD_LARGE (1u << 31)

struct measure_held_slot {
	__u32 size, since; /* size: see HELD_LARGE */
};

/* What an object is known by is one word, so that it comes and goes at once; 0: the slot is free. Beside a hash of
 * process and address, of which the bucket tells more, it has the object's weight and its site. */
#define HELD_SITE_BITS	 18
#define HELD_WEIGHT_BITS 10
#define HELD_KEY_SHIFT	 (HELD_SITE_BITS + HELD_WEIGHT_BITS)
#define HELD_SITE(word)	 ((__u32)(word) & ((1u << HELD_SITE_BITS) - 1))

/* Weights are kept as w * 2^e, e in the upper bits: w has HELD_WEIGHT_PART bits below its first one. */
#define HELD_WEIGHT_PART 5
#define HELD_WEIGHT_OF(word)                                                                                 \
	held_weight__unpack((__u32)((word) >> HELD_SITE_BITS) & ((1u << HELD_WEIGHT_BITS) - 1))

#define HELD_WEIGHT_ONE ((10 - HELD_WEIGHT_PART) << HELD_WEIGHT_PART) /* HELD_WEIGHT */

static inline __u64 held_weight__unpack(__u32 packed)
{
	return (__u64)((packed & ((1u << HELD_WEIGHT_PART) - 1)) | 1u << HELD_WEIGHT_PART)
	       << (packed >> HELD_WEIGHT_PART);
}

/* How many objects have a tag (what of a key a word has) with these bits: most of what is released is not followed where
 * few are, and is known not to be by memory that is in the CPU's caches. */
#define HELD_FILTER 16384

struct measure_held_filter {
	__u32 n[HELD_FILTER];
};

/* The lowest bit of a tag is always set. */
#define HELD_FILTER_OF(word) ((__u32)((word) >> (HELD_KEY_SHIFT + 1)) & (HELD_FILTER - 1))

/* Two lines of the CPU's caches. */
struct measure_held_bucket {
	__u64 words[HELD_SLOTS];
	struct measure_held_slot slots[HELD_SLOTS];
};

/* Whose a site is, and of what kind: what agrees in its labels and its process with its name. */
struct measure_owner {
	__u64 id;    /* hash of the key; 0: free */
	__u32 ready; /* the rest of the key is there */
	__u32 pad;
	__u64 labels[MEASURE_LABELS];
	struct measure_who who;
};

/* What agrees in its owner and its stack. Sums only grow: what is held is what was acquired less what was released, or
 * lost: another one stands for it (which is lost less, then). */
struct measure_site {
	__u64 id;    /* hash of the key; 0: free */
	__u32 ready; /* the rest of the key is there */
	__u32 owner;
	__u64 stack;
	/* In HELD_WEIGHTs, and so are bytes; added to by several CPUs at a time. */
	__u64 acquired, acquired_bytes, released, released_bytes, lost, lost_bytes;
	/* Of what was released: what had come in the same interval. Of the bytes that were acquired: those that
	 * nobody had asked for. */
	__u64 churned, churned_bytes, wasted_bytes;
};

#define MEASURE_REST_SITE  0 /* its place in the table */
#define MEASURE_REST_OWNER 0 /* nobody: tgid 0 */

/* Two limits of what is slow: of those that work, and of those that wait for something new. */
enum { MEASURE_WORKS, MEASURE_WAITS, MEASURE_CLASSES };

/* Slow spans of a class reported before its limit rises within an interval. */
#define MEASURE_SLOW_MAX 64

#endif
