// SPDX-License-Identifier: GPL-2.0-only
/* What rows of waits, and those who end waits, are called. */
#include <stdio.h>

#include "base/bisect.h"
#include "base/hosts.h"
#include "base/names.h"
#include "models/frames.h"
#include "models/waits_result.h"
#include "models/task_text.h"

const char *const waits_group_names[WAITS_GROUPS] = {
	[WAITS_BY_STACK] = "stack",   [WAITS_BY_COMM] = "comm",	    [WAITS_BY_PID] = "pid",
	[WAITS_BY_TID] = "tid",	      [WAITS_BY_CGROUP] = "cgroup", [WAITS_BY_STATE] = "state",
	[WAITS_BY_REASON] = "reason", [WAITS_BY_WAKER] = "waker",   [WAITS_BY_HOST] = HOST_LABEL,
};

/* The task's parts first, then what is special to waits, the place last. */
static const u32 text_order[WAITS_GROUPS] = {
	WAITS_BY_HOST,
	WAITS_BY_COMM,	WAITS_BY_PID,	 WAITS_BY_TID,	 WAITS_BY_CGROUP,
	WAITS_BY_STATE, WAITS_BY_REASON, WAITS_BY_WAKER, WAITS_BY_STACK,
};

const char *waits_groups__text(u32 groups, char *buf, size_t size)
{
	return names__text(waits_group_names, WAITS_GROUPS, text_order, groups, buf, size);
}

/* --- wakers --- */

/* Of what no thread ended. */
static const char *nobody_text(struct waits_selection *s, const struct wait_entry *e)
{
	if (waits_selection__waker(s, e) == WAKER_INTERRUPT)
		return wait_end__text(waits_selection__end(s, e));
	if (e->folded)
		return "[not kept]";
	if (e->state == TASK_STATE_RUNNABLE)
		return "[preempted]";
	return e->sums[s->window].open ? "[goes on]" : "[not seen]";
}

const char *waits__waker_text(struct waits_selection *s, const struct wait_entry *e)
{
	if (waits_selection__waker(s, e) != WAKER_TASK)
		return nobody_text(s, e);
	if (e->waker.tid == PROFILE_MERGED)
		return arena__strdup(s->names.arena, e->waker.comm);
	return task__who(s->names.arena, e->waker.tgid, e->waker.tid, e->waker.comm);
}

u64 waits__waker_key(struct waits_selection *s, const struct wait_entry *e)
{
	const char *text;

	if (waits_selection__waker(s, e) == WAKER_TASK)
		return mix64_pair(mix64_pair(e->waker.tgid | (u64)e->task.host << 32, e->waker.tid),
				  e->waker.tid == PROFILE_MERGED
					  ? hash_bytes(e->waker.comm, strlen(e->waker.comm))
					  : 0);
	text = nobody_text(s, e);
	return hash_bytes(text, strlen(text));
}

/* --- rows --- */

/* Right-aligned, so that text sorts as the numbers do. */
static const char *id_text(struct arena *a, const struct wait_entry *e, u32 id)
{
	char buf[16];

	if (id == PROFILE_MERGED)
		return e->ended ? "[ended]" : "[others]";
	snprintf(buf, sizeof(buf), "%7u", id);
	return arena__strdup(a, buf);
}

/* A process is named by its main thread. */
static const char *comm_text(struct row_groups *g, const struct wait_entry *e)
{
	const u32 by_name = WAITS_BIT(WAITS_BY_COMM) | WAITS_BIT(WAITS_BY_TID);
	const struct wait_task *t = NULL;

	if (!(g->query->groups & by_name))
		t = waits__process(g->s.snap, &e->task);
	return t ? t->task.comm : e->task.comm;
}

static const char *place_text(struct row_groups *g, const struct row_group *group)
{
	if (group->row.entry->folded)
		return "[stack not kept]";
	return waits_selection__leaf(&g->s, group->place);
}

/* Whatever it is that is waited for on the way, the program waits for its file to be on the disk. */
static const char *sync_text(struct row_groups *g, const struct callstack *kstack)
{
	static const struct {
		const char *frame, *text;
	} calls[] = {
		{"sys_fdatasync", "fdatasync"}, {"sys_msync", "msync"},
		{"sys_syncfs", "syncfs"},	{"sys_sync_file_range", "sync_file_range"},
		{"ksys_sync", "sync"},		{"do_fsync", "fsync"},
		{"sys_fsync", "fsync"},
	};
	const struct symbols *symbols = g->s.snap->symbols;
	const char *found = NULL;

	for (u32 i = 0; kstack && i < kstack->nkernel; i++) {
		u32 func = symbols__func_of(symbols, kstack->locs[i]);
		const char *name = func ? symbols__func(symbols, func)->name : "";

		for (u32 c = 0; c < ARRAY_SIZE(calls); c++)
			if (strstr(name, calls[c].frame))
				found = calls[c].text; /* the outermost says it best */
	}
	return found;
}

