// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the sched view's rows. */
#include "models/sched_answer.h"

enum sched_column {
	COL_ONCPU_PCT,
	COL_TREND,
	COL_CPU_TEXT,
	COL_PID_TEXT,
	COL_TID_TEXT,
	COL_ONCPU,
	COL_RUNS,
	COL_SWITCHES,
	COL_WAIT,
	COL_P50,
	COL_P95,
	COL_P99,
	COL_MAX,
	COL_STATE, /* and one for each further state */
	COL_STATE_END = COL_STATE + TASK_STATES,
	COL_VOLUNTARY = COL_STATE_END,
	COL_PREEMPTED,
	COL_MIGRATIONS,
	COL_ON_P50,
	COL_ON_P99,
	COL_RUN_MAX,
	COL_OFF_P50,
	COL_OFF_P99,
	COL_LAST_CPU,
	COL_THREADS,
	COL_LONGEST,
	COL_RUNNING,
	COL_COMM,
	COL_CGROUP,
	COL_PID,
	COL_TID,
	COL_CPU,
	COL_SPAN,
	COL_WAITS,
	COL_STATES,
	COLUMNS,
};

#define BOTH (COLUMN_SCREEN | COLUMN_EXPORT)

/* Time and counts are columns of one width. */
#define TIME_AS(name_, title_, priority_, flags_, help_)                                           \
	{                                                                                          \
		.name = name_, .title = title_, .unit = "ns", .help = help_, .type = VALUE_NS,     \
		.width = 6, .priority = priority_, .flags = BOTH | (flags_)                        \
	}
#define TIME(name_, title_, priority_, help_) TIME_AS(name_, title_, priority_, 0, help_)
#define TIME_SUM(name_, title_, priority_, help_)                                                  \
	TIME_AS(name_, title_, priority_, COLUMN_SUM, help_)
#define COUNT(name_, title_, priority_, help_)                                                     \
	{                                                                                          \
		.name = name_, .title = title_, .help = help_, .type = VALUE_COUNT, .width = 6,    \
		.priority = priority_, .flags = BOTH | COLUMN_SUM                                  \
	}
#define STATE(state, name_, title_, priority_, help_)                                              \
	[COL_STATE + (state)] = {.name = name_,                                                    \
				 .title = title_,                                                  \
				 .unit = "%",                                                      \
				 .help = help_,                                                    \
				 .type = VALUE_PCT,                                                \
				 .width = 6,                                                       \
				 .priority = priority_,                                            \
				 .flags = COLUMN_SCREEN | COLUMN_SHARE}
#define ID(name_, title_, width_, priority_, help_)                                                \
	{                                                                                          \
		.name = name_, .title = title_, .help = help_, .type = VALUE_TEXT,                 \
		.width = width_, .priority = priority_, .flags = COLUMN_SCREEN | COLUMN_ASCENDING  \
	}
