/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the scheduler's programs (sched.bpf.c) count and send; shared by kernel and user side.
 * Times are bpf_ktime_get_ns(), CLOCK_MONOTONIC.
 */
#ifndef BPF_SCHED_H
#define BPF_SCHED_H

#include <linux/types.h>

#include "bpf/scope.h"

#include "bpf/hist.h"

/* In the order of enum task_state in samples/sched.h. */
enum sched_state {
	SCHED_RUNNING,
	SCHED_RUNNABLE,
	SCHED_SLEEP,
	SCHED_DISK,
	SCHED_STOPPED,
	SCHED_TRACED,
	SCHED_IDLE,
	SCHED_OTHER,
	SCHED_STATES
};

struct sched_ident {
	__u32 tgid, tid;
	__u64 cgroup, start_ns;
	__u32 kthread;
	__u32 pad;
	char comm[16];
};

/* As enum waker_kind. */
#define SCHED_WAKER_TASK      1
#define SCHED_WAKER_INTERRUPT 2

struct sched_waker {
	__u32 kind; /* 0: none yet */
	__u32 tgid, tid;
	__u32 pad;
	char comm[16];
	__u64 kstack, ustack;
};

#define SCHED_OBJECT_MANY (~0ULL) /* one and another */

/* Where a thread was when it entered the kernel. */
struct sched_regs {
	__u64 ip, sp, fp, lr;
	__u64 arg[2]; /* of its system call */
};

/* Descriptors that a sleeping thread polls, for the iterator to look at: they stand in its memory,
 * which user space has read. Value of the map polled, by tid. */
#define SCHED_POLLED 4
struct sched_polled {
	__u32 n;  /* in all: more than SCHED_POLLED are not listed */
	__s32 fds[SCHED_POLLED];
};

#define SCHED_FUTEX_FREE (1u << 31) /* in futex_op: no held lock has the value waited on */

/* What one wait is: where, in which state, ended by whom. */
struct sched_wait {
	__u64 kstack, ustack;
	__u32 state; /* enum sched_state; SCHED_RUNNABLE: preempted */
	__u32 syscall, futex_op;
	__u32 since_before; /* began before the thread was watched */
	__u32 on;	    /* bits of bpf/wait_on.h; 0: not looked at */
	__u32 early;	    /* ustack ended early, as user space had not read yet what is mapped there */
	__u64 object; /* the futex's address, SCHED_OBJECT_MANY; not part of what tells waits apart */
	struct sched_waker waker;
};

/* Waits that agree in all of that and ended; value of the maps waits_a and waits_b, by a hash
 * over it; of rests_a and rests_b, with neither stacks nor waker. */
struct sched_wait_sum {
	struct sched_ident task;
	struct sched_wait wait;
	__u64 count, off_ns, runq_ns, full_ns, max_ns, last_ns;
	__u64 open_ns, open_full_ns; /* of those that went on when the interval ended: part of off_ns, the longest so far */
	__u32 hist[HIST_OCTAVES]; /* of whole durations */
	__u32 cpu; /* the one it left */
	__u32 open;
};

/* The largest of an interval. Two slots take turns, so that an interval's is still there when
 * the next has begun. */
struct sched_max {
	__u64 epoch[2], ns[2];
};

enum sched_hist_kind { SCHED_HIST_DELAY, SCHED_HIST_ON, SCHED_HIST_OFF, SCHED_HIST_KINDS };

struct sched_hists {
	__u32 n[SCHED_HIST_KINDS][HIST_BUCKETS];
};

enum sched_record_type {
	RECORD_SCHED_TASK = 16,
	RECORD_SCHED_DELAY,
	RECORD_SCHED_SWITCH,
};

/* A thread, as the iterator saw it or (gone) at its end. Sums are since it was first watched;
 * user space takes the differences, so a record that is seen twice does no harm. */
/* Threads that sleep all the time, futexes apart: each round reports all of them, one in so many, or all of
 * those that were left out, once. */
enum { SCHED_SLEEPERS_ALL, SCHED_SLEEPERS_IN_TURN, SCHED_SLEEPERS_ONCE };
#define SCHED_TURNS 32

struct sched_task_record {
	__u32 type; /* RECORD_SCHED_TASK */
	__u32 gone;
	struct sched_ident task;
	struct sched_wait wait; /* while it is off the CPU; its waker once it is woken */
	__u64 t_ns;		/* up to when it is accounted */
	__u64 watch_id;		/* tells periods apart in which it was in scope */
	__u64 state_ns[SCHED_STATES];
	__u64 runs, delays, delay_ns, voluntary, preempted, migrations;
	__u64 delay_max_ns, run_max_ns; /* of the interval that ends */
	__u64 open_ns, open_runq_ns; /* of waits while they were open, as the iterator saw them */
	__u64 since_ns;		     /* the present state began */
	__u64 off_since_ns;	     /* the present wait began; 0: it runs */
	struct sched_regs regs; /* of a wait that began before it was watched, or is early; ip 0: not known */
	__u32 state, cpu;
	__u32 has_hists; /* what follows counts; else it has not changed */
	__u32 asleep;	 /* it was all the time, and left out in rounds before (SCHED_SLEEPERS_*) */
	struct sched_hists hists;
};

struct sched_delay_record {
	__u32 type; /* RECORD_SCHED_DELAY */
	__u32 cpu;
	__u64 t_ns, delay_ns, holder_ran_ns;
	struct sched_ident task, holder;
	__u64 holder_kstack, holder_ustack;
};

struct sched_switch_record {
	__u32 type; /* RECORD_SCHED_SWITCH */
	__u32 tid, cpu, state;
	__u32 syscall, futex_op;
	__u64 t_ns;
	__u64 kstack, ustack;
};

/* Per CPU, since the programs were attached. */
struct sched_cpu {
	__u64 since_ns; /* of the present run */
	__u64 clock;	/* what to add to the scheduler's clock for ours; 0: not known yet */
	__u64 idle_ns, busy_ns, switches;
	__u32 running_tid; /* 0: idle */
	__u32 pad;
	struct sched_max run_max;
	struct sched_ident longest[2]; /* whose the two maxima are */
	__u64 delay_hist[HIST_BUCKETS];
};

/* Per CPU, since the programs were attached: what could not be kept, and what it cost. */
struct sched_stats {
	SOURCE_FIGURES;
	__u64 switches;	    /* watched threads got a CPU */
	__u64 waits;	    /* ended, in scope and passed the filter */
	__u64 waits_full;   /* of those: no room in the map; in a row of their thread's */
	__u64 waits_lost;   /* of those in turn: nor there; in no row */
	__u64 stacks_lost;  /* waits and wakers without the frames they had */
	__u64 tasks_full;   /* threads that could not be watched: no memory */
	__u64 records_full; /* gone threads, slow delays, switches: no room in the ring */
	__u64 backward;	    /* negative times, taken as 0 */
	__u64 unseen;	    /* switches of watched threads that no program was run for */
	__u64 here; /* scratch */
};

/* Slow delays told before the limit rises within an interval. */
#define SLOW_REPORTED_MAX 128

/* Long runs, and of an interval those that are kept with their stacks before the limit rises. */
#define SCHED_LONG_NS  500000
#define SCHED_LONG_MAX 32

/* Settings, written by user space. */
#define SCHED_WANT_WAITS 1 /* rows of waits with their stacks and wakers */
#define SCHED_WANT_TASKS 2 /* histograms, slow delays */

#endif
