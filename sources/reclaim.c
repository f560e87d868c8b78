// SPDX-License-Identifier: GPL-2.0-only
/* What is special to the source of memory that is made free: what the machine has left, and what came of it since
 * watching began, whoever was asked for. */
#include "base/arena.h"
#include "base/file.h"
#include "bpf/reclaim.h"
#include "sources/measures.h"

/* Since the machine began. */
struct reclaim {
	u64 stalls, kills;
};

static struct reclaim read_events(void)
{
	struct reclaim now = {0};
	const struct file_value events[] = {
		{"allocstall_dma", &now.stalls, 1},	{"allocstall_dma32", &now.stalls, 1},
		{"allocstall_normal", &now.stalls, 1},	{"allocstall_movable", &now.stalls, 1},
		{"allocstall_device", &now.stalls, 1},	{"oom_kill", &now.kills, 1},
	};

	file__add_values("/proc/vmstat", events, ARRAY_SIZE(events));
	return now;
}

static void *reclaim__begin(const struct measure *m, const struct sampling *how)
{
	struct reclaim *r = xcalloc(1, sizeof(*r));

	(void)m, (void)how;
	*r = read_events();
	return r;
}

static bool reclaim__levels(void *ctx, u64 v[MEASURE_LEVELS])
{
	const struct reclaim *began = ctx, now = read_events();
	u64 total = 0, left = 0;
	const struct file_value memory[] = {
		{"MemAvailable", &v[RECLAIM_LEVEL_AVAILABLE], 1024}, {"SwapTotal", &total, 1024}, {"SwapFree", &left, 1024}};

	file__add_values("/proc/meminfo", memory, ARRAY_SIZE(memory));
	v[RECLAIM_LEVEL_SWAPPED] = total - left;
	v[RECLAIM_LEVEL_STALLS] = now.stalls - began->stalls;
	v[RECLAIM_LEVEL_KILLS] = now.kills - began->kills;
	return true;
}

const struct measure_hooks reclaim_hooks = {
	.begin = reclaim__begin,
	.end = free,
	.levels = reclaim__levels,
};
