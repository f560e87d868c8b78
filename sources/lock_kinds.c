// SPDX-License-Identifier: GPL-2.0-only
#include "sources/lock_kinds.h"

#include <errno.h>
#include <linux/futex.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

const char *const lock_kind_names[LOCK_KINDS] = {
	[LOCK_KIND_NONE] = "futex",
	[LOCK_KIND_MUTEX] = "mutex",
	[LOCK_KIND_RWLOCK] = "rwlock",
	[LOCK_KIND_CONDITION] = "condition",
	[LOCK_KIND_SEMAPHORE] = "semaphore",
	[LOCK_KIND_FUTEX] = "futex",
	[LOCK_KIND_KERNEL] = "kernel",
};

/* Those that begin so, leading underscores left out; the first that fits. */
static const struct {
	const char *name;
	enum lock_kind kind;
} begins[] = {
	{"pthread_cond_", LOCK_KIND_CONDITION},
	{"pthread_rwlock_", LOCK_KIND_RWLOCK},
	{"pthread_mutex_", LOCK_KIND_MUTEX},
	{"pthread_join", LOCK_KIND_FUTEX},
	{"pthread_clockjoin", LOCK_KIND_FUTEX},
	{"pthread_barrier_", LOCK_KIND_FUTEX},
	{"pthread_once", LOCK_KIND_FUTEX},
	{"lll_lock_", LOCK_KIND_MUTEX},
	{"sem_wait", LOCK_KIND_SEMAPHORE},
	{"sem_timedwait", LOCK_KIND_SEMAPHORE},
	{"sem_clockwait", LOCK_KIND_SEMAPHORE},
	{"new_sem_wait", LOCK_KIND_SEMAPHORE},
	{"std::condition_variable", LOCK_KIND_CONDITION},
	{"std::counting_semaphore", LOCK_KIND_SEMAPHORE},
	{"cnd_", LOCK_KIND_CONDITION},
	{"mtx_", LOCK_KIND_MUTEX},
	{"g_cond_", LOCK_KIND_CONDITION},
	{"g_mutex_", LOCK_KIND_MUTEX},
	{"runtime.lock", LOCK_KIND_MUTEX},
	{"runtime.note", LOCK_KIND_CONDITION},
	{"runtime.mPark", LOCK_KIND_CONDITION},
	{"Parker::park", LOCK_KIND_CONDITION},
	{"Unsafe_Park", LOCK_KIND_CONDITION},
};

/* Those that have it somewhere: of Rust, whose names begin with a crate. */
static const struct {
	const char *name;
	enum lock_kind kind;
} holds[] = {
	{"Condvar", LOCK_KIND_CONDITION}, {"condvar", LOCK_KIND_CONDITION},
	{"RwLock", LOCK_KIND_RWLOCK},	  {"rwlock", LOCK_KIND_RWLOCK},
	{"raw_rwlock", LOCK_KIND_RWLOCK}, {"mutex::futex", LOCK_KIND_MUTEX},
	{"Mutex::lock", LOCK_KIND_MUTEX}, {"raw_mutex", LOCK_KIND_MUTEX},
	{"::park", LOCK_KIND_CONDITION},
};

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* Without what the C library puts before names that are its own. */
static const char *plain(const char *name)
{
	name += strspn(name, "_");
	if (starts(name, "GI_"))
		name += 3;
	return name + strspn(name, "_");
}

enum lock_kind lock_kind__of_function(const char *name)
{
	name = plain(name);
	for (u32 i = 0; i < ARRAY_SIZE(begins); i++)
		if (starts(name, begins[i].name))
			return begins[i].kind;
	if (!strstr(name, "::"))
		return LOCK_KIND_NONE;
	for (u32 i = 0; i < ARRAY_SIZE(holds); i++)
		if (strstr(name, holds[i].name))
			return holds[i].kind;
	return LOCK_KIND_NONE;
}

/* The C library's simple locks wait by the plain call for their word to be no 2 any more, musl's mutexes
 * for it not to say busy; the kernel itself hands on what inherits priorities. */
enum lock_kind lock_kind__of_call(u32 op, u32 value)
{
	if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2 || (op == FUTEX_WAIT && value == 2))
		return LOCK_KIND_MUTEX;
	if (op == FUTEX_WAIT && value == (FUTEX_WAITERS | EBUSY))
		return LOCK_KIND_MUTEX;
	return LOCK_KIND_NONE;
}

bool lock_kind__parks(const char *name)
{
	return strstr(name, "parking_lot") != NULL;
}

bool lock_kind__is_library(const char *name)
{
	static const char *const others[] = {"futex",	 "syscall",  "sem_",  "new_sem_",
					     "lll_",	 "pthread_", "std::", "old_sem_", "clone",
					     "runtime.futex", "parking_lot", "lock_api"};

	name = plain(name);
	if (lock_kind__of_function(name))
		return true;
	for (u32 i = 0; i < ARRAY_SIZE(others); i++)
		if (starts(name, others[i]))
			return true;
	return false;
}

/* Of a condition variable and of a rwlock two words are waited on. */
u32 lock_kind__offset(enum lock_kind kind, u64 address)
{
	if (kind == LOCK_KIND_CONDITION)
		return 40 + (address & 4);
	if (kind == LOCK_KIND_RWLOCK)
		return 8 + (address & 4);
	return 0;
}
