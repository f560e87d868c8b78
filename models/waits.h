/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits: who was off the CPU where, for how long, what for, and who ended it; the model
 * behind `offcpu`. Takes SAMPLE_WAIT, SAMPLE_WAIT_LOCK, SAMPLE_TASK and SAMPLE_STACK_DEF
 * (samples/sched.h).
 *
 * Per (thread, stacks, state, syscall, waker) it keeps the last interval, a decaying sum and
 * the sum since start. What threads waited that ended is kept by name once there is much of
 * it (wait_entry.ended). Memory is bounded: at WAITS_MAX_ENTRIES the smallest are folded into
 * one entry per thread and state, without stack and waker (then per process, then one); the
 * folded share is in the snapshot. Threads beyond WAITS_MAX_TASKS become one per process: tid
 * PROFILE_MERGED. Queries are pure functions over a const snapshot.
 */
#ifndef MODELS_WAITS_H
#define MODELS_WAITS_H

#include "models/window_snap.h"
#include "samples/sched.h"
#include "scope/scope.h"
#include "models/profile.h" /* struct callstack, enum time_window */
#include "symbols/symbols.h"

#define WAITS_MAX_ENTRIES 65536
#define WAITS_MAX_TASKS	  65536
#define WAITS_MAX_ENDED	  8192 /* entries about threads that ended, each for itself */
#define WAITS_MAX_LOCKS	  4096 /* that are called by name */
#define WAITS_MAX_GROUPS  8192 /* entries with stacks about threads that ended, merged */
/* Where memory is little, for each CPU: entries and threads; WAITS_MAX_ENDED and WAITS_MAX_GROUPS. */
#define WAITS_CPU_ENTRIES 2048
#define WAITS_CPU_ENDED	  512

struct model_ops;
extern const struct model_ops model_waits;

/* One row each in models/wait_reasons.def: what a thread waits for, in words. */
enum wait_reason {
#define WAIT_REASON(id, name, class, help) WAIT_##id,
#include "models/wait_reasons.def"
#undef WAIT_REASON
	WAIT_REASONS
};

/*
 * HARMFUL: somebody is held up. IDLE: it waits for new work, which is proven. UNCLEAR: neither is
 * proven. Rows come in this order. models/wait_rules.def has the rules.
 */
enum wait_class { CLASS_HARMFUL, CLASS_UNCLEAR, CLASS_IDLE, WAIT_CLASSES };
extern const char *const wait_class_names[WAIT_CLASSES]; /* in JSON too */

struct wait_reason_row {
	const char *name; /* "lock", "disk" ... ; in JSON too */
	enum wait_class class; /* where no rule says more */
	const char *help; /* what is behind it, one line */
};
extern const struct wait_reason_row wait_reasons[WAIT_REASONS];

/* Sums over one window; as in struct wait_sample. */
struct wait_sums {
	u64 count, off_ns, runq_ns, full_ns, max_ns;
	u64 open, open_ns; /* open_ns: part of off_ns of waits that go on at the window's end */
};

struct wait_entry {
	struct task_ident task;
	/* Threads that ended, merged by name and cgroup: task.tid is PROFILE_MERGED, task.tgid as
	 * well when their process has ended too, task.start_ns tells them apart. A waker that ended
	 * is kept by name too: its ids are PROFILE_MERGED. Scopes by pid or tid do not let them
	 * pass. */
	bool ended;
	const struct callstack *kstack, *ustack; /* NULL: not known */
	u64 kstack_hash, ustack_hash;
	enum task_state state;
	u32 syscall, futex_op;
	u32 on;	    /* bits of bpf/wait_on.h */
	u64 object; /* a futex's address; 0, WAIT_OBJECT_MANY */
	struct waker waker;
	const struct callstack *waker_kstack, *waker_ustack;
	struct wait_sums sums[WINDOWS];
	u64 open_full_ns; /* how long the wait that goes on has lasted, whole */
	bool since_before, folded;
};

/* Where a thread's time went in each window: sums to its span. */
struct wait_task {
	struct task_ident task;
	u64 span_ns[WINDOWS];
	u64 state_ns[WINDOWS][TASK_STATES];
	bool gone;
};

/* A lock that was waited for. */
struct wait_lock {
	u32 tgid;
	u64 object; /* of entries of that process */
	char name[WAIT_LOCK_TEXT];
	struct wait_holder holder; /* of the last interval, while a wait for it went on */
};

struct waits_snap {
	WINDOW_SNAP; /* heat: whole durations; series: enum task_state */
	u32 nentries, ntasks;
	const struct wait_entry *entries;
	const struct wait_task *tasks; /* by tgid, tid, start_ns */
	u32 nlocks;
	const struct wait_lock *locks;
	u64 folded_ns; /* off-CPU time in WINDOW_TOTAL whose stack was folded away */
};

/* The main thread of a thread's process, of those that had its number: the youngest that is no
 * younger than the thread. Of merged ones, whose process goes on, the youngest. NULL: not known. */
const struct wait_task *waits__process(const struct waits_snap *snap, const struct task_ident *t);

/* A wait's reason: from its frames' functions, else the syscall, else the state.
 * *pending: functions are not resolved yet, the reason may change. */
enum wait_reason wait_entry__reason(const struct wait_entry *e, const struct symbols *symbols,
				    bool *pending);

enum waits_group {
	WAITS_BY_STACK, WAITS_BY_COMM, WAITS_BY_PID, WAITS_BY_TID, WAITS_BY_CGROUP,
	WAITS_BY_STATE, WAITS_BY_REASON, WAITS_BY_WAKER, WAITS_BY_HOST,
	WAITS_GROUPS
};
extern const char *const waits_group_names[WAITS_GROUPS]; /* "stack" "comm" ...; the host is last */
#define WAITS_BIT(g)	  (1u << (g))
#define WAITS_GROUPS_TEXT 64 /* bytes of the longest waits_groups__text with its NUL */
/* "tid+stack", as profile_groups__text: the task's parts first. */
const char *waits_groups__text(u32 groups, char *buf, size_t size);

