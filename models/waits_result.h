/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make a struct waits_result. One thread, one query at a time. */
#ifndef MODELS_WAITS_ANSWER_H
#define MODELS_WAITS_ANSWER_H

#include "models/storms.h"
#include "models/waits_select.h"

/* What of a task rows may be grouped by; with which of these its process is known. */
#define WAITS_PROCESS (WAITS_BIT(WAITS_BY_PID) | WAITS_BIT(WAITS_BY_TID))
#define WAITS_OF_HOST (WAITS_PROCESS | WAITS_BIT(WAITS_BY_HOST))
#define WAITS_TASK    (WAITS_PROCESS | WAITS_BIT(WAITS_BY_COMM))

/* A row in the making. */
struct row_group {
	struct waits_row row;
	u32 place;	     /* of row.entry */
	u32 states, reasons; /* bits of those in it */
	u64 reason_ns[WAIT_REASONS];
	u64 open_full_ns;
	const struct wait_entry *lock, *lock_woken; /* the largest that waits for one, that a thread ended */
};

struct row_groups {
	struct waits_selection s;
	const struct waits_query *query;
	struct row_group *items;
	u32 n, cap;
	struct hidx index;
	struct hidx threads;  /* of a row, and of all that is idle */
	struct storms storms; /* by pid */
	struct hidx lock_index; /* of the snapshot's locks */
	u32 *of;	      /* by s.waits: its group */
};

/* Of rows by process: the storm that an entry's is part of, NULL none. */
const struct storm *row_groups__storm(struct row_groups *g, const struct wait_entry *e);

/* As task__who(), or what else ends a wait, in the arena: "[timer]" "[disk]" "[network]"
 * "[interrupt]" "[goes on]" "[preempted]" "[not kept]" "[not seen]". */
const char *waits__waker_text(struct waits_selection *s, const struct wait_entry *e);
/* Waits that agree in it were ended by the same. */
u64 waits__waker_key(struct waits_selection *s, const struct wait_entry *e);

/* "S" ...; nobody sleeps who was preempted: "R". */
static inline const char *wait_state__text(enum task_state state)
{
	return task_state_names[state == TASK_STATE_RUNNABLE ? TASK_STATE_RUNNING : state];
}

/* Threads that agree in it were of one process; those that ended are distinguished by name. */
u64 waits__process_key(const struct waits_snap *snap, const struct task_ident *t);

/* What its share is of. */
static inline u64 waits_row__whole(const struct waits_row *row, const struct waits_result *a)
{
	return row->class == CLASS_IDLE ? a->idle_ns : a->off_ns;
}

/* Fills what the row of a group is called, and its key column's name. */
void row_group__name(struct row_groups *g, struct row_group *group);
/* Fills which lock a row waits for and who has it (waits_locks.c). */
void row_group__lock(struct row_groups *g, struct row_group *group);
/* The table of an answer, in its arena. */
void waits_result__table(struct waits_result *a);
/* Fills trees, nodes. sources[i]: the group of row i. */
void waits_result__trees(struct waits_result *a, struct row_groups *g, const u32 *sources);

static inline double waits__pct(u64 part, u64 whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

#endif
