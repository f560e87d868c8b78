// SPDX-License-Identifier: GPL-2.0-only
/* Columns of processes. */
#include "base/columns.h"
#include "models/procs_rows.h"
#include "models/windows.h"

enum procs_column {
	COL_PID_TEXT,
	COL_TID_TEXT,
	COL_NPROCS,
	COL_USER,
	COL_STATE,
	COL_CPU,
	COL_SPLIT,
	COL_RSS,
	COL_READ_RATE,
	COL_WRITE_RATE,
	COL_MINOR_RATE,
	COL_MAJOR_RATE,
	COL_FDS,
	COL_NTHREADS,
	COL_NICE_TEXT,
	COL_POLICY,
	COL_PARTS, /* one for each part */
	COL_PARTS_END = COL_PARTS + PROCS_PARTS,
	COL_THREAD_NAME = COL_PARTS_END,
	COL_TEXT,
	COL_PID,
	COL_PPID,
	COL_TID,
	COL_START,
	COL_COMM,
	COL_CMDLINE,
	COL_CGROUP,
	COL_CONTAINER,
	COL_PARENT,
	COL_NICE,
	COL_RT_PRIORITY,
	COL_THREADS,
	COL_ENDED,
	COL_COUNTS, /* one for each count that is no part */
	COL_COUNTS_END = COL_COUNTS + PROCS_COUNTS - PROCS_PARTS,
	COL_TREE = COL_COUNTS_END,
	COLUMNS,
};

#define PART_COLUMN(part, name, title, help)                                                       \
	[COL_PARTS + (part)] = PCT_COLUMN(name, title, 6, 10, COLUMN_BOTH | COLUMN_SHARE, help)
#define SUM_COLUMN(count, type, name, help)                                                        \
	[COL_COUNTS + (count)-PROCS_PARTS] =                                                       \
		COLUMN(type, name, name, 0, 0, COLUMN_EXPORT | COLUMN_SUM, help)
#define RATE_COLUMN(type, name, title, priority, help)                                             \
	COLUMN(type, name, title, 7, priority, COLUMN_SCREEN | COLUMN_SHARE, help)

