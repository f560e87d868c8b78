/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dentry: names that processes look up, and how many are not there; the model behind the dentry
 * pane of `cache`, apart from it as its source is costly. Takes SAMPLE_DENTRY and
 * SAMPLE_DENTRY_STATE of samples/cache.h.
 *
 * Memory is bounded: of DENTRY_MAX_ROWS processes those that looked up least lately are summed
 * up as "[others]". Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_DENTRY_H
#define MODELS_DENTRY_H

#include "models/answer.h"
#include "models/tallies.h"
#include "samples/cache.h"
#include "scope/scope.h"

#define DENTRY_MAX_ROWS 8192

struct model_ops;
extern const struct model_ops model_dentry;

/* What tallies count. */
enum dentry_count { DENTRY_LOOKUPS, DENTRY_NEGATIVE, DENTRY_SLOW, DENTRY_COUNTS };

struct dentry_snap {
	struct snap base;
	u64 since_ns;
	u64 window_ns[WINDOWS];
	u32 nuses;
	const struct tally *uses;
	bool slow_known; /* false: DENTRY_SLOW is 0 everywhere */
	bool state_known;
	struct dentry_state_sample state; /* the newest one */
};

/* Rows are by all that tallies go by but the CPU. */
#define DENTRY_GROUPS TALLY_BY_CPU

/* A value; zero it first. */
struct dentry_query {
	enum tally_group group; /* below DENTRY_GROUPS */
	enum profile_window window;
};

struct dentry_answer {
	struct answer base; /* rows by lookups, descending */
	struct dentry_query query;
	u32 nrows;
	const struct tally_row *rows;
	u64 n[TALLY_COUNTS]; /* of all rows */
	u64 window_ns;
	bool slow_known;
};

/* Never NULL; scope may be NULL (everything). */
struct dentry_answer *dentry__query(const struct dentry_snap *snap, const struct dentry_query *q,
				    const struct scope *scope);

#endif
