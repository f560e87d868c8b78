// SPDX-License-Identifier: GPL-2.0-only
/* An object and an offset -> the function there. */
#include <stdio.h>
#include <unistd.h>

#include "symbols/code.h"
#include "symbols/kallsyms.h"
#include "symbols/object_file.h"
#include "symbols/perfmap.h"
#include "symbols/resolver.h"

#define NAME_MAX_LEN 4096

/* --- funcs --- */

/*
 * Functions that nothing calls: a stack whose last frame is in one of them is whole. Entry
 * points of programs (_start; musl's goes on in _start_c) and of the dynamic linker, of
 * threads (clone under its names in glibc, musl and bionic), of the kernel's threads and of
 * forked tasks, of Go's threads and goroutines. A stack that got as far as main or a thread's
 * start has told all that anybody asks of it, so what a C library puts below these counts too:
 * glibc's has no frame pointers, and few walks pass it; musl's (libc_start_main_stage2, and start
 * of a thread) has no unwind tables, and none does.
 */
static const char *const outermost[] = {
	"main",
	"__libc_start_call_main",
	"__libc_start_main",
	"__libc_start_main_impl",
	"start_thread",
	"_start",
	"_start_c",
	"libc_start_main_stage2",
	"start",
	"_dl_start",
	"_dl_start_user",
	"clone",
	"__clone",
	"clone3",
	"__clone3",
	"__clone_internal",
	"thread_start",
	"__start_thread",
	"ret_from_fork",
	"ret_from_fork_asm",
	"kthread",
	"secondary_startup_64",
	"secondary_startup_64_no_verify",
	"runtime.goexit",
	"runtime.goexit.abi0",
	"runtime.rt0_go",
	"runtime.rt0_go.abi0",
	"runtime.mstart",
	"runtime.mstart.abi0",
	"runtime.mcall",
	"_rt0_amd64_linux",
	"_rt0_arm64_linux",
};

u32 func__flags(const char *linkage)
{
	for (u32 i = 0; i < ARRAY_SIZE(outermost); i++)
		if (!strcmp(linkage, outermost[i]))
			return FUNC_OUTERMOST;
	return 0;
}

static const struct sym_func *func_at(const struct resolver *r, u32 func)
{
	return symbols__func(r->s, func);
}

static u32 add_func(struct resolver *r, u64 hash, const struct sym_func *f)
{
	u32 id = symbols__add_func(r->s, f);

	if (id != FUNC_OVERFLOW)
		hidx__add(&r->funcs, hash, id);
	return id;
}

/* Keyed by name as well: what lies at an address of the kernel or a JIT may change. */
static u32 named_func(struct resolver *r, const struct sym_func *f)
{
	u64 hash = mix64_pair(mix64_pair(f->object, f->start),
			      hash_bytes(f->linkage, strlen(f->linkage)));
	const struct sym_func *g;
	u32 found;

	HIDX_FIND(found, &r->funcs, hash, pos,
		  (g = func_at(r, pos))->object == f->object && g->start == f->start &&
			  !strcmp(g->linkage, f->linkage));
	return found != HIDX_NONE ? found : add_func(r, hash, f);
}

/* The object whose table and funcs serve this one: itself, or an equal file. */
static u32 canonical(const struct resolver *r, u32 object)
{
	const struct object *o = symbols__obj(r->s, object);

	return o && o->code && o->code->canonical ? o->code->canonical : object;
}

u32 resolver__inlined(struct resolver *r, u32 object, const char *name)
{
	object = canonical(r, object);
	return named_func(r, &(struct sym_func){.object = object,
						.kind = symbols__obj(r->s, object)->pub.kind,
						.linkage = name});
}

/* What stands for all of an object that no symbol covers. */
static u32 whole_func(struct resolver *r, u32 object)
{
	struct object *o = symbols__obj(r->s, object);
	char name[280];

	if (!o->code->whole_func) {
		snprintf(name, sizeof(name), o->pub.name[0] == '[' ? "%.256s" : "[%.256s]",
			 o->pub.name);
		o->code->whole_func =
			symbols__add_func(r->s, &(struct sym_func){.object = object,
								   .kind = o->pub.kind,
								   .flags = FUNC_GUESSED,
								   .name = name,
								   .linkage = name});
	}
	return o->code->whole_func;
}

/* --- names --- */

static bool name_in_image(u64 at, char *buf)
{
	size_t size;
	const char *image = object__vdso(&size);

	if (!image || at >= size)
		return false;
	copy_str(buf, MIN(size - at + 1, (size_t)NAME_MAX_LEN), image + at);
	return true;
}

static bool name_in_file(struct resolver *r, u32 object, const struct symbol *sym, char *buf)
{
	const struct code *c = symbols__obj(r->s, object)->code;
	enum name_source src = symbol__source(sym);
	u64 at = sym->name & NAME_OFFSET, offset, size;
	ssize_t n;
	int fd;

	if (src == NAME_PLT)
		src = NAME_DYN;
	offset = c->strings[src].offset;
	size = c->strings[src].size;
	if (at >= size)
		return false;
	if (symbols__obj(r->s, object)->pub.kind == CODE_VDSO)
		return name_in_image(offset + at, buf);
	fd = object__fd(r->s, object, src == NAME_DEBUG ? FILE_DEBUG : FILE_MAIN);
	if (fd < 0)
		return false;
	n = pread(fd, buf, MIN(size - at, (u64)NAME_MAX_LEN - 1), (off_t)(offset + at));
	buf[MAX(n, 0)] = '\0';
	/* Linkers leave versions in .strtab: name@VERSION, name@@VERSION. */
	if (buf[0] && strchr(buf + 1, '@'))
		*strchr(buf + 1, '@') = '\0';
	return buf[0];
}

