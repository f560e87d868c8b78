// SPDX-License-Identifier: GPL-2.0-only
#include "sources/lock_graph.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/hidx.h"

struct graph {
	struct lock_edge *v;
	u32 n;
	u32 *ends[2]; /* of each edge: nodes of first and second */
	u64 *nodes;
	u32 nnodes;
	u32 *degree, *begin, *edges, *queue; /* of one way */
};

static u32 node_of(struct graph *g, struct hidx *by_lock, u64 lock)
{
	u64 hash = mix64(lock);
	u32 at;

	HIDX_FIND(at, by_lock, hash, pos, g->nodes[pos] == lock);
	if (at != HIDX_NONE)
		return at;
	hidx__add(by_lock, hash, g->nnodes);
	g->nodes[g->nnodes] = lock;
	return g->nnodes++;
}

static void number_nodes(struct graph *g)
{
	struct hidx by_lock = {0};

	for (u32 i = 0; i < g->n; i++) {
		g->ends[0][i] = node_of(g, &by_lock, g->v[i].first);
		g->ends[1][i] = node_of(g, &by_lock, g->v[i].second);
	}
	hidx__fini(&by_lock);
}

/* Edges by the node that they lead away from, and how many lead to each. */
static void sort_edges(struct graph *g, const u32 *from, const u32 *to)
{
	memset(g->begin, 0, (g->nnodes + 1) * sizeof(*g->begin));
	memset(g->degree, 0, g->nnodes * sizeof(*g->degree));
	for (u32 i = 0; i < g->n; i++) {
		g->begin[from[i] + 1]++;
		g->degree[to[i]] += g->v[i].in_doubt;
	}
	for (u32 i = 0; i < g->nnodes; i++)
		g->begin[i + 1] += g->begin[i];
	for (u32 i = g->n; i-- > 0;)
		g->edges[--g->begin[from[i] + 1]] = i;
	/* Each begin is one node further on now. */
	for (u32 i = 0; i < g->nnodes; i++)
		g->begin[i] = g->begin[i + 1];
	g->begin[g->nnodes] = g->n;
}

/* Takes away what leads from a lock that nothing leads to, and so on. */
static void peel(struct graph *g, const u32 *from, const u32 *to)
{
	u32 head = 0, tail = 0;

	sort_edges(g, from, to);
	for (u32 i = 0; i < g->nnodes; i++)
		if (!g->degree[i])
			g->queue[tail++] = i;
	for (; head < tail; head++) {
		u32 node = g->queue[head];

		for (u32 i = g->begin[node]; i < g->begin[node + 1]; i++) {
			u32 edge = g->edges[i];

			if (!g->v[edge].in_doubt)
				continue;
			g->v[edge].in_doubt = false;
			if (!--g->degree[to[edge]])
				g->queue[tail++] = to[edge];
		}
	}
}

void lock_graph__mark(struct lock_edge *v, u32 n)
{
	u32 *memory = xcalloc(12 * (size_t)n + 1, sizeof(*memory));
	struct graph g = {.v = v,
			  .n = n,
			  .ends = {memory, memory + n},
			  .nodes = xcalloc(2 * (size_t)n, sizeof(*g.nodes)),
			  .edges = memory + 2 * (size_t)n,
			  .degree = memory + 3 * (size_t)n,
			  .queue = memory + 5 * (size_t)n,
			  .begin = memory + 7 * (size_t)n}; /* one more than nodes */

	number_nodes(&g);
	for (u32 i = 0; i < n; i++)
		v[i].in_doubt = true;
	peel(&g, g.ends[0], g.ends[1]);
	peel(&g, g.ends[1], g.ends[0]);
	free(g.nodes);
	free(memory);
}
