/* SPDX-License-Identifier: GPL-2.0-only */
/* A place where threads wait: two stacks, and what they tell. Pure functions, any thread. */
#ifndef MODELS_WAIT_PLACE_H
#define MODELS_WAIT_PLACE_H

#include "models/wait_reason.h"
#include "models/wait_rules.h"

struct wait_place {
	struct wait_clue clue;
	bool known;	      /* there are kernel frames, so clue holds */
	enum wait_reason use; /* of a futex, by its callers */
	struct rule_set rules; /* whose names are on the stacks */
	bool pending;	       /* names are missing that may tell more */
};

/* Reads the kernel's frames, then those of user space; either stack may be NULL. The first
 * is worth keeping: many places share their kernel frames. */
void wait_place__read_kernel(struct wait_place *p, const struct callstack *kstack,
			     const struct symbols *symbols);
void wait_place__read_user(struct wait_place *p, const struct callstack *ustack,
			   const struct symbols *symbols, struct rule_names *seen);
/* What a wait there is for. Nothing is idle while names are missing. */
struct wait_verdict wait_place__judge(const struct wait_place *p, const struct wait_entry *e,
				      const struct wait_facts *facts);

#endif