static const struct column columns[COLUMNS] = {
	[COL_PID_TEXT] = TEXT_COLUMN("process", "    PID", 7, 0, COLUMN_SCREEN, "process id"),
	[COL_TID_TEXT] = TEXT_COLUMN("thread", "    TID", 7, 0, COLUMN_SCREEN, "thread id"),
	[COL_NPROCS] = COUNT_COLUMN("processes", "Procs", 5, 0, COLUMN_BOTH, "living processes"),
	[COL_USER] = TEXT_COLUMN("user", "User", 8, 4, COLUMN_BOTH, "whose rights it has"),
	[COL_STATE] = TEXT_COLUMN("state", "S", 1, 1, COLUMN_BOTH,
				  "R runs or could, S sleeps, D waits for a device, T stopped, t "
				  "traced, Z zombie, I idle kernel thread, X ended"),
	[COL_CPU] = PCT_COLUMN("cpu_pct", "CPU%", 6, 0, COLUMN_BOTH | COLUMN_SHARE,
			       "time on a CPU, of one CPU: user and kernel"),
	[COL_SPLIT] = COLUMN(VALUE_SPLIT, "split", "Wall time", 16, 2, COLUMN_SCREEN,
			     "where its wall time went: user, kernel, run queue, disk, lock, "
			     "other waits, sleep"),
	[COL_RSS] = BYTES_COLUMN("rss_bytes", "Memory", 6, 3, COLUMN_BOTH,
				 "resident memory, shared pages too; null: it has none of its own"),
	[COL_READ_RATE] = RATE_COLUMN(VALUE_BYTES, "read_rate", "Read/s", 5, "from storage"),
	[COL_WRITE_RATE] = RATE_COLUMN(VALUE_BYTES, "write_rate", "Write/s", 5,
				       "to storage, as it is dirtied"),
	[COL_MINOR_RATE] =
		RATE_COLUMN(VALUE_COUNT, "minor_rate", "Fault/s", 7, "page faults without I/O"),
	[COL_MAJOR_RATE] = RATE_COLUMN(VALUE_COUNT, "major_rate", "Major/s", 7,
				       "page faults that had to read"),
	[COL_FDS] = COUNT_COLUMN("fds", "FDs", 5, 8, COLUMN_BOTH,
				 "open file descriptors; null: not known"),
	[COL_NTHREADS] = COUNT_COLUMN("nthreads", "Thr", 5, 6, COLUMN_BOTH, "threads that live"),
	[COL_NICE_TEXT] = TEXT_COLUMN("nice_text", " NI", 3, 9, COLUMN_SCREEN,
				      "nice value; rt: a real-time policy"),
	[COL_POLICY] = TEXT_COLUMN("policy", "Policy", 8, 11, COLUMN_BOTH,
				   "scheduling policy of its first thread"),
	PART_COLUMN(PROCS_USER, "user_pct", "User%", "in user code, of one CPU"),
	PART_COLUMN(PROCS_SYSTEM, "system_pct", "Kern%", "in the kernel, of one CPU"),
	PART_COLUMN(PROCS_RUNQ, "runq_pct", "Runq%",
		    "ready, but without a CPU; in percent of the wall time of one thread"),
	PART_COLUMN(PROCS_DISK, "disk_pct", "Disk%", "waits for block I/O and fsync"),
	PART_COLUMN(PROCS_LOCK, "lock_pct", "Lock%",
		    "waits for a lock: a futex with the value of a held one, or a lock of the kernel's"),
	PART_COLUMN(PROCS_WAIT, "wait_pct", "Wait%",
		    "other waits: pipes and sockets, conditions, semaphores, joins, children, memory"),
	PART_COLUMN(PROCS_SLEEP, "sleep_pct", "Sleep%",
		    "timers, poll and epoll, signals; kernel threads without work; stopped"),
	[COL_THREAD_NAME] = THREAD_NAME_COLUMN,
	[COL_TEXT] = TEXT_COLUMN(
		"text", "Command", 28, 0, COLUMN_SCREEN | COLUMN_KEY | COLUMN_FLEX,
		"command line without the program's folder, or the kernel thread's name"),
	[COL_PID] = ID_COLUMN("pid", "process id"),
	[COL_PPID] = ID_COLUMN("ppid", "its parent, or who started the short-lived ones"),
	[COL_TID] = ID_COLUMN("tid", "thread id"),
	[COL_START] =
		EXPORT_COLUMN(VALUE_NS, "start_ns",
			      "when it began, CLOCK_BOOTTIME; with the pid it is its identity"),
	[COL_COMM] = EXPORT_COLUMN(VALUE_TEXT, "comm", "name"),
	[COL_CMDLINE] = EXPORT_COLUMN(VALUE_TEXT, "cmdline", "arguments, joined by blanks"),
	[COL_CGROUP] = EXPORT_COLUMN(VALUE_TEXT, "cgroup", "cgroup v2, path below its mount point"),
	[COL_CONTAINER] = EXPORT_COLUMN(VALUE_TEXT, "container", "by its cgroup; null: none"),
	[COL_PARENT] = EXPORT_COLUMN(VALUE_TEXT, "parent_comm", "who started the short-lived ones"),
	[COL_NICE] = EXPORT_COLUMN(VALUE_CHANGE, "nice", "nice value of its first thread"),
	[COL_RT_PRIORITY] = EXPORT_COLUMN(VALUE_COUNT, "rt_priority", "0: no real-time policy"),
	[COL_THREADS] = EXPORT_COLUMN(VALUE_PCT, "threads",
				      "mean number of threads over the window: its shares sum to "
				      "100 times as much"),
	[COL_ENDED] = EXPORT_COLUMN(VALUE_BOOL, "ended", "it ended in the window"),
	SUM_COLUMN(PROCS_MINOR, VALUE_COUNT, "minor_faults", "page faults without I/O"),
	SUM_COLUMN(PROCS_MAJOR, VALUE_COUNT, "major_faults", "page faults that had to read"),
	SUM_COLUMN(PROCS_READ, VALUE_BYTES, "read_bytes", "from storage"),
	SUM_COLUMN(PROCS_WRITTEN, VALUE_BYTES, "write_bytes", "to storage"),
	SUM_COLUMN(PROCS_STARTS, VALUE_COUNT, "starts",
		   "short-lived processes, of one name and starter, that ended in the window"),
	[COL_TREE] = COUNT_COLUMN("tree", "tree", 0, 0, COLUMN_ASCENDING, "place in the tree"),
};

/* --- which apply --- */

static bool of_process(const struct procs_row *r)
{
	return r->e->kind == PROCS_THREAD;
}

