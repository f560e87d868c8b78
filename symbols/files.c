// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/files.h"
#include "symbols/openfile.h"

struct file {
	struct file_key key;
	enum file_kind kind;
};

/* An object made for a file. */
struct known {
	u32 dev_major, dev_minor, object;
	u64 inode, generation, birth; /* 0: not known */
};

struct files {
	struct symbols *symbols;
	struct arena names;
	struct file *files;
	u32 nfiles, cap_files;
	struct known *known;
	u32 nknown, cap_known;
	struct hidx file_index, known_index;
};

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Paths that the kernel gives to memory without a file behind it. */
enum file_kind file_key__kind(const struct file_key *k)
{
	static const char *const anon[] = {"//anon", "/anon_hugepage", "/dev/zero",
					   "/SYSV",  "[anon",	       "[heap]",
					   "[stack", "anon_inode:",    "/dev/hugepages"};

	if (!strcmp(k->path, "[vdso]"))
		return FILE_VDSO;
	if (starts_with(k->path, "/memfd:"))
		return FILE_MEMFD;
	for (u32 i = 0; i < ARRAY_SIZE(anon); i++)
		if (starts_with(k->path, anon[i]))
			return FILE_ANON;
	if (k->path[0] == '[')
		return FILE_SPECIAL;
	return k->inode ? FILE_DISK : FILE_ANON;
}

static u32 add_file(struct files *f, const struct file_key *key)
{
	struct file *file;

	if (f->nfiles == f->cap_files) {
		f->cap_files = MAX(64u, f->cap_files * 2);
		f->files = xrealloc(f->files, sizeof(*file) * f->cap_files);
	}
	file = &f->files[f->nfiles];
	*file = (struct file){.key = *key};
	file->key.path = arena__strdup(&f->names, key->path);
	file->kind = file_key__kind(key);
	return f->nfiles++;
}

struct files *files__new(struct symbols *s)
{
	struct files *f = xcalloc(1, sizeof(*f));

	f->symbols = s;
	arena__init(&f->names);
	add_file(f, &(struct file_key){.path = "[too many files]"});
	return f;
}

void files__free(struct files *f)
{
	arena__fini(&f->names);
	hidx__fini(&f->file_index);
	hidx__fini(&f->known_index);
	free(f->files);
	free(f->known);
	free(f);
}

static u64 inode_hash(u32 major, u32 minor, u64 inode)
{
	return mix64_pair((u64)major << 32 | minor, inode);
}

static bool same_file(const struct file_key *a, const struct file_key *b)
{
	return a->inode == b->inode && a->generation == b->generation &&
	       a->dev_minor == b->dev_minor && a->dev_major == b->dev_major &&
	       !strcmp(a->path, b->path);
}

u32 files__intern(struct files *f, const struct file_key *key)
{
	struct file_key k = *key;
	u64 hash;
	u32 found;

	if (!k.path)
		k.path = "";
	hash = mix64_pair(inode_hash(k.dev_major, k.dev_minor, k.inode) ^ k.generation,
			  hash_bytes(k.path, strlen(k.path)));
	HIDX_FIND(found, &f->file_index, hash, pos, same_file(&f->files[pos].key, &k));
	if (found != HIDX_NONE)
		return found;
	if (f->nfiles >= FILES_MAX)
		return 0;
	found = add_file(f, &k);
	hidx__add(&f->file_index, hash, found);
	return found;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void map_files_path(const struct via *via, char *buf, size_t size)
{
	snprintf(buf, size, "/proc/%u/map_files/%llx-%llx", via->tgid,
		 (unsigned long long)via->start, (unsigned long long)via->end);
}

/* When the mapped file was made, mixed into a number; 0 unknown (not permitted, or the
 * process is gone). */
static u64 birth_of(const struct via *via)
{
	struct statx stx;
	char path[96];

	map_files_path(via, path, sizeof(path));
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_BTIME | STATX_MTIME, &stx))
		return 0;
	if (stx.stx_mask & STATX_BTIME)
		return mix64_pair((u64)stx.stx_btime.tv_sec, stx.stx_btime.tv_nsec) | 1;
	return mix64_pair((u64)stx.stx_mtime.tv_sec, stx.stx_mtime.tv_nsec) | 1;
}

static bool is_elf(const struct via *via)
{
	char path[96], magic[4];
	bool elf;
	int fd;

	map_files_path(via, path, sizeof(path));
	fd = openfile__link(path);
	if (fd < 0)
		return false;
	elf = pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "\177ELF", 4);
	close(fd);
	return elf;
}

