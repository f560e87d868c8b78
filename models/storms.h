/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Storms: where many processes of one name came and went, rows by process have them in one: nobody
 * looks for one of a thousand that are gone. Of one query, on one thread; zero it first.
 */
#ifndef MODELS_STORMS_H
#define MODELS_STORMS_H

#include "base/hidx.h"

#define STORM_PROCESSES 8 /* that have ended, at least */

struct storm {
	const char *comm;
	u32 n; /* processes */
};

struct storms {
	struct storm *v;
	u32 n, cap;
	struct hidx names, processes;
};

/* A process that has ended; key: its own. It may be reported again. comm is borrowed. What stands for many whose number
 * nobody keeps (PROFILE_MERGED) is no part of a storm: it would be counted as one. */
void storms__add(struct storms *s, const char *comm, u64 key);
/* NULL: too few of that name have ended. */
const struct storm *storms__of(const struct storms *s, const char *comm);
/* The key of its row. */
u64 storm__key(const struct storm *s);
/* "1234 x" in the place of a pid. */
const char *storm__text(const struct storm *s, struct arena *a);
void storms__fini(struct storms *s);

#endif
