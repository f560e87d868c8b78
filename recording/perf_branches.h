/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The branches that a CPU noted before each sample (perf record -b: LBR, BRBE) as the samples of a question: from
 * where to where, of which kind, whether the CPU had guessed right, and how many cycles after the one before.
 */
#ifndef RECORDING_PERF_BRANCHES_H
#define RECORDING_PERF_BRANCHES_H

#include "recording/perf_values.h"
#include "samples/perf_record.h"

/* Whether samples have branches of any kind: calls that have not returned are the sample's stack. */
bool perf_branches__are(const struct perf_format *f);
/* event: as perf names it. */
void perf_branches__form(struct ask_form *f, const char *event);

/* The i-th of a record's, the newest first. */
struct perf_branch_entry perf_branches__at(const struct perf_record *r, u32 i);
/* The stack that is left to fill in is where it went to, called by where it came from (perf_stacks__branch). */
void perf_branches__read(struct perf_value *v, const struct perf_branch_entry *b);

#endif
