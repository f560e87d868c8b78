/* SPDX-License-Identifier: GPL-2.0-only */
/* Where misses come from: of so many one has its stack taken, and stands for them. */
#ifndef BPF_CACHE_STACK_BPF_H
#define BPF_CACHE_STACK_BPF_H

#include "bpf/cache_state.bpf.h"

volatile u32 stack_every = 0; /* misses; 0: all */

HALVES(misses, 8192, struct cache_miss_key, struct cache_miss_sum);

static __always_inline u64 miss_stack(void *ctx, struct task_struct *task)
{
	u32 slot = STACK_SLOT_TRACE, nuser = 0;
	struct stack_record *s = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct stack_stats *ss = map__only(&stack_stats);
	u64 now = bpf_ktime_get_ns();
	u32 nkernel;

	if (!s || !ss)
		return 0;
	s->flags = 0;
	nkernel = stack__walk(ctx, s->ips, false, TRACER_FRAMES);
	if (has_user_part(task))
		nuser = stack__walk_user(ctx, s, slot, nkernel, false, 0, now);
	if (!(nkernel + nuser))
		return 0;
	s->type = RECORD_STACK;
	s->tgid = task->tgid;
	s->nkernel = nkernel;
	s->nuser = nuser;
	s->t_ns = now;
	s->hash = stack__hash(s, slot);
	return stack__send(s, ss) ? s->hash : 0;
}

/* Scratch: too large for the programs' stack, beside the walk's. */
struct miss_scratch {
	struct cache_miss_key key;
	struct cache_miss_sum fresh;
};

PERCPU_MAP(miss_scratch, 1, struct miss_scratch);

/* Whether these are enough for a stack to be taken. */
static __always_inline bool gather_misses(u64 n)
{
	struct cache_stats *st = stats__get();

	if (!st || !n)
		return false;
	st->misses += n;
	st->gathered += n;
	return st->gathered >= stack_every;
}

/* Those gathered are all this one's. */
static __noinline int count_misses(struct thread *t, struct task_struct *task, u32 dev, u64 inode,
				   u64 stack)
{
	void *map = half__of(misses, active);
	struct cache_stats *st = stats__get();
	struct miss_scratch *m;
	struct cache_miss_sum *sum;

	m = map__only(&miss_scratch);
	if (!m || !st)
		return 0;
	__builtin_memset(m, 0, sizeof(*m));
	m->key.inode = inode;
	m->key.dev = dev;
	m->key.cgroup = t->whose.cgroup;
	m->key.name = t->whose.name;
	m->key.tgid = task->tgid;
	m->key.stack = stack;
	sum = bpf_map_lookup_elem(map, &m->key);
	if (!sum) {
		m->fresh.tid = task->pid;
		m->fresh.cpu = bpf_get_smp_processor_id();
		__builtin_memcpy(m->fresh.comm, t->whose.comm, sizeof(m->fresh.comm));
		bpf_map_update_elem(map, &m->key, &m->fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(map, &m->key);
	}
	if (sum) {
		__sync_fetch_and_add(&sum->misses, st->gathered);
		sum->last_ns = bpf_ktime_get_ns();
	} else {
		st->misses_full += st->gathered;
	}
	st->gathered = 0;
	return 0;
}

#endif
