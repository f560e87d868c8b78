/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter language: space-separated terms, all must hold, `!` negates a term:
 *
 *	pid=1,2 tid=3 comm~REGEX cgroup=GLOB cpu=0-3 state=D min=10ms max=1s sym~REGEX obj~REGEX
 *
 * Lists take ranges. A value with blanks is quoted: comm~"a b". Times take ns us ms s.
 * docs: README, man page. Grammar tests: tests/unit.
 */
#ifndef CORE_FILTER_H
#define CORE_FILTER_H

#include "core/scope.h"

/* What the command line adds to the expression; strings as given, NULL when absent. */
struct scope_args {
	const char *pids, *tids, *cgroup, *cpus, *comm, *filter;
	u32 child_pid; /* of `-- COMMAND`, 0 none */
};

struct filter_error {
	u32 column; /* byte offset in the expression where the wrong term's fault is */
	u32 length; /* of the faulty part, at least 1 */
	char msg[160]; /* what would be right */
};

/* Returns a new scope (one reference) or NULL with *err filled. Does not touch the system:
 * cgroup globs stay unresolved until scope__resolve. */
struct scope *filter__parse(const char *expr, struct filter_error *err);

/* Whole scope from command line and expression. Unknown pids, cgroups matching nothing and
 * CPUs not there are errors with the exit code for usage. */
struct scope *scope__build(const struct scope_args *args, struct status *st);

/* Looks the cgroup globs up (v2 below its mount point, ids of the matching directories;
 * where only v1 knows the name, its members become pids). A new scope when anything
 * changed since, else NULL. Collector thread, once a tick. */
struct scope *scope__resolve(const struct scope *s);

/* The expression that means both: `a` then `b`; caller frees. */
char *filter__join(const char *a, const char *b);

#endif
