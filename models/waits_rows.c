// SPDX-License-Identifier: GPL-2.0-only
/* The columns of waits: what triage needs on a narrow screen first, all of it in exports. */
#include "base/columns.h"
#include "models/frames.h"
#include "models/waits_answer.h"

enum waits_column {
	COL_SHARE,
	COL_OFF,
	COL_PID_TEXT,
	COL_TID_TEXT,
	COL_COMM,
	COL_CGROUP,
	COL_WAKER_TEXT,
	COL_WHERE,
	COL_CALLER,
	COL_ENDED,
	COL_REASON,
	COL_CLASS,
	COL_STATE,
	COL_COUNT,
	COL_AVG,
	COL_MAX,
	COL_MARK,
	COL_WINDOW,
	COL_PID,
	COL_TID,
	COL_UNFINISHED,
	COL_RUNQ,
	COL_THREADS,
	COL_IDLE,
	COL_BECAUSE,
	COL_STACK,
	COL_WAKER,
	COLUMNS,
};

/* Ids are numbers for programs; on screen they are text, since numbers are shortened there. */
static const struct column waits_columns[COLUMNS] = {
	[COL_SHARE] =
		PCT_COLUMN("share_pct", "Share%", 10, 0, COLUMN_BOTH | COLUMN_BAR | COLUMN_SHARE,
			   "share of all time off the CPU, of idle waits apart"),
	[COL_OFF] = TIME_COLUMN("off_ns", "Blocked", 8, 0, COLUMN_BOTH | COLUMN_SUM,
				"time off the CPU in the window, waiting for a CPU included"),
	[COL_PID_TEXT] = TEXT_COLUMN("process", "PID", 7, 4, COLUMN_SCREEN, "process id"),
	[COL_TID_TEXT] = TEXT_COLUMN("thread", "TID", 7, 0, COLUMN_SCREEN, "thread id"),
	[COL_COMM] = TEXT_COLUMN("comm", "Command", 12, 0, COLUMN_BOTH,
				 "name of the thread, of a process its main thread's"),
	[COL_CGROUP] = TEXT_COLUMN("cgroup", "Cgroup", 16, 0, COLUMN_BOTH,
				   "cgroup v2 path below its mount point"),
	[COL_WAKER_TEXT] = TEXT_COLUMN("woken_by", "Woken by", 16, 0, COLUMN_BOTH,
				       "thread that ended the waits, or [timer] and the like"),
	[COL_WHERE] = TEXT_COLUMN("symbol", "Waits in", 14, 0, COLUMN_BOTH, "function it waits in"),
	[COL_CALLER] = TEXT_COLUMN("caller", "Called from", 16, 3, COLUMN_BOTH,
				   "function of the program itself that led there"),
	[COL_ENDED] = TEXT_COLUMN("ended_by", "Ended by", 16, 3, COLUMN_SCREEN,
				  "thread that ended most of it; blank: none did"),
	[COL_REASON] = TEXT_COLUMN("reason", "Reason", 11, 0, COLUMN_BOTH, "what it waits for"),
	[COL_CLASS] = TEXT_COLUMN("class", "Class", 7, 5, COLUMN_BOTH,
				  "harmful: held up; idle: waits for new work; unclear: no proof"),
	[COL_STATE] = TEXT_COLUMN(
		"state", "S", 1, 0, COLUMN_BOTH,
		"S asleep, D uninterruptible, T stopped, t traced, I idle worker, R preempted"),
	[COL_COUNT] =
		COUNT_COLUMN("count", "Count", 6, 3, COLUMN_BOTH | COLUMN_SUM, "waits that ended"),
	[COL_AVG] = TIME_COLUMN("avg_ns", "Avg", 6, 1, COLUMN_BOTH,
				"average wait that ended; if none did, of those so far"),
	[COL_MAX] = TIME_COLUMN("max_ns", "Max", 6, 2, COLUMN_BOTH,
				"longest wait, one that goes on too"),
	[COL_MARK] = COLUMN(VALUE_TEXT, "goes_on", "+", 1, 0, COLUMN_SCREEN,
			    "+: a wait goes on at the window's end, and is longer than it says"),
	[COL_WINDOW] = PCT_COLUMN("window_pct", "Window%", 7, 5, COLUMN_BOTH | COLUMN_SHARE,
				  "share of the window that its threads were off the CPU for it"),
	[COL_PID] = ID_COLUMN("pid", "process id"),
	[COL_TID] = ID_COLUMN("tid", "thread id"),
	[COL_UNFINISHED] =
		TIME_COLUMN("unfinished_ns", "Unfinished", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
			    "part of off_ns of waits that go on at the window's end"),
	[COL_RUNQ] = TIME_COLUMN("runq_ns", "Run queue", 7, 0, COLUMN_EXPORT | COLUMN_SUM,
				 "part of off_ns after it was woken: it waited for a CPU"),
	[COL_THREADS] = COUNT_COLUMN("threads", "Thr", 5, 4, COLUMN_BOTH, "threads that waited so"),
	[COL_IDLE] = COLUMN(VALUE_BOOL, "idle", "Idle", 4, 0, COLUMN_EXPORT,
			    "nobody is held up by it: it waits for new work, which is proven"),
	[COL_BECAUSE] = COLUMN(VALUE_TEXT, "why", "Why", 0, 0, COLUMN_EXPORT,
			       "what makes it harmful, idle or unclear, of most of it"),
	[COL_STACK] = COLUMN(VALUE_STACK, "stack", "Stack", 0, 0, COLUMN_EXPORT,
			     "where it waits, leaf first"),
	[COL_WAKER] = COLUMN(VALUE_OBJECT, "waker", "Waker", 0, 0, COLUMN_EXPORT,
			     "thread that ended most of it, and where it was"),
};

