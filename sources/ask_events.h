/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a question: what this machine has under the names that were given. */
#ifndef SOURCES_ASK_EVENTS_H
#define SOURCES_ASK_EVENTS_H

#include <linux/perf_event.h>

#include "base/status.h"
#include "questions/format.h"
#include "questions/question.h"
#include "sources/usdt.h"

struct arguments;

/* Of one question: a glob may stand for many. */
#define ASK_TARGETS 4096

/* One thing to attach to. */
struct ask_target {
	const struct question_event *of;
	char name[128];			/* as it is shown: "sched:sched_switch" */
	/* Of what may come between a begin and its end: its value in a timeline; name "": none. */
	struct ask_moment {
		char name[32];
		bool is_signed, is_address;
	} moment;
	char system[64], event[128];	/* of a tracepoint; event: of a raw one, a function */
	u8 call;	/* enum question_call_side: one of many tracepoints of system calls (sources/ask_calls.h) */
	u16 call_nr;
	struct perf_event_attr attr;	/* EVENT_PERF, EVENT_BREAKPOINT */
	char *file; /* of a function of pid:N, and of a static probe; freed with it */
	u32 pid;    /* in this process alone; 0: in all */
	struct usdt_place *usdt; /* of a static probe: one of its places */
	const struct trace_format *format; /* of a tracepoint, once ask_target__fields was called */
	struct ask_place { /* of a program's function; offset 0: by its name alone */
		u64 offset, *ends; /* ends: where it is left, in the place of a probe on its return */
		u32 nends;
		bool of_go; /* goroutines may run it */
		bool jumps; /* some of them give another function's result */
	} place;
	struct arguments *arguments; /* of a program's function, likewise, until
					ask_targets__forget_fields */
};

/* Whether it is a place in a program. */
static inline bool ask_target__is_of_program(const struct ask_target *t)
{
	return t->of->kind == EVENT_UPROBE || t->of->kind == EVENT_URETPROBE || t->of->kind == EVENT_USDT;
}

struct ask_targets {
	struct ask_target *v;
	u32 n, cap;
};

/* Appends what an event stands for: 0, or -errno with st saying why there is none and what would
 * help. */
int ask_targets__resolve(struct ask_targets *t, const struct question_event *e, struct status *st);
/* Frees them; formats too. */
void ask_targets__fini(struct ask_targets *t);

/* What debug information is kept open for; no field of a function may be used any more. */
void ask_targets__forget_fields(struct ask_targets *t);

/* What its fields are. 0, or -errno with st. */
int ask_target__fields(struct ask_target *t, const struct field_resolver **out, struct status *st);

#endif
