// SPDX-License-Identifier: GPL-2.0-only
/* The columns of waits: what triage needs on a narrow screen first, all of it in exports. */
#include "base/columns.h"
#include "base/hosts.h"
#include "models/fields.h"
#include "models/frames.h"
#include "models/waits_result.h"

#define ROW	  struct waits_row
#define BY(group) WAITS_BIT(WAITS_BY_##group)

/* --- values with parts --- */

struct two_stacks {
	const struct callstack *kstack, *ustack;
};

static struct two_stacks own_stacks(const struct waits_row *r)
{
	return (struct two_stacks){r->entry->kstack, r->entry->ustack};
}

static struct two_stacks holder_stacks(const struct waits_row *r)
{
	return (struct two_stacks){r->holder_kstack, r->holder_ustack};
}

static struct two_stacks waker_stacks(const struct waits_row *r)
{
	return (struct two_stacks){r->woken->waker_kstack, r->woken->waker_ustack};
}

static void frame_at(struct two_stacks s, u32 i, const struct symbols *symbols,
		     struct value_frame *out)
{
	u32 nk = callstack__nlocs(s.kstack);
	u32 loc = i < nk ? s.kstack->locs[i] : s.ustack->locs[i - nk];
	struct frame_text t = frame__text(symbols, loc);

	*out = (struct value_frame){.symbol = t.name, .object = t.object_name, .kind = t.kind};
}

static void own_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct waits_row *r = of;

	frame_at(own_stacks(r), i, r->symbols, out);
}

static void waker_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct waits_row *r = of;

	frame_at(waker_stacks(r), i + r->woken_from, r->symbols, out);
}

static void holder_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct waits_row *r = of;

	frame_at(holder_stacks(r), i + r->holder_from, r->symbols, out);
}

static struct value stack_value(const struct waits_row *r, struct two_stacks s, u32 from,
				void (*frame)(const void *of, u32 i, struct value_frame *out))
{
	return (struct value){.type = VALUE_STACK,
			      .n = callstack__nlocs(s.kstack) + callstack__nlocs(s.ustack) - from,
			      .of = r,
			      .frame = frame};
}

static struct value known_id(u32 id)
{
	return (struct value){.type = id == PROFILE_MERGED ? VALUE_NONE : VALUE_COUNT, .u = id};
}

/* Of a thread with its stack. */
static void thread_part(u32 i, const char *comm, u32 tgid, u32 tid, struct value stack,
			struct value_part *out)
{
	static const char *const names[] = {"comm", "pid", "tid", "stack"};

	out->name = names[i];
	if (i == 0)
		out->value = (struct value){.type = VALUE_TEXT, .s = comm};
	else
		out->value = i == 3 ? stack : known_id(i == 1 ? tgid : tid);
}

static void waker_part(const void *of, u32 i, struct value_part *out)
{
	const struct waits_row *r = of;
	const struct waker *w = &r->woken->waker;

	thread_part(i, w->comm, w->tgid, w->tid,
		    stack_value(r, waker_stacks(r), r->woken_from, waker_frame), out);
}

static void holder_part(const void *of, u32 i, struct value_part *out)
{
	const struct waits_row *r = of;
	const struct wait_holder *h = r->holder;

	thread_part(i, h->comm, h->tgid, h->tid,
		    stack_value(r, holder_stacks(r), r->holder_from, holder_frame), out);
}

static void stack_cell(const struct query_result *a, const void *row, struct value *out)
{
	*out = stack_value(row, own_stacks(row), 0, own_frame);
}

static void waker_cell(const struct query_result *a, const void *row, struct value *out)
{
	*out = (struct value){.type = VALUE_OBJECT, .n = 4, .of = row, .part = waker_part};
	if (!((const struct waits_row *)row)->woken)
		out->type = VALUE_NONE;
}

static void holder_cell(const struct query_result *a, const void *row, struct value *out)
{
	*out = (struct value){.type = VALUE_OBJECT, .n = 4, .of = row, .part = holder_part};
	if (!((const struct waits_row *)row)->holder)
		out->type = VALUE_NONE;
}

/* Of threads that were merged it is not known any more. */
static void pid_cell(const struct query_result *a, const void *row, struct value *out)
{
	const struct waits_row *r = row;

	*out = known_id(r->starts ? PROFILE_MERGED : r->entry->task.tgid);
}

