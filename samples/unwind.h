/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between who makes unwind tables (symbols) and who keeps them where the programs in the kernel
 * find them (a source's maps, bpf/unwind.h). Calls say which thread makes them.
 */
#ifndef SAMPLES_UNWIND_H
#define SAMPLES_UNWIND_H

#include "samples/sample.h"

struct unwind_file;

/* A process whose user stacks are walked and that the programs do not know, or not enough of; or
 * a file that they met there and do not know. SAMPLE_UNWIND. */
struct unwind_sample {
	struct sample head;
	u32 tgid;
	u64 exec_id; /* which program it runs: task_struct.self_exec_id */
	u64 ip;	     /* where its walk ended for want of what is mapped there, or of its table */
	u64 t_ns;
	const struct unwind_file *file; /* what is mapped there; NULL: it is about the process */
};

struct unwind_page;
struct unwind_object;
struct unwind_process;
struct unwind_part;
union runtime;

struct unwind_sink {
	/* The worker that makes tables; object() also the collector, before it asks for one: */
	/* Memory of a page, for writing, until the next call; NULL: no more can be had. No program looks at a page
	 * that no object's tree has in it. */
	struct unwind_page *(*page)(u32 number);
	/* An object's entry, for reading and writing; programs see at once what is written. */
	struct unwind_object *(*object)(u32 slot);
	/* Returns when no program uses any more what it saw before the call. */
	void (*barrier)(void);
	/* A file that is mapped is the object of that slot. */
	void (*file)(const struct unwind_file *f, u32 slot);

	/* The collector thread: */
	/* Slots are given out anew: all files are forgotten. */
	void (*begin)(void);
	/* Takes the place of what was known of the process; parts: p->nparts of them. 0 or -errno
	 * (no room). */
	int (*process)(u32 tgid, const struct unwind_process *p, const struct unwind_part *parts);
	void (*forget)(u32 tgid);
	/* A runtime is in the process, and its frames look like that; before process(). 0 or -errno
	 * (no room). */
	int (*runtime)(u32 tgid, const union runtime *rt);
};

#endif
