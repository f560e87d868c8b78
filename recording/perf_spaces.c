// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_spaces.h"

#include <stdio.h>
#include <unistd.h>

#include "symbols/files.h"
#include "symbols/foreign.h"
#include "symbols/maps.h"
#include "symbols/recorded.h"

#define SPACES_TGIDS (1u << 20)
#define EXITED_KEPT  1024 /* samples may be a little late */
#define FILES_TAKEN  65536
#define MAPS_BYTES   ((size_t)512 << 20) /* of all processes */
#define TABLES_BYTES ((size_t)512 << 20) /* unwind tables of all files */
#define NO_OBJECT    UINT32_MAX

struct mapped_file {
	const char *path, *build_id;
	enum file_kind kind;
	u32 object;		  /* NO_OBJECT: not made yet */
	struct unwind_code *code; /* NULL: not looked at yet */
};

struct space {
	u32 tgid, epoch;
	struct maps *maps; /* NULL none */
	u32 jit;	   /* object + 1 of code in no file */
	bool exited;
	char comm[COMM_LEN];
};

struct perf_spaces {
	struct symbols *symbols;
	const struct perf_meta *meta;
	bool same_kernel;
	struct arena names;
	struct space *v;
	u32 n, cap;
	struct hidx by_tgid, by_file;
	struct mapped_file *files;
	u32 nfiles, cap_files;
	u32 exited[EXITED_KEPT], nexited; /* positions, a ring */
	size_t map_bytes, table_bytes;
};

struct perf_spaces *perf_spaces__new(struct symbols *symbols, const struct perf_meta *meta)
{
	struct perf_spaces *p = xcalloc(1, sizeof(*p));

	p->symbols = symbols;
	p->meta = meta;
	arena__init(&p->names);
	return p;
}

void perf_spaces__free(struct perf_spaces *p)
{
	if (!p)
		return;
	for (u32 i = 0; i < p->n; i++)
		maps__put(p->v[i].maps);
	for (u32 i = 0; i < p->nfiles; i++) {
		if (p->files[i].code)
			unwind_code__fini(p->files[i].code);
		free(p->files[i].code);
	}
	free(p->v);
	free(p->files);
	hidx__fini(&p->by_tgid);
	hidx__fini(&p->by_file);
	arena__fini(&p->names);
	free(p);
}

void perf_spaces__same_kernel(struct perf_spaces *p)
{
	p->same_kernel = true;
}

/* --- processes --- */

