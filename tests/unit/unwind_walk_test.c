// SPDX-License-Identifier: GPL-2.0-only
/* Stacks made by hand, walked by frame pointers and by rows of a table: what each machine's return
 * addresses are. */
#include "symbols/unwind_walk.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define FRAMES	 8
#define CODE_AT	 0x400000ULL
#define STACK_AT 0xffff00000000ULL
#define WORD(n)	 (STACK_AT + 8 * (n))
/* As pointer authentication signs them, with 48 bits of addresses. */
#define SIGNED(ip) ((ip) | 0x0055000000000000ULL)

static const struct unwind_code *code_at(void *ctx, u64 ip, u64 *offset)
{
	*offset = ip - CODE_AT;
	return ip - CODE_AT < 0x1000 ? ctx : NULL;
}

static u32 walk(struct unwind_walk *w, const u64 *stack, u32 nwords, u64 *ips, enum walk_end *end)
{
	w->stack = (const u8 *)stack;
	w->stack_at = w->regs.sp = STACK_AT;
	w->nstack = 8 * nwords;
	w->code_at = code_at;
	return unwind_walk__frames(w, ips, FRAMES, end);
}

static void expect(const u64 *ips, u32 n, const u64 *right, u32 nright)
{
	assert_int_equal(n, nright);
	for (u32 i = 0; i < n; i++)
		if (ips[i] != right[i])
			fail_msg("frame %u is %llx and not %llx", i, (unsigned long long)ips[i],
				 (unsigned long long)right[i]);
}

/* Three frames linked by frame pointers; the outermost one has none. */
static const u64 linked[] = {0,	      0,			WORD(4), SIGNED(CODE_AT + 0x200),
			     WORD(6), SIGNED(CODE_AT + 0x300), 0,	 0};

static void test_frame_pointers_of_aarch64(void **state)
{
	static const u64 right[] = {CODE_AT + 0x100, CODE_AT + 0x200, CODE_AT + 0x300};
	struct unwind_walk w = {.machine = EM_AARCH64,
				.regs = {.ip = CODE_AT + 0x100, .fp = WORD(2)}};
	enum walk_end end;
	u64 ips[FRAMES];
	u32 n = walk(&w, linked, ARRAY_SIZE(linked), ips, &end);

	expect(ips, n, right, ARRAY_SIZE(right));
	assert_int_equal(end, WALK_GUESSED);
}

/* Nothing is signed there, and what looks like it stays what it is. */
static void test_frame_pointers_of_x86(void **state)
{
	static const u64 right[] = {CODE_AT + 0x100, SIGNED(CODE_AT + 0x200),
				    SIGNED(CODE_AT + 0x300)};
	struct unwind_walk w = {.machine = EM_X86_64,
				.regs = {.ip = CODE_AT + 0x100, .fp = WORD(2)}};
	enum walk_end end;
	u64 ips[FRAMES];
	u32 n = walk(&w, linked, ARRAY_SIZE(linked), ips, &end);

	expect(ips, n, right, ARRAY_SIZE(right));
}

/* A leaf behind its paciasp, which has its signed return address in the register; then one that has
 * put frame pointer and return address down, and the outermost one. */
