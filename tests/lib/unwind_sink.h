/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where unwind tables go in tests, instead of maps in the kernel: the same pages and entries, and
 * a search in them as the programs make it. One per test program.
 */
#ifndef TESTS_LIB_UNWIND_SINK_H
#define TESTS_LIB_UNWIND_SINK_H

#include <stdlib.h>

#include "base/arena.h"
#include "bpf/unwind.h"
#include "samples/unwind.h"

#define SINK_PAGES     4096
#define SINK_PROCESSES 64

struct sink_process {
	u32 tgid;
	struct unwind_process head;
	struct unwind_part parts[UNWIND_PARTS];
};

static struct {
	struct unwind_page *pages[SINK_PAGES];
	u32 max_pages; /* that can be had */
	struct unwind_object objects[UNWIND_OBJECTS];
	_Atomic u32 barriers;
	struct sink_process processes[SINK_PROCESSES];
	u32 nprocesses, published, scripts; /* published: calls */
	/* The last file that was told, and calls: */
	struct unwind_file file;
	u32 file_slot;
	_Atomic u32 nfiles;
} kept;

static struct unwind_page *kept_page(u32 number)
{
	if (number >= MIN(kept.max_pages, (u32)SINK_PAGES))
		return NULL;
	if (!kept.pages[number])
		kept.pages[number] = xcalloc(1, sizeof(struct unwind_page));
	return kept.pages[number];
}

static struct unwind_object *kept_object(u32 slot)
{
	return &kept.objects[slot];
}

static void kept_barrier(void)
{
	kept.barriers++;
}

static inline struct sink_process *kept_find(u32 tgid)
{
	for (u32 i = 0; i < kept.nprocesses; i++)
		if (kept.processes[i].tgid == tgid)
			return &kept.processes[i];
	return NULL;
}

static int kept_process(u32 tgid, const struct unwind_process *p, const struct unwind_part *parts)
{
	struct sink_process *to = kept_find(tgid);

	if (!to && kept.nprocesses == SINK_PROCESSES)
		return -ENOMEM;
	if (!to)
		to = &kept.processes[kept.nprocesses++];
	to->tgid = tgid;
	to->head = *p;
	memcpy(to->parts, parts, p->nparts * sizeof(*parts));
	kept.published++;
	return 0;
}

static void kept_forget(u32 tgid)
{
	struct sink_process *p = kept_find(tgid);

	if (p)
		*p = kept.processes[--kept.nprocesses];
}

static void kept_file(const struct unwind_file *f, u32 slot)
{
	kept.file = *f;
	kept.file_slot = slot;
	kept.nfiles++;
}

static void kept_begin(void)
{
	kept.nfiles = 0;
}

static int kept_runtime(u32 tgid, const union runtime *rt)
{
	kept.scripts += rt != NULL;
	return 0;
}

static const struct unwind_sink kept_sink = {
	.page = kept_page,
	.object = kept_object,
	.barrier = kept_barrier,
	.file = kept_file,
	.begin = kept_begin,
	.process = kept_process,
	.forget = kept_forget,
	.runtime = kept_runtime,
};

static inline void kept__clear(u32 max_pages)
{
	for (u32 i = 0; i < SINK_PAGES; i++)
		free(kept.pages[i]);
	memset(&kept, 0, sizeof(kept));
	kept.max_pages = max_pages;
}

/* --- as the programs look --- */

static inline u64 kept__entry(u32 page, u32 pc)
{
	u32 i = 0;

	for (u32 step = UNWIND_PAGE_ENTRIES / 2; step; step /= 2)
		if ((u32)kept.pages[page]->entry[i + step] <= pc)
			i += step;
	return kept.pages[page]->entry[i];
}

static inline struct unwind_row kept__row(u32 root, u32 depth, u32 pc)
{
	struct unwind_row row;
	u64 e = (u64)root << 32;

	for (u32 i = 0; i < depth; i++)
		e = kept__entry((u32)(e >> 32), pc);
	memcpy(&row, &e, sizeof(row));
	return row;
}

/* What is known to be mapped there; NULL: nothing. */
static inline const struct unwind_mapping *kept__mapping(u32 tgid, u64 ip)
{
	const struct sink_process *p = kept_find(tgid);

	for (u32 i = 0; p && i < p->head.nparts; i++)
		for (u32 k = 0; k < UNWIND_PART; k++)
			if (ip >= p->parts[i].v[k].start && ip < p->parts[i].v[k].end)
				return &p->parts[i].v[k];
	return NULL;
}

#endif
