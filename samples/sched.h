/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the source of scheduling hands out: where threads were, what they waited for and who
 * woke them. A sample of samples/sample.h; the same rules hold. All are sums over the interval
 * since the source was last drained; times are nanoseconds.
 *
 * A thread's time is cut into states without gaps: per thread and interval they sum to the
 * span it was watched, exactly. Each thread's interval ends when the source visits it, some
 * milliseconds before t1 at most, and the next begins there.
 */
#ifndef SAMPLES_SCHED_H
#define SAMPLES_SCHED_H

#include "samples/sample.h"

/* Where a thread is; the letters are perf's and ps's. */
enum task_state {
	TASK_STATE_RUNNING,  /* on a CPU */
	TASK_STATE_RUNNABLE, /* RD: waits for a CPU, woken or preempted */
	TASK_STATE_SLEEP,    /* S */
	TASK_STATE_DISK,     /* D: not interruptible */
	TASK_STATE_STOPPED,  /* T */
	TASK_STATE_TRACED,   /* t */
	TASK_STATE_IDLE,     /* I: a kernel thread without work */
	TASK_STATE_OTHER,    /* P parked, X dead and what a later kernel adds */
	TASK_STATES
};

/* "R" "RD" "S" "D" "T" "t" "I" "other"; the names in JSON. */
extern const char *const task_state_names[TASK_STATES];

struct task_ident {
	u32 tgid, tid;
	u64 cgroup; /* v2 id, 0 unknown */
	u64 start_ns; /* when it began, CLOCK_MONOTONIC: tells threads apart that had one tid */
	u32 host;     /* as in struct stack_sample; the views of waits alone tell hosts apart */
	bool kthread;
	char comm[COMM_LEN];
};

enum waker_kind {
	WAKER_NONE,	/* not woken yet, or not seen */
	WAKER_TASK,
	WAKER_INTERRUPT, /* a timer, a device: `task` is whom it interrupted and means nothing */
};

struct waker {
	enum waker_kind kind;
	u32 tgid, tid;
	char comm[COMM_LEN];
	u64 kstack, ustack; /* stack_def.hash; 0 none. Of an interrupt: its own frames only */
};

/* Waits that agree in thread, stacks, state and waker. SAMPLE_WAIT. */
struct wait_sample {
	struct sample head;
	struct task_ident task;
	u64 kstack, ustack; /* where it waits; stack_def.hash, 0: not known */
	/* TASK_STATE_RUNNABLE: it was preempted (or yielded); else what it slept in. */
	enum task_state state;
	u32 syscall;	/* number in the machine's ABI; WAIT_NO_SYSCALL */
	u32 futex_op;	/* second argument of futex(), with SCHED_FUTEX_FREE; else 0 */
	struct waker waker;
	u64 count;	/* waits that ended in the interval */
	u64 off_ns;	/* time off the CPU within the interval, of ended and open waits */
	u64 runq_ns;	/* part of it: woken, but without a CPU. All of it when preempted */
	u64 full_ns;	/* whole durations of the waits that ended */
	u64 max_ns;	/* the longest, ended or open, whole */
	const u32 *hist; /* of those whole durations; HIST_OCTAVES of bpf/hist.h; NULL: all 0 */
	u64 open;	/* waits that go on (0 or 1: it is one thread) */
	u64 open_ns;	/* part of off_ns that belongs to them */
	u64 open_full_ns; /* how long they have lasted, whole */
	u64 t_ns;	/* of the last change; recordings have it of waits that last alone */
	bool since_before; /* the wait began before it was watched */
	u32 on;		/* what it waits on, bits of bpf/wait_on.h; 0: not known */
	u64 object;	/* address of the futex; 0 none, WAIT_OBJECT_MANY */
};

#define WAIT_NO_SYSCALL UINT32_MAX
#define WAIT_OBJECT_MANY UINT64_MAX /* several, or no longer known */

/* Who has a lock; tid 0: nobody, or not known. */
struct wait_holder {
	u32 tgid, tid;
	char comm[COMM_LEN];
};

#define WAIT_LOCK_TEXT 128

/* A lock of user space that was waited for in the interval, after those waits. SAMPLE_WAIT_LOCK. */
struct wait_lock_sample {
	struct sample head;
	u32 tgid;
	u64 object; /* of waits of that process */
	char name[WAIT_LOCK_TEXT]; /* by symbol, or where it lies and who takes it */
	struct wait_holder holder; /* while a wait for it goes on */
};

/* One thread's interval. SAMPLE_TASK. Threads whose state did not change come too. */
struct task_sample {
	struct sample head;
	struct task_ident task;
	u32 cpu;	/* last one */
	u64 t_ns;	/* where its interval ends */
	u64 span_ns;	/* how much of it was watched: the sum of state_ns */
	u64 state_ns[TASK_STATES];
	enum task_state state; /* now */
	u64 since_ns;	/* when that began */
	bool gone;	/* it ended: its last sample */
	u64 runs;	/* times it got a CPU */
	u64 voluntary, preempted; /* times it left one */
	u64 migrations;	/* the kernel's count */
	u64 delays;	/* waits for a CPU that ended ... */
	u64 delay_ns;	/* ... their sum, as the kernel accounts it (/proc/PID/schedstat) */
	u64 delay_max_ns;
	u64 run_max_ns; /* longest burst on a CPU that ended */
	/* Of what ended in the interval, in buckets of bpf/hist.h (HIST_BUCKETS each); NULL: all 0.
	 * Run queue delays, bursts on a CPU, times off it. */
	const u32 *delay_hist, *on_hist, *off_hist;
};

/* One CPU's interval. SAMPLE_CPU. Not filtered: what others do to the watched matters. */
struct cpu_sample {
	struct sample head;
	u32 cpu;
	u64 t_ns, span_ns;
	u64 busy_ns;	/* not idle, as part of span_ns */
	u64 switches;
	u64 run_max_ns; /* longest uninterrupted run and who it was */
	struct task_ident longest;
	struct task_ident running; /* now; tid 0: idle */
	const u64 *delay_hist;	/* run queue delays of watched threads that ended here; HIST_BUCKETS */
};

/* One long wait for a CPU. SAMPLE_DELAY. */
struct delay_sample {
	struct sample head;
	struct task_ident task;
	u32 cpu;	/* where it got to run */
	u64 t_ns, delay_ns; /* its end; its length */
	/* Who ran there longest of that time; where nobody did for long, who was the last; tid 0:
	 * nobody, it was idle. */
	struct task_ident holder;
	u64 holder_ran_ns; /* for how long, uninterrupted */
	u64 holder_kstack, holder_ustack; /* where it was when it let go; 0: not for long */
};

/* A change of the thread that sampling.watch names. SAMPLE_SWITCH, in order. */
struct switch_sample {
	struct sample head;
	u32 tid, cpu;
	u64 t_ns;
	enum task_state state; /* from now on */
	u32 syscall, futex_op;	  /* of a sleep */
	u64 kstack, ustack;	  /* of a sleep or a preemption; 0 none */
};

#endif
