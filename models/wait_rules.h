/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a wait holds somebody up: one table, models/wait_rules.def, over where a thread waits,
 * what on, who ends it and how regularly. Pure functions, any thread.
 */
#ifndef MODELS_WAIT_RULES_H
#define MODELS_WAIT_RULES_H

#include "base/hidx.h"
#include "bpf/wait_on.h"
#include "models/waits.h"

enum wait_end {
	END_ANY, /* in a rule; of a wait: it goes on, or was not seen to end */
	END_THREAD,
	END_TIMER,
	END_DISK, /* a request to a disk that completed */
	END_NETWORK,
	END_INTERRUPT, /* any other */
	WAIT_ENDS
};

enum wait_shape {
	SHAPE_ANY,
	/* Three times or more, always by its own timeout and after about the same time. */
	SHAPE_PERIODIC,
	/* Several threads of a process wait on one condition, and of the threads that end such
	 * waits none waits there itself: who holds a lock takes it in turns with those who wait. */
	SHAPE_QUEUE,
};
#define WAIT_PERIODIC_WAITS 3
#define WAIT_QUEUE_ENDS	    3

struct name_list {
	const char *const *v; /* NULL: any */
	u32 n;
};

struct wait_rule {
	enum wait_class class;
	enum wait_reason reason; /* WAIT_REASONS: as it is */
	u32 of;			 /* bits of reasons */
	const char *why;
	struct name_list called, within, kernel;
	u32 on, both, but; /* bits of bpf/wait_on.h: one of these, one of these as well, none */
	enum wait_end ends;
	enum wait_shape shape;
};

#define WAIT_RULES_MAX 128
/* Rules whose names are on a stack, a bit each. */
struct rule_set {
	u64 bits[WAIT_RULES_MAX / 64];
};

/* What names were found to be in, as most are met again and again; by their address, so that it
 * lives no longer than they do. */
struct rule_names {
	struct rule_name {
		const char *name;
		struct rule_set called, within;
	} * items;
	u32 n, cap;
	struct hidx index;
};
void rule_names__fini(struct rule_names *seen);

extern const struct wait_rule wait_rules[];
extern const u32 wait_rules_count;

/* What is known of a wait beside its frames. */
struct wait_facts {
	u32 on;
	enum wait_end end;
	bool periodic, queue;
};

/* What a wait is for, and whether that holds somebody up. */
struct wait_verdict {
	enum wait_reason reason;
	enum wait_class class;
	const char *why;
};

/* Those whose kernel names, or user names, are among these or that have none; leaf first, NULL: a
 * name that is not known. */
void rule_set__kernel(struct rule_set *set, const char *const *names, u32 n);
void rule_set__user(struct rule_set *set, const char *const *names, u32 n, struct rule_names *seen);

/* set: those whose names of both sides are there. */
struct wait_verdict wait_rules__judge(const struct rule_set *set, enum wait_reason reason,
				      const struct wait_facts *facts);

/* Of the functions of whoever ended a wait. thread: not an interrupt; then only those count that
 * complete requests. */
enum wait_end wait_end__of(const char *const *names, u32 n, bool thread);
/* "[timer]" "[disk]" "[network]" "[interrupt]" */
const char *wait_end__text(enum wait_end end);

#endif
