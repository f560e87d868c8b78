// SPDX-License-Identifier: GPL-2.0-only
/* Names of system calls: those this test's own compiler knows, and that both ways agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "samples/syscall_names.h"

#define MANY 2000 /* more than any table has */

static void expect(u32 abi, u32 nr, const char *name)
{
	const char *got = syscall_name(abi, nr);

	if (!got)
		fail_msg("%u has no name", nr);
	assert_string_equal(got, name);
}

static void test_native(void **state)
{
	expect(SYSCALL_NATIVE, SYS_read, "read");
	expect(SYSCALL_NATIVE, SYS_openat, "openat");
	expect(SYSCALL_NATIVE, SYS_fcntl, "fcntl"); /* by another macro in some headers */
	expect(SYSCALL_NATIVE, SYS_lseek, "lseek");
	expect(SYSCALL_NATIVE, SYS_clone3, "clone3");
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "mmap"), SYS_mmap);
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "io_uring_enter"), SYS_io_uring_enter);
	expect(SYSCALL_NATIVE, 462, "mseal"); /* newer than the headers that there were first */
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "mseal"), 462);
}

static void test_unknown(void **state)
{
	assert_null(syscall_name(SYSCALL_NATIVE, MANY));
	assert_null(syscall_name(SYSCALL_NATIVE, UINT32_MAX));
	assert_null(syscall_name(SYSCALL_COMPAT, UINT32_MAX));
	assert_null(syscall_name(SYSCALL_ABIS, 0));
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, ""), -1);
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "reads"), -1);
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "syscalls"), -1); /* how many there are */
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "arch_specific_syscall"), -1);
	assert_int_equal(syscall_nr(SYSCALL_ABIS, "read"), -1);
}

#ifdef __x86_64__
static void test_compat(void **state)
{
	expect(SYSCALL_COMPAT, 0, "restart_syscall");
	expect(SYSCALL_COMPAT, 3, "read");
	expect(SYSCALL_COMPAT, 102, "socketcall");
	expect(SYSCALL_COMPAT, 295, "openat");
	assert_int_equal(syscall_nr(SYSCALL_COMPAT, "mmap2"), 192);
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "mmap2"), -1);
}

/* Most have the numbers of native calls, some have their own. */
static void test_x32(void **state)
{
	expect(SYSCALL_NATIVE, SYSCALL_X32 | 0, "read");
	expect(SYSCALL_NATIVE, SYSCALL_X32 | 520, "execve");
	assert_null(syscall_name(SYSCALL_NATIVE, 520));
	assert_null(syscall_name(SYSCALL_NATIVE, SYSCALL_X32 | 59)); /* execve of others */
	assert_null(syscall_name(SYSCALL_NATIVE, SYSCALL_X32 | MANY));
	assert_null(syscall_name(SYSCALL_COMPAT, SYSCALL_X32 | 3));
	assert_int_equal(syscall_nr(SYSCALL_NATIVE, "execve"), 59);
}
#else
static void test_compat(void **state)
{
	for (u32 nr = 0; nr < MANY; nr++)
		assert_null(syscall_name(SYSCALL_COMPAT, nr));
	assert_int_equal(syscall_nr(SYSCALL_COMPAT, "read"), -1);
}

static void test_x32(void **state)
{
	assert_null(syscall_name(SYSCALL_NATIVE, SYSCALL_X32 | SYS_read));
}
#endif

static void test_both_ways(void **state)
{
	for (u32 abi = 0; abi < SYSCALL_ABIS; abi++) {
		u32 n = 0;

		for (u32 nr = 0; nr < MANY; nr++) {
			const char *name = syscall_name(abi, nr);

			if (name && syscall_nr(abi, name) != (int)nr)
				fail_msg("%s has two numbers", name);
			n += name != NULL;
		}
		assert_true(n > 290 || abi == SYSCALL_COMPAT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_native),	  cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_compat),	  cmocka_unit_test(test_x32),
		cmocka_unit_test(test_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
