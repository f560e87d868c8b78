/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What sources hand out. A sample is valid only during the sink call; whoever keeps
 * it copies it. Collector thread only. Times are CLOCK_MONOTONIC nanoseconds.
 */
#ifndef SAMPLES_SAMPLE_H
#define SAMPLES_SAMPLE_H

#include "base/base.h"

enum sample_type {
	SAMPLE_STACK_DEF, /* struct stack_def: a stack before the first sample that names it */
	SAMPLE_STACK,	  /* struct stack_sample */
	SAMPLE_PROC,	  /* struct proc_event */
	SAMPLE_VITALS,	  /* struct vitals_sample, samples/vitals.h */
	SAMPLE_WAIT,	  /* struct wait_sample, samples/sched.h, and so are the next four */
	SAMPLE_TASK,
	SAMPLE_CPU,
	SAMPLE_DELAY,
	SAMPLE_SWITCH,
	SAMPLE_UNWIND, /* struct unwind_sample, samples/unwind.h */
	SAMPLE_IO, /* struct io_sample, samples/block.h, and so are the next three */
	SAMPLE_IO_PROC,
	SAMPLE_IO_SLOW,
	SAMPLE_IO_DEVICE,
	SAMPLE_CACHE, /* struct cache_sample, samples/cache.h, and so are the next four */
	SAMPLE_CACHE_MISS,
	SAMPLE_CACHE_TOTALS,
	SAMPLE_MEASURE, /* struct measure_sample, samples/measure.h, and so are the next three */
	SAMPLE_MEASURE_OPEN,
	SAMPLE_MEASURE_SLOW,
	SAMPLE_ASK, /* struct ask_sample, samples/ask.h */
	SAMPLE_MEASURE_HELD,
	SAMPLE_BPF_PROG, /* struct bpf_prog_sample, samples/bpf_progs.h, and so are the next two */
	SAMPLE_BPF_MAP,
	SAMPLE_BPF_STATE,
	SAMPLE_PROCS, /* struct procs_sample, samples/procs.h */
	SAMPLE_FIGURE, /* struct figure_sample, samples/system.h, and so are the next two */
	SAMPLE_USAGE,
	SAMPLE_NOTICE,
	SAMPLE_MEASURE_HOLDER, /* struct measure_holder_sample, samples/measure.h, and so is the next one */
	SAMPLE_MEASURE_ORDER,
	SAMPLE_MEASURE_LEVELS,
	SAMPLE_ASK_LINE, /* struct ask_line_sample, samples/ask.h */
	SAMPLE_PERCPU, /* struct percpu_sample, samples/percpu.h */
	SAMPLE_COMMAND, /* struct command_sample, samples/command.h, and so is the next one */
	SAMPLE_THREAD_NAME,
	SAMPLE_IO_STACK, /* struct io_stack_sample, samples/block.h */
	SAMPLE_WAIT_LOCK, /* struct wait_lock_sample, samples/sched.h */
	SAMPLE_TYPES, /* how many there are */
};

struct sample {
	enum sample_type type;
};

#define STACK_LOCS 1024

/* Locs of a stack's frames, once somebody has looked them up: most of what takes a stack needs them. */
struct stack_locs {
	u32 n; /* 0: nobody has */
	u32 v[STACK_LOCS];
};

/*
 * The frames of a stack, named by a 64-bit hash over them. Kernel frames come first, then
 * user frames, each leaf first. User addresses mean something only in their process.
 */
struct stack_def {
	struct sample head;
	u64 hash;
	u16 nkernel, nuser;
	bool cut;	/* the walk reached its depth limit: the outermost frames are missing */
	bool whole;	/* the last user frame is known to be the outermost, whatever its name */
	bool named;	/* ips are loc ids of symbols__named() already (recorded or scripted input) */
	bool interrupt; /* kernel frames of an interrupt; what it interrupted is left out */
	bool scripts;	/* user frames marked SCRIPT_FRAME hold locs; else a mark is what a program left there */
	u32 tgid;	/* whose user frames these are */
	u64 t_ns;	/* when it was seen: picks the mapping in force */
	const u64 *ips; /* nkernel + nuser of them */
	struct stack_locs *located; /* while it is handed out; NULL: each looks for itself */
};

/* count samples with one key, as aggregated by the source since it was last drained. */
struct stack_sample {
	struct sample head;
	u64 stack;	 /* stack_def.hash; 0: no stack was taken or it was lost */
	u64 cgroup;	 /* cgroup v2 id, 0 unknown */
	u32 tgid, tid, cpu;
	u32 host;	 /* which of several machines (base/hosts.h); 0: of the only one */
	u64 count;	 /* samples */
	u64 weight;	 /* sum of their periods, in the event's unit (cpu-clock: ns) */
	u64 t_ns;	 /* of the last one */
	char comm[COMM_LEN]; /* the thread's name at the first one */
	/* Of the process: its main thread's name, "" not known; when it began, which distinguishes
	 * those that had one number, 0 not known. */
	char process[COMM_LEN];
	u64 start_ns;
};

enum proc_event_type {
	PROC_FORK,
	PROC_EXIT,
	PROC_LIVES, /* those before are the begin and the end of a life */
	PROC_EXEC = PROC_LIVES,
	PROC_COMM,
	PROC_MMAP,
	PROC_SEEN, /* first sample of a process: read its maps before it exits; comm is set */
};

/* Upkeep of processes' names and address spaces. */
struct proc_event {
	struct sample head;
	enum proc_event_type type;
	u64 t_ns;
	u32 tgid, tid;
	u32 parent_tgid; /* PROC_FORK */
	u32 host;	 /* as in struct stack_sample */
	char comm[COMM_LEN]; /* PROC_EXEC, PROC_COMM */
	/* PROC_MMAP of executable memory: */
	u64 start, end, file_offset;
	u32 dev_major, dev_minor;
	u64 inode;
	u64 generation;	  /* another one when the inode's number is used again; 0: not known */
	const char *path; /* as the process sees it; "//anon", "[vdso]" and the like too */
};

/* A process begins or ends: with its first thread, or its last. */
static inline bool proc_event__is_life(const struct proc_event *ev)
{
	return ev->type < PROC_LIVES && ev->tid == ev->tgid;
}

/* Called by a source for each sample, on the collector thread. */
struct sample_sink {
	void (*put)(void *ctx, const struct sample *s);
	void *ctx;
};

static inline void sink__put(const struct sample_sink *sink, const struct sample *s)
{
	sink->put(sink->ctx, s);
}

#endif
