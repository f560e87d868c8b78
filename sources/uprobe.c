// SPDX-License-Identifier: GPL-2.0-only
#include "sources/uprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of union bpf_attr for BPF_LINK_CREATE, as include/uapi/linux/bpf.h of Linux 6.6 has it. */
struct link_attr {
	u32 prog_fd, target_fd, attach_type, flags;
	u64 path, offsets, ref_ctr_offsets, cookies;
	u32 cnt, multi_flags, pid, pad;
};

#define MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

int uprobe__attach_set(int prog, const struct uprobe_set *set)
{
	struct link_attr attr = {
		.prog_fd = (u32)prog,
		.attach_type = set->when == UPROBE_SESSION ? UPROBE_SESSION_TYPE : UPROBE_MULTI_TYPE,
		.path = (uintptr_t)set->path,
		.offsets = (uintptr_t)set->offsets,
		.cookies = (uintptr_t)set->cookies,
		.ref_ctr_offsets = (uintptr_t)set->semaphores,
		.cnt = set->n,
		.multi_flags = set->when == UPROBE_ENDS ? MULTI_RETURN : 0,
		.pid = set->pid,
	};
	long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

/* --- files --- */

static bool is_in(const char *folder, int len, const char *name, char *path, size_t size)
{
	return len && snprintf(path, size, "%.*s/%s", len, folder, name) < (int)size &&
	       !access(path, R_OK);
}

static bool find_in(const char *folders, const char *name, char *path, size_t size)
{
	while (*folders) {
		size_t len = strcspn(folders, ":");

		if (is_in(folders, (int)len, name, path, size))
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

bool uprobe__find_file(const char *name, char *path, size_t size)
{
	static const char libraries[] =
#if defined(__x86_64__)
		"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
#elif defined(__aarch64__)
		"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:"
#endif
		"/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib";
	const char *programs = getenv("PATH");

	if (strstr(name, ".so"))
		return find_in(libraries, name, path, size);
	return find_in(programs ? programs : "/usr/sbin:/usr/bin:/sbin:/bin", name, path, size);
}

/* --- symbols --- */

/* A symbol of another version may have @VERSION behind its name. */
static bool is_named(const char *symbol, const char *function)
{
	size_t len = strlen(function);

	return symbol && !strncmp(symbol, function, len) && (!symbol[len] || symbol[len] == '@');
}

#define FUNCTIONS   (1u << STT_FUNC | 1u << STT_GNU_IFUNC)
#define OF_ANY_KIND (1u << STT_OBJECT | 1u << STT_FUNC | 1u << STT_NOTYPE)

struct of_symbol {
	const char *name;
	u32 types; /* a bit for each STT_x */
	GElf_Sym found;
};

static bool is_it(const struct of_symbol *s, const GElf_Sym *sym, const char *name)
{
	return sym->st_shndx && (s->types & 1u << GELF_ST_TYPE(sym->st_info)) && is_named(name, s->name);
}

static bool look_through(Elf *elf, Elf_Scn *section, struct of_symbol *s)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym sym;

	if (!data || !gelf_getshdr(section, &header))
		return false;
	for (int i = 0; gelf_getsym(data, i, &sym); i++) {
		if (!is_it(s, &sym, elf_strptr(elf, header.sh_link, sym.st_name)))
			continue;
		s->found = sym;
		return true;
	}
	return false;
}

static int find_symbol(Elf *elf, void *symbol)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    look_through(elf, section, symbol))
			return 0;
	return -ENOENT;
}

static bool to_offset(Elf *elf, u64 address, u64 *offset)
{
	GElf_Phdr p;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (int i = 0; i < (int)n && gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD && (p.p_flags & PF_X) && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz) {
			*offset = address - p.p_vaddr + p.p_offset;
			return true;
		}
	return false;
}

/* fn of the ELF file at a path. */
static int with_elf(const char *path, int (*fn)(Elf *elf, void *ctx), void *ctx)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = -ENOEXEC;
	Elf *elf;

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		err = fn(elf, ctx);
	elf_end(elf);
	close(fd);
	return err;
}

struct wanted {
	const char *const *names;
	u32 n;
	u64 *where;
};

static int find_all(Elf *elf, void *ctx)
{
	struct wanted *w = ctx;

	for (u32 i = 0; i < w->n; i++) {
		struct of_symbol s = {.name = w->names[i], .types = FUNCTIONS};

		if (find_symbol(elf, &s) || !to_offset(elf, s.found.st_value, &w->where[i]))
			w->where[i] = 0;
	}
	return 0;
}

int uprobe__offsets(const char *path, const char *const *names, u32 n, u64 *where)
{
	struct wanted w = {names, n, where};

	return with_elf(path, find_all, &w);
}

int uprobe__offset(const char *path, const char *function, u64 *offset)
{
	int err = uprobe__offsets(path, &function, 1, offset);

	return err ? err : *offset ? 0 : -ENOENT;
}

struct each {
	const char *const *names;
	u32 n;
	void (*found)(void *ctx, u32 name, u64 offset);
	void *ctx;
};

static void match_each(Elf *elf, const struct each *e, const GElf_Sym *sym, const char *name)
{
	u64 offset;

	for (u32 i = 0; i < e->n; i++) {
		struct of_symbol s = {.name = e->names[i], .types = FUNCTIONS};

		if (is_it(&s, sym, name) && to_offset(elf, sym->st_value, &offset))
			e->found(e->ctx, i, offset);
	}
}

static int find_each(Elf *elf, void *ctx)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym sym;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
			match_each(elf, ctx, &sym, elf_strptr(elf, header.sh_link, sym.st_name));
	}
	return 0;
}

int uprobe__each(const char *path, const char *const *names, u32 n, void (*found)(void *ctx, u32 name, u64 offset),
		 void *ctx)
{
	struct each e = {names, n, found, ctx};

	return with_elf(path, find_each, &e);
}

int uprobe__symbol(const char *path, const char *name, u64 *address, u64 *size)
{
	struct of_symbol s = {.name = name, .types = OF_ANY_KIND};
	int err = with_elf(path, find_symbol, &s);

	*address = s.found.st_value;
	*size = s.found.st_size;
	return err;
}

struct of_bias {
	u64 offset, vaddr;
};

static int find_load(Elf *elf, void *ctx)
{
	struct of_bias *b = ctx;
	GElf_Phdr p;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return -ENOEXEC;
	for (int i = 0; i < (int)n && gelf_getphdr(elf, i, &p); i++) {
		u64 first = p.p_offset & ~0xfffull;

		if (p.p_type != PT_LOAD || b->offset < first ||
		    b->offset >= p.p_offset + MAX(p.p_filesz, (u64)1))
			continue;
		b->vaddr = p.p_vaddr - p.p_offset + b->offset;
		return 0;
	}
	return -ENOENT;
}

int uprobe__bias(const char *path, u64 start, u64 offset, u64 *bias)
{
	struct of_bias b = {.offset = offset};
	int err = with_elf(path, find_load, &b);

	*bias = start - b.vaddr;
	return err;
}
