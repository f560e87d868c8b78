// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the cache view's rows. */
#include "base/columns.h"
#include "models/cache_result.h"
#include "models/fields.h"

#define ROW struct cache_row

enum {
	PIDS = 1u << CACHE_BY_PID,
	FILES = 1u << CACHE_BY_FILE,
	COMMS = 1u << CACHE_BY_COMM,
	CGROUPS = 1u << CACHE_BY_CGROUP,
	TOTAL = 1u << CACHE_BY_TOTAL,
};

enum {
	HITS = 1u << CACHE_SHOW_HITS,
	KINDS = 1u << CACHE_SHOW_KINDS,
	AHEAD = 1u << CACHE_SHOW_AHEAD,
};

/* What stacks want of a narrow screen. */
#define STACKS_W 30
/* What paths want of it, where nobody has to be named beside them. */
#define PATHS_W 40

#define OF_COUNT(sets_, count, name, title, priority, help)                                        \
	{                                                                                          \
		COUNT_COLUMN(name, title, 7, priority, COLUMN_BOTH | COLUMN_SUM, help),            \
			NUMBER_AT(ROW, n[count]), .sets = sets_                                    \
	}

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
static const struct field fields[] = {
	{PCT_COLUMN("miss_share_pct", "Miss%", 6, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
		    "share of all misses; of what unfolds, that of its stacks"),
	 VALUE_AT(ROW, miss_share)},
	{COUNT_COLUMN("miss_rate", "Miss/s", 7, 0, COLUMN_SCREEN | COLUMN_SHARE,
		      "pages asked for that were not in the cache, per second"),
	 RATE_AT(ROW, misses)},
	{PCT_COLUMN("hit_pct", "Hit%", 6, 0, COLUMN_BOTH,
		    "share of the pages asked for that were in the cache already"),
	 VALUE_AT(ROW, hit_pct), .sets = HITS},
	{PCT_COLUMN("disk_pct", "Disk%", 6, 1, COLUMN_BOTH,
		    "share of the pages asked for that came from a disk: misses and what was read ahead"),
	 VALUE_AT(ROW, disk_pct), .sets = HITS},
	{COUNT_COLUMN("hit_rate", "Hit/s", 7, 0, COLUMN_SCREEN | COLUMN_SHARE,
		      "pages asked for that were in the cache, per second"),
	 RATE_AT(ROW, hits), .sets = HITS},
	{COUNT_COLUMN("dirty_rate", "Dirty/s", 7, 2, COLUMN_SCREEN | COLUMN_SHARE,
		      "clean pages that became dirty, per second"),
	 RATE_AT(ROW, n[CACHE_DIRTIED]), .sets = HITS},
	{BYTES_COLUMN("added_rate", "In B/s", 6, 2, COLUMN_SCREEN | COLUMN_SHARE,
		      "bytes per second put into the cache: misses, read ahead and others"),
	 RATE_AT(ROW, added_bytes), .sets = HITS},
	{PCT_COLUMN("read_hit_pct", "RdHit%", 6, 3, COLUMN_BOTH, "the same of reads and faults"),
	 VALUE_AT(ROW, read_pct), .sets = HITS},
	{PCT_COLUMN("write_hit_pct", "WrHit%", 6, 3, COLUMN_BOTH, "the same of writes"),
	 VALUE_AT(ROW, write_pct), .sets = HITS},
	{COUNT_COLUMN("misses", "Misses", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "pages asked for that were not in the cache, in the window"),
	 NUMBER_AT(ROW, misses)},
	{COUNT_COLUMN("hits", "Hits", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
		      "pages asked for that were in the cache, in the window"),
	 NUMBER_AT(ROW, hits)},
	OF_COUNT(KINDS, CACHE_READ_HITS, "read_hits", "RdHit", 0,
		 "pages read that were in the cache, in the window"),
	OF_COUNT(KINDS, CACHE_READ_MISSES, "read_misses", "RdMiss", 0,
		 "pages read that were not in the cache, in the window"),
	OF_COUNT(KINDS, CACHE_WRITE_HITS, "write_hits", "WrHit", 0,
		 "pages written to that were in the cache, in the window"),
	OF_COUNT(KINDS, CACHE_WRITE_MISSES, "write_misses", "WrMiss", 0,
		 "pages written to that were not in the cache, in the window"),
	OF_COUNT(KINDS, CACHE_FAULT_HITS, "fault_hits", "MapHit", 1,
		 "first touches of pages of mapped files that were in the cache, in the window"),
	OF_COUNT(
		KINDS, CACHE_FAULT_MISSES, "fault_misses", "MapMiss", 1,
		"first touches of pages of mapped files that were not in the cache, in the window"),
	OF_COUNT(KINDS, CACHE_DIRTIED, "dirties", "Dirtied", 2,
		 "clean pages that became dirty, in the window"),
	OF_COUNT(AHEAD, CACHE_AHEAD_ADDED, "readahead_added", "Ahead", 0,
		 "pages read ahead into the cache, in the window"),
	OF_COUNT(AHEAD, CACHE_AHEAD_USED, "readahead_used", "Used", 0,
		 "pages read ahead that were asked for at last, in the window"),
	OF_COUNT(AHEAD, CACHE_AHEAD_WASTED, "readahead_wasted", "Wasted", 0,
		 "pages read ahead that left the cache unused, in the window"),
	OF_COUNT(AHEAD, CACHE_OTHER_ADDED, "other_added", "Other", 3,
		 "pages put into the cache for none of these, as a file system's own data"),
	OF_COUNT(AHEAD, CACHE_EVICTED, "evicted", "Evicted", 1,
		 "pages taken out to make room for others, in the window"),
	OF_COUNT(AHEAD, CACHE_DROPPED, "dropped", "Dropped", 2,
		 "pages taken out as they were truncated, invalidated or dropped"),
	{PCT_COLUMN("readahead_wasted_pct", "Waste%", 6, 2, COLUMN_BOTH,
		    "wasted pages' share of those read ahead that were used or wasted"),
	 VALUE_AT(ROW, wasted_pct), .sets = AHEAD},
	{BYTES_COLUMN("added_bytes", "Added", 7, 1, COLUMN_BOTH | COLUMN_SUM,
		      "bytes put into the cache: misses, read ahead and others"),
	 NUMBER_AT(ROW, added_bytes), .sets = AHEAD},
	{TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"), TEXT_AT(ROW, pid_text),
	 .groups = PIDS},
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH,
		     "name of the process; [nobody]: what was not done by one, as evictions"),
	 TEXT_AT(ROW, comm), .groups = PIDS | COMMS, .keys = PIDS | COMMS},
	END_FIELDS(ROW, PIDS),
	CMDLINE_FIELD(ROW, PIDS),
	{TEXT_COLUMN("total", "Total", 15, 0, COLUMN_SCREEN, "everything in scope"),
	 TEXT_AT(ROW, name), .groups = TOTAL, .keys = TOTAL},
	{TEXT_COLUMN(
		 "file", "File", 25, 0, COLUMN_BOTH,
		 "path below the root of its mount; [device]: a disk's own pages, as directories"),
	 TEXT_AT(ROW, file), .groups = FILES, .keys = FILES},
	{TEXT_COLUMN("cgroup", "Cgroup", 16, 0, COLUMN_BOTH,
		     "cgroup v2 of who did it, path below its mount point"),
	 TEXT_AT(ROW, cgroup_name), .groups = CGROUPS, .keys = CGROUPS},
	{TEXT_COLUMN("top_file", "Most of it on", 17, 1, COLUMN_BOTH,
		     "the known file that is missed most; where none is, that is hit most"),
	 TEXT_AT(ROW, file), .groups = PIDS | COMMS | CGROUPS | TOTAL},
	{TEXT_COLUMN("top_comm", "Most of it by", 15, 1, COLUMN_BOTH,
		     "the process that misses most; where none does, that hits most"),
	 TEXT_AT(ROW, comm), .groups = FILES | CGROUPS | TOTAL},
	{ID_COLUMN("pid", "process id; null of what no process did"), NUMBER_AT(ROW, pid),
	 UNLESS_0(ROW, pid), .groups = PIDS},
	{TEXT_COLUMN("dev", "dev", 7, 0, COLUMN_EXPORT, "device of the file, major:minor"),
	 TEXT_AT(ROW, dev_text), .groups = FILES},
	{ID_COLUMN("inode", "the file's number"), VIA(ROW, use), NUMBER_AT(struct cache_use, inode),
	 UNLESS_0(struct cache_use, inode), .groups = FILES},
};

