/* SPDX-License-Identifier: GPL-2.0-only */
/* Tallies: how much of a few things each process did, per window, and rows of it. */
#ifndef MODELS_TALLIES_H
#define MODELS_TALLIES_H

#include "base/arena.h"
#include "base/hidx.h"
#include "models/profile.h" /* enum time_window */

#define TALLY_COUNTS 4
#define TALLY_OTHERS UINT32_MAX /* tgid of what is no single process's */

struct tally {
	/* Key fields: entries that differ in any are separate. cpu: 0 where it is of no matter. */
	u32 cpu, tgid;
	u64 cgroup;
	char comm[COMM_LEN];
	/* As told last. */
	u32 tid;
	bool kthread;
	u64 n[WINDOWS][TALLY_COUNTS];
};

/* --- rows: pure --- */

enum tally_group { TALLY_BY_PID, TALLY_BY_COMM, TALLY_BY_CGROUP, TALLY_BY_CPU, TALLY_GROUPS };
extern const char *const tally_group_names[TALLY_GROUPS];

struct tally_row {
	u64 key;
	const char *name;
	const struct tally *most; /* the member that did most */
	u32 pid;		  /* 0: no single process */
	const char *pid_text, *cpu_text, *cgroup_name;
	u64 n[TALLY_COUNTS];
};

/* Of a window, `count` counts from `first` on are looked at; rows have them from 0 on. */
struct tally_rows {
	enum tally_group group;
	enum time_window window;
	u32 first, count;
	u32 rank; /* of those: by which rows are sorted, descending; then by the one before it */
	struct arena *arena;
	struct tally_row *rows;
	u32 n;
	u64 sum[TALLY_COUNTS]; /* of all rows */
	struct hidx index;
};

/* So many tallies follow at most. */
void tally_rows__begin(struct tally_rows *r, u32 max);
void tally_rows__add(struct tally_rows *r, const struct tally *t);
/* Names and sorts the rows; they are the arena's. */
void tally_rows__end(struct tally_rows *r);

#endif
