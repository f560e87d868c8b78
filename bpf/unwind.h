/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind tables as the programs read them; shared by kernel and user side. A table has, for each
 * range of an object's code, where the caller's registers are found: what .eh_frame says, cut
 * down to what compilers really emit, in 8 bytes.
 *
 * The CFA ("canonical frame address") is the stack pointer's value in the caller just before
 * the call. Offsets are in words of 8 bytes.
 */
#ifndef BPF_UNWIND_H
#define BPF_UNWIND_H

#include <linux/types.h>

struct unwind_row {
	__u32 pc;  /* from the table's base on; holds up to the next row's */
	__s16 cfa; /* CFA = base + 8 * cfa */
	__s8 fp;   /* where the caller's frame pointer is, see UNWIND_FP_x */
	__u8 rule; /* UNWIND_CFA_x | UNWIND_FP_x | UNWIND_RA_x */
};

/* What the CFA is counted from. */
#define UNWIND_CFA	    0x07
#define UNWIND_CFA_NONE	    0 /* no code, or described in a way that is none of these */
#define UNWIND_CFA_SP	    1
#define UNWIND_CFA_FP	    2
#define UNWIND_CFA_PLT	    3 /* x86: sp + 8, and 8 more from byte 11 of each 16 on */
#define UNWIND_CFA_DEREF_FP 4 /* the word at fp + 8 * cfa is the CFA: a realigned stack */
#define UNWIND_CFA_DEREF_SP 5 /* the same at sp + 8 * cfa */
#define UNWIND_CFA_SIGNAL   6 /* a signal's frame: the registers are in the ucontext at sp */
#define UNWIND_CFA_END	    7 /* the outermost frame: there is no caller */

/* The caller's frame pointer. */
#define UNWIND_FP	0x18
#define UNWIND_FP_SAME	0x00 /* as it is */
#define UNWIND_FP_SAVED 0x08 /* at CFA + 8 * fp */
#define UNWIND_FP_AT_FP 0x10 /* at the frame pointer + 8 * fp: a realigned stack */

/* The return address. */
#define UNWIND_RA	    0x60
#define UNWIND_RA_BELOW_CFA 0x00 /* at CFA - 8: x86, always */
#define UNWIND_RA_ABOVE_FP  0x20 /* aarch64: at CFA + 8 * fp + 8, the frame pointer before it */
#define UNWIND_RA_LR	    0x40 /* aarch64: still in its register: a leaf */
#define UNWIND_RA_AT_FP	    0x60 /* aarch64: at CFA + 8 * fp; the frame pointer is as it is */

#endif
