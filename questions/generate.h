/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * eBPF code for what a question asks of one event: whether it passes, its keys, its values. It
 * goes into a program that is compiled already, in the place that bpf/question_eval.bpf.h keeps for
 * it.
 *
 * The code calls bpf_probe_read_{kernel,user}(_str) and question__glob() alone; all else it is
 * given in the frame. It has no loops; its size is bounded by the number of terms.
 */
#ifndef QUESTIONS_GENERATE_H
#define QUESTIONS_GENERATE_H

#include <linux/bpf.h>

#include "questions/check.h"

/* All of it checked against the same event. */
struct eval_unit {
	const struct checked *condition; /* NULL: all pass */
	const struct checked *keys[QUESTION_KEYS], *values[QUESTION_VALUES];
	u32 nkeys, nvalues;
	u32 glob_base; /* the first number in question_globs that is free */
};

/* Where texts are put: the slot in frame.texts, -1 of what is no text. Equal texts share one. */
struct eval_slots {
	int8_t key[QUESTION_KEYS], value[QUESTION_VALUES];
	u32 used;
};
void eval_unit__slots(const struct eval_unit *unit, struct eval_slots *slots);

struct eval_code {
	struct bpf_insn *insns; /* ends with exit in all ways; r6 is the context, r7 the frame */
	u32 ninsns;
	u32 words;		  /* bits: what has to be in the frame, WORD_COMM among them */
	u32 entries, entry_texts; /* bits, likewise */
	u64 sample_type;	  /* PERF_SAMPLE_x that its perf event has to have */
	struct eval_slots slots;
	bool key_stack[QUESTION_KEYS], value_stack[QUESTION_VALUES]; /* it is the key of a stack */
	struct question_glob *globs; /* for question_globs from glob_base on */
	u32 nglobs;
};

/* The values of a begin: what entry() asks for, after what the unit has. */
int eval_unit__add_entries(struct eval_unit *unit, const struct entry_list *entries);

/* 0, or -E2BIG (more code, texts or globs than there is room for) with one line in why. */
int eval__generate(const struct eval_unit *unit, struct eval_code *code, char *why, size_t size);
void eval_code__fini(struct eval_code *code);
/* Of several units, none of which has globs, one code that runs the one of frame.unit. -E2BIG: that
 * is too much. */
int eval_code__join(struct eval_code *code, const struct eval_code *units, u32 n);

/* Whether the code has room in a place of so many instructions. */
bool eval__fits(const struct eval_code *code, u32 place);
/* Puts the code into a program's region, in place. 0, or -ENOENT: it has none; -E2BIG. Every region
 * of the program gets it. */
int eval__splice(const struct eval_code *code, struct bpf_insn *insns, u32 ninsns);

/* A glob's automaton; -E2BIG: more than 63 items. */
int question_glob__compile(const char *glob, struct question_glob *out);

#endif
