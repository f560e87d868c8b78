/* SPDX-License-Identifier: GPL-2.0-only */
/* What the block layer's programs counted and sent, as samples. Collector thread only. */
#ifndef SOURCES_BLOCK_PUT_H
#define SOURCES_BLOCK_PUT_H

#include "sources/block_devices.h"
#include "sources/bpf_scope.h"

struct block_put {
	const struct block_devices *devices;
	struct bpf_scope *scope;
	const struct sample_sink *sink;
};

struct block_sum;
struct block_proc_sum;
struct block_slow_record;

/* Requests that ended. */
u64 block_put__count(const struct block_sum *sum);
/* Entries of the maps, and a record, of bpf/block.h; those out of scope are left out. */
void block_put__device(const struct block_put *p, const struct block_sum *sum);
void block_put__proc(const struct block_put *p, const struct block_proc_sum *sum);
void block_put__slow(const struct block_put *p, const struct block_slow_record *r);
void block_put__stack(const struct block_put *p, const struct block_slow_record *r);
/* The devices that are there. */
void block_put__present(const struct block_put *p);

#endif
