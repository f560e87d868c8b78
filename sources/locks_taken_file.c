// SPDX-License-Identifier: GPL-2.0-only
#include "sources/locks_taken_file.h"

#include <string.h>

#include "bpf/locks.h"
#include "sources/uprobe.h"

#define MUTEX(call)	  TAKEN_COOKIE(call, TAKEN_MUTEX_OWNER, 0)
#define WRITER(call)	  TAKEN_COOKIE(call, TAKEN_RWLOCK_OWNER, TAKEN_RWLOCK)
#define READER(call)	  TAKEN_COOKIE(call, 0, TAKEN_RWLOCK | TAKEN_UNNAMED)
#define MUSL_MUTEX(call)  TAKEN_COOKIE(call, TAKEN_MUSL_OWNER, TAKEN_MUSL)
#define MUSL_RWLOCK(call) TAKEN_COOKIE(call, 0, TAKEN_MUSL | TAKEN_RWLOCK | TAKEN_UNNAMED)

/* C11's mtx_lock and those of C++ end in these. */
#define FUNCTIONS(_)                                                                                                   \
	_("pthread_mutex_lock", MUTEX(TAKEN_LOCK))                                                                     \
	_("pthread_mutex_trylock", MUTEX(TAKEN_TRY))                                                                   \
	_("pthread_mutex_timedlock", MUTEX(TAKEN_TRY))                                                                 \
	_("pthread_mutex_clocklock", MUTEX(TAKEN_TRY))                                                                 \
	_("pthread_mutex_init", MUTEX(TAKEN_ANEW))                                                                     \
	_("pthread_mutex_destroy", MUTEX(TAKEN_ANEW))                                                                  \
	_("mtx_init", MUTEX(TAKEN_ANEW))                                                                               \
	_("mtx_destroy", MUTEX(TAKEN_ANEW))                                                                            \
	_("pthread_cond_wait", MUTEX(TAKEN_CONDITION))                                                                 \
	_("pthread_cond_timedwait", MUTEX(TAKEN_CONDITION))                                                            \
	_("pthread_cond_clockwait", MUTEX(TAKEN_CONDITION))                                                            \
	_("pthread_rwlock_rdlock", READER(TAKEN_READ))                                                                 \
	_("pthread_rwlock_wrlock", WRITER(TAKEN_LOCK))                                                                 \
	_("pthread_rwlock_trywrlock", WRITER(TAKEN_TRY))                                                               \
	_("pthread_rwlock_timedwrlock", WRITER(TAKEN_TRY))                                                             \
	_("pthread_rwlock_clockwrlock", WRITER(TAKEN_TRY))                                                             \
	_("pthread_rwlock_unlock", READER(TAKEN_RELEASE))                                                              \
	_("pthread_rwlock_init", WRITER(TAKEN_ANEW))                                                                   \
	_("pthread_rwlock_destroy", WRITER(TAKEN_ANEW))

/* Waits for a condition let go of the mutex, and take it again, by these. */
#define MUSL_FUNCTIONS(_)                                                                                              \
	_("pthread_mutex_lock", MUSL_MUTEX(TAKEN_LOCK))                                                                \
	_("pthread_mutex_trylock", MUSL_MUTEX(TAKEN_TRY))                                                              \
	_("pthread_mutex_timedlock", MUSL_MUTEX(TAKEN_TRY))                                                            \
	_("pthread_mutex_unlock", MUSL_MUTEX(TAKEN_RELEASE))                                                           \
	_("pthread_mutex_init", MUSL_MUTEX(TAKEN_ANEW))                                                                \
	_("pthread_mutex_destroy", MUSL_MUTEX(TAKEN_ANEW))                                                             \
	_("mtx_lock", MUSL_MUTEX(TAKEN_LOCK))                                                                          \
	_("mtx_init", MUSL_MUTEX(TAKEN_ANEW))                                                                          \
	_("mtx_destroy", MUSL_MUTEX(TAKEN_ANEW))                                                                       \
	_("pthread_rwlock_rdlock", MUSL_RWLOCK(TAKEN_READ))                                                            \
	_("pthread_rwlock_wrlock", MUSL_RWLOCK(TAKEN_LOCK))                                                            \
	_("pthread_rwlock_unlock", MUSL_RWLOCK(TAKEN_RELEASE))                                                         \
	_("pthread_rwlock_init", MUSL_RWLOCK(TAKEN_ANEW))                                                              \
	_("pthread_rwlock_destroy", MUSL_RWLOCK(TAKEN_ANEW))

#define NAME(name, cookie)   name,
#define COOKIE(name, cookie) cookie,
static const char *const glibc_names[] = {FUNCTIONS(NAME)}, *const musl_names[] = {MUSL_FUNCTIONS(NAME)};
static const u64 glibc_cookies[] = {FUNCTIONS(COOKIE)}, musl_cookies[] = {MUSL_FUNCTIONS(COOKIE)};
#undef NAME
#undef COOKIE

struct looking {
	struct taken_file *file;
	const u64 *cookies; /* by name */
};

/* Several names, and both tables of symbols, may have one place. */
static void found(void *ctx, u32 name, u64 offset)
{
	const struct looking *l = ctx;
	struct taken_file *f = l->file;

	for (u32 i = 0; i < f->n; i++)
		if (f->offsets[i] == offset)
			return;
	if (f->n == TAKEN_FUNCTIONS)
		return;
	f->offsets[f->n] = offset;
	f->cookies[f->n++] = l->cookies[name];
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
	bool musl = is_musl(path, base);
	struct looking l = {f, musl ? musl_cookies : glibc_cookies};

	f->n = 0;
	if (uprobe__each(path, musl ? musl_names : glibc_names,
			 musl ? ARRAY_SIZE(musl_names) : ARRAY_SIZE(glibc_names), found, &l) ||
	    only_forwards(path, base))
		f->n = 0;
}
