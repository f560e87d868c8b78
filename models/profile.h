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

#include "base/table.h"
#include "models/stacks.h"
#include "models/window_snap.h"
#include "samples/snap.h"
#include "scope/scope.h"
#include "symbols/symbols.h"

#define PROFILE_MAX_ENTRIES 65536
#define PROFILE_CPU_ENTRIES 2048 /* for each CPU, where memory is little */
/* tgid, tid or cpu of cold entries that were merged across tasks. */
#define PROFILE_MERGED UINT32_MAX

struct model_ops;
extern const struct model_ops model_profile;

struct profile_entry {
	const struct callstack *stack; /* NULL: no stack */
	u64 cgroup;
	u32 tgid, tid, cpu;
	u32 host; /* base/hosts.h */
	u32 comm; /* index into profile_snap.comms */
	u32 process;		/* its process's name, likewise; 0: not known */
	bool ended;		/* its process has */
	u64 start_ns;		/* of its process; 0: not known */
	u64 count[WINDOWS];	/* samples; the decaying one is rounded */
	double weight[WINDOWS]; /* periods */
	/* Weight per second of each interval, oldest first: intervals of uneven length compare. */
	float trend[TREND_LEN];
};

struct profile_snap {
	WINDOW_SNAP;
	u32 nentries;
	const struct profile_entry *entries;
	const char (*comms)[COMM_LEN];
	u32 ncomms;
	u64 folded_count; /* samples in WINDOW_TOTAL whose chain was folded away */
};

enum profile_group {
	GROUP_SYMBOL, GROUP_OBJECT, GROUP_COMM, GROUP_PID, GROUP_TID, GROUP_CGROUP, GROUP_CPU,
	GROUP_HOST, /* where there are several */
	GROUPS
};
extern const char *const profile_group_names[GROUPS]; /* "symbol" ... as in --group */

#define GROUP_BIT(g) (1u << (g))
/* What of a frame, and what of a task, rows may be grouped by. */
#define GROUPS_CODE  (GROUP_BIT(GROUP_SYMBOL) | GROUP_BIT(GROUP_OBJECT))
#define GROUPS_TASK  ((GROUP_BIT(GROUPS) - 1) & ~GROUPS_CODE)
#define GROUPS_TEXT  56 /* bytes of the longest profile_groups__text with its NUL */

/* Rows by these are of one host each. */
#define GROUPS_OF_HOST                                                                             \
	(GROUP_BIT(GROUP_HOST) | GROUP_BIT(GROUP_PID) | GROUP_BIT(GROUP_TID) |                     \
	 GROUP_BIT(GROUP_CGROUP) | GROUP_BIT(GROUP_CPU))

/* "comm+symbol": the task's parts first, then the code's; a set has just one text. */
const char *profile_groups__text(u32 groups, char *buf, size_t size);

/* Rows by code and task at once: beyond so many, functions without own samples get none. */
#define PROFILE_MAX_PAIRS 32768

/*
 * A value; compared bytewise (zero it first) to see whether a result still fits.
 *
 * Which samples count: all but those whose leaf is a kernel frame without `kernel`, and
 * those whose leaf is a user frame without `user`; then chains stop at the kernel's
 * boundary. Samples without a stack always count, in the row "[no stack]".
 *
 * Scope terms on names: sym~X keeps the samples that have a frame X, !sym~X drops those
 * whose leaf is X and hides the rows of X; obj~ alike with the frame's object. A function
 * that is not resolved yet matches no sym~.
 */
struct profile_query {
	/*
	 * GROUP_BIT of each key, not empty: samples that agree in all of them share a row. With
	 * GROUP_SYMBOL rows are functions (which have one object), else with GROUP_OBJECT
	 * objects, of each combination of the task's keys; else the tasks themselves. A tid
	 * goes with its tgid.
	 */
	u32 groups;
	enum time_window window;
	bool user, kernel;  /* which frames count; both true normally */
	/*
	 * Chains. False, callers: below a symbol, who called its outermost occurrence, on to the
	 * root; below an object, its leafmost frame and the callers of that; else leaf to root.
	 * True, callees: below a symbol, what its innermost occurrence called, down to the leaf;
	 * below an object, its outermost frame and down; else root to leaf.
	 */
	bool callee_first;
	bool inlined;	    /* split functions inlined at a sampled address into rows of their own */
	u32 focus;	    /* butterfly: func id; 0 none */
	u32 nunfolded;
	u64 unfolded[RESULT_MAX_UNFOLDED]; /* row keys whose chains are wanted */
};