#define NUMBER(name_, help_)                                                                       \
	{                                                                                          \
		.name = name_, .title = name_, .help = help_, .type = VALUE_COUNT, .width = 7,     \
		.flags = COLUMN_EXPORT | COLUMN_ASCENDING                                          \
	}

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
const struct column sched_columns[COLUMNS] = {
	[COL_ONCPU_PCT] = {.name = "oncpu_pct",
			   .title = "CPU%",
			   .unit = "%",
			   .help = "time on a CPU, of one CPU; of a CPU: not idle",
			   .type = VALUE_PCT,
			   .width = 11,
			   .flags = BOTH | COLUMN_BAR | COLUMN_SHARE},
	[COL_TREND] = {.name = "trend",
		       .title = "Trend",
		       .help = "share of the last 16 intervals on a CPU, newest right",
		       .type = VALUE_TREND,
		       .width = 8,
		       .priority = 2,
		       .flags = COLUMN_SCREEN | COLUMN_TREND_PCT},
	[COL_CPU_TEXT] = ID("processor", "CPU", 4, 0, "number of the CPU"),
	[COL_PID_TEXT] = ID("process", "PID", 7, 5, "process id"),
	[COL_TID_TEXT] = ID("thread", "TID", 7, 0, "thread id"),
	[COL_ONCPU] = TIME_SUM("oncpu_ns", "On-CPU", 4, "time on a CPU"),
	[COL_RUNS] = COUNT("runs", "Runs", 3, "times it got a CPU"),
	[COL_SWITCHES] = COUNT("switches", "Switch", 3, "times it went from one thread to another"),
	[COL_WAIT] = TIME_SUM("wait_ns", "Wait", 1, "sum of its delays: runnable, but without a CPU"),
	[COL_P50] = TIME("wait_p50_ns", "p50", 2, "half of the delays are at most this long"),
	[COL_P95] = TIME("wait_p95_ns", "p95", 1, "95 in 100 delays are at most this long"),
	[COL_P99] = TIME("wait_p99_ns", "p99", 1, "99 in 100 delays are at most this long"),
	[COL_MAX] = TIME("wait_max_ns", "Max", 0, "the longest delay, one that goes on too"),
	STATE(TASK_STATE_RUNNING, "state_running_pct", "R%", 0, "on a CPU, of its time"),
	STATE(TASK_STATE_RUNNABLE, "state_runnable_pct", "RD%", 0,
	      "waiting for a CPU, of its time"),
	STATE(TASK_STATE_SLEEP, "state_sleep_pct", "S%", 0, "asleep, of its time"),
	STATE(TASK_STATE_DISK, "state_disk_pct", "D%", 0,
	      "in a sleep without signals, of its time"),
	STATE(TASK_STATE_STOPPED, "state_stopped_pct", "T%", 2, "stopped by a signal, of its time"),
	STATE(TASK_STATE_TRACED, "state_traced_pct", "t%", 3, "stopped by a debugger, of its time"),
	STATE(TASK_STATE_IDLE, "state_idle_pct", "I%", 1,
	      "a kernel thread without work, of its time"),
	STATE(TASK_STATE_OTHER, "state_other_pct", "other%", 4,
	      "parked, dead and the like, of its time"),
	[COL_VOLUNTARY] =
		COUNT("voluntary", "Volunt", 0, "times it left its CPU to wait for something"),
	[COL_PREEMPTED] =
		COUNT("preempted", "Preemp", 0, "times it had to leave its CPU, or yielded"),
	[COL_MIGRATIONS] = COUNT("migrations", "Migr", 1, "times it changed its CPU"),
	[COL_ON_P50] = TIME("on_p50_ns", "On p50", 3, "half of its runs are at most this long"),
	[COL_ON_P99] = TIME("on_p99_ns", "On p99", 2, "99 in 100 runs are at most this long"),
	[COL_RUN_MAX] = TIME("run_max_ns", "On max", 0, "the longest run without a break"),
	[COL_OFF_P50] = TIME("off_p50_ns", "Offp50", 3,
			     "half of its times off the CPU are at most this long"),
	[COL_OFF_P99] = TIME("off_p99_ns", "Offp99", 1,
			     "99 in 100 times off the CPU are at most this long"),
	[COL_LAST_CPU] = ID("last_cpu", "CPU", 4, 0, "the CPU it ran on last"),
	[COL_THREADS] = {.name = "threads",
			 .title = "Thr",
			 .help = "threads in the row",
			 .type = VALUE_COUNT,
			 .width = 4,
			 .priority = 2,
			 .flags = BOTH},
	[COL_LONGEST] = {.name = "longest",
			 .title = "by",
			 .help = "whose the longest run was",
			 .type = VALUE_TEXT,
			 .width = 15,
			 .priority = 2,
			 .flags = BOTH | COLUMN_ASCENDING},
	[COL_RUNNING] = {.name = "running",
			 .title = "Runs now",
			 .help = "the thread on it now",
			 .type = VALUE_TEXT,
			 .width = 15,
			 .flags = BOTH | COLUMN_ASCENDING},
	[COL_COMM] = {.name = "comm",
		      .title = "Command",
		      .help = "name of the thread, of a process its main thread's",
		      .type = VALUE_TEXT,
		      .width = 15,
		      .flags = BOTH | COLUMN_ASCENDING},
	[COL_CGROUP] = {.name = "cgroup",
			.title = "Cgroup",
			.help = "cgroup v2 path below its mount point",
			.type = VALUE_TEXT,
			.width = 16,
			.flags = BOTH | COLUMN_ASCENDING},
	[COL_PID] = NUMBER("pid", "process id"),
	[COL_TID] = NUMBER("tid", "thread id"),
	[COL_CPU] = NUMBER("cpu", "number of the CPU; of a thread: where it ran last"),
	[COL_SPAN] = {.name = "span_ns",
		      .title = "Span",
		      .unit = "ns",
		      .help = "how long it was watched; the sum of its states",
		      .type = VALUE_NS,
		      .width = 7,
		      .flags = COLUMN_EXPORT | COLUMN_SUM},
	[COL_WAITS] = {.name = "waits",
		       .title = "Waits",
		       .help = "delays that ended",
		       .type = VALUE_COUNT,
		       .width = 7,
		       .flags = COLUMN_EXPORT | COLUMN_SUM},
	[COL_STATES] = {.name = "states",
			.title = "States",
			.unit = "ns",
			.help = "time in each state",
			.type = VALUE_OBJECT,
			.flags = COLUMN_EXPORT},
};
const u32 sched_ncolumns = COLUMNS;