static struct space *find(const struct perf_spaces *p, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &p->by_tgid, mix64(tgid), pos, p->v[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &p->v[at];
}

/* NULL: there are too many. */
static struct space *know(struct perf_spaces *p, u32 tgid)
{
	struct space *s = find(p, tgid);

	if (s || p->n == SPACES_TGIDS)
		return s;
	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	s = &p->v[p->n];
	*s = (struct space){.tgid = tgid};
	hidx__add(&p->by_tgid, mix64(tgid), p->n++);
	return s;
}

static void set_maps(struct perf_spaces *p, struct space *s, struct maps *maps)
{
	/* What is shared counts for each; it is a bound. */
	if (s->maps)
		p->map_bytes -= maps__bytes(s->maps);
	maps__put(s->maps);
	s->maps = maps;
	if (maps)
		p->map_bytes += maps__bytes(maps);
	s->epoch++;
	s->jit = 0;
}

void perf_spaces__exec(struct perf_spaces *p, u32 tgid)
{
	struct space *s = know(p, tgid);

	if (!s)
		return;
	set_maps(p, s, NULL);
	s->exited = false;
}

void perf_spaces__fork(struct perf_spaces *p, u32 tgid, u32 parent)
{
	struct space *s, *from;

	if (tgid == parent)
		return;
	s = know(p, tgid);
	from = find(p, parent);
	if (!s || !from)
		return;
	set_maps(p, s, from->maps ? maps__get(from->maps) : NULL);
	memcpy(s->comm, from->comm, sizeof(s->comm));
	s->exited = false;
}

/* Whoever exited longest ago is forgotten. */
void perf_spaces__exit(struct perf_spaces *p, u32 tgid)
{
	struct space *s = find(p, tgid), *old;
	u32 *slot = &p->exited[p->nexited % EXITED_KEPT];

	if (!s || s->exited)
		return;
	old = &p->v[*slot];
	if (p->nexited >= EXITED_KEPT && old->exited)
		set_maps(p, old, NULL);
	s->exited = true;
	*slot = (u32)(s - p->v);
	p->nexited++;
}

void perf_spaces__name(struct perf_spaces *p, u32 tgid, const char *comm)
{
	struct space *s = know(p, tgid);

	if (s)
		copy_str(s->comm, sizeof(s->comm), comm);
}

u32 perf_spaces__epoch(const struct perf_spaces *p, u32 tgid)
{
	const struct space *s = find(p, tgid);

	return s ? s->epoch : 0;
}

/* --- files --- */

static bool is_file(const struct mapped_file *f, const char *path, const char *build_id)
{
	return !strcmp(f->path, path) && !strcmp(f->build_id, build_id);
}

/* Position; the last one of all when there are too many. */
static u32 intern_file(struct perf_spaces *p, const char *path, const char *build_id)
{
	u64 hash =
		mix64_pair(hash_bytes(path, strlen(path)), hash_bytes(build_id, strlen(build_id)));
	struct mapped_file *f;
	u32 at;

	HIDX_FIND(at, &p->by_file, hash, pos, is_file(&p->files[pos], path, build_id));
	if (at != HIDX_NONE)
		return at;
	if (p->nfiles == FILES_TAKEN)
		return FILES_TAKEN - 1;
	p->files = xgrow(p->files, p->nfiles, &p->cap_files, sizeof(*f));
	f = &p->files[p->nfiles];
	*f = (struct mapped_file){.path = arena__strdup(&p->names, path),
				  .build_id = arena__strdup(&p->names, build_id),
				  .object = NO_OBJECT};
	/* Records need not have the inode; what it is, its path tells as well. */
	f->kind = file_key__kind(&(struct file_key){.inode = 1, .path = f->path});
	hidx__add(&p->by_file, hash, p->nfiles);
	return p->nfiles++;
}

static void to_hex(const u8 *id, u32 n, char hex[41])
{
	hex[0] = '\0';
	for (u32 i = 0; i < n && i < 20; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
}

void perf_spaces__mmap(struct perf_spaces *p, const struct perf_record *r)
{
	struct mapping m = {.start = r->start, .end = r->start + r->len, .pgoff = r->offset};
	struct space *s = r->executable ? know(p, r->pid) : NULL;
	char hex[41];

	if (!s || p->map_bytes + (s->maps ? maps__bytes(s->maps) : 0) > MAPS_BYTES)
		return;
	if (r->build_id)
		to_hex(r->build_id, r->nbuild_id, hex);
	else
		copy_str(hex, sizeof(hex), perf_meta__build_id_of(p->meta, r->text));
	m.file = intern_file(p, r->text, hex);
	if (!s->maps)
		s->maps = maps__new();
	else
		p->map_bytes -= maps__bytes(s->maps);
	maps__own(&s->maps);
	maps__add(s->maps, &m);
	p->map_bytes += maps__bytes(s->maps);
	s->epoch++;
}

/* --- addresses --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static u32 jit_object(struct perf_spaces *p, struct space *s)
{
	char name[64];

	if (s->jit)
		return s->jit - 1;
	snprintf(name, sizeof(name), "[jit] %s:%u", s->comm, s->tgid);
	s->jit = 1 + symbols__foreign_object(
			     p->symbols,
			     &(struct sym_object){
				     .kind = CODE_JIT, .name = name, .path = "", .tgid = s->tgid},
			     "");
	return s->jit - 1;
}

static u32 file_object(struct perf_spaces *p, struct mapped_file *f)
{
	struct sym_object o = {.kind = f->kind == FILE_VDSO ? CODE_VDSO : CODE_USER,
			       .name = base_name(f->path),
			       .path = f->path};

	if (f->object != NO_OBJECT)
		return f->object;
	if (f->kind == FILE_VDSO && !p->same_kernel)
		f->object = symbols__recorded_object(p->symbols, &o, f->build_id);
	else
		f->object = symbols__foreign_object(p->symbols, &o, f->build_id);
	return f->object;
}

static struct mapping *mapping_at(const struct space *s, u64 ip)
{
	return s && s->maps ? maps__find(s->maps, ip, UINT64_MAX) : NULL;
}

static bool is_jit(const struct mapped_file *f)
{
	return f->kind == FILE_ANON || f->kind == FILE_MEMFD;
}

u32 perf_spaces__locate(struct perf_spaces *p, u32 tgid, u64 ip)
{
	struct space *s = find(p, tgid);
	struct mapping *m = mapping_at(s, ip);
	struct mapped_file *f;
	u64 offset;

	if (!m)
		return SYM_UNKNOWN;
	f = &p->files[m->file];
	if (is_jit(f))
		return symbols__foreign_loc(p->symbols, jit_object(p, s), ip);
	offset = ip - m->start + m->pgoff;
	if (f->kind == FILE_VDSO && !p->same_kernel)
		return symbols__recorded_loc(
			p->symbols,
			&(struct recorded_loc){.object = file_object(p, f), .offset = offset});
	return symbols__foreign_loc(p->symbols, file_object(p, f), offset);
}

static void read_file_code(struct perf_spaces *p, struct mapped_file *f)
{
	int fd = symbols__foreign_file(p->symbols, file_object(p, f));

	if (fd < 0)
		return;
	unwind_code__read(f->code, fd, "", f->path);
	close(fd);
}

static void read_code(struct perf_spaces *p, struct mapped_file *f)
{
	f->code = xcalloc(1, sizeof(*f->code));
	if (p->table_bytes >= TABLES_BYTES)
		return;
	if (f->kind == FILE_DISK)
		read_file_code(p, f);
	else if (f->kind == FILE_VDSO && p->same_kernel)
		unwind_code__read_vdso(f->code);
	p->table_bytes += (size_t)f->code->table.nrows * sizeof(struct unwind_row);
}

const struct unwind_code *perf_spaces__code(struct perf_spaces *p, u32 tgid, u64 ip, u64 *offset)
{
	struct mapping *m = mapping_at(find(p, tgid), ip);
	struct mapped_file *f = m ? &p->files[m->file] : NULL;

	if (!f)
		return NULL;
	if (!f->code)
		read_code(p, f);
	*offset = ip - m->start + m->pgoff;
	return f->code;
}

/* One without any symbol has no names either. */
static bool is_missing(const struct perf_spaces *p, const struct mapped_file *f)
{
	const struct sym_object_info *info;
	int fd;

	if (f->kind != FILE_DISK || f->object == NO_OBJECT)
		return false;
	info = symbols__object_info(p->symbols, f->object);
	if (!info || strcmp(info->source, "none"))
		return false;
	fd = symbols__foreign_file(p->symbols, f->object);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

u32 perf_spaces__missing(const struct perf_spaces *p, char *example, size_t size)
{
	u32 missing = 0;

	*example = '\0';
	for (u32 i = 0; i < p->nfiles; i++)
		if (is_missing(p, &p->files[i]) && !missing++)
			copy_str(example, size, p->files[i].path);
	return missing;
}
