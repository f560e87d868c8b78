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
	(void)state;
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
	(void)state;
	assert_named(KVM_SVM, 0x78, "hlt");
	assert_named(KVM_SVM, 0x7b, "io");
	assert_named(KVM_SVM, 0x4e, "PF excp");
	assert_named(KVM_SVM, 0x400, "npf");
	assert_named(KVM_SVM, 0x80000001, "vmgexit_mmio_read");
	assert_named(KVM_SVM, 0xffffffff, "invalid_guest_state");
}

static void test_arm(void **state)
{
	(void)state;
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

	(void)state;
	assert_true(m->waits((const __u64[MEASURE_LABELS]){hlt}));
	assert_false(m->waits((const __u64[MEASURE_LABELS]){io}));
}

static bool read_format(const char *text, struct kvm_format *f)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	bool known;

	assert_non_null(file);
	known = kvm_format__read(file, f);
	fclose(file);
	return known;
}

static void test_formats(void **state)
{
	struct kvm_format f;

	(void)state;
	assert_true(read_format("name: kvm_exit\nID: 103\nformat:\n"
				"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				"\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n"
				"\tfield:unsigned long guest_rip;\toffset:16;\tsize:8;\tsigned:0;\n"
				"\tfield:u32 isa;\toffset:24;\tsize:4;\tsigned:0;\n\nprint fmt: \"x\"\n",
				&f));
	assert_int_equal(f.reason, 8);
	assert_int_equal(f.isa, 24);
	assert_int_equal(f.ret, KVM_NOWHERE);
	assert_true(read_format("\tfield:int ret;\toffset:8;\tsize:4;\tsigned:1;\n"
				"\tfield:unsigned int esr_ec;\toffset:12;\tsize:4;\tsigned:0;\n",
				&f));
	assert_int_equal(f.ret, 8);
	assert_int_equal(f.class, 12);
	assert_int_equal(f.isa, KVM_NOWHERE);
	assert_false(read_format("\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n;;;\n", &f));
	assert_false(read_format("nothing\n", &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intel), cmocka_unit_test(test_amd),
		cmocka_unit_test(test_arm),   cmocka_unit_test(test_waits),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
