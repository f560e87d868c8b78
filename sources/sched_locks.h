/* SPDX-License-Identifier: GPL-2.0-only */
/* What locks are called that threads wait for, and who has them: what the source of waits hands out beside
 * them. No program runs for it: waits name the futex, its process's memory says the rest. Collector thread. */
#ifndef SOURCES_SCHED_LOCKS_H
#define SOURCES_SCHED_LOCKS_H

#include "samples/address_names.h"
#include "samples/sched.h"

struct sched_locks;

/* names: may be NULL, then locks are called by their addresses. */
struct sched_locks *sched_locks__new(const struct address_names *names);
void sched_locks__free(struct sched_locks *l);
/* What passes everything on to a sink, and looks at stacks and waits as they go by; good until the next one. */
const struct sample_sink *sched_locks__watch(struct sched_locks *l, const struct sample_sink *sink);
/* Ends an interval: hands out a SAMPLE_WAIT_LOCK for each lock that was waited for in it. */
void sched_locks__report(struct sched_locks *l);

#endif
