// SPDX-License-Identifier: GPL-2.0-only
/* Stacks on their way into a recording: frames that share their callers, and the hashes by which
 * sources mean them. */
#include "recording/names_out_impl.h"

#include "models/stacks.h"

void stacks_out__fini(struct out_stacks *s)
{
	free(s->locs);
	free(s->frames);
	free(s->stacks);
	hidx__fini(&s->by_frame);
	hidx__fini(&s->by_stack);
	*s = (struct out_stacks){0};
}

void slots_out__fini(struct out_slots *s)
{
	free(s->v);
	hidx__fini(&s->index);
	*s = (struct out_slots){0};
}

/* --- hashes --- */

#define ANYBODY UINT32_MAX

static struct out_slot *find_in(const struct out_slots *s, u64 hash, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &s->index, mix64(hash), pos,
		  s->v[pos].hash == hash && (tgid == ANYBODY || s->v[pos].tgid == tgid));
	return at == HIDX_NONE ? NULL : &s->v[at];
}

/* What sources may rely on is the newest definitions, of several of them: the older half is forgotten when the
 * newer one is full. */
static struct out_slot *add_slot(struct names_out *n, const struct out_slot *slot)
{
	struct out_slots *s = &n->newer;

	if (s->n >= 2 * stacks__definitions()) {
		slots_out__fini(&n->older);
		n->older = *s;
		*s = (struct out_slots){0};
	}
	s->v = xgrow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n] = *slot;
	hidx__add(&s->index, mix64(slot->hash), s->n);
	return &s->v[s->n++];
}

/* One that is used stays among the newer ones. */
static struct out_slot *find_slot(struct names_out *n, u64 hash, u32 tgid)
{
	struct out_slot *slot = find_in(&n->newer, hash, tgid), copy;

	if (slot)
		return slot;
	slot = find_in(&n->older, hash, tgid);
	if (!slot)
		return NULL;
	copy = *slot;
	return add_slot(n, &copy);
}

/* --- frames and stacks --- */

static u32 find_frame(const struct out_stacks *s, u32 caller, u32 loc)
{
	u32 at;

	HIDX_FIND(at, &s->by_frame, mix64_pair(caller, loc), pos,
		  s->frames[pos].caller == caller && s->frames[pos].loc == loc);
	return at == HIDX_NONE ? 0 : at + 1;
}

static u32 add_frame(struct out_stacks *s, u32 caller, u32 loc)
{
	s->frames = xgrow(s->frames, s->nframes, &s->frames_cap, sizeof(*s->frames));
	s->frames[s->nframes] = (struct out_frame){caller, loc};
	hidx__add(&s->by_frame, mix64_pair(caller, loc), s->nframes);
	return ++s->nframes;
}

/* A stack with locs of symbols, leaf first, is found by all of them at once: most that sources define
 * are known, of another process. */
static u64 hash_stack(const struct out_stack *s, const u32 *symbol_locs, u32 count)
{
	u64 h = mix64_pair(count, s->nkernel | (u32)s->flags << 16);

	for (u32 i = 0; i < count; i++)
		h = mix64(h ^ symbol_locs[i]) + i;
	return h;
}

static bool is_stack(const struct out_stacks *s, const struct out_stack *a, const struct out_stack *b,
		     const u32 *symbol_locs, u32 count)
{
	u32 f = a->leaf, i = 0;

	if (a->nkernel != b->nkernel || a->flags != b->flags)
		return false;
	for (; f && i < count; f = s->frames[f - 1].caller, i++)
		if (s->locs[s->frames[f - 1].loc].loc != symbol_locs[i])
			return false;
	return !f && i == count;
}

static u32 add_stack(struct out_stacks *s, const struct out_stack *stack, u64 hash)
{
	s->stacks = xgrow(s->stacks, s->nstacks, &s->stacks_cap, sizeof(*s->stacks));
	s->stacks[s->nstacks] = *stack;
	hidx__add(&s->by_stack, hash, s->nstacks);
	return ++s->nstacks;
}

/* Writes a stack whose frames from `n` on outwards are known as `leaf`; makes the others. */
static u32 write_stack(struct names_out *n, struct out_stack *stack, const u32 *locs, u32 count,
		       u64 hash)
{
	size_t begin;

	if (!names_out__room(n, TABLE_STACKS, 1) || !names_out__room(n, TABLE_FRAMES, count))
		return 0;
	begin = names_out__begin(n, RECORD_STACK);
	bytes__varint(&n->out, stack->flags);
	bytes__varint(&n->out, stack->nkernel);
	bytes__varint(&n->out, stack->leaf);
	while (count--) {
		bytes__varint(&n->out, locs[count] - 1);
		stack->leaf = add_frame(&n->now, stack->leaf, locs[count] - 1);
	}
	bytes__end(&n->out, begin);
	return add_stack(&n->now, stack, hash);
}

