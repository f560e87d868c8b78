/* SPDX-License-Identifier: GPL-2.0-only */
/* Where fields of KVM's events are. */
#ifndef SOURCES_KVM_H
#define SOURCES_KVM_H

#include <stdio.h>

#include "base/base.h"
#include "bpf/kvm.h"

/* Offsets, or KVM_NOWHERE. */
struct kvm_format {
	u32 reason, isa; /* x86 */
	u32 ret, class;	 /* Arm */
};

/* As tracefs has it of kvm:kvm_exit. False: it tells no reason in either way. */
bool kvm_format__read(FILE *format, struct kvm_format *out);

#endif
