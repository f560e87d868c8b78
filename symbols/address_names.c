// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/address_names.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/clock.h"
#include "symbols/debuginfo.h"
#include "symbols/demangle.h"
#include "symbols/elf.h"
#include "symbols/maps.h"
#include "symbols/openfile.h"
#include "symbols/section.h"
#include "symbols/symtab.h"

#define SEGMENTS	16
#define MAPS_OF_PROCESS 65536
/* What is mapped is read again when an address is not there, though not more often, and when it is old. */
#define READ_AGAIN_NS (100 * NSEC_PER_MSEC)
#define READ_OLD_NS   (5 * NSEC_PER_SEC)

struct kernel_symbol {
	u64 start;
	u32 name; /* in the pool */
};

struct kernel_table {
	struct kernel_symbol *v; /* by start */
	u32 n, cap;
	char *pool;
	size_t npool, pool_cap;
};

struct name_segment {
	u64 offset, filesz, vaddr, memsz;
};

struct name_file {
	u64 inode;
	u32 major, minor;
	u64 used;
	u32 nsegments;
	struct name_segment segments[SEGMENTS];
	u64 strings[NAME_SOURCES]; /* where they lie in the file: names are read there when they are asked for */
	struct symtab table;
};

struct name_map {
	u64 start, end, pgoff, inode;
	u32 major, minor;
	char *path; /* "" none */
};

struct name_space {
	u32 tgid; /* 0: free */
	u64 read_ns, used;
	struct name_map *v; /* by address */
	u32 n, cap;
};

struct namer {
	struct address_names ops;
	struct name_space spaces[NAMES_PROCESSES];
	struct name_file files[NAMES_FILES];
	u32 nfiles;
	struct kernel_table kernel;
	bool kernel_read;
	u64 clock; /* of use */
	struct { /* of the file whose lines were asked for last */
		u64 inode;
		u32 major, minor;
		struct debuginfo *info; /* NULL: it has none */
	} lines;
};

static bool fill_name(const char *name, u64 offset, u64 size, struct address_name *out)
{
	char *plain = demangle(name);

	copy_str(out->text, sizeof(out->text), plain ? plain : name);
	free(plain);
	out->symbol = true;
	out->object = false;
	out->offset = offset;
	out->size = size;
	return true;
}

/* --- files --- */

static enum symbol_rank rank_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL: return RANK_LOCAL;
	case STB_WEAK: return RANK_WEAK;
	default: return RANK_GLOBAL;
	}
}

static bool is_named(const GElf_Sym *sym)
{
	u8 type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC) && sym->st_shndx &&
	       sym->st_size && sym->st_name;
}

static void add_symbols(struct name_file *f, struct symtab_builder *b, Elf *elf, const struct elf_section *s)
{
	enum name_source source = s->shdr.sh_type == SHT_DYNSYM ? NAME_DYN : NAME_MAIN;
	Elf_Scn *strings = elf_getscn(elf, s->shdr.sh_link);
	Elf_Data *data = elf__bytes(s->scn, &b->budget), *names;
	GElf_Shdr of;
	GElf_Sym sym;

	if (!data || !strings || !gelf_getshdr(strings, &of) || of.sh_flags & SHF_COMPRESSED)
		return;
	names = elf__bytes(strings, &b->budget);
	if (!names || !names->d_size || ((char *)names->d_buf)[names->d_size - 1])
		return;
	f->strings[source] = of.sh_offset;
	b->names[source].data = names->d_buf;
	b->names[source].size = names->d_size;
	for (int i = 0; gelf_getsym(data, i, &sym); i++)
		if (is_named(&sym) && sym.st_name < names->d_size)
			symtab_builder__add(b, sym.st_value, sym.st_size, source, sym.st_name, rank_of(&sym));
}

static void read_elf(struct name_file *f, Elf *elf)
{
	struct elf_section s = {0};
	struct symtab_builder b;
	size_t n = 0;
	GElf_Phdr p;

	if (elf_getphdrnum(elf, &n))
		return;
	for (int i = 0; i < (int)MIN(n, 256u) && f->nsegments < SEGMENTS; i++)
		if (gelf_getphdr(elf, i, &p) && p.p_type == PT_LOAD)
			f->segments[f->nsegments++] = (struct name_segment){
				p.p_offset, p.p_filesz, p.p_vaddr, p.p_memsz};
	symtab_builder__init(&b);
	b.budget = elf__budget();
	while (elf_section__next(elf, &s))
		if (!s.broken && (s.shdr.sh_type == SHT_SYMTAB || s.shdr.sh_type == SHT_DYNSYM))
			add_symbols(f, &b, elf, &s);
	symtab_builder__finish(&b, 0, &f->table);
	symtab_builder__fini(&b);
}

