// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exits of virtual machines: a span from where a virtual CPU leaves its guest to where it enters it
 * again, on its thread. What comes in between says what for, and how much of it is user space's.
 */
#include "bpf/kvm.h"
#include "bpf/measure.bpf.h"
#include "bpf/kvm_field.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* What is kept of a thread: when it entered its guest, and once it has left it how long it was there; when
 * user space got it, how long it had it, and what was injected. */
enum { OWN_GUEST, OWN_USER_SINCE, OWN_USER, OWN_INJECTED };

static __always_inline u64 reason_of(void *ctx)
{
	u32 ret;

	if (has_field(KVM_EXIT_ISA))
		return field(ctx, KVM_EXIT_ISA) << 32 | (u32)field(ctx, KVM_EXIT_REASON);
	ret = field(ctx, KVM_EXIT_RET);
	return (u64)KVM_ARM << 32 | ((ret & 0xff) == KVM_ARM_TRAP ? (u32)field(ctx, KVM_EXIT_CLASS)
								  : KVM_ARM_NO_TRAP | (ret & 0xff));
}

SEC("tp/kvm/kvm_exit")
int kvm_leaves(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_task *t;
	u64 now;

	if (!st)
		return 0;
	t = measure__task(task, st);
	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	t->labels[KVM_LABEL_REASON] = reason_of(ctx);
	t->labels[KVM_LABEL_ACCESS] = t->labels[KVM_LABEL_WITH] = 0;
	t->own[OWN_GUEST] = t->own[OWN_GUEST] ? now - t->own[OWN_GUEST] : 0;
	t->own[OWN_USER_SINCE] = t->own[OWN_USER] = t->own[OWN_INJECTED] = 0;
	t->begin_ns = now;
	t->inside = 1;
	return 0;
}

/* NULL: the current thread is not known to have left a guest. */
static __always_inline struct measure_task *outside(void)
{
	struct measure_task *t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);

	return t && t->inside ? t : NULL;
}

static __always_inline void user__ends(struct measure_task *t, u64 now)
{
	if (t->own[OWN_USER_SINCE])
		t->own[OWN_USER] += now - t->own[OWN_USER_SINCE];
	t->own[OWN_USER_SINCE] = 0;
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
	if (!t)
		return 0;
	s.now = run__begin(st);
	if (task__watched(t, task) && t->inside) {
		user__ends(t, s.now);
		s.of = t;
		s.begin_ns = t->begin_ns;
		s.labels = labels;
		s.sums[KVM_SUM_USER] = t->own[OWN_USER];
		s.sums[KVM_SUM_KERNEL] = s.now - s.begin_ns - t->own[OWN_USER];
		s.sums[KVM_SUM_GUEST] = t->own[OWN_GUEST];
		s.sums[KVM_SUM_INJECTED] = t->own[OWN_INJECTED];
		for (int i = 0; i <= KVM_LABEL_WITH; i++)
			labels[i] = t->labels[i];
		if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
			slow__report(&s, 0);
	}
	t->inside = 0;
	/* As long as nobody watches it is not known how long it is there. */
	t->own[OWN_GUEST] = t->watched ? s.now : 0;
	run__end(st, s.now);
	return 0;
}

/* --- user space: from where KVM_RUN returns to where it is called again --- */

SEC("tp/kvm/kvm_userspace_exit")
int kvm_asks_user(void *ctx)
{
	struct measure_task *t = outside();
	s32 err = field(ctx, KVM_USER_ERRNO);
	u64 reason;

	if (!t)
		return 0;
	reason = err == -4 ? KVM_USER_RESTART : err < 0 ? KVM_USER_ERROR : field(ctx, KVM_USER_REASON) + 1;
	t->own[OWN_USER_SINCE] = bpf_ktime_get_ns();
	if (!(t->labels[KVM_LABEL_WITH] & ((1u << KVM_USER_BITS) - 1)))
		t->labels[KVM_LABEL_WITH] |= reason & ((1u << KVM_USER_BITS) - 1);
	return 0;
}

/* KVM_RUN of x86 takes over the registers of floating point first of all. */
SEC("tp/kvm/kvm_fpu")
int kvm_user_done(void *ctx)
{
	struct measure_task *t = outside();

	if (t && field(ctx, KVM_FPU_LOAD))
		user__ends(t, bpf_ktime_get_ns());
	return 0;
}

/* --- what for: the first of an exit --- */

static __always_inline int accesses(enum kvm_access kind, bool write, u64 what)
{
	struct measure_task *t = outside();

	if (t && !t->labels[KVM_LABEL_ACCESS])
		t->labels[KVM_LABEL_ACCESS] =
			(u64)kind << KVM_ACCESS_SHIFT | (write ? KVM_WRITE : 0) | (what & (KVM_WRITE - 1));
	return 0;
}

SEC("tp/kvm/kvm_pio")
int kvm_accesses_port(void *ctx)
{
	return accesses(KVM_PORT, field(ctx, KVM_PIO_RW), field(ctx, KVM_PIO_PORT));
}

#define MMIO_WRITE 2 /* reads are 0, as long as user space has not answered, and 1 */

SEC("tp/kvm/kvm_mmio")
int kvm_accesses_mmio(void *ctx)
{
	return accesses(KVM_MMIO, field(ctx, KVM_MMIO_TYPE) == MMIO_WRITE, field(ctx, KVM_MMIO_GPA));
}

SEC("tp/kvm/kvm_fast_mmio")
int kvm_accesses_fast_mmio(void *ctx)
{
	return accesses(KVM_MMIO, true, field(ctx, KVM_FAST_MMIO_GPA));
}

SEC("tp/kvm/kvm_msr")
int kvm_accesses_msr(void *ctx)
{
	return accesses(KVM_MSR, field(ctx, KVM_MSR_WRITE), field(ctx, KVM_MSR_NUMBER));
}

SEC("tp/kvm/kvm_hypercall")
int kvm_calls(void *ctx)
{
	return accesses(KVM_HYPERCALL, false, field(ctx, KVM_CALL_NUMBER));
}

SEC("tp/kvm/kvm_hv_hypercall")
int kvm_calls_hyperv(void *ctx)
{
	return accesses(KVM_HYPERV_CALL, false, field(ctx, KVM_HYPERV_CODE));
}

SEC("tp/kvm/kvm_xen_hypercall")
int kvm_calls_xen(void *ctx)
{
	return accesses(KVM_XEN_CALL, false, field(ctx, KVM_XEN_NUMBER));
}

/* --- what is injected: how often, and the first one --- */

static __always_inline int injects(u64 what)
{
	struct measure_task *t = outside();

	if (!t)
		return 0;
	t->own[OWN_INJECTED]++;
	if (!(t->labels[KVM_LABEL_WITH] >> KVM_INJECTED_SHIFT))
		t->labels[KVM_LABEL_WITH] |= what << KVM_INJECTED_SHIFT;
	return 0;
}

SEC("tp/kvm/kvm_inj_virq")
int kvm_injects_interrupt(void *ctx)
{
	return injects(KVM_INTERRUPT | (field(ctx, KVM_INTERRUPT_VECTOR) & 0xff));
}

SEC("tp/kvm/kvm_inj_exception")
int kvm_injects_exception(void *ctx)
{
	return injects(KVM_EXCEPTION | (field(ctx, KVM_EXCEPTION_VECTOR) & 0xff));
}

MEASURE_VISIT_OPEN
