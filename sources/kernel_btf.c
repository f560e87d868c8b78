// SPDX-License-Identifier: GPL-2.0-only
#include "sources/kernel_btf.h"

#include <bpf/btf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "sources/bpf_util.h"

/* Since 6.16 the file can be mapped, which saves a thousand reads. NULL: it has to be read. */
static struct btf *from_mapping(void)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	struct btf *btf = NULL;
	struct stat st;
	void *data;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size < UINT32_MAX) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED) {
			btf = btf__new(data, (u32)st.st_size);
			munmap(data, (size_t)st.st_size);
		}
	}
	close(fd);
	return btf;
}

static struct btf *read_types(void)
{
	struct btf *btf = from_mapping();

	return btf ? btf : btf__load_vmlinux_btf();
}

static struct btf *shared; /* set once */

struct btf *kernel_btf__get(void)
{
	struct btf *btf = __atomic_load_n(&shared, __ATOMIC_ACQUIRE), *none = NULL;

	if (btf)
		return btf;
	btf = read_types();
	if (!btf || memory__is_little())
		return btf;
	if (__atomic_compare_exchange_n(&shared, &none, btf, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return btf;
	btf__free(btf); /* another thread was faster */
	return none;
}

void kernel_btf__put(struct btf *btf)
{
	if (btf && btf != __atomic_load_n(&shared, __ATOMIC_ACQUIRE))
		btf__free(btf);
}

u32 kernel_btf__arguments(const struct btf *btf, const char *tracepoint)
{
	const struct btf_type *t;
	char name[80];
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* the pointer */
	t = t ? btf__type_by_id(btf, t->type) : NULL; /* the prototype; its first is context */
	return t && btf_is_func_proto(t) && btf_vlen(t) ? btf_vlen(t) - 1 : 0;
}

u32 kernel_btf__parameters(const struct btf *btf, const char *function)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? btf_vlen(t) : 0;
}

bool kernel_btf__has_member(const struct btf *btf, const char *type, const char *member)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	const struct btf_member *m = t ? btf_members(t) : NULL;

	for (u32 i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), member))
			return true;
	return false;
}

void kernel_btf__each_enumerator(const struct btf *btf, const char *type,
				 void (*each)(void *ctx, const char *name, u32 value), void *ctx)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	const struct btf_enum *e = t ? btf_enum(t) : NULL;

	for (u32 i = 0; t && i < btf_vlen(t); i++)
		each(ctx, btf__name_by_offset(btf, e[i].name_off), (u32)e[i].val);
}

static bool find_constant(const struct btf *btf, const struct btf_type *t, const char *name, u32 *value)
{
	const struct btf_enum *e = btf_enum(t);

	for (u32 i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, e[i].name_off), name)) {
			*value = (u32)e[i].val;
			return true;
		}
	return false;
}

bool kernel_btf__constant(const struct btf *btf, const char *name, u32 *value)
{
	for (u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_kind(t) == BTF_KIND_ENUM && find_constant(btf, t, name, value))
			return true;
	}
	return false;
}
