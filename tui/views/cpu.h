/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screens of the cpu view share: the table of hot things (cpu.c, cpu_text.c,
 * cpu_report.c), the callers and callees of one function (cpu_callers.c), its annotated code
 * (cpu_annotate.c).
 */
#ifndef TUI_VIEWS_CPU_H
#define TUI_VIEWS_CPU_H

#include "models/profile.h"
#include "tui/views/listing.h"

/* The table of hot things. */
struct cpu_screen {
	struct listing list;
	struct profile_query query;
};

LISTING_OF(cpu__of, struct cpu_screen, cpu__rows, struct profile_rows)

/* Callers and callees of a function under the same window and mode as `q`. extra: the scope
 * in the place of the host's, NULL none; a reference is taken. */
struct screen *cpu_callers__open(struct host *h, const struct profile_query *q, u32 func,
				 const struct scope *extra);
/* The function's instructions and source lines with their share. */
struct screen *cpu_annotate__open(struct host *h, const struct profile_query *q, u32 func,
				  const struct scope *extra);

/* The query of a screen of its own, of query_client_ops; size and model go with it. */
struct query_result *cpu__run(const struct frame *f, const void *query, const struct scope *scope);

/* Of the table, as in listing_ops. */
void cpu__headline(struct listing *l, struct headline *line);
void cpu__empty(const struct listing *l, char *buf, size_t size);
void cpu__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);
void cpu__report(const struct query_result *a, const struct frame *f, struct report *r);

#endif
