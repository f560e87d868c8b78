/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the orders that locks are taken in may contradict others: pure. */
#ifndef SOURCES_LOCK_GRAPH_H
#define SOURCES_LOCK_GRAPH_H

#include "base/base.h"

struct lock_edge {
	u64 first, second;
	bool in_doubt; /* it is part of a cycle, or on a way from one to another */
};

void lock_graph__mark(struct lock_edge *v, u32 n);

#endif
