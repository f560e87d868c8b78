/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is mapped in the processes of perf.data, as its records tell it, in the order of their
 * times: nothing is asked of the processes that have these numbers here and now. Bounded. One
 * thread.
 */
#ifndef RECORDING_PERF_SPACES_H
#define RECORDING_PERF_SPACES_H

#include "recording/perf_meta.h"
#include "symbols/symbols.h"
#include "symbols/unwind_walk.h"

struct perf_spaces;

/* meta: for build-ids; outlives it. vdso: this kernel's is that of the file. */
struct perf_spaces *perf_spaces__new(struct symbols *symbols, const struct perf_meta *meta);
void perf_spaces__free(struct perf_spaces *p);
void perf_spaces__same_kernel(struct perf_spaces *p);

void perf_spaces__mmap(struct perf_spaces *p, const struct perf_record *r);
void perf_spaces__fork(struct perf_spaces *p, u32 tgid, u32 parent);
void perf_spaces__exec(struct perf_spaces *p, u32 tgid);
void perf_spaces__exit(struct perf_spaces *p, u32 tgid);
/* The JITs of a process are called after it. */
void perf_spaces__name(struct perf_spaces *p, u32 tgid, const char *comm);

/* The loc at an address; SYM_UNKNOWN. */
u32 perf_spaces__locate(struct perf_spaces *p, u32 tgid, u64 ip);
/* As struct unwind_walk wants it. */
const struct unwind_code *perf_spaces__code(struct perf_spaces *p, u32 tgid, u64 ip, u64 *offset);
/* Changes when the same address may mean something else. */
u32 perf_spaces__epoch(const struct perf_spaces *p, u32 tgid);
/* Files whose code was met and which are not here as they were: how many, and one of them. */
u32 perf_spaces__missing(const struct perf_spaces *p, char *example, size_t size);

#endif
