// SPDX-License-Identifier: GPL-2.0-only
/* The columns of the sched view's rows. */
#include "base/columns.h"
#include "models/fields.h"
#include "models/sched_result.h"

#define ROW struct sched_row

enum {
	TIDS = 1u << SCHED_BY_TID,
	PIDS = 1u << SCHED_BY_PID,
	COMMS = 1u << SCHED_BY_COMM,
	CGROUPS = 1u << SCHED_BY_CGROUP,
	CPUS = 1u << SCHED_BY_CPU,
	THREADS = TIDS | PIDS | COMMS | CGROUPS,
};

/* CPUs have one set. */
enum {
	OF_CPUS = 1u << SCHED_SHOWS,
	DELAYS = 1u << SCHED_SHOW_DELAYS | OF_CPUS,
	STATES = 1u << SCHED_SHOW_STATES | OF_CPUS,
	BURSTS = 1u << SCHED_SHOW_BURSTS | OF_CPUS,
};

/* --- cells --- */

/* Of threads that were merged or forgotten it is not known any more. */
static void id_cell(const struct sched_row *r, u32 id, bool of_thread, struct value *out)
{
	out->u = id;
	if (!r->task || id == PROFILE_MERGED || (of_thread && r->task->task.tid == PROFILE_MERGED))
		*out = (struct value){0};
}

static void pid_cell(const struct query_result *a, const void *row, struct value *out)
{
	const struct sched_row *r = row;

	id_cell(r, r->starts ? PROFILE_MERGED : r->task ? r->task->task.tgid : 0, false, out);
}

static void tid_cell(const struct query_result *a, const void *row, struct value *out)
{
	const struct sched_row *r = row;

	id_cell(r, r->task ? r->task->task.tid : 0, true, out);
}

static void cpu_cell(const struct query_result *a, const void *row, struct value *out)
{
	const struct sched_row *r = row;

	if (r->cpu)
		out->u = r->cpu->cpu;
	else
		id_cell(r, r->task ? r->task->cpu : 0, true, out);
}

static void state_part(const void *of, u32 i, struct value_part *out)
{
	const struct sched_row *r = of;

	out->name = task_state_names[i];
	out->value = (struct value){.type = VALUE_NS, .u = r->sums.state_ns[i]};
}

static void states_cell(const struct query_result *a, const void *row, struct value *out)
{
	out->n = TASK_STATES;
	out->of = row;
	out->part = state_part;
}

/* --- the table --- */

