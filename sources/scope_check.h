/* SPDX-License-Identifier: GPL-2.0-only */
/* Judging in user space what was sampled, for tiers without a filter in the kernel. */
#ifndef SOURCES_SCOPE_CHECK_H
#define SOURCES_SCOPE_CHECK_H

#include "scope/scope.h"

/* One kind: not excluded, and included when there is a set to include. */
bool scope_check__id(const struct scope *s, enum scope_kind kind, u64 id);
/* A cgroup in a set stands for its children too. */
bool scope_check__cgroup(const struct scope *s, u64 id);

#endif