static const char *group_text(struct row_groups *g, const struct row_group *group,
			      enum waits_group what)
{
	const struct wait_entry *e = group->row.entry;
	struct arena *a = g->s.names.arena;

	switch (what) {
	case WAITS_BY_STACK:
		return place_text(g, group);
	case WAITS_BY_PID:
		return row_groups__storm(g, e) ? storm__text(row_groups__storm(g, e), a)
					       : id_text(a, e, e->task.tgid);
	case WAITS_BY_TID:
		return id_text(a, e, e->task.tid);
	case WAITS_BY_CGROUP:
		return task__cgroup_text(a, e->task.cgroup);
	case WAITS_BY_STATE:
		return group->row.state;
	case WAITS_BY_REASON:
		return group->row.reason;
	case WAITS_BY_WAKER:
		return waits__waker_text(&g->s, e);
	case WAITS_BY_HOST:
		return hosts__name(e->task.host);
	default:
		return e->task.comm;
	}
}

/* The first of these that rows are grouped by names them. */
static const char *name_of(const struct waits_row *row, u32 groups)
{
	static const enum waits_group order[] = {WAITS_BY_CGROUP, WAITS_BY_WAKER, WAITS_BY_REASON,
						 WAITS_BY_STATE, WAITS_BY_HOST};

	if (row->text[WAITS_BY_STACK])
		return row->text[WAITS_BY_STACK];
	if (groups & WAITS_TASK)
		return row->comm;
	for (u32 i = 0; i < ARRAY_SIZE(order); i++)
		if (row->text[order[i]])
			return row->text[order[i]];
	return "";
}

static bool is_before(const struct task_ident *x, const struct task_ident *t)
{
	return x->host != t->host   ? x->host < t->host
	       : x->tgid != t->tgid ? x->tgid < t->tgid
	       : x->tid != t->tid ? x->tid < t->tid
				  : x->start_ns < t->start_ns;
}

static const struct wait_task *task_of(struct row_groups *g, const struct task_ident *t)
{
	const struct waits_snap *s = g->s.snap;
	u32 at;

	BISECT(at, 0, s->ntasks, i, is_before(&s->tasks[i].task, t));
	return at < s->ntasks && task_ident__key(&s->tasks[at].task) == task_ident__key(t)
		       ? &s->tasks[at]
		       : NULL;
}

static void name_process(struct row_groups *g, struct waits_row *row)
{
	const struct wait_entry *e = row->entry;
	bool by_tid = g->query->groups & WAITS_BIT(WAITS_BY_TID);
	const struct wait_task *t = by_tid ? task_of(g, &e->task) : waits__process(g->s.snap, &e->task);

	const struct storm *storm = row_groups__storm(g, e);

	row->starts = storm ? storm->n : 0;
	row->pid_text = storm ? storm__text(storm, g->s.names.arena)
			      : id_text(g->s.names.arena, e, e->task.tgid);
	row->ended = e->task.tgid == PROFILE_MERGED || (t && t->gone);
	if (!storm && e->task.tgid != PROFILE_MERGED)
		row->cmdline =
			task__cmdline(g->s.names.arena, e->task.tgid, t ? t->task.start_ns : 0);
	if (by_tid && e->task.tid != PROFILE_MERGED)
		row->thread_name = task__thread_name(g->s.names.arena, e->task.tgid, e->task.tid,
						     e->task.start_ns);
}

void row_group__name(struct row_groups *g, struct row_group *group)
{
	struct waits_row *row = &group->row;

	for (u32 i = 0; i < WAITS_GROUPS; i++)
		if (g->query->groups & WAITS_BIT(i))
			row->text[i] = group_text(g, group, i);
	if (row->text[WAITS_BY_STACK])
		row->caller = stack__caller(row->entry->ustack, g->s.snap->symbols);
	row->place = sync_text(g, row->entry->folded ? NULL : row->entry->kstack);
	if (!row->place)
		row->place = row->text[WAITS_BY_STACK];
	row->comm = g->query->groups & WAITS_TASK ? comm_text(g, row->entry) : "";
	if (g->query->groups & WAITS_PROCESS)
		name_process(g, row);
	if (row->entry->task.host && g->query->groups & WAITS_OF_HOST)
		row->host = hosts__name(row->entry->task.host);
	row->name = name_of(row, g->query->groups);
}
