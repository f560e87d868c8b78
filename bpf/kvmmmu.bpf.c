// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables that KVM keeps for its guests: an event is of the thread that brings it about, most often a
 * virtual CPU.
 */
#include "bpf/kvmmmu.h"
#include "bpf/measure.bpf.h"
#include "bpf/kvm_field.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* The kernel's union kvm_mmu_page_role; these bits have been there since Linux 5.4. */
#define ROLE_LEVEL  0xf
#define ROLE_DIRECT 0x80

static __always_inline int happens(void *ctx, enum kvmmmu_op op, u32 level, enum kvmmmu_kind kind)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS] = {};
	struct measure_task *t;
	u64 began;

	if (!st)
		return 0;
	began = run__begin(st);
	labels[KVMMMU_LABEL_PAGE] = op | (level & 0xff) << KVMMMU_LEVEL_SHIFT | kind << KVMMMU_KIND_SHIFT;
	t = measure__task(task, st);
	if (t)
		measure__count(ctx, task, t, labels, 0, false, st);
	run__end(st, began);
	return 0;
}

static __always_inline int happens_to(void *ctx, enum kvmmmu_op op, u32 role)
{
	return happens(ctx, op, role & ROLE_LEVEL, role & ROLE_DIRECT ? KVMMMU_DIRECT : KVMMMU_SHADOW);
}

/* --- pages of tables --- */

SEC("tp/kvmmmu/kvm_mmu_get_page")
int kvmmmu_get(void *ctx)
{
	return happens_to(ctx, field(ctx, KVM_MMU_GET_CREATED) ? KVMMMU_CREATE : KVMMMU_GET,
			  field(ctx, KVM_MMU_GET_ROLE));
}

SEC("tp/kvmmmu/kvm_mmu_sync_page")
int kvmmmu_sync(void *ctx)
{
	return happens_to(ctx, KVMMMU_SYNC, field(ctx, KVM_MMU_SYNC_ROLE));
}

SEC("tp/kvmmmu/kvm_mmu_unsync_page")
int kvmmmu_unsync(void *ctx)
{
	return happens_to(ctx, KVMMMU_UNSYNC, field(ctx, KVM_MMU_UNSYNC_ROLE));
}

SEC("tp/kvmmmu/kvm_mmu_prepare_zap_page")
int kvmmmu_zap(void *ctx)
{
	return happens_to(ctx, KVMMMU_ZAP, field(ctx, KVM_MMU_ZAP_ROLE));
}

SEC("tp/kvmmmu/kvm_mmu_zap_all_fast")
int kvmmmu_zap_all(void *ctx)
{
	return happens(ctx, KVMMMU_ZAP_ALL, 0, KVMMMU_NO_KIND);
}

/* --- entries of tables --- */

SEC("tp/kvmmmu/kvm_mmu_set_spte")
int kvmmmu_set(void *ctx)
{
	return happens(ctx, KVMMMU_SET, field(ctx, KVM_MMU_SET_LEVEL), KVMMMU_NO_KIND);
}

SEC("tp/kvmmmu/kvm_tdp_mmu_spte_changed")
int kvmmmu_tdp_change(void *ctx)
{
	return happens(ctx, KVMMMU_TDP_CHANGE, field(ctx, KVM_MMU_CHANGED_LEVEL), KVMMMU_DIRECT);
}

SEC("tp/kvmmmu/kvm_mmu_split_huge_page")
int kvmmmu_split(void *ctx)
{
	return happens(ctx, field(ctx, KVM_MMU_SPLIT_ERRNO) ? KVMMMU_SPLIT_FAILED : KVMMMU_SPLIT,
		       field(ctx, KVM_MMU_SPLIT_LEVEL), KVMMMU_NO_KIND);
}

SEC("tp/kvmmmu/mark_mmio_spte")
int kvmmmu_mmio_mark(void *ctx)
{
	return happens(ctx, KVMMMU_MMIO_MARK, 1, KVMMMU_NO_KIND);
}

SEC("tp/kvmmmu/check_mmio_spte")
int kvmmmu_mmio_check(void *ctx)
{
	return happens(ctx, KVMMMU_MMIO_CHECK, 1, KVMMMU_NO_KIND);
}

/* --- faults --- */

SEC("tp/kvmmmu/kvm_mmu_spte_requested")
int kvmmmu_fault(void *ctx)
{
	return happens(ctx, KVMMMU_FAULT, field(ctx, KVM_MMU_REQUESTED_LEVEL), KVMMMU_NO_KIND);
}

SEC("tp/kvmmmu/fast_page_fault")
int kvmmmu_fast_fault(void *ctx)
{
	return happens(ctx, KVMMMU_FAST_FAULT, 0, KVMMMU_NO_KIND);
}

SEC("tp/kvmmmu/handle_mmio_page_fault")
int kvmmmu_mmio_fault(void *ctx)
{
	return happens(ctx, KVMMMU_MMIO_FAULT, 1, KVMMMU_NO_KIND);
}

SEC("tp/kvmmmu/kvm_mmu_pagetable_walk")
int kvmmmu_walk(void *ctx)
{
	return happens(ctx, KVMMMU_WALK, 0, KVMMMU_NO_KIND);
}

SEC("tp/kvmmmu/kvm_mmu_walker_error")
int kvmmmu_walk_error(void *ctx)
{
	return happens(ctx, KVMMMU_WALK_ERROR, 0, KVMMMU_NO_KIND);
}
