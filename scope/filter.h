/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter language: space-separated terms, all must hold, `!` negates a term:
 *
 *	pid=1,2 tid=3 comm~REGEX cgroup=GLOB cpu=0-3 state=D min=10ms max=1s task=kernel
 *	sym~REGEX obj~REGEX lang=java
 *
 * Grammar:
 *	expr   = { blank } [ term { blank term } ]
 *	term   = [ "!" ] name ( "=" | "~" | "!=" | "!~" ) value
 *	value  = one or more of: plain text, '...', "..."; quoted text is literal, without
 *		 escapes, and a quote ends the need to quote: a" b"c is `a b c`
 *	list   = item { "," item } | "none"	item = NUMBER [ "-" NUMBER ]
 *	time   = NUMBER [ "." DIGITS ] ( "ns" | "us" | "ms" | "s" )
 * pid tid cpu take a list, state letters of SCOPE_STATES, min max a time, comm sym obj a regular
 * expression (base/regex.h), cgroup a glob of the whole path below the mount point (with or without
 * its first slash), or of the last component when it has no slash; what matches stands for what is
 * below it too, unless the glob ends in "/.". tree=PID is a process with all
 * that come from it.
 * task=user is the threads of programs, task=kernel those of the kernel. lang=
 * is what a function of the stack is written in, or how it is run: java python native jit kernel.
 *
 * prio=0-99 policy=fifo,rr nr_running=3- irqs_disabled=1 need_resched=1 mode=kernel: of the task, its CPU and
 * what was interrupted (user, kernel, guest, host: the first two), when something is looked at. Lists of numbers, "3-" is 3 and more, or of names.
 *
 * Beside them a label of a measure is a term, by the name that it has in --group: syscall=read,write
 * takes names and globs with commas between, file~REGEX a regular expression, and a text that is
 * not there is matched as an empty one (!error~. is what did not fail).
 *
 * Terms of one kind: includes intersect, excludes unite, names must all match. min and max
 * include their value, so !min=1ms is all that is shorter than 1ms.
 */
#ifndef SCOPE_FILTER_H
#define SCOPE_FILTER_H

#include "scope/scope.h"

#define FILTER_MAX_LEN	 4096  /* bytes of an expression */
#define FILTER_MAX_ITEMS 4096  /* of one list */
#define FILTER_MAX_RANGE 65536 /* ids in one range, and in one list */
#define FILTER_MAX_NAMES 32    /* comm~, sym~, obj~, lang=, cgroup= terms, each */

/* What the command line adds to the expression; strings as given, NULL when absent. */
struct scope_args {
	const char *pids, *tids, *cgroup, *cpus, *comm, *filter;
	u32 child_pid; /* of `-- COMMAND`, 0 none */
	bool seen;     /* the filter is of what was on the screen: it may be gone by now */
};

struct filter_error {
	u32 column;    /* byte offset in the expression where the wrong term's fault is */
	u32 length;    /* of the faulty part, at least 1 */
	char msg[160]; /* what would be right */
};

/* The labels of measures that are terms; those named as another term are not. Once, before any
 * other thread; names have to last. */
void filter__know_labels(const char *const *names, u32 n);
bool filter__is_label(const char *name, size_t len);

/* Returns a new scope (one reference) or NULL with *err filled. Does not touch the system:
 * cgroup globs stay unresolved until scope__resolve. */
struct scope *filter__parse(const char *expr, struct filter_error *err);

/* The same of the text that a scope or a report has, however long it is; NULL when it is wrong. */
struct scope *filter__parse_text(const char *text);

/* The line to print below an expression: blanks up to the fault, then ^~~. Counts characters,
 * not bytes. */
void filter__caret(const struct filter_error *err, const char *expr, char *buf, size_t size);

/* Whole scope from command line and expression. Unknown pids, cgroups matching nothing and
 * CPUs not there are errors with the exit code for usage, unless what was seen is asked for. For a
 * wrong --filter the message has three lines: what is wrong, the expression and the caret. cgroups
 * are resolved. */
struct scope *scope__build(const struct scope_args *args, struct status *st);

/* Looks the cgroup globs up (v2 below its mount point, ids of the matching directories;
 * where only v1 knows the name, its members become pids). A new scope when anything
 * changed since, else NULL. Collector thread, once a tick. */
struct scope *scope__resolve(const struct scope *s);
/* A right expression without its terms of these names (blank-separated), negated ones too; the
 * caller frees it. */
char *filter__without(const char *expr, const char *names);

/* The term that stands for the cgroup of this path, which is not "", whatever is in its name; with
 * what is below it, or without. The caller frees it. */
char *filter__cgroup(const char *path, bool below);

/* The expression that means both: `a` then `b`; caller frees. NULL counts as "". */
char *filter__join(const char *a, const char *b);

#endif