static void test_rows_of_aarch64(void **state)
{
	static struct unwind_row rows[] = {
		{0x000, 0, 0, UNWIND_CFA_SP | UNWIND_FP_SAME | UNWIND_RA_LR},
		{0x200, 4, -4, UNWIND_CFA_SP | UNWIND_FP_SAVED | UNWIND_RA_ABOVE_FP},
		{0x300, 0, 0, UNWIND_CFA_END},
		{0x400, 0, 0, UNWIND_CFA_NONE},
	};
	struct unwind_code code = {.table = {.rows = rows, .nrows = 4, .machine = EM_AARCH64},
				   .segments = {{0, 0x1000, 0}},
				   .nsegments = 1};
	static const u64 stack[] = {0x1234, SIGNED(CODE_AT + 0x310), 0, 0, 0};
	static const u64 right[] = {CODE_AT + 0x100, CODE_AT + 0x210, CODE_AT + 0x310};
	struct unwind_walk w = {.machine = EM_AARCH64,
				.ctx = &code,
				.regs = {.ip = CODE_AT + 0x100, .lr = SIGNED(CODE_AT + 0x210)}};
	enum walk_end end;
	u64 ips[FRAMES];
	u32 n = walk(&w, stack, ARRAY_SIZE(stack), ips, &end);

	expect(ips, n, right, ARRAY_SIZE(right));
	assert_int_equal(end, WALK_WHOLE);
	assert_int_equal(w.regs.fp, 0x1234);
}

/* Code without a row, whose frame is linked but of whatever size: those further out are found by their
 * links too, until one's row counts from its frame pointer. */
static void test_sizes_that_links_do_not_tell(void **state)
{
	static struct unwind_row rows[] = {
		{0x000, 0, 0, UNWIND_CFA_NONE},
		{0x200, 2, -2, UNWIND_CFA_SP | UNWIND_FP_SAVED | UNWIND_RA_ABOVE_FP},
		{0x300, 4, -4, UNWIND_CFA_FP | UNWIND_FP_SAVED | UNWIND_RA_ABOVE_FP},
		{0x400, 2, -2, UNWIND_CFA_SP | UNWIND_FP_SAVED | UNWIND_RA_ABOVE_FP},
		{0x500, 0, 0, UNWIND_CFA_END},
		{0x600, 0, 0, UNWIND_CFA_NONE},
	};
	struct unwind_code code = {.table = {.rows = rows, .nrows = 6, .machine = EM_AARCH64},
				   .segments = {{0, 0x1000, 0}},
				   .nsegments = 1};
	static const u64 stack[] = {WORD(6), CODE_AT + 0x210, 1, 1, 1, 1,
				    WORD(8), CODE_AT + 0x310, WORD(12), CODE_AT + 0x410, 1, 1,
				    7,	     CODE_AT + 0x510, 1};
	static const u64 right[] = {CODE_AT + 0x100, CODE_AT + 0x210, CODE_AT + 0x310,
				    CODE_AT + 0x410, CODE_AT + 0x510};
	struct unwind_walk w = {.machine = EM_AARCH64,
				.ctx = &code,
				.regs = {.ip = CODE_AT + 0x100, .fp = WORD(0)}};
	enum walk_end end;
	u64 ips[FRAMES];
	u32 n = walk(&w, stack, ARRAY_SIZE(stack), ips, &end);

	expect(ips, n, right, ARRAY_SIZE(right));
	assert_int_equal(end, WALK_WHOLE);
	assert_int_equal(w.regs.fp, 7);
}

/* Who has called cannot have its return address in the register still: the table is wrong there. */
static void test_no_leaf_calls(void **state)
{
	static struct unwind_row rows[] = {
		{0x000, 0, 0, UNWIND_CFA_SP | UNWIND_FP_SAME | UNWIND_RA_LR},
		{0x400, 0, 0, UNWIND_CFA_NONE},
	};
	struct unwind_code code = {.table = {.rows = rows, .nrows = 2, .machine = EM_AARCH64},
				   .segments = {{0, 0x1000, 0}},
				   .nsegments = 1};
	static const u64 stack[] = {0, 0, 0, 0}, right[] = {CODE_AT + 0x100, CODE_AT + 0x210};
	struct unwind_walk w = {.machine = EM_AARCH64,
				.ctx = &code,
				.regs = {.ip = CODE_AT + 0x100, .lr = SIGNED(CODE_AT + 0x210)}};
	enum walk_end end;
	u64 ips[FRAMES];
	u32 n = walk(&w, stack, ARRAY_SIZE(stack), ips, &end);

	expect(ips, n, right, ARRAY_SIZE(right));
	assert_int_equal(end, WALK_BAD_STACK);
}

