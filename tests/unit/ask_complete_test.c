// SPDX-License-Identifier: GPL-2.0-only
/* What Tab offers in a question over this kernel's types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "tui/app.h"

/* The help that stands beside it; NULL: it is not offered. */
static const char *offered(const char *question, const char *text)
{
	static struct completions list;
	struct options o = {.no_config = true};
	struct host h = {.options = &o};

	memset(&list, 0, sizeof(list));
	ask__complete(&h, question, (u32)strlen(question), &list);
	for (u32 i = 0; i < list.n; i++)
		if (!strcmp(list.items[i].text, text))
			return list.items[i].help;
	return NULL;
}

static void no_types(void)
{
	if (!access("/sys/kernel/btf/vmlinux", R_OK))
		return;
	print_message("skip: this kernel has no BTF\n");
	skip();
}

static void tracepoints_and_arguments(void **state)
{
	no_types();
	assert_non_null(offered("count btf:sched_swi", "btf:sched_switch"));
	assert_null(offered("count btf:sched_swi", "btf:sched_wakeup"));
	assert_null(offered("count btf:sched_swi", "sched:"));
	assert_string_equal(offered("count btf:sched_switch by ", "prev"), "pointer");
	assert_non_null(offered("count btf:sched_switch by ", "pid"));
}

static void members(void **state)
{
	no_types();
	assert_string_equal(offered("count btf:sched_switch by prev->pi", "pid"), "s32");
	assert_string_equal(offered("count btf:sched_switch by prev->com", "comm"), "text");
	assert_string_equal(offered("count btf:sched_switch if prev->se.sum_exec", "sum_exec_runtime"), "u64");
	assert_non_null(offered("count btf:sched_switch if 1 + current->real_parent->com", "comm"));
	/* Neither words nor clauses are members. */
	assert_null(offered("count btf:sched_switch by prev->", "cpu"));
	assert_null(offered("count btf:sched_switch by prev->", "if "));
	assert_null(offered("count btf:sched_switch by nothing->", "comm"));
	assert_null(offered("count btf:sched_switch by prev->comm.", "pid"));
	assert_null(offered("count btf:sched_switch if 3 > ", "comm->"));
	assert_non_null(offered("count btf:sched_switch if 3 > ", "prev"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracepoints_and_arguments),
		cmocka_unit_test(members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
