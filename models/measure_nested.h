/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of pairs that lie in each other (a question's `nest`) as a tree. Pure. */
#ifndef MODELS_MEASURE_NESTED_H
#define MODELS_MEASURE_NESTED_H

#include "models/measure.h"

/* Whether it is of such pairs; and whether each row is one. */
bool measure__nests(const struct measure *m);
bool measure__is_by_nesting(const struct measure *m, u32 groups);
/* Puts rows in the order of their tree, with what the screen calls them. */
void measure__nest(struct measure_row *rows, u32 n, struct arena *arena);

#endif
