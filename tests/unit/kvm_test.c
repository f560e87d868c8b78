// SPDX-License-Identifier: GPL-2.0-only
/* Exits of virtual machines: names of reasons, and where the kernel's formats have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "measures/kvm.h"
#include "samples/measure.h"
#include "sources/kvm.h"

static void assert_named(enum kvm_isa isa, u32 number, const char *name)
{
	char text[64];

	kvm__reason_text((u64)isa << 32 | number, text, sizeof(text));
	assert_string_equal(text, name);
}

static void test_intel(void **state)
{
	assert_named(KVM_VMX, 0, "EXCEPTION_NMI");
	assert_named(KVM_VMX, 12, "HLT");
	assert_named(KVM_VMX, 30, "IO_INSTRUCTION");
	assert_named(KVM_VMX, 48, "EPT_VIOLATION");
	/* The upper bits say how it was left. */
	assert_named(KVM_VMX, 0x80000021, "INVALID_STATE");
	assert_named(KVM_VMX, 0xff0, "reason 0xff0");
}

static void test_amd(void **state)
{
	assert_named(KVM_SVM, 0x78, "hlt");
	assert_named(KVM_SVM, 0x7b, "io");
	assert_named(KVM_SVM, 0x4e, "PF excp");
	assert_named(KVM_SVM, 0x400, "npf");
	assert_named(KVM_SVM, 0x80000001, "vmgexit_mmio_read");
	assert_named(KVM_SVM, 0xffffffff, "invalid_guest_state");
}

static void test_arm(void **state)
{
	assert_named(KVM_ARM, 0x01, "WFx");
	assert_named(KVM_ARM, 0x24, "DABT_LOW");
	assert_named(KVM_ARM, KVM_ARM_NO_TRAP | 0, "IRQ");
	assert_named(KVM_ARM, KVM_ARM_NO_TRAP | 1, "SERROR");
	assert_named(KVM_ARM, KVM_ARM_NO_TRAP | 9, "reason 0x109");
}

static void test_waits(void **state)
{
	const struct measure *m = measure_table[MEASURE_KVM];
	u64 hlt = (u64)KVM_SVM << 32 | 0x78, io = (u64)KVM_SVM << 32 | 0x7b;

	assert_true(m->waits((const __u64[MEASURE_LABELS]){hlt}));
	assert_false(m->waits((const __u64[MEASURE_LABELS]){io}));
}

static void test_texts(void **state)
{
	static const struct {
		const char *label, *text;
		u64 value;
	} all[] = {
		{"access", "none", 0},
		{"access", "port 0x3f8 out", (u64)KVM_PORT << KVM_ACCESS_SHIFT | KVM_WRITE | 0x3f8},
		{"access", "port 0x64 in", (u64)KVM_PORT << KVM_ACCESS_SHIFT | 0x64},
		{"access", "mmio 0xfee000b0 write", (u64)KVM_MMIO << KVM_ACCESS_SHIFT | KVM_WRITE | 0xfee000b0},
		{"access", "msr 0xc0000080 read", (u64)KVM_MSR << KVM_ACCESS_SHIFT | 0xc0000080},
		{"access", "hypercall 0x5", (u64)KVM_HYPERCALL << KVM_ACCESS_SHIFT | 5},
		{"userspace", "none", 0},
		{"userspace", "IO", 3},
		{"userspace", "MMIO", 7},
		{"userspace", "MEMORY_FAULT", 40},
		{"userspace", "restart", KVM_USER_RESTART},
		{"userspace", "error", KVM_USER_ERROR},
		{"userspace", "reason 0x200", 0x201},
		{"injected", "none", 0},
		{"injected", "irq 0x20", KVM_INTERRUPT | 0x20},
		{"injected", "#PF", KVM_EXCEPTION | 14},
		{"injected", "exception 30", KVM_EXCEPTION | 30},
	};
	const struct measure *m = measure_table[MEASURE_KVM];
	char text[64];

	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		m->labels[measure__label(m, all[i].label)].text(all[i].value, text, sizeof(text));
		assert_string_equal(text, all[i].text);
	}
}

#define EVENT(name) "name: " name "\nID: 103\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define END "\nprint fmt: \"x\"\n"

static void test_fields(void **state)
{
	u32 at[KVM_FIELDS] = {0};

	kvm_fields__read("kvm_exit",
			 EVENT("kvm_exit") "\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n"
			 "\tfield:unsigned long guest_rip;\toffset:16;\tsize:8;\tsigned:0;\n"
			 "\tfield:u32 isa;\toffset:24;\tsize:4;\tsigned:0;\n" END, at);
	assert_int_equal(at[KVM_EXIT_REASON], 8 | 4 << KVM_SIZE_SHIFT);
	assert_int_equal(at[KVM_EXIT_ISA], 24 | 4 << KVM_SIZE_SHIFT);
	assert_int_equal(at[KVM_EXIT_RET], KVM_NOWHERE);
	assert_true(kvm_fields__have_reason(at));
	kvm_fields__read("kvm_inj_virq",
			 EVENT("kvm_inj_virq") "\tfield:unsigned int irq;\toffset:8;\tsize:4;\tsigned:0;\n" END,
			 at);
	assert_int_equal(at[KVM_INTERRUPT_VECTOR], 8 | 4 << KVM_SIZE_SHIFT);
	kvm_fields__read("kvm_exit",
			 EVENT("kvm_exit") "\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n"
			 "\tfield:unsigned int esr_ec;\toffset:12;\tsize:4;\tsigned:0;\n" END, at);
	assert_int_equal(at[KVM_EXIT_CLASS], 12 | 4 << KVM_SIZE_SHIFT);
	assert_int_equal(at[KVM_EXIT_ISA], KVM_NOWHERE);
	assert_true(kvm_fields__have_reason(at));
	kvm_fields__read("kvm_exit", EVENT("kvm_exit") END, at);
	assert_false(kvm_fields__have_reason(at));
	kvm_fields__read("kvm_exit", "nothing\n", at);
	assert_false(kvm_fields__have_reason(at));
	/* Those of other events stay. */
	assert_int_equal(at[KVM_INTERRUPT_VECTOR], 8 | 4 << KVM_SIZE_SHIFT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intel), cmocka_unit_test(test_amd),
		cmocka_unit_test(test_arm),   cmocka_unit_test(test_waits),
		cmocka_unit_test(test_texts), cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