static bool is_state(u32 column)
{
	return column >= COL_STATE && column < COL_STATE_END;
}

/* What is known of a CPU. */
static bool of_cpus(u32 column)
{
	switch (column) {
	case COL_ONCPU_PCT:
	case COL_TREND:
	case COL_CPU_TEXT:
	case COL_ONCPU:
	case COL_SWITCHES:
	case COL_P50:
	case COL_P95:
	case COL_P99:
	case COL_RUN_MAX:
	case COL_LONGEST:
	case COL_RUNNING:
	case COL_CPU:
	case COL_SPAN:
	case COL_WAITS:
		return true;
	default:
		return false;
	}
}

static bool of_threads(enum sched_group group, u32 column)
{
	switch (column) {
	case COL_CPU_TEXT:
	case COL_SWITCHES:
	case COL_LONGEST:
	case COL_RUNNING:
		return false;
	case COL_PID_TEXT:
	case COL_PID:
		return group == SCHED_BY_TID || group == SCHED_BY_PID;
	case COL_TID_TEXT:
	case COL_TID:
	case COL_LAST_CPU:
	case COL_CPU:
		return group == SCHED_BY_TID;
	case COL_THREADS:
		return group != SCHED_BY_TID;
	case COL_COMM:
		return group != SCHED_BY_CGROUP;
	case COL_CGROUP:
		return group == SCHED_BY_CGROUP;
	default:
		return true;
	}
}

static bool applies(enum sched_group group, u32 column)
{
	return group == SCHED_BY_CPU ? of_cpus(column) : of_threads(group, column);
}

/* Which sets of columns one belongs to on screen; CPUs have one set. */
static bool shown(const struct sched_query *q, u32 column)
{
	if (q->group == SCHED_BY_CPU)
		return true;
	if (is_state(column))
		return q->show == SCHED_SHOW_STATES;
	if (column >= COL_ONCPU && column <= COL_MAX)
		return q->show == SCHED_SHOW_DELAYS;
	if (column >= COL_VOLUNTARY && column <= COL_LAST_CPU)
		return q->show == SCHED_SHOW_BURSTS;
	/* The share on the CPU is the first of the states. */
	return (column != COL_ONCPU_PCT && column != COL_TREND) || q->show != SCHED_SHOW_STATES;
}

/* --- cells --- */

static const char *text_cell(const struct sched_row *r, u32 column)
{
	switch (column) {
	case COL_CPU_TEXT:
		return r->name;
	case COL_PID_TEXT:
		return r->pid_text;
	case COL_TID_TEXT:
		return r->tid_text;
	case COL_LAST_CPU:
		return r->cpu_text;
	case COL_LONGEST:
		return r->longest;
	case COL_RUNNING:
		return r->running;
	case COL_CGROUP:
		return r->cgroup_name;
	default:
		return r->comm;
	}
}

static u64 id_cell(const struct sched_row *r, u32 column)
{
	if (column == COL_PID)
		return r->task->task.tgid;
	if (column == COL_TID)
		return r->task->task.tid;
	return r->cpu ? r->cpu->cpu : r->task->cpu;
}

/* Of threads that were merged or forgotten it is not known any more. */
static bool has_id(const struct sched_row *r, u32 column)
{
	if (r->cpu)
		return true;
	return r->task && id_cell(r, column) != PROFILE_MERGED &&
	       (column == COL_PID || r->task->task.tid != PROFILE_MERGED);
}

