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
	u64 start_ns; /* of the process; 0 not known */
	u32 tgid, tid, cpu, comm, host;
	u32 stack; /* position in stacks, or NO_STACK */
	u32 process; /* its name, in comms; 0 not known. No part of the key */
	bool ended;  /* its process has; no part of the key */
	u64 now_count, total_count;
	double now_weight, total_weight, decay_count, decay_weight;
	float trend[TREND_LEN]; /* oldest first, up to the last tick */
};

#define PROFILE_MAX_ENDS 65536

struct process_end {
	u32 tgid, host;
	u64 t_ns;
};

struct model {
	struct stacks stacks;
	struct live *live;
	u32 nlive, live_cap, most; /* at most so many */
	struct hidx live_index;
	char (*comms)[COMM_LEN]; /* [0] stands for all that did not fit */
	u32 ncomms, comms_cap;
	struct hidx comm_index;
	struct window_clock clock;
	struct process_end *ends; /* of the interval; more than PROFILE_MAX_ENDS are not noted */
	u32 nends, ends_cap;
	struct hidx end_index;
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
