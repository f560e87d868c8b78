/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks: what the hashes that sources give to stacks stand for, as locs. Each model that
 * has stacks owns one such table; snapshots share its memory.
 *
 * Collector thread only, except for stack_store__put and for reading the stacks themselves.
 */
#ifndef MODELS_STACKS_H
#define MODELS_STACKS_H

#include <stdatomic.h>

#include "base/hidx.h"
#include "samples/sample.h"
#include "symbols/symbols.h"

/* Frames kept of one stack, the leaf's side; a longer one is marked cut. */
#define STACKS_MAX_FRAMES STACK_LOCS
/* Sources may rely on the last stacks__definitions() definitions of stacks being known; what they
 * defined before that they define again, or its samples have no stack. So many they are, and for each
 * CPU where memory is little. */
#define STACKS_DEFINITIONS     262144
#define STACKS_CPU_DEFINITIONS 4096
#define STACKS_LEAST	       8192 /* of what a source's programs know in little memory */
u32 stacks__definitions(void);
/* Memory for stacks in use; making room begins above it. */
#define STACKS_BYTES ((size_t)64 << 20)

#define NO_STACK UINT32_MAX

/* Frames as loc ids: kernel frames first, then user frames, each leaf first. One without
 * frames is the same as none. */
struct callstack {
	u16 nkernel, nuser;
	bool cut;    /* the outermost frames are missing */
	bool whole;  /* the last user frame is the outermost one; else its name may tell */
	bool folded; /* only the leaf was kept, to stay within the memory bound */
	u32 locs[];
};

/*
 * The memory of stacks: written by the model only, kept by every snapshot that points into
 * it. Making room leaves the old one to its snapshots.
 */
struct stack_store {
	atomic_uint refs;
	struct arena arena;
};

struct stack_store *stack_store__new(void); /* one reference */
struct stack_store *stack_store__get(struct stack_store *s);
void stack_store__put(struct stack_store *s); /* any thread; NULL is fine */
/* A reference that goes with a snapshot (models/snap_box.h). */
void stack_store__hold(struct stack_store *s, void *snap);

struct stack_slot;

/* Distinct stacks by content; positions are stable until room is made. */
struct stacks {
	struct stack_store *store;
	const struct callstack **items;
	u32 n, cap;
	struct hidx index;

	struct symbols *symbols;
	struct stack_slot *slots; /* what a source's hash names */
	u32 nslots, slots_cap;
	struct hidx slot_index;
	u32 *epochs;	 /* by process: rises when it maps code */
	u32 definitions; /* counts them, wraps around */
	u32 relied_on;	 /* stacks__definitions() */
	u64 trimmed_ns;	 /* when room was made last */
};

void stacks__init(struct stacks *s, struct symbols *symbols);
void stacks__fini(struct stacks *s);
size_t stacks__bytes(const struct stacks *s);

/* The locs of n frames from the leaf on, n STACKS_MAX_FRAMES at most. */
void stack_def__locate(const struct stack_def *d, u32 n, struct symbols *symbols, u32 *locs);
/* The position of a stack with these frames, added when it is new. */
u32 stacks__intern(struct stacks *s, const struct callstack *head, const u32 *locs);
/* The stack at a position; NULL of NO_STACK. Valid while a reference to the store is held. */
static inline const struct callstack *stacks__at(const struct stacks *s, u32 pos)
{
	return pos == NO_STACK ? NULL : s->items[pos];
}
/* The position of what a source's hash means in a process; NO_STACK: 0 or not known. */
u32 stacks__find(const struct stacks *s, u64 hash, u32 tgid);

/* Who holds positions: called to make room, within stacks__consume and stacks__rebuild. */
struct stacks_user {
	void *ctx;
	/* Replaces each position in `from` that is held by what stacks__move gives. */
	void (*move)(void *ctx, struct stacks *to, const struct stacks *from);
	/* Optional. The stacks in use are of absurd size: hold smaller or fewer ones. */
	void (*shed)(void *ctx);
};

static inline u32 stacks__move(struct stacks *to, const struct stacks *from, u32 pos)
{
	return pos == NO_STACK ? pos : stacks__intern(to, from->items[pos], from->items[pos]->locs);
}

/* Takes SAMPLE_STACK_DEF and SAMPLE_PROC, ignores other types. */
void stacks__consume(struct stacks *s, const struct sample *sample, const struct stacks_user *u);
/* Drops the stacks that neither the user has nor a known hash names. */
void stacks__rebuild(struct stacks *s, const struct stacks_user *u);

#endif
