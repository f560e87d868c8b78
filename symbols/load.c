// SPDX-License-Identifier: GPL-2.0-only
/* The symbols of objects: read once, when the first of them is asked for, and looked at again. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "symbols/code.h"
#include "symbols/kallsyms.h"
#include "symbols/object_file.h"
#include "symbols/perfmap.h"
#include "symbols/resolver.h"

#define KALLSYMS_WAIT (5 * NSEC_PER_SEC)
#define KALLSYMS_SHARE 1000 /* who is quiet takes one of so many parts of the time to read them again, at most */

struct resolver *resolver__new(struct symbols *s)
{
	struct resolver *r = xcalloc(1, sizeof(*r));

	r->s = s;
	return r;
}

static void free_code(struct resolver *r, struct code *c)
{
	if (!c)
		return;
	r->bytes -= sizeof(*c) + symtab__bytes(&c->tab);
	if (c->kallsyms)
		r->bytes -= kallsyms__bytes(c->kallsyms);
	kallsyms__free(c->kallsyms);
	perfmap__free(c->perfmap);
	code__fini(c);
	free(c);
}

void resolver__free(struct resolver *r)
{
	for (u32 i = 0; i < stable__count(&r->s->objects); i++)
		free_code(r, symbols__obj(r->s, i)->code);
	hidx__fini(&r->funcs);
	hidx__fini(&r->build_ids);
	hidx__fini(&r->modules);
	free(r);
}

u64 resolver__bytes(const struct resolver *r)
{
	return r->bytes + ((u64)r->funcs.mask + r->build_ids.mask) * sizeof(struct hidx_slot);
}

/* --- loading --- */

/* A file with symbols does not take the table of one that was stripped of them. */
static bool is_twin(const struct resolver *r, u32 object, const struct code *c)
{
	const struct code *known = symbols__obj(r->s, object)->code;

	return known && known->has_symtab >= c->has_symtab &&
	       !strcmp(known->build_id, c->build_id) && code__same_segments(known, c);
}

/* An object that is the same by build-id and segments: never by name. */
static u32 find_twin(void *ctx, const struct code *c)
{
	struct resolver *r = ctx;
	u64 hash = hash_bytes(c->build_id, strlen(c->build_id));
	u32 found;

	if (!c->build_id[0])
		return 0;
	HIDX_FIND(found, &r->build_ids, hash, pos, is_twin(r, pos, c));
	return found == HIDX_NONE ? 0 : found;
}

static void set_unread(struct resolver *r, struct object *o, bool unread)
{
	pthread_mutex_lock(&r->s->lock);
	o->unread = unread;
	pthread_mutex_unlock(&r->s->lock);
}

static void load_file(struct resolver *r, struct object *o, struct code *c)
{
	int fd = object__fd(r->s, o->pub.id, FILE_MAIN);
	char root[64];
	struct code_origin origin = {.path = o->pub.path};

	if (o->pub.path[0] != '/')
		return;
	if (fd < 0) {
		const char *why = fd == -ESTALE ? "replaced since it was mapped"
				  : fd == -EACCES || fd == -EPERM
					  ? "not readable by this user: run as root"
					  : "gone before it could be read";

		snprintf(c->note, sizeof(c->note), "%s; its functions have no names", why);
		set_unread(r, o, true);
		return;
	}
	origin.root = object__root(r->s, o->pub.id, root, sizeof(root));
	code__load_elf(c, fd, &origin, find_twin, r);
	if (c->is_elf && !c->canonical && c->build_id[0])
		hidx__add(&r->build_ids, hash_bytes(c->build_id, strlen(c->build_id)), o->pub.id);
}

/* The vsyscall page is no ELF file: three functions at fixed places. */
static void load_vsyscall(struct code *c)
{
	static const char *const names[] = {"gettimeofday", "time", "getcpu"};
	struct symtab_builder b;

	symtab_builder__init(&b);
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		symtab_builder__add(&b, i * 1024, 1024, NAME_POOL,
				    symtab_builder__pool(&b, names[i], strlen(names[i])),
				    RANK_GLOBAL);
	symtab_builder__finish(&b, 4096, &c->tab);
	snprintf(c->source, sizeof(c->source), "vsyscall");
	symtab_builder__fini(&b);
}

static void load_vdso(struct code *c)
{
	size_t size;
	const void *image = object__vdso(&size);

	if (!image)
		return;
	code__load_image(c, image, size);
	snprintf(c->source, sizeof(c->source), "vdso");
}

