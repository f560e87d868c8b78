// SPDX-License-Identifier: GPL-2.0-only
/* What a row of the offcpu view is, as terms of the filter language. */
#include <stdio.h>

#include "base/hosts.h"
#include "tui/views/offcpu.h"
#include "tui/views/terms.h"

static bool state_term(const struct wait_entry *e, char *buf, size_t size)
{
	/* Who was preempted is in no state that could be filtered by. */
	if (e->state == TASK_STATE_RUNNABLE || !strchr(SCOPE_STATES, *task_state_names[e->state]))
		return false;
	snprintf(buf, size, "state=%s", task_state_names[e->state]);
	return true;
}

/* A stack is told by where it waits, as far as that has a name; a reason or waker by nothing. */
static bool key_term(const void *row, u32 group, char *buf, size_t size)
{
	const struct waits_row *r = row;
	const struct wait_entry *e = r->entry;

	switch (group) {
	case WAITS_BY_STACK:
		return term__name("sym", r->text[WAITS_BY_STACK], buf, size);
	case WAITS_BY_COMM:
		return term__name("comm", e->task.comm, buf, size);
	case WAITS_BY_PID:
		if (r->starts)
			return term__name("comm", e->task.comm, buf, size);
		return term__id("pid", e->task.tgid, buf, size);
	case WAITS_BY_TID:
		return term__id("tid", e->task.tid, buf, size);
	case WAITS_BY_CGROUP:
		return term__cgroup(e->task.cgroup, r->text[WAITS_BY_CGROUP], buf, size);
	case WAITS_BY_STATE:
		return state_term(e, buf, size);
	case WAITS_BY_HOST:
		return term__name(HOST_LABEL, r->text[WAITS_BY_HOST], buf, size);
	default:
		return false;
	}
}

bool offcpu_terms__exclude(const struct waits_row *r, u32 groups, char *buf, size_t size)
{
	static const u8 least_first[] = {WAITS_BY_TID,	  WAITS_BY_PID,	  WAITS_BY_COMM,
					 WAITS_BY_CGROUP, WAITS_BY_HOST,  WAITS_BY_STACK,
					 WAITS_BY_STATE};

	return terms__exclude(r, groups, least_first, ARRAY_SIZE(least_first), key_term, buf, size);
}
