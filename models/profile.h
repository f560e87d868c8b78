/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Profile: weighted stacks by task, the model behind `cpu` and whatever else counts stacks.
 *
 * The model keeps, per (tgid, tid, cpu, cgroup, comm, stack), the weight of the last
 * interval, a decaying sum and the sum since start, and a short history for trends. Memory
 * is bounded: at PROFILE_MAX_ENTRIES the coldest entries are folded to their leaf frame (the
 * self numbers stay exact; the share whose chain was folded is in the snapshot).
 *
 * Queries are pure functions over a const snapshot; any thread (in the program: the query
 * worker), so regrouping works while paused, on history and on recordings alike.
 */
#ifndef MODELS_PROFILE_H
#define MODELS_PROFILE_H

#include "core/scope.h"
#include "core/snap.h"
#include "core/table.h"
#include "symbols/symbols.h"

#define PROFILE_MAX_ENTRIES 65536
#define PROFILE_TREND	    16 /* intervals in a trend */
/* Decay per interval of the decaying window: half-life about 5 s at any delay. */
#define PROFILE_HALF_LIFE_S 5.0

enum profile_window { WINDOW_LAST, WINDOW_DECAY, WINDOW_TOTAL, WINDOWS };

/* Frames as loc ids: kernel frames first, then user frames, each leaf first. */
struct profile_stack {
	u16 nkernel, nuser;
	bool cut, folded;
	u32 locs[];
};

struct profile_entry {
	const struct profile_stack *stack; /* NULL: no stack */
	u64 cgroup;
	u32 tgid, tid, cpu;
	u32 comm; /* index into profile_snap.comms */
	u64 count[WINDOWS];	/* samples; the decaying one is rounded */
	double weight[WINDOWS]; /* periods */
	float trend[PROFILE_TREND]; /* weight per interval, oldest first */
};

struct profile_snap {
	struct snap base;
	const struct symbols *symbols;
	u64 since_ns; /* start or last zero: where WINDOW_TOTAL begins */
	u32 nentries;
	const struct profile_entry *entries;
	const char (*comms)[COMM_LEN];
	u32 ncomms;
	u64 folded_count; /* samples in WINDOW_TOTAL whose chain was folded away */
};

enum profile_group {
	GROUP_SYMBOL, GROUP_OBJECT, GROUP_COMM, GROUP_PID, GROUP_TID, GROUP_CGROUP, GROUP_CPU,
	GROUPS
};
extern const char *const profile_group_names[GROUPS]; /* "symbol" ... as in --group */

#define PROFILE_MAX_UNFOLDED 64

/* A value; compared bytewise (zero it first) to see whether a result still fits. */
struct profile_query {
	enum profile_group group;
	enum profile_window window;
	bool user, kernel;  /* which frames count; both true normally */
	bool callee_first;  /* chains: false = callers of the row (leaf to root) */
	bool inlined;	    /* split functions inlined at a sampled address into rows of their own */
	u32 focus;	    /* butterfly: func id; 0 none */
	u32 nunfolded;
	u64 unfolded[PROFILE_MAX_UNFOLDED]; /* row keys whose chains are wanted */
};

/* A node of a call chain below a row; children are contiguous siblings by index. */
struct chain_node {
	u32 func;
	u32 depth;
	u32 parent; /* node index, UINT32_MAX at the top */
	u32 nchildren;
	u64 key; /* stable: hash of the path from the row */
	u64 count;
	double pct; /* of the whole window */
	bool inlined;
};

struct profile_row {
	u64 key;
	u32 func;   /* by symbol; 0 otherwise */
	u32 object; /* by symbol and object */
	u32 tgid, tid, cpu;
	u64 cgroup;
	const char *name;   /* the grouped thing's text */
	const char *object_name; /* "" when it does not apply */
	const char *comm;
	const char *kind;   /* "user" "kernel" "inlined" "jit" "vdso" "bpf" "unknown" "mixed" */
	u64 self_count, total_count;
	double self_pct, total_pct; /* of the weight in the window, after the scope's filter */
	float trend[PROFILE_TREND];
	u32 first_node, nnodes; /* its chain in profile_rows.nodes, depth first */
};

/* Callers and callees of profile_query.focus, heaviest first. */
struct butterfly_row {
	u32 func;
	double pct; /* of the whole window */
	double share; /* of the focus */
	u64 count;
};

struct profile_rows {
	struct row_table table; /* columns as the cpu view has them; rows in default order */
	struct profile_query query;
	const struct profile_snap *snap; /* holds a reference */
	u64 symbols_generation;		 /* what was resolved when it was made */
	u64 count, entries_seen; /* samples in the window after filtering */
	double weight;
	double truncated_pct; /* user stacks that end before an outermost function */
	double pending_pct;   /* weight whose leaf function is not resolved yet */
	u32 nrows;
	const struct profile_row *rows; /* by self, descending */
	u32 nnodes;
	const struct chain_node *nodes;
	/* butterfly of query.focus */
	double focus_self_pct, focus_total_pct;
	u64 focus_self, focus_total;
	u32 ncallers, ncallees;
	const struct butterfly_row *callers, *callees;
};

/* Never NULL; scope may be NULL (everything). Caller frees with profile_rows__free.
 * cgroup names come from core/cgroup.h. */
struct profile_rows *profile__query(const struct profile_snap *snap, const struct profile_query *q,
				    const struct scope *scope);
void profile_rows__free(struct profile_rows *r);

/* Weight per offset of one function, for annotation. offsets sorted; caller frees both. */
struct offset_weight {
	u64 offset; /* in the object */
	u64 count;
	double pct; /* of the function's own self weight */
};
u32 profile__offsets(const struct profile_snap *snap, const struct profile_query *q,
		     const struct scope *scope, u32 func, struct offset_weight **out);

/* Calls fn once per distinct folded stack (root first, ';' between, the comm first) with its
 * weight in samples. Text is valid during the call. */
void profile__folded(const struct profile_snap *snap, const struct profile_query *q,
		     const struct scope *scope,
		     void (*fn)(void *ctx, const char *stack, u64 samples), void *ctx);

extern const struct column profile_columns[];
extern const u32 profile_ncolumns;

#endif