/* Of a process that has ended: what has its path, if it is the same file. */
static int open_of_gone(const struct name_map *m)
{
	int fd = openfile__regular("", m->path);
	struct stat sb;

	if (fd < 0 || (!fstat(fd, &sb) && sb.st_ino == m->inode && sb.st_dev == makedev(m->major, m->minor)))
		return fd;
	close(fd);
	return -ENOENT;
}

static int open_map(u32 tgid, const struct name_map *m)
{
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, tgid, m->start, m->end);
	fd = openfile__link(path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/root", tgid);
	fd = openfile__regular(path, m->path);
	return fd >= 0 ? fd : open_of_gone(m);
}

static void read_file(struct name_file *f, u32 tgid, const struct name_map *m)
{
	int fd = open_map(tgid, m);
	struct stat sb;
	Elf *elf;

	if (fd < 0)
		return;
	if (!fstat(fd, &sb) && elf__sane(fd, sb.st_size) && elf_version(EV_CURRENT) != EV_NONE) {
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		if (elf && elf__bounded(elf))
			read_elf(f, elf);
		elf_end(elf);
	}
	close(fd);
}

/* What lies in no symbol has none. */
static bool name_in_file(const struct name_file *f, u32 tgid, const struct name_map *of, u64 vaddr,
			 struct address_name *out)
{
	char name[4096];
	struct symbol sym;
	ssize_t len;
	int fd;

	if (!symtab__find(&f->table, vaddr, &sym))
		return false;
	fd = open_map(tgid, of);
	if (fd < 0)
		return false;
	len = pread(fd, name, sizeof(name) - 1,
		    (off_t)(f->strings[symbol__source(&sym)] + (sym.name & NAME_OFFSET)));
	close(fd);
	name[MAX(len, 0)] = '\0';
	if (*name)
		name[1 + strcspn(name + 1, "@")] = '\0'; /* its version */
	return *name && fill_name(name, vaddr - f->table.base - sym.start, sym.size, out);
}

static void forget_file(struct namer *n, u32 at)
{
	symtab__fini(&n->files[at].table);
	n->files[at] = n->files[--n->nfiles];
}

static void make_room(struct namer *n)
{
	size_t bytes = 0;
	u32 oldest = 0;

	for (u32 i = 0; i < n->nfiles; i++) {
		bytes += symtab__bytes(&n->files[i].table);
		if (n->files[i].used < n->files[oldest].used)
			oldest = i;
	}
	if (n->nfiles && (n->nfiles == NAMES_FILES || bytes > NAMES_BYTES))
		forget_file(n, oldest);
}

static const struct name_file *file_of(struct namer *n, u32 tgid, const struct name_map *m)
{
	struct name_file *f;

	for (u32 i = 0; i < n->nfiles; i++) {
		f = &n->files[i];
		if (f->inode == m->inode && f->major == m->major && f->minor == m->minor) {
			f->used = ++n->clock;
			return f;
		}
	}
	make_room(n);
	f = &n->files[n->nfiles++];
	*f = (struct name_file){
		.inode = m->inode, .major = m->major, .minor = m->minor, .used = ++n->clock};
	read_file(f, tgid, m);
	return f;
}

/* --- what is mapped --- */

static void space__clear(struct name_space *s)
{
	for (u32 i = 0; i < s->n; i++)
		free(s->v[i].path);
	s->n = 0;
}

static void add_map(void *ctx, const struct maps_line *l)
{
	struct name_space *s = ctx;

	if (s->n == MAPS_OF_PROCESS)
		return;
	s->v = xgrow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct name_map){.start = l->start,
					 .end = l->end,
					 .pgoff = l->pgoff,
					 .inode = l->inode,
					 .major = l->dev_major,
					 .minor = l->dev_minor,
					 .path = xstrdup(l->path)};
}

