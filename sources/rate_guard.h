/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What events would take of a CPU is told before programs are attached to them for good: more than
 * RATE_GUARD_PCT has to be asked for in so many words, by a `!`.
 */
#ifndef SOURCES_RATE_GUARD_H
#define SOURCES_RATE_GUARD_H

#include "base/base.h"
#include "base/status.h"

/* What anything may take of a CPU without being asked for with `!`. */
#define RATE_GUARD_PCT 10

/* Of events that come so often, and take so long each. */
double rate_guard__pct(u64 per_second, u64 cost_ns);
/* 0, or -EINVAL with st when they would take more than RATE_GUARD_PCT. what: that they are of; how:
 * what to do to have it all the same. */
int rate_guard__check(const char *what, const char *events, u64 per_second, u64 cost_ns,
		      const char *how, struct status *st);

/* While it runs: how many events came in the last second or more; all 0 to begin with. */
struct rate_watch {
	u64 since_ns, count, per_second;
};
/* count: of all events so far. True when per_second is new. */
bool rate_watch__look(struct rate_watch *w, u64 now_ns, u64 count);

/* Puts programs on a function of proftop's own, of which it is given the file and the offset; 0 or -errno. */
typedef int (*rate_guard_attach)(void *ctx, const char *path, u64 offset);

/* How long a call takes on this machine that a probe's programs see. 0: it could not be measured. The kernel steps
 * over most instructions, which is a second trap. */
u64 rate_guard__cost(rate_guard_attach attach, void (*detach)(void *ctx), void *ctx);
/* Of functions that begin with an instruction that it emulates, where it does any: a push, on x86. */
u64 rate_guard__cost_of_push(rate_guard_attach attach, void (*detach)(void *ctx), void *ctx);

#endif
