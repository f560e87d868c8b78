/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of why guests are left. Pure. */
#ifndef MEASURES_KVM_H
#define MEASURES_KVM_H

#include "base/base.h"
#include "bpf/kvm.h"

/* reason: a word KVM_LABEL_REASON. What has no name has its number. */
void kvm__reason_text(u64 reason, char *buf, size_t size);

#endif
