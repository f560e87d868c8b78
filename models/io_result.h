/* SPDX-License-Identifier: GPL-2.0-only */
/* What the queries over io snapshots share. One thread, one query at a time. */
#ifndef MODELS_IO_ANSWER_H
#define MODELS_IO_ANSWER_H

#include "base/arena.h"
#include "models/io.h"

/* The table of a struct io_result. */
void io_result__table(struct io_result *a);
/* What is said of who did it: such writeback and flushes are nobody's own. */
static inline const char *io_who__text(const struct io_who *w)
{
	return io_who__is_nobody(w) ? "[writeback]" : w->comm;
}

/* Whether a slow request is of the device (by_dev) and in scope. */
bool io_slow__passes(const struct io_slow_sample *s, bool by_dev, u64 dev,
		     const struct scope *scope);

bool io_stack__passes(const struct io_stack *s, const struct io_query *q,
		      const struct scope *scope);

static inline bool io__of_device(const struct io_device *d, u64 dev)
{
	return io_device__id(d) == dev || io_device__disk_id(d) == dev;
}

#endif
