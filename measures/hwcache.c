// SPDX-License-Identifier: GPL-2.0-only
/* The CPU's own caches: references and misses, by who had the CPU. */
#include "bpf/counters.h"
#include "samples/counters.h"
#include "samples/measure.h"

enum { BY_CACHE, BY_CPU, BY_SHARED, BY_PID, BY_TID, BY_COMM, BY_CGROUP, LABELS };

static void cache_text(u64 cache, char *buf, size_t size)
{
	copy_str(buf, size, cache == HWCACHE_LLC ? "llc" : "tlb");
}

static const struct measure_range caches[] = {{HWCACHE_LLC, HWCACHES - HWCACHE_LLC}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_CACHE] = {.name = "cache", .title = "Cache", .width = 5, .text = cache_text, .values = caches,
		      .help = "llc: the last level, which CPUs may share; tlb: translations of addresses of data",
		      .word = COUNTERS_LABEL_EVENT, .bits = 32},
	[BY_CPU] = {.name = "cpu", .title = "CPU", .width = 4, .help = "the CPU that counted",
		    .word = COUNTERS_LABEL_CPU, .bits = 32, .text = label__number, .number = true},
	[BY_SHARED] = {.name = HWCACHE_SHARED, .title = "Shared by", .width = 12,
		       .help = "CPUs that share the last level with the one that counted", .word = COUNTERS_LABEL_CPU,
		       .bits = 32, .implied_by = 1u << BY_CPU},
	[BY_PID] = {PID_LABEL("process that had the CPU; 0: it was idle")},
	[BY_TID] = {TID_LABEL("thread likewise")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
};

const struct measure measure_hwcache = {
	MEASURE_HERE,
	.name = "hwcache",
	.no_moment = "counts are of the time between two switches",
	.noun = "refs",
	.count_name = "references",
	.event = "perf events, sched_switch",
	.shape = MEASURE_SHAPE_COUNT,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_CACHE | 1u << BY_PID | 1u << BY_COMM,
	.sums = {[COUNTERS_SECOND] = {.name = "misses", .title = "Miss/s", .type = VALUE_COUNT,
				      .help = "references that the cache had not got"}},
	.ratios = {{.name = "hit_pct", .title = "Hit%", .type = VALUE_PCT, .help = "share of the references that hit",
		    .of = COUNTERS_REST, .in = RATIO_OF_COUNT},
		   {.name = "scaled_pct", .title = "Counted%", .type = VALUE_PCT,
		    .help = "of the time that they were to be counted they had counters: counts are scaled by that",
		    .of = COUNTERS_RUNNING, .in = COUNTERS_ENABLED}},
	.sort = "misses",
	.kept = COUNTERS_LABEL_EVENT,
	.drills = (const u32[]){1u << BY_TID, 1u << BY_SHARED, 1u << BY_CPU, 0},
};
