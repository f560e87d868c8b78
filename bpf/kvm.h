/* SPDX-License-Identifier: GPL-2.0-only */
/* Exits of virtual machines: words of labels; shared by kernel and user side. */
#ifndef BPF_KVM_H
#define BPF_KVM_H

/* The reason's number, and in the upper half whose numbers those are. */
enum { KVM_LABEL_REASON };
/* As the kernel numbers them; Arm has no such field. */
enum kvm_isa { KVM_NO_ISA, KVM_VMX, KVM_SVM, KVM_ARM };

/* Of Arm: what is no trap has its number here and this bit. */
#define KVM_ARM_NO_TRAP 0x100
#define KVM_ARM_TRAP	2

#define KVM_NOWHERE 0xffffffffu /* the event has no such field */

#endif
