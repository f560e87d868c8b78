/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which processes have ended, and whose pid another one has now, for models whose samples do not say
 * when a process began. Fed with SAMPLE_PROC. Collector thread only; zero it first.
 */
#ifndef MODELS_LIVES_H
#define MODELS_LIVES_H

#include "base/hidx.h"
#include "samples/sample.h"

#define LIVES_MAX 65536 /* pids that are known; then lives__is_full() */

struct life {
	u32 tgid;
	bool ended;
};

struct lives {
	struct hidx known; /* pids */
	struct life *now;  /* what happened to some of them since the last lives__tick() */
	u32 nnow, now_cap;
	struct hidx now_index;
	u32 reused;		  /* numbers that were given to those whose pid is used again */
};

/* There are entries of that process. */
void lives__know(struct lives *l, u32 tgid);
/* Of SAMPLE_PROC: the pid of a process that begins and that entries are known of: theirs is another
 * one. 0: none. */
u32 lives__consume(struct lives *l, const struct sample *s);
/* For the entries of the process that had that pid before: never 0. */
u32 lives__past(struct lives *l);
bool lives__has_ended(const struct lives *l, u32 tgid);
/* After the entries of those that ended were marked. */
void lives__tick(struct lives *l);
/* lives__forget(), then lives__know() of all entries. */
bool lives__is_full(const struct lives *l);
void lives__forget(struct lives *l);
void lives__fini(struct lives *l);

#endif
