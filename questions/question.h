/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions that are asked at run time:
 *
 *	count EVENT [if EXPR] [by KEY, ...] [sum EXPR | hist EXPR [UNIT]]
 *	span  EVENT, ... -> EVENT [-> EVENT ...] [on KEY [= KEY]] [if EXPR] [by KEY, ...] [between
 *EVENT, ...] nest  EVENT -> EVENT, EVENT -> EVENT, ... [on KEY] hold  EVENT -> EVENT on EXPR [=
 *EXPR] [size EXPR] [by KEY, ...] list  EVENT, ... [if EXPR] [show EXPR, ...] burst EVENT, ...
 *[every 1ms] [sample stack if EXPR]
 *
 * Clauses may come in any order, each once. `on A = B` is A at the begin and B at the end. A word
 *that begins a clause is a name where an expression has to have one: `by size`. What an expression
 * is, is in questions/expr.h.
 *
 * EVENT, as perf writes it:
 *	cycles cpu-clock page-faults LLC-loads cycles:u r1a8 cpu/event=0x3c,umask=1/u
 *	sched:sched_wakeup sched:sched_* sched:sched_wakeup/prio < 100/
 *	mem:0xADDR[/LEN][:rwx]
 *	uprobe:PATH:FUNC uretprobe:PATH:FUNC usdt:PATH:PROVIDER:NAME
 *	btf:NAME kprobe:FUNC kretprobe:FUNC btf:NAME/FILTER/
 * It ends at a blank, a comma or `->`. What is in quotes, ' or ", is taken as it stands: paths with
 * blanks, commas, colons. No escapes; a quote of one kind goes between two of the other. A filter
 * ends at the next slash outside of quotes and parentheses.
 *
 * Pure: nothing is looked up. A question is immutable, and owns what it points to.
 */
#ifndef QUESTIONS_QUESTION_H
#define QUESTIONS_QUESTION_H

#include "base/base.h"
#include "questions/expr.h"

#define QUESTION_MAX_LEN    65536 /* bytes of a question */
#define QUESTION_MAX_EVENTS 64	  /* of one question */
#define QUESTION_MAX_KEYS   6	  /* QUESTION_KEYS of bpf/question_eval.h */
#define QUESTION_MAX_SHOW   16	  /* QUESTION_VALUES */

enum question_shape { ASK_COUNT, ASK_SPAN, ASK_NEST, ASK_HOLD, ASK_LIST, ASK_BURST, ASK_SHAPES };

enum question_event_kind {
	EVENT_PERF, /* by name, number or PMU: sources/events.h reads `name` */
	EVENT_TRACEPOINT,
	EVENT_BREAKPOINT,
	EVENT_UPROBE,
	EVENT_URETPROBE,
	EVENT_USDT,
	EVENT_BTF,
	EVENT_KPROBE,
	EVENT_KRETPROBE,
	EVENT_KINDS,
};

/* What an event is for in its question. Of a span step 0 are the begins and the last step is the
 * end; of nest and hold each pair has a step. */
enum question_role { ROLE_PLAIN, ROLE_BEGIN, ROLE_MIDDLE, ROLE_END, ROLE_BETWEEN };

struct question_event {
	enum question_event_kind kind;
	enum question_role role;
	u32 step;
	bool glob; /* EVENT_TRACEPOINT: system or name has * ? or [ */
	/* Without quotes. PERF: name is all of it. TRACEPOINT: system and name. UPROBE, URETPROBE:
	 * path and name (function). USDT: path, system (provider), name. BTF, KPROBE: name. Else
	 * NULL. */
	const char *system, *name, *path;
	u64 addr;		   /* EVENT_BREAKPOINT */
	u32 len;		   /* 1, 2, 4 or 8 */
	u8 access;		   /* bits of enum breakpoint_access */
	const struct expr *filter; /* NULL: none */
	const char *text;	   /* as it is printed: without the filter */
	u32 at, length;		   /* where it is in the question, for carets */
};

enum breakpoint_access { BREAK_READ = 1, BREAK_WRITE = 2, BREAK_EXECUTE = 4 };

enum question_value { ASK_NO_VALUE, ASK_SUM, ASK_HIST };

struct question {
	enum question_shape shape;
	const char *text; /* as it is printed: its name */
	struct question_event *events;
	u32 nevents, nsteps;
	/* Expressions are NULL where they were not given. */
	const struct expr *condition;	/* if */
	const struct expr *on, *on_end; /* on A = B; on_end NULL: the same at both */
	const struct expr *size;	/* hold */
	const struct expr *sample;	/* burst: sample stack if */
	const struct expr *by[QUESTION_MAX_KEYS];
	const struct expr *show[QUESTION_MAX_SHOW];
	u32 nby, nshow;
	enum question_value value_kind;
	const struct expr *value;
	const char *unit; /* of hist: one of question__unit(), "" none */
	u64 every_ns;	  /* burst; 0: not given */
};

/* NULL with *err filled; else the caller frees it. */
struct question *question__parse(const char *text, struct expr_error *err);
void question__free(struct question *q);

/* That an expression, as it was written, has a value: a number as the language has it, or a text as it is. */
struct question_term {
	const char *what, *value;
	bool is_text;
};

/* The question of this text with one more condition, printed; NULL: it is none, or too long. free() it. */
char *question__narrowed(const char *text, const struct question_term *t);

/* An event by itself, as pickers have it; the same errors. Its memory is the arena's. */
struct arena;
const struct question_event *question_event__parse(const char *text, struct arena *a,
						   struct expr_error *err);

/* "count", "span", ...; NULL beyond the last. */
const char *question_shape__name(enum question_shape shape);
/* Units of hist by number, NULL beyond the last: ns us ms s bytes KiB pages sectors */
const char *question__unit(u32 i);

#endif
