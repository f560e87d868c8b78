/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the profile model: its live state, shared by consume and tick (profile.c) and the
 * folding of cold entries (profile_compact.c). Collector thread only.
 */
#ifndef MODELS_PROFILE_MODEL_H
#define MODELS_PROFILE_MODEL_H

#include "base/hidx.h"
#include "models/model.h"
#include "models/profile.h"
#include "samples/sample.h"

#define PROFILE_MAX_COMMS 16384

/* One key: what the snapshot's entry is made of. */
struct live {
	u64 cgroup;
	u32 tgid, tid, cpu, comm;
	u32 stack; /* position in stacks, or NO_STACK */
	u64 now_count, total_count;
	double now_weight, total_weight, decay_count, decay_weight;
	float trend[PROFILE_TREND]; /* oldest first, up to the last tick */
};

struct model {
	struct symbols *symbols;
	struct stacks stacks;
	struct live *live;
	u32 nlive, live_cap;
	struct hidx live_index;
	char (*comms)[COMM_LEN]; /* [0] stands for all that did not fit */
	u32 ncomms, comms_cap;
	struct hidx comm_index;
	struct window_clock clock;
};

/* The entry of a key, added with zeros when it is new; key's numbers are ignored. Valid until
 * the next call. */
struct live *profile__entry(struct model *m, const struct live *key);
u32 profile__comm(struct model *m, const char *comm);

/* What keeps positions of stacks: the entries. */
struct stacks_user profile__stacks_user(struct model *m);
/* Makes room for entries, names and stacks; positions of all of them change. */
void profile__compact(struct model *m);

#endif
