/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sched: how long threads waited for a CPU, how they used it, and where each thread's and
 * CPU's time went; the model behind `sched`. Takes SAMPLE_TASK, SAMPLE_CPU, SAMPLE_DELAY,
 * SAMPLE_SWITCH and SAMPLE_STACK_DEF (core/sched.h).
 *
 * Memory is bounded: SCHED_MAX_TASKS threads (those gone longest are forgotten first and
 * summed up in `others`), SCHED_MAX_DELAYS slow delays, SCHED_MAX_SWITCHES of the watched
 * thread. Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_SCHED_H
#define MODELS_SCHED_H

#include "bpf/hist.h"
#include "core/sched.h"
#include "core/scope.h"
#include "models/answer.h"
#include "models/profile.h" /* struct profile_stack, enum profile_window */
#include "symbols/symbols.h"

#define SCHED_MAX_TASKS	   65536
#define SCHED_MAX_DELAYS   256  /* the slowest of the last SCHED_DELAYS_S seconds */
#define SCHED_DELAYS_S	   60
#define SCHED_MAX_SWITCHES 65536
#define SCHED_TIMELINE_S   10

struct model_ops;
extern const struct model_ops model_sched;

struct sched_hist {
	u64 n[HIST_BUCKETS];
};

/* Sums over one window. */
struct sched_sums {
	u64 span_ns, state_ns[TASK_STATES];
	u64 runs, voluntary, preempted, migrations;
	u64 delays, delay_ns, delay_max_ns, run_max_ns;
};

enum sched_hist_kind { SCHED_DELAY, SCHED_ON, SCHED_OFF, SCHED_HISTS };

struct sched_task {
	struct task_ident task;
	u32 cpu;
	enum task_state state;
	bool gone;
	struct sched_sums sums[WINDOWS];
	/* Of the last interval and since start (WINDOW_DECAY: as since start); NULL: empty. */
	const struct sched_hist *hists[WINDOWS][SCHED_HISTS];
};

struct sched_cpu {
	u32 cpu;
	u64 span_ns[WINDOWS], busy_ns[WINDOWS], switches[WINDOWS];
	u64 run_max_ns[WINDOWS];
	struct task_ident longest[WINDOWS], running;
	float trend[PROFILE_TREND]; /* busy %, oldest first */
};

struct sched_delay {
	struct task_ident task, holder;
	u32 cpu;
	u64 t_ns, delay_ns, holder_ran_ns;
	const struct profile_stack *holder_kstack, *holder_ustack;
};

struct sched_snap {
	struct snap base;
	const struct symbols *symbols;
	u64 since_ns;
	u32 ntasks, ncpus, ndelays, nswitches;
	const struct sched_task *tasks; /* by tgid, tid, start_ns */
	const struct sched_cpu *cpus;	/* by cpu */
	const struct sched_delay *delays; /* slowest first */
	struct sched_hist hists[WINDOWS][SCHED_HISTS]; /* of all threads in scope */
	u64 delay_max_ns[WINDOWS];
	struct sched_sums others[WINDOWS]; /* threads that were forgotten */
	/* The watched thread, oldest first; stacks by hash in kstack, ustack are looked up by
	 * sched_snap__stack. */
	u32 watched_tid;
	const struct switch_sample *switches;
};

const struct profile_stack *sched_snap__stack(const struct sched_snap *s, u64 hash);

/* q in 0..1: an upper bound of the quantile, within its bucket by linear interpolation; 0 when
 * empty. */
u64 sched_hist__quantile(const struct sched_hist *h, double q);
u64 sched_hist__count(const struct sched_hist *h);

enum sched_group { SCHED_BY_TID, SCHED_BY_PID, SCHED_BY_COMM, SCHED_BY_CGROUP, SCHED_BY_CPU, SCHED_GROUPS };
extern const char *const sched_group_names[SCHED_GROUPS]; /* as in --group */

/* What the columns are about. One table, several sets: */
enum sched_columns_set {
	SCHED_SHOW_DELAYS, /* on-CPU, delay p50 p95 p99 max, runs */
	SCHED_SHOW_STATES, /* R RD S D T t I in % of the span */
	SCHED_SHOW_BURSTS, /* voluntary, preempted, migrations, bursts on and off p50 max, last CPU */
	SCHED_SHOWS
};

/* A value; zero it first. */
struct sched_query {
	enum sched_group group;
	enum profile_window window;
	enum sched_columns_set show;
	bool all; /* threads that did not run in the window too */
	bool by_cpu; /* with cpu: of threads that ran last on it */
	u32 cpu;
};

struct sched_row {
	u64 key;
	const struct sched_task *task; /* the busiest of those in it; NULL by cpu */
	const struct sched_cpu *cpu;   /* by cpu */
	const char *name, *comm, *pid_text, *tid_text, *cgroup_name;
	u32 nthreads;
	struct sched_sums sums;
	u64 wait_p50_ns, wait_p95_ns, wait_p99_ns;
	u64 on_p50_ns, on_p99_ns, off_p50_ns, off_p99_ns;
};

struct sched_answer {
	struct answer base; /* rows by on-CPU time, descending */
	struct sched_query query;
	u32 nrows;
	const struct sched_row *rows;
	struct sched_hist hists[SCHED_HISTS]; /* of all rows' threads */
	u64 delay_max_ns;
	u64 window_ns;
	u64 hidden; /* threads that did not run and are not shown */
};

struct sched_answer *sched__query(const struct sched_snap *snap, const struct sched_query *q,
				  const struct scope *scope);

/* The slowest delays as rows; each one's tree is the holder's stack. */
struct sched_delays_answer {
	struct answer base; /* slowest first */
	u32 nrows;
	const struct sched_delay *const *rows;
};
struct sched_delays_answer *sched__delays(const struct sched_snap *snap, const u64 *unfolded,
					  u32 nunfolded, const struct scope *scope);

extern const struct column sched_columns[];
extern const u32 sched_ncolumns;
extern const struct column sched_delay_columns[];
extern const u32 sched_delay_ncolumns;

#endif
