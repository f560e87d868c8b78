/* SPDX-License-Identifier: GPL-2.0-only */
/* Who has most threads, by a BPF iterator over all of them: it costs as much as they are many, and is for when
 * they are near their limit. Collector thread only. */
#ifndef SOURCES_CROWD_H
#define SOURCES_CROWD_H

#include "base/base.h"
#include "bpf/crowd.h"

struct crowd;

struct crowd *crowd__open(void); /* NULL: there is no way to know it here; the log says why */
void crowd__close(struct crowd *c); /* NULL: nothing */
/* The one, with its children or its group if need be, that has half of all threads at least; NULL: none has.
 * Valid until the next call. */
const struct crowd_top *crowd__most(struct crowd *c, u64 all, enum crowd_kind *kind);

#endif
