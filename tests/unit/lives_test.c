// SPDX-License-Identifier: GPL-2.0-only
/* Which processes have ended, and whose pid another one has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "models/lives.h"

struct entry {
	u32 tgid, past;
	bool ended;
};

static const struct lives_of of = {.size = sizeof(struct entry),
				   .tgid = offsetof(struct entry, tgid),
				   .ended = offsetof(struct entry, ended),
				   .past = offsetof(struct entry, past)};

static u32 happens(struct lives *l, enum proc_event_type type, u32 tgid, struct entry *v, u32 n)
{
	struct proc_event ev = {
		.head.type = SAMPLE_PROC, .type = type, .tgid = tgid, .tid = tgid, .t_ns = tgid * 1000ULL};

	return lives__consume(l, &ev.head, &of, v, n);
}

/* Of a machine where pids come round, those of entries alone are known: each other one that begins would cost a
 * look at all of them. */
static void test_known(void **state)
{
	struct entry v[10] = {0};
	struct lives l = {0};

	for (u32 i = 0; i < ARRAY_SIZE(v); i++)
		v[i].tgid = 100000 + i;
	for (u32 tick = 0; tick < 100; tick++) {
		for (u32 pid = 1; pid <= 200; pid++)
			lives__know(&l, tick * 200 + pid, 0);
		for (u32 i = 0; i < ARRAY_SIZE(v); i++)
			lives__know(&l, v[i].tgid, 0);
		lives__tick(&l, &of, v, ARRAY_SIZE(v));
		assert_true(l.known.used < 500);
	}
	for (u32 i = 0; i < ARRAY_SIZE(v); i++)
		assert_false(v[i].ended);
	assert_int_equal(happens(&l, PROC_FORK, 1, v, ARRAY_SIZE(v)), 0);
	assert_int_equal(happens(&l, PROC_FORK, v[3].tgid, v, ARRAY_SIZE(v)), v[3].tgid);
	for (u32 i = 0; i < ARRAY_SIZE(v); i++) {
		assert_int_equal(v[i].ended, i == 3);
		assert_int_equal(v[i].past != 0, i == 3);
	}
	lives__fini(&l);
}

/* An exit is told of in its interval or the next; who had a pid before stays who that was. */
static void test_ends(void **state)
{
	struct entry v[] = {{.tgid = 7}, {.tgid = 8}}, w[] = {{.tgid = 8}};
	struct lives l = {0}, other = {0};
	u32 past;

	lives__know(&l, 7, 0);
	lives__know(&l, 8, 0);
	happens(&l, PROC_EXIT, 8, v, 2);
	lives__tick(&l, &of, v, 2);
	assert_true(v[1].ended && !v[0].ended);
	assert_int_equal(happens(&l, PROC_FORK, 8, v, 2), 8);
	past = v[1].past;
	assert_int_not_equal(past, 0);
	assert_int_equal(happens(&l, PROC_FORK, 8, v, 2), 8);
	assert_int_equal(v[1].past, past);
	/* It has one number, whoever keeps entries of it. */
	lives__know(&other, 8, 0);
	happens(&other, PROC_FORK, 8, w, 1);
	assert_int_equal(w[0].past, past);
	lives__fini(&l);
	lives__fini(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
