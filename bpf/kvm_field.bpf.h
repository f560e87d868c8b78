/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields of KVM's events. They are in a module that need not be there, so no types tell where. */
#ifndef BPF_KVM_FIELD_BPF_H
#define BPF_KVM_FIELD_BPF_H

#include "bpf/kvm.h"

const volatile u32 kvm_at[KVM_FIELDS];

static __always_inline bool has_field(enum kvm_field f)
{
	return kvm_at[f] != KVM_NOWHERE;
}

/* 0: the event has no such field. */
static __always_inline u64 field(void *ctx, enum kvm_field f)
{
	u32 at = kvm_at[f], size = at >> KVM_SIZE_SHIFT;
	u64 value = 0;

	if (size && size <= sizeof(value))
		bpf_probe_read_kernel(&value, size, ctx + (u16)at);
	return value;
}

#endif
