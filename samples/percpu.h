/* SPDX-License-Identifier: GPL-2.0-only */
/* What each CPU does: shares of its time, and what it counts. */
#ifndef SAMPLES_PERCPU_H
#define SAMPLES_PERCPU_H

#include "samples/sample.h"

enum percpu_figure {
#define PERCPU(id, ...) PERCPU_##id,
#include "samples/percpu.def"
#undef PERCPU
	PERCPU_FIGURES
};

enum percpu_from { PERCPU_FROM_TIME, PERCPU_FROM_INTERRUPTS, PERCPU_FROM_VECTOR, PERCPU_FROM_EVENT };

struct percpu_row {
	enum percpu_from from;
	const char *what, *name, *title, *help, *question;
};
extern const struct percpu_row percpu_rows[PERCPU_FIGURES];

/* One CPU in the interval that ends. SAMPLE_PERCPU. */
struct percpu_sample {
	struct sample head;
	u32 cpu;
	u64 known; /* bits: which figures can be had; at most 64 of them */
	u64 values[PERCPU_FIGURES]; /* counts; of times ns */
};

#endif
