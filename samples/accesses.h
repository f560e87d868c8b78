/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What CPUs say of an access to memory that they sampled (PEBS, IBS, SPE: union perf_mem_data_src of
 * linux/perf_event.h) and of a branch that they noted (LBR, BRBE: struct perf_branch_entry), in words as perf's.
 * Any thread.
 */
#ifndef SAMPLES_ACCESSES_H
#define SAMPLES_ACCESSES_H

#include "base/base.h"

/* Which bits of data_src say it; each text looks at these alone. */
#define ACCESS_SOURCE_BITS (0x3fffULL << 5 | 0xfULL << 33 | 1ULL << 37) /* where the data came from */
#define ACCESS_OP_BITS	   (0x1fULL | 3ULL << 24)			  /* what was done, and whether locked */
#define ACCESS_TLB_BITS	   (0x7fULL << 26)				  /* where the address was translated */
#define ACCESS_SNOOP_BITS  (0x1fULL << 19 | 3ULL << 38)			  /* what other caches answered */

void access__source(u64 data_src, char *buf, size_t size);
void access__op(u64 data_src, char *buf, size_t size);
void access__tlb(u64 data_src, char *buf, size_t size);
void access__snoop(u64 data_src, char *buf, size_t size);

/* Bits of the word behind `from` and `to`. */
#define BRANCH_GUESS_BITS  3ULL /* mispred, predicted */
#define BRANCH_CYCLES_AT   4
#define BRANCH_CYCLES_BITS 0xffffULL
#define BRANCH_KIND_AT	   20
#define BRANCH_KIND_BITS   0xfULL

/* guess: BRANCH_GUESS_BITS of the word; kind: shifted down. */
void branch__guess(u64 guess, char *buf, size_t size);
void branch__kind(u64 kind, char *buf, size_t size);

#endif
