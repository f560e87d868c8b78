// SPDX-License-Identifier: GPL-2.0-only
/* What a CPU noted of branches: calls are a stack, all others rows of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/perf_scene.h"

/* --- calls --- */

/* A sample in `ip` whose calls were noted: n pairs of from and to, the newest first. */
static void put_branches(struct perf_builder *m, u64 ip, const u64 *calls, u32 n)
{
	perf_builder__sample_head(m, 10, 10, ip, T0 + 10, 1);
	perf_builder__u64(m, 0); /* no chain: of user code the kernel leaves it to the CPU */
	perf_builder__u64(m, n);
	if (m->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		perf_builder__u64(m, 3);
	for (u32 i = 0; i < n; i++) {
		perf_builder__u64(m, calls[2 * i]);
		perf_builder__u64(m, calls[2 * i + 1]);
		perf_builder__u64(m, 0);
	}
	perf_builder__close(m);
}

static void stack_of_branches(u64 branch_type, u32 n, char *stack, size_t size)
{
	/* c is called by the first instruction of b, which is called by the last of a. */
	static const u64 calls[] = {B, C, B - 5, B};
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct seen seen;
	struct reader *r;

	perf_builder__begin(&m, FIELDS | PERF_SAMPLE_BRANCH_STACK);
	m.attr.branch_sample_type = branch_type;
	map_parts(&m);
	put_branches(&m, C + 8, calls, n);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(seen.n, 1);
	copy_str(stack, size, seen.v[0].stack);
	reader__free(r);
}

static void test_noted_calls(void **state)
{
	const u64 type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	char stack[256];

	stack_of_branches(type, 2, stack, sizeof(stack));
	assert_string_equal(stack, "[c] [b] [a]");
	stack_of_branches(type | PERF_SAMPLE_BRANCH_HW_INDEX, 2, stack, sizeof(stack));
	assert_string_equal(stack, "[c] [b] [a]");
	stack_of_branches(type, 0, stack, sizeof(stack));
	assert_string_equal(stack, "[c]");
	/* Branches of any kind are no calls. */
	stack_of_branches(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY, 2, stack, sizeof(stack));
	assert_string_equal(stack, "[c]");
}

/* --- of any kind --- */

struct branch {
	char kind[32], guess[32], stack[256];
	u64 count, cycles;
};

struct branches {
	struct reader *reader;
	struct branch v[16]; /* by stack */
	u32 n, all;
};

static void see_branch(void *ctx, const struct codec *c, const struct sample_codec *type, const union any_sample *s)
{
	struct branches *seen = ctx;
	struct branch *b = &seen->v[seen->n];
	struct line l = {0};

	if (type->type == SAMPLE_ASK)
		return;
	assert_int_equal(type->type, SAMPLE_MEASURE);
	assert_int_equal(s->measure.nkeys, 2);
	seen->all += !s->measure.sampled;
	if (!s->measure.sampled)
		return;
	assert_true(seen->n < ARRAY_SIZE(seen->v));
	describe(seen->reader, c->stacks[0], &l);
	copy_str(b->stack, sizeof(b->stack), l.stack);
	copy_str(b->kind, sizeof(b->kind), s->measure.keys[0].text);
	copy_str(b->guess, sizeof(b->guess), s->measure.keys[1].text);
	b->count = s->measure.count;
	b->cycles = s->measure.sum;
	seen->n++;
}

static void is_branch(const struct branch *b, const char *stack, const char *kind, const char *guess, u64 cycles)
{
	assert_string_equal(b->stack, stack);
	assert_string_equal(b->kind, kind);
	assert_string_equal(b->guess, guess);
	assert_int_equal(b->count, 1);
	assert_int_equal(b->cycles, cycles);
}

static void put_branch(struct perf_builder *m, u64 from, u64 to, struct perf_branch_entry flags)
{
	flags.from = from;
	flags.to = to;
	for (u32 i = 0; i < sizeof(flags) / sizeof(u64); i++)
		perf_builder__u64(m, get_u64((const u8 *)&flags + i * sizeof(u64)));
}

/* From where to where, of which kind, guessed how, how many cycles since the one before. */
static void test_branches(void **state)
{
	struct branches seen = {0};
	struct record_interval iv;
	struct perf_builder m;
	struct status st;

	perf_builder__begin(&m, (FIELDS & ~(u64)PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_BRANCH_STACK);
	m.attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_TYPE_SAVE;
	map_parts(&m);
	perf_builder__sample_head(&m, 10, 10, C + 8, T0 + 10, 1);
	perf_builder__u64(&m, 4);
	put_branch(&m, B, C, (struct perf_branch_entry){.predicted = 1, .cycles = 12, .type = PERF_BR_CALL});
	put_branch(&m, A + 4, A + 64, (struct perf_branch_entry){.mispred = 1, .cycles = 40, .type = PERF_BR_COND});
	put_branch(&m, B - 1, KERNEL + 16, (struct perf_branch_entry){.type = PERF_BR_SYSCALL});
	put_branch(&m, KERNEL + 32, B, (struct perf_branch_entry){.type = PERF_BR_SYSRET});
	perf_builder__close(&m);
	seen.reader = open_made(&m, &st);
	assert_non_null(seen.reader);
	assert_true(reader__next(seen.reader, &iv));
	reader__samples(seen.reader, MODEL_EVENTS, see_branch, &seen);
	assert_int_equal(seen.all, 4);
	assert_int_equal(seen.n, 4);
	is_branch(&seen.v[0], "[c] [b]", "call", "right", 12);
	is_branch(&seen.v[1], "[a] [a]", "conditional", "wrong", 40);
	is_branch(&seen.v[2], "[kernel]+0xffffffff81000010 [a]", "system call", "unknown", 0);
	is_branch(&seen.v[3], "[b]", "system return", "unknown", 0);
	reader__free(seen.reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noted_calls),
		cmocka_unit_test(test_branches),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
