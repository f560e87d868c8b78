/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that stand for those of functions of the kernel until a program is loaded (bpf/moment.bpf.h). */
#ifndef BPF_MOMENT_H
#define BPF_MOMENT_H

#define MOMENT_IRQ_SAVE	   0x6d6f6d01
#define MOMENT_IRQ_RESTORE 0x6d6f6d02

/* Where a program runs, which says what it knows of interrupts and of the mode. */
enum moment_at {
	MOMENT_TRACED,	  /* an event of the kernel */
	MOMENT_SAVED,	  /* one where the CPU tells whether interrupts are off */
	MOMENT_REGISTERS, /* what was interrupted: the context begins with its registers */
	MOMENT_USER,	  /* an event of a program, which does not turn them off */
	MOMENT_JUDGED,	  /* whether this event passes has been looked at */
};

#endif
