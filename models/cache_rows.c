// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the cache view's rows. */
#include "base/columns.h"
#include "models/cache_answer.h"

enum cache_column {
	COL_SHARE,
	COL_MISS_RATE,
	COL_HIT_PCT,
	COL_HIT_RATE,
	COL_DIRTY_RATE,
	COL_ADDED_RATE,
	COL_READ_PCT,
	COL_WRITE_PCT,
	COL_MISSES,
	COL_HITS,
	COL_COUNTS, /* and one for each further count */
	COL_COUNTS_END = COL_COUNTS + CACHE_COUNTS,
	COL_WASTED_PCT = COL_COUNTS_END,
	COL_ADDED,
	COL_PID_TEXT,
	COL_COMM,
	COL_TOTAL,
	COL_FILE,
	COL_CGROUP,
	COL_TOP_FILE,
	COL_TOP_COMM,
	COL_PID,
	COL_DEV,
	COL_INODE,
	COLUMNS,
};

/* What stacks want of a narrow screen. */
#define STACKS_W 30
/* What paths want of it, where nobody has to be named beside them. */
#define PATHS_W 40

#define OF_COUNT(count, name, title, priority, help)                                               \
	[COL_COUNTS + (count)] =                                                                   \
		COUNT_COLUMN(name, title, 7, priority, COLUMN_BOTH | COLUMN_SUM, help)

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
static const struct column cache_columns[COLUMNS] = {
	[COL_SHARE] =
		PCT_COLUMN("miss_share_pct", "Miss%", 6, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
			   "share of all misses; of what unfolds, that of its stacks"),
	[COL_MISS_RATE] = COUNT_COLUMN("miss_rate", "Miss/s", 7, 0, COLUMN_SCREEN | COLUMN_SHARE,
				       "pages asked for that were not in the cache, per second"),
	[COL_HIT_PCT] = PCT_COLUMN("hit_pct", "Hit%", 6, 0, COLUMN_BOTH,
				   "share of the pages asked for that were in the cache already"),
	[COL_HIT_RATE] = COUNT_COLUMN("hit_rate", "Hit/s", 7, 0, COLUMN_SCREEN | COLUMN_SHARE,
				      "pages asked for that were in the cache, per second"),
	[COL_DIRTY_RATE] = COUNT_COLUMN("dirty_rate", "Dirty/s", 7, 0, COLUMN_SCREEN | COLUMN_SHARE,
					"clean pages that became dirty, per second"),
	[COL_ADDED_RATE] =
		BYTES_COLUMN("added_rate", "In B/s", 6, 2, COLUMN_SCREEN | COLUMN_SHARE,
			     "bytes per second put into the cache: misses, read ahead and others"),
	[COL_READ_PCT] = PCT_COLUMN("read_hit_pct", "RdHit%", 6, 3, COLUMN_BOTH,
				    "the same of reads and faults"),
	[COL_WRITE_PCT] =
		PCT_COLUMN("write_hit_pct", "WrHit%", 6, 3, COLUMN_BOTH, "the same of writes"),
	[COL_MISSES] = COUNT_COLUMN("misses", "Misses", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
				    "pages asked for that were not in the cache, in the window"),
	[COL_HITS] = COUNT_COLUMN("hits", "Hits", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
				  "pages asked for that were in the cache, in the window"),
	OF_COUNT(CACHE_READ_HITS, "read_hits", "RdHit", 0,
		 "pages read that were in the cache, in the window"),
	OF_COUNT(CACHE_READ_MISSES, "read_misses", "RdMiss", 0,
		 "pages read that were not in the cache, in the window"),
	OF_COUNT(CACHE_WRITE_HITS, "write_hits", "WrHit", 0,
		 "pages written to that were in the cache, in the window"),
	OF_COUNT(CACHE_WRITE_MISSES, "write_misses", "WrMiss", 0,
		 "pages written to that were not in the cache, in the window"),
	OF_COUNT(CACHE_FAULT_HITS, "fault_hits", "MapHit", 1,
		 "first touches of pages of mapped files that were in the cache, in the window"),
	OF_COUNT(
		CACHE_FAULT_MISSES, "fault_misses", "MapMiss", 1,
		"first touches of pages of mapped files that were not in the cache, in the window"),
	OF_COUNT(CACHE_DIRTIED, "dirties", "Dirtied", 2,
		 "clean pages that became dirty, in the window"),
	OF_COUNT(CACHE_AHEAD_ADDED, "readahead_added", "Ahead", 0,
		 "pages read ahead into the cache, in the window"),
	OF_COUNT(CACHE_AHEAD_USED, "readahead_used", "Used", 0,
		 "pages read ahead that were asked for at last, in the window"),
	OF_COUNT(CACHE_AHEAD_WASTED, "readahead_wasted", "Wasted", 0,
		 "pages read ahead that left the cache unused, in the window"),
	OF_COUNT(CACHE_OTHER_ADDED, "other_added", "Other", 3,
		 "pages put into the cache for none of these, as a file system's own data"),
	OF_COUNT(CACHE_EVICTED, "evicted", "Evicted", 1,
		 "pages taken out to make room for others, in the window"),
	OF_COUNT(CACHE_DROPPED, "dropped", "Dropped", 2,
		 "pages taken out as they were truncated, invalidated or dropped"),
	[COL_WASTED_PCT] =
		PCT_COLUMN("readahead_wasted_pct", "Waste%", 6, 2, COLUMN_BOTH,
			   "wasted pages' share of those read ahead that were used or wasted"),
	[COL_ADDED] = BYTES_COLUMN("added_bytes", "Added", 7, 1, COLUMN_BOTH | COLUMN_SUM,
				   "bytes put into the cache: misses, read ahead and others"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 0, COLUMN_SCREEN, "process id"),
	[COL_COMM] = TEXT_COLUMN(
		"comm", "Command", 15, 0, COLUMN_BOTH,
		"name of the process; [nobody]: what was not done by one, as evictions"),
	[COL_TOTAL] = TEXT_COLUMN("total", "Total", 15, 0, COLUMN_SCREEN, "everything in scope"),
	[COL_FILE] = TEXT_COLUMN(
		"file", "File", 25, 0, COLUMN_BOTH,
		"path below the root of its mount; [device]: a disk's own pages, as directories"),
	[COL_CGROUP] = TEXT_COLUMN("cgroup", "Cgroup", 16, 0, COLUMN_BOTH,
				   "cgroup v2 of who did it, path below its mount point"),
	[COL_TOP_FILE] =
		TEXT_COLUMN("top_file", "Most of it on", 17, 1, COLUMN_BOTH,
			    "the known file that is missed most; where none is, that is hit most"),
	[COL_TOP_COMM] =
		TEXT_COLUMN("top_comm", "Most of it by", 15, 1, COLUMN_BOTH,
			    "the process that misses most; where none does, that hits most"),
	[COL_PID] = ID_COLUMN("pid", "process id; null of what no process did"),
	[COL_DEV] =
		TEXT_COLUMN("dev", "dev", 7, 0, COLUMN_EXPORT, "device of the file, major:minor"),
	[COL_INODE] = ID_COLUMN("inode", "the file's number"),
};

