// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions about what is kept (hold): one event acquires, another one releases by the same value.
 * Their code is put into these programs as into those of bpf/question.bpf.c. bpf/question_held_plain.bpf.c is this
 * without stacks.
 */
#define MEASURE_MOMENT MOMENT_JUDGED
#include "bpf/measure_held.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/question_run.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* What the address is a number of: of a process, where the slot says so. */
static __always_inline bool frame__address(struct question_frame *f,
					   const volatile struct question_slot *slot,
					   struct task_struct *task, u64 *space, u64 *address)
{
	u32 key = slot->on - 1;
	s32 text;

	if (!slot->on || key >= QUESTION_KEYS)
		return false;
	text = slot->key_text[key];
	*space = slot->by_process ? task->tgid : 0;
	*address = text < 0 || text >= QUESTION_TEXTS ? f->keys[key]
						      : text__label(&f->texts[text], 0, 0);
	return *address != 0;
}

static __always_inline void acquire(void *ctx, struct question_frame *f,
				    const volatile struct question_slot *slot, u32 event,
				    struct task_struct *task, struct measure_stats *st)
{
	struct measure_acquired a = {};

	if (!frame__address(f, slot, task, &a.space, &a.address))
		return;
	if (((u32)scope_state && !scope__cpu(bpf_get_smp_processor_id())) || !moment__passes(ctx, task, slot->at)) {
		held__take(held__key(a.space, a.address)); /* it was released before, unseen */
		return;
	}
	a.size = slot->nvalues ? f->values[0] : 0;
	frame__labels(f, slot, NULL, event, a.labels);
	measure__acquire(ctx, task, STACK_SLOT_TRACE, slot->stack, &a, bpf_ktime_get_ns(), st);
}

static __noinline int question__run(void *ctx, u32 at)
{
	const volatile struct question_slot *slot = &slots[at];
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct frame_of_run *f;
	u64 began, space, address;

	if (!st)
		return 0;
	began = run__begin(st);
	f = frame__take();
	if (!f) {
		st->notes[QUESTION_NOTE_NESTED]++;
		return 0;
	}
	if (!frame__evaluate(ctx, &f->frame, slot, task, st))
		goto out;
	if (slot->does == QUESTION_BEGINS)
		acquire(ctx, &f->frame, slot, event_of(ctx, &f->frame, slot), task, st);
	else if (frame__address(&f->frame, slot, task, &space, &address))
		measure__release(space, address, st);
out:
	frame__release(f);
	run__end(st, began);
	return 0;
}

QUESTION_ALL_PROGRAMS(question__run)