/* A leaf that a signal interrupted: where it returns to is in the frame of the signal. */
static void test_signal_in_a_leaf_of_aarch64(void **state)
{
	static struct unwind_row rows[] = {
		{0x000, 0, 0, UNWIND_CFA_SIGNAL},
		{0x100, 0, 0, UNWIND_CFA_SP | UNWIND_FP_SAME | UNWIND_RA_LR},
		{0x200, 0, 0, UNWIND_CFA_END},
		{0x300, 0, 0, UNWIND_CFA_NONE},
	};
	struct unwind_code code = {.table = {.rows = rows, .nrows = 4, .machine = EM_AARCH64},
				   .segments = {{0, 0x1000, 0}},
				   .nsegments = 1};
	static const u64 right[] = {CODE_AT, CODE_AT + 0x100, CODE_AT + 0x210};
	struct unwind_walk w = {
		.machine = EM_AARCH64, .ctx = &code, .regs = {.ip = CODE_AT}};
	/* siginfo_t, then ucontext_t up to x0: linux/arch/arm64/include/uapi/asm/sigcontext.h */
	u64 stack[(128 + 176 + 8) / 8 + 40] = {0}, *x = stack + (128 + 176 + 8) / 8;
	enum walk_end end;
	u64 ips[FRAMES];
	u32 n;

	x[29] = WORD(60);
	x[30] = SIGNED(CODE_AT + 0x210);
	x[31] = WORD(50);
	x[32] = CODE_AT + 0x100;
	n = walk(&w, stack, ARRAY_SIZE(stack), ips, &end);
	expect(ips, n, right, ARRAY_SIZE(right));
	assert_int_equal(end, WALK_WHOLE);
}

/* Function f at 0x100 has a frame of three words; its caller g at 0x200 has a frame pointer; whoever
 * called that has no table, but a frame pointer too. What was not copied is not read. */
static void test_rows_and_links_of_x86(void **state)
{
	static struct unwind_row rows[] = {
		{0x100, 3, 0, UNWIND_CFA_SP},
		{0x200, 2, -2, UNWIND_CFA_FP | UNWIND_FP_SAVED},
		{0x300, 0, 0, UNWIND_CFA_END},
	};
	static const u64 stack[] = {0, 0, CODE_AT + 0x210, 0, WORD(8), 0x50000, 0, 0, WORD(12), CODE_AT + 0x301};
	static const u64 right[] = {CODE_AT + 0x110, CODE_AT + 0x210, 0x50000, CODE_AT + 0x301};
	struct unwind_code code = {.table = {.rows = rows, .nrows = 3, .machine = EM_X86_64},
				   .segments = {{0, 0x1000, 0}},
				   .nsegments = 1};
	struct unwind_walk whole = {.machine = EM_X86_64,
				    .ctx = &code,
				    .regs = {.ip = CODE_AT + 0x110, .fp = WORD(4)}};
	struct unwind_walk part = whole;
	enum walk_end end;
	u64 ips[FRAMES];
	u32 n = walk(&whole, stack, ARRAY_SIZE(stack), ips, &end);

	expect(ips, n, right, ARRAY_SIZE(right));
	assert_int_equal(end, WALK_WHOLE);
	n = walk(&part, stack, 5, ips, &end);
	expect(ips, n, right, 2);
	assert_int_equal(end, WALK_COPY_ENDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame_pointers_of_aarch64),
		cmocka_unit_test(test_frame_pointers_of_x86),
		cmocka_unit_test(test_rows_and_links_of_x86),
		cmocka_unit_test(test_rows_of_aarch64),
		cmocka_unit_test(test_sizes_that_links_do_not_tell),
		cmocka_unit_test(test_no_leaf_calls),
		cmocka_unit_test(test_signal_in_a_leaf_of_aarch64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