/* locs of symbols, leaf first. Position + 1; 0 no room. */
static u32 intern(struct names_out *n, const u32 *symbol_locs, u32 count, u32 nkernel, u32 flags)
{
	struct out_stack stack = {.nkernel = (u16)nkernel, .flags = (u8)flags};
	u64 hash = hash_stack(&stack, symbol_locs, count);
	u32 locs[STACKS_MAX_FRAMES], next, at;

	HIDX_FIND(at, &n->now.by_stack, hash, pos,
		  is_stack(&n->now, &n->now.stacks[pos], &stack, symbol_locs, count));
	if (at != HIDX_NONE)
		return at + 1;
	for (u32 i = 0; i < count; i++) {
		locs[i] = names_out__loc(n, symbol_locs[i]);
		if (!locs[i])
			return 0;
	}
	while (count) {
		next = find_frame(&n->now, stack.leaf, locs[count - 1] - 1);
		if (!next)
			break;
		stack.leaf = next;
		count--;
	}
	return write_stack(n, &stack, locs, count, hash);
}

static u32 define(struct names_out *n, const struct stack_def *d)
{
	u32 count = MIN((u32)d->nkernel + d->nuser, STACKS_MAX_FRAMES), locs[STACKS_MAX_FRAMES];
	bool cut = d->cut || count < (u32)d->nkernel + d->nuser;

	stack_def__locate(d, count, n->symbols, locs);
	return intern(n, locs, count, MIN(d->nkernel, count),
		      (cut ? STACK_CUT : 0) | (d->interrupt ? STACK_INTERRUPT : 0) | (d->whole ? STACK_WHOLE : 0));
}

/* One that was put down in the part before is put down again. */
static u32 carry_over(struct names_out *n, u32 stack)
{
	const struct out_stacks *old = &n->before;
	u32 locs[STACKS_MAX_FRAMES], count = 0;

	if (stack >= old->nstacks)
		return 0;
	for (u32 f = old->stacks[stack].leaf; f; f = old->frames[f - 1].caller)
		locs[count++] = old->locs[old->frames[f - 1].loc].loc;
	return intern(n, locs, count, old->stacks[stack].nkernel, old->stacks[stack].flags);
}

static void keep(struct names_out *n, struct out_slots *s)
{
	for (u32 i = 0; i < s->n; i++) {
		struct out_slot *slot = &s->v[i];
		u32 stack = slot->part + 1 == n->part ? carry_over(n, slot->stack) : 0;

		if (!stack)
			continue;
		slot->stack = stack - 1;
		slot->part = n->part;
	}
}

void stacks_out__keep(struct names_out *n)
{
	keep(n, &n->newer);
	keep(n, &n->older);
}

/* --- what samples and sources say --- */

static u32 *epoch_of(const struct names_out *n, u32 tgid)
{
	return &n->epochs[mix64(tgid) % OUT_EPOCHS];
}

void names_out__proc(struct names_out *n, const struct proc_event *ev)
{
	if (ev->type == PROC_EXEC || ev->type == PROC_MMAP)
		++*epoch_of(n, ev->tgid);
}

void names_out__define(struct names_out *n, const struct stack_def *d)
{
	u32 tgid = d->nuser && !d->named ? d->tgid : 0, stack;
	u32 epoch = tgid ? *epoch_of(n, tgid) : 0;
	struct out_slot *slot = find_slot(n, d->hash, tgid);

	if (slot && slot->epoch == epoch)
		return;
	stack = define(n, d);
	if (!stack)
		return;
	if (!slot)
		slot = add_slot(n, &(struct out_slot){.hash = d->hash, .tgid = tgid});
	slot->epoch = epoch;
	slot->stack = stack - 1;
	slot->part = n->part;
}

u32 names_out__stack(struct names_out *n, u64 hash, u32 tgid)
{
	struct out_slot *slot = hash ? find_slot(n, hash, tgid ? tgid : ANYBODY) : NULL;
	u32 stack;

	if (!slot && hash && tgid)
		slot = find_slot(n, hash, 0);
	if (!slot)
		return 0;
	if (slot->part == n->part)
		return slot->stack + 1;
	stack = slot->part + 1 == n->part ? carry_over(n, slot->stack) : 0;
	if (stack) {
		slot->stack = stack - 1;
		slot->part = n->part;
	}
	return stack;
}
