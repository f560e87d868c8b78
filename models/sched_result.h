/* SPDX-License-Identifier: GPL-2.0-only */
/* What the queries over sched snapshots share. One thread, one query at a time. */
#ifndef MODELS_SCHED_ANSWER_H
#define MODELS_SCHED_ANSWER_H

#include "base/arena.h"
#include "models/sched.h"

/* The table of a struct sched_result. */
void sched_result__table(struct sched_result *a);

/* Whether a thread passes the scope; what it runs on counts as its last CPU. */
bool sched__passes(const struct scope *scope, const struct task_ident *t, u32 cpu);

/* Right-aligned, so that text sorts as the numbers do. */
const char *sched__id_text(struct arena *a, u32 id, int width);

static inline double sched__pct(u64 part, u64 whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

#endif
