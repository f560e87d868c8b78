/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the profile model: its live state, shared by consume and tick (profile.c), the
 * stacks (profile_stacks.c) and the folding of cold entries (profile_compact.c). Collector
 * thread only, except for stack_store__put.
 */
#ifndef MODELS_PROFILE_MODEL_H
#define MODELS_PROFILE_MODEL_H

#include "core/hidx.h"
#include "core/sample.h"
#include "models/model.h"
#include "models/profile.h"

/* Memory for stacks in use, and how many hashes are known to name one. */
#define PROFILE_STACK_BYTES ((size_t)64 << 20)
#define PROFILE_MAX_SLOTS   (2 * PROFILE_DEFINITIONS)
#define PROFILE_MAX_COMMS   16384
/* Address space generations: processes share one by hash, which only costs a look-up more. */
#define PROFILE_EPOCHS 4096

#define NO_STACK UINT32_MAX

/*
 * The memory of stacks: written by the model only, kept by every snapshot that points into
 * it. Rebuilding leaves the old one to its snapshots.
 */
struct stack_store {
	atomic_uint refs;
	struct arena arena;
};

struct stack_store *stack_store__get(struct stack_store *s);
void stack_store__put(struct stack_store *s); /* any thread */

/* Distinct stacks by content; positions are stable until a rebuild. */
struct stacks {
	struct stack_store *store;
	const struct profile_stack **items;
	u32 n, cap;
	struct hidx index;
};

void stacks__init(struct stacks *s);
void stacks__fini(struct stacks *s);
/* The position of a stack with these frames, added when it is new. */
u32 stacks__intern(struct stacks *s, const struct profile_stack *head, const u32 *locs);
static inline u32 stacks__copy(struct stacks *to, const struct profile_stack *s)
{
	return stacks__intern(to, s, s->locs);
}

/* What a hash of the source names. */
struct stack_slot {
	u64 hash;
	u32 tgid;    /* whose addresses; 0 kernel frames or names only */
	u32 epoch;   /* of its address space when it was located */
	u32 stack;   /* position in stacks */
	u32 defined; /* model.definitions when it was last defined */
};

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
	struct stack_slot *slots;
	u32 nslots, slots_cap;
	struct hidx slot_index;
	struct live *live;
	u32 nlive, live_cap;
	struct hidx live_index;
	char (*comms)[COMM_LEN]; /* [0] stands for all that did not fit */
	u32 ncomms, comms_cap;
	struct hidx comm_index;
	u32 *epochs;	 /* PROFILE_EPOCHS */
	u32 definitions; /* counts them, wraps around */
	bool begun;	 /* since_ns holds; else the next tick's begin is it */
	u64 since_ns;
};

/* Grows a malloc'ed array of size-byte items so that one more fits. */
void *profile__room(void *items, u32 n, u32 *cap, size_t size);
/* The entry of a key, added with zeros when it is new; key's numbers are ignored. Valid until
 * the next call. */
struct live *profile__entry(struct model *m, const struct live *key);
u32 profile__comm(struct model *m, const char *comm);

/* Makes room for entries, names and stacks; positions of all of them change. */
void profile__compact(struct model *m);
/* Makes room for stacks and hashes; positions of stacks and slots change. */
void profile__trim_stacks(struct model *m);

#endif
