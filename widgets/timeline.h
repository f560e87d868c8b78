/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timeline: what something did over the last seconds, one cell an equal part of the time.
 * A cell shows what took most of its part, by colour and by its letter. Stateless.
 */
#ifndef WIDGETS_TIMELINE_H
#define WIDGETS_TIMELINE_H

#include "widgets/cells.h"

#define TIMELINE_KINDS 32

struct timeline_kind {
	const char *letter; /* one cell wide; a block stands for itself in ascii mode too */
	enum role role;
};

struct timeline_span {
	u64 t0_ns, t1_ns;
	u32 kind;
};

struct timeline {
	u64 t0_ns, t1_ns; /* of the whole strip */
	const struct timeline_kind *kinds;
	u32 nkinds; /* TIMELINE_KINDS at most */
	/* The i-th span; in order, without overlap. What no span covers stays blank. */
	struct timeline_span (*span)(const void *of, u32 i);
	const void *of;
	u32 nspans;
};

/* The kind of each of w cells, nkinds where nothing is known; out has w of them. Time
 * O(nspans + w). */
void timeline__cells(const struct timeline *t, int w, u32 *out);

/* One row, and below it, where r is two high, the time before its end: "-10s ... now". */
void timeline__draw(const struct timeline *t, struct canvas *c, struct rect r);

#endif
