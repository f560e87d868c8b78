/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of one's own: lines as in samples/counters.metrics, in the file "metrics" beside the configuration. */
#ifndef TUI_METRICS_FILE_H
#define TUI_METRICS_FILE_H

#include "base/status.h"

/* Adds those of a text to the ones there are; -EINVAL with st. `name` is for messages. */
int metrics_file__parse(const char *text, size_t len, const char *name, struct status *st);
/* 0 also when there is no such file. Before there are other threads. */
int metrics_file__load(struct status *st);

#endif
