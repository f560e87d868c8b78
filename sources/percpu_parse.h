/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel's files say of each CPU, since boot; formats as in proc(5). What is not there is not known;
 * what does not parse is skipped. Pure. */
#ifndef SOURCES_PERCPU_PARSE_H
#define SOURCES_PERCPU_PARSE_H

#include "samples/percpu.h"

/* By CPU number. Zeroed there are none. */
struct percpu_counts {
	struct percpu_count {
		u64 known; /* bits of enum percpu_figure */
		u64 n[PERCPU_FIGURES];
	} *v;
	u32 n, cap;
};

/* Adds to what there is. */
void percpu_counts__add(struct percpu_counts *c, u32 cpu, enum percpu_figure f, u64 n);
/* NULL: nothing is known of it. */
const struct percpu_count *percpu_counts__at(const struct percpu_counts *c, u32 cpu);
void percpu_counts__clear(struct percpu_counts *c);
void percpu_counts__fini(struct percpu_counts *c);

/* tick_ns: of a clock tick. */
void percpu__parse_stat(const char *text, u64 tick_ns, struct percpu_counts *out);
/* All lines with a number for each CPU. */
void percpu__parse_interrupts(const char *text, struct percpu_counts *out);
void percpu__parse_softirqs(const char *text, struct percpu_counts *out);

#endif
