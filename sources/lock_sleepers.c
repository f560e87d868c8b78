// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <stdlib.h>

#include "base/clock.h"
#include "bpf/stack.h"
#include "sources/lock_sleepers.h"
#include "sources/sleeping_stack.h"
#include "sources/stack_table.h"

#define SLEEPER_FRAMES 64

static u32 place_of_holder(u32 tid)
{
	return mix64(tid) % HOLDERS_WANTED;
}

static u32 walk_sleeper(struct lock_sleepers *s, const struct sleeper_record *r, u64 now, u64 *ips,
			enum walk_end *end)
{
	struct stack_space *space;
	u8 stack[SLEEPING_STACK_BYTES];
	struct stack_copy copy = {
		.tgid = r->tgid, .t_ns = now, .stack = stack, .regs = {r->ip, r->sp, r->fp, r->lr}};
	u32 n;

	copy.nstack = sleeping_stack__copy(r->tgid, r->sp, stack);
	space = s->walker && copy.nstack && sleeping_stack__stays(r->tid, r->sp)
			? s->walker->space(s->walker, r->tgid, now)
			: NULL;
	if (!space)
		return 0;
	n = s->walker->walk(s->walker, space, &copy, ips, SLEEPER_FRAMES, end);
	s->walker->put_space(s->walker, space);
	return n;
}

/* The hash of where it sleeps, which the sink has then; 0: it has gone on. */
static u64 put_sleeper(struct lock_sleepers *s, const struct sleeper_record *r,
		       const struct sample_sink *sink)
{
	u64 now = clock__monotonic_ns(), ips[SLEEPER_FRAMES];
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF, .tgid = r->tgid, .t_ns = now, .ips = ips};
	enum walk_end end;
	u32 n = walk_sleeper(s, r, now, ips, &end);

	if (!n)
		return 0;
	def.nuser = (u16)n;
	def.whole = end == WALK_WHOLE;
	def.cut = end == WALK_CUT;
	def.hash = stack_hash(ips, 0, n, r->tgid);
	sink__put(sink, &def.head);
	return def.hash;
}

void lock_sleepers__take_holder(struct lock_sleepers *s, const struct sleeper_record *r,
				const struct sample_sink *sink)
{
	s->held_at[place_of_holder(r->tid)] =
		(struct sleeper_seen){.tid = r->tid, .stack = put_sleeper(s, r, sink)};
}

static struct sleeper_seen *waiter_of(struct lock_sleepers *s, u32 tid)
{
	u32 at;

	HIDX_FIND(at, &s->by_waiter, mix64(tid), pos, s->waiters[pos].tid == tid);
	return at == HIDX_NONE ? NULL : &s->waiters[at];
}

void lock_sleepers__take_waiter(struct lock_sleepers *s, const struct sleeper_record *r,
				const struct sample_sink *sink)
{
	struct sleeper_seen *w = waiter_of(s, r->tid);

	if (!w && s->nwaiters == WAITERS_MAX)
		return;
	if (!w) {
		s->waiters = xgrow(s->waiters, s->nwaiters, &s->waiters_cap, sizeof(*s->waiters));
		hidx__add(&s->by_waiter, mix64(r->tid), s->nwaiters);
		w = &s->waiters[s->nwaiters++];
	}
	*w = (struct sleeper_seen){.tid = r->tid,
				   .begin_ns = r->begin_ns,
				   .goes_on = true,
				   .stack = put_sleeper(s, r, sink)};
}

/* Those whose wait has ended. */
static void forget_waiters(struct lock_sleepers *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->nwaiters; i++)
		if (s->waiters[i].goes_on)
			s->waiters[n++] = s->waiters[i];
	if (n < s->nwaiters) {
		s->nwaiters = n;
		hidx__clear(&s->by_waiter);
		for (u32 i = 0; i < n; i++)
			hidx__add(&s->by_waiter, mix64(s->waiters[i].tid), i);
	}
	for (u32 i = 0; i < n; i++)
		s->waiters[i].goes_on = false;
}

static bool is_wanted(const struct lock_sleepers *s, u64 key)
{
	for (u32 i = 0; i < s->nwanted[1]; i++)
		if (s->wanted[1][i] == key)
			return true;
	return false;
}

void lock_sleepers__want(struct lock_sleepers *s, u32 tgid, u32 tid)
{
	u64 key = LOCK_HOLDER(tgid, tid);
	u32 yes = 1;

	if (s->nwanted[1] == HOLDERS_WANTED || is_wanted(s, key) ||
	    bpf_map_update_elem(s->wanted_fd, &key, &yes, BPF_ANY))
		return;
	s->wanted[1][s->nwanted[1]++] = key;
}

/* Those that nobody waits for any more. */
static void forget_holders(struct lock_sleepers *s)
{
	for (u32 i = 0; i < s->nwanted[0]; i++)
		if (!is_wanted(s, s->wanted[0][i]))
			bpf_map_delete_elem(s->wanted_fd, &s->wanted[0][i]);
	memcpy(s->wanted[0], s->wanted[1], sizeof(s->wanted[0]));
	s->nwanted[0] = s->nwanted[1];
	s->nwanted[1] = 0;
}

void lock_sleepers__tick(struct lock_sleepers *s)
{
	forget_holders(s);
	forget_waiters(s);
}

u64 lock_sleepers__held_at(const struct lock_sleepers *s, u32 tid)
{
	const struct sleeper_seen *h = &s->held_at[place_of_holder(tid)];

	return h->tid == tid ? h->stack : 0;
}

u64 lock_sleepers__where(struct lock_sleepers *s, u32 tid, u64 begin_ns)
{
	struct sleeper_seen *w = waiter_of(s, tid);

	if (!w || w->begin_ns != begin_ns)
		return 0;
	w->goes_on = true;
	return w->stack;
}

void lock_sleepers__fini(struct lock_sleepers *s)
{
	free(s->waiters);
	hidx__fini(&s->by_waiter);
}