/* What was known stays when it is gone. */
static void space__read(struct name_space *s, u64 now)
{
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/maps", s->tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	s->read_ns = now;
	if (fd < 0)
		return;
	space__clear(s);
	maps__read(fd, add_map, s);
	close(fd);
}

static struct name_space *space_of(struct namer *n, u32 tgid)
{
	struct name_space *oldest = &n->spaces[0];

	for (u32 i = 0; i < NAMES_PROCESSES; i++) {
		struct name_space *s = &n->spaces[i];

		if (s->tgid == tgid)
			return s;
		if (s->used < oldest->used)
			oldest = s;
	}
	space__clear(oldest);
	oldest->tgid = tgid;
	oldest->read_ns = 0;
	return oldest;
}

static const struct name_map *map_at(const struct name_space *s, u64 address)
{
	u32 at;

	BISECT(at, 0, s->n, i, s->v[i].end <= address);
	return at < s->n && address >= s->v[at].start ? &s->v[at] : NULL;
}

static const struct name_map *space__find(struct namer *n, struct name_space *s, u64 address)
{
	const struct name_map *m = map_at(s, address);
	u64 now = clock__monotonic_ns();

	s->used = ++n->clock;
	if (!s->read_ns || now - s->read_ns > (m ? READ_OLD_NS : READ_AGAIN_NS)) {
		space__read(s, now);
		m = map_at(s, address);
	}
	return m;
}

/* The mapping of a file that this one belongs to: what a program begins as zeroes (.bss) lies behind
 * it. */
static const struct name_map *map_of_file(const struct name_space *s, const struct name_map *m)
{
	if (m->inode)
		return m;
	if (*m->path || m == s->v || m[-1].end != m->start || !m[-1].inode)
		return NULL;
	return m - 1;
}

/* Where an address lies in the file's own addresses. */
static bool to_vaddr(const struct name_file *f, const struct name_map *of, u64 address, u64 *vaddr)
{
	u64 page = ~(u64)(sysconf(_SC_PAGESIZE) - 1);

	for (u32 i = 0; i < f->nsegments; i++) {
		const struct name_segment *s = &f->segments[i];
		u64 first = s->offset & page, at = s->vaddr - (s->offset - first);

		if (of->pgoff < first || of->pgoff >= s->offset + MAX(s->filesz, 1u))
			continue;
		*vaddr = address - of->start + of->pgoff - first + at;
		if (*vaddr >= s->vaddr && *vaddr - s->vaddr < s->memsz)
			return true;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Without a symbol. */
static void name_by_map(const struct name_map *m, u64 address, struct address_name *out)
{
	out->offset = address - m->start;
	if (m->inode && *m->path) {
		copy_str(out->text, sizeof(out->text), base_name(m->path));
		out->object = true;
		out->offset += m->pgoff;
	} else if (!strcmp(m->path, "[heap]")) {
		copy_str(out->text, sizeof(out->text), "heap");
	} else if (!strncmp(m->path, "[stack", 6)) {
		copy_str(out->text, sizeof(out->text), "stack");
	} else {
		copy_str(out->text, sizeof(out->text), "anon");
	}
}

static bool name_user(struct namer *n, u32 tgid, u64 address, struct address_name *out)
{
	struct name_space *s = space_of(n, tgid);
	const struct name_map *m = space__find(n, s, address), *of;
	const struct name_file *f;
	u64 vaddr;

	if (!m)
		return false;
	of = map_of_file(s, m);
	f = of ? file_of(n, tgid, of) : NULL;
	name_by_map(m, address, out);
	if (!f || !to_vaddr(f, of, address, &vaddr) || name_in_file(f, tgid, of, vaddr, out))
		return true;
	copy_str(out->text, sizeof(out->text), base_name(of->path));
	out->object = true;
	out->offset = vaddr;
	return true;
}

/* --- lines --- */

static void forget_lines(struct namer *n)
{
	if (n->lines.info)
		debuginfo__close(n->lines.info);
	n->lines.info = NULL;
}

static struct debuginfo *lines_of(struct namer *n, u32 tgid, const struct name_map *of)
{
	char root[40], note[128];
	int fd;

	if (n->lines.inode == of->inode && n->lines.major == of->major && n->lines.minor == of->minor)
		return n->lines.info;
	forget_lines(n);
	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	fd = open_map(tgid, of);
	if (fd >= 0) {
		n->lines.info = debuginfo__open(fd, of->path, root, note, sizeof(note));
		close(fd);
	}
	n->lines.inode = of->inode;
	n->lines.major = of->major;
	n->lines.minor = of->minor;
	return n->lines.info;
}

static bool find_line(const struct address_names *ops, u32 tgid, u64 address, char *buf, size_t size)
{
	struct namer *n = container_of((struct address_names *)ops, struct namer, ops);
	struct name_space *s = space_of(n, tgid);
	const struct name_map *m = space__find(n, s, address), *of = m ? map_of_file(s, m) : NULL;
	const struct name_file *f = of ? file_of(n, tgid, of) : NULL;
	struct debuginfo *info;
	const char *file;
	u64 vaddr;
	u32 line;

	if (!f || !to_vaddr(f, of, address, &vaddr))
		return false;
	info = lines_of(n, tgid, of);
	if (!info || !debuginfo__line(info, vaddr, &file, &line))
		return false;
	snprintf(buf, size, "%s:%u", base_name(file), line);
	return true;
}

/* --- the kernel --- */

static void add_kernel(struct kernel_table *t, u64 start, const char *name)
{
	size_t len = strlen(name) + 1;

	if (t->npool + len > t->pool_cap) {
		t->pool_cap = MAX(t->pool_cap * 2, t->npool + len + 4096);
		t->pool = xrealloc(t->pool, t->pool_cap);
	}
	memcpy(t->pool + t->npool, name, len);
	t->v = xgrow(t->v, t->n, &t->cap, sizeof(*t->v));
	t->v[t->n++] = (struct kernel_symbol){start, (u32)t->npool};
	t->npool += len;
}

/* Of those at one address the first one comes last, and is found. */
static int by_start(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->name < y->name) - (x->name > y->name);
}

static void read_kernel(struct kernel_table *t)
{
	FILE *in = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	u64 address;

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "%" SCNx64 " %c %255s", &address, &type, name) == 3 && address &&
		    strchr("tTwWdDbBrR", type))
			add_kernel(t, address, name);
	if (in)
		fclose(in);
	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_start);
}

