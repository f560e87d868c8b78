/* SPDX-License-Identifier: GPL-2.0-only */
/* Where fields of KVM's events are. */
#ifndef SOURCES_KVM_H
#define SOURCES_KVM_H

#include "base/base.h"
#include "bpf/kvm.h"

/* text: of the format file of event kvm:NAME or kvmmmu:NAME. Fills the fields of that event, those that it
 * does not have with KVM_NOWHERE. */
void kvm_fields__read(const char *name, const char *text, u32 at[KVM_FIELDS]);
/* Whether kvm:kvm_exit tells a reason, in either way. */
bool kvm_fields__have_reason(const u32 at[KVM_FIELDS]);

#endif
