// SPDX-License-Identifier: GPL-2.0-only
#include "sources/core_btf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "base/memory.h"
#include "sources/bpf_util.h"
#include "sources/kernel_btf.h"

#define OBJECTS_MOST 32
#define NESTED_MOST  64 /* what is embedded in each other */

/* --- which types --- */

/* task_struct___old is task_struct to the kernel. */
static size_t length_of(const char *name)
{
	const char *flavour = strstr(name, "___");

	return flavour ? (size_t)(flavour - name) : strlen(name);
}

static bool may_be_relocated(const struct btf_type *t)
{
	return btf_is_composite(t) || btf_is_any_enum(t) || btf_is_typedef(t);
}

static struct hidx names_of(const struct btf *object)
{
	struct hidx names = {0};

	for (u32 id = 1; id < btf__type_cnt(object); id++) {
		const struct btf_type *t = btf__type_by_id(object, id);
		const char *name = btf__name_by_offset(object, t->name_off);

		if (may_be_relocated(t) && name && *name)
			hidx__put(&names, hash_bytes(name, length_of(name)));
	}
	return names;
}

/* Of the kernel's types those that may be, so that they are looked for once for all objects. */
struct named_types {
	const struct btf *of;
	u32 n, cap;
	struct named_type {
		u64 name; /* its hash */
		u32 id;
	} *v;
};

static void named_types__add_all(struct named_types *all, const struct btf *btf)
{
	u32 n = btf__type_cnt(btf);

	all->of = btf;
	for (u32 id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name;

		if (!t->name_off || !may_be_relocated(t))
			continue;
		name = btf__name_by_offset(btf, t->name_off);
		all->v = xgrow(all->v, all->n, &all->cap, sizeof(*all->v));
		all->v[all->n++] = (struct named_type){hash_bytes(name, length_of(name)), id};
	}
}

/* --- copying --- */

struct copying {
	const struct btf *from;
	struct btf *to;
	u32 *ids; /* in `to`, of each of `from`; 0: it is not there yet */
	u32 pointer;
	bool failed;
};

static u32 copy_type(struct copying *c, u32 id, u32 depth);

/* What a pointer points to is another relocation. */
static u32 any_pointer(struct copying *c)
{
	int id;

	if (!c->pointer) {
		id = btf__add_ptr(c->to, 0);
		c->failed |= id < 0;
		c->pointer = id < 0 ? 0 : (u32)id;
	}
	return c->pointer;
}

/* Types move when others are added. */
static struct btf_type *at(const struct copying *c, u32 id)
{
	return (struct btf_type *)btf__type_by_id(c->to, id);
}

static void copy_members(struct copying *c, u32 from, u32 to, u32 depth)
{
	const struct btf_type *t = btf__type_by_id(c->from, from);

	for (u32 i = 0; i < btf_vlen(t) && !c->failed; i++) {
		u32 id = copy_type(c, btf_members(t)[i].type, depth);

		btf_members(at(c, to))[i].type = id;
	}
}

static void copy_array(struct copying *c, u32 from, u32 to, u32 depth)
{
	const struct btf_array *a = btf_array(btf__type_by_id(c->from, from));
	u32 type = copy_type(c, a->type, depth), index = copy_type(c, a->index_type, depth);

	btf_array(at(c, to))->type = type;
	btf_array(at(c, to))->index_type = index;
}

static void copy_parts(struct copying *c, u32 from, u32 to, u32 depth)
{
	const struct btf_type *t = btf__type_by_id(c->from, from);
	u32 id;

	if (btf_is_composite(t)) {
		copy_members(c, from, to, depth);
	} else if (btf_is_array(t)) {
		copy_array(c, from, to, depth);
	} else if (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)) {
		id = copy_type(c, t->type, depth);
		at(c, to)->type = id;
	}
}

static u32 copy_type(struct copying *c, u32 id, u32 depth)
{
	const struct btf_type *t = btf__type_by_id(c->from, id);
	int new;

	if (!id || !t || c->failed || depth == NESTED_MOST) {
		c->failed |= id != 0;
		return 0;
	}
	if (btf_is_ptr(t) || btf_is_func_proto(t))
		return any_pointer(c);
	if (c->ids[id])
		return c->ids[id];
	new = btf__add_type(c->to, c->from, t);
	if (new < 0) {
		c->failed = true;
		return 0;
	}
	c->ids[id] = (u32)new;
	copy_parts(c, id, (u32)new, depth + 1);
	return (u32)new;
}

static struct btf *copy_named(const struct named_types *kernel, const struct btf *object)
{
	struct copying c = {.from = kernel->of, .to = btf__new_empty()};
	struct hidx names;

	if (!c.to)
		return NULL;
	names = names_of(object);
	c.ids = xcalloc(btf__type_cnt(kernel->of), sizeof(*c.ids));
	for (u32 i = 0; i < kernel->n && !c.failed; i++)
		if (hidx__has(&names, kernel->v[i].name))
			copy_type(&c, kernel->v[i].id, 0);
	hidx__fini(&names);
	free(c.ids);
	if (!c.failed)
		return c.to;
	btf__free(c.to);
	return NULL;
}

struct btf *core_btf__part(const struct btf *kernel, const struct btf *object)
{
	struct named_types named = {0};
	struct btf *part;

	named_types__add_all(&named, kernel);
	part = copy_named(&named, object);
	free(named.v);
	return part;
}

/* Kept with the types. */
static struct btf *part_of_kernel(const struct btf *kernel, const struct btf *object)
{
	static struct named_types named;

	if (memory__is_little())
		return core_btf__part(kernel, object);
	if (named.of != kernel)
		named_types__add_all(&named, kernel);
	return copy_named(&named, object);
}

/* --- as a file --- */

/* The descriptor, or -1. */
static int put_in_memory(struct btf *part)
{
	u32 size;
	const void *data = btf__raw_data(part, &size);
	int fd = data ? memfd_create("proftop-btf", MFD_CLOEXEC) : -1;

	if (fd >= 0 && write(fd, data, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int part_of(const void *elf, size_t size)
{
	struct bpf_object *obj = bpf_object__open_mem(elf, size, NULL);
	struct btf *kernel = obj ? kernel_btf__get() : NULL, *part = NULL;
	int fd = -1;

	if (kernel)
		part = part_of_kernel(kernel, bpf_object__btf(obj));
	kernel_btf__put(kernel);
	if (part)
		fd = put_in_memory(part);
	btf__free(part);
	bpf_object__close(obj);
	return fd;
}

struct known {
	const void *elf;
	char path[40];
	struct bpf_object_open_opts opts;
};

/* Files of this process may be root's alone, when the program got its capabilities from its file. */
static void find(struct known *k, const void *elf, size_t size)
{
	int fd = part_of(elf, size);

	k->elf = elf;
	k->opts.sz = sizeof(k->opts);
	k->opts.btf_custom_path = KERNEL_BTF;
	if (fd < 0)
		return;
	snprintf(k->path, sizeof(k->path), "/proc/self/fd/%d", fd);
	if (!access(k->path, R_OK)) {
		k->opts.btf_custom_path = k->path;
		return;
	}
	close(fd);
}

const struct bpf_object_open_opts *core_btf__opts(const void *elf, size_t size)
{
	static struct known all[OBJECTS_MOST];
	u32 i = 0;

	while (i < OBJECTS_MOST && all[i].elf && all[i].elf != elf)
		i++;
	if (i == OBJECTS_MOST)
		return NULL;
	if (!all[i].elf)
		find(&all[i], elf, size);
	return &all[i].opts;
}
