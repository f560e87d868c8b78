// SPDX-License-Identifier: GPL-2.0-only
#include "sources/bpf_globals.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>

/* The variable in a section of data, as BTF has it. */
static const struct btf_var_secinfo *find_in(const struct btf *btf, const char *section,
					     const char *name)
{
	int id = btf__find_by_name_kind(btf, section, BTF_KIND_DATASEC);
	const struct btf_type *sec = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;

	for (u32 i = 0; sec && i < btf_vlen(sec); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(sec)[i];
		const struct btf_type *var = btf__type_by_id(btf, v->type);

		if (var && !strcmp(btf__name_by_offset(btf, var->name_off), name))
			return v;
	}
	return NULL;
}

/* A map of data is named after the object and its section: "syscalls.bss". */
static struct bpf_map *map_of(const struct bpf_object *obj, const char *section)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) {
		const char *dot = strchr(bpf_map__name(map), '.');

		if (dot && !strcmp(dot, section))
			return map;
	}
	return NULL;
}

/* In the place of the memory that libbpf filled the map from, which it unmaps at the end. */
int bpf_globals__map(const struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) {
		size_t size;
		void *at = (void *)bpf_map__initial_value(map, &size);
		u32 flags = bpf_map__map_flags(map);

		if (!at || !(flags & BPF_F_MMAPABLE) || (flags & BPF_F_RDONLY_PROG))
			continue;
		if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 bpf_map__fd(map), 0) == MAP_FAILED)
			return -errno;
	}
	return 0;
}

void *bpf_globals__find(const struct bpf_object *obj, const char *name, size_t size)
{
	static const char *const sections[] = {".bss", ".data", ".rodata"};
	const struct btf *btf = bpf_object__btf(obj);

	for (u32 i = 0; btf && i < ARRAY_SIZE(sections); i++) {
		const struct btf_var_secinfo *v = find_in(btf, sections[i], name);
		struct bpf_map *map = v ? map_of(obj, sections[i]) : NULL;
		size_t room;
		char *data = map ? (char *)bpf_map__initial_value(map, &room) : NULL;

		if (data && v->size >= size && v->offset + size <= room)
			return data + v->offset;
	}
	return NULL;
}