/* --- which columns --- */

static bool applies(enum cache_group by, u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
	case COL_PID:
		return by == CACHE_BY_PID;
	case COL_COMM:
		return by == CACHE_BY_PID || by == CACHE_BY_COMM;
	case COL_TOTAL:
		return by == CACHE_BY_TOTAL;
	case COL_FILE:
	case COL_DEV:
	case COL_INODE:
	case COL_TOP_COMM:
		return by == CACHE_BY_FILE || (column == COL_TOP_COMM && by > CACHE_BY_COMM);
	case COL_TOP_FILE:
		return by != CACHE_BY_FILE;
	case COL_CGROUP:
		return by == CACHE_BY_CGROUP;
	default:
		return true;
	}
}

static bool of_kinds(u32 column)
{
	return column >= COL_COUNTS && column <= COL_COUNTS + CACHE_DIRTIED;
}

/* Which sets of columns one belongs to on screen. */
static bool shown(enum cache_show show, u32 column)
{
	switch (column) {
	case COL_HIT_PCT:
	case COL_HIT_RATE:
	case COL_DIRTY_RATE:
	case COL_ADDED_RATE:
	case COL_READ_PCT:
	case COL_WRITE_PCT:
		return show == CACHE_SHOW_HITS;
	case COL_WASTED_PCT:
	case COL_ADDED:
		return show == CACHE_SHOW_AHEAD;
	default:
		if (column < COL_COUNTS || column >= COL_COUNTS_END)
			return true;
		return show == (of_kinds(column) ? CACHE_SHOW_KINDS : CACHE_SHOW_AHEAD);
	}
}

/* --- cells --- */

static const char *text_cell(const struct cache_row *r, u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
		return r->pid_text;
	case COL_FILE:
	case COL_TOP_FILE:
		return r->file;
	case COL_CGROUP:
		return r->cgroup_name;
	case COL_COMM:
	case COL_TOP_COMM:
		return r->comm;
	case COL_DEV:
		return r->dev_text;
	default:
		return r->name;
	}
}

