/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc/diskstats has and the programs have not seen: kernels may leave a program out now
 * and then without counting that. Disks are compared whenever they are quiet, since then both
 * have counted the same requests; a disk that is never quiet is not compared.
 * Collector thread only.
 */
#ifndef SOURCES_BLOCK_LOSS_H
#define SOURCES_BLOCK_LOSS_H

#include "sources/block_devices.h"

struct block_loss_disk;

struct block_loss {
	struct block_loss_disk *items;
	u32 n, cap;
	u64 missed; /* since the beginning */
};

void block_loss__fini(struct block_loss *l);
/* Requests of a disk, its partitions included, that were counted in the interval. */
void block_loss__add(struct block_loss *l, u32 disk, u64 count);
/* Ends an interval, with the devices as they are. whole: all requests were to be counted; else
 * comparing begins anew. */
void block_loss__tick(struct block_loss *l, const struct block_devices *d, bool whole);

#endif