/* Where there is less to see it gives way to what the columns are about. */
static const u8 share_priority[CACHE_SHOWS] = {
	[CACHE_SHOW_HITS] = 0, [CACHE_SHOW_KINDS] = 4, [CACHE_SHOW_AHEAD] = 1};

static struct column *named(struct column *columns, const char *name)
{
	return column__named(columns, ARRAY_SIZE(fields), name);
}

/* Paths get the width that is left; of one file alone, the stacks of who uses it do. */
void cache_result__table(struct cache_result *a)
{
	const struct cache_query *q = &a->query;
	struct column *columns =
		RESULT_TABLE(&a->base, fields, a->rows, a->nrows, q->group, q->show, "miss_rate");

	named(columns, "miss_share_pct")->priority = share_priority[q->show];
	if (!q->by_file) {
		named(columns, "comm")->flags &= ~COLUMN_FLEX;
		named(columns, "total")->flags &= ~COLUMN_FLEX;
	} else {
		named(columns, "top_file")->flags &= ~COLUMN_SCREEN;
		named(columns, "comm")->width = STACKS_W;
	}
	if (q->by_pid) {
		named(columns, "top_comm")->flags &= ~COLUMN_SCREEN;
		named(columns, "file")->width = PATHS_W;
	}
	named(columns, "top_file")->flags |= COLUMN_FLEX;
}
