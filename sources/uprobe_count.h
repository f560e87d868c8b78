/* SPDX-License-Identifier: GPL-2.0-only */
/* How often places in programs are passed, and what a probe there takes, before anything else is put there: a
 * program of a few instructions counts. Needs links of the kind uprobe_multi. Collector thread only. */
#ifndef SOURCES_UPROBE_COUNT_H
#define SOURCES_UPROBE_COUNT_H

#include "sources/uprobe.h"

struct uprobe_count {
	int map_fd, prog_fd; /* 0: not open */
	int *links;
	u32 n, cap;
};

/* All 0 to begin with; false: this kernel does not take it. */
bool uprobe_count__open(struct uprobe_count *c);
/* The cookies of the set are not looked at. */
void uprobe_count__add(struct uprobe_count *c, const struct uprobe_set *set);
/* So far. */
u64 uprobe_count__sum(const struct uprobe_count *c);
/* Of one probe on this machine, measured once, in ns; 0: not known. */
u64 uprobe_count__cost(struct uprobe_count *c);
void uprobe_count__close(struct uprobe_count *c);

#endif