static const struct kernel_table *kernel_of(struct namer *n)
{
	if (!n->kernel_read)
		read_kernel(&n->kernel);
	n->kernel_read = true;
	return &n->kernel;
}

/* The last one that begins at or before an address. */
static bool name_kernel(const struct kernel_table *t, u64 address, struct address_name *out)
{
	const struct kernel_symbol *s;
	u32 n;

	BISECT(n, 0, t->n, i, t->v[i].start <= address);
	s = n ? &t->v[n - 1] : NULL;
	return s && fill_name(t->pool + s->name, address - s->start, 0, out);
}

static bool find(const struct address_names *ops, u32 tgid, u64 address, struct address_name *out)
{
	struct namer *n = container_of((struct address_names *)ops, struct namer, ops);

	*out = (struct address_name){0};
	return tgid ? name_user(n, tgid, address, out) : name_kernel(kernel_of(n), address, out);
}

static u64 kernel_symbol(const struct address_names *ops, const char *symbol)
{
	struct namer *n = container_of((struct address_names *)ops, struct namer, ops);
	const struct kernel_table *t = kernel_of(n);

	for (u32 i = 0; i < t->n; i++)
		if (!strcmp(t->pool + t->v[i].name, symbol))
			return t->v[i].start;
	return 0;
}

/* --- all of it --- */

struct namer *namer__new(void)
{
	struct namer *n = xcalloc(1, sizeof(*n));

	n->ops = (struct address_names){find, find_line, kernel_symbol};
	return n;
}

void namer__free(struct namer *n)
{
	if (!n)
		return;
	for (u32 i = 0; i < NAMES_PROCESSES; i++) {
		space__clear(&n->spaces[i]);
		free(n->spaces[i].v);
	}
	while (n->nfiles)
		forget_file(n, n->nfiles - 1);
	free(n->kernel.v);
	free(n->kernel.pool);
	forget_lines(n);
	free(n);
}

const struct address_names *namer__ops(struct namer *n)
{
	return &n->ops;
}