/* The keys that a column comes with; 0: with all. */
static u32 column_groups(u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
	case COL_PID:
		return WAITS_PROCESS;
	case COL_TID_TEXT:
	case COL_TID:
		return WAITS_BIT(WAITS_BY_TID);
	case COL_COMM:
		return WAITS_TASK;
	case COL_CGROUP:
		return WAITS_BIT(WAITS_BY_CGROUP);
	case COL_WAKER_TEXT:
		return WAITS_BIT(WAITS_BY_WAKER);
	case COL_WHERE:
	case COL_CALLER:
	case COL_STACK:
		return WAITS_BIT(WAITS_BY_STACK);
	case COL_WAKER:
		return WAITS_BIT(WAITS_BY_STACK) | WAITS_BIT(WAITS_BY_WAKER);
	default:
		return 0;
	}
}

static bool applies(u32 groups, u32 column)
{
	u32 with = column_groups(column);

	if (column == COL_THREADS)
		return !(groups & WAITS_BIT(WAITS_BY_TID));
	if (column == COL_ENDED)
		return !(groups & WAITS_BIT(WAITS_BY_WAKER));
	return !with || groups & with;
}

/* The column that names a row and takes what width is left. */
static enum waits_column key_column(u32 groups)
{
	if (groups & WAITS_BIT(WAITS_BY_STACK))
		return COL_WHERE;
	if (groups & WAITS_TASK)
		return COL_COMM;
	if (groups & WAITS_BIT(WAITS_BY_CGROUP))
		return COL_CGROUP;
	if (groups & WAITS_BIT(WAITS_BY_WAKER))
		return COL_WAKER_TEXT;
	return groups & WAITS_BIT(WAITS_BY_REASON) ? COL_REASON : COL_STATE;
}

/* --- values with parts --- */

struct two_stacks {
	const struct profile_stack *kstack, *ustack;
};

static struct two_stacks own_stacks(const struct waits_row *r)
{
	return (struct two_stacks){r->entry->kstack, r->entry->ustack};
}

static struct two_stacks waker_stacks(const struct waits_row *r)
{
	return (struct two_stacks){r->woken->waker_kstack, r->woken->waker_ustack};
}

