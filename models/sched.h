/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sched: how long threads waited for a CPU, how they used it, and where each thread's and
 * CPU's time went; the model behind `sched`. Takes SAMPLE_TASK, SAMPLE_CPU, SAMPLE_DELAY,
 * SAMPLE_SWITCH and SAMPLE_STACK_DEF (samples/sched.h).
 *
 * Memory is bounded: SCHED_MAX_TASKS threads, of them SCHED_MAX_STALE that have ended or are
 * not reported any more: those gone longest are merged with their like first, SCHED_MAX_GROUPS of
 * these, and what is left over is summed up in `others`; SCHED_MAX_CELLS buckets of their histograms, SCHED_MAX_DELAYS slow delays,
 * SCHED_MAX_SWITCHES of the watched thread. Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_SCHED_H
#define MODELS_SCHED_H

#include "bpf/hist.h"
#include "models/cells.h"
#include "models/slow_rows.h"
#include "models/window_snap.h"
#include "samples/sched.h"
#include "scope/scope.h"
#include "models/profile.h" /* struct callstack, enum time_window */
#include "models/waits.h"   /* enum wait_reason */
#include "symbols/symbols.h"

#define SCHED_MAX_TASKS	   65536
#define SCHED_MAX_STALE	   8192
#define SCHED_MAX_GROUPS   1024 /* of threads that ended */
#define SCHED_MAX_CELLS	   CELLS_MAX
#define SCHED_MAX_CPUS	   8192
#define SCHED_MAX_DELAYS   256 /* the slowest of the last SCHED_DELAYS_S seconds */
#define SCHED_DELAYS_S	   60
#define SCHED_MAX_SWITCHES 65536
#define SCHED_TIMELINE_S   10

struct model_ops;
extern const struct model_ops model_sched;

/* How often, by bucket of bpf/hist.h. Whole numbers, but for the decaying window. */
struct sched_hist {
	double n[HIST_BUCKETS];
};

/* Sums over one window; span_ns is the sum of state_ns. The last two are maxima. */
struct sched_sums {
	u64 span_ns, state_ns[TASK_STATES];
	u64 runs, voluntary, preempted, migrations;
	u64 delays, delay_ns;
	u64 delay_max_ns, run_max_ns;
};

enum sched_hist_kind { SCHED_DELAY, SCHED_ON, SCHED_OFF, SCHED_HISTS };

/* A thread; or threads that ended: of a process, then tid is PROFILE_MERGED and start_ns tells
 * them apart; or of processes that agree in name and cgroup, then tgid is it as well. */
struct sched_task {
	struct task_ident task;
	u32 n; /* how many threads it stands for */
	u32 cpu; /* the last one */
	enum task_state state;
	u64 since_ns; /* in that state */
	u64 t_ns;     /* when it was seen last; `gone`: its end */
	bool gone;
	struct sched_sums sums[WINDOWS];
	struct hist_cells hists[SCHED_HISTS];
	float trend[TREND_LEN]; /* on a CPU %, oldest first; 0 before it was seen */
};

struct sched_longest {
	struct task_ident who;
	u64 ns;
};

struct sched_cpu {
	u32 cpu;
	/* Of a CPU: its span, busy as TASK_STATE_RUNNING, switches as runs, run_max_ns, and the
	 * delays that ended there. */
	struct sched_sums sums[WINDOWS];
	struct sched_longest longest[WINDOWS];
	struct task_ident running;  /* tid 0: idle */
	struct hist_cells delays;  /* of watched threads */
	float trend[TREND_LEN];	   /* busy %, oldest first; NaN before it was seen */
};

struct sched_delay {
	struct task_ident task, holder; /* holder.tid 0: nobody, the CPU was idle */
	u32 cpu;
	u64 t_ns, delay_ns, holder_ran_ns;
	const struct callstack *holder_kstack, *holder_ustack; /* NULL: not known */
};

struct sched_switch {
	u32 cpu;
	u64 t_ns;
	enum task_state state; /* from now on */
	u32 syscall, futex_op;
	const struct callstack *kstack, *ustack; /* NULL: none */
};

struct sched_snap {
	WINDOW_SNAP; /* heat: of all threads; series: enum sched_hist_kind */
	u32 ntasks, ncpus, ndelays, nswitches;
	const struct sched_task *tasks;	  /* by tgid, tid, start_ns */
	const struct sched_cpu *cpus;	  /* by cpu */
	const struct sched_delay *delays; /* slowest first */
	struct sched_sums all[WINDOWS];	  /* of all threads, forgotten ones too */
	struct sched_hist hists[WINDOWS][SCHED_HISTS];
	struct sched_sums others[WINDOWS]; /* threads that were forgotten */
	struct sched_hist other_hists[WINDOWS][SCHED_HISTS];
	u32 nothers; /* how many; one that came back counts again */
	/* Of the watched thread, oldest first; 0 none. */
	u32 watched_tid;
	const struct sched_switch *switches;
};

/* Maxima are the larger of both. */
static inline void sched_sums__add(struct sched_sums *to, const struct sched_sums *from)
{
	WINDOW_ADD(struct sched_sums, delay_max_ns, to, from);
}

/* The least duration of a bucket, as hist__lo. */
static inline u64 sched_hist__lo(u32 bucket)
{
	return hist__lo(bucket);
}

