// SPDX-License-Identifier: GPL-2.0-only
/* The generic events of perf_event_open(2) under the names that perf gives them. */
#include <stdio.h>

#include "sources/events.h"

struct fixed_name {
	const char *name;
	u64 config;
};

static const struct fixed_name hardware[] = {
	{"cycles", PERF_COUNT_HW_CPU_CYCLES},
	{"cpu-cycles", PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
	{"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", PERF_COUNT_HW_BUS_CYCLES},
	{"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES},
	{"stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
};

static const struct fixed_name software[] = {
	{"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
	{"faults", PERF_COUNT_SW_PAGE_FAULTS},
	{"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cs", PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
	{"migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
	{"alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS},
	{"cgroup-switches", 11}, /* PERF_COUNT_SW_CGROUP_SWITCHES, since 5.13 */
};

static const struct fixed_name caches[] = {
	{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
	{"LLC", PERF_COUNT_HW_CACHE_LL},	{"dTLB", PERF_COUNT_HW_CACHE_DTLB},
	{"iTLB", PERF_COUNT_HW_CACHE_ITLB},	{"branch", PERF_COUNT_HW_CACHE_BPU},
	{"node", PERF_COUNT_HW_CACHE_NODE},
};

#define CACHE_OP(op, result)                                                                       \
	(((u64)PERF_COUNT_HW_CACHE_OP_##op << 8) | ((u64)PERF_COUNT_HW_CACHE_RESULT_##result << 16))

static const struct fixed_name cache_ops[] = {
	{"loads", CACHE_OP(READ, ACCESS)},	    {"load-misses", CACHE_OP(READ, MISS)},
	{"stores", CACHE_OP(WRITE, ACCESS)},	    {"store-misses", CACHE_OP(WRITE, MISS)},
	{"prefetches", CACHE_OP(PREFETCH, ACCESS)}, {"prefetch-misses", CACHE_OP(PREFETCH, MISS)},
};

static bool fixed(struct event_name *out, const struct fixed_name *row, const char *class, u32 type)
{
	copy_str(out->name, sizeof(out->name), row->name);
	out->class = class;
	out->type = type;
	out->config = row->config;
	return true;
}

bool event__name(u32 i, struct event_name *out)
{
	u32 nops = ARRAY_SIZE(cache_ops);

	if (i < ARRAY_SIZE(hardware))
		return fixed(out, &hardware[i], "hardware", PERF_TYPE_HARDWARE);
	i -= ARRAY_SIZE(hardware);
	if (i < ARRAY_SIZE(software))
		return fixed(out, &software[i], "software", PERF_TYPE_SOFTWARE);
	i -= ARRAY_SIZE(software);
	if (i >= ARRAY_SIZE(caches) * nops)
		return false;
	snprintf(out->name, sizeof(out->name), "%s-%s", caches[i / nops].name,
		 cache_ops[i % nops].name);
	out->class = "cache";
	out->type = PERF_TYPE_HW_CACHE;
	out->config = caches[i / nops].config | cache_ops[i % nops].config;
	return true;
}
