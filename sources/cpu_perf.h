/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the perf sampler that tests drive without a kernel. */
#ifndef SOURCES_CPU_PERF_H
#define SOURCES_CPU_PERF_H

#include <linux/perf_event.h>

#include "sources/source.h"

extern const struct source_ops source_cpu_perf;

/* A source that has no rings, its records come from the caller: as a system-wide one of
 * sample_type *fields. Closed by source_cpu_perf.close. */
struct source *cpu_perf__open_fake(const struct sampling *how, const struct scope *scope,
				   u64 *fields);
/* As if a ring held this record, until the next drain; `avail` readable bytes begin at h. */
void cpu_perf__feed(struct source *s, const struct perf_event_header *h, size_t avail);

#endif
