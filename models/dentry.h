/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dentry: names that processes look up, and how many are not there; the model behind the dentry
 * pane of `cache`, apart from it as its source is costly. Takes SAMPLE_DENTRY and
 * SAMPLE_DENTRY_STATE of core/cache.h.
 *
 * Memory is bounded: of DENTRY_MAX_ROWS processes those that looked up least lately are summed
 * up as "[others]". Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_DENTRY_H
#define MODELS_DENTRY_H

#include "core/cache.h"
#include "core/scope.h"
#include "models/answer.h"
#include "models/profile.h" /* enum profile_window */

#define DENTRY_MAX_ROWS 8192
#define DENTRY_MERGED	UINT32_MAX /* tgid of "[others]" */

struct model_ops;
extern const struct model_ops model_dentry;

enum dentry_count { DENTRY_LOOKUPS, DENTRY_NEGATIVE, DENTRY_SLOW, DENTRY_COUNTS };

struct dentry_use {
	u32 tgid;
	bool kthread;
	u64 cgroup;
	char comm[COMM_LEN];
	u64 n[WINDOWS][DENTRY_COUNTS];
};

struct dentry_snap {
	struct snap base;
	u64 since_ns;
	u64 window_ns[WINDOWS];
	u32 nuses;
	const struct dentry_use *uses;
	bool slow_known; /* false: DENTRY_SLOW is 0 everywhere */
	bool state_known;
	struct dentry_state_sample state; /* the newest one */
};

enum dentry_group { DENTRY_BY_PID, DENTRY_BY_COMM, DENTRY_BY_CGROUP, DENTRY_GROUPS };
extern const char *const dentry_group_names[DENTRY_GROUPS];

/* A value; zero it first. */
struct dentry_query {
	enum dentry_group group;
	enum profile_window window;
};

struct dentry_row {
	u64 key;
	const char *name;
	const struct dentry_use *use; /* the member that looks up most */
	const char *pid_text, *cgroup_name;
	u64 n[DENTRY_COUNTS];
};

struct dentry_answer {
	struct answer base; /* rows by lookups, descending */
	struct dentry_query query;
	u32 nrows;
	const struct dentry_row *rows;
	u64 n[DENTRY_COUNTS]; /* of all rows */
	u64 window_ns;
	bool slow_known;
};

/* Never NULL; scope may be NULL (everything). */
struct dentry_answer *dentry__query(const struct dentry_snap *snap, const struct dentry_query *q,
				    const struct scope *scope);

extern const struct column dentry_columns[];
extern const u32 dentry_ncolumns;

#endif
