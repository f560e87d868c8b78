/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs of the machine and their maps. Takes SAMPLE_BPF_PROG, SAMPLE_BPF_MAP and
 * SAMPLE_BPF_STATE of samples/bpf_progs.h.
 *
 * Memory is bounded: of BPF_MAX_PROGS programs those that are gone are summed up as "[gone]", the
 * coldest first. Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_BPF_H
#define MODELS_BPF_H

#include "models/query_result.h"
#include "models/profile.h" /* enum time_window */
#include "samples/bpf_progs.h"
#include "scope/scope.h"

#define BPF_MAX_PROGS 8192
#define BPF_MAX_MAPS  32768 /* a map counts for each program that uses it */

struct model_ops;
extern const struct model_ops model_bpf;

enum bpf_count { BPF_RUNS, BPF_RUN_NS, BPF_MISSES, BPF_COUNTS };

struct bpf_entry {
	struct bpf_prog_sample s; /* the last one of it; id 0: "[gone]" */
	bool gone;		  /* it is not loaded any more */
	u64 n[WINDOWS][BPF_COUNTS];
	float trend[TREND_LEN]; /* CPU %, oldest first */
};

struct bpf_snap {
	struct snap base;
	u64 since_ns;
	u64 window_ns[WINDOWS];
	u32 nprogs, nmaps;
	const struct bpf_entry *progs;
	const struct bpf_map_sample *maps; /* by program */
	struct bpf_state_sample state;
};

/* By what rows are; in their order in --group. */
enum bpf_group { BPF_BY_PROGRAM, BPF_BY_TYPE, BPF_BY_COMM, BPF_BY_PID, BPF_GROUPS };
extern const char *const bpf_group_names[BPF_GROUPS];

/* A value; zero it first. */
struct bpf_query {
	enum bpf_group group;
	enum time_window window;
	char type[32]; /* programs of this one; "" all */
};

struct bpf_row {
	u64 key;
	const struct bpf_entry *first; /* of the row's programs; the only one by program */
	const char *id_text, *pid_text, *owners;
	u64 n[BPF_COUNTS];
	float trend[TREND_LEN];
	u32 nprogs, nown;
	bool gone; /* all of them */
	u32 nmaps;
	u64 map_bytes;
	double fill_pct; /* of the fullest map whose fill is known; negative: of none */
	const char *fullest; /* its name; "" none */
};

struct bpf_result {
	struct query_result base; /* rows by run time, descending */
	struct bpf_query query;
	u32 nrows;
	const struct bpf_row *rows;
	u64 n[BPF_COUNTS], own[BPF_COUNTS]; /* of all rows; of those proftop's */
	u32 nprogs, nown;		    /* that are loaded */
	struct bpf_state_sample state;
};

/* Never NULL; scope may be NULL (everything). A program passes when one of its owners does. */
struct bpf_result *bpf__query(const struct bpf_snap *snap, const struct bpf_query *q,
			      const struct scope *scope);

/* What run times of so long are of one CPU, in %. */
double bpf__cpu_pct(u64 run_ns, u64 window_ns);

/* --- maps --- */

/* A value; zero it first. */
struct bpf_maps_query {
	u32 prog; /* of one program; 0: all maps, each once */
};

struct bpf_map_row {
	const struct bpf_map_sample *map;
	const char *id_text;
	const char *progs; /* names of who uses it; "" nobody */
};

struct bpf_maps_result {
	struct query_result base; /* rows by memory, descending */
	struct bpf_maps_query query;
	u32 nrows;
	const struct bpf_map_row *rows;
	u64 bytes; /* of all rows */
};

/* Never NULL. Filters do not apply: maps have no owners. */
struct bpf_maps_result *bpf_maps__query(const struct bpf_snap *snap,
					const struct bpf_maps_query *q);

/* How full, in %; false: it is not known, or such maps are always full. */
bool bpf_map__fill_pct(const struct bpf_map_sample *m, double *pct);

#endif
