/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes a scope is about, for sources that attach to single ones: as far as /proc tells;
 * what is left, such as single threads, programs decide. */
#ifndef SOURCES_PROCESS_SCOPE_H
#define SOURCES_PROCESS_SCOPE_H

#include "scope/proc_stat.h"
#include "scope/scope.h"

/* Whether it says by ids, names or cgroups whom it is about. */
bool process_scope__names_somebody(const struct scope *s);
/* The one process that it is about, or a part of that one; 0: there may be others. */
u32 process_scope__only(const struct scope *s);
/* follows: whether a parent's children are in scope with it, where they are followed. proftop itself is
 * in none. */
bool process_scope__has(const struct scope *s, u32 pid, const struct proc_stat *stat,
			bool (*follows)(void *ctx, u32 parent), void *ctx);
/* Calls fn for each process that may be in scope; parents before their children, as a rule. */
void process_scope__each(const struct scope *s, void (*fn)(void *ctx, u32 pid), void *ctx);
/* Calls fn for each process that is there and comes from an included one, its children's children among them. */
void process_scope__descendants(const struct scope *s, void (*fn)(void *ctx, u32 pid), void *ctx);
/* Whether this one does. */
bool process_scope__descends(const struct scope *s, u32 pid);

#endif