static struct value pct_cell(const struct cache_answer *a, const struct cache_row *r, u32 column)
{
	u64 misses = cache__misses(r->n);

	switch (column) {
	case COL_SHARE:
		return cache__share(misses, cache__misses(a->n) - misses);
	case COL_HIT_PCT:
		return cache__hit_pct(r->n);
	case COL_READ_PCT:
		return cache__read_hit_pct(r->n);
	case COL_WRITE_PCT:
		return cache__write_hit_pct(r->n);
	default:
		return cache__share(r->n[CACHE_AHEAD_WASTED], r->n[CACHE_AHEAD_USED]);
	}
}

static u64 number_cell(const struct cache_answer *a, const struct cache_row *r, u32 column)
{
	switch (column) {
	case COL_MISS_RATE:
		return window__per_second(cache__misses(r->n), a->window_ns);
	case COL_HIT_RATE:
		return window__per_second(cache__hits(r->n), a->window_ns);
	case COL_DIRTY_RATE:
		return window__per_second(r->n[CACHE_DIRTIED], a->window_ns);
	case COL_ADDED_RATE:
		return window__per_second(cache__added(r->n) * a->page_bytes, a->window_ns);
	case COL_MISSES:
		return cache__misses(r->n);
	case COL_HITS:
		return cache__hits(r->n);
	case COL_ADDED:
		return cache__added(r->n) * a->page_bytes;
	case COL_PID:
		return r->use->tgid;
	case COL_INODE:
		return r->use->inode;
	default:
		return r->n[column - COL_COUNTS];
	}
}

/* Where 0, or the number of several, stands for none. */
static bool is_none(const struct cache_row *r, u32 column)
{
	if (column == COL_PID)
		return !r->use->tgid || r->use->tgid == CACHE_MERGED;
	if (column == COL_DEV)
		return !r->use->dev;
	return column == COL_INODE && !r->use->inode;
}

static bool answer__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct cache_answer *a = container_of(t, struct cache_answer, base.table);
	const struct cache_row *r = &a->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(a->query.group, column))
		return false;
	out->type = cache_columns[column].type;
	if (is_none(r, column))
		out->type = VALUE_NONE;
	else if (out->type == VALUE_TEXT)
		out->s = text_cell(r, column);
	else if (out->type == VALUE_PCT)
		*out = pct_cell(a, r, column);
	else
		out->u = number_cell(a, r, column);
	return true;
}

static u64 answer__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct cache_answer, base.table)->rows[row].key;
}

/* --- the table --- */

static enum cache_column key_column(enum cache_group by)
{
	switch (by) {
	case CACHE_BY_FILE:
		return COL_FILE;
	case CACHE_BY_CGROUP:
		return COL_CGROUP;
	case CACHE_BY_TOTAL:
		return COL_TOTAL;
	default:
		return COL_COMM;
	}
}

/* Where there is less to see it gives way to what the columns are about. */
static const u8 share_priority[CACHE_SHOWS] = {
	[CACHE_SHOW_HITS] = 0, [CACHE_SHOW_KINDS] = 4, [CACHE_SHOW_AHEAD] = 1};

/* Paths get the width that is left; of one file alone, the stacks of who uses it do. */
void cache_answer__table(struct cache_answer *a, struct arena *arena)
{
	struct column *columns = arena__dup(arena, cache_columns, sizeof(cache_columns));
	const struct cache_query *q = &a->query;
	enum cache_column key = key_column(q->group);

	for (u32 i = 0; i < COLUMNS; i++)
		if (!shown(q->show, i))
			columns[i].flags &= ~COLUMN_SCREEN;
	columns[COL_SHARE].priority = share_priority[q->show];
	columns[key].flags |= COLUMN_KEY;
	if (q->group == CACHE_BY_FILE || q->group == CACHE_BY_CGROUP || q->by_file)
		columns[key].flags |= COLUMN_FLEX;
	if (q->by_file) {
		columns[COL_TOP_FILE].flags &= ~COLUMN_SCREEN;
		columns[COL_COMM].width = STACKS_W;
	}
	if (q->by_pid) {
		columns[COL_TOP_COMM].flags &= ~COLUMN_SCREEN;
		columns[COL_FILE].width = PATHS_W;
	}
	columns[COL_TOP_FILE].flags |= COLUMN_FLEX;
	a->base.table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = COL_MISS_RATE,
		.cell = answer__cell,
		.key = answer__key,
	};
}