static void load_kernel(struct resolver *r, struct code *c)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	u64 began_ns = clock__monotonic_ns();

	c->kallsyms = kallsyms__read(fd);
	if (fd >= 0)
		close(fd);
	r->kallsyms_at_ns = clock__monotonic_ns();
	r->kallsyms_took_ns = r->kallsyms_at_ns - began_ns;
	r->bytes += kallsyms__bytes(c->kallsyms);
	c->has_symtab = kallsyms__count(c->kallsyms);
	atomic_store_explicit(&r->s->addresses,
			      kallsyms__hidden(c->kallsyms) ? ADDRESSES_HIDDEN : ADDRESSES_TOLD,
			      memory_order_relaxed);
	if (c->has_symtab)
		snprintf(c->source, sizeof(c->source), "kallsyms");
	else if (kallsyms__hidden(c->kallsyms))
		snprintf(c->note, sizeof(c->note), SYMBOLS_HIDDEN);
	else
		snprintf(c->note, sizeof(c->note), "there is no readable /proc/kallsyms");
}

void resolver__keep_open(struct resolver *r, const struct object *o)
{
	u32 *oldest = &r->open_maps[r->nopened % PERFMAPS_OPEN];

	for (u32 i = 0; i < PERFMAPS_OPEN; i++)
		if (r->open_maps[i] == o->pub.id)
			return;
	if (*oldest)
		perfmap__rest(symbols__obj(r->s, *oldest)->code->perfmap);
	*oldest = o->pub.id;
	r->nopened++;
}

static void load_jit(struct resolver *r, struct object *o, struct code *c)
{
	struct via via;

	pthread_mutex_lock(&r->s->lock);
	via = o->via;
	pthread_mutex_unlock(&r->s->lock);
	c->perfmap = perfmap__new(o->pub.tgid, via.parent);
	perfmap__refresh(c->perfmap);
	resolver__keep_open(r, o);
}

static void publish_info(struct resolver *r, struct object *o)
{
	const struct code *c = o->code, *best = c;
	struct sym_object_info *info;

	if (c->canonical)
		best = symbols__obj(r->s, c->canonical)->code;
	pthread_mutex_lock(&r->s->table_lock);
	info = arena__alloc(&r->s->names, sizeof(*info));
	pthread_mutex_unlock(&r->s->table_lock);
	copy_str(info->build_id, sizeof(info->build_id),
		 o->foreign && *o->recorded ? o->recorded : c->build_id);
	info->has_symtab = best->has_symtab;
	info->has_dwarf = best->has_dwarf;
	copy_str(info->source, sizeof(info->source), best->source[0] ? best->source : "none");
	copy_str(info->note, sizeof(info->note), best->note);
	if (c->perfmap) {
		if (perfmap__count(c->perfmap))
			snprintf(info->source, sizeof(info->source), "perf-map");
		copy_str(info->note, sizeof(info->note), perfmap__note(c->perfmap));
	}
	atomic_store_explicit(&o->info, info, memory_order_release);
}

static void load(struct resolver *r, struct object *o)
{
	struct code *c = xcalloc(1, sizeof(*c));

	o->code = c;
	switch (o->pub.kind) {
	case CODE_USER:
		if (!strcmp(o->pub.path, "[vsyscall]"))
			load_vsyscall(c);
		else
			load_file(r, o, c);
		break;
	case CODE_VDSO:
		load_vdso(c);
		break;
	case CODE_KERNEL:
	case CODE_BPF:
		if (o->pub.id == r->s->kernel_object)
			load_kernel(r, c);
		else
			snprintf(c->source, sizeof(c->source), "kallsyms");
		break;
	case CODE_JIT:
		load_jit(r, o, c);
		break;
	default:
		break;
	}
	r->bytes += sizeof(*c) + symtab__bytes(&c->tab);
	publish_info(r, o);
}

struct code *resolver__load(struct resolver *r, u32 object)
{
	struct object *o = symbols__obj(r->s, object);

	if (!o)
		return NULL;
	if (!o->code)
		load(r, o);
	return o->code;
}

/* --- looking again --- */

static bool refresh_kernel(struct resolver *r, struct code *c)
{
	u64 now = clock__monotonic_ns();
	bool quiet = memory__is_little();

	if (now - r->kallsyms_at_ns < MAX(KALLSYMS_WAIT, quiet ? r->kallsyms_took_ns * KALLSYMS_SHARE : 0))
		return false;
	r->bytes -= kallsyms__bytes(c->kallsyms);
	kallsyms__free(c->kallsyms);
	load_kernel(r, c);
	return true;
}

/* Another process has been seen with the file that could not be read. */
static bool refresh_file(struct resolver *r, struct object *o)
{
	bool unread;

	pthread_mutex_lock(&r->s->lock);
	unread = o->unread;
	pthread_mutex_unlock(&r->s->lock);
	if (unread || o->code->is_elf)
		return false;
	free_code(r, o->code);
	o->code = NULL;
	load(r, o);
	return o->code->is_elf;
}

bool resolver__refresh(struct resolver *r, u32 object)
{
	struct object *o = symbols__obj(r->s, object);
	bool more;

	if (o->pub.kind == CODE_KERNEL)
		return o->code->kallsyms && refresh_kernel(r, o->code);
	if (o->pub.kind != CODE_JIT)
		return refresh_file(r, o);
	more = perfmap__refresh(o->code->perfmap);
	resolver__keep_open(r, o);
	if (more)
		publish_info(r, o);
	return more;
}
