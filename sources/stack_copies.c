// SPDX-License-Identifier: GPL-2.0-only
#include "sources/stack_copies.h"

#include "base/memory.h"
#include "samples/perf_regs.h"

#define QUEUE_BYTES ((size_t)32 << 20) /* some 3500 copies of 8 KiB */
/* For a tick, while rings have room for a second: tables that are made for the first time may take
 * as long. */
#define WAIT_MS 500

u32 stack_copies__bytes(const struct sampling *how)
{
	/* With a period there is no telling how many samples come: as many copies are for who asks.
	 */
	bool wanted = how->call_graph == CALL_GRAPH_EH ||
		      (how->call_graph == CALL_GRAPH_AUTO && how->freq);

	if (!wanted || !how->user || !how->walker || !perf_regs__mask(perf_regs__machine()))
		return 0;
	return how->stack_bytes ? how->stack_bytes & ~7u : STACK_COPY_BYTES;
}

void stack_copies__fields(struct perf_event_attr *a, u32 bytes)
{
	const u64 fields = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	a->sample_type = bytes ? a->sample_type | fields : a->sample_type & ~fields;
	a->sample_regs_user = bytes ? perf_regs__mask(perf_regs__machine()) : 0;
	a->sample_stack_user = bytes;
	a->exclude_callchain_user |= bytes > 0;
}

static void on_walked(void *ctx, const void *note, const u64 *ips, u32 n, enum walk_end end)
{
	struct stack_copies *c = ctx;

	c->ends[end]++;
	c->walked(c->ctx, note, ips, n, end);
}

u32 stack_copies__end(struct stack_copies *c)
{
	u32 dropped = c->queue ? walk_queue__count(c->queue) : 0;

	walk_queue__free(c->queue);
	c->queue = NULL;
	return dropped;
}

u32 stack_copies__begin(struct stack_copies *c, const struct stack_walker *walker, walked_fn walked,
			void *ctx)
{
	u32 dropped = stack_copies__end(c);

	c->queue = walk_queue__new(walker, memory__share(QUEUE_BYTES), on_walked, c);
	c->walked = walked;
	c->ctx = ctx;
	return dropped;
}

bool stack_copies__put(struct stack_copies *c, const struct perf_record *r, u64 regs_mask,
		       const void *note, u32 note_size)
{
	struct stack_copy copy = {
		.tgid = r->pid,
		.t_ns = r->t_ns,
		.nstack = (u32)r->nstack,
		.stack = r->stack,
	};

	if (!c->queue || !r->regs)
		return false; /* nobody asked; a thread of the kernel's */
	if (!perf_regs__read(r, regs_mask, perf_regs__machine(), &copy.regs) || !r->stack) {
		c->ends[WALK_NO_ROW]++; /* a 32-bit program */
		return false;
	}
	if (walk_queue__put(c->queue, &copy, note, note_size))
		return true;
	c->unwalked++;
	return false;
}

static void end_interval(struct stack_copies *c)
{
	u64 n[WALK_ENDS];

	for (u32 i = 0; i < WALK_ENDS; i++)
		n[i] = c->ends[i] - c->ends_before[i];
	c->interval = (struct health_stacks){
		.whole = n[WALK_WHOLE] + n[WALK_GUESSED],
		.cut = n[WALK_CUT],
		.unknown = n[WALK_UNKNOWN],
		.no_row = n[WALK_NO_ROW],
		.bad_stack = n[WALK_BAD_STACK],
		.fp_end = n[WALK_FP_END],
		.copy_end = n[WALK_COPY_ENDS],
		.unwalked = c->unwalked - c->unwalked_before,
		.by = STACKS_BY_COPIES,
	};
	c->late = walk_queue__count(c->queue);
	memcpy(c->ends_before, c->ends, sizeof(c->ends));
	c->unwalked_before = c->unwalked;
}

void stack_copies__reap(struct stack_copies *c, bool tick)
{
	bool overrun = c->unwalked > c->unwalked_before;

	if (!c->queue)
		return;
	walk_queue__post(c->queue);
	/* When more comes than can be walked, waiting would lose what comes meanwhile too. */
	walk_queue__reap(c->queue, tick && !overrun ? WAIT_MS : 0);
	if (tick)
		end_interval(c);
}

void stack_copies__health(const struct stack_copies *c, struct health *h)
{
	const struct health_stacks *s = &c->interval;
	u64 early = s->cut + s->unknown + s->no_row + s->bad_stack + s->fp_end + s->copy_end;

	if (!c->queue)
		return;
	h->stacks = *s;
	h->stacks_lost = c->unwalked;
	h->truncated_pct = early ? 100.0 * (double)early / (double)(early + s->whole) : 0;
	health__note_stacks(h);
	health__note(h, s->unwalked, "samples with the leaf alone: more than can be walked");
	health__note(h, c->late, "samples are still walked: the next interval has them");
}
