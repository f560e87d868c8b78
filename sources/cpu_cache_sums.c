// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cpu_cache_sums.h"

#include "base/arena.h"

static struct cpu_cache_cpu *cpu_of(struct cpu_cache_sums *s, u32 cpu)
{
	if (cpu >= CPU_CACHE_CPUS)
		return NULL;
	if (cpu >= s->ncpus) {
		s->cpus = xrealloc(s->cpus, (cpu + 1) * sizeof(*s->cpus));
		memset(s->cpus + s->ncpus, 0, (cpu + 1 - s->ncpus) * sizeof(*s->cpus));
		s->ncpus = cpu + 1;
	}
	return &s->cpus[cpu];
}

static u64 who_hash(const struct cpu_cache_who *w)
{
	u64 task = mix64_pair((u64)w->tgid << 32 | w->tid, w->cgroup);

	return mix64_pair(mix64_pair(task, w->cpu), hash_bytes(w->comm, strlen(w->comm)));
}

static bool is_of(const struct cpu_cache_sample *row, const struct cpu_cache_who *w)
{
	return row->cpu == w->cpu && row->tid == w->tid && row->tgid == w->tgid &&
	       row->cgroup == w->cgroup && !strcmp(row->comm, w->comm);
}

/* NULL when there are too many. */
static struct cpu_cache_sample *row_of(struct cpu_cache_sums *s, const struct cpu_cache_who *w)
{
	u64 h = who_hash(w);
	u32 at;

	HIDX_FIND(at, &s->index, h, pos, is_of(&s->rows[pos], w));
	if (at != HIDX_NONE)
		return &s->rows[at];
	if (s->nrows == CPU_CACHE_ROWS)
		return NULL;
	s->rows = xgrow(s->rows, s->nrows, &s->cap, sizeof(*s->rows));
	s->rows[s->nrows] = (struct cpu_cache_sample){.head.type = SAMPLE_CPU_CACHE,
						      .cpu = w->cpu,
						      .tgid = w->tgid,
						      .tid = w->tid,
						      .cgroup = w->cgroup};
	copy_str(s->rows[s->nrows].comm, COMM_LEN, w->comm);
	hidx__add(&s->index, h, s->nrows);
	return &s->rows[s->nrows++];
}

void cpu_cache_sums__sample(struct cpu_cache_sums *s, enum cpu_cache cache,
			    enum cpu_cache_count what, const struct cpu_cache_who *who, u64 weight)
{
	struct cpu_cache_cpu *cpu = cpu_of(s, who->cpu);
	struct cpu_cache_sample *row = cpu ? row_of(s, who) : NULL;

	if (!cpu)
		return;
	/* The share of those without a row stays undealt, and so is nobody's. */
	cpu->weight[cache][what] += weight;
	if (row)
		row->n[cache][what] += weight;
	else
		s->full++;
}

void cpu_cache_sums__counted(struct cpu_cache_sums *s, enum cpu_cache cache,
			     enum cpu_cache_count what, u32 cpu, u64 n)
{
	struct cpu_cache_cpu *c = cpu_of(s, cpu);

	if (c)
		c->counted[cache][what] += n;
}

/* part of n that the first `passed` of `weight` get; products of two u64 do not fit one. */
static u64 share(u64 n, u64 passed, u64 weight)
{
	return (u64)((unsigned __int128)n * passed / weight);
}

/* Differences of a rising sum: what rounding takes from one the next one gets. */
static void deal(struct cpu_cache_cpu *c, struct cpu_cache_sample *row)
{
	for (u32 k = 0; k < CPU_CACHES; k++)
		for (u32 i = 0; i < CPU_CACHE_COUNTS; i++) {
			u64 weight = row->n[k][i], from = c->passed[k][i];

			if (!weight)
				continue;
			c->passed[k][i] += weight;
			row->n[k][i] = share(c->counted[k][i], from + weight, c->weight[k][i]) -
				       share(c->counted[k][i], from, c->weight[k][i]);
		}
}

/* What is left of a CPU. */
static bool rest_of(const struct cpu_cache_cpu *c, struct cpu_cache_sample *out)
{
	u64 any = 0;

	for (u32 k = 0; k < CPU_CACHES; k++)
		for (u32 i = 0; i < CPU_CACHE_COUNTS; i++) {
			out->n[k][i] = c->counted[k][i];
			if (c->weight[k][i])
				out->n[k][i] -=
					share(c->counted[k][i], c->passed[k][i], c->weight[k][i]);
			any |= out->n[k][i];
		}
	return any != 0;
}

void cpu_cache_sums__flush(struct cpu_cache_sums *s,
			   void (*each)(void *ctx, const struct cpu_cache_sample *row), void *ctx)
{
	struct cpu_cache_sample rest = {
		.head.type = SAMPLE_CPU_CACHE, .tgid = CPU_CACHE_NOBODY, .comm = "[not sampled]"};

	for (u32 i = 0; i < s->nrows; i++) {
		deal(&s->cpus[s->rows[i].cpu], &s->rows[i]);
		each(ctx, &s->rows[i]);
	}
	for (rest.cpu = 0; rest.cpu < s->ncpus; rest.cpu++)
		if (rest_of(&s->cpus[rest.cpu], &rest))
			each(ctx, &rest);
	s->nrows = 0;
	hidx__clear(&s->index);
	if (s->ncpus)
		memset(s->cpus, 0, s->ncpus * sizeof(*s->cpus));
}

void cpu_cache_sums__fini(struct cpu_cache_sums *s)
{
	free(s->rows);
	free(s->cpus);
	hidx__fini(&s->index);
	*s = (struct cpu_cache_sums){0};
}
