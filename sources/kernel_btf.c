// SPDX-License-Identifier: GPL-2.0-only
#include "sources/kernel_btf.h"

#include <bpf/btf.h>
#include <stdio.h>

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
