// SPDX-License-Identifier: GPL-2.0-only
#include "sources/heap_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bpf/heap.h"
#include "sources/uprobe.h"

struct function {
	const char *name;
	u32 call; /* enum heap_call; 0 for those that free */
};

/* Prefixes are those of jemalloc (the second as Rust links it), tcmalloc and mimalloc, where they do
 * not take malloc's place. */
#define JEMALLOC(name, call) {name, call}, {"je_" name, call}, {"_rjem_" name, call}
#define ALL(name, call)	     JEMALLOC(name, call), {"tc_" name, call}, {"mi_" name, call}

static const struct function calls[] = {
	ALL("malloc", HEAP_MALLOC | HEAP_CALL_ALONE),
	ALL("calloc", HEAP_CALLOC),
	ALL("realloc", HEAP_REALLOC),
	ALL("reallocarray", HEAP_REALLOCARRAY),
	ALL("memalign", HEAP_ALIGNED),
	ALL("aligned_alloc", HEAP_ALIGNED),
	ALL("posix_memalign", HEAP_POSIX_MEMALIGN),
	ALL("valloc", HEAP_MALLOC),
	ALL("pvalloc", HEAP_MALLOC),
	/* These have flags or the alignment behind. */
	JEMALLOC("mallocx", HEAP_MALLOC),
	JEMALLOC("rallocx", HEAP_REALLOC),
	{"mi_malloc_small", HEAP_MALLOC},
	{"mi_malloc_aligned", HEAP_MALLOC},
	{"mi_zalloc", HEAP_MALLOC},
	{"mi_zalloc_small", HEAP_MALLOC},
	{"mi_zalloc_aligned", HEAP_MALLOC},
	{"mi_calloc_aligned", HEAP_CALLOC},
	{"mi_realloc_aligned", HEAP_REALLOC},
};

static const struct function frees[] = {
	ALL("free", 0),
	ALL("cfree", 0),
	JEMALLOC("dallocx", 0),
	JEMALLOC("sdallocx", 0),
	{"tc_free_sized", 0},
	{"mi_free_size", 0},
	{"mi_free_aligned", 0},
	{"mi_free_size_aligned", 0},
};

/* operator new and delete: plain, of arrays, not throwing, aligned, and those that are told the size. */
static const struct function news[] = {
	{"_Znwm", HEAP_NEW},
	{"_Znam", HEAP_NEW},
	{"_ZnwmRKSt9nothrow_t", HEAP_NEW},
	{"_ZnamRKSt9nothrow_t", HEAP_NEW},
	{"_ZnwmSt11align_val_t", HEAP_NEW},
	{"_ZnamSt11align_val_t", HEAP_NEW},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", HEAP_NEW},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", HEAP_NEW},
};

static const struct function deletes[] = {
	{"_ZdlPv", 0},
	{"_ZdaPv", 0},
	{"_ZdlPvm", 0},
	{"_ZdaPvm", 0},
	{"_ZdlPvRKSt9nothrow_t", 0},
	{"_ZdaPvRKSt9nothrow_t", 0},
	{"_ZdlPvSt11align_val_t", 0},
	{"_ZdaPvSt11align_val_t", 0},
	{"_ZdlPvmSt11align_val_t", 0},
	{"_ZdaPvmSt11align_val_t", 0},
	{"_ZdlPvSt11align_val_tRKSt9nothrow_t", 0},
	{"_ZdaPvSt11align_val_tRKSt9nothrow_t", 0},
};

#define FUNCTIONS_MAX 64
_Static_assert(ARRAY_SIZE(calls) <= FUNCTIONS_MAX, "functions that are looked for at once");

static bool has(const u64 *v, u32 n, u64 x)
{
	for (u32 i = 0; i < n; i++)
		if (v[i] == x)
			return true;
	return false;
}

/* The kernel emulates a push, but steps over other instructions, which is a second trap: a probe is
 * put on the push behind what a free on x86 often begins with, "test %rdi,%rdi; je", where the
 * address is still in its register and is not NULL. */
