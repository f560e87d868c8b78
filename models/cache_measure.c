// SPDX-License-Identifier: GPL-2.0-only
/* What the page cache is as a measure, and what follows from its counts. */
#include "models/cache.h"

u64 cache__hits(const u64 n[CACHE_COUNTS])
{
	return n[CACHE_READ_HITS] + n[CACHE_WRITE_HITS] + n[CACHE_FAULT_HITS];
}

u64 cache__misses(const u64 n[CACHE_COUNTS])
{
	return n[CACHE_READ_MISSES] + n[CACHE_WRITE_MISSES] + n[CACHE_FAULT_MISSES];
}

u64 cache__added(const u64 n[CACHE_COUNTS])
{
	return cache__misses(n) + n[CACHE_AHEAD_ADDED] + n[CACHE_OTHER_ADDED];
}

struct value cache__share(u64 part, u64 rest)
{
	if (!part && !rest)
		return (struct value){.type = VALUE_NONE};
	return (struct value){.type = VALUE_PCT,
			      .f = (double)part * 100 / ((double)part + (double)rest)};
}

struct value cache__hit_pct(const u64 n[CACHE_COUNTS])
{
	return cache__share(cache__hits(n), cache__misses(n));
}

struct value cache__read_hit_pct(const u64 n[CACHE_COUNTS])
{
	return cache__share(n[CACHE_READ_HITS] + n[CACHE_FAULT_HITS],
			    n[CACHE_READ_MISSES] + n[CACHE_FAULT_MISSES]);
}

/* Pages read ahead are hits when they are asked for, though a disk had to bring them, too. */
struct value cache__disk_pct(const u64 n[CACHE_COUNTS])
{
	u64 asked = cache__hits(n) + cache__misses(n);
	u64 disk = n[CACHE_READ_MISSES] + n[CACHE_FAULT_MISSES] + n[CACHE_AHEAD_USED];

	disk = MIN(disk, asked); /* what was asked for in this window may be used in the next */
	return cache__share(disk, asked - disk);
}

struct value cache__write_hit_pct(const u64 n[CACHE_COUNTS])
{
	return cache__share(n[CACHE_WRITE_HITS], n[CACHE_WRITE_MISSES]);
}

/* The first is below 1 us, the last has no upper end. */
u64 cache__age_lo(u32 i)
{
	if (i >= CACHE_AGES)
		return UINT64_MAX;
	return i ? 1000ULL << (i - 1) : 0;
}

/* --- the measure --- */

static const struct measure_label labels[CACHE_LABELS] = {
	[CACHE_FILE] = {.name = "file", .title = "File", .help = "by its inode", .bits = 64, .by_value = true},
	[CACHE_DEV] = {.name = "dev", .title = "dev", .help = "device of the file", .word = 1, .bits = 32,
		       .by_value = true, .implied_by = 1u << CACHE_FILE, .splits = true},
	[CACHE_PID] = {PID_LABEL("process id")},
	[CACHE_COMM] = {COMM_LABEL("name of the process")},
	[CACHE_CGROUP] = {CGROUP_LABEL},
	[CACHE_ALL] = {.name = "total", .title = "Total", .help = "everything in scope", .kind = LABEL_ALL},
};

/* By misses, then by hits. */
static int compare(const struct measure_values *a, const struct measure_values *b)
{
	u64 am = cache__misses(a->sums), bm = cache__misses(b->sums);
	u64 ah = cache__hits(a->sums), bh = cache__hits(b->sums);

	if (am != bm)
		return am > bm ? -1 : 1;
	return ah > bh ? -1 : ah < bh;
}

const struct measure measure_cache = {
	MEASURE_HERE,
	.name = "cache",
	.noun = "misses",
	.event = "filemap",
	.shape = MEASURE_SHAPE_COUNT,
	.labels = labels,
	.nlabels = CACHE_LABELS,
	.by = 1u << CACHE_PID,
	.compare = compare,
	.unfolds = true,
	.by_pid_alone = true,
	.keeps_processes = true,
};

_Static_assert((int)CACHE_COUNTS <= MEASURE_SUMS, "there is a sum of each count");
