/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of several reports of a view, one interval after the other, as one report. One thread. */
#ifndef SERVE_MERGED_H
#define SERVE_MERGED_H

#include "export/stacks.h"

struct merged {
	struct report report; /* for formats that are made of stacks; valid once one was added */
	struct export_stacks stacks;
	char *scope;
	u32 n; /* reports */
};

void merged__init(struct merged *m);
void merged__fini(struct merged *m);
/* r->stacks is not NULL. Functions inlined at an address are frames of their own. */
void merged__add(struct merged *m, const struct report *r);

#endif
