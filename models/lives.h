/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which processes have ended, and whose pid another one has now, for models whose samples do not say
 * when a process began. Fed with SAMPLE_PROC. Collector thread only; zero it first.
 */
#ifndef MODELS_LIVES_H
#define MODELS_LIVES_H

#include "base/hidx.h"
#include "samples/sample.h"

#define LIVES_MAX 65536 /* pids that are known */

struct life {
	u64 process; /* a pid of a host */
	bool ended;
};

/* The last that happened to each pid within an interval; of LIVES_MAX at most. */
struct life_events {
	struct life *v;
	u32 n, cap;
	struct hidx index;
};

struct lives {
	struct hidx known; /* pids */
	/* Of the interval, and of the one before: what a process did may be told after its end. */
	struct life_events now, before;
};

/* There are entries of that process. host: as in struct stack_sample. */
void lives__know(struct lives *l, u32 tgid, u32 host);

/* Where entries have whose they are: u32 their pid, bool whether that process has ended, and, each if it is
 * not 0, u32 the host that it is of and u32 a number of the process that had the pid before, 0: it still has it. */
struct lives_of {
	size_t size, tgid, host, ended, past;
};

/* Of SAMPLE_PROC: marks the entries of a process whose pid another one has from now on. Returns that
 * pid, 0: none. */
u32 lives__consume(struct lives *l, const struct sample *s, const struct lives_of *of, void *v, u32 n);
/* Ends an interval: marks the entries of those that ended. */
void lives__tick(struct lives *l, const struct lives_of *of, void *v, u32 n);
void lives__forget(struct lives *l);
void lives__fini(struct lives *l);

#endif
