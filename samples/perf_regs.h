/* SPDX-License-Identifier: GPL-2.0-only */
/* The user registers of perf's samples that walks begin with; numbers as in asm/perf_regs.h. */
#ifndef SAMPLES_PERF_REGS_H
#define SAMPLES_PERF_REGS_H

#include "samples/perf_record.h"
#include "samples/walk.h"

/* EM_X of this machine; EM_NONE: stacks of it cannot be walked. */
u16 perf_regs__machine(void);
/* For sample_regs_user; 0: of that machine nothing is known. */
u64 perf_regs__mask(u16 machine);
/* Out of a sample that has those of `mask`. False: they are not there, or of a 32-bit program. */
bool perf_regs__read(const struct perf_record *r, u64 mask, u16 machine, struct user_regs *out);

#endif
