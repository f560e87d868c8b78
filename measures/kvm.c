// SPDX-License-Identifier: GPL-2.0-only
/* Virtual machines: why their virtual CPUs leave the guest, and for how long. */
#include "measures/kvm.h"

#include <stdio.h>

#include "samples/measure.h"

enum { BY_REASON, BY_PID, BY_TID, BY_COMM, BY_CGROUP, LABELS };

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
	[BY_PID] = {.name = "pid", .title = "PID", .kind = LABEL_PID,
		    .help = "process of the virtual machine"},
	[BY_TID] = {.name = "tid", .title = "TID", .kind = LABEL_TID,
		    .help = "thread of the virtual CPU"},
	[BY_COMM] = {.name = "comm", .title = "Command", .width = 15, .kind = LABEL_COMM,
		     .help = "name of the thread"},
	[BY_CGROUP] = {.name = "cgroup", .title = "Cgroup", .width = 16, .kind = LABEL_CGROUP,
		       .help = "cgroup v2, path below its mount point"},
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
	.waits = waits,
	.drills = (const u32[]){1u << BY_PID, 1u << BY_TID, 0},
};
