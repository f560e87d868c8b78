/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that stand for those of functions of the kernel until a program is loaded (bpf/moment.bpf.h). */
#ifndef BPF_MOMENT_H
#define BPF_MOMENT_H

#define MOMENT_IRQ_SAVE	   0x6d6f6d01
#define MOMENT_IRQ_RESTORE 0x6d6f6d02

#endif