#define STATE(state, name, title, priority, help)                                                  \
	{                                                                                          \
		PCT_COLUMN(name, title, 6, priority, COLUMN_SCREEN | COLUMN_SHARE, help),          \
			.kind = FIELD_PART, NUMBER_AT(ROW, sums.state_ns[state]),                  \
			.by = offsetof(ROW, sums.span_ns), .groups = THREADS, .sets = STATES       \
	}

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
static const struct field fields[] = {
	{PCT_COLUMN("oncpu_pct", "CPU%", 11, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
		    "time on a CPU, of one CPU; of a CPU: not idle"),
	 FLOAT_AT(ROW, oncpu_pct), .sets = DELAYS | BURSTS},
	{COLUMN(VALUE_TREND, "trend", "Trend", 8, 2, COLUMN_SCREEN | COLUMN_TREND_PCT,
		"share of the last 16 intervals on a CPU, newest right"),
	 TREND_AT(ROW, trend), .sets = DELAYS | BURSTS},
	{TEXT_COLUMN("processor", "CPU", 4, 0, COLUMN_SCREEN, "number of the CPU"),
	 TEXT_AT(ROW, name), .groups = CPUS},
	{TEXT_COLUMN("process", "PID", 7, 5, COLUMN_SCREEN, "process id"), TEXT_AT(ROW, pid_text),
	 .groups = TIDS | PIDS},
	{TEXT_COLUMN("thread", "TID", 7, 0, COLUMN_SCREEN, "thread id"), TEXT_AT(ROW, tid_text),
	 .groups = TIDS},
	{TIME_COLUMN("oncpu_ns", "On-CPU", 6, 4, COLUMN_BOTH | COLUMN_SUM, "time on a CPU"),
	 NUMBER_AT(ROW, sums.state_ns[TASK_STATE_RUNNING]), .sets = DELAYS},
	{COUNT_COLUMN("runs", "Runs", 6, 3, COLUMN_BOTH | COLUMN_SUM, "times it got a CPU"),
	 NUMBER_AT(ROW, sums.runs), .groups = THREADS, .sets = DELAYS},
	{COUNT_COLUMN("switches", "Switch", 6, 3, COLUMN_BOTH | COLUMN_SUM,
		      "times it went from one thread to another"),
	 NUMBER_AT(ROW, sums.runs), .groups = CPUS},
	{TIME_COLUMN("wait_ns", "Wait", 6, 1, COLUMN_BOTH | COLUMN_SUM,
		     "sum of its delays: runnable, but without a CPU"),
	 NUMBER_AT(ROW, sums.delay_ns), .groups = THREADS, .sets = DELAYS},
	{TIME_COLUMN("wait_p50_ns", "p50", 6, 2, COLUMN_BOTH,
		     "half of the delays are at most this long"),
	 NUMBER_AT(ROW, wait_p50_ns), UNLESS_0(ROW, wait_p99_ns), .sets = DELAYS},
	{TIME_COLUMN("wait_p95_ns", "p95", 6, 1, COLUMN_BOTH,
		     "95 in 100 delays are at most this long"),
	 NUMBER_AT(ROW, wait_p95_ns), UNLESS_0(ROW, wait_p99_ns), .sets = DELAYS},
	{TIME_COLUMN("wait_p99_ns", "p99", 6, 1, COLUMN_BOTH,
		     "99 in 100 delays are at most this long"),
	 NUMBER_AT(ROW, wait_p99_ns), UNLESS_0(ROW, wait_p99_ns), .sets = DELAYS},
	{TIME_COLUMN("wait_max_ns", "Max", 6, 0, COLUMN_BOTH,
		     "the longest delay, one that goes on too"),
	 NUMBER_AT(ROW, sums.delay_max_ns), UNLESS_0(ROW, sums.delay_max_ns), .groups = THREADS, .sets = DELAYS},
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
	{COUNT_COLUMN("voluntary", "Volunt", 6, 0, COLUMN_BOTH | COLUMN_SUM,
		      "times it left its CPU to wait for something"),
	 NUMBER_AT(ROW, sums.voluntary), .groups = THREADS, .sets = BURSTS},
	{COUNT_COLUMN("preempted", "Preemp", 6, 0, COLUMN_BOTH | COLUMN_SUM,
		      "times it had to leave its CPU, or yielded"),
	 NUMBER_AT(ROW, sums.preempted), .groups = THREADS, .sets = BURSTS},
	{COUNT_COLUMN("migrations", "Migr", 6, 1, COLUMN_BOTH | COLUMN_SUM,
		      "times it changed its CPU"),
	 NUMBER_AT(ROW, sums.migrations), .groups = THREADS, .sets = BURSTS},
	{TIME_COLUMN("on_p50_ns", "On p50", 6, 3, COLUMN_BOTH,
		     "half of its runs are at most this long"),
	 NUMBER_AT(ROW, on_p50_ns), UNLESS_0(ROW, on_p99_ns), .groups = THREADS, .sets = BURSTS},
	{TIME_COLUMN("on_p99_ns", "On p99", 6, 2, COLUMN_BOTH,
		     "99 in 100 runs are at most this long"),
	 NUMBER_AT(ROW, on_p99_ns), UNLESS_0(ROW, on_p99_ns), .groups = THREADS, .sets = BURSTS},
	{TIME_COLUMN("run_max_ns", "On max", 6, 0, COLUMN_BOTH, "the longest run without a break"),
	 NUMBER_AT(ROW, sums.run_max_ns), UNLESS_0(ROW, sums.run_max_ns), .sets = BURSTS},
	{TIME_COLUMN("off_p50_ns", "Offp50", 6, 3, COLUMN_BOTH,
		     "half of its times off the CPU are at most this long"),
	 NUMBER_AT(ROW, off_p50_ns), UNLESS_0(ROW, off_p99_ns), .groups = THREADS, .sets = BURSTS},
	{TIME_COLUMN("off_p99_ns", "Offp99", 6, 1, COLUMN_BOTH,
		     "99 in 100 times off the CPU are at most this long"),
	 NUMBER_AT(ROW, off_p99_ns), UNLESS_0(ROW, off_p99_ns), .groups = THREADS, .sets = BURSTS},
	{TEXT_COLUMN("last_cpu", "CPU", 4, 0, COLUMN_SCREEN, "the CPU it ran on last"),
	 TEXT_AT(ROW, cpu_text), .groups = TIDS, .sets = BURSTS},
	{COUNT_COLUMN("threads", "Thr", 4, 2, COLUMN_BOTH, "threads in the row"),
	 NUMBER_AT(ROW, nthreads), .groups = THREADS & ~TIDS},
	{TEXT_COLUMN("longest", "by", 15, 2, COLUMN_BOTH, "whose the longest run was"),
	 TEXT_AT(ROW, longest), .groups = CPUS},
	{TEXT_COLUMN("running", "Runs now", 15, 0, COLUMN_BOTH, "the thread on it now"),
	 TEXT_AT(ROW, running), .groups = CPUS, .keys = CPUS},
	{TEXT_COLUMN("comm", "Command", 15, 0, COLUMN_BOTH,
		     "name of the thread, of a process its main thread's"),
	 TEXT_AT(ROW, comm), .groups = TIDS | PIDS | COMMS, .keys = TIDS | PIDS | COMMS},
	THREAD_NAME_FIELD(ROW, thread_name, TIDS),
	END_FIELDS(ROW, TIDS | PIDS),
	CMDLINE_FIELD(ROW, TIDS | PIDS),
	{TEXT_COLUMN("cgroup", "Cgroup", 16, 0, COLUMN_BOTH,
		     "cgroup v2 path below its mount point"),
	 TEXT_AT(ROW, cgroup_name), .groups = CGROUPS, .keys = CGROUPS},
	{ID_COLUMN("pid", "process id"), MADE_BY(pid_cell), .groups = TIDS | PIDS},
	STARTS_FIELD(ROW, PIDS),
	{ID_COLUMN("tid", "thread id"), MADE_BY(tid_cell), .groups = TIDS},
	{ID_COLUMN("cpu", "number of the CPU; of a thread: where it ran last"), MADE_BY(cpu_cell),
	 .groups = TIDS | CPUS},
	{TIME_COLUMN("span_ns", "Span", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
		     "how long it was watched; the sum of its states"),
	 NUMBER_AT(ROW, sums.span_ns)},
	{COUNT_COLUMN("waits", "Waits", 7, 0, COLUMN_EXPORT | COLUMN_SUM, "delays that ended"),
	 NUMBER_AT(ROW, sums.delays)},
	{COLUMN(VALUE_OBJECT, "states", "States", 0, 0, COLUMN_EXPORT, "time in each state"),
	 MADE_BY(states_cell), .groups = THREADS},
};

