// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/kcore.h"
#include "symbols/code.h"
#include "symbols/internal.h"
#include "symbols/openfile.h"

/* --- opening the file that was mapped --- */

/* Is it the inode that the mapping named? Device numbers of overlay and btrfs differ between
 * what is mapped and what stat says; both are then without a major number. */
static bool same_inode(int fd, const struct sym_object *o)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	if (o->inode && st.st_ino != o->inode)
		return false;
	return !o->dev_major || !major(st.st_dev) ||
	       (major(st.st_dev) == o->dev_major && minor(st.st_dev) == o->dev_minor);
}

static int checked(int fd, const struct sym_object *o)
{
	if (fd < 0)
		return fd;
	if (same_inode(fd, o))
		return fd;
	close(fd);
	return -ESTALE;
}

static struct via via_of(struct symbols *s, struct object *o)
{
	struct via via;

	pthread_mutex_lock(&s->lock);
	via = o->via;
	pthread_mutex_unlock(&s->lock);
	return via;
}

/* By the kernel's own link first: it leads to the inode whatever its name is now. */
static int open_object(struct symbols *s, struct object *o)
{
	const struct sym_object *pub = &o->pub;
	struct via via = via_of(s, o);
	char link[96], root[64];
	int fd, worst;

	if (pub->kind != CODE_USER || pub->path[0] != '/')
		return -ENOENT;
	if (o->foreign)
		return object__open_foreign(o);
	/* Whether it is the file is told by its build-id. */
	if (o->recorded)
		return *o->recorded ? openfile__regular("", pub->path) : -ENOENT;
	snprintf(link, sizeof(link), "/proc/%u/map_files/%llx-%llx", via.tgid,
		 (unsigned long long)via.start, (unsigned long long)via.end);
	fd = checked(openfile__link(link), pub);
	if (fd >= 0)
		return fd;
	snprintf(root, sizeof(root), "/proc/%u/root", via.tgid);
	worst = fd = checked(openfile__regular(root, pub->path), pub);
	if (fd >= 0)
		return fd;
	snprintf(link, sizeof(link), "/proc/%u/exe", via.tgid);
	fd = checked(openfile__link(link), pub);
	if (fd >= 0)
		return fd;
	fd = checked(openfile__regular("", pub->path), pub);
	return fd < 0 && worst == -ESTALE ? worst : fd;
}

int object__open(struct symbols *s, u32 object)
{
	return open_object(s, symbols__obj(s, object));
}

/* --- descriptors, a few kept --- */

void object_files__init(struct object_files *f)
{
	*f = (struct object_files){.kcore = -1};
	for (u32 i = 0; i < FDS_KEPT; i++)
		f->fds[i].fd = -1;
}

static void close_dwarf(struct open_dwarf *d)
{
	if (d->d)
		debuginfo__close(d->d);
	*d = (struct open_dwarf){0};
}

void object_files__fini(struct object_files *f)
{
	for (u32 i = 0; i < FDS_KEPT; i++)
		if (f->fds[i].fd >= 0)
			close(f->fds[i].fd);
	for (u32 i = 0; i < DEBUGINFO_KEPT; i++)
		close_dwarf(&f->dwarfs[i]);
	if (f->kcore >= 0)
		close(f->kcore);
}

static bool same_file(int fd, const struct code_file *f)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == f->dev && st.st_ino == f->ino &&
	       st.st_size == f->size;
}

