// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts: which handlers take how much of which CPU, for how long at a time, and from whom; what they leave
 * to be done later; and for how long CPUs could not be interrupted. */
#include <stdio.h>

#include "bpf/irq.h"
#include "samples/measure.h"

enum { BY_VECTOR, BY_KIND, BY_CPU, BY_CAUSE, BY_PID, BY_TID, BY_COMM, BY_STACK, LABELS };

static void kind_text(u64 kind, char *buf, size_t size)
{
	static const char *const names[IRQ_KINDS] = {
		[IRQ_HARD] = "hard",	   [IRQ_SOFT] = "soft",		  [IRQ_LOCAL] = "local",
		[IRQ_TIMER] = "timer",	   [IRQ_HRTIMER] = "hrtimer",	  [IRQ_TASKLET] = "tasklet",
		[IRQ_CALL] = "call",	   [IRQ_WORK] = "work",		  [IRQ_IRQS_OFF] = "irqs-off",
		[IRQ_PREEMPT_OFF] = "preempt-off",
	};

	copy_str(buf, size, kind < IRQ_KINDS ? names[kind] : "?");
}

#define IRQ_LOCALS 256

static void local_text(u32 number, char *buf, size_t size)
{
	static const char *const names[IRQ_LOCALS] = {
		[0xec] = "LOC", [IRQ_RESCHEDULE] = "RES", [0xfc] = "CAL", [0xfb] = "CAL", /* of many, of one */
		[IRQ_WORK_LATER] = "IWI", [0xfa] = "TRM", [0xff] = "SPU", [0xfe] = "ERR", [0xf7] = "PLT",
	};

	if (names[number])
		copy_str(buf, size, names[number]);
	else
		snprintf(buf, size, "local %#x", number);
}

/* Softirqs as /proc/softirqs has them, interrupts of the CPU's own as /proc/interrupts. Names of handlers
 * come from the programs, those of functions from the kernel's symbols. */
static bool known_vector(u64 value, char *buf, size_t size)
{
	static const char *const soft[] = {"HI",       "TIMER",	  "NET_TX", "NET_RX",  "BLOCK",
					   "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

	if (value >= 1 && value <= ARRAY_SIZE(soft))
		copy_str(buf, size, soft[value - 1]);
	else if (value && value <= IRQ_SOFT_VECTORS)
		snprintf(buf, size, "softirq %llu", (unsigned long long)value - 1);
	else if (value >= IRQ_VECTOR_LOCAL && value - IRQ_VECTOR_LOCAL < IRQ_LOCALS)
		local_text((u32)value - IRQ_VECTOR_LOCAL, buf, size);
	else if (value == IRQ_VECTOR_IRQS_OFF || value == IRQ_VECTOR_PREEMPT_OFF)
		copy_str(buf, size, value == IRQ_VECTOR_IRQS_OFF ? "[interrupts off]" : "[preemption off]");
	else
		return false;
	return true;
}

static bool no_cause(u64 value, char *buf, size_t size)
{
	if (!value)
		copy_str(buf, size, "");
	return !value;
}

static const struct measure_range kinds[] = {{0, IRQ_KINDS}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_VECTOR] = {.name = "vector", .title = "Vector", .width = 20,
		       .help = "handler or LOC, RES, CAL ..., as in /proc/interrupts; softirq, as in "
			       "/proc/softirqs; of the other kinds the function that ran",
		       .word = IRQ_LABEL_VECTOR, .bits = 64, .known = known_vector, .always = true},
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 8,
		     .help = "hard: of a device; local: of the CPU's own, its timer (LOC) and calls of others "
			     "(RES, CAL); soft: softirqs; timer, hrtimer, tasklet and call: functions within those; work: of a workqueue, in a thread of its own; irqs-off: how late the tick came; "
			     "preempt-off: from when a CPU was told to switch until it did",
		     .word = IRQ_LABEL_KIND, .bits = 8, .text = kind_text, .values = kinds,
		     .implied_by = 1u << BY_VECTOR, .always = true},
	[BY_CPU] = {.name = "cpu", .title = "CPU", .width = 4, .help = "the CPU that it was on",
		    .word = IRQ_LABEL_CPU, .bits = 32, .text = label__number, .number = true, .always = true},
	[BY_CAUSE] = {.name = "cause", .title = "Cause", .width = 24,
		      .help = "of the kind local: CAL: the function that another CPU asked for; RES: where that was sent; "
			      "IWI and LOC: the function that it came for",
		      .word = IRQ_LABEL_CAUSE, .bits = 64, .known = no_cause},
	[BY_PID] = {PID_LABEL("process that was interrupted; 0: the CPU was idle")},
	[BY_TID] = {TID_LABEL("thread likewise")},
	[BY_COMM] = {.name = "comm", .title = "Interrupted", .width = 15, .kind = LABEL_COMM,
		     .help = "name of who was interrupted; of works the thread that does them"},
	[BY_STACK] = {STACK_LABEL("At its end", "kernel stack when it ended, what was interrupted below; "
				  "irqs-off, preempt-off: where interrupts, or preemption, were on again")},
};

/* From an interrupt's entry to where stacks are taken: below them is who was interrupted. */
static const char *const entries[] = {
	"asm_*", "sysvec_*", "__sysvec_*", "common_interrupt*", "__common_interrupt*", "irqentry_*", "irq_exit*",
	"__irq_exit*", "handle_softirqs*", "__do_softirq*", "do_softirq*", "__softirqentry*", "handle_irq*", "__handle_irq*",
	"handle_edge_irq*", "handle_fasteoi_irq*", "handle_level_irq*", "handle_percpu*", "generic_handle*", "call_irq_handler*",
	"hrtimer_interrupt*", "__hrtimer_run*", "hrtimer_run*", "call_timer_fn*", "__run_timer*", "run_timer*", "expire_timers*",
	"tasklet_action*", "generic_smp_call*", "__flush_smp_call*", "flush_smp_call*", "net_rx_action*", "el1_interrupt*", "el1h_64_irq*", "el0_interrupt*",
	"__traceiter_*", "schedule*", "__schedule*", "preempt_schedule*", NULL,
};

const struct measure measure_irq = {
	MEASURE_HERE,
	.name = "irq",
	.noun = "irqs",
	.event = "irq_handler_entry, softirq_entry, irq_vectors",
	.shape = MEASURE_SHAPE_SPAN,
	.kernel_stacks = true,
	.of_cpus = true,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_VECTOR,
	.kept = IRQ_LABEL_VECTOR,
	.sums = {[IRQ_SUM_OWN] = {.name = "own_ns", .title = "Own", .type = VALUE_NS,
				  .help = "of the total: time that it took from who was interrupted, without what "
					  "came within it; none of works and of what was late"}},
	.ratios = {{.name = "queued_ns", .title = "Queued", .type = VALUE_NS, .of = IRQ_SUM_QUEUED_NS,
		    .in = IRQ_SUM_QUEUED,
		    .help = "from when a softirq was raised, or a work queued, until it began; mean"}},
	.innermost = entries,
	.sort = "own_ns",
	.narrow = "rate total_ns own_ns wall_pct max_ns kind vector cpu cause comm",
	.drills = (const u32[]){1u << BY_CPU | 1u << BY_CAUSE, 1u << BY_TID, 1u << BY_STACK, 0},
	.optional = "irq_tasklet_begins irq_tasklet_ends irq_call_begins irq_call_ends irq_sent irq_switch_wanted",
	.unseen = "a time has that of what comes within it, own times have not; NMIs are not seen",
};
