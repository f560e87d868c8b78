// SPDX-License-Identifier: GPL-2.0-only
/* Places of MariaDB's numbers of rows, in the code of its functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sources/mariadb_rows.h"

/* add 0x3b98(%rdi),%rsi; mov %rsi,0x3b98(%rdi) */
static const u8 adds[] = {0x48, 0x03, 0xb7, 0x98, 0x3b, 0x00, 0x00, 0x48, 0x89, 0xb7, 0x98, 0x3b, 0x00, 0x00};
/* push %rbp; mov %rsp,%rbp; call; pop %rbp; mov 0x3b88(%rax),%rax; ret */
static const u8 reads[] = {0x55, 0x48, 0x89, 0xe5, 0xe8, 0x67, 0x48, 0xc5, 0xff, 0x5d,
			   0x48, 0x8b, 0x80, 0x88, 0x3b, 0x00, 0x00, 0xc3};

static void places_are_those_of_the_instructions(void **state)
{
	(void)state;
#if defined(__x86_64__)
	assert_int_equal(mariadb_rows__sent(adds, sizeof(adds)), 0x3b98);
	assert_int_equal(mariadb_rows__changed(reads, sizeof(reads)), 0x3b88);
#else
	assert_int_equal(mariadb_rows__sent(adds, sizeof(adds)), 0);
#endif
}

static void other_code_tells_nothing(void **state)
{
	const u8 far[] = {0x48, 0x03, 0xb7, 0x98, 0x3b, 0x01, 0x00}, odd[] = {0x48, 0x03, 0xb7, 0x99, 0x3b, 0x00, 0x00};

	(void)state;
	assert_int_equal(mariadb_rows__sent(reads, sizeof(reads)), 0);
	assert_int_equal(mariadb_rows__sent(adds + 1, sizeof(adds) - 1), 0);
	assert_int_equal(mariadb_rows__changed(adds, sizeof(adds)), 0);
	assert_int_equal(mariadb_rows__changed(reads, 16), 0); /* it ends before the offset does */
	assert_int_equal(mariadb_rows__sent(far, sizeof(far)), 0);
	assert_int_equal(mariadb_rows__sent(odd, sizeof(odd)), 0);
}

static void other_programs_have_no_rows(void **state)
{
	struct mariadb_rows rows = mariadb_rows__find("/proc/self/exe");

	(void)state;
	assert_int_equal(rows.sent + rows.changed, 0);
	rows = mariadb_rows__find("/no/such");
	assert_int_equal(rows.sent + rows.changed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_those_of_the_instructions),
		cmocka_unit_test(other_code_tells_nothing),
		cmocka_unit_test(other_programs_have_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