static int open_role(struct symbols *s, struct object *o, enum file_role role)
{
	const struct code_file *file = o->code ? &o->code->debug : NULL;
	int fd;

	if (role == FILE_MAIN) {
		fd = open_object(s, o);
		file = o->code ? &o->code->main : NULL;
	} else if (!file || !file->path) {
		return -ENOENT;
	} else {
		fd = openfile__regular(file->root, file->path);
		if (fd < 0 || !same_file(fd, file)) {
			if (fd >= 0)
				close(fd);
			fd = openfile__regular("", file->path);
		}
	}
	if (fd >= 0 && file && file->size && !same_file(fd, file)) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* The entry of this file, or the one to use for it. A file without a name left (deleted)
 * cannot be opened again once its processes are gone, but the table must stay small. */
static struct open_file *find_fd(struct object_files *f, u32 object, enum file_role role)
{
	struct open_file *oldest = &f->fds[0];

	for (u32 i = 0; i < FDS_KEPT; i++) {
		struct open_file *e = &f->fds[i];

		if (e->fd >= 0 && e->object == object && e->role == role)
			return e;
		if (e->used < oldest->used)
			oldest = e;
	}
	if (oldest->fd >= 0)
		close(oldest->fd);
	oldest->fd = -1;
	return oldest;
}

int object__fd(struct symbols *s, u32 object, enum file_role role)
{
	struct object_files *f = worker__files(s);
	struct open_file *e = find_fd(f, object, role);

	if (e->fd < 0) {
		int fd = open_role(s, symbols__obj(s, object), role);

		if (fd < 0) {
			e->used = 0;
			return fd;
		}
		*e = (struct open_file){.object = object, .role = role, .fd = fd};
	}
	e->used = ++f->clock;
	return e->fd;
}

/* --- the contract of object.h --- */

static struct object *get(struct symbols *s, u32 object)
{
	struct object *o = symbols__obj(s, object);

	return o ? o : symbols__obj(s, 0);
}

static struct code *code_of(struct symbols *s, u32 object)
{
	return object ? resolver__load(worker__resolver(s), object) : NULL;
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

const void *object__vdso(size_t *size)
{
	const Elf64_Ehdr *h = (const void *)getauxval(AT_SYSINFO_EHDR);

	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	/* The section headers come last in it. */
	*size = h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
	return h;
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
	struct object_files *f = worker__files(s);
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

/* The kernel and the processes of a recording are others than those of this machine. */
static bool is_here(struct symbols *s, const struct object *o)
{
	if (o->foreign && !*o->recorded)
		return o->pub.kind == CODE_USER || o->pub.kind == CODE_VDSO;
	return !o->recorded || (o->pub.kind == CODE_USER && *o->recorded &&
				!strcmp(o->recorded, object__build_id(s, o->pub.id)));
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
		break;
	}
	return -ENOENT;
}

const char *object__root(struct symbols *s, u32 object, char *buf, size_t size)
{
	struct object *o = get(s, object);
	struct stat theirs, ours;

	snprintf(buf, size, "/proc/%u/root", via_of(s, o).tgid);
	if (!o->pub.id || stat(buf, &theirs) || stat("/", &ours) ||
	    (theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino))
		buf[0] = '\0';
	return buf;
}

const char *object__build_id(struct symbols *s, u32 object)
{
	struct code *c = code_of(s, object);

	return c ? c->build_id : "";
}

u16 object__machine(struct symbols *s, u32 object)
{
	struct code *c = code_of(s, object);

	if (c && c->is_elf)
		return c->machine;
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__aarch64__)
	return EM_AARCH64;
#else
	return EM_NONE;
#endif
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
	close_dwarf(oldest);
	return oldest;
}

static void open_dwarf(struct symbols *s, u32 object, struct open_dwarf *d)
{
	struct object *o = get(s, object);
	int fd = -ENOENT;
	char root[64];

	if (resolver__load(worker__resolver(s), object)->is_elf)
		fd = object__fd(s, object, FILE_MAIN);
	if (fd >= 0)
		d->d = debuginfo__open(fd, o->pub.path, object__root(s, object, root, sizeof(root)),
				       d->note, sizeof(d->note));
	else
		snprintf(d->note, sizeof(d->note), "its file cannot be read");
}

struct debuginfo *object__debuginfo(struct symbols *s, u32 object, char *note, size_t note_size)
{
	struct object_files *f = worker__files(s);
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

	return object ? resolver__func(worker__resolver(s), object, offset, &owner, &final) : 0;
}

u32 object__canonical(struct symbols *s, u32 object)
{
	struct object *o = get(s, object);

	return o->code && o->code->canonical ? o->code->canonical : object;
}
