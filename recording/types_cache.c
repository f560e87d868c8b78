// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/cache.h. */
#include "recording/types.h"

void code_cache(struct codec *c, union any_sample *s)
{
	struct cache_sample *x = &s->cache;

	code_u32(c, &x->tgid);
	code_u32(c, &x->tid);
	code_bool(c, &x->kthread);
	code_cgroup(c, &x->cgroup);
	code_text(c, x->comm, sizeof(x->comm));
	code_u32(c, &x->file.dev);
	code_u64(c, &x->file.inode);
	code_text(c, x->file.path, sizeof(x->file.path));
	for (u32 i = 0; i < CACHE_COUNTS; i++)
		code_u64(c, &x->n[i]);
	code_time(c, &x->t_ns);
}

void code_miss(struct codec *c, union any_sample *s)
{
	struct cache_miss_sample *x = &s->miss;

	code_u32(c, &x->tgid);
	code_cgroup(c, &x->cgroup);
	code_u32(c, &x->dev);
	code_u64(c, &x->inode);
	code_stack(c, &x->stack, x->tgid);
	code_u64(c, &x->misses);
}

void code_totals(struct codec *c, union any_sample *s)
{
	struct cache_totals_sample *x = &s->totals;

	code_u64(c, &x->cached_bytes);
	code_u64(c, &x->buffers_bytes);
	code_u64(c, &x->dirty_bytes);
	code_u64(c, &x->writeback_bytes);
	code_u64(c, &x->refaults);
	code_u64(c, &x->evicted);
	code_bool(c, &x->writes_seen);
	code_text(c, x->blind, sizeof(x->blind));
	code_table32(c, &x->ages, CACHE_AGES);
}

void code_dentry(struct codec *c, union any_sample *s)
{
	struct dentry_sample *x = &s->dentry;

	code_u32(c, &x->tgid);
	code_bool(c, &x->kthread);
	code_cgroup(c, &x->cgroup);
	code_text(c, x->comm, sizeof(x->comm));
	code_u64(c, &x->lookups);
	code_u64(c, &x->negative);
	code_u64(c, &x->slow);
	code_bool(c, &x->slow_known);
}

void code_dentries(struct codec *c, union any_sample *s)
{
	code_u64(c, &s->dentries.dentries);
	code_u64(c, &s->dentries.unused);
	code_u64(c, &s->dentries.negative);
}

void code_cpu_cache(struct codec *c, union any_sample *s)
{
	struct cpu_cache_sample *x = &s->cpu_cache;

	code_u32(c, &x->cpu);
	code_u32(c, &x->tgid);
	code_u32(c, &x->tid);
	code_cgroup(c, &x->cgroup);
	code_text(c, x->comm, sizeof(x->comm));
	for (u32 k = 0; k < CPU_CACHES; k++)
		for (u32 i = 0; i < CPU_CACHE_COUNTS; i++)
			code_u64(c, &x->n[k][i]);
}

void code_counters(struct codec *c, union any_sample *s)
{
	for (u32 k = 0; k < CPU_CACHES; k++) {
		struct cpu_cache_state *x = &s->counters.of[k];

		code_bool(c, &x->known);
		code_bool(c, &x->estimated);
		code_text(c, x->events, sizeof(x->events));
		code_text(c, x->why, sizeof(x->why));
	}
}

/* What nobody did is filtered by nothing. */
void cache_subject(const union any_sample *s, struct subject *out)
{
	const struct cache_sample *x = &s->cache;

	*out = (struct subject){.known = x->tgid,
				.has_tid = true,
				.has_comm = true,
				.has_kind = true,
				.tgid = x->tgid,
				.tid = x->tid,
				.cgroup = x->cgroup,
				.comm = x->comm,
				.kthread = x->kthread};
}

void miss_subject(const union any_sample *s, struct subject *out)
{
	const struct cache_miss_sample *x = &s->miss;

	*out = (struct subject){.known = true, .tgid = x->tgid, .cgroup = x->cgroup};
}

void dentry_subject(const union any_sample *s, struct subject *out)
{
	const struct dentry_sample *x = &s->dentry;

	*out = (struct subject){.known = true,
				.has_comm = true,
				.has_kind = true,
				.tgid = x->tgid,
				.cgroup = x->cgroup,
				.comm = x->comm,
				.kthread = x->kthread};
}

void cpu_cache_subject(const union any_sample *s, struct subject *out)
{
	const struct cpu_cache_sample *x = &s->cpu_cache;

	*out = (struct subject){.known = true,
				.has_tid = true,
				.has_cpu = true,
				.has_comm = true,
				.tgid = x->tgid,
				.tid = x->tid,
				.cpu = x->cpu,
				.cgroup = x->cgroup,
				.comm = x->comm};
}
