// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts: which handlers take how much of which CPU, for how long at a time, and from whom. */
#include <stdio.h>

#include "bpf/irq.h"
#include "samples/measure.h"

enum { BY_VECTOR, BY_KIND, BY_CPU, BY_PID, BY_TID, BY_COMM, LABELS };

static void kind_text(u64 kind, char *buf, size_t size)
{
	copy_str(buf, size, kind == IRQ_SOFT ? "soft" : "hard");
}

static void cpu_text(u64 cpu, char *buf, size_t size)
{
	snprintf(buf, size, "%llu", (unsigned long long)cpu);
}

/* Softirqs as /proc/softirqs has them; handlers' names came from the kernel. */
static void tidy_vector(u64 value, char *text, size_t size)
{
	static const char *const soft[] = {"HI",       "TIMER",	  "NET_TX", "NET_RX",  "BLOCK",
					   "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

	if (value >= 1 && value <= ARRAY_SIZE(soft))
		copy_str(text, size, soft[value - 1]);
	else if (value && value <= IRQ_SOFT_VECTORS)
		snprintf(text, size, "softirq %llu", (unsigned long long)value - 1);
}

static const struct measure_range kinds[] = {{0, 2}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_VECTOR] = {.name = "vector", .title = "Vector", .width = 20,
		       .help = "handler, as in /proc/interrupts, or softirq, as in /proc/softirqs",
		       .word = IRQ_LABEL_VECTOR, .bits = 64, .tidy = tidy_vector, .always = true},
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 4,
		     .help = "hard: of the hardware; soft: what the kernel does after them",
		     .word = IRQ_LABEL_KIND, .bits = 8, .text = kind_text, .values = kinds,
		     .implied_by = 1u << BY_VECTOR, .always = true},
	[BY_CPU] = {.name = "cpu", .title = "CPU", .width = 4, .help = "the CPU that it was on",
		    .word = IRQ_LABEL_CPU, .bits = 32, .text = cpu_text, .number = true, .always = true},
	[BY_PID] = {.name = "pid", .title = "PID", .kind = LABEL_PID,
		    .help = "process that was interrupted; 0: the CPU was idle"},
	[BY_TID] = {.name = "tid", .title = "TID", .kind = LABEL_TID, .help = "thread likewise"},
	[BY_COMM] = {.name = "comm", .title = "Interrupted", .width = 15, .kind = LABEL_COMM,
		     .help = "name of who was interrupted"},
};

const struct measure measure_irq = {
	MEASURE_HERE,
	.name = "irq",
	.noun = "irqs",
	.event = "irq_handler_entry, softirq_entry",
	.shape = MEASURE_SHAPE_SPAN,
	.of_cpus = true,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_VECTOR,
	.kept = IRQ_LABEL_VECTOR,
	.drills = (const u32[]){1u << BY_CPU, 1u << BY_TID, 0},
	.unseen = "timers and calls between CPUs are no handlers: not seen; time of a softirq has that "
		  "of what interrupts it",
};
