/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dentry: names that processes look up, and how many are not there; the model behind the dentry
 * pane of `cache`, apart from it as its source is costly. Takes SAMPLE_DENTRY and, as the state of
 * its snapshots, SAMPLE_DENTRY_STATE of samples/cache.h.
 */
#ifndef MODELS_DENTRY_H
#define MODELS_DENTRY_H

#include "models/tally_model.h"
#include "samples/cache.h"

#define DENTRY_MAX_ROWS 8192

extern const struct model_ops model_dentry;
extern const struct tally_table dentry_table;

enum dentry_count { DENTRY_LOOKUPS, DENTRY_NEGATIVE, DENTRY_COUNTS };

/* Rows are by all that tallies go by but the CPU. */
#define DENTRY_GROUPS TALLY_BY_CPU

/* NULL: it is not known. */
const struct dentry_state_sample *dentry__state(const struct snap *s);

#endif