static u64 behind_test(const char *path, u64 offset)
{
	static const u8 test[] = {0x48, 0x85, 0xff};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	u8 code[16] = {0};
	u32 at = 0;

	if (fd < 0)
		return offset;
	if (pread(fd, code, sizeof(code), (off_t)offset) == sizeof(code) &&
	    !memcmp(code, test, sizeof(test)))
		at = code[3] == 0x74 ? 5 : code[3] == 0x0f && code[4] == 0x84 ? 9 : 0;
	close(fd);
	return at && (code[at] & 0xf8) == 0x50 ? offset + at : offset;
}

/* Two names of one function are one. */
static void add_call(struct heap_file *f, u64 offset, u64 cookie)
{
	if (!offset || f->ncalls == HEAP_FILE_CALLS || has(f->calls, f->ncalls, offset))
		return;
	f->calls[f->ncalls] = offset;
	f->cookies[f->ncalls++] = cookie;
}

static void add_free(struct heap_file *f, u64 offset)
{
	if (offset && f->nfrees < HEAP_FILE_FREES && !has(f->frees, f->nfrees, offset))
		f->frees[f->nfrees++] = offset;
}

/* Where those functions are, 0 where the file does not have one. False: it cannot be read. */
static bool find(const char *path, const struct function *functions, u32 n, u64 *where)
{
	const char *names[FUNCTIONS_MAX];

	for (u32 i = 0; i < n; i++)
		names[i] = functions[i].name;
	return !uprobe__offsets(path, names, n, where);
}

static void add_calls(struct heap_file *f, const char *path, const struct function *functions, u32 n,
		      bool glibc)
{
	u64 where[FUNCTIONS_MAX];

	if (!find(path, functions, n, where))
		return;
	for (u32 i = 0; i < n; i++) {
		u32 call = functions[i].call;

		if (glibc && call == HEAP_CALLOC) /* it calls no malloc, as musl's does */
			call |= HEAP_CALL_ALONE;
		add_call(f, where[i], call);
	}
}

static void add_frees(struct heap_file *f, const char *path, const struct function *functions, u32 n)
{
	u64 where[FUNCTIONS_MAX];

	if (!find(path, functions, n, where))
		return;
	for (u32 i = 0; i < n; i++)
		add_free(f, where[i] ? behind_test(path, where[i]) : 0);
}

/* Allocators have an operator new that does not call malloc; the C++ library's, which a static
 * program has beside its C library, does. */
static bool has_own_new(const char *path)
{
	static const struct function marks[] = {
		{"tc_malloc", 0}, {"mallctl", 0}, {"mi_malloc", 0}, {"__libc_start_main", 0}};
	u64 where[ARRAY_SIZE(marks)];

	return find(path, marks, ARRAY_SIZE(marks), where) &&
	       (where[0] || where[1] || where[2] || !where[3]);
}

/* The dynamic linker has a malloc for itself, but that of musl is its libc. */
static bool is_linker(const char *base)
{
	return !strncmp(base, "ld-", 3) && strncmp(base, "ld-musl", 7);
}

/* malloc and free, of the same name. */
static bool allocates(const char *path)
{
	static const struct function both[] = {ALL("malloc", 0), ALL("free", 0)};
	u64 where[ARRAY_SIZE(both)];
	u32 n = ARRAY_SIZE(both) / 2;

	if (!find(path, both, ARRAY_SIZE(both), where))
		return false;
	for (u32 i = 0; i < n; i++)
		if (where[i] && where[n + i])
			return true;
	return false;
}

void heap_file__look(struct heap_file *f, const char *path, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	bool glibc = !strncmp(base, "libc.so.6", 9) || !strncmp(base, "libc-2.", 7);

	f->ncalls = f->nfrees = 0;
	if (is_linker(base) || !allocates(path))
		return;
	add_calls(f, path, calls, ARRAY_SIZE(calls), glibc);
	add_frees(f, path, frees, ARRAY_SIZE(frees));
	if (!has_own_new(path))
		return;
	add_calls(f, path, news, ARRAY_SIZE(news), false);
	add_frees(f, path, deletes, ARRAY_SIZE(deletes));
}
