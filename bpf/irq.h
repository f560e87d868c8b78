/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts: kinds, words of labels and sums; shared by kernel and user side. */
#ifndef BPF_IRQ_H
#define BPF_IRQ_H

enum { IRQ_LABEL_KIND, IRQ_LABEL_CPU, IRQ_LABEL_VECTOR, IRQ_LABEL_CAUSE };

enum irq_kind {
	IRQ_HARD,	 /* a handler of a device */
	IRQ_SOFT,	 /* a softirq */
	IRQ_LOCAL,	 /* what a CPU's own interrupt controller raises: its timer, calls of other CPUs */
	IRQ_TIMER,	 /* a timer's function */
	IRQ_HRTIMER,	 /* likewise, of high resolution */
	IRQ_TASKLET,
	IRQ_CALL,	 /* a function that another CPU asked for, or this one of all */
	IRQ_WORK,	 /* a function of a workqueue, in a thread of its own */
	IRQ_IRQS_OFF,	 /* so late came the tick */
	IRQ_PREEMPT_OFF, /* from when a CPU was told to switch until it did */
	IRQ_KINDS,
};

/* Words of vectors. Of softirqs their number and 1, of hardware interrupts the address of their handler's
 * entry, of functions theirs. */
#define IRQ_SOFT_VECTORS 32
enum {
	IRQ_VECTOR_IRQS_OFF = 64,
	IRQ_VECTOR_PREEMPT_OFF,
	IRQ_VECTOR_LOCAL = 256, /* and the CPU's own number of it */
};

/* x86's numbers of what a CPU's own interrupt controller raises. */
enum {
	IRQ_RESCHEDULE = 0xfd,
	IRQ_WORK_LATER = 0xf6, /* irq_work */
};

/* Sums: own time, and how long what was asked for waited until it began, of how many that is known. */
enum { IRQ_SUM_OWN, IRQ_SUM_QUEUED_NS, IRQ_SUM_QUEUED };

#endif
