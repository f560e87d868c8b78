// SPDX-License-Identifier: GPL-2.0-only
/* Trees on screen: chains go straight down, a system call's plumbing is one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tui/views/fold.h"
#include "tui/views/plumbing.h"

#define NONE UINT32_MAX

static u64 first_row(const struct row_table *t, u32 row)
{
	return 1;
}

#define NODE(name_, parent_, depth_, nchildren_)                                                   \
	{.func = 1,                                                                                \
	 .name = name_,                                                                            \
	 .object_name = "",                                                                        \
	 .parent = parent_,                                                                        \
	 .depth = depth_,                                                                          \
	 .nchildren = nchildren_,                                                                  \
	 .key = depth_ * 100 + sizeof(name_)}

/* read <- system call <- libc's read <- two callers */
static const struct tree_node callers[] = {
	NODE("vfs_read", NONE, 1, 1),	 NODE("ksys_read", 0, 2, 1),
	NODE("do_syscall_64", 1, 3, 1),	 NODE("entry_SYSCALL_64_after_hwframe", 2, 4, 1),
	NODE("read", 3, 5, 2),		 NODE("one", 4, 6, 0),
	NODE("other", 4, 6, 0),
};
static const struct row_tree tree = {0, ARRAY_SIZE(callers)};

static struct query_result result_of(const struct tree_node *nodes)
{
	return (struct query_result){.table = {.nrows = 1, .key = first_row},
				     .trees = &tree,
				     .nodes = nodes,
				     .nnodes = ARRAY_SIZE(callers)};
}

static void plumbing_is_one_line(void **state)
{
	static const u32 shown[] = {0, 3, 4};
	struct query_result a = result_of(callers);
	struct fold f = {0};
	char text[64];

	fold__set_row(&f, 1, true);
	fold__layout(&f, &a);
	assert_int_equal(fold__lines(&f, 0), ARRAY_SIZE(shown)); /* who calls read is folded */
	for (u32 i = 0; i < ARRAY_SIZE(shown); i++)
		assert_int_equal(fold__node(&f, 0, i), shown[i]);
	assert_int_equal(plumbing__first(&a, 3), 1);
	assert_string_equal(plumbing__text(&a, 3, text, sizeof(text)), "system call read");
	assert_string_equal(plumbing__text(&a, 0, text, sizeof(text)), "vfs_read");
	fold__set(&f, &callers[4], true);
	fold__layout(&f, &a);
	assert_int_equal(fold__lines(&f, 0), ARRAY_SIZE(shown) + 2);
	fold__fini(&f);
}

static void chains_go_straight_down(void **state)
{
	struct query_result a = result_of(callers);

	assert_int_equal(fold__depth(&a, 0), 1);
	assert_int_equal(fold__depth(&a, 4), 1);
	assert_int_equal(fold__depth(&a, 5), 2);
	assert_true(fold__is_only_child(&a, 4));
	assert_false(fold__is_only_child(&a, 5));
	assert_false(fold__is_only_child(&a, 0));
}

/* Where the chain parts within it, it is shown as far as that. */
static void plumbing_that_parts_is_shown(void **state)
{
	struct tree_node nodes[ARRAY_SIZE(callers)];
	struct query_result a = result_of(nodes);

	memcpy(nodes, callers, sizeof(nodes));
	nodes[2].nchildren = 2;
	assert_true(plumbing__is_hidden(&a, 1));
	assert_false(plumbing__is_hidden(&a, 2));
	assert_int_equal(plumbing__first(&a, 3), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plumbing_is_one_line),
		cmocka_unit_test(chains_go_straight_down),
		cmocka_unit_test(plumbing_that_parts_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
