// SPDX-License-Identifier: GPL-2.0-only
#include "sources/perf_tasks.h"

#include <stdio.h>

#include "base/file.h"
#include "sources/process_scope.h"
#include "sources/scope_check.h"

void perf_tasks__init(struct perf_tasks *t, u32 max)
{
	*t = (struct perf_tasks){.max = max};
}

void perf_tasks__fini(struct perf_tasks *t)
{
	hidx__fini(&t->index);
	free(t->list);
	*t = (struct perf_tasks){0};
}

static u64 task_hash(u32 tid)
{
	return mix64(tid + 1ULL);
}

static struct perf_task *find(struct perf_tasks *t, u32 tid)
{
	u32 found;

	HIDX_FIND(found, &t->index, task_hash(tid), pos, t->list[pos].tid == tid);
	return found == HIDX_NONE ? NULL : &t->list[found];
}

/* Keeps who is followed; the rest is learnt again from /proc. */
static void forget_most(struct perf_tasks *t)
{
	u32 kept = 0;

	hidx__clear(&t->index);
	for (u32 i = 0; i < t->n && kept < t->max / 2; i++) {
		if (!t->list[i].followed)
			continue;
		t->list[kept] = t->list[i];
		hidx__add(&t->index, task_hash(t->list[kept].tid), kept);
		kept++;
	}
	t->n = kept;
}

static struct perf_task *add(struct perf_tasks *t, u32 tgid, u32 tid)
{
	if (t->n == t->max)
		forget_most(t);
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 256;
		t->list = xrealloc(t->list, t->cap * sizeof(*t->list));
	}
	hidx__add(&t->index, task_hash(tid), t->n);
	t->list[t->n] = (struct perf_task){.tid = tid, .tgid = tgid, .exec = ++t->execs};
	return &t->list[t->n++];
}

static void read_comm(struct perf_task *task)
{
	char path[64], text[COMM_LEN + 1];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", task->tgid, task->tid);
	if (file__read(AT_FDCWD, path, text, sizeof(text)) > 0)
		text[strcspn(text, "\n")] = '\0';
	else
		snprintf(text, sizeof(text), ":%u", task->tid);
	copy_str(task->comm, sizeof(task->comm), text);
}

struct perf_task *perf_tasks__get(struct perf_tasks *t, u32 tgid, u32 tid)
{
	struct perf_task *task = find(t, tid);

	if (task) {
		task->tgid = tgid;
		return task;
	}
	task = add(t, tgid, tid);
	if (tid)
		read_comm(task);
	else
		copy_str(task->comm, sizeof(task->comm), "swapper");
	return task;
}

/* Of a process that was there before /proc tells whether it descends from one that is included. */
static bool is_followed(struct perf_tasks *t, const struct scope *scope, u32 tgid)
{
	struct perf_task *task = perf_tasks__get(t, tgid, tgid);

	if (!task->descent_known) {
		task->descent_known = true;
		task->followed = process_scope__descends(scope, tgid);
	}
	return task->followed;
}

bool perf_tasks__in_scope(struct perf_tasks *t, const struct scope *scope, u32 tgid, u32 tid,
			  const char *comm)
{
	if (!scope_check__id(scope, SCOPE_TID, tid) || !scope__comm(scope, comm))
		return false;
	if (scope_check__id(scope, SCOPE_PID, tgid))
		return true;
	if (!scope->follow_children || id_set__has(&scope->exclude[SCOPE_PID], tgid))
		return false;
	return is_followed(t, scope, tgid);
}

static void on_fork(struct perf_tasks *t, const struct perf_record *r, const struct scope *scope)
{
	bool followed = scope->follow_children && r->pid != r->ppid &&
			(id_set__has(&scope->include[SCOPE_PID], r->ppid) || is_followed(t, scope, r->ppid));
	struct perf_task *parent = find(t, r->ptid), *child;
	char comm[COMM_LEN] = "";

	if (parent)
		copy_str(comm, sizeof(comm), parent->comm);
	child = find(t, r->tid);
	if (!child)
		child = add(t, r->pid, r->tid);
	*child = (struct perf_task){
		.tid = r->tid, .tgid = r->pid, .exec = ++t->execs, .followed = followed, .descent_known = true};
	if (comm[0])
		copy_str(child->comm, sizeof(child->comm), comm);
	else
		read_comm(child);
}

static void on_comm(struct perf_tasks *t, const struct perf_record *r)
{
	struct perf_task *task = find(t, r->tid);

	if (!task)
		task = add(t, r->pid, r->tid);
	copy_str(task->comm, sizeof(task->comm), r->text);
	if (r->exec) {
		task->exec = ++t->execs;
		task->announced = false;
	}
}

void perf_tasks__record(struct perf_tasks *t, const struct perf_record *r,
			const struct scope *scope)
{
	if (r->type == PERF_RECORD_FORK)
		on_fork(t, r, scope);
	else if (r->type == PERF_RECORD_COMM)
		on_comm(t, r);
}