static void tid_cell(const struct query_result *a, const void *row, struct value *out)
{
	*out = known_id(((const struct waits_row *)row)->entry->task.tid);
}

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
static const struct field fields[] = {
	{PCT_COLUMN("share_pct", "Share%", 8, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
		    "share of all time off the CPU, of idle waits apart"),
	 FLOAT_AT(ROW, share_pct)},
	{TIME_COLUMN("off_ns", "Blocked", 8, 0, COLUMN_BOTH | COLUMN_SUM,
		     "time off the CPU in the window, waiting for a CPU included"),
	 NUMBER_AT(ROW, sums.off_ns)},
	{TEXT_COLUMN("process", "PID", 7, 4, COLUMN_SCREEN, "process id"), TEXT_AT(ROW, pid_text),
	 .groups = WAITS_PROCESS},
	{TEXT_COLUMN("thread", "TID", 7, 0, COLUMN_SCREEN, "thread id"),
	 TEXT_AT(ROW, text[WAITS_BY_TID]), .groups = BY(TID)},
	{TEXT_COLUMN("comm", "Command", 12, 0, COLUMN_BOTH,
		     "name of the thread, of a process its main thread's"),
	 TEXT_AT(ROW, comm), .groups = WAITS_TASK},
	THREAD_NAME_FIELD(ROW, thread_name, BY(TID)),
	END_FIELDS(ROW, WAITS_PROCESS),
	{CMDLINE_COLUMN, TEXT_AT(ROW, cmdline), .groups = WAITS_PROCESS, .except = BY(STACK), .if_any = true},
	HOST_FIELD(ROW, WAITS_OF_HOST, 0),
	{TEXT_COLUMN("cgroup", "Cgroup", 16, 0, COLUMN_BOTH,
		     "cgroup v2 path below its mount point"),
	 TEXT_AT(ROW, text[WAITS_BY_CGROUP]), .groups = BY(CGROUP)},
	{TEXT_COLUMN("woken_by", "Woken by", 16, 0, COLUMN_BOTH,
		     "thread that ended the waits, or [timer] and the like"),
	 TEXT_AT(ROW, text[WAITS_BY_WAKER]), .groups = BY(WAKER)},
	{TEXT_COLUMN("place", "Waits in", 14, 0, COLUMN_SCREEN,
		     "function it waits in; what syncs a file by the name of that call"),
	 TEXT_AT(ROW, place), .groups = BY(STACK)},
	{TEXT_COLUMN("symbol", "symbol", 14, 0, COLUMN_EXPORT, "function it waits in"),
	 TEXT_AT(ROW, text[WAITS_BY_STACK]), .groups = BY(STACK)},
	{TEXT_COLUMN("caller", "Called from", 16, 3, COLUMN_BOTH,
		     "function of the program itself that led there"),
	 TEXT_AT(ROW, caller), .groups = BY(STACK)},
	{TEXT_COLUMN("ended_by", "Ended by", 13, 1, COLUMN_SCREEN,
		     "thread that ended most of it, or has the lock that is waited for; blank: none"),
	 TEXT_AT(ROW, ended_by), .except = BY(WAKER)},
	{TEXT_COLUMN("lock", "Lock", 20, 2, COLUMN_BOTH,
		     "lock in user space: its symbol, or where it lies and who takes it"),
	 TEXT_AT(ROW, lock), .if_any = true},
	{TEXT_COLUMN("reason", "Reason", 11, 0, COLUMN_BOTH, "what it waits for"),
	 TEXT_AT(ROW, reason)},
	{TEXT_COLUMN("class", "Class", 7, 5, COLUMN_BOTH,
		     "harmful: held up; idle: waits for new work; unclear: no proof"),
	 NAMED_AT(ROW, class, wait_class_names)},
	{TEXT_COLUMN(
		 "state", "S", 1, 0, COLUMN_BOTH,
		 "S asleep, D uninterruptible, T stopped, t traced, I idle worker, R preempted"),
	 TEXT_AT(ROW, state)},
	{COUNT_COLUMN("count", "Count", 6, 3, COLUMN_BOTH | COLUMN_SUM, "waits that ended"),
	 NUMBER_AT(ROW, sums.count), UNLESS_0(ROW, counted)},
	{TIME_COLUMN("avg_ns", "Avg", 6, 2, COLUMN_BOTH,
		     "average wait that ended; if none did, of those so far"),
	 NUMBER_AT(ROW, avg_ns), UNLESS_0(ROW, counted)},
	{TIME_COLUMN("max_ns", "Max", 6, 3, COLUMN_BOTH, "longest wait, one that goes on too"),
	 NUMBER_AT(ROW, sums.max_ns), UNLESS_0(ROW, has_max)},
	{COLUMN(VALUE_TEXT, "goes_on", "+", 1, 0, COLUMN_SCREEN,
		"+: a wait goes on at the window's end, and is longer than it says"),
	 TEXT_AT(ROW, mark)},
	{PCT_COLUMN("window_pct", "Window%", 7, 5, COLUMN_BOTH | COLUMN_SHARE,
		    "share of the window that its threads were off the CPU for it"),
	 FLOAT_AT(ROW, pct), UNLESS_0(ROW, single)},
	{ID_COLUMN("pid", "process id"), MADE_BY(pid_cell), .groups = WAITS_PROCESS},
	STARTS_FIELD(ROW, BY(PID)),
	{ID_COLUMN("tid", "thread id"), MADE_BY(tid_cell), .groups = BY(TID)},
	{TIME_COLUMN("unfinished_ns", "Unfinished", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
		     "part of off_ns of waits that go on at the window's end"),
	 NUMBER_AT(ROW, sums.open_ns)},
	{TIME_COLUMN("runq_ns", "Run queue", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
		     "part of off_ns after it was woken: it waited for a CPU"),
	 NUMBER_AT(ROW, sums.runq_ns)},
	{COUNT_COLUMN("threads", "Thr", 5, 4, COLUMN_BOTH, "threads that waited so"),
	 NUMBER_AT(ROW, nthreads), UNLESS_0(ROW, single), .except = BY(TID)},
	{COLUMN(VALUE_BOOL, "idle", "Idle", 4, 0, COLUMN_EXPORT,
		"nobody is held up by it: it waits for new work, which is proven"),
	 NUMBER_AT(ROW, idle)},
	{COLUMN(VALUE_TEXT, "why", "Why", 0, 0, COLUMN_EXPORT,
		"what makes it harmful, idle or unclear, of most of it"),
	 TEXT_AT(ROW, because)},
	{COLUMN(VALUE_STACK, "stack", "Stack", 0, 0, COLUMN_EXPORT, "where it waits, leaf first"),
	 MADE_BY(stack_cell), .groups = BY(STACK)},
	{COLUMN(VALUE_OBJECT, "waker", "Waker", 0, 0, COLUMN_EXPORT,
		"thread that ended most of it, and where it was"),
	 MADE_BY(waker_cell), .groups = BY(STACK) | BY(WAKER)},
	{COLUMN(VALUE_OBJECT, "holder", "Holder", 0, 0, COLUMN_EXPORT,
		"of a lock: who had it or has it now, and where it was"),
	 MADE_BY(holder_cell)},
};

