/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What generated code of a question and the program around it hand to each other; shared by kernel
 * and user side. bpf/question_eval.bpf.h has the function that the code is put into,
 * questions/generate.h makes the code.
 *
 * A frame belongs to one run: whoever calls question__eval() has it to itself until it has taken
 * what is in it (where programs can be preempted, as uprobes', a frame for each level or task).
 */
#ifndef BPF_QUESTION_EVAL_H
#define BPF_QUESTION_EVAL_H

#include <linux/types.h>

#define QUESTION_KEYS	     6
#define QUESTION_VALUES	     16 /* a power of two */
#define QUESTION_ENTRIES     4 /* numbers that entry() keeps from the begin */
#define QUESTION_ENTRY_TEXTS 2 /* texts, likewise */
#define QUESTION_TEXTS	     8
#define QUESTION_TEXT	     128 /* bytes of a text with its NUL; what is behind the NUL is 0 */
#define QUESTION_GLOBS	     8	 /* of one object: of all programs in it */

/* What the program around it knows. Only those are filled that the code asks for
 * (eval_code.words), as bits of a constant, so that the verifier drops the rest. */
enum question_word {
	WORD_PID,	    /* process, as user space has it (tgid) */
	WORD_TID,	    /* thread */
	WORD_CPU,
	WORD_CGROUP,	    /* id */
	WORD_PRIO,	    /* task_struct.prio of the current task: 120 is nice 0 */
	WORD_POLICY,
	WORD_NS,	    /* bpf_ktime_get_ns() */
	WORD_LATENCY,	    /* of a span, in ns */
	WORD_KSTACK,	    /* key of the stack, as bpf/stack.h has them */
	WORD_USTACK,
	WORD_STACK,	    /* both */
	WORD_IRQS_DISABLED, /* 0 or 1 */
	WORD_NEED_RESCHED,  /* 0 or 1 */
	WORD_NR_RUNNING,    /* of the CPU */
	WORD_COUNT,	    /* of a burst: events of the slot so far */
	WORD_TASK,	    /* bpf_get_current_task() */
	WORD_COMM,	    /* no number: frame.comm */
	QUESTION_WORDS,
};

struct question_text {
	char s[QUESTION_TEXT];
};

/* A system call, where one program sees many (bpf/question.h): as the record of its tracepoint, of which
 * programs see no more. */
struct question_call {
	__u64 hidden;
	__s32 nr;
	__u32 event;
	__u64 args[6]; /* of a return the first is what it returns */
};

struct question_frame {
	/* in */
	struct question_call call;
	__u64 words[QUESTION_WORDS];
	char comm[16]; /* of the current task, WORD_COMM */
	__u64 entry[QUESTION_ENTRIES];
	struct question_text entry_texts[QUESTION_ENTRY_TEXTS];
	__u64 unit; /* which one runs, where code is joined of several (questions/generate.h) */
	/* out */
	__u64 keys[QUESTION_KEYS]; /* of a text its slot in texts; so are values */
	__u64 values[QUESTION_VALUES];
	__u64 faults; /* is added to: reads of memory that is not there, which gave 0 or "" */
	struct question_text texts[QUESTION_TEXTS];
};

/* A glob as an automaton: bit i of the state says that the first i items have matched. */
struct question_glob {
	__u64 member[256]; /* by byte: which items it is one of, as bit i of item i */
	__u64 star;	   /* states that a `*` stands at */
	__u32 accept;	   /* the state at the end: number of items, 63 at most */
	__u32 pad;
};

#define QUESTION_REGION	      4096	 /* instructions of code at most */
#define QUESTION_SMALL	      512	 /* what most have room in */
#define QUESTION_REGION_MAGIC 0x51554553 /* of the mov that stands before them */

#endif
