/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU does (samples/percpu.h), per window: a row a CPU. Queries are pure functions over a const
 * snapshot. */
#ifndef MODELS_PERCPU_H
#define MODELS_PERCPU_H

#include "models/window_snap.h"
#include "models/profile.h" /* enum time_window */
#include "samples/percpu.h"
#include "scope/scope.h"

#define PERCPU_MAX_CPUS 8192

struct model_ops;
extern const struct model_ops model_percpu;

struct percpu_entry {
	u32 cpu;
	u64 known; /* bits of enum percpu_figure */
	u64 n[WINDOWS][PERCPU_FIGURES];
};

struct percpu_snap {
	WINDOW_SNAP;
	u32 n;
	const struct percpu_entry *cpus;
};

/* A value; zero it first. */
struct percpu_query {
	enum time_window window;
};

struct percpu_cpu {
	u64 key;
	u32 cpu;
	const char *name;
	u64 n[PERCPU_FIGURES];
	u8 known[PERCPU_FIGURES];
	u64 all_ns; /* of all times */
};

struct percpu_result {
	struct query_result base; /* rows by CPU */
	struct percpu_query query;
	u32 nrows;
	const struct percpu_cpu *rows;
	u64 n[PERCPU_FIGURES];
};

/* Never NULL; of the scope CPUs count alone. */
struct percpu_result *percpu__query(const struct percpu_snap *snap, const struct percpu_query *q,
				    const struct scope *scope);

#endif
