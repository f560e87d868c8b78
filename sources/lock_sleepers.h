/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where threads sleep that wait for locks, and those that have what they wait for: the visit of
 * threads reports their registers, and their stacks are copied and walked while they lie still. Of
 * the collector's thread.
 */
#ifndef SOURCES_LOCK_SLEEPERS_H
#define SOURCES_LOCK_SLEEPERS_H

#include "base/hidx.h"
#include "bpf/locks.h"
#include "samples/sample.h"
#include "samples/walk.h"

struct sleeper_seen {
	u32 tid;
	bool goes_on; /* seen in this interval */
	u64 begin_ns; /* of its wait */
	u64 stack;    /* hash; 0: it could not be walked */
};

/* Zeroed, but for the first two, which the caller sets. */
struct lock_sleepers {
	const struct stack_walker *walker; /* NULL: there are no stacks */
	int wanted_fd;			   /* the map of threads whose registers are wanted */
	u64 wanted[2]
		  [HOLDERS_WANTED]; /* of the last interval, and of this one: as the map has them */
	u32 nwanted[2];
	struct sleeper_seen
		held_at[HOLDERS_WANTED]; /* where holders sleep, by a hash of their tid */
	struct sleeper_seen *waiters;	 /* of waits that go on */
	u32 nwaiters, waiters_cap;
	struct hidx by_waiter; /* by tid */
};

void lock_sleepers__fini(struct lock_sleepers *s);

/* An interval ends: what was not seen or wanted in it is forgotten. */
void lock_sleepers__tick(struct lock_sleepers *s);

/* RECORD_HOLDER and RECORD_WAITER; the sink has the stack then. */
void lock_sleepers__take_holder(struct lock_sleepers *s, const struct sleeper_record *r,
				const struct sample_sink *sink);
void lock_sleepers__take_waiter(struct lock_sleepers *s, const struct sleeper_record *r,
				const struct sample_sink *sink);

/* Has the registers of a thread reported that has what others wait for, while it is asked for in
 * each interval. */
void lock_sleepers__want(struct lock_sleepers *s, u32 tgid, u32 tid);

/* The hash of the stack; 0: not known. Of a holder, and of who waits since begin_ns. */
u64 lock_sleepers__held_at(const struct lock_sleepers *s, u32 tid);
u64 lock_sleepers__where(struct lock_sleepers *s, u32 tid, u64 begin_ns);

#endif
