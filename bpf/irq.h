/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: words of labels; shared by kernel and user side. */
#ifndef BPF_IRQ_H
#define BPF_IRQ_H

enum { IRQ_LABEL_KIND, IRQ_LABEL_CPU, IRQ_LABEL_VECTOR };
enum { IRQ_HARD, IRQ_SOFT, IRQ_KINDS };

/* Words of vectors: of softirqs their number and 1, of others the address of their handler's entry. */
#define IRQ_SOFT_VECTORS 32

#endif
