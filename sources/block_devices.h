/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Block devices by number: their names and what is in flight, from /proc/diskstats
 * (Documentation/admin-guide/iostats.rst). Devices that have gone keep their names.
 * Collector thread only.
 */
#ifndef SOURCES_BLOCK_DEVICES_H
#define SOURCES_BLOCK_DEVICES_H

#include "samples/block.h"

#define BLOCK_DEVICES_MAX 8192

struct block_device_entry {
	u32 dev; /* dev_t as the kernel has it: major << 20 | minor */
	char name[IO_NAME_LEN];
	u64 in_flight;
	u64 done;	       /* requests that ended: reads, writes, discards, flushes */
	u64 before;	       /* done, in what was parsed before */
	bool quiet, was_quiet; /* nothing had happened since then, nothing is in flight */
	bool present;	       /* in what was parsed last */
};

struct block_devices {
	struct block_device_entry *items; /* by dev */
	u32 n, cap;
};

void block_devices__fini(struct block_devices *d);
/* Takes over what the file's text says; lines that are none are left out. */
void block_devices__parse(struct block_devices *d, const char *text);
/* Reads the file: 0 or -errno. */
int block_devices__read(struct block_devices *d);
/* NULL when it was never there. */
const struct block_device_entry *block_devices__find(const struct block_devices *d, u32 dev);
/* "vda"; "259:3" when it is not known. */
void block_devices__name(const struct block_devices *d, u32 dev, char out[IO_NAME_LEN]);
/* Whether a device is there that has no requests, only bios. */
bool block_devices__have_bio_based(const struct block_devices *d);

#endif
