/* SPDX-License-Identifier: GPL-2.0-only */
/* Virtual machines: words of labels, fields of events, sums; shared by kernel and user side. */
#ifndef BPF_KVM_H
#define BPF_KVM_H

/* REASON: its number, and in the upper half whose numbers those are. ACCESS: what the guest was left for,
 * see KVM_ACCESS_SHIFT; 0: for none of these. WITH: what user space was asked for and 1 (0: the kernel did
 * it alone), and what was put into the guest before it was entered again (0: nothing). */
enum { KVM_LABEL_REASON, KVM_LABEL_ACCESS, KVM_LABEL_WITH };
/* Whose numbers reasons are: as the kernel numbers them; Arm has no such field; user space's. */
enum kvm_isa { KVM_NO_ISA, KVM_VMX, KVM_SVM, KVM_ARM, KVM_USER };

/* Of Arm: what is no trap has its number here and this bit. */
#define KVM_ARM_NO_TRAP 0x100
#define KVM_ARM_TRAP	2

/* What is accessed, above it whether it is written, and which kind it is of. */
enum kvm_access {
	KVM_NO_ACCESS,
	KVM_PORT,
	KVM_MMIO,
	KVM_MSR,
	KVM_HYPERCALL,
	KVM_HYPERV_CALL,
	KVM_XEN_CALL,
	KVM_ACCESSES,
};

#define KVM_ACCESS_SHIFT 56
#define KVM_WRITE	 (1ULL << 55)

#define KVM_USER_BITS	   16
#define KVM_USER_RESTART   0xfffe /* a signal was to be handled */
#define KVM_USER_ERROR	   0xffff
#define KVM_INJECTED_SHIFT 16
#define KVM_INJECTED_BITS  16
/* Of what was injected: the vector, and which of these it is. */
#define KVM_INTERRUPT 0x100
#define KVM_EXCEPTION 0x200

enum { KVM_SUM_KERNEL, KVM_SUM_USER, KVM_SUM_GUEST, KVM_SUM_INJECTED };

/* Fields of events, which user space looks up in their formats. */
enum kvm_field {
	KVM_EXIT_REASON,
	KVM_EXIT_ISA,
	KVM_EXIT_RET,
	KVM_EXIT_CLASS,
	KVM_USER_REASON,
	KVM_USER_ERRNO,
	KVM_FPU_LOAD,
	KVM_PIO_RW,
	KVM_PIO_PORT,
	KVM_MMIO_TYPE,
	KVM_MMIO_GPA,
	KVM_FAST_MMIO_GPA,
	KVM_MSR_WRITE,
	KVM_MSR_NUMBER,
	KVM_CALL_NUMBER,
	KVM_HYPERV_CODE,
	KVM_XEN_NUMBER,
	KVM_INTERRUPT_VECTOR,
	KVM_EXCEPTION_VECTOR,
	KVM_MMU_GET_ROLE,
	KVM_MMU_GET_CREATED,
	KVM_MMU_SYNC_ROLE,
	KVM_MMU_UNSYNC_ROLE,
	KVM_MMU_ZAP_ROLE,
	KVM_MMU_SET_LEVEL,
	KVM_MMU_REQUESTED_LEVEL,
	KVM_MMU_CHANGED_LEVEL,
	KVM_MMU_SPLIT_LEVEL,
	KVM_MMU_SPLIT_ERRNO,
	KVM_FIELDS,
};

/* Where a field is: its offset, and above it its size in bytes. */
#define KVM_SIZE_SHIFT 16
#define KVM_NOWHERE    0 /* the event has no such field */

#endif
