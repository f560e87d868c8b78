// SPDX-License-Identifier: GPL-2.0-only
/* Pairs that lie in each other (a question's `nest`), as a tree: each below the one that it lies in. */
#include "models/measure_nested.h"

#include <stdio.h>

#include "samples/ask.h"

#define DEPTH_MAX 16
#define NAME_LEN 200

/* Their paths are told by text, and what is their own by a sum, as samples/ask.h has them. */
bool measure__nests(const struct measure *m)
{
	return m->asked && m->shape == MEASURE_SHAPE_SPAN && m->sums[0].name &&
	       !strcmp(m->sums[0].name, ASK_NEST_OWN);
}

bool measure__is_by_nesting(const struct measure *m, u32 groups)
{
	return groups == 1 && measure__nests(m);
}

/* Those within others come right behind them, as nothing in a name is less than a space. */
static int by_path(const void *a, const void *b)
{
	const struct measure_row *x = a, *y = b;

	if (x->rest != y->rest)
		return x->rest - y->rest;
	return strcmp(x->texts[0], y->texts[0]);
}

static bool lies_in(const char *path, const char *outer)
{
	size_t n = strlen(outer);

	return !strncmp(path, outer, n) && !strncmp(path + n, ASK_NEST_IN, strlen(ASK_NEST_IN));
}

static const char *below(struct arena *arena, u32 depth, const char *name)
{
	char buf[2 * DEPTH_MAX + NAME_LEN];

	snprintf(buf, sizeof(buf), "%*s\u2514\u2500 %.*s", (int)(2 * (depth - 1)), "", NAME_LEN - 10, name);
	return arena__strdup(arena, buf);
}

/* Of those that an outermost one is missing of, as it has not ended, the whole path is told. */
void measure__nest(struct measure_row *rows, u32 n, struct arena *arena)
{
	const char *outer[DEPTH_MAX];
	u32 depth = 0;

	qsort(rows, n, sizeof(*rows), by_path);
	for (u32 i = 0; i < n; i++) {
		const char *path = rows[i].texts[0];

		while (depth && !lies_in(path, outer[depth - 1]))
			depth--;
		rows[i].nested = depth ? below(arena, depth, path + strlen(outer[depth - 1]) +
								     strlen(ASK_NEST_IN))
				       : path;
		if (depth < DEPTH_MAX)
			outer[depth++] = path;
	}
}
