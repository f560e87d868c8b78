/* SPDX-License-Identifier: GPL-2.0-only */
/* A question that is being made (sources/ask.c): what its parts hand to each other. */
#ifndef SOURCES_ASK_MAKING_H
#define SOURCES_ASK_MAKING_H

#include "bpf/moment.h"
#include "sources/ask_plan.h"

/* Words that programs know (bpf/question_run.bpf.h). */
#define WORDS_ALWAYS                                                                               \
	(1u << WORD_PID | 1u << WORD_TID | 1u << WORD_CPU | 1u << WORD_CGROUP | 1u << WORD_PRIO |  \
	 1u << WORD_POLICY | 1u << WORD_NS | 1u << WORD_COMM | 1u << WORD_KSTACK |                 \
	 1u << WORD_USTACK | 1u << WORD_STACK | 1u << WORD_TASK)

struct making {
	struct ask *a;
	struct status *st;
	bool begun; /* the form says what the keys are */
	const struct field_resolver *begin_fields;
	u32 words; /* WORDS_ALWAYS, and what this event has besides */
};

/* One event's code. */
struct unit {
	struct eval_unit of;
	struct question_slot slot;
	const struct checked *keys[QUESTION_MAX_KEYS]; /* all of `by` */
	u32 nkeys;
	u32 fields; /* of a list: bits of the form's that the event has, in the order of values */
};

int ask_making__refuse(const struct making *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* NULL: m->st says why. */
const struct checked *ask_making__check(const struct making *m, const struct expr *e,
					const struct check_scope *scope, enum check_want want);
/* STACK_KERNEL | STACK_USER that a key or a value stands for. */
u32 ask_making__stack_flags(const struct checked *key);

/* Of a chain: parts of its time that are sums; a plain pair has none. */
u32 ask_question__nlegs(const struct question *q);

/* --- ask_unit.c --- */

/* u: zeroed. fields: of the event, NULL: the question needs none. False: m->st says why. */
bool ask_unit__make(struct making *m, struct unit *u, struct ask_target *t,
		    const struct field_resolver *fields);
/* The return of a system call at a span's end: its field ret tells whether it failed. */
bool ask_target__ends_call(const struct ask_target *t);

/* --- ask_programs.c --- */

/* The program of a target, a new one or that of a target with the same code. 0, or m->st says why. */
int ask_programs__add(struct making *m, u32 target, struct unit *u);

/* --- ask_words.c --- */

/* Bits of enum question_word that can be had at an event. */
u32 ask_words__at(const struct ask_target *t);
/* Where it is known whether interrupts are off. */
enum moment_at ask_target__at(const struct ask_target *t);

/* --- ask_counts.c: bursts --- */

bool ask_target__is_timer(const struct ask_target *t);
/* NULL: there is none. */
const struct ask_target *ask_targets__timer(const struct ask_targets *t);
/* What an expression over a slot's counts has: the first QUESTION_ENTRIES events, by the names that they
 * have without their systems. event: what is asked when it comes has these fields, too, before those names; NULL: it
 * is asked when a timer ends the slot. */
struct ask_counts {
	struct field_resolver resolver;
	const struct field_resolver *event;
	const struct ask_targets *targets;
};
const struct field_resolver *ask_counts__init(struct ask_counts *c, const struct ask_targets *t,
					      const struct field_resolver *event);

/* --- ask_log.c: what comes within spans --- */

/* The value of an event between, or of a step, where there is one that may be worth a look. */
void ask_log__add_value(struct making *m, struct unit *u, struct ask_target *t,
			const struct check_scope *scope);
/* Of an end, once it is known what spans are matched by. */
enum question_log_by ask_log__by(const struct question *q, const struct unit *u);

/* --- ask_fields.c: what a list shows --- */

/* What all events have, where the question names nothing: the form's fields. */
int ask_fields__declare(struct making *m);
/* The values of one event. False: m->st says why. */
bool ask_fields__add(struct making *m, struct unit *u, const struct check_scope *scope);

#endif
