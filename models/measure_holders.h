/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who has what is waited for, and who waits for each other (SAMPLE_MEASURE_HOLDER). Bounded: of
 * HOLDERS_MAX those that were not waited for lately go.
 */
#ifndef MODELS_MEASURE_HOLDERS_H
#define MODELS_MEASURE_HOLDERS_H

#include "models/measure.h"
#include "models/stacks.h"
#include "models/texts.h"
#include "models/windows.h"

#define HOLDERS_MAX 4096
#define WAITING_MAX 4096

/* So long has each to wait for those that wait for each other to be stuck. */
#define DEADLOCK_NS NSEC_PER_SEC

/* --- live; collector thread only --- */

struct live_holder {
	struct measure_text lock;
	u32 tgid, tid;
	char comm[COMM_LEN];
	u32 stack; /* position; NO_STACK */
	u32 open;  /* waits that go on, of this interval */
	u64 now, total;
	double decay;
};

struct live_holders {
	struct live_holder *v;
	u32 n, cap;
	struct hidx index;
	struct measure_waiting *waiting; /* of this interval */
	u32 nwaiting, waiting_cap;
};

/* lock: its text interned. */
void live_holders__add(struct live_holders *h, const struct measure_holder_sample *s,
		       const struct measure_text *lock, u32 stack);
/* Ends an interval: fills the snapshot's holders and who waits. */
void live_holders__snap(struct live_holders *h, const struct window_pace *p, const struct stacks *stacks,
			struct measure_snap *snap, struct arena *arena);
void live_holders__move(struct live_holders *h, struct stacks *to, const struct stacks *from);
void live_holders__retext(struct live_holders *h, struct texts *t);
void live_holders__clear(struct live_holders *h);
void live_holders__fini(struct live_holders *h);

/* --- queries; pure --- */

/* Who kept others waiting for a lock longest; NULL: it is not known. */
const struct measure_holder *measure__holder(const struct measure_snap *s, const struct measure_text *lock,
					     enum profile_window w);
/* Likewise of whatever a thread had. */
const struct measure_holder *measure__holder_of(const struct measure_snap *s, u32 tid,
						enum profile_window w);
/* Threads that wait for each other, each for the next and the last one of a ring for its first, longer
 * than DEADLOCK_NS; a thread that waits for itself is one, too. Fills out; returns how many. */
u32 measure__deadlock(const struct measure_snap *s, const struct scope *scope,
		      const struct measure_waiting **out, u32 max);

#endif
