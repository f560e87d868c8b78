/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of questions (bpf/question.bpf.c) and user space hand to each other, beside
 * what every measure does (bpf/measure.h). */
#ifndef BPF_QUESTION_H
#define BPF_QUESTION_H

#include "bpf/measure.h"
#include "bpf/question_eval.h"

/* Programs of each type, which differ in their code: events whose fields lie elsewhere, begins and
 * ends. */
#define QUESTION_SLOTS 8

/* Words of labels: which event it is (QUESTION_EVENT_BITS) and the CPU behind it; then the keys. */
#define QUESTION_EVENT_BITS 16
#define QUESTION_OWN_KEYS   (MEASURE_LABELS - 1)

enum question_does {
	QUESTION_COUNTS,
	QUESTION_BEGINS,
	QUESTION_ENDS,
	QUESTION_LISTS,
	QUESTION_STEPS,	   /* of a chain: neither its begin nor its end */
	QUESTION_BETWEENS, /* is counted in the span that it comes in */
	QUESTION_ENTERS,   /* a pair that lies in others */
	QUESTION_LEAVES,
	QUESTION_FILLS, /* a slot of time, whose events are counted */
	QUESTION_TICKS, /* the timer that ends slots */
};

/* Tracepoints of system calls, of which there are hundreds, as one raw tracepoint: each perf event that is
 * closed waits for all CPUs. */
enum question_call_side { QUESTION_NO_CALL, QUESTION_CALL_ENTERS, QUESTION_CALL_RETURNS };

/* Which event of the question a call is, by number; those of returns from QUESTION_CALLS on. */
#define QUESTION_CALLS 512
struct question_call_event {
	__u16 slot;  /* 1 + that of its program; 0: it is not asked for */
	__u16 event;
};

/* What a program does with an event; constant, so that the verifier drops the rest. */
struct question_slot {
	__u32 does;	       /* enum question_does */
	__u32 words;	       /* eval_code.words, and WORD_CPU when it is a label */
	__u32 event;	       /* of a program of one event */
	__u32 cookies;	       /* 1: the attachment says which event it is */
	__u32 by_cpu;	       /* the CPU is a label */
	__u32 alone;	       /* count: events of a thread come one after another, and nothing but their number is asked for */
	__u32 plain;	       /* there is nothing to evaluate: every event counts */
	__u32 is_signed;       /* count: the value may be below 0 */
	__u32 nvalues;	       /* count: 0 or 1; list: so many are sent */
	__u32 on;	       /* spans: 1 + index of the key they are matched by; 0: the thread */
	__s32 keys[QUESTION_OWN_KEYS];	 /* index in the frame of each label; -1: none */
	__s32 key_text[QUESTION_KEYS];	 /* by index: slot of its text; -1: a number */
	__s32 value_text[QUESTION_VALUES];
	__u32 stack; /* STACK_KERNEL | STACK_USER: stacks are sampled; 0: they are not */
	__u32 entries, entry_texts; /* of a begin: numbers and texts kept, behind the values */
	__u32 step, last_step; /* of a chain: this event's, and that of its end; of a nest: the pair */
	__u32 fails; /* of an end: its value is a result, which from -4095 to -1 is an error */
	__u32 sum, nsums; /* of a step or what is between: its sum; of an end: how many there are */
	__u32 texts_kept; /* entry_texts are looked up in a map of their own */
	__u32 by_process; /* hold: what `on` is the number of is each process's own */
	__u32 at; /* enum moment_at (bpf/moment.h) */
	__u32 ticked; /* burst: a timer ends slots, and none else */
	__u32 texts; /* list: so many of the frame's texts are sent */
	__u32 call; /* enum question_call_side */
};

/* The measure's own struct measure_stats.notes. */
enum { QUESTION_NOTE_FAULTS, QUESTION_NOTE_UNMATCHED, QUESTION_NOTE_AGAIN, QUESTION_NOTE_NESTED };

/* A span that has begun, by its key. */
struct question_span {
	__u64 begin_ns;
	__u32 tgid, tid;
	char comm[16];
	__u64 entry[QUESTION_ENTRIES];
	__u64 last_ns; /* of a chain: when its last step came */
	__u64 step;
	__u64 sums[MEASURE_SPAN_SUMS];
};

/* Texts that entry() keeps, by the span's key. */
struct question_span_texts {
	struct question_text texts[QUESTION_ENTRY_TEXTS];
};

/* Pairs that have begun within each other, by key: a thread, a CPU. The path of a pair has 4 bits for
 * each of those that it lies in, itself the lowest: 1 + its number. */
#define QUESTION_DEPTH	  8
#define QUESTION_PATH_BITS 4
#define QUESTION_PAIRS	  15

struct question_nest {
	__u32 depth, pad;
	struct question_level {
		__u64 begin_ns, inner_ns, path;
	} levels[QUESTION_DEPTH];
};

#define QUESTION_SPANS 16384

/* --- what comes within spans (bpf/question_log.bpf.h) --- */

#define QUESTION_LOGS 1024 /* spans at a time that it is kept of */

/* What a span's thread or CPU does is known where spans are matched by it. */
enum question_log_by {
	QUESTION_LOG_NONE,
	QUESTION_LOG_EVENTS, /* the events that the question names, and no more */
	QUESTION_LOG_THREAD,
	QUESTION_LOG_CPU,
};

/* struct question_moment.what: the number of one of the question's events, or one of these. */
enum question_moment_kind {
	QUESTION_MOMENT_SAMPLE = 0xff00, /* the CPU's clock, with its stack */
	QUESTION_MOMENT_FAULT,		 /* value: the address */
	QUESTION_MOMENT_OUT,		 /* a thread leaves the CPU; value: its state, 0 of one that could go on */
	QUESTION_MOMENT_WAKEUP,		 /* value: who woke it */
	QUESTION_MOMENT_IN,
};

struct question_moment {
	__u64 t_ns, stack, value;
	__u32 tid;
	__u16 cpu, what;
};

/* Sent with a span that took long, before its struct measure_slow; only the used part of moments is. */
struct question_log {
	__u32 type; /* RECORD_QUESTION_LOG */
	__u32 n;    /* so many came; of those beyond MEASURE_MOMENTS nothing but their number is known */
	__u64 begin_ns, end_ns; /* end_ns 0: the span goes on */
	struct question_moment moments[MEASURE_MOMENTS];
};

#define QUESTION_BURST_EVENTS QUESTION_VALUES

/* What came on a CPU in the slot of time that lasts. */
struct question_burst {
	__u64 slot, total, stack; /* slot: its number; with a timer when it began */
	__u64 counts[QUESTION_BURST_EVENTS];
	struct measure_who who; /* whose stack it is */
};

/* Slots sent of an interval before only fuller ones are: those of a millisecond of two CPUs. */
#define QUESTION_BURSTS_MAX 2048

/* Behind the records of bpf/measure.h. */
enum { RECORD_QUESTION_LINE = 32, RECORD_QUESTION_LOG };

/* An event of a list; of texts slot.texts are sent. */
struct question_line {
	__u32 type; /* RECORD_QUESTION_LINE */
	__u32 event;
	__u64 t_ns, lost; /* lost: lines of this CPU before it that the ring had no room for */
	__u64 stack;	  /* 0: none */
	__u32 cpu, pad;
	struct measure_who who;
	__u64 values[QUESTION_VALUES]; /* of a text its slot in texts */
	struct question_text texts[QUESTION_TEXTS];
};

#endif