static void frame_at(struct two_stacks s, u32 i, const struct symbols *symbols,
		     struct value_frame *out)
{
	u32 nk = profile_stack__nlocs(s.kstack);
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

static struct value stack_value(const struct waits_row *r, struct two_stacks s, u32 from,
				void (*frame)(const void *of, u32 i, struct value_frame *out))
{
	return (struct value){.type = VALUE_STACK,
			      .n = profile_stack__nlocs(s.kstack) + profile_stack__nlocs(s.ustack) -
				   from,
			      .of = r,
			      .frame = frame};
}

static struct value waker_id(u32 id)
{
	return (struct value){.type = id == PROFILE_MERGED ? VALUE_NONE : VALUE_COUNT, .u = id};
}

static void waker_part(const void *of, u32 i, struct value_part *out)
{
	static const char *const names[] = {"comm", "pid", "tid", "stack"};
	const struct waits_row *r = of;
	const struct waker *w = &r->woken->waker;

	out->name = names[i];
	if (i == 0)
		out->value = (struct value){.type = VALUE_TEXT, .s = w->comm};
	else if (i < 3)
		out->value = waker_id(i == 1 ? w->tgid : w->tid);
	else
		out->value = stack_value(r, waker_stacks(r), r->woken_from, waker_frame);
}

static struct value parts_cell(const struct waits_row *r, u32 column)
{
	if (column == COL_STACK)
		return stack_value(r, own_stacks(r), 0, own_frame);
	if (!r->woken)
		return (struct value){.type = VALUE_NONE};
	return (struct value){.type = VALUE_OBJECT, .n = 4, .of = r, .part = waker_part};
}

/* --- cells --- */

static const char *text_cell(const struct waits_row *r, u32 column)
{
	switch (column) {
	case COL_PID_TEXT:
		return r->pid_text;
	case COL_TID_TEXT:
		return r->text[WAITS_BY_TID];
	case COL_COMM:
		return r->comm;
	case COL_CGROUP:
		return r->text[WAITS_BY_CGROUP];
	case COL_WAKER_TEXT:
		return r->text[WAITS_BY_WAKER];
	case COL_WHERE:
		return r->text[WAITS_BY_STACK];
	case COL_CALLER:
		return r->caller;
	case COL_ENDED:
		return r->woken_by;
	case COL_REASON:
		return r->reason;
	case COL_CLASS:
		return wait_class_names[r->class];
	case COL_BECAUSE:
		return r->because;
	case COL_STATE:
		return r->state;
	default:
		return r->sums.open ? "+" : "";
	}
}

static u64 number_cell(const struct waits_row *r, u32 column)
{
	switch (column) {
	case COL_OFF:
		return r->sums.off_ns;
	case COL_COUNT:
		return r->sums.count;
	case COL_AVG:
		return r->avg_ns;
	case COL_MAX:
		return r->sums.max_ns;
	case COL_UNFINISHED:
		return r->sums.open_ns;
	case COL_RUNQ:
		return r->sums.runq_ns;
	case COL_THREADS:
		return r->nthreads;
	case COL_PID:
		return r->entry->task.tgid;
	case COL_TID:
		return r->entry->task.tid;
	default:
		return r->class == CLASS_IDLE;
	}
}

/* Of threads that were merged the id is not known any more, nor how many they were. */
static bool is_unknown(const struct waits_row *r, u32 column)
{
	switch (column) {
	case COL_PID:
		return r->entry->task.tgid == PROFILE_MERGED;
	case COL_TID:
		return r->entry->task.tid == PROFILE_MERGED;
	case COL_WINDOW:
	case COL_THREADS:
		return r->merged;
	/* The waits that a decaying window still has time of may be counted no more. */
	case COL_COUNT:
	case COL_AVG:
		return !r->sums.count && !r->sums.open && r->sums.off_ns;
	case COL_MAX:
		return !r->sums.max_ns && r->sums.off_ns;
	default:
		return false;
	}
}

static struct value value_of(const struct waits_row *r, u32 column)
{
	struct value v = {.type = waits_columns[column].type};

	if (is_unknown(r, column))
		return (struct value){.type = VALUE_NONE};
	switch (v.type) {
	case VALUE_TEXT:
		v.s = text_cell(r, column);
		break;
	case VALUE_PCT:
		v.f = column == COL_SHARE ? r->share_pct : r->pct;
		break;
	case VALUE_STACK:
	case VALUE_OBJECT:
		return parts_cell(r, column);
	default:
		v.u = number_cell(r, column);
	}
	return v;
}

static bool answer__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct waits_answer *a = container_of(t, struct waits_answer, base.table);

	*out = (struct value){0};
	if (column >= COLUMNS || !applies(a->query.groups, column))
		return false;
	*out = value_of(&a->rows[row], column);
	return true;
}

static u64 answer__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct waits_answer, base.table)->rows[row].key;
}

/* --- the table --- */

/* Beside a place a command needs less room; without one, states are often mixed. */
static void fit_columns(struct column *columns, u32 groups)
{
	if (groups & WAITS_BIT(WAITS_BY_STACK)) {
		columns[COL_COMM].width = 11;
		columns[COL_COMM].priority = groups & WAITS_BIT(WAITS_BY_TID) ? 1 : 0;
	} else if (!(groups & WAITS_BIT(WAITS_BY_STATE))) {
		columns[COL_STATE].width = 5;
	}
}

void waits_answer__table(struct waits_answer *a, struct arena *arena)
{
	struct column *columns = arena__dup(arena, waits_columns, sizeof(waits_columns));
	struct column *key = &columns[key_column(a->query.groups)];

	fit_columns(columns, a->query.groups);
	key->flags |= COLUMN_KEY | COLUMN_FLEX;
	key->priority = 0;
	a->base.table.columns = columns;
	a->base.table.ncolumns = COLUMNS;
	a->base.table.nrows = a->nrows;
	a->base.table.sort = COL_OFF;
	a->base.table.cell = answer__cell;
	a->base.table.key = answer__key;
}
