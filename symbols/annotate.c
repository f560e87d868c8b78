/* SPDX-License-Identifier: GPL-2.0-only */
/* Gathers what annotate__code needs of a function, and says in words what is missing. */
#include "symbols/annotate.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/object.h"
#include "symbols/object_file.h"
#include "symbols/sources.h"

/* A function whose size nobody knows is shown up to the next one, at most this far. */
#define UNKNOWN_SIZE   4096u
#define MAX_PATH_SHOWN 100

static void add_note(struct annotation *a, const char *text)
{
	size_t used = strlen(a->note);

	if (text[0])
		snprintf(a->note + used, sizeof(a->note) - used, "%s%s", used ? "; " : "", text);
}

/* --- code --- */

static const char *no_kernel_code(int err)
{
	if (access("/proc/kcore", F_OK))
		return "no code of the kernel: it was built without /proc/kcore "
		       "(CONFIG_PROC_KCORE)";
	if (err == -EPERM || err == -EACCES)
		return "no code of the kernel: reading /proc/kcore needs root (CAP_SYS_RAWIO)";
	return "no code of the kernel: /proc/kcore does not hold this address";
}

#define NO_PERF_MAP "no code: where a function begins is not known without a perf map"

static const char *no_jit_code(int err)
{
	if (err == -EPERM || err == -EACCES)
		return "no code: reading the memory of that process needs root";
	return "no code: the process that generated it has ended, or has moved it";
}

static const char *no_file_code(int err)
{
	switch (err) {
	case -ESTALE:
		return "no code: the file was replaced since it was mapped";
	case -EPERM:
	case -EACCES:
		return "no code: the file may not be read; try as root";
	case -ENOENT:
		return "no code: the file is gone, or there never was one";
	default:
		return "no code: the file does not hold it";
	}
}

static const char *no_code(const struct sym_func *f, int err)
{
	if (err == -ENODATA)
		return "no code: a recording has none, and the file is not on this machine";
	switch (f->kind) {
	case CODE_KERNEL:
	case CODE_BPF:
		return no_kernel_code(err);
	case CODE_JIT:
		return f->size ? no_jit_code(err) : NO_PERF_MAP;
	default:
		return no_file_code(err);
	}
}

/* The bytes up to the next function; at least one. */
static size_t size_until_next(struct symbols *s, const struct sym_func *f, size_t max)
{
	for (size_t n = 1; n < max; n++)
		if (object__func_at(s, f->object, f->start + n) != f->id)
			return n;
	return max;
}

static size_t wanted_size(const struct sym_func *f)
{
	return f->size ? (size_t)MIN(f->size, (u64)ANNOTATE_MAX_CODE) : UNKNOWN_SIZE;
}

/* --- names of targets --- */

struct target_names {
	struct symbols *s;
	u32 object;
};

static bool name_of(void *ctx, u64 vaddr, u64 *offset, char *name, size_t size)
{
	const struct target_names *t = ctx;
	const struct sym_func *f;

	if (!object__offset(t->s, t->object, vaddr, offset))
		return false;
	f = symbols__func(t->s, object__func_at(t->s, t->object, *offset));
	if (f->id == SYM_UNKNOWN || (f->flags & FUNC_GUESSED))
		return false;
	if (*offset == f->start)
		snprintf(name, size, "%s", f->name);
	else
		snprintf(name, size, "%.*s+0x%llx", (int)size - 24, f->name,
			 (unsigned long long)(*offset - f->start));
	return true;
}

/* --- sources --- */

static bool has_sources(const struct annotation *a)
{
	for (u32 i = 0; i < a->ninsns; i++)
		if (a->insns[i].source)
			return true;
	return false;
}

static void note_sources(struct annotation *a, const struct sources *sources)
{
	const char *why, *missing = sources__missing(sources, &why);
	size_t len = missing ? strlen(missing) : 0;
	char text[160];

	if (!missing || has_sources(a))
		return;
	/* The end of a long path tells more than its beginning. */
	snprintf(text, sizeof(text), "no source text: %s%s %s", len > MAX_PATH_SHOWN ? "..." : "",
		 len > MAX_PATH_SHOWN ? missing + len - MAX_PATH_SHOWN : missing, why);
	add_note(a, text);
}

/* --- all of it --- */

static void note_cut(struct annotation *a, const struct sym_func *f, size_t got)
{
	char text[80];

	if (f->size <= got)
		return;
	if (got == ANNOTATE_MAX_CODE)
		snprintf(text, sizeof(text), "a function of %llu KiB: only the first %u are shown",
			 (unsigned long long)(f->size >> 10), ANNOTATE_MAX_CODE >> 10);
	else
		snprintf(text, sizeof(text), "its last %llu bytes cannot be read",
			 (unsigned long long)(f->size - got));
	add_note(a, text);
}

static struct annotation *annotate_bytes(struct symbols *s, const struct sym_func *f,
					 const u8 *bytes, size_t size)
{
	struct target_names names = {s, f->object};
	struct annotate_code code = {
		.machine = object__machine(s, f->object),
		.offset = f->start,
		.bytes = bytes,
		.size = size,
		.name = name_of,
		.ctx = &names,
	};
	char root[64], note[160] = "";
	struct annotation *a;

	if (!object__vaddr(s, f->object, f->start, &code.vaddr))
		code.vaddr = f->start;
	if (f->kind == CODE_USER)
		code.debuginfo = object__debuginfo(s, f->object, note, sizeof(note));
	code.sources =
		sources__new(object__root(s, f->object, root, sizeof(root)),
			     code.debuginfo ? debuginfo__owner(code.debuginfo) : DEBUGINFO_NOBODY);
	a = annotate__code(f->id, &code);
	add_note(a, note);
	note_sources(a, code.sources);
	sources__free(code.sources);
	return a;
}

#define MAX_LINES 65536

/* Interpreted code is annotated with what is interpreted: its source. */
static struct annotation *annotate_script(struct symbols *s, const struct sym_func *f)
{
	struct annotation *a;
	char root[64], path[PATH_MAX];
	struct sources *sources = sources__new(object__root(s, f->object, root, sizeof(root)),
					       DEBUGINFO_NOBODY);

	a = annotate__lines(f->id, object__source(s, f->object, path, sizeof(path)), (u32)f->start,
			    (u32)MIN(f->size, (u64)MAX_LINES), sources);
	if (!a->ninsns)
		note_sources(a, sources);
	sources__free(sources);
	return a;
}

struct annotation *annotate__build(struct symbols *s, u32 func)
{
	const struct sym_func *f = symbols__func(s, func);
	size_t size = wanted_size(f);
	struct annotation *a;
	ssize_t got;
	u8 *bytes;

	if (code_kind__is_lines(f->kind))
		return annotate_script(s, f);
	bytes = xmalloc(size);
	got = f->object ? object__read_code(s, f->object, f->start, bytes, size) : -ENOENT;
	if (got > 0) {
		if (!f->size)
			got = (ssize_t)size_until_next(s, f, (size_t)got);
		a = annotate_bytes(s, f, bytes, (size_t)got);
		note_cut(a, f, (size_t)got);
	} else {
		a = annotate__code(func, &(struct annotate_code){.size = 0});
		add_note(a, no_code(f, (int)got));
	}
	free(bytes);
	return a;
}
