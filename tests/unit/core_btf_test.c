// SPDX-License-Identifier: GPL-2.0-only
/* The part of the kernel's types that programs are relocated by: made-up types, and this kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/btf.h>

#include "base/base.h"
#include "sources/core_btf.h"

static const struct btf_type *find(const struct btf *btf, const char *name, u32 kind)
{
	int id = btf__find_by_name_kind(btf, name, kind);

	return id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
}

/* struct inner { int x; }; struct other { int y; };
 * struct outer { struct inner in[2]; struct other *to; struct outer *next; }; enum colour { RED = 7 }; */
static struct btf *kernel(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), inner, other, array, pointer, self;

	inner = btf__add_struct(btf, "inner", 4);
	btf__add_field(btf, "x", number, 0, 0);
	other = btf__add_struct(btf, "other", 4);
	btf__add_field(btf, "y", number, 0, 0);
	array = btf__add_array(btf, number, inner, 2);
	pointer = btf__add_ptr(btf, other);
	self = btf__add_ptr(btf, pointer + 2);
	assert_int_equal(btf__add_struct(btf, "outer", 24), self + 1);
	btf__add_field(btf, "in", array, 0, 0);
	btf__add_field(btf, "to", pointer, 64, 0);
	btf__add_field(btf, "next", self, 128, 0);
	btf__add_enum(btf, "colour", 4);
	btf__add_enum_value(btf, "RED", 7);
	btf__add_enum(btf, "unused", 4);
	btf__add_enum_value(btf, "BLUE", 8);
	return btf;
}

/* What is embedded comes along, what is pointed to does not; flavours are the kernel's names. */
static void what_is_named_is_there(void **state)
{
	struct btf *all = kernel(), *object = btf__new_empty(), *part;
	const struct btf_type *t;
	const struct btf_array *a;

	btf__add_struct(object, "outer___old", 24);
	btf__add_enum(object, "colour", 4);
	part = core_btf__part(all, object);
	assert_non_null(part);
	t = find(part, "outer", BTF_KIND_STRUCT);
	assert_non_null(t);
	assert_int_equal(t->size, 24);
	assert_int_equal(btf_vlen(t), 3);
	assert_string_equal(btf__name_by_offset(part, btf_members(t)[2].name_off), "next");
	assert_int_equal(btf_member_bit_offset(t, 2), 128);
	assert_true(btf_is_ptr(btf__type_by_id(part, btf_members(t)[1].type)));
	a = btf_array(btf__type_by_id(part, btf_members(t)[0].type));
	assert_int_equal(a->nelems, 2);
	t = btf__type_by_id(part, a->type);
	assert_string_equal(btf__name_by_offset(part, t->name_off), "inner");
	assert_int_equal(btf__resolve_size(part, btf_members(find(part, "outer", BTF_KIND_STRUCT))[0].type), 8);
	assert_int_equal(btf_enum(find(part, "colour", BTF_KIND_ENUM))[0].val, 7);
	assert_null(find(part, "other", BTF_KIND_STRUCT));
	assert_null(find(part, "unused", BTF_KIND_ENUM));
	btf__free(part);
	btf__free(object);
	btf__free(all);
}

/* Each member of the running kernel's largest structs is where it is in the whole. */
static void this_kernels_structs(void **state)
{
	static const char *const names[] = {"task_struct", "mm_struct", "file", "sock", "request"};
	struct btf *all = btf__load_vmlinux_btf(), *object = btf__new_empty(), *part;

	if (!all) {
		print_message("skip: this kernel has no BTF\n");
		btf__free(object);
		skip();
	}
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		btf__add_struct(object, names[i], 8);
	part = core_btf__part(all, object);
	assert_non_null(part);
	assert_true(btf__type_cnt(part) < btf__type_cnt(all) / 10);
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		const struct btf_type *whole = find(all, names[i], BTF_KIND_STRUCT),
				      *t = find(part, names[i], BTF_KIND_STRUCT);

		assert_non_null(t);
		assert_int_equal(t->size, whole->size);
		assert_int_equal(btf_vlen(t), btf_vlen(whole));
		for (u32 k = 0; k < btf_vlen(t); k++) {
			const struct btf_member *m = &btf_members(t)[k], *w = &btf_members(whole)[k];

			assert_string_equal(btf__name_by_offset(part, m->name_off),
					    btf__name_by_offset(all, w->name_off));
			assert_int_equal(m->offset, w->offset);
			assert_int_equal(btf__resolve_size(part, m->type),
					 btf__resolve_size(all, w->type));
		}
	}
	btf__free(part);
	btf__free(object);
	btf__free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_named_is_there),
		cmocka_unit_test(this_kernels_structs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
