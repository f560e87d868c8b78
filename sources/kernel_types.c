// SPDX-License-Identifier: GPL-2.0-only
#include "sources/kernel_types.h"

#include <bpf/btf.h>
#include <errno.h>

#include "sources/kernel_btf.h"
#include "sources/question_btf.h"

struct question_btf *kernel_types__btf(void)
{
	static struct question_btf *shared; /* set once */
	struct question_btf *types = __atomic_load_n(&shared, __ATOMIC_ACQUIRE), *none = NULL;
	struct btf *btf = types ? NULL : kernel_btf__get();

	if (!btf)
		return types;
	types = question_btf__new(btf);
	if (__atomic_compare_exchange_n(&shared, &none, types, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return types;
	question_btf__free(types); /* another thread was faster */
	kernel_btf__put(btf);
	return none;
}

static const struct type_resolver *kernel(void)
{
	struct question_btf *types = kernel_types__btf();

	return types ? question_btf__types(types) : NULL;
}

static u32 find(const struct type_resolver *r, const char *name)
{
	const struct type_resolver *k = kernel();

	return k ? k->find(k, name) : 0;
}

static int member(const struct type_resolver *r, u32 type_id, const char *name, struct field *out)
{
	const struct type_resolver *k = kernel();

	return k ? k->member(k, type_id, name, out) : -ENOENT;
}

static bool name_at(const struct type_resolver *r, u32 type_id, u32 i, char *buf, size_t size)
{
	const struct type_resolver *k = kernel();

	return k && k->name(k, type_id, i, buf, size);
}

static bool constant_at(const struct type_resolver *r, u32 type_id, u32 i, char *buf, size_t size,
			s64 *value)
{
	const struct type_resolver *k = kernel();

	return k && k->constant(k, type_id, i, buf, size, value);
}

static u32 function(const struct type_resolver *r, const char *name)
{
	const struct type_resolver *k = kernel();

	return k ? k->function(k, name) : 0;
}

const struct type_resolver kernel_types = {
	.find = find, .member = member, .name = name_at, .constant = constant_at, .function = function};
