// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/cache.h. */
#include "recording/types.h"

void code_cache_fields(struct codec *c, struct cache_sample *x)
{
	code_tgid(c, &x->tgid);
	codec__known(c, x->tgid); /* what nobody did is filtered by nothing */
	code_tid(c, &x->tid);
	code_kthread(c, &x->kthread);
	code_cgroup(c, &x->cgroup);
	code_comm(c, x->comm);
	code_u32(c, &x->file.dev);
	code_u64(c, &x->file.inode);
	code_text(c, x->file.path, sizeof(x->file.path));
	for (u32 i = 0; i < CACHE_COUNTS; i++)
		code_u64(c, &x->n[i]);
	code_time(c, &x->t_ns);
}

void code_miss_fields(struct codec *c, struct cache_miss_sample *x)
{
	code_tgid(c, &x->tgid);
	code_cgroup(c, &x->cgroup);
	code_u32(c, &x->dev);
	code_u64(c, &x->inode);
	code_stack(c, &x->stack, x->tgid);
	code_u64(c, &x->misses);
}

void code_totals_fields(struct codec *c, struct cache_totals_sample *x)
{
	CODE_U64S(c, &x->cached_bytes, &x->buffers_bytes, &x->dirty_bytes, &x->writeback_bytes,
		  &x->refaults, &x->evicted);
	code_bool(c, &x->writes_seen);
	code_text(c, x->blind, sizeof(x->blind));
	code_table32(c, &x->ages, CACHE_AGES);
}

void code_dentry_fields(struct codec *c, struct dentry_sample *x)
{
	code_tgid(c, &x->tgid);
	code_kthread(c, &x->kthread);
	code_cgroup(c, &x->cgroup);
	code_comm(c, x->comm);
	CODE_U64S(c, &x->lookups, &x->negative, &x->slow);
	code_bool(c, &x->slow_known);
}

void code_dentries_fields(struct codec *c, struct dentry_state_sample *x)
{
	CODE_U64S(c, &x->dentries, &x->unused, &x->negative);
}

void code_cpu_cache_fields(struct codec *c, struct cpu_cache_sample *x)
{
	code_cpu(c, &x->cpu);
	code_tgid(c, &x->tgid);
	code_tid(c, &x->tid);
	code_cgroup(c, &x->cgroup);
	code_comm(c, x->comm);
	for (u32 k = 0; k < CPU_CACHES; k++)
		for (u32 i = 0; i < CPU_CACHE_COUNTS; i++)
			code_u64(c, &x->n[k][i]);
}

void code_counters_fields(struct codec *c, struct cpu_cache_state_sample *s)
{
	for (u32 k = 0; k < CPU_CACHES; k++) {
		struct cpu_cache_state *x = &s->of[k];

		CODE_BOOLS(c, &x->known, &x->estimated);
		code_text(c, x->events, sizeof(x->events));
		code_text(c, x->why, sizeof(x->why));
	}
}