/* Columns that only one set on the screen has; the first has both bar and the rest. */
static bool in_show(const struct procs_result *a, u32 column)
{
	switch (a->query.show) {
	case PROCS_SHOW_MEMORY:
		return (column < COL_PARTS || column >= COL_PARTS_END) && column != COL_SPLIT &&
		       column != COL_READ_RATE && column != COL_WRITE_RATE;
	case PROCS_SHOW_PARTS:
		return column != COL_SPLIT && column != COL_READ_RATE && column != COL_WRITE_RATE &&
		       column != COL_MINOR_RATE && column != COL_MAJOR_RATE && column != COL_FDS &&
		       column != COL_NTHREADS;
	default:
		return column != COL_MINOR_RATE && column != COL_POLICY;
	}
}

static bool applies(const struct procs_result *a, u32 column)
{
	bool one = a->query.group <= PROCS_BY_TID;

	switch (column) {
	case COL_TREE:
		return a->query.tree && a->query.group == PROCS_BY_PID;
	case COL_TID_TEXT:
	case COL_TID:
	case COL_THREAD_NAME:
		return a->query.group == PROCS_BY_TID;
	case COL_NPROCS:
		return !one;
	case COL_USER:
		return one || a->query.group == PROCS_BY_USER;
	case COL_COMM:
		return one || a->query.group == PROCS_BY_COMM;
	case COL_CGROUP:
		return one || a->query.group == PROCS_BY_CGROUP;
	case COL_CONTAINER:
		return one || a->query.group == PROCS_BY_CONTAINER;
	case COL_PID_TEXT:
	case COL_PID:
	case COL_PPID:
	case COL_START:
	case COL_STATE:
	case COL_NICE_TEXT:
	case COL_POLICY:
	case COL_NICE:
	case COL_RT_PRIORITY:
	case COL_CMDLINE:
	case COL_PARENT:
	case COL_ENDED:
		return one;
	default:
		return true;
	}
}

/* --- cells --- */

static bool is_none(const struct procs_row *r, u32 column)
{
	switch (column) {
	case COL_PID:
	case COL_TID:
	case COL_START:
		return r->e->kind != PROCS_THREAD || (column == COL_TID && !r->e->tid);
	case COL_PPID:
		return r->nstarters > 1;
	case COL_STATE:
	case COL_NICE:
	case COL_NICE_TEXT:
	case COL_POLICY:
	case COL_RT_PRIORITY:
		return !of_process(r) || (r->e->ended_ns && column != COL_STATE);
	case COL_RSS:
		return !r->has_rss;
	case COL_FDS:
		return !r->has_fds;
	case COL_READ_RATE:
	case COL_WRITE_RATE:
	case COL_COUNTS + PROCS_READ - PROCS_PARTS:
	case COL_COUNTS + PROCS_WRITTEN - PROCS_PARTS:
		return !r->has_io;
	case COL_PARTS + PROCS_RUNQ:
	case COL_PARTS + PROCS_DISK:
	case COL_PARTS + PROCS_LOCK:
	case COL_PARTS + PROCS_WAIT:
		return r->unsplit;
	case COL_CMDLINE:
		return !*r->e->cmdline;
	case COL_THREAD_NAME:
		return !r->thread_name;
	case COL_CONTAINER:
		return !*r->container;
	case COL_PARENT:
		return !*r->e->parent_comm;
	case COL_COUNTS + PROCS_STARTS - PROCS_PARTS:
		return !r->n[PROCS_STARTS];
	default:
		return false;
	}
}

static const char *state_text(char state)
{
	static const char letters[] = "RSDTtXZPI";
	static const char texts[] = "R\0S\0D\0T\0t\0X\0Z\0P\0I";
	const char *at = state ? strchr(letters, state) : NULL;

	return at ? &texts[(at - letters) * 2] : "?";
}

static const char *policy_text(u32 policy)
{
	static const char *const names[] = {"other", "fifo", "rr",	 "batch",
					    "?",     "idle", "deadline", "ext"};

	return policy < ARRAY_SIZE(names) ? names[policy] : "?";
}

static const char *nice_text(const struct procs_entry *e)
{
	static const char texts[40][4] = {
		"-20", "-19", "-18", "-17", "-16", "-15", "-14", "-13", "-12", "-11",
		"-10", " -9", " -8", " -7", " -6", " -5", " -4", " -3", " -2", " -1",
		"  0", "  1", "  2", "  3", "  4", "  5", "  6", "  7", "  8", "  9",
		" 10", " 11", " 12", " 13", " 14", " 15", " 16", " 17", " 18", " 19",
	};

	if (e->rt_priority)
		return " rt";
	return e->nice >= -20 && e->nice < 20 ? texts[e->nice + 20] : "  ?";
}

