/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tier without BPF must keep of tasks: names, which program runs, and which processes
 * are children of the ones in scope. Fed by a ring's own records. Bounded.
 */
#ifndef SOURCES_PERF_TASKS_H
#define SOURCES_PERF_TASKS_H

#include "base/hidx.h"
#include "samples/sample.h"
#include "scope/scope.h"
#include "samples/perf_record.h"

struct perf_task {
	u32 tid, tgid;
	u32 exec;	/* counts programs over all processes: never the same for two */
	bool announced; /* PROC_SEEN was sent for this program (leaders only) */
	bool followed;	/* descends from an included process (leaders only), once descent_known */
	bool descent_known;
	char comm[COMM_LEN];
};

struct perf_tasks {
	struct hidx index;
	struct perf_task *list;
	u32 n, cap, max;
	u32 execs;
};

void perf_tasks__init(struct perf_tasks *t, u32 max);
void perf_tasks__fini(struct perf_tasks *t);
/* Borrowed until the next call; reads /proc at first sight. */
struct perf_task *perf_tasks__get(struct perf_tasks *t, u32 tgid, u32 tid);
/* Takes note of FORK and COMM records; `scope` says whose children are followed. */
void perf_tasks__record(struct perf_tasks *t, const struct perf_record *r,
			const struct scope *scope);

/* What a scope says about a thread but for its cgroup; right when every fork is known. */
bool perf_tasks__in_scope(struct perf_tasks *t, const struct scope *scope, u32 tgid, u32 tid,
			  const char *comm);

/* Threads that events may be opened on without privileges: of the scope's pids and tids, else
 * of all processes of this user. malloc'ed; *limited: there were more than max. */
u32 perf_tasks__own(const struct scope *scope, u32 max, pid_t **tids, bool *limited);

#endif
