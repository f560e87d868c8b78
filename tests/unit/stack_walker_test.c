// SPDX-License-Identifier: GPL-2.0-only
/* Copies of this process' own stack, walked by the tables of what is mapped in it: the compiler's
 * runtime, which does the same for exceptions, is the judge. */
#include "symbols/stack_walker.h"

#include <execinfo.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "samples/perf_regs.h"
#include "symbols/symbols.h" /* its threads: under TSan too */
#include "tests/lib/skip.h"

#define COPY   (32u << 10)
#define FRAMES 100

static struct symbols *symbols;
static struct walker *walker;

/* A stack and how it is right. */
static struct {
	struct stack_copy copy;
	u8 stack[COPY];
	void *right[FRAMES];
	u32 nright;
} here;

static struct user_regs regs_of(const ucontext_t *c)
{
#if defined(__x86_64__)
	return (struct user_regs){.ip = (u64)c->uc_mcontext.gregs[REG_RIP],
				  .sp = (u64)c->uc_mcontext.gregs[REG_RSP],
				  .fp = (u64)c->uc_mcontext.gregs[REG_RBP]};
#elif defined(__aarch64__)
	return (struct user_regs){.ip = c->uc_mcontext.pc,
				  .sp = c->uc_mcontext.sp,
				  .fp = c->uc_mcontext.regs[29],
				  .lr = c->uc_mcontext.regs[30]};
#else
	return (struct user_regs){0};
#endif
}

/* Up to the end of the stack at most; without ASan, which knows what is not to be read. */
static u32 read_stack(u64 sp)
{
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	ssize_t n = pread(fd, here.stack, sizeof(here.stack), (off_t)sp);

	close(fd);
	assert_true(n > 0);
	return (u32)n;
}

__attribute__((noinline)) static void copy_stack(void)
{
	ucontext_t c;

	assert_int_equal(getcontext(&c), 0);
	here.copy = (struct stack_copy){.tgid = (u32)getpid(), .regs = regs_of(&c)};
	here.copy.nstack = read_stack(here.copy.regs.sp);
	here.copy.stack = here.stack;
	here.copy.t_ns = clock__monotonic_ns();
	here.nright = (u32)backtrace(here.right, FRAMES);
}

__attribute__((noinline)) static int recurse(int depth)
{
	if (depth)
		return recurse(depth - 1) + 1;
	copy_stack();
	return 0;
}

static int on_compare(const void *a, const void *b)
{
	if (!here.nright)
		recurse(5);
	return 0;
}

static void begin(size_t budget)
{
	struct status st;
	int v[2] = {2, 1};

	if (!perf_regs__mask(perf_regs__machine()))
		skip_because("stacks of this machine cannot be walked");
	memset(&here, 0, sizeof(here));
	qsort(v, 2, sizeof(v[0]), on_compare); /* through libc, which has no frame pointers */
	symbols = symbols__new(&st);
	walker = walker__new(symbols, budget);
}

static void end(void)
{
	walker__free(walker);
	symbols__free(symbols);
}

static u32 walk(const struct stack_copy *copy, u64 *ips, enum walk_end *how)
{
	const struct stack_walker *ops = walker__ops(walker);
	struct stack_space *space = ops->space(ops, copy->tgid, copy->t_ns);
	u32 n = ops->walk(ops, space, copy, ips, FRAMES, how);

	ops->put_space(ops, space);
	return n;
}

/* The first frame is at another instruction of the same function, and a sanitizer has one of its
 * own before it. Returns how many of the right ones there are from the second on. */
static u32 expect_right(const u64 *ips, u32 n)
{
	u32 first = 0;

	assert_true(n > 1);
	while (first < here.nright && (u64)here.right[first] != ips[1])
		first++;
	assert_in_range(first, 0, 3);
	assert_true(n - 1 <= here.nright - first);
	for (u32 i = 1; i < n; i++)
		assert_int_equal(ips[i], (u64)here.right[first + i - 1]);
	return here.nright - first;
}

static void test_to_the_outermost_frame(void **state)
{
	u64 ips[FRAMES];
	enum walk_end how;
	u32 n;

	begin(WALKER_BUDGET);
	n = walk(&here.copy, ips, &how);
	assert_int_equal(n - 1, expect_right(ips, n));
	assert_true(n > 10);
	assert_int_equal(how, WALK_WHOLE);
	end();
}

static void test_copy_too_short(void **state)
{
	struct stack_copy copy;
	u64 ips[FRAMES];
	enum walk_end how;

	begin(WALKER_BUDGET);
	copy = here.copy;
	/* The frame of copy_stack, which has a ucontext, and little more. */
	copy.nstack = sizeof(ucontext_t) + 512;
	assert_true(copy.nstack < here.copy.nstack);
	expect_right(ips, walk(&copy, ips, &how));
	assert_int_equal(how, WALK_COPY_ENDS);
	end();
}

/* Tables are made again when they are needed again. */
static void test_budget(void **state)
{
	struct symbols_unwind_stats st = {0};
	u64 ips[FRAMES];
	enum walk_end how;

	begin(1);
	for (int i = 0; i < 3; i++) {
		expect_right(ips, walk(&here.copy, ips, &how));
		assert_int_equal(how, WALK_WHOLE);
	}
	walker__stats(walker, &st);
	assert_true(st.evictions >= 2);
	assert_int_equal(st.tables, 1);
	assert_int_equal(st.bytes, st.rows * sizeof(u64));
	end();
}

static void test_nothing_known(void **state)
{
	struct stack_copy copy;
	u64 ips[FRAMES];
	enum walk_end how;

	begin(WALKER_BUDGET);
	copy = here.copy;
	copy.tgid = 3000000000u; /* no such process */
	copy.regs.fp = 1;
	assert_int_equal(walk(&copy, ips, &how), 1);
	assert_int_equal(ips[0], copy.regs.ip);
	assert_int_equal(how, WALK_UNKNOWN);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_to_the_outermost_frame),
		cmocka_unit_test(test_copy_too_short),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_nothing_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
