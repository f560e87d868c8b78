/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the source of the whole machine's figures hands out, once an interval: samples of
 * samples/sample.h, the same rules hold.
 */
#ifndef SAMPLES_SYSTEM_H
#define SAMPLES_SYSTEM_H

#include "samples/sample.h"

enum figure {
#define FIGURE(id, kind, name) FIGURE_##id,
#include "samples/figures.def"
#undef FIGURE
	FIGURES
};

enum figure_kind { FIGURE_COUNTER, FIGURE_LEVEL };

struct figure_row {
	const char *name;
	enum figure_kind kind;
};
extern const struct figure_row figure_rows[FIGURES];

#define FIGURE_INSTANCE 64 /* bytes of an instance's name with its NUL */

/* One figure. SAMPLE_FIGURE. */
struct figure_sample {
	struct sample head;
	u32 figure;
	char instance[FIGURE_INSTANCE]; /* "" the machine */
	u64 value;   /* COUNTER: its growth, LEVEL: what it is */
	u64 span_ns; /* since the last one */
	u32 pid; /* of a cgroup: the process in it that used most CPU; of sockets and threads: whose; 0: not known */
};

/* A process that did something in the interval, or is not well. SAMPLE_USAGE. */
struct usage_sample {
	struct sample head;
	u32 pid, ppid;
	u64 start; /* clock ticks after boot: tells processes apart that had one pid */
	u64 cgroup; /* v2 id, 0 unknown */
	char comm[COMM_LEN];
	char state; /* as in /proc/PID/stat, of its main thread */
	bool kthread;
	bool own; /* it is who looks */
	s32 nice;
	u32 cpu, cpus; /* the last CPU of its main thread; on how many that may run, 0 unknown */
	u32 threads;
	u32 files, files_max; /* descriptors; 0 unknown */
	u64 span_ns; /* of what follows */
	u64 user_ns, system_ns;
	u64 children_ns; /* of CPU, of children that it has waited for */
	u64 minor_faults, major_faults;
	u64 read_bytes, write_bytes; /* from and to disks; 0 where it may not be known */
	u64 rss_bytes; /* now */
	u64 swapped_bytes; /* more of it is swapped than before */
	u64 mapped_bytes;  /* by so much pages of files and shared memory grew; 0 where it is not known */
};

#define NOTICE_TEXT  200
#define NOTICE_LEVEL 3 /* errors, and what is worse */

/* An error of the kernel that was logged since the source began, or a crash (notice__crash). SAMPLE_NOTICE. */
struct notice_sample {
	struct sample head;
	u32 level; /* 0 emergency to NOTICE_LEVEL; of crashes also what is less */
	u64 t_ns;
	char text[NOTICE_TEXT];
};

/* "NAME[PID]: segfault at ..." and its like: a process that a signal ended, as the kernel logs it. */
bool notice__crash(const char *text, u32 *pid, char comm[COMM_LEN]);

#endif
