/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of the files that this process has mapped: its program, its libraries. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stdio.h>

#include "base/base.h"

/* Unmaps those that were never written; the next access takes them from the page cache again. For who has begun:
 * most of a program is needed once. The bytes of their mappings. Any thread. */
u64 pages__drop_files(void);

/* What it reads, one mapping after the other: as /proc/self/smaps has them. False: there is no more. */
struct pages_range {
	uintptr_t start, end;
};
bool pages__next_clean(FILE *smaps, struct pages_range *out);

#endif
