// SPDX-License-Identifier: GPL-2.0-only
/* What follows from the counts of the page cache. */
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
