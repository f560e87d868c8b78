/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subjects that are tallies and nothing else: what processes did of a few things comes in, rows of
 * it by process, name, cgroup or CPU are asked for. Bounded: when there are too many, those that did
 * least lately become their CPU's "[others]", so that sums stay what they were. A subject is a const
 * struct tally_subject for its model and a const struct tally_table for each set of rows.
 */
#ifndef MODELS_TALLY_MODEL_H
#define MODELS_TALLY_MODEL_H

#include "models/fields.h"
#include "models/tallies.h"
#include "models/window_snap.h"
#include "samples/sample.h"
#include "scope/scope.h"

struct model;

struct tally_subject {
	u32 max; /* processes, or processes and CPUs, that are kept apart */
	enum sample_type uses, state; /* what it takes; of `state` the newest is kept */
	size_t state_size;
	void (*take)(const struct sample *s, struct tally *who, u64 n[TALLY_COUNTS]);
};

struct tally_snap {
	WINDOW_SNAP;
	u32 nuses;
	const struct tally *uses;
	const struct sample *state; /* the newest one; NULL: none came */
};

/* A model's functions; its .new calls tally_model__new. */
struct model *tally_model__new(const struct tally_subject *of);
void tally_model__free(struct model *m);
void tally_model__consume(struct model *m, const struct sample *s);
struct snap *tally_model__tick(struct model *m, u64 t0_ns, u64 t1_ns);
void tally_model__zero(struct model *m);
size_t tally_model__memory(const struct model *m);

#define TALLY_MODEL                                                                                \
	.free = tally_model__free, .consume = tally_model__consume, .tick = tally_model__tick,     \
	.zero = tally_model__zero, .memory = tally_model__memory

/* --- rows: pure --- */

struct tally_table {
	u32 first, count; /* counts of these rows */
	u32 rank;	  /* of those: rows are sorted by it, then by the one before it, descending */
	const struct field *fields;
	u32 nfields;
	const char *sort; /* the column of `rank` */
	/* Whether one with counts n, from `first` on, is a row, or part of one. */
	bool (*passes)(const struct tally *u, const u64 *n, const struct scope *scope);
};

/* A value; zero it first. */
struct tally_query {
	const struct tally_table *of;
	enum tally_group group;
	enum time_window window;
};

struct tally_result {
	struct query_result base; /* rows by rank, descending */
	struct tally_query query;
	u32 nrows;
	const struct tally_row *rows; /* counts from the table's first on */
	u64 n[TALLY_COUNTS];	      /* of all rows */
	struct column *columns;
};

/* Never NULL; scope may be NULL (everything). */
struct tally_result *tally__query(const struct tally_snap *snap, const struct tally_query *q,
				  const struct scope *scope);

/* Columns that all tables have. */
#define TALLY_COMM VIA(struct tally_row, most), CHARS_AT(struct tally, comm)
#define TALLY_IDS(pids)                                                                            \
	{TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"),                         \
	 TEXT_AT(struct tally_row, pid_text), .groups = pids}
#define TALLY_CGROUP(pids, cgroups)                                                                \
	{TEXT_COLUMN("cgroup", "Cgroup", 16, 3, COLUMN_BOTH | COLUMN_FLEX,                         \
		     "cgroup v2 of the process, path below its mount point"),                      \
	 TEXT_AT(struct tally_row, cgroup_name), .groups = (pids) | (cgroups), .keys = cgroups}
#define TALLY_PID(pids)                                                                            \
	{COUNT_COLUMN("pid", "pid", 9, 0, COLUMN_EXPORT | COLUMN_ASCENDING, "process id"),         \
	 NUMBER_AT(struct tally_row, pid), UNLESS_0(struct tally_row, pid), .groups = pids}

#endif
