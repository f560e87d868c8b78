// SPDX-License-Identifier: GPL-2.0-only
#include "samples/percpu.h"

_Static_assert(PERCPU_FIGURES <= 64, "each has a bit");

const struct percpu_row percpu_rows[PERCPU_FIGURES] = {
#define PERCPU(id, from, what, name, title, width, priority, help, question)                       \
	[PERCPU_##id] = {PERCPU_FROM_##from, what, name, title, help, question},
#include "samples/percpu.def"
#undef PERCPU
};