/* Of a CPU it matters more who runs than how long others waited; of threads there is more to say.
 */
static void fit(struct column *columns, enum sched_group group)
{
	struct column *running = column__named(columns, ARRAY_SIZE(fields), "state_running_pct");
	struct column *longest = column__named(columns, ARRAY_SIZE(fields), "run_max_ns");

	running->width = 11;
	running->flags |= COLUMN_BAR;
	if (group == SCHED_BY_PID)
		column__named(columns, ARRAY_SIZE(fields), "process")->priority = 0;
	if (group != SCHED_BY_CPU) {
		column__named(columns, ARRAY_SIZE(fields), "trend")->priority = 6;
		return;
	}
	column__named(columns, ARRAY_SIZE(fields), "wait_p50_ns")->priority = 5;
	column__named(columns, ARRAY_SIZE(fields), "wait_p95_ns")->priority = 4;
	longest->title = "Longest";
	longest->width = 7;
}

void sched_result__table(struct sched_result *a)
{
	bool cpus = a->query.group == SCHED_BY_CPU;
	const char *sort = cpus					? "processor"
			   : a->query.show == SCHED_SHOW_STATES ? "state_running_pct"
								: "oncpu_pct";

	fit(RESULT_TABLE(&a->base, fields, a->rows, a->nrows, a->query.group,
			 cpus ? SCHED_SHOWS : a->query.show, sort),
	    a->query.group);
}
