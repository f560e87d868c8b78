// SPDX-License-Identifier: GPL-2.0-only
/* Functions that take locks in this program's own C library, and where its locks say whose they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

#include "bpf/locks.h"
#include "sources/locks_taken_file.h"
#include "sources/uprobe.h"

static void locks_say_whose_they_are(void **state)
{
	(void)state;
	assert_int_equal(offsetof(pthread_mutex_t, __data.__owner), TAKEN_MUTEX_OWNER);
	assert_int_equal(offsetof(pthread_mutex_t, __data.__kind), 16);
	assert_int_equal(offsetof(pthread_rwlock_t, __data.__cur_writer), TAKEN_RWLOCK_OWNER);
	assert_int_equal(offsetof(pthread_rwlock_t, __data.__shared), 28);
}

static const char *library(void)
{
	static char path[512];

	if (!uprobe__find_file("libc.so.6", path, sizeof(path))) {
		print_message("skip: no libc.so.6 where linkers look\n");
		skip();
	}
	return path;
}

static u32 calls_of(const struct taken_file *f, u64 call)
{
	u32 n = 0;

	for (u32 i = 0; i < f->n; i++)
		n += (f->cookies[i] & TAKEN_CALL_MASK) == call;
	return n;
}

static void functions_of_the_library_are_found(void **state)
{
	struct taken_file f = {0};
	u64 offset;

	(void)state;
	taken_file__look(&f, library(), library());
	assert_int_equal(calls_of(&f, TAKEN_LOCK), 2); /* of a mutex, of a rwlock */
	assert_int_equal(calls_of(&f, TAKEN_READ), 1);
	assert_int_equal(calls_of(&f, TAKEN_RELEASE), 1); /* of a rwlock: mutexes have an owner's number */
	assert_true(calls_of(&f, TAKEN_CONDITION) >= 3); /* and older versions */
	assert_int_equal(uprobe__offset(library(), "pthread_mutex_lock", &offset), 0);
	for (u32 i = 0; i < f.n; i++)
		if (f.offsets[i] == offset)
			assert_int_equal(f.cookies[i], TAKEN_COOKIE(TAKEN_LOCK, TAKEN_MUTEX_OWNER, 0));
}

static void functions_of_musl_are_found(void **state)
{
	struct taken_file f = {0};

	(void)state;
	taken_file__look(&f, library(), "/lib/ld-musl-x86_64.so.1");
	assert_int_equal(calls_of(&f, TAKEN_RELEASE), 2); /* plain mutexes, too, do not say whose they are */
	assert_int_equal(calls_of(&f, TAKEN_CONDITION), 0);
	for (u32 i = 0; i < f.n; i++)
		assert_true(f.cookies[i] & TAKEN_MUSL);
}

static void others_have_none(void **state)
{
	struct taken_file f = {0};

	(void)state;
	taken_file__look(&f, "/proc/version", "version");
	assert_int_equal(f.n, 0);
	assert_int_equal(calls_of(&f, TAKEN_LOCK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks_say_whose_they_are),
		cmocka_unit_test(functions_of_the_library_are_found),
		cmocka_unit_test(functions_of_musl_are_found),
		cmocka_unit_test(others_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