static const char *text_cell(const struct procs_row *r, u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
		return r->pid_text;
	case COL_TID_TEXT:
		return r->tid_text;
	case COL_USER:
		return r->e->user;
	case COL_STATE:
		return state_text(r->e->state);
	case COL_NICE_TEXT:
		return nice_text(r->e);
	case COL_POLICY:
		return policy_text(r->e->policy);
	case COL_COMM:
		return r->e->comm;
	case COL_CMDLINE:
		return r->e->cmdline;
	case COL_THREAD_NAME:
		return r->thread_name;
	case COL_CGROUP:
		return r->cgroup_name;
	case COL_CONTAINER:
		return r->container;
	case COL_PARENT:
		return r->e->parent_comm;
	default:
		return r->text;
	}
}

static u64 number_cell(const struct procs_result *a, const struct procs_row *r, u32 column)
{
	switch (column) {
	case COL_NPROCS:
		return r->nprocs;
	case COL_RSS:
		return r->rss_bytes;
	case COL_READ_RATE:
		return window__per_second(r->n[PROCS_READ], a->window_ns);
	case COL_WRITE_RATE:
		return window__per_second(r->n[PROCS_WRITTEN], a->window_ns);
	case COL_MINOR_RATE:
		return window__per_second(r->n[PROCS_MINOR], a->window_ns);
	case COL_MAJOR_RATE:
		return window__per_second(r->n[PROCS_MAJOR], a->window_ns);
	case COL_FDS:
		return r->fds;
	case COL_NTHREADS:
		return r->nthreads;
	case COL_PID:
		return r->e->tgid;
	case COL_PPID:
		return r->e->ppid;
	case COL_TID:
		return r->e->tid;
	case COL_START:
		return r->e->start_ns;
	case COL_RT_PRIORITY:
		return r->e->rt_priority;
	case COL_ENDED:
		return r->e->ended_ns != 0;
	case COL_TREE:
		return (u64)(r - a->rows);
	default:
		return r->n[column - COL_COUNTS + PROCS_PARTS];
	}
}

static double pct_cell(const struct procs_row *r, u32 column)
{
	if (column == COL_CPU)
		return r->pct[PROCS_USER] + r->pct[PROCS_SYSTEM];
	return column == COL_THREADS ? r->threads : r->pct[column - COL_PARTS];
}

static bool query_result__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct procs_result *a = container_of(t, struct procs_result, base.table);
	const struct procs_row *r = &a->rows[row];

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(a, column))
		return false;
	out->type = is_none(r, column) ? VALUE_NONE : columns[column].type;
	if (out->type == VALUE_NONE) {
		out->s = NULL;
	} else if (out->type == VALUE_TEXT) {
		out->s = text_cell(r, column);
	} else if (out->type == VALUE_PCT) {
		out->f = pct_cell(r, column);
	} else if (out->type == VALUE_SPLIT) {
		out->n = PROCS_PARTS;
		out->shares = r->split;
		out->letters = PROCS_LETTERS;
	} else if (out->type == VALUE_CHANGE) {
		out->n = VALUE_COUNT;
		out->i = r->e->nice;
	} else {
		out->u = number_cell(a, r, column);
	}
	return true;
}

static u64 query_result__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct procs_result, base.table)->rows[row].key;
}

static bool has_thread_name(const struct procs_result *a)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (a->rows[i].thread_name)
			return true;
	return false;
}

void procs_columns__set(struct procs_result *a, struct arena *arena)
{
	struct column *own = arena__dup(arena, columns, sizeof(columns));

	for (u32 c = 0; c < COLUMNS; c++)
		if (!in_show(a, c))
			own[c].flags &= ~(u32)COLUMN_SCREEN;
	if (!has_thread_name(a))
		own[COL_THREAD_NAME].flags &= ~(u32)COLUMN_SCREEN;
	if (a->query.group > PROCS_BY_TID)
		own[COL_TEXT].title = a->query.group == PROCS_BY_COMM	  ? "Command"
				      : a->query.group == PROCS_BY_USER	  ? "User"
				      : a->query.group == PROCS_BY_CGROUP ? "Cgroup"
									  : "Container";
	if (a->query.group == PROCS_BY_USER)
		own[COL_USER].flags &= ~(u32)COLUMN_SCREEN;
	a->base.table = (struct row_table){
		.columns = own,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = applies(a, COL_TREE) ? COL_TREE : COL_CPU,
		.cell = query_result__cell,
		.key = query_result__key,
	};
}
