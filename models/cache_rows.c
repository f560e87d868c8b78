// SPDX-License-Identifier: GPL-2.0-only
/* Rows of processes, files, commands and cgroups with their hits and misses, and their columns. */
#include <unistd.h>

#include "base/columns.h"
#include "models/cache.h"
#include "models/fields.h"
#include "models/quantile.h"
#include "models/task_text.h"

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
			VIA(ROW, n), .at = (count) * sizeof(u64), .size = sizeof(u64), .sets = sets_                                    \
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
	 RATE_AT(ROW, dirties), .sets = HITS},
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
	{ID_COLUMN("inode", "the file's number"), NUMBER_AT(ROW, inode), UNLESS_0(ROW, inode),
	 .groups = FILES},
};

/* Where there is less to see it gives way to what the columns are about. */
static const u8 share_priority[CACHE_SHOWS] = {
	[CACHE_SHOW_HITS] = 0, [CACHE_SHOW_KINDS] = 4, [CACHE_SHOW_AHEAD] = 1};

static struct column *named(struct column *columns, const char *name)
{
	return column__named(columns, ARRAY_SIZE(fields), name);
}

/* Paths get the width that is left; of one file alone, the stacks of who uses it do. */
static void make_table(struct query_result *a, const struct cache_result *r)
{
	const struct cache_query *q = &r->query;
	struct column *columns = RESULT_TABLE(a, fields, r->rows, r->nrows, q->group, q->show, "miss_rate");

	named(columns, "miss_share_pct")->priority = share_priority[q->show];
	if (!cache_query__is_of_file(q)) {
		named(columns, "comm")->flags &= ~COLUMN_FLEX;
		named(columns, "total")->flags &= ~COLUMN_FLEX;
	} else {
		named(columns, "top_file")->flags &= ~COLUMN_SCREEN;
		named(columns, "comm")->width = STACKS_W;
	}
	if (q->rows.narrow.by_process) {
		named(columns, "top_comm")->flags &= ~COLUMN_SCREEN;
		named(columns, "file")->width = PATHS_W;
	}
	named(columns, "top_file")->flags |= COLUMN_FLEX;
}

/* --- rows --- */

const char *const cache_group_names[CACHE_GROUPS] = {
	[CACHE_BY_PID] = "pid",	      [CACHE_BY_FILE] = "file",	  [CACHE_BY_COMM] = "comm",
	[CACHE_BY_CGROUP] = "cgroup", [CACHE_BY_TOTAL] = "total",
};

static const enum cache_label group_labels[CACHE_GROUPS] = {
	[CACHE_BY_PID] = CACHE_PID,	  [CACHE_BY_FILE] = CACHE_FILE, [CACHE_BY_COMM] = CACHE_COMM,
	[CACHE_BY_CGROUP] = CACHE_CGROUP, [CACHE_BY_TOTAL] = CACHE_ALL,
};

static const char *comm_text(const struct measure_who *w, enum cache_group by)
{
	if (!w->tgid)
		return "[nobody]";
	if (w->tgid == MEASURE_MANY && (by == CACHE_BY_PID || !strcmp(w->comm, "[rest]")))
		return "[others]";
	return w->comm;
}

static const char *row_name(const struct cache_row *r, enum cache_group by)
{
	switch (by) {
	case CACHE_BY_FILE:
		return r->file;
	case CACHE_BY_CGROUP:
		return r->cgroup_name;
	case CACHE_BY_TOTAL:
		return "all in scope";
	default:
		return r->comm;
	}
}

static void name_row(struct arena *a, struct cache_row *r, enum cache_group by)
{
	const struct measure_text *keys = r->of->top->keys;
	const struct measure_who *w = r->who;

	r->comm = comm_text(w, by);
	r->pid = w->tgid == MEASURE_MANY ? 0 : w->tgid;
	r->pid_text = task__id_text(a, r->pid);
	r->ended = r->pid && r->of->ended;
	if (by == CACHE_BY_PID && !w->process_ns) {
		r->cmdline = task__cmdline(a, r->pid, 0);
		r->comm = task__process(a, r->pid, 0, r->comm);
	}
	r->cgroup_name = task__cgroup_text(a, w->cgroup);
	r->file = *keys[CACHE_FILE].text ? keys[CACHE_FILE].text : "[other files]";
	r->dev_text = *keys[CACHE_DEV].text ? keys[CACHE_DEV].text : NULL;
	r->inode = keys[CACHE_FILE].value;
	r->name = row_name(r, by);
}

/* What follows from the counts of all rows. */
static void finish_row(const struct cache_result *a, struct cache_row *r)
{
	r->misses = cache__misses(r->n);
	r->hits = cache__hits(r->n);
	r->dirties = r->n[CACHE_DIRTIED];
	r->added_bytes = cache__added(r->n) * a->page_bytes;
	r->miss_share = cache__share(r->misses, cache__misses(a->n) - r->misses);
	r->hit_pct = cache__hit_pct(r->n);
	r->disk_pct = cache__disk_pct(r->n);
	r->read_pct = cache__read_hit_pct(r->n);
	r->write_pct = cache__write_hit_pct(r->n);
	r->wasted_pct = cache__share(r->n[CACHE_AHEAD_WASTED], r->n[CACHE_AHEAD_USED]);
}

static void fill_rows(struct cache_result *a, const struct measure_result *of, struct arena *arena)
{
	struct cache_row *rows = arena__array(arena, struct cache_row, of->nrows);

	for (u32 i = 0; i < of->nrows; i++) {
		const struct measure_row *r = &of->rows[i];

		rows[i] = (struct cache_row){.key = r->key, .of = r, .who = r->who, .n = r->v.sums};
		name_row(arena, &rows[i], a->query.group);
		finish_row(a, &rows[i]);
	}
	a->rows = rows;
	a->nrows = of->nrows;
}

static struct value ages_value(const struct cache_flow *flow, struct arena *a)
{
	double n[CACHE_AGES];
	const struct histogram h = {n, CACHE_AGES, cache__age_lo, 0, UINT64_MAX, 0, VALUE_NS};

	for (u32 i = 0; i < CACHE_AGES; i++)
		n[i] = (double)flow->ages[i];
	return histogram__value(&h, false, a);
}

struct measure_result *cache__query(const struct measure_snap *snap, const struct cache_query *q,
				    const struct scope *scope)
{
	const struct cache_snap *own = snap->own;
	struct measure_query rows = q->rows;
	struct measure_result *of;
	struct cache_result *a;

	rows.groups = 1u << group_labels[q->group];
	of = measure__query(snap, &rows, scope);
	a = arena__array(&of->base.arena, struct cache_result, 1);
	a->base = &of->base;
	a->query = *q;
	a->n = of->all.sums;
	a->page_bytes = (u64)sysconf(_SC_PAGESIZE);
	a->ages = ages_value(&own->flow[rows.window], &of->base.arena);
	fill_rows(a, of, &of->base.arena);
	make_table(&of->base, a);
	of->own = a;
	return of;
}
