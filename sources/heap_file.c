// SPDX-License-Identifier: GPL-2.0-only
#include "sources/heap_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bpf/heap.h"
#include "sources/uprobe.h"

/* Prefixes are those of jemalloc, tcmalloc and mimalloc, where they do not take malloc's place. */
#define ALL_PREFIXES(name) name, "je_" name, "tc_" name, "mi_" name
#define PREFIXES	   4

static const struct {
	const char *names[PREFIXES];
	u32 call;
} calls[] = {
	{{ALL_PREFIXES("malloc")}, HEAP_MALLOC | HEAP_CALL_ALONE},
	{{ALL_PREFIXES("calloc")}, HEAP_CALLOC},
	{{ALL_PREFIXES("realloc")}, HEAP_REALLOC},
	{{ALL_PREFIXES("reallocarray")}, HEAP_REALLOCARRAY},
	{{ALL_PREFIXES("memalign")}, HEAP_ALIGNED},
	{{ALL_PREFIXES("aligned_alloc")}, HEAP_ALIGNED},
	{{ALL_PREFIXES("posix_memalign")}, HEAP_POSIX_MEMALIGN},
	{{ALL_PREFIXES("valloc")}, HEAP_MALLOC},
	{{ALL_PREFIXES("pvalloc")}, HEAP_MALLOC},
};

static const char *const frees[] = {ALL_PREFIXES("free"), ALL_PREFIXES("cfree")};

/* Allocators with an operator new that is no malloc have one of these. */
static const char *const marks[] = {"tc_malloc", "mallctl", "mi_malloc"};
static const char *const news[] = {
	"_Znwm",
	"_Znam",
	"_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t",
};
static const char *const deletes[] = {"_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};

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

static void add_calls(struct heap_file *f, const char *path, bool glibc)
{
	u64 where[PREFIXES];

	for (u32 i = 0; i < ARRAY_SIZE(calls); i++) {
		u32 call = calls[i].call;

		if (uprobe__offsets(path, calls[i].names, PREFIXES, where))
			continue;
		if (glibc && call == HEAP_CALLOC) /* it calls no malloc, as musl's does */
			call |= HEAP_CALL_ALONE;
		for (u32 k = 0; k < PREFIXES; k++)
			add_call(f, where[k], call);
	}
}

static void add_frees(struct heap_file *f, const char *path, const char *const *names, u32 n)
{
	u64 where[ARRAY_SIZE(frees)];

	if (!uprobe__offsets(path, names, n, where))
		for (u32 i = 0; i < n; i++)
			add_free(f, where[i] ? behind_test(path, where[i]) : 0);
}

static void add_news(struct heap_file *f, const char *path)
{
	u64 where[ARRAY_SIZE(news)], mark[ARRAY_SIZE(marks)];
	u32 i = 0;

	if (uprobe__offsets(path, marks, ARRAY_SIZE(marks), mark))
		return;
	while (i < ARRAY_SIZE(marks) && !mark[i])
		i++;
	if (i == ARRAY_SIZE(marks) || uprobe__offsets(path, news, ARRAY_SIZE(news), where))
		return;
	for (i = 0; i < ARRAY_SIZE(news); i++)
		add_call(f, where[i], HEAP_NEW);
	add_frees(f, path, deletes, ARRAY_SIZE(deletes));
}

/* The dynamic linker has a malloc for itself, but that of musl is its libc. */
static bool is_linker(const char *base)
{
	return !strncmp(base, "ld-", 3) && strncmp(base, "ld-musl", 7);
}

static bool allocates(const char *path)
{
	static const char *const both[] = {ALL_PREFIXES("malloc"), ALL_PREFIXES("free")};
	u64 where[2 * PREFIXES];

	if (uprobe__offsets(path, both, ARRAY_SIZE(both), where))
		return false;
	for (u32 i = 0; i < PREFIXES; i++)
		if (where[i] && where[PREFIXES + i])
			return true;
	return false;
}

void heap_file__look(struct heap_file *f, const char *path, const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;

	f->ncalls = f->nfrees = 0;
	if (is_linker(base) || !allocates(path))
		return;
	add_calls(f, path, !strncmp(base, "libc.so.6", 9) || !strncmp(base, "libc-2.", 7));
	add_frees(f, path, frees, ARRAY_SIZE(frees));
	add_news(f, path);
}
