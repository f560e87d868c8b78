/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes are there before a source walks user stacks. Collector thread only. */
#ifndef SOURCES_UNWIND_TASKS_H
#define SOURCES_UNWIND_TASKS_H

#include "sources/source.h"

/* For source_ops.ask_tables: a SAMPLE_UNWIND for each process in scope, UNWIND_TASKS_MAX at most. None
 * where the kernel cannot say, or nothing is walked by tables: programs then ask as they meet them. */
bool unwind_tasks__ask(const struct sampling *how, const struct scope *scope,
		       const struct sample_sink *sink);

#define UNWIND_TASKS_MAX 1024

#endif
