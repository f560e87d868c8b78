/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the sched model: its live state, shared by consume and tick (sched.c), the sums
 * over windows (sched_track.c), the threads (sched_tasks.c) and the slow delays and switches
 * (sched_events.c). Collector thread only.
 */
#ifndef MODELS_SCHED_MODEL_H
#define MODELS_SCHED_MODEL_H

#include "base/hidx.h"
#include "models/model.h"
#include "models/sched.h"
#include "models/slowest.h"
#include "models/windows.h"

/* --- sched_track.c --- */

/* Sums as they become those of the windows. */
struct track {
	WINDOW_TRACK(struct sched_sums, delay_max_ns);
};

/* Ends an interval; out has WINDOWS of them. */
void track__advance(struct track *t, const struct window_pace *p, struct sched_sums *out);
void track__merge(struct track *to, const struct track *from);

struct hist_track {
	struct sched_hist now, decay, total;
};

void hist_track__advance(struct hist_track *t, const struct window_pace *p,
			 struct sched_hist out[WINDOWS][SCHED_HISTS], enum sched_hist_kind kind);

/* Adds what they had before this interval, and in it. */
void hist_track__add(struct hist_track *to, const struct cells *c);

/* --- sched_tasks.c --- */

struct live {
	struct task_ident task;
	u32 cpu;
	enum task_state state;
	u64 since_ns, t_ns;
	bool gone;
	u32 n;	  /* threads it stands for */
	u32 seen; /* tick */
	struct track track;
	struct cells cells[SCHED_HISTS];
	float trend[TREND_LEN];
};

struct live_cpu {
	bool present;
	struct track track;
	struct sched_longest now, epochs[WINDOW_EPOCHS], total;
	struct task_ident running;
	struct cells delays;
	float trend[TREND_LEN];
};

/* --- sched_events.c --- */

struct live_delay {
	struct sched_delay d;
	u32 kstack, ustack; /* positions in stacks */
};

extern const struct slowest_kind sched_slow_delays;

struct live_switch {
	struct sched_switch s;
	u32 kstack, ustack;
};

struct model {
	struct stacks stacks;
	struct live *live;
	u32 nlive, live_cap, ngroups; /* ngroups of them stand for ended threads */
	struct hidx index;	   /* of tid and start */
	u32 *order;		   /* of live, by tgid, tid, start; norder of them are in order */
	u32 norder, order_cap;
	u32 cells; /* held by all live ones and CPUs */
	u32 ticks;
	struct live_cpu *cpus;
	u32 ncpus; /* one more than the highest */
	struct track all, others;
	struct hist_track hists[SCHED_HISTS], other_hists[SCHED_HISTS];
	u32 nothers;
	struct slowest delays; /* struct live_delay */
	u32 watched_tid, watched_tgid;
	struct live_switch *switches; /* from first_switch on */
	u32 first_switch, nswitches, switches_cap;
	struct window_clock clock;
	struct heat_log heat;
};

void sched__consume_task(struct model *m, const struct task_sample *s);
/* Forgets stale threads beyond SCHED_MAX_STALE. */
void sched__trim_tasks(struct model *m);
/* Ends an interval of all threads; the snapshot's, in its arena. */
const struct sched_task *sched__snap_tasks(struct model *m, const struct window_pace *p,
					   u64 interval_ns, struct arena *a);
void sched__zero_tasks(struct model *m);

void sched__consume_delay(struct model *m, const struct delay_sample *s);
void sched__consume_switch(struct model *m, const struct switch_sample *s);
void sched__move_stacks(struct model *m, struct stacks *to, const struct stacks *from);
void sched__snap_delays(struct model *m, struct sched_snap *snap, struct arena *a);
void sched__snap_switches(struct model *m, struct sched_snap *snap, struct arena *a);
void sched__zero_events(struct model *m);

#endif