/* A value; zero it first. */
struct waits_query {
	u32 groups; /* WAITS_BIT of each; rows agree in all. A tid goes with its tgid */
	enum time_window window;
	bool idle;	   /* rows that are idle are shown too, not only summed up */
	bool caller_first; /* trees begin at the root */
	/* Which stacks the rows' trees hold: false: where the row waits; true: who woke it, each
	 * waker with its stack, and below it who woke the waker (by the waker's own waits). */
	bool wakers;
	/* Only waits of a thread at a place whose longest lies in [lo, hi); 0, 0: all. */
	u64 longest_lo_ns, longest_hi_ns;
	u32 nunfolded;
	u64 unfolded[RESULT_MAX_UNFOLDED];
};

struct waits_row {
	u64 key;
	const struct wait_entry *entry; /* the largest of those in it: stands for what they share */
	const struct wait_entry *woken; /* the largest of those that a thread ended; NULL none */
	u32 woken_from; /* first frame of that waker's stack that is its own */
	/* Of what waits for locks: what most of it waits for, NULL: not known or no lock; who has it now
	 * (holds_now), or had it until it woke who waited, NULL: not known; and where that was. */
	const char *lock;
	const struct wait_holder *holder;
	bool holds_now;
	const struct callstack *holder_kstack, *holder_ustack;
	u32 holder_from; /* first frame that is its own */
	const char *ended_by; /* the holder that has it now, or as woken_by */
	const char *woken_by; /* the thread of `woken`, as task__who(); "" none */
	const char *text[WAITS_GROUPS]; /* of each group in the query; NULL otherwise */
	const char *name;  /* what the key column shows */
	const char *host;  /* of several, by host and by what is one host's; else NULL */
	const char *caller; /* by stack: what of the program waits, "" unknown; else NULL */
	const char *place; /* by stack: where it waits as the screen has it: "fsync", else text[STACK] */
	const char *comm;  /* by comm, pid (its main thread's) and tid; "" otherwise */
	const char *pid_text; /* by pid and tid; NULL otherwise */
	const char *cmdline;  /* by pid and tid; NULL: not known */
	const char *thread_name; /* by tid: what the runtime calls it; NULL: nothing else */
	bool ended;	      /* by pid and tid: it has */
	u32 starts;	      /* by pid: so many of one name that have ended; 0: a single one */
	const char *state; /* "S" ..., "mixed"; preempted: "R" */
	const char *reason; /* "lock" ..., "mixed" */
	enum wait_reason why; /* of most of its time */
	enum wait_class class;
	const char *because; /* of that class, one line: of the largest in it */
	bool merged; /* has some that ended, of whom it is not known how many they were */
	const struct symbols *symbols; /* what its frames are called */
	u32 nthreads; /* not meaningful with `merged`, and so pct */
	struct wait_sums sums;
	u64 avg_ns;   /* of the waits that ended; if none did, of those that go on so far */
	double pct; /* of the time that the window's threads of this row could have run: off_ns
		     * over window length x threads in it */
	double share_pct; /* of all off_ns shown (idle ones apart) */
	const char *mark; /* "+": a wait goes on */
	/* What is known: a decaying window may have time of waits that it counts no more. */
	bool counted, has_max, single, idle;
};

struct waits_result {
	struct query_result base; /* rows by class, then off_ns, descending */
	struct waits_query query;
	const char *grouping;
	u32 nrows;
	const struct waits_row *rows;
	u64 off_ns, count; /* of all rows, idle ones left out */
	u64 class_ns[WAIT_CLASSES];
	u64 idle_ns, idle_rows, idle_threads; /* what was folded away (or is shown behind) */
	u64 open;	   /* waits that go on, idle ones left out */
	double truncated_pct; /* of the time with user frames: stacks that end too early */
};

/* Never NULL; scope may be NULL (everything). sym~ and obj~ are about the stacks' frames. */
struct waits_result *waits__query(const struct waits_snap *snap, const struct waits_query *q,
				  const struct scope *scope);

/* One part of a thread's or process's wall-clock time. */
struct split_part {
	const char *name; /* "running", "waiting for a CPU", then reasons */
	enum wait_reason reason; /* WAIT_REASONS: running or runnable */
	enum wait_class class;
	u64 ns, count;
	double pct; /* of the span */
};

/*
 * The wall-clock split of a process (tid 0) or thread: running, runnable and each reason, as
 * rows that sum to the span of all its threads. What SAMPLE_WAIT does not explain of the
 * states (stacks lost, waits filtered out) is a part of its own, "not attributed".
 */
struct split_result {
	struct query_result base; /* rows are the parts, largest first */
	u32 tgid, tid, nthreads;
	char comm[COMM_LEN];
	u64 span_ns;
	u32 nparts;
	const struct split_part *parts;
};
struct split_result *waits__split(const struct waits_snap *snap, u32 tgid, u32 tid,
				  enum time_window window);

/* Root first, ';' between, the comm first: user frames, then kernel frames, then, with
 * q->wakers, "--" and the waker's from its leaf to its root and its comm. Weight: microseconds
 * of off_ns. Idle ones only with q->idle. */
void waits__folded(const struct waits_snap *snap, const struct waits_query *q,
		   const struct scope *scope, void (*fn)(void *ctx, const char *stack, u64 us),
		   void *ctx);

#endif
