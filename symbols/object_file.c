// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/object_file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/code.h"
#include "symbols/debugfile.h"
#include "symbols/debuginfo.h"
#include "symbols/openfile.h"

/* --- files of other machines' recordings --- */

static bool has_build_id(int fd, const char *path, const char *wanted)
{
	struct debugfile f;
	char hex[129];
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0 || debugfile__open(&f, own, "", path, NULL, 0))
		return false;
	debugfile__build_id(&f, hex, sizeof(hex));
	debugfile__close(&f);
	return !strcmp(hex, wanted);
}

static int open_checked(const char *path, const char *build_id)
{
	int fd = openfile__regular("", path);

	if (fd < 0 || !*build_id || has_build_id(fd, path, build_id))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_foreign(const struct object *o)
{
	int fd = open_checked(o->pub.path, o->recorded), kept;
	const char *home = getenv("HOME");
	char path[PATH_MAX];

	if (fd >= 0 || strlen(o->recorded) < 4 || !home || *home != '/')
		return fd;
	snprintf(path, sizeof(path), "%s/.debug/.build-id/%.2s/%s/elf", home, o->recorded,
		 o->recorded + 2);
	kept = open_checked(path, o->recorded);
	return kept < 0 ? fd : kept;
}

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
		return open_foreign(o);
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

struct object_files *object_files__new(void)
{
	struct object_files *f = xcalloc(1, sizeof(*f));

	f->kcore = -1;
	for (u32 i = 0; i < FDS_KEPT; i++)
		f->fds[i].fd = -1;
	return f;
}

void open_dwarf__close(struct open_dwarf *d)
{
	if (d->d)
		debuginfo__close(d->d);
	*d = (struct open_dwarf){0};
}

void object_files__free(struct object_files *f)
{
	for (u32 i = 0; i < FDS_KEPT; i++)
		if (f->fds[i].fd >= 0)
			close(f->fds[i].fd);
	for (u32 i = 0; i < DEBUGINFO_KEPT; i++)
		open_dwarf__close(&f->dwarfs[i]);
	if (f->kcore >= 0)
		close(f->kcore);
	free(f);
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
	struct object_files *f = s->files;
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

/* --- where it is --- */

const char *object__root(struct symbols *s, u32 object, char *buf, size_t size)
{
	struct object *o = symbols__obj(s, object);
	struct stat theirs, ours;

	snprintf(buf, size, "/proc/%u/root", o ? via_of(s, o).tgid : 0);
	if (!o || !o->pub.id || stat(buf, &theirs) || stat("/", &ours) ||
	    (theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino))
		buf[0] = '\0';
	return buf;
}

const char *object__source(struct symbols *s, u32 object, char *buf, size_t size)
{
	struct object *o = symbols__obj(s, object);
	const char *path = o->pub.path;
	char link[32], there[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%u/cwd", via_of(s, o).tgid);
	snprintf(there, sizeof(there), "%s/%s", link, path);
	if (path[0] == '/' || access(there, F_OK))
		return path;
	n = readlink(link, buf, size);
	if (n <= 0 || (size_t)n + strlen(path) + 2 > size)
		return path;
	snprintf(buf + n, size - (size_t)n, "/%s", path);
	return buf;
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