static u64 number_cell(const struct sched_row *r, u32 column)
{
	const struct sched_sums *s = &r->sums;

	switch (column) {
	case COL_ONCPU:
		return s->state_ns[TASK_STATE_RUNNING];
	case COL_RUNS:
	case COL_SWITCHES:
		return s->runs;
	case COL_WAIT:
		return s->delay_ns;
	case COL_P50:
		return r->wait_p50_ns;
	case COL_P95:
		return r->wait_p95_ns;
	case COL_P99:
		return r->wait_p99_ns;
	case COL_MAX:
		return s->delay_max_ns;
	case COL_VOLUNTARY:
		return s->voluntary;
	case COL_PREEMPTED:
		return s->preempted;
	case COL_MIGRATIONS:
		return s->migrations;
	case COL_ON_P50:
		return r->on_p50_ns;
	case COL_ON_P99:
		return r->on_p99_ns;
	case COL_RUN_MAX:
		return s->run_max_ns;
	case COL_OFF_P50:
		return r->off_p50_ns;
	case COL_OFF_P99:
		return r->off_p99_ns;
	case COL_THREADS:
		return r->nthreads;
	case COL_SPAN:
		return s->span_ns;
	default:
		return s->delays;
	}
}

static void state_part(const void *of, u32 i, struct value_part *out)
{
	const struct sched_row *r = of;

	out->name = task_state_names[i];
	out->value = (struct value){.type = VALUE_NS, .u = r->sums.state_ns[i]};
}

static double pct_cell(const struct sched_row *r, u32 column)
{
	if (!is_state(column))
		return r->oncpu_pct;
	return sched__pct(r->sums.state_ns[column - COL_STATE], r->sums.span_ns);
}

static struct value value_of(const struct sched_row *r, u32 column)
{
	struct value v = {.type = sched_columns[column].type};
	bool id = column == COL_PID || column == COL_TID || column == COL_CPU;

	if (v.type == VALUE_TEXT) {
		v.s = text_cell(r, column);
	} else if (v.type == VALUE_PCT) {
		v.f = pct_cell(r, column);
	} else if (v.type == VALUE_TREND) {
		v.trend = r->trend;
		v.n = PROFILE_TREND;
	} else if (v.type == VALUE_OBJECT) {
		v.n = TASK_STATES;
		v.of = r;
		v.part = state_part;
	} else if (!id) {
		v.u = number_cell(r, column);
	} else if (has_id(r, column)) {
		v.u = id_cell(r, column);
	} else {
		v.type = VALUE_NONE;
	}
	return v;
}

static bool answer__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct sched_answer *a = container_of(t, struct sched_answer, base.table);

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(a->query.group, column))
		return false;
	*out = value_of(&a->rows[row], column);
	if (out->type == VALUE_TEXT && !out->s)
		out->type = VALUE_NONE;
	return true;
}

static u64 answer__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct sched_answer, base.table)->rows[row].key;
}

/* --- the table --- */

static enum sched_column key_column(enum sched_group group)
{
	if (group == SCHED_BY_CPU)
		return COL_RUNNING;
	return group == SCHED_BY_CGROUP ? COL_CGROUP : COL_COMM;
}

/* Of a CPU it matters more who runs than how long others waited. */
static void fit_cpus(struct column *columns)
{
	columns[COL_P50].priority = 5;
	columns[COL_P95].priority = 4;
	columns[COL_RUN_MAX].title = "Longest";
	columns[COL_RUN_MAX].width = 7;
}

void sched_answer__table(struct sched_answer *a, struct arena *arena)
{
	struct column *columns = arena__dup(arena, sched_columns, sizeof(sched_columns));
	enum sched_column key = key_column(a->query.group);
	bool states = a->query.show == SCHED_SHOW_STATES && a->query.group != SCHED_BY_CPU;

	for (u32 i = 0; i < COLUMNS; i++)
		if (!shown(&a->query, i))
			columns[i].flags &= ~COLUMN_SCREEN;
	columns[key].flags |= COLUMN_KEY | COLUMN_FLEX;
	columns[COL_STATE].width = 11;
	columns[COL_STATE].flags |= COLUMN_BAR;
	/* Of threads there is more to say. */
	columns[COL_TREND].priority = a->query.group == SCHED_BY_CPU ? 2 : 6;
	if (a->query.group == SCHED_BY_CPU)
		fit_cpus(columns);
	if (a->query.group == SCHED_BY_PID)
		columns[COL_PID_TEXT].priority = 0;
	a->base.table = (struct row_table){
		.columns = columns,
		.ncolumns = COLUMNS,
		.nrows = a->nrows,
		.sort = a->query.group == SCHED_BY_CPU ? COL_CPU_TEXT
			: states		       ? COL_STATE
						       : COL_ONCPU_PCT,
		.cell = answer__cell,
		.key = answer__key,
	};
}