/* The column that names a row and takes what width is left. */
static const char *key_column(u32 groups)
{
	if (groups & BY(STACK))
		return "place";
	if (groups & WAITS_TASK)
		return "comm";
	if (groups & BY(CGROUP))
		return "cgroup";
	if (groups & BY(WAKER))
		return "woken_by";
	if (groups & BY(REASON))
		return "reason";
	return groups & BY(STATE) ? "state" : HOST_LABEL;
}

static struct column *named(struct column *columns, const char *name)
{
	return column__named(columns, ARRAY_SIZE(fields), name);
}

/* Beside a place a command needs less room; without one, states are often mixed. */
static void fit_columns(struct column *columns, u32 groups)
{
	if (groups & BY(STACK)) {
		named(columns, "comm")->width = 11;
		named(columns, "comm")->priority = groups & BY(TID) ? 1 : 0;
		/* Who ended it is worth more than what the reason says anyway. */
		named(columns, "state")->priority = 3;
	} else if (!(groups & BY(STATE))) {
		named(columns, "state")->width = 5;
	}
	/* What rows are distinguished by stays longer than how long the longest wait was. */
	if (groups & BY(PID))
		named(columns, "process")->priority = groups & BY(STACK) ? 1 : 0;
}

void waits_result__table(struct waits_result *a)
{
	u32 groups = a->query.groups;
	struct column *columns =
		query_result__table(&a->base, fields, ARRAY_SIZE(fields), a->rows, a->nrows,
				    sizeof(*a->rows), groups, 0, "off_ns");
	struct column *key = named(columns, key_column(groups));

	fit_columns(columns, groups);
	key->flags |= COLUMN_KEY | COLUMN_FLEX;
	key->priority = 0;
	columns__fit_cmdline(columns, ARRAY_SIZE(fields));
}