/* False when the symbol has no name, or its file is gone. */
static bool read_name(struct resolver *r, u32 object, const struct symbol *sym, char *buf)
{
	const struct code *c = symbols__obj(r->s, object)->code;

	switch (symbol__source(sym)) {
	case NAME_POOL:
		copy_str(buf, NAME_MAX_LEN, c->tab.pool + (sym->name & NAME_OFFSET));
		return true;
	case NAME_PLT:
		if (!name_in_file(r, object, sym, buf) || strlen(buf) + 5 > NAME_MAX_LEN)
			return false;
		strcat(buf, "@plt");
		return true;
	case NAME_MAIN:
	case NAME_DYN:
	case NAME_GO:
	case NAME_DEBUG:
		return name_in_file(r, object, sym, buf);
	default:
		return false;
	}
}

/* --- resolving --- */

static u32 module_object(struct resolver *r, const char *module)
{
	u64 hash = hash_bytes(module, strlen(module));
	struct sym_object o = {.kind = CODE_KERNEL, .path = ""};
	char name[96];
	u32 found;

	snprintf(name, sizeof(name), "[%.80s]", module);
	HIDX_FIND(found, &r->modules, hash, pos, !strcmp(symbols__obj(r->s, pos)->pub.name, name));
	if (found != HIDX_NONE)
		return found;
	if (!strcmp(module, "bpf"))
		o.kind = CODE_BPF;
	o.name = name;
	found = symbols__add_object(r->s, &o, &(struct via){0});
	if (!found)
		return r->s->kernel_object;
	resolver__load(r, found);
	hidx__add(&r->modules, hash, found);
	return found;
}

static u32 kernel_func(struct resolver *r, u32 object, u64 addr, u32 *owner, bool *final)
{
	struct code *c = symbols__obj(r->s, object)->code;
	struct sym_func f = {0};
	struct kallsym k;

	*owner = object;
	if (!c->kallsyms || !kallsyms__find(c->kallsyms, addr, &k)) {
		*final = !c->kallsyms || kallsyms__hidden(c->kallsyms);
		return whole_func(r, object);
	}
	if (k.module[0])
		*owner = module_object(r, k.module);
	f = (struct sym_func){
		.object = *owner,
		.kind = symbols__obj(r->s, *owner)->pub.kind,
		.flags = func__flags(k.name),
		.start = k.start,
		.size = k.size,
		.linkage = k.name,
	};
	return named_func(r, &f);
}

static u32 jit_func(struct resolver *r, u32 object, u64 addr, bool *final)
{
	struct object *o = symbols__obj(r->s, object);
	struct perfmap_hit hit;
	struct sym_func f;

	if (o->code->perfmap)
		resolver__keep_open(r, o); /* names are read from it */
	if (!o->code->perfmap || !perfmap__find(o->code->perfmap, addr, &hit)) {
		*final = false;
		return whole_func(r, object);
	}
	f = (struct sym_func){.object = object,
			      .kind = CODE_JIT,
			      .start = hit.start,
			      .size = hit.size,
			      .linkage = hit.name};
	return named_func(r, &f);
}

static u32 language_flags(const struct code *c, u64 vaddr)
{
	return vaddr - c->go_start < c->go_end - c->go_start ? FUNC_GO : 0;
}

static u32 symbol_func(struct resolver *r, u32 object, const struct symbol *sym)
{
	struct object *o = symbols__obj(r->s, object);
	u64 vaddr = o->code->tab.base + sym->start, start = vaddr, hash;
	struct sym_func f = {.object = object, .kind = o->pub.kind, .size = sym->size};
	char name[NAME_MAX_LEN];
	u32 found;

	if (o->code->is_elf)
		code__offset(o->code, vaddr, &start);
	f.start = start;
	hash = mix64_pair(object, start);
	HIDX_FIND(found, &r->funcs, hash, pos,
		  func_at(r, pos)->object == object && func_at(r, pos)->start == start);
	if (found != HIDX_NONE)
		return found;
	f.linkage = name;
	if (read_name(r, object, sym, name)) {
		f.flags = func__flags(name) | language_flags(o->code, vaddr);
	} else {
		snprintf(name, sizeof(name), "%.256s+0x%llx", o->pub.name,
			 (unsigned long long)vaddr);
		f.name = name;
		f.flags = FUNC_GUESSED;
	}
	return add_func(r, hash, &f);
}

static u32 file_func(struct resolver *r, u32 object, u64 offset, u32 *owner, bool *final)
{
	const struct object *o = symbols__obj(r->s, object);
	struct symbol sym;
	u64 vaddr = offset;

	*owner = canonical(r, object);
	*final = o->code->is_elf || o->pub.path[0] != '/';
	if (o->code->is_elf && !code__vaddr(o->code, offset, &vaddr))
		return whole_func(r, *owner);
	if (!symtab__find(&symbols__obj(r->s, *owner)->code->tab, vaddr, &sym))
		return whole_func(r, *owner);
	return symbol_func(r, *owner, &sym);
}

u32 resolver__func(struct resolver *r, u32 object, u64 offset, u32 *owner, bool *final)
{
	*owner = object;
	*final = true;
	resolver__load(r, object);
	switch (symbols__obj(r->s, object)->pub.kind) {
	case CODE_KERNEL:
	case CODE_BPF:
		return kernel_func(r, r->s->kernel_object, offset, owner, final);
	case CODE_JIT:
		return jit_func(r, object, offset, final);
	default:
		return file_func(r, object, offset, owner, final);
	}
}
