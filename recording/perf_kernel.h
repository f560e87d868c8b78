/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel addresses of perf.data. When its kernel is the one that runs here (by build-id; where
 * none was recorded, by release and host), /proc/kallsyms names them, moved by as much as that
 * kernel was loaded elsewhere; modules only when it was not. Else they are offsets in the kernel
 * and its modules. What came and went is named by the recording. One thread.
 */
#ifndef RECORDING_PERF_KERNEL_H
#define RECORDING_PERF_KERNEL_H

#include "recording/perf_ksymbols.h"
#include "recording/perf_meta.h"
#include "symbols/symbols.h"

#define PERF_MODULES_MAX 16384

struct perf_kernel_map {
	u64 start, end;
	u32 object; /* + 1 */
	char name[64];
};

struct perf_kernel {
	struct symbols *symbols;
	const struct perf_meta *meta;
	struct perf_kernel_map *maps;
	u32 nmaps, cap;
	bool sorted;
	struct perf_ksymbols ksymbols;
	char reference[64]; /* a symbol, and where it was; "" unknown */
	u64 reference_at;
	bool asked, here; /* whether it is this machine's; told by perf_kernel__is_here */
	s64 moved;	  /* what to add for here */
	u64 nelsewhere;	  /* addresses that are not here */
};

void perf_kernel__init(struct perf_kernel *k, struct symbols *symbols,
		       const struct perf_meta *meta);
void perf_kernel__fini(struct perf_kernel *k);
void perf_kernel__mmap(struct perf_kernel *k, const struct perf_record *r);
bool perf_kernel__is_here(struct perf_kernel *k);
u32 perf_kernel__locate(struct perf_kernel *k, u64 ip);

#endif
