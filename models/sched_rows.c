// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the sched view's rows. */
#include "base/columns.h"
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

#define STATE(state, name, title, priority, help)                                                  \
	[COL_STATE + (state)] =                                                                    \
		PCT_COLUMN(name, title, 6, priority, COLUMN_SCREEN | COLUMN_SHARE, help)

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
static const struct column sched_columns[COLUMNS] = {
	[COL_ONCPU_PCT] =
		PCT_COLUMN("oncpu_pct", "CPU%", 11, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
			   "time on a CPU, of one CPU; of a CPU: not idle"),
	[COL_TREND] = COLUMN(VALUE_TREND, "trend", "Trend", 8, 2, COLUMN_SCREEN | COLUMN_TREND_PCT,
			     "share of the last 16 intervals on a CPU, newest right"),
	[COL_CPU_TEXT] = TEXT_COLUMN("processor", "CPU", 4, 0, COLUMN_SCREEN, "number of the CPU"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 5, COLUMN_SCREEN, "process id"),
	[COL_TID_TEXT] = TEXT_COLUMN("thread", "TID", 7, 0, COLUMN_SCREEN, "thread id"),
	[COL_ONCPU] =
		TIME_COLUMN("oncpu_ns", "On-CPU", 6, 4, COLUMN_BOTH | COLUMN_SUM, "time on a CPU"),
	[COL_RUNS] =
		COUNT_COLUMN("runs", "Runs", 6, 3, COLUMN_BOTH | COLUMN_SUM, "times it got a CPU"),
	[COL_SWITCHES] = COUNT_COLUMN("switches", "Switch", 6, 3, COLUMN_BOTH | COLUMN_SUM,
				      "times it went from one thread to another"),
	[COL_WAIT] = TIME_COLUMN("wait_ns", "Wait", 6, 1, COLUMN_BOTH | COLUMN_SUM,
				 "sum of its delays: runnable, but without a CPU"),
	[COL_P50] = TIME_COLUMN("wait_p50_ns", "p50", 6, 2, COLUMN_BOTH,
				"half of the delays are at most this long"),
	[COL_P95] = TIME_COLUMN("wait_p95_ns", "p95", 6, 1, COLUMN_BOTH,
				"95 in 100 delays are at most this long"),
	[COL_P99] = TIME_COLUMN("wait_p99_ns", "p99", 6, 1, COLUMN_BOTH,
				"99 in 100 delays are at most this long"),
	[COL_MAX] = TIME_COLUMN("wait_max_ns", "Max", 6, 0, COLUMN_BOTH,
				"the longest delay, one that goes on too"),
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
	[COL_VOLUNTARY] = COUNT_COLUMN("voluntary", "Volunt", 6, 0, COLUMN_BOTH | COLUMN_SUM,
				       "times it left its CPU to wait for something"),
	[COL_PREEMPTED] = COUNT_COLUMN("preempted", "Preemp", 6, 0, COLUMN_BOTH | COLUMN_SUM,
				       "times it had to leave its CPU, or yielded"),
	[COL_MIGRATIONS] = COUNT_COLUMN("migrations", "Migr", 6, 1, COLUMN_BOTH | COLUMN_SUM,
					"times it changed its CPU"),
	[COL_ON_P50] = TIME_COLUMN("on_p50_ns", "On p50", 6, 3, COLUMN_BOTH,
				   "half of its runs are at most this long"),
	[COL_ON_P99] = TIME_COLUMN("on_p99_ns", "On p99", 6, 2, COLUMN_BOTH,
				   "99 in 100 runs are at most this long"),
	[COL_RUN_MAX] = TIME_COLUMN("run_max_ns", "On max", 6, 0, COLUMN_BOTH,
				    "the longest run without a break"),
	[COL_OFF_P50] = TIME_COLUMN("off_p50_ns", "Offp50", 6, 3, COLUMN_BOTH,
				    "half of its times off the CPU are at most this long"),
	[COL_OFF_P99] = TIME_COLUMN("off_p99_ns", "Offp99", 6, 1, COLUMN_BOTH,
				    "99 in 100 times off the CPU are at most this long"),
	[COL_LAST_CPU] =
		TEXT_COLUMN("last_cpu", "CPU", 4, 0, COLUMN_SCREEN, "the CPU it ran on last"),
	[COL_THREADS] = COUNT_COLUMN("threads", "Thr", 4, 2, COLUMN_BOTH, "threads in the row"),
	[COL_LONGEST] =
		TEXT_COLUMN("longest", "by", 15, 2, COLUMN_BOTH, "whose the longest run was"),
	[COL_RUNNING] =
		TEXT_COLUMN("running", "Runs now", 15, 0, COLUMN_BOTH, "the thread on it now"),
	[COL_COMM] = TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH,
				 "name of the thread, of a process its main thread's"),
	[COL_CGROUP] = TEXT_COLUMN("cgroup", "Cgroup", 16, 0, COLUMN_BOTH,
				   "cgroup v2 path below its mount point"),
	[COL_PID] = ID_COLUMN("pid", "process id"),
	[COL_TID] = ID_COLUMN("tid", "thread id"),
	[COL_CPU] = ID_COLUMN("cpu", "number of the CPU; of a thread: where it ran last"),
	[COL_SPAN] = TIME_COLUMN("span_ns", "Span", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
				 "how long it was watched; the sum of its states"),
	[COL_WAITS] = COUNT_COLUMN("waits", "Waits", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
				   "delays that ended"),
	[COL_STATES] =
		COLUMN(VALUE_OBJECT, "states", "States", 0, 0, COLUMN_EXPORT, "time in each state"),
};

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
