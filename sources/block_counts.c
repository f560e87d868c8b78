// SPDX-License-Identifier: GPL-2.0-only
#include "sources/block_counts.h"

#include <sys/mman.h>

#include "base/arena.h"
#include "bpf/block.h"

static void *map_halves(int fd, size_t size)
{
	void *at = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

int block_counts__init(struct block_counts *c, int sums_fd, u32 nsums, int procs_fd, u32 nprocs)
{
	*c = (struct block_counts){.nsums = nsums, .nprocs = nprocs};
	c->used = xcalloc(nprocs, sizeof(struct block_proc_sum *));
	c->sums = map_halves(sums_fd, nsums * sizeof(*c->sums));
	if (c->sums)
		c->procs = map_halves(procs_fd, nprocs * sizeof(*c->procs));
	return c->procs ? 0 : -errno;
}

void block_counts__fini(struct block_counts *c)
{
	if (c->sums)
		munmap(c->sums, 2 * c->nsums * sizeof(*c->sums));
	if (c->procs)
		munmap(c->procs, 2 * c->nprocs * sizeof(*c->procs));
	free(c->used);
	*c = (struct block_counts){0};
}

static u32 drain_sums(struct block_counts *c, u32 half, const struct block_put *put,
		      struct block_loss *loss)
{
	struct block_sum *sums = c->sums + (size_t)half * c->nsums;
	u32 n = 0;

	for (u32 i = 0; i < c->nsums; i++) {
		if (sums[i].state == BLOCK_FREE)
			continue;
		block_loss__add(loss, sums[i].key.disk, block_put__count(&sums[i]));
		block_put__device(put, &sums[i]);
		memset(&sums[i], 0, sizeof(sums[i]));
		n++;
	}
	return n;
}

static int by_end(const void *a, const void *b)
{
	const struct block_proc_sum *x = *(const struct block_proc_sum *const *)a;
	const struct block_proc_sum *y = *(const struct block_proc_sum *const *)b;

	return (x->last_ns > y->last_ns) - (x->last_ns < y->last_ns);
}

/* In the order of their last ends: who comes last has a process's newest name. */
static u32 drain_procs(struct block_counts *c, u32 half, const struct block_put *put)
{
	struct block_proc_sum *procs = c->procs + (size_t)half * c->nprocs;
	u32 n = 0;

	for (u32 i = 0; i < c->nprocs; i++)
		if (procs[i].state != BLOCK_FREE)
			c->used[n++] = &procs[i];
	qsort(c->used, n, sizeof(*c->used), by_end);
	for (u32 i = 0; i < n; i++) {
		block_put__proc(put, c->used[i]);
		memset(c->used[i], 0, sizeof(*c->used[i]));
	}
	return n;
}

double block_counts__drain(struct block_counts *c, u32 half, const struct block_put *put,
			   struct block_loss *loss)
{
	double sums = drain_sums(c, half, put, loss);
	double procs = drain_procs(c, half, put);

	return 100 * MAX(sums / c->nsums, procs / c->nprocs);
}
