// SPDX-License-Identifier: GPL-2.0-only
#include "sources/locks_taken_file.h"

#include <string.h>

#include "bpf/locks.h"
#include "sources/uprobe.h"

#define OF_MUTEX(call)	TAKEN_COOKIE(call, TAKEN_MUTEX_OWNER)
#define OF_RWLOCK(call) TAKEN_COOKIE(call, TAKEN_RWLOCK_OWNER)

/* C11's mtx_lock and those of C++ end in these. */
#define FUNCTIONS(_)                                                                                                   \
	_("pthread_mutex_lock", OF_MUTEX(TAKEN_LOCK))                                                                  \
	_("pthread_mutex_trylock", OF_MUTEX(TAKEN_TRY))                                                                \
	_("pthread_mutex_timedlock", OF_MUTEX(TAKEN_TRY))                                                              \
	_("pthread_mutex_clocklock", OF_MUTEX(TAKEN_TRY))                                                              \
	_("pthread_mutex_init", OF_MUTEX(TAKEN_ANEW))                                                                  \
	_("pthread_mutex_destroy", OF_MUTEX(TAKEN_ANEW))                                                               \
	_("mtx_init", OF_MUTEX(TAKEN_ANEW))                                                                            \
	_("mtx_destroy", OF_MUTEX(TAKEN_ANEW))                                                                         \
	_("pthread_cond_wait", OF_MUTEX(TAKEN_CONDITION))                                                              \
	_("pthread_cond_timedwait", OF_MUTEX(TAKEN_CONDITION))                                                         \
	_("pthread_cond_clockwait", OF_MUTEX(TAKEN_CONDITION))                                                         \
	_("pthread_rwlock_rdlock", OF_RWLOCK(TAKEN_READ))                                                              \
	_("pthread_rwlock_wrlock", OF_RWLOCK(TAKEN_LOCK))                                                              \
	_("pthread_rwlock_trywrlock", OF_RWLOCK(TAKEN_TRY))                                                            \
	_("pthread_rwlock_timedwrlock", OF_RWLOCK(TAKEN_TRY))                                                          \
	_("pthread_rwlock_clockwrlock", OF_RWLOCK(TAKEN_TRY))                                                          \
	_("pthread_rwlock_init", OF_RWLOCK(TAKEN_ANEW))                                                                \
	_("pthread_rwlock_destroy", OF_RWLOCK(TAKEN_ANEW))

#define NAME(name, cookie)   name,
#define COOKIE(name, cookie) cookie,
static const char *const names[] = {FUNCTIONS(NAME)};
static const u64 cookies[] = {FUNCTIONS(COOKIE)};
#undef NAME
#undef COOKIE

/* Several names, and both tables of symbols, may have one place. */
static void found(void *ctx, u32 name, u64 offset)
{
	struct taken_file *f = ctx;

	for (u32 i = 0; i < f->n; i++)
		if (f->offsets[i] == offset)
			return;
	if (f->n == TAKEN_FUNCTIONS)
		return;
	f->offsets[f->n] = offset;
	f->cookies[f->n++] = cookies[name];
}

/* Before 2.34 libc had functions that did nothing but call those of libpthread. */
static bool only_forwards(const char *path, const char *base)
{
	u64 offset;

	return !strncmp(base, "libc-2.", 7) && uprobe__offset(path, "pthread_mutex_timedlock", &offset);
}

static bool is_musl(const char *path, const char *base)
{
	u64 offset;

	return !strncmp(base, "ld-musl", 7) || !strncmp(base, "libc.musl", 9) || !strcmp(base, "libc.so") ||
	       !uprobe__offset(path, "__init_libc", &offset);
}

void taken_file__look(struct taken_file *f, const char *path, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;

	f->n = 0;
	if (uprobe__each(path, names, ARRAY_SIZE(names), found, f) || !f->n)
		return;
	if (only_forwards(path, base) || is_musl(path, base))
		f->n = 0;
}
