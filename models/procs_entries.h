/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The entries of the model of processes, in pages that snapshots share: a page is copied when it is
 * written while a snapshot has it. So an interval costs as much as there are processes that did
 * something in it, however many sleep. The collector's, but for what a snapshot holds.
 */
#ifndef MODELS_PROCS_ENTRIES_H
#define MODELS_PROCS_ENTRIES_H

#include "models/procs.h"

struct procs_entries {
	struct procs_page **pages; /* one reference to each */
	u32 n, npages, cap;
};

/* To be read until the next call that writes. */
const struct procs_entry *procs_entries__at(const struct procs_entries *e, u32 i);
/* To be written; pointers to others stay what they are until those are asked for to be written. */
struct procs_entry *procs_entries__write(struct procs_entries *e, u32 i);
/* The place of a new one, all 0. */
u32 procs_entries__add(struct procs_entries *e);
/* From the end. */
void procs_entries__truncate(struct procs_entries *e, u32 n);
/* What is there now, for a snapshot, which puts it. */
struct procs_pages *procs_entries__share(const struct procs_entries *e);
void procs_pages__put(void *pages);
size_t procs_entries__bytes(const struct procs_entries *e);
void procs_entries__fini(struct procs_entries *e);

#endif
