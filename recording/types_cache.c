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
