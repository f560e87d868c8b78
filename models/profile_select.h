/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all queries over a profile share: which samples count, and what a frame is called;
 * the latter serves stacks of other models too. One selection serves one query on one thread. What
 * a loc resolves to is looked up once per query, so a query is consistent in itself while the
 * symbol worker goes on.
 */
#ifndef MODELS_PROFILE_SELECT_H
#define MODELS_PROFILE_SELECT_H

#include "models/joined_stacks.h"
#include "base/hidx.h"
#include "models/profile.h"

/*
 * An ident is what a frame is shown as: a function, an object's not yet resolved part, or
 * one of these. Positions in selection.idents.
 */
enum {
	IDENT_NONE,	/* where a path ends */
	IDENT_NO_STACK, /* the one frame of a sample without a stack */
	IDENT_FOLDED,	/* what stands for a chain that was not kept */
	IDENT_RESERVED,
};

struct ident {
	u64 key; /* stable */
	u32 func, object;
	const char *name, *object_name;
	enum code_kind kind, object_kind;
	u32 flags;	  /* enum func_flag */
	bool pending;	  /* stands for locs that have no function yet */
	bool alone;	  /* seen as a function of its own, not only inlined */
	bool hide_symbol; /* a negated term is about it or its object */
	bool hide_object; /* about its object */
	u64 terms;	  /* bit per term of the scope that it matches: sym~, then obj~, then lang= */
};

/* A frame: an ident's position and whether it is inlined into the next frame. */
typedef u32 frame_ref;
#define FRAME_REF(ident, inlined) ((ident) << 1 | (inlined))

static inline u32 frame__ident(frame_ref r)
{
	return r >> 1;
}

static inline bool frame__inlined(frame_ref r)
{
	return r & 1;
}

/* The samples of one distinct stack that passed. */
struct filtered_stack {
	const struct callstack *stack;	   /* NULL: none */
	u32 nlocs;			   /* how many of its frames count, from the leaf */
	u32 leaf;			   /* ident */
	bool passes;
	enum { USER_NONE, USER_WHOLE, USER_TRUNCATED, USER_UNKNOWN } user;
	double weight;
	u64 count;
};

/* A stack that ended early, and what stands for it. */
struct joined_stack {
	const struct callstack *part, *to;
	u32 tgid;
};

/* What ids stand for: 0 unknown yet. By loc a frame_ref, or MEMO_RUN | position in runs. */
struct memo {
	u32 *refs;
	u32 n;
};

struct selection {
	struct arena *arena; /* of the result */
	struct symbols *symbols;
	const struct profile_snap *snap;
	const struct profile_query *query;
	const struct scope *scope; /* NULL everything */
	struct scope tasks;	   /* the part of it about ids: borrowed sets */
	u64 wanted;		   /* the terms of which some frame has to match each */
	u64 negated;
	u8 *comm_passes; /* by comm: 0 unknown yet, 1 no, 2 yes */
	u32 comm_cap;

	struct ident *idents;
	u32 nidents, idents_cap;
	struct hidx ident_index;
	struct memo memo[2];   /* by loc: functions only; with inlined ones */
	struct memo memo_func; /* by func: its ident */
	u32 *runs;	       /* a number n, then n frame_refs */
	u32 nruns, runs_cap;
	frame_ref *frames; /* of selection__expand */
	u32 frames_cap;

	struct filtered_stack *filtered;
	u32 nfiltered, filtered_cap;
	struct joined_stacks wholes; /* of the snapshot, where any ended early */
	struct joined_stack *joined;
	u32 njoined, joined_cap;
	struct hidx joined_index;
	u64 entries; /* with samples in the window, that passed */
	struct hidx hit_index;
};

/* s: zeroed, or used before and not fini'ed: its memory then serves again. */
void selection__init(struct selection *s, struct arena *arena, const struct profile_snap *snap,
		     const struct profile_query *q, const struct scope *scope);
/* The same for stacks of other models: q says which frames count; there are no entries. */
void selection__init_stacks(struct selection *s, struct arena *arena, const struct symbols *symbols,
			    const struct profile_query *q, const struct scope *scope);
/* Whether names of its idents are not known yet. */
bool selection__pending(const struct selection *s);
void selection__fini(struct selection *s);
/* Of the memory that would serve again. */
size_t selection__bytes(const struct selection *s);

/* The hit of an entry's stack, HIDX_NONE when the entry is filtered out. Adds no weight. */
u32 selection__filter(struct selection *s, const struct profile_entry *e);
/* The hit of a stack; its `passes` tells what the scope's terms on names say. */
u32 selection__stack(struct selection *s, const struct callstack *stack);
/* False: the entry has nothing in the window, nor in the trends of rows. Of many short-lived
 * processes that is most of what the model keeps. */
bool selection__matters(const struct selection *s, const struct profile_entry *e);
/* Adds what an entry has in the query's window to its hit; false when that is nothing. */
bool selection__add(struct selection *s, u32 filtered, const struct profile_entry *e);
/* The two above for all entries that have something in the window. */
void selection__gather(struct selection *s);
/* The frames of a hit, leaf first, in s->frames until the next call; returns their number,
 * at least 1. */
u32 selection__expand(struct selection *s, const struct filtered_stack *h, bool inlined);
/* The ident of the first of them. */
u32 selection__leaf(struct selection *s, const struct filtered_stack *h, bool inlined);
/* What tells objects apart: their ids, or their names where code of several machines is there. */
u64 selection__object_key(const struct selection *s, u32 object);
u32 selection__ident(struct selection *s, u32 loc);
/* Looks which terms of the scope an ident matches. */
void selection__match(struct selection *s, struct ident *id);

#endif
