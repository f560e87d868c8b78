// SPDX-License-Identifier: GPL-2.0-only
/* What kind a lock is, by functions and by calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/futex.h>

#include "sources/lock_kinds.h"

static void functions_tell(void **state)
{
	static const struct {
		const char *name;
		enum lock_kind kind;
	} all[] = {
		{"pthread_mutex_lock", LOCK_KIND_MUTEX},
		{"__GI___pthread_mutex_lock", LOCK_KIND_MUTEX},
		{"___pthread_mutex_lock", LOCK_KIND_MUTEX},
		{"pthread_mutex_timedlock", LOCK_KIND_MUTEX},
		{"__pthread_cond_wait", LOCK_KIND_CONDITION},
		{"pthread_cond_timedwait", LOCK_KIND_CONDITION},
		{"pthread_rwlock_rdlock", LOCK_KIND_RWLOCK},
		{"__new_sem_wait_slow64.constprop.0", LOCK_KIND_SEMAPHORE},
		{"sem_timedwait", LOCK_KIND_SEMAPHORE},
		{"pthread_join", LOCK_KIND_FUTEX},
		{"runtime.lock2", LOCK_KIND_MUTEX},
		{"runtime.notesleep", LOCK_KIND_CONDITION},
		{"<std::sys::sync::mutex::futex::Mutex>::lock_contended", LOCK_KIND_MUTEX},
		{"<std::sys::sync::condvar::futex::Condvar>::wait", LOCK_KIND_CONDITION},
		{"<parking_lot::raw_rwlock::RawRwLock>::lock_shared_slow", LOCK_KIND_RWLOCK},
		{"std::condition_variable::wait(std::unique_lock<std::mutex>&)", LOCK_KIND_CONDITION},
		{"syscall", LOCK_KIND_NONE},
		{"my_rwlock", LOCK_KIND_NONE},
		{"main", LOCK_KIND_NONE},
	};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (lock_kind__of_function(all[i].name) != all[i].kind)
			fail_msg("%s: %d", all[i].name, lock_kind__of_function(all[i].name));
}

static void calls_tell(void **state)
{
	assert_int_equal(lock_kind__of_call(FUTEX_WAIT, 2), LOCK_KIND_MUTEX);
	assert_int_equal(lock_kind__of_call(FUTEX_LOCK_PI, 0), LOCK_KIND_MUTEX);
	assert_int_equal(lock_kind__of_call(FUTEX_WAIT_BITSET, 2), LOCK_KIND_NONE);
	assert_int_equal(lock_kind__of_call(FUTEX_WAIT, 0), LOCK_KIND_NONE);
	assert_int_equal(lock_kind__of_call(FUTEX_WAIT, 0x80000010), LOCK_KIND_MUTEX); /* musl */
}

static void libraries_are_passed_over(void **state)
{
	assert_true(lock_kind__is_library("pthread_mutex_unlock"));
	assert_true(lock_kind__is_library("__lll_lock_wake"));
	assert_true(lock_kind__is_library("sem_post"));
	assert_true(lock_kind__is_library("__GI___pthread_mutex_unlock_usercnt"));
	assert_true(lock_kind__is_library("parking_lot::condvar::Condvar::wait"));
	assert_true(lock_kind__parks("parking_lot::raw_mutex::RawMutex::lock_slow"));
	assert_false(lock_kind__parks("std::sys::sync::mutex::futex::Mutex::lock_contended"));
	assert_false(lock_kind__is_library("holds_here"));
}

/* Both words of a condition variable, and of a rwlock, lead to its begin. */
static void words_lie_within_locks(void **state)
{
	const u64 cond = 0x1000, rwlock = 0x2000;

	assert_int_equal(cond + 40 - lock_kind__offset(LOCK_KIND_CONDITION, cond + 40), cond);
	assert_int_equal(cond + 44 - lock_kind__offset(LOCK_KIND_CONDITION, cond + 44), cond);
	assert_int_equal(rwlock + 8 - lock_kind__offset(LOCK_KIND_RWLOCK, rwlock + 8), rwlock);
	assert_int_equal(rwlock + 12 - lock_kind__offset(LOCK_KIND_RWLOCK, rwlock + 12), rwlock);
	assert_int_equal(lock_kind__offset(LOCK_KIND_MUTEX, 0x3004), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_tell),
		cmocka_unit_test(calls_tell),
		cmocka_unit_test(libraries_are_passed_over),
		cmocka_unit_test(words_lie_within_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
