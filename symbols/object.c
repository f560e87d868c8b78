// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/object.h"

#include <stdio.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/kcore.h"
#include "samples/perf_regs.h"
#include "symbols/code.h"
#include "symbols/object_file.h"
#include "symbols/resolver.h"

static struct object *get(struct symbols *s, u32 object)
{
	struct object *o = symbols__obj(s, object);

	return o ? o : symbols__obj(s, 0);
}

static struct code *code_of(struct symbols *s, u32 object)
{
	return object ? resolver__load(s->resolver, object) : NULL;
}

bool object__vaddr(struct symbols *s, u32 object, u64 offset, u64 *vaddr)
{
	struct code *c = code_of(s, object);

	if (c && c->is_elf)
		return code__vaddr(c, offset, vaddr);
	*vaddr = offset;
	return c && get(s, object)->pub.kind != CODE_USER;
}

bool object__offset(struct symbols *s, u32 object, u64 vaddr, u64 *offset)
{
	struct code *c = code_of(s, object);

	if (c && c->is_elf)
		return code__offset(c, vaddr, offset);
	*offset = vaddr;
	return c && get(s, object)->pub.kind != CODE_USER;
}

static ssize_t read_vdso(u64 offset, void *buf, size_t size)
{
	size_t total;
	const char *image = object__vdso(&total);

	if (!image || offset >= total)
		return -ENOENT;
	size = MIN(size, total - offset);
	memcpy(buf, image + offset, size);
	return (ssize_t)size;
}

/* /proc/kcore is an ELF file whose segments are the kernel's memory. */
static bool kcore_position(int fd, u64 addr, size_t *size, off_t *at)
{
	Elf64_Ehdr h;
	Elf64_Phdr ph;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h))
		return false;
	for (u32 i = 0; i < h.e_phnum; i++) {
		if (pread(fd, &ph, sizeof(ph), (off_t)(h.e_phoff + i * sizeof(ph))) != sizeof(ph))
			return false;
		if (ph.p_type != PT_LOAD || addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_memsz)
			continue;
		*size = MIN(*size, ph.p_memsz - (addr - ph.p_vaddr));
		*at = (off_t)(ph.p_offset + (addr - ph.p_vaddr));
		return true;
	}
	return false;
}

static ssize_t read_kernel(struct symbols *s, u64 addr, void *buf, size_t size)
{
	struct object_files *f = s->files;
	ssize_t n;
	off_t at;

	if (!f->kcore_tried)
		f->kcore = kcore__open();
	f->kcore_tried = true;
	if (f->kcore < 0)
		return -EACCES;
	if (!kcore_position(f->kcore, addr, &size, &at))
		return -ENOENT;
	n = pread(f->kcore, buf, size, at);
	return n < 0 ? -errno : n;
}

static ssize_t read_process(u32 tgid, u64 addr, void *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/mem", tgid);
	/* Whatever rights proftop's file has: a JIT's code is also what else is in its memory, and
	 * the number may be that of another program by now. */
	fd = caps__open_for_caller(path);
	if (fd < 0)
		return -errno;
	n = pread(fd, buf, size, (off_t)addr);
	n = n < 0 ? -errno : n;
	close(fd);
	return n;
}

static ssize_t read_file(struct symbols *s, u32 object, u64 offset, void *buf, size_t size)
{
	int fd = object__fd(s, object, FILE_MAIN);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, buf, size, (off_t)offset);
	return n < 0 ? -errno : n;
}

/* Lower case hex, "" when there is none. */
static const char *build_id_of(struct symbols *s, u32 object)
{
	struct code *c = code_of(s, object);

	return c ? c->build_id : "";
}

/* The kernel and the processes of a recording are others than those of this machine. */
static bool is_here(struct symbols *s, const struct object *o)
{
	if (o->foreign && !*o->recorded)
		return o->pub.kind == CODE_USER || o->pub.kind == CODE_VDSO;
	return !o->recorded || (o->pub.kind == CODE_USER && *o->recorded &&
				!strcmp(o->recorded, build_id_of(s, o->pub.id)));
}

ssize_t object__read_code(struct symbols *s, u32 object, u64 offset, void *buf, size_t size)
{
	const struct sym_object *o = &get(s, object)->pub;

	if (!is_here(s, get(s, object)))
		return -ENODATA;
	switch (o->kind) {
	case CODE_KERNEL:
	case CODE_BPF:
		return read_kernel(s, offset, buf, size);
	case CODE_VDSO:
		return read_vdso(offset, buf, size);
	case CODE_JIT:
		return read_process(o->tgid, offset, buf, size);
	case CODE_USER:
		return read_file(s, object, offset, buf, size);
	case CODE_UNKNOWN:
	case CODE_PYTHON: /* its code is of its interpreter alone */
	case CODE_JAVA:
	case CODE_JAVASCRIPT:
	case CODE_PHP:
	case CODE_RUBY:
	case CODE_PERL:
		break;
	}
	return -ENOENT;
}

u16 object__machine(struct symbols *s, u32 object)
{
	struct code *c = code_of(s, object);

	if (c && c->is_elf)
		return c->machine;
	return perf_regs__machine();
}

static struct open_dwarf *find_dwarf(struct object_files *f, u32 object)
{
	struct open_dwarf *oldest = &f->dwarfs[0];

	for (u32 i = 0; i < DEBUGINFO_KEPT; i++) {
		if (f->dwarfs[i].used && f->dwarfs[i].object == object)
			return &f->dwarfs[i];
		if (f->dwarfs[i].used < oldest->used)
			oldest = &f->dwarfs[i];
	}
	open_dwarf__close(oldest);
	return oldest;
}

static void open_dwarf(struct symbols *s, u32 object, struct open_dwarf *d)
{
	struct object *o = get(s, object);
	int fd = -ENOENT;
	char root[64];

	if (resolver__load(s->resolver, object)->is_elf)
		fd = object__fd(s, object, FILE_MAIN);
	if (fd >= 0)
		d->d = debuginfo__open(fd, o->pub.path, object__root(s, object, root, sizeof(root)),
				       d->note, sizeof(d->note));
	else
		snprintf(d->note, sizeof(d->note), "its file cannot be read");
}

struct debuginfo *object__debuginfo(struct symbols *s, u32 object, char *note, size_t note_size)
{
	struct object_files *f = s->files;
	struct open_dwarf *d = find_dwarf(f, object);

	if (!d->used) {
		d->object = object;
		open_dwarf(s, object, d);
	}
	d->used = ++f->clock;
	if (note && note_size)
		copy_str(note, note_size, d->note);
	return d->d;
}

u32 object__func_at(struct symbols *s, u32 object, u64 offset)
{
	bool final;
	u32 owner;

	return object ? resolver__func(s->resolver, object, offset, &owner, &final) : 0;
}
