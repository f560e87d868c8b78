// SPDX-License-Identifier: GPL-2.0-only
/* Samples whose stacks ended early count for the callers that they had, where these are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "models/joined_stacks.h"
#include "tests/lib/profile_hand.h"

/* Leaf first; whole: it is known to be. */
static u64 stack_of(struct builder *m, u32 nkernel, u32 n, const char *const *names, bool whole)
{
	struct stack_def d = {.hash = ++m->next_hash, .nkernel = nkernel, .nuser = n - nkernel,
			      .named = true, .whole = whole};
	u64 ips[8];

	for (u32 i = 0; i < n; i++)
		ips[i] = symbols__named(m->symbols, i < nkernel ? "[kernel]" : "prog", names[i],
					i < nkernel ? CODE_KERNEL : CODE_USER);
	d.ips = ips;
	builder__def(m, &d);
	return d.hash;
}
#define NAMES(...)                                                                                 \
	sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__}
#define WHOLE(m, ...) stack_of(m, 0, NAMES(__VA_ARGS__), true)
#define PART(m, ...)  stack_of(m, 0, NAMES(__VA_ARGS__), false)

/* How much of the samples has a function in its stack, in %. */
static double total_of(struct builder *m, const char *name)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap = builder__tick(m, NSEC_PER_SEC);
	struct profile_rows *r;
	const struct profile_row *row;
	double pct;

	q.window = WINDOW_TOTAL;
	r = profile__query(snap, &q, NULL);
	row = row_named(r, name);
	pct = row ? row->total_pct : 0;
	profile_rows__free(r);
	snap__put(snap);
	return pct;
}

static void callers_that_are_known_are_joined(void **state)
{
	struct builder m;

	builder__init(&m, 1);
	builder__put(&m, PART(&m, "hot"), 7, 30);
	builder__put(&m, PART(&m, "hot", "middle"), 7, 20);
	builder__put(&m, stack_of(&m, 1, NAMES("vfs_read", "hot"), false), 7, 10);
	assert_near(total_of(&m, "outer"), 0);
	builder__put(&m, WHOLE(&m, "hot", "inner", "middle", "outer"), 7, 40);
	assert_near(total_of(&m, "outer"), 100);
	assert_near(total_of(&m, "inner"), 100);
	assert_near(total_of(&m, "vfs_read"), 10);
	builder__fini(&m);
}

static void what_is_not_known_stays(void **state)
{
	struct builder m;

	builder__init(&m, 1);
	builder__put(&m, WHOLE(&m, "hot", "inner", "outer"), 7, 40);
	builder__put(&m, PART(&m, "hot"), 8, 30);	     /* of another process */
	builder__put(&m, PART(&m, "hot", "other"), 7, 20);   /* called by somebody else */
	builder__put(&m, PART(&m, "cold"), 7, 10);	     /* by nobody that was seen */
	assert_near(total_of(&m, "outer"), 40);
	builder__put(&m, PART(&m, "hot"), 7, 100);
	assert_near(total_of(&m, "outer"), 70);
	builder__put(&m, WHOLE(&m, "hot", "second", "outer"), 7, 200); /* one or the other */
	assert_near(total_of(&m, "outer"), 60);
	builder__fini(&m);
}

static void joins_are_bounded(void **state)
{
	static char names[JOINED_MAX][16];
	struct builder m;

	builder__init(&m, 1);
	builder__put(&m, PART(&m, "hot", "middle"), 7, JOINED_MAX);
	builder__put(&m, WHOLE(&m, "hot", "middle", "outer"), 7, 1);
	for (u32 i = 0; i < JOINED_MAX - 1; i++) {
		snprintf(names[i], sizeof(names[i]), "other%u", i);
		builder__put(&m, WHOLE(&m, "hot", names[i], "end"), 7, 1);
	}
	assert_near(total_of(&m, "outer"), 100.0 * (JOINED_MAX + 1) / (2 * JOINED_MAX));
	builder__put(&m, WHOLE(&m, "hot", "one_more", "end"), 7, 1);
	assert_near(total_of(&m, "outer"), 100.0 / (2 * JOINED_MAX + 1));
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_that_are_known_are_joined),
		cmocka_unit_test(what_is_not_known_stays),
		cmocka_unit_test(joins_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