/* As models/quantile.h has them; max_ns: the largest value that there was. */
u64 sched_hist__quantile(const struct sched_hist *h, double q, u64 max_ns);
double sched_hist__count(const struct sched_hist *h);
struct value sched_hist__value(const struct sched_hist *h, struct arena *a);

static inline void sched_hist__merge(struct sched_hist *to, const struct sched_hist *from)
{
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		to->n[i] += from->n[i];
}

/* Adds what cells have in a window. */
static inline void sched_hist__add(struct sched_hist *h, const struct hist_cells *c,
				   enum time_window w)
{
	hist_cells__add(h->n, c, w);
}

enum sched_group {
	SCHED_BY_TID,
	SCHED_BY_PID,
	SCHED_BY_COMM,
	SCHED_BY_CGROUP,
	SCHED_BY_CPU,
	SCHED_GROUPS
};
extern const char *const sched_group_names[SCHED_GROUPS]; /* as in --group */

/* What the columns are about. One table, several sets: */
enum sched_show {
	SCHED_SHOW_DELAYS, /* on-CPU, delay p50 p95 p99 max, runs */
	SCHED_SHOW_STATES, /* R RD S D T t I in % of the span */
	SCHED_SHOW_BURSTS, /* voluntary, preempted, migrations, bursts on and off, last CPU */
	SCHED_SHOWS
};

/* A value; zero it first. */
struct sched_query {
	enum sched_group group;
	enum time_window window;
	enum sched_show show;
	bool all;    /* rows whose threads did not run in the window too */
	bool by_cpu; /* only threads that ran last on `cpu` */
	u32 cpu;
};

struct sched_row {
	u64 key;
	/* The one that names it: of a process its main thread, else the busiest. NULL by cpu and
	 * of the row "[others]", the threads that were forgotten. */
	const struct sched_task *task;
	const struct sched_cpu *cpu; /* by cpu */
	const char *name, *comm, *pid_text, *tid_text, *cpu_text, *cgroup_name;
	const char *running, *longest; /* by cpu: who */
	const char *cmdline;	       /* by tid and pid; NULL not known */
	const char *thread_name;       /* by tid: what the runtime calls it; NULL: nothing else */
	bool ended;		       /* by tid and pid: all of its threads have */
	u32 starts;		       /* by pid: so many of one name that have ended; 0: a single one */
	u32 nthreads;
	struct sched_sums sums;
	double oncpu_pct; /* of one CPU; by cpu: busy */
	float trend[TREND_LEN]; /* the same in the last intervals */
	u64 wait_p50_ns, wait_p95_ns, wait_p99_ns;
	u64 on_p50_ns, on_p99_ns, off_p50_ns, off_p99_ns;
};

struct sched_result {
	struct query_result base; /* rows by on-CPU time, descending; CPUs by their number */
	struct sched_query query;
	u32 nrows;
	const struct sched_row *rows;
	struct sched_sums sums;		      /* of all threads that pass the scope */
	struct sched_hist hists[SCHED_HISTS]; /* alike */
	struct value delays; /* hists[SCHED_DELAY] as sched_hist__value */
	u64 hidden; /* threads of rows that did not run and are not shown */
	/* Threads that ended and were forgotten, and runs of theirs, that are in no row: the filter
	 * asks for ids that are not known of them any more. */
	u64 left_out, left_out_runs;
};

/* Never NULL; scope may be NULL (everything). */
struct sched_result *sched__query(const struct sched_snap *snap, const struct sched_query *q,
				  const struct scope *scope);

/* The slowest delays as rows; each one's tree is the holder's stack, leaf first. */
struct sched_delays_result {
	struct query_result base; /* slowest first */
	u32 nrows;
	const struct sched_delay *const *rows;
};
/* A value; zero it first. */
struct sched_delays_query {
	SLOW_QUERY;
};
struct sched_delays_result *sched__delays(const struct sched_snap *snap,
					  const struct sched_delays_query *q,
					  const struct scope *scope);

/* The watched thread from one change to the next, without gaps. */
struct sched_span {
	u64 t0_ns, t1_ns;
	u32 cpu, part; /* position in parts */
};

/* What it did, or waited for. */
struct sched_part {
	enum task_state state;
	enum wait_reason reason; /* of a sleep; else WAIT_REASONS */
	const char *name;
	u64 ns, count, max_ns;
};

/* A state that a thread was in. */
struct sched_state_row {
	u64 key;
	enum task_state state;
	u64 ns, span_ns; /* of the time that it was watched */
};

/* One thread: a row for each of its states. */
struct sched_thread_result {
	struct query_result base;
	const struct sched_task *task; /* NULL: not known, or forgotten */
	enum time_window window;
	struct sched_hist hists[SCHED_HISTS];
	struct value delays; /* hists[SCHED_DELAY] as sched_hist__value */
	/* The last SCHED_TIMELINE_S seconds, as far as they were watched. */
	u64 t0_ns, t1_ns;
	u32 nspans, nparts;
	const struct sched_span *spans; /* oldest first */
	const struct sched_part *parts; /* by time, descending */
	u32 nrows;
	const struct sched_state_row *rows;
};
struct sched_thread_result *sched__thread(const struct sched_snap *snap, u32 tid, u64 start_ns,
					  enum time_window window);

/* Its spans as rows, for lists of events. Borrows from the answer; no allocation. */
struct sched_spans {
	struct row_table table;
	const struct sched_thread_result *result;
};
struct sched_spans sched_spans__of(const struct sched_thread_result *a);

#endif
