/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this kernel's BPF can do, each tried for real by loading the smallest program that
 * needs it (bpf/probe.bpf.c): neither version numbers nor BTF decide, as distributions bring
 * parts of newer kernels to older ones. Collector thread, or the doctor's.
 */
#ifndef SOURCES_BPF_PROBE_H
#define SOURCES_BPF_PROBE_H

#include "base/base.h"
#include "base/status.h"

struct probe_bpf;

/* What the programs of a view cannot do without; bits. */
enum bpf_need {
	BPF_NEED_ATOMICS = 1, /* atomic operations that tell what was there before */
	BPF_NEED_STORAGE = 2, /* values kept with a task, for tracing programs */
};

/* The skeleton with one program switched on, and only the map it needs (NULL none); owned by
 * the caller, who loads it. NULL: errno tells why. */
struct probe_bpf *bpf_probe__open(const char *program, const char *map);

/* 0 when a program loads, else -errno. */
int bpf_probe__loads(const char *program, const char *map);

/* Hash maps that grow as they fill may be used by perf_event programs: 6.1 on. Tried once. */
bool bpf_probe__sparse_maps(void);

/* Programs may walk user stacks by unwind tables: 5.15 on. Tried once. */
bool bpf_probe__walks(void);

/* Iterators may walk what maps have: 5.8 on, where the kernel does not refuse it. Tried once. */
bool bpf_probe__map_iterators(void);

/* Fills st after a failed load; returns err. When this kernel lacks one of `needs`, that is
 * the reason told, with what has it; else as bpf_util__failed(). */
int bpf_probe__failed(u32 needs, int err, const char *what, struct status *st);

#endif
