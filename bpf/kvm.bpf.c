// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits of virtual machines: a span from where a virtual CPU leaves its guest to where it enters it
 * again, on its thread. Where in the events the fields are user space reads in their formats, as
 * they are in a module that need not be there.
 */
#include "bpf/kvm.h"
#include "bpf/measure.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Offsets; KVM_NOWHERE. */
const volatile u32 kvm_reason_at = KVM_NOWHERE, kvm_isa_at = KVM_NOWHERE; /* x86 */
const volatile u32 kvm_ret_at = KVM_NOWHERE, kvm_class_at = KVM_NOWHERE;  /* Arm */

static __always_inline u32 field(void *ctx, u32 at)
{
	u32 value = 0;

	if (at != KVM_NOWHERE)
		bpf_probe_read_kernel(&value, sizeof(value), ctx + at);
	return value;
}

static __always_inline u64 reason_of(void *ctx)
{
	u32 ret;

	if (kvm_isa_at != KVM_NOWHERE)
		return (u64)field(ctx, kvm_isa_at) << 32 | field(ctx, kvm_reason_at);
	ret = field(ctx, kvm_ret_at);
	return (u64)KVM_ARM << 32 |
	       ((ret & 0xff) == KVM_ARM_TRAP ? field(ctx, kvm_class_at) : KVM_ARM_NO_TRAP | (ret & 0xff));
}

SEC("tp/kvm/kvm_exit")
int kvm_leaves(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_task *t;

	if (!st)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	t->labels[KVM_LABEL_REASON] = reason_of(ctx);
	t->begin_ns = bpf_ktime_get_ns();
	t->inside = 1;
	return 0;
}

SEC("tp/kvm/kvm_entry")
int kvm_enters(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_span s = {.task = task};
	u64 labels[MEASURE_LABELS] = {}, stack;
	struct measure_cell *cell;
	struct measure_task *t;

	if (!st)
		return 0;
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!t || !t->inside || !task__watched(t, task))
		return 0;
	t->inside = 0;
	s.now = run__begin(st);
	s.of = t;
	s.begin_ns = t->begin_ns;
	s.labels = labels;
	labels[KVM_LABEL_REASON] = t->labels[KVM_LABEL_REASON];
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		slow__report(&s, 0);
	run__end(st, s.now);
	return 0;
}

MEASURE_VISIT_OPEN
