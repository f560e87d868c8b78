// SPDX-License-Identifier: GPL-2.0-only
/* Which of the page cache's events serve: by types as kernels of several releases have them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/btf.h>

#include "base/base.h"
#include "sources/cache_fit.h"

/* A function's type, with so many arguments. */
static int add_proto(struct btf *btf, u32 arguments)
{
	int word = btf__find_by_name_kind(btf, "word", BTF_KIND_INT), id;

	if (word < 0)
		word = btf__add_int(btf, "word", 8, 0);
	id = btf__add_func_proto(btf, word);
	for (u32 i = 0; i < arguments; i++)
		assert_int_equal(btf__add_func_param(btf, "argument", word), 0);
	return id;
}

static void add_function(struct btf *btf, const char *name, u32 arguments)
{
	assert_true(btf__add_func(btf, name, BTF_FUNC_STATIC, add_proto(btf, arguments)) > 0);
}

static void add_tracepoint(struct btf *btf, const char *type, u32 arguments)
{
	int pointer = btf__add_ptr(btf, add_proto(btf, arguments + 1));

	assert_true(btf__add_typedef(btf, type, pointer) > 0);
}

static struct btf *kernel(u32 get_pages, u32 perform_write)
{
	struct btf *btf = btf__new_empty();

	assert_non_null(btf);
	if (get_pages)
		add_function(btf, "filemap_get_pages", get_pages);
	add_function(btf, "filemap_fault", 1);
	add_function(btf, "filemap_map_pages", 3);
	add_function(btf, "generic_perform_write", perform_write);
	return btf;
}

static struct cache_fit choose(struct btf *btf, bool functions)
{
	struct cache_fit f;

	cache_fit__choose(btf, functions, &f);
	btf__free(btf);
	return f;
}

static bool tells(const struct cache_fit *f, const char *type)
{
	for (u32 i = 0; f->types_seen[i]; i++)
		if (!strcmp(f->types_seen[i], type))
			return true;
	return false;
}

static void test_functions_where_no_tracepoint_tells(void **state)
{
	struct cache_fit f = choose(kernel(3, 2), true); /* 6.1 */

	assert_int_equal(f.reads, CACHE_SEEN_BY_FUNCTIONS);
	assert_true(f.functions && f.writes && !f.get_pages_has_count && tells(&f, "vfat"));
	f = choose(kernel(4, 2), true); /* 6.8 */
	assert_int_equal(f.reads, CACHE_SEEN_BY_FUNCTIONS);
	assert_true(f.get_pages_has_count);
}

static void test_tracepoints_serve_where_they_are(void **state)
{
	struct btf *btf = kernel(4, 2);
	struct cache_fit f;

	add_tracepoint(btf, "btf_trace_mm_filemap_get_pages", 3); /* 6.11 */
	f = choose(btf, true);
	assert_int_equal(f.reads, CACHE_SEEN_BY_TRACEPOINTS);
	assert_true(f.functions && f.writes);
}

static void test_no_functions_to_be_had(void **state)
{
	struct cache_fit f = choose(kernel(3, 2), false);

	assert_int_equal(f.reads, CACHE_SEEN_BY_NOTHING);
	assert_true(!f.functions && !f.writes && !f.types_seen[0]);
}

static void test_functions_of_another_kind(void **state)
{
	struct cache_fit f = choose(kernel(0, 3), true); /* part of its callers; 5.17's arguments */

	assert_int_equal(f.reads, CACHE_SEEN_BY_NOTHING);
	assert_true(!f.functions && !f.writes);
	f = choose(kernel(5, 3), true); /* as no kernel we know has it */
	assert_int_equal(f.reads, CACHE_SEEN_BY_NOTHING);
}

static void test_last_page_by_release(void **state)
{
	assert_true(cache_fit__last_is_end("6.12.1-amd64"));
	assert_true(cache_fit__last_is_end("5.15"));
	assert_false(cache_fit__last_is_end("6.16.0"));
	assert_false(cache_fit__last_is_end("7.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_where_no_tracepoint_tells),
		cmocka_unit_test(test_tracepoints_serve_where_they_are),
		cmocka_unit_test(test_no_functions_to_be_had),
		cmocka_unit_test(test_functions_of_another_kind),
		cmocka_unit_test(test_last_page_by_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
