// SPDX-License-Identifier: GPL-2.0-only
/* Virtual machines: why their virtual CPUs leave the guest, and for how long. */
#include "measures/kvm.h"

#include <stdio.h>

#include "samples/measure.h"

enum { BY_REASON, BY_ACCESS, BY_USER, BY_INJECTED, BY_PID, BY_TID, BY_COMM, BY_CGROUP, LABELS };

static const char *name_of(u32 isa, u32 number)
{
	static const struct {
		u32 isa, number;
		const char *name;
	} all[] = {
#define KVM_REASON(isa_, number_, name_) {KVM_##isa_, number_, name_},
#include "measures/kvm_reasons.def"
#undef KVM_REASON
	};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].isa == isa && all[i].number == number)
			return all[i].name;
	return NULL;
}

static const char *no_trap_name(u32 number)
{
	static const char *const names[] = {"IRQ", "SERROR", NULL, "IL"};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

/* Intel's upper half says how it came about, not why. */
#define VMX_NUMBER 0xffff

void kvm__reason_text(u64 reason, char *buf, size_t size)
{
	u32 isa = (u32)(reason >> 32), number = (u32)reason;
	const char *name;

	if (isa == KVM_VMX)
		number &= VMX_NUMBER;
	name = isa == KVM_ARM && number & KVM_ARM_NO_TRAP ? no_trap_name(number & ~KVM_ARM_NO_TRAP)
							  : name_of(isa, number);
	if (name)
		copy_str(buf, size, name);
	else
		snprintf(buf, size, "reason %#x", number);
}

static void access_text(u64 access, char *buf, size_t size)
{
	static const struct {
		const char *what, *read, *write;
	} kinds[KVM_ACCESSES] = {
		[KVM_PORT] = {"port", " in", " out"},
		[KVM_MMIO] = {"mmio", " read", " write"},
		[KVM_MSR] = {"msr", " read", " write"},
		[KVM_HYPERCALL] = {"hypercall", "", ""},
		[KVM_HYPERV_CALL] = {"Hyper-V call", "", ""},
		[KVM_XEN_CALL] = {"Xen call", "", ""},
	};
	u32 kind = (u32)(access >> KVM_ACCESS_SHIFT);

	if (kind && kind < KVM_ACCESSES)
		snprintf(buf, size, "%s %#llx%s", kinds[kind].what,
			 (unsigned long long)(access & (KVM_WRITE - 1)),
			 access & KVM_WRITE ? kinds[kind].write : kinds[kind].read);
	else
		copy_str(buf, size, "none");
}

static void user_text(u64 why, char *buf, size_t size)
{
	if (!why)
		copy_str(buf, size, "none");
	else if (why == KVM_USER_RESTART)
		copy_str(buf, size, "restart");
	else if (why == KVM_USER_ERROR)
		copy_str(buf, size, "error");
	else
		kvm__reason_text((u64)KVM_USER << 32 | (why - 1), buf, size);
}

static void injected_text(u64 injected, char *buf, size_t size)
{
	static const char *const exceptions[] = {
		"#DE", "#DB", "NMI", "#BP", "#OF", "#BR", "#UD", "#NM", "#DF", "#CSO", "#TS",
		"#NP", "#SS", "#GP", "#PF", "#15", "#MF", "#AC", "#MC", "#XM", "#VE",	"#CP",
	};
	u32 vector = injected & 0xff;

	if (injected & KVM_INTERRUPT)
		snprintf(buf, size, "irq %#x", vector);
	else if (!(injected & KVM_EXCEPTION))
		copy_str(buf, size, "none");
	else if (vector < ARRAY_SIZE(exceptions))
		copy_str(buf, size, exceptions[vector]);
	else
		snprintf(buf, size, "exception %u", vector);
}

/* The guest has nothing to do. */
static bool waits(const __u64 *words)
{
	static const char *const names[] = {"HLT", "hlt", "idle-halt", "WFx"};
	char name[32];

	kvm__reason_text(words[KVM_LABEL_REASON], name, sizeof(name));
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static const struct measure_label labels[LABELS] = {
	[BY_REASON] = {.name = "reason", .title = "Left for", .width = 22,
		       .help = "why the guest was left, as the kernel names it",
		       .word = KVM_LABEL_REASON, .bits = 64, .text = kvm__reason_text},
	[BY_ACCESS] = {.name = "access", .title = "Accessed", .width = 22, .word = KVM_LABEL_ACCESS, .bits = 64,
		       .text = access_text,
		       .help = "I/O port, memory-mapped I/O, MSR or hypercall that it was left for: the first one, "
			       "where there were several"},
	[BY_USER] = {.name = "userspace", .title = "User space", .width = 12, .word = KVM_LABEL_WITH,
		     .bits = KVM_USER_BITS, .text = user_text,
		     .help = "what user space had to do, as KVM_RUN returned it; restart: a signal came; none: the "
			     "kernel did it alone"},
	[BY_INJECTED] = {.name = "injected", .title = "Injected", .width = 10, .word = KVM_LABEL_WITH,
			 .shift = KVM_INJECTED_SHIFT, .bits = KVM_INJECTED_BITS, .text = injected_text,
			 .help = "interrupt or exception that the guest was entered with: the first one"},
	[BY_PID] = {PID_LABEL("process of the virtual machine")},
	[BY_TID] = {TID_LABEL("thread of the virtual CPU")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
};

const struct measure measure_kvm = {
	MEASURE_HERE,
	.name = "kvm",
	.noun = "exits",
	.event = "kvm:kvm_exit, kvm:kvm_entry",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_REASON,
	.sums = {[KVM_SUM_KERNEL] = {.name = "kernel_ns", .title = "Kernel", .type = VALUE_NS,
				     .help = "of the total: in the kernel, waiting there included"},
		 [KVM_SUM_USER] = {.name = "user_ns", .title = "User", .type = VALUE_NS,
				   .help = "of the total: in user space, between two calls of KVM_RUN"},
		 [KVM_SUM_GUEST] = {.name = "guest_ns", .title = "Guest", .type = VALUE_NS,
				    .help = "beside the total: in the guest before it was left"},
		 [KVM_SUM_INJECTED] = {.name = "injections", .title = "inject/s", .type = VALUE_COUNT,
				       .help = "interrupts and exceptions that were put into the guest"}},
	.waits = waits,
	.drills = (const u32[]){1u << BY_ACCESS | 1u << BY_PID, 1u << BY_TID, 0},
	.hint = "no virtual machine runs by KVM here, or the filter leaves it out",
	.optional = "kvm_asks_user kvm_user_done kvm_accesses_port kvm_accesses_mmio kvm_accesses_fast_mmio "
		    "kvm_accesses_msr kvm_calls kvm_calls_hyperv kvm_calls_xen kvm_injects_interrupt "
		    "kvm_injects_exception",
	.unseen = "not seen: what the CPU does without leaving the guest, such as interrupts that it delivers "
		  "itself (APICv, AVIC)",
};