static u32 add_known(struct files *f, const struct file *file, const struct via *via, u64 hash,
		     u64 birth)
{
	const struct file_key *k = &file->key;
	struct sym_object o = {
		.kind = file->kind == FILE_VDSO ? CODE_VDSO : CODE_USER,
		.name = base_name(k->path),
		.path = k->path,
		.tgid = via->tgid,
		.dev_major = k->dev_major,
		.dev_minor = k->dev_minor,
		.inode = k->inode,
	};
	u32 object = symbols__add_object(f->symbols, &o, via);

	if (!object)
		return 0;
	if (f->nknown == f->cap_known) {
		f->cap_known = MAX(64u, f->cap_known * 2);
		f->known = xrealloc(f->known, sizeof(*f->known) * f->cap_known);
	}
	f->known[f->nknown] = (struct known){.dev_major = k->dev_major,
					     .dev_minor = k->dev_minor,
					     .inode = k->inode,
					     .generation = k->generation,
					     .birth = birth,
					     .object = object};
	hidx__add(&f->known_index, hash, f->nknown++);
	return object;
}

static bool same_inode(const struct known *n, const struct file_key *k)
{
	return n->inode == k->inode && n->dev_minor == k->dev_minor && n->dev_major == k->dev_major;
}

/* What is not known of either tells nothing. */
static bool may_be(u64 a, u64 b)
{
	return !a || !b || a == b;
}

static bool is_known(const struct known *n, const struct file_key *k, u64 birth)
{
	return same_inode(n, k) && may_be(n->generation, k->generation) && may_be(n->birth, birth);
}

/* By what events say alone: under churn asking for the birth costs more than all the rest. */
static u32 find_generation(const struct files *f, const struct file_key *k, u64 hash)
{
	u32 found = HIDX_NONE;

	if (k->generation)
		HIDX_FIND(found, &f->known_index, hash, pos,
			  f->known[pos].generation == k->generation &&
				  same_inode(&f->known[pos], k));
	return found;
}

static u32 find_birth(struct files *f, const struct file_key *k, u64 hash, u64 birth)
{
	u32 found;

	HIDX_FIND(found, &f->known_index, hash, pos, is_known(&f->known[pos], k, birth));
	if (found != HIDX_NONE && !f->known[found].generation)
		f->known[found].generation = k->generation;
	return found;
}

/* A file with an inode is the same object under each of its paths. */
static u32 disk_object(struct files *f, const struct file *file, const struct via *via)
{
	const struct file_key *k = &file->key;
	u64 hash = inode_hash(k->dev_major, k->dev_minor, k->inode);
	u32 found = find_generation(f, k, hash);
	u64 birth;

	if (found == HIDX_NONE) {
		birth = birth_of(via);
		found = find_birth(f, k, hash, birth);
		if (found == HIDX_NONE)
			return add_known(f, file, via, hash, birth);
	}
	symbols__seen_via(f->symbols, f->known[found].object, via);
	return f->known[found].object;
}

/* The vdso and the like: one object per name; a 32-bit process has another vdso. */
static u32 special_object(struct files *f, const struct file *file, const struct via *via)
{
	struct file named = *file;
	u64 hash;
	u32 found;

	if (file->kind == FILE_VDSO && via->end <= UINT32_MAX)
		named = (struct file){.key = {.path = "[vdso32]"}, .kind = FILE_SPECIAL};
	named.key.dev_major = named.key.dev_minor = 0;
	named.key.inode = hash_bytes(named.key.path, strlen(named.key.path));
	hash = inode_hash(0, 0, named.key.inode);
	HIDX_FIND(found, &f->known_index, hash, pos, is_known(&f->known[pos], &named.key, 0));
	if (found != HIDX_NONE)
		return f->known[found].object;
	return add_known(f, &named, via, hash, 0);
}

u32 files__object(struct files *f, u32 file, const struct via *via)
{
	const struct file *fl = &f->files[file];

	switch (fl->kind) {
	case FILE_DISK:
		return disk_object(f, fl, via);
	case FILE_MEMFD:
		return is_elf(via) ? disk_object(f, fl, via) : FILES_JIT;
	case FILE_VDSO:
	case FILE_SPECIAL:
		return special_object(f, fl, via);
	case FILE_ANON:
		break;
	}
	return FILES_JIT;
}
