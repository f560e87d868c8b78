/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the source of the CPU's own caches hands out: references and misses, counted by the CPU
 * for each CPU as a whole, and divided among those who ran there as the samples taken meanwhile
 * are. So sums over tasks are what was counted; how much is a task's is an estimate, the better
 * the more there was. A sample of samples/sample.h; the same rules hold.
 */
#ifndef SAMPLES_CPU_CACHE_H
#define SAMPLES_CPU_CACHE_H

#include "samples/sample.h"

enum cpu_cache { CPU_CACHE_LLC, CPU_CACHE_TLB, CPU_CACHES };
enum cpu_cache_count { CPU_CACHE_REFERENCES, CPU_CACHE_MISSES, CPU_CACHE_COUNTS };

/* tgid of what is no process': counted while no sample was taken, or of several. */
#define CPU_CACHE_NOBODY UINT32_MAX

/* Of one task on one CPU, in the interval since the source was last drained. SAMPLE_CPU_CACHE. */
struct cpu_cache_sample {
	struct sample head;
	u32 cpu, tgid, tid; /* tgid 0: the idle task */
	u64 cgroup;	    /* v2 id, 0 unknown */
	char comm[COMM_LEN];
	u64 n[CPU_CACHES][CPU_CACHE_COUNTS];
};

/* What is counted at all. SAMPLE_CPU_CACHE_STATE, one an interval. */
struct cpu_cache_state_sample {
	struct sample head;
	struct cpu_cache_state {
		bool known;	 /* false: its numbers are 0 */
		bool estimated;	 /* counters were shared with others: counted for a part of the
				  * time, and scaled */
		char events[64]; /* "cache-references, cache-misses" */
		char why[160];	 /* not known: why */
	} of[CPU_CACHES];
};

#endif
