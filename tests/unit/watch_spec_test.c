// SPDX-License-Identifier: GPL-2.0-only
/* What --watch takes: places in this very program, access, length, and what is refused. */
#include <linux/hw_breakpoint.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "sources/watch_spec.h"

u64 watched_number[3];
u32 watched_small;

static struct watch_spec parsed(const char *fmt)
{
	static char text[PATH_MAX];
	struct watch_spec w;
	struct status st = {0};

	snprintf(text, sizeof(text), fmt, "/proc/self/exe");
	if (watch_spec__parse(&w, text, &st))
		fail_msg("%s: %s", text, st.msg);
	return w;
}

static void test_places(void **state)
{
	struct watch_spec w = parsed("%s:watched_small"), first = parsed("%s:watched_number/8:w");

	assert_int_equal(w.len, 4);
	assert_int_equal(w.access, HW_BREAKPOINT_W);
	assert_string_equal(w.symbol, "watched_small");
	w = parsed("%s:watched_number+16/4:rw");
	assert_int_equal(w.at, first.at + 16);
	assert_int_equal(w.len, 4);
	assert_int_equal(w.access, HW_BREAKPOINT_RW);
	assert_string_equal(w.symbol, "watched_number+16");
	assert_int_equal(parsed("%s:main:x").access, HW_BREAKPOINT_X);
	assert_int_equal(parsed("%s:watched_small:r").access, HW_BREAKPOINT_RW);
	w = parsed("0x7f00001000/8:w");
	assert_int_equal(w.at, 0x7f00001000);
	assert_string_equal(w.path, "");
}

/* Of one process: an address, what is mapped, a symbol of its program. */
static void test_processes(void **state)
{
	char text[64];
	struct watch_spec w = parsed("pid:12:0x7f00001000/8:rw");

	assert_int_equal(w.pid, 12);
	assert_int_equal(w.at, 0x7f00001000);
	assert_int_equal(w.len, 8);
	assert_int_equal(w.access, HW_BREAKPOINT_RW);
	assert_false(w.is_mapped);
	w = parsed("pid:12:[heap]+0x1000");
	assert_true(w.is_mapped);
	assert_string_equal(w.path, "[heap]");
	assert_string_equal(w.symbol, "[heap]+0x1000");
	assert_int_equal(w.at, 0x1000);
	assert_int_equal(w.len, 4);
	w = parsed("pid:12:/var/lib/a+b/data+0x200000/8:w if changed");
	assert_string_equal(w.path, "/var/lib/a+b/data");
	assert_int_equal(w.at, 0x200000);
	assert_int_equal(w.len, 8);
	assert_int_equal(w.condition.n, 1);
	snprintf(text, sizeof(text), "pid:%d:watched_small:rw", (int)getpid());
	w = parsed(text);
	assert_int_equal(w.pid, getpid());
	assert_int_equal(w.at, parsed("%s:watched_small").at);
	assert_int_equal(w.access, HW_BREAKPOINT_RW);
}

struct watched_inner {
	int a, b;
};
struct watched_outer {
	struct watched_outer *next;
	union {
		long whole;
		int half[2];
	};
	struct watched_inner inner[3][2];
} watched_outer;
typedef const struct watched_outer watched_alias;
watched_alias *volatile watched_pointer = &watched_outer;

/* By debug information, as the compiler has it. */
static void test_members(void **state)
{
	u64 base = parsed("%s:watched_outer/8").at;
	struct watch_spec w = parsed("%s:watched_outer.inner[2][1].b");

	assert_int_equal(w.at, base);
	assert_int_equal(w.way.n, 1);
	assert_int_equal(w.way.add[0], offsetof(struct watched_outer, inner[2][1].b));
	assert_int_equal(w.len, 4);
	w = parsed("%s:watched_outer.half[1]:rw");
	assert_int_equal(w.way.add[0], offsetof(struct watched_outer, half[1]));
	w = parsed("%s:watched_outer.whole+4/4");
	assert_int_equal(w.way.add[0], offsetof(struct watched_outer, whole) + 4);
	w = parsed("%s:watched_pointer->next->inner[0][1].a");
	assert_int_equal(w.at, parsed("%s:watched_pointer").at);
	assert_int_equal(w.way.n, 3);
	assert_int_equal(w.way.add[0], 0);
	assert_int_equal(w.way.add[1], offsetof(struct watched_outer, next));
	assert_int_equal(w.way.add[2], offsetof(struct watched_outer, inner[0][1].a));
	w = parsed("%s:watched_number[2]");
	assert_int_equal(w.way.add[0], 16);
	assert_int_equal(w.len, 8);
}

static void test_conditions(void **state)
{
	struct watch_spec w = parsed("%s:watched_small if changed");

	assert_int_equal(w.condition.n, 1);
	assert_int_equal(w.condition.v[0].op, WATCH_NE);
	assert_true(w.condition.v[0].with_before);
	w = parsed("%s:watched_small/4:rw if value >= 0x10 && before < -1 && after == before");
	assert_int_equal(w.access, HW_BREAKPOINT_RW);
	assert_int_equal(w.condition.n, 3);
	assert_int_equal(w.condition.v[0].op, WATCH_GE);
	assert_int_equal(w.condition.v[0].number, 16);
	assert_true(w.condition.v[1].of_before && w.condition.v[1].is_signed);
	assert_int_equal(w.condition.v[2].op, WATCH_EQ);
	w = parsed("%s:watched_small");
	assert_int_equal(w.condition.n, 0);
}

static void test_refused(void **state)
{
	static const char *const wrong[] = {
		"", "pid:0:0x1000", "pid:x:0x1000", "pid:1:", "pid:1:[heap]", "pid:1:[heap]+12", "pid:1:/tmp/x+0xz",
		"pid:1:0x1001/8", "x", "0x", "0xzz/8", "0x1001/8:w", "/no/such/program:x/8", "/proc/self/exe:nothing_so",
		"/proc/self/exe:watched_number", "/proc/self/exe:watched_number/3",
		"/proc/self/exe:watched_number/16", "/proc/self/exe:watched_number+4/8",
		"/proc/self/exe:watched_number+x/8", "/proc/self/exe:main:rx", "/proc/self/exe:", ":main",
		"/proc/self/exe:watched_outer.inner[2][2].a", "/proc/self/exe:watched_outer.inner[2].a",
		"/proc/self/exe:watched_outer.none", "/proc/self/exe:watched_outer.inner",
		"/proc/self/exe:watched_outer.inner[1", "/proc/self/exe:watched_outer->next",
		"/proc/self/exe:watched_outer.", "/proc/self/exe:watched_small.x", "/proc/self/exe:watched_small if",
		"/proc/self/exe:watched_small if x", "/proc/self/exe:watched_small if value",
		"/proc/self/exe:watched_small if value = 3", "/proc/self/exe:watched_small if changed or changed",
		"/proc/self/exe:watched_small if value > 1 && changed && changed && changed && changed",
	};
	struct watch_spec w;

	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct status st = {0};

		if (!watch_spec__parse(&w, wrong[i], &st))
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_int_equal(st.code, EXIT_CODE_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