struct profile_row {
	u64 key;
	u32 func;   /* by symbol; 0 otherwise */
	u32 object; /* by symbol or object; 0 otherwise */
	u32 tgid, tid, cpu; /* by tid: its tgid too */
	const char *host; /* of several, by host and by what is one host's; else NULL */
	u64 cgroup;
	/* What the key column shows: symbol, else object, else comm or ids, cgroup or cpu. */
	const char *name;
	const char *object_name; /* "" when it does not apply */
	const char *comm;	 /* by comm, pid and tid; else "" */
	const char *cgroup_name; /* by cgroup, else "" */
	/* Right-aligned, NULL: not by these. By tid: pid_text too. */
	const char *pid_text, *tid_text, *cpu_text;
	bool ended;	    /* by pid and tid: the process has ended */
	u32 starts;	    /* by pid: so many of one name that have ended; 0: a single one */
	const char *cmdline; /* by pid and tid: how it was started; NULL not known */
	const char *thread_name; /* by tid: what the runtime calls it; NULL: nothing else */
	const char *kind;   /* "user" "kernel" "inlined" "jit" "vdso" "bpf" "unknown" "mixed" */
	/* By symbol or object: the process with the most of its own samples, and its share of them;
	 * NULL, 0: not known, as where there are none. */
	const char *most_text, *most_comm, *most_cmdline;
	u32 most_pid;
	double most_pct;
	u64 self_count, total_count;
	double self_pct, total_pct; /* of the weight in the window, after the scope's filter */
	float trend[TREND_LEN];
};

/*
 * Callers and callees of profile_query.focus, heaviest first. A recursive focus counts once
 * per stack: its outermost occurrence has the caller, its innermost the callee. Callers sum
 * to the focus' total ("[no caller]" with func 0 for the root), callees and self likewise.
 */
struct butterfly_row {
	u32 func;
	const char *name, *object_name;
	double pct; /* of the whole window */
	double share; /* of the focus */
	u64 count;
};

/*
 * Rows with their chains as trees. The children of a node come heaviest first. Where a node
 * has children they sum to it exactly: "[others]" stands for those below 0.05 % of the window
 * (or 0.5 % of a small row) that are not among the first three, and for those beyond the
 * bounds of a tree; "[no caller]" and "[self]" for what ends there, "[chain not kept]" for
 * stacks that were folded. These have func 0.
 */
struct profile_rows {
	struct query_result base; /* columns as the cpu view has them; rows by self, descending */
	struct profile_query query;
	const char *grouping; /* profile_groups__text of the query's groups */
	bool rows_left_out;   /* PROFILE_MAX_PAIRS was reached */
	u64 count; /* samples in the window after filtering */
	u64 entries_seen; /* entries they came from */
	double weight;
	double truncated_pct; /* of the weight with user frames: stacks that end too early */
	double pending_pct;   /* weight whose leaf function is not resolved yet */
	u32 nrows;
	const struct profile_row *rows;
	/* butterfly of query.focus */
	double focus_self_pct, focus_total_pct;
	u64 focus_self, focus_total;
	u32 ncallers, ncallees;
	const struct butterfly_row *callers, *callees;
};

/* Never NULL; scope may be NULL (everything). Caller frees with profile_rows__free.
 * cgroup names come from base/cgroup.h. */
struct profile_rows *profile__query(const struct profile_snap *snap, const struct profile_query *q,
				    const struct scope *scope);
static inline void profile_rows__free(struct profile_rows *r)
{
	query_result__free((struct query_result *)r);
}

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

#endif
