/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the waits model: its live state, shared by consume and tick (waits.c), the
 * threads (waits_tasks.c) those that ended (waits_ended.c) and the folding of small entries
 * (waits_fold.c). Collector thread only.
 */
#ifndef MODELS_WAITS_MODEL_H
#define MODELS_WAITS_MODEL_H

#include "base/hidx.h"
#include "bpf/hist.h"
#include "models/model.h"
#include "models/waits.h"
#include "models/windows.h"

/* What of struct wait_sums simply adds up. */
enum { SUM_COUNT, SUM_OFF, SUM_RUNQ, SUM_FULL, SUMS };

/* What the snapshot's entries are distinguished by. */
struct wait_key {
	u32 tgid, tid;
	u64 start_ns;
	u32 host; /* of the thread and of its waker */
	u32 kstack, ustack; /* positions in model.stacks, or NO_STACK */
	u32 syscall, futex_op, on;
	u32 waker_tgid, waker_tid;
	u32 waker_kstack, waker_ustack;
	u32 waker_name; /* hash of its name where that is all that is kept of it; else 0 */
	u8 state, waker, kthread, folded, ended; /* enum task_state, enum waker_kind, bools */
};

struct live_wait {
	struct wait_key key;
	u64 cgroup, kstack_hash, ustack_hash, waker_kstack_hash, waker_ustack_hash;
	char comm[COMM_LEN], waker_comm[COMM_LEN]; /* as last heard */
	u64 object;
	bool since_before;
	u8 what_ended;	/* bits of waits_ended.c */
	u32 ended_tick; /* when the last of that did */
	u64 now[SUMS], total[SUMS];
	double decay[SUMS], fresh;
	u64 now_max, total_max; /* the longest that ended */
	struct window_max max;
	/* Waits that go on, now, and at the last tick what the sums had of them. */
	u64 open, open_ns, open_full_ns;
	u64 held_ns;
	double held_decay;
};

struct live_task {
	struct task_ident task;
	bool gone;
	u64 now[TASK_STATES], total[TASK_STATES];
	double decay[TASK_STATES], fresh;
};

/* Zero it first. */
struct live_locks {
	struct wait_lock *v;
	u32 n, cap;
	struct hidx index;
};

void live_locks__add(struct live_locks *l, const struct wait_lock_sample *s);
/* Ends an interval: l->n of them, in the arena. */
const struct wait_lock *live_locks__snap(struct live_locks *l, struct arena *a);
void live_locks__clear(struct live_locks *l);
void live_locks__fini(struct live_locks *l);

struct model {
	struct stacks stacks;
	struct live_wait *waits;
	u32 nwaits, waits_cap;
	u32 most, most_tasks, most_ended, most_groups; /* WAITS_MAX_x, or fewer */
	struct hidx wait_index;
	struct live_task *tasks;
	u32 ntasks, tasks_cap;
	struct hidx task_index;
	struct live_locks locks;
	struct window_clock clock;
	u32 ticks;
	struct hidx left[2]; /* sets of threads that ended: in this interval, in the last one */
	u64 hist[TASK_STATES][HIST_OCTAVES]; /* of the interval that goes on */
	struct heat_log heat;
};

/* The wait of a key, added with zeros when it is new. Valid until the next call. */
struct live_wait *waits__entry(struct model *m, const struct wait_key *key);
void live_wait__merge(struct live_wait *to, const struct live_wait *from);
/* Indexes entries again after their keys have changed; equal ones become one. */
void waits__reindex(struct model *m);

/* Makes room for entries; positions of waits and stacks change. */
void waits__compact(struct model *m);
/* What keeps positions of stacks: the entries. */
struct stacks_user waits__stacks_user(struct model *m);

/* Keeps the smaller half of the merged ones without stacks when they are many. */
void waits__fold_ended(struct model *m);

void waits__note_end(struct model *m, const struct task_ident *t);
/* Ends an interval for them: the oldest of those that ended are merged when they are many. */
void waits__merge_ended(struct model *m);

void waits__consume_task(struct model *m, const struct task_sample *s);
/* Ends an interval of all threads; the snapshot's, sorted, in its arena. */
const struct wait_task *waits__snap_tasks(struct model *m, const struct window_pace *p,
					  struct arena *a, u32 *ntasks);
/* The set of waits__process_hash of processes with a thread that has not ended; the caller frees it. */
struct hidx waits__living(const struct model *m);

static inline u64 waits__process_hash(u32 tgid, u32 host)
{
	return mix64(tgid | (u64)host << 32);
}

/* Decays n sums, of which `fresh` tells how long ago something was heard. */
static inline void waits__decay(double *sums, const u64 *now, u32 n, double *fresh, double keep)
{
	bool news = false;

	for (u32 i = 0; i < n; i++)
		news |= now[i] != 0;
	keep = window__keep(fresh, news, keep);
	for (u32 i = 0; i < n; i++)
		sums[i] = sums[i] * keep + (double)now[i];
}

#endif
