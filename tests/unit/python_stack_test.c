// SPDX-License-Identifier: GPL-2.0-only
/* Functions of CPython between the native frames of a thread that sleeps, in made-up memory: of each way in which
 * versions keep frames, of several interpreters, and wrong in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/python.h"

#define BASE 0x7f0000000000ULL
#define SIZE 0x8000u
#include "tests/lib/made_up_memory.h"

#define HEAD	 (BASE + 0x100) /* what leads to the interpreters */
#define TYPE	 (BASE + 0x1000)
#define NAME	 (BASE + 0x1100)
#define INTERP	 (BASE + 0x2000)
#define NEWER	 (BASE + 0x2100)
#define STATE	 (BASE + 0x2200)
#define OTHER	 (BASE + 0x2300) /* a state in the newer one */
#define CODE(i)	 (BASE + 0x3000 + 0x100 * (i))
#define FRAME(i) (BASE + 0x4000 + 0x80 * (i)) /* in the heap */
#define SP(i)	 (BASE + 0x6000 + 0x100 * (i))
#define EVAL	 0x500000u
#define TID	 7u
#if defined(__x86_64__)
#define PTHREAD_TID 720
#else
#define PTHREAD_TID 208
#endif

enum { NEXT = 8, LIST = 16, RUNS = 24, ID = 32 };	       /* of interpreters and states */
enum { CODE_AT = 0, PREVIOUS = 8, INSTR = 56, OWNER = 70 }; /* of frames */

static const u64 ips[] = {0x1000, EVAL + 9, 0x2000, EVAL + 9};
static const u64 sps[] = {SP(0), SP(1), SP(2), SP(3)};
static const struct native_stack native = {ips, sps, ARRAY_SIZE(ips)};

static struct python a_python(enum script_how how)
{
	return (struct python){.minor = how == SCRIPT_OBJECTS ? 10 : 12,
			       .rt = {.how = how,
				      .interpreters = HEAD,
				      .code_type = TYPE,
				      .eval = EVAL,
				      .eval_end = EVAL + 0x100,
				      .interp_next = NEXT,
				      .interp_threads = LIST,
				      .thread_next = NEXT,
				      .thread_frame = RUNS,
				      .thread_id = ID,
				      .call_frame = 0,
				      .call_previous = 8,
				      .frame_bytes = 72,
				      .frame_code = CODE_AT,
				      .frame_previous = PREVIOUS,
				      .frame_instr = INSTR,
				      .frame_owner = OWNER,
				      .code_bytes = 144,
				      .code_line = 68,
				      .code_file = 112,
				      .code_name = 120,
				      .code_lines = 136,
				      .code_start = 192,
				      .text_hash = 24}};
}

static void put_state(u64 interp, u64 state, u64 runs)
{
	put(interp + LIST, state, 8);
	put(state + RUNS, runs, 8);
	put(state + ID, BASE + 0x7000, 8);
	put(state + ID + 8, TID, 8);
	put(BASE + 0x7000 + PTHREAD_TID, TID, 4); /* up to 3.10 the C library has it */
}

static void put_frame(u64 at, u64 code, u64 previous, u8 owner)
{
	put(at + CODE_AT, code, 8);
	put(at + PREVIOUS, previous, 8);
	put(at + INSTR, code + 192 + 2 * 5, 8);
	put(at + OWNER, owner, 1);
}

static void begin(void)
{
	memset(memory, 0, sizeof(memory));
	put(HEAD, INTERP, 8);
	for (u32 i = 0; i < 3; i++) {
		put(CODE(i) + 8, TYPE, 8);
		put(CODE(i) + 120, NAME, 8);
		put(CODE(i) + 68, i, 4);
	}
}

/* The second native frame runs two functions, the last one another. */
static struct python of_shims(enum script_how how)
{
	begin();
	put_state(INTERP, STATE, how == SCRIPT_SHIMS ? SP(1) + 64 : FRAME(0));
	put(SP(1) + 64, FRAME(0), 8);
	put_frame(FRAME(0), CODE(0), FRAME(1), 0);
	put_frame(FRAME(1), CODE(1), SP(1) + 128, 0);
	put_frame(SP(1) + 128, 0, FRAME(2), 3);
	put_frame(FRAME(2), CODE(2), SP(3) + 128, 0);
	put_frame(SP(3) + 128, 0, 0, 3);
	return a_python(how);
}

static struct python of_entries(void)
{
	begin();
	put_state(INTERP, STATE, SP(1) + 64);
	put(SP(1) + 64, FRAME(0), 8);
	put(SP(1) + 72, SP(3) + 64, 8);
	put_frame(FRAME(0), CODE(0), FRAME(1), 0);
	put_frame(FRAME(1), CODE(1), FRAME(2), 1);
	put_frame(FRAME(2), CODE(2), 0, 1);
	return a_python(SCRIPT_ENTRIES);
}

static struct python of_objects(void)
{
	begin();
	put_state(INTERP, STATE, FRAME(0));
	put_frame(FRAME(0), CODE(0), FRAME(1), 0);
	put_frame(FRAME(1), CODE(1), 0, 0);
	return a_python(SCRIPT_OBJECTS);
}

static u32 merge(const struct python *p, u64 out[16])
{
	return python_stack__merge(p, &made_up, TID, &native, out, 16);
}

static u64 check_of(const struct python *p, u32 n)
{
	u64 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum = script_sum(sum, python_code__print(p, &made_up, CODE(i)));
	return SCRIPT_CHECK | sum >> 2;
}

static void expect_three(const struct python *p)
{
	u64 out[16];

	assert_int_equal(merge(p, out), 6);
	assert_int_equal(out[0], ips[0]);
	assert_int_equal(SCRIPT_CODE(out[1]), CODE(0));
	assert_int_equal(SCRIPT_UNIT(out[1]), 5);
	assert_int_equal(SCRIPT_CODE(out[2]), CODE(1));
	assert_int_equal(out[3], ips[2]);
	assert_int_equal(SCRIPT_CODE(out[4]), CODE(2));
	assert_int_equal(out[5], check_of(p, 3));
}

static void test_runs(void **state)
{
	struct python p = of_shims(SCRIPT_SHIMS);

	expect_three(&p);
	p = of_shims(SCRIPT_SHIMS_DIRECT);
	expect_three(&p);
	p = of_entries();
	expect_three(&p);
}

static void test_counted(void **state)
{
	struct python p = of_objects();
	u64 out[16];

	assert_int_equal(merge(&p, out), 5);
	assert_int_equal(SCRIPT_CODE(out[1]), CODE(0));
	assert_int_equal(SCRIPT_CODE(out[3]), CODE(1));
	assert_int_equal(out[4], check_of(&p, 2));
	put_frame(FRAME(1), CODE(1), FRAME(2), 0); /* one more than runs */
	put_frame(FRAME(2), CODE(2), 0, 0);
	assert_int_equal(merge(&p, out), 0);
}

/* A newer interpreter's state is another thread's by now, or runs below the first one's. */
static void test_interpreters(void **state)
{
	struct python p = of_entries();
	u64 out[16];

	put(HEAD, NEWER, 8);
	put(NEWER + NEXT, INTERP, 8);
	put_state(NEWER, OTHER, FRAME(5));
	expect_three(&p);
	put_state(NEWER, OTHER, SP(1) + 64); /* the inner run is its */
	put(SP(1) + 72, 0, 8);
	put_frame(FRAME(1), CODE(1), 0, 1);
	put(STATE + RUNS, SP(3) + 64, 8);
	put(SP(3) + 64, FRAME(2), 8);
	expect_three(&p);
	put(STATE + RUNS, 0, 8); /* the first one runs nothing */
	assert_int_equal(merge(&p, out), 6);
	assert_int_equal(out[4], ips[3]);
}

static void test_doubt(void **state)
{
	struct python p = of_shims(SCRIPT_SHIMS);
	u64 out[16];

	assert_int_equal(python_stack__merge(&p, &made_up, TID, &native, out, 5), 0); /* no room */
	put(CODE(1) + 8, NAME, 8);						      /* no code */
	assert_int_equal(merge(&p, out), 0);
	p = of_shims(SCRIPT_SHIMS);
	put(FRAME(1) + PREVIOUS, FRAME(0), 8); /* a circle */
	assert_int_equal(merge(&p, out), 0);
	p = of_shims(SCRIPT_SHIMS);
	put(FRAME(1) + PREVIOUS, FRAME(6), 8); /* begun in no native frame */
	put_frame(FRAME(6), 0, 0, 3);
	assert_int_equal(merge(&p, out), 0);
	p = of_shims(SCRIPT_SHIMS_DIRECT);
	put(STATE + ID + 8, TID + 1, 8); /* another thread's */
	assert_int_equal(merge(&p, out), 0);
	p = of_shims(SCRIPT_SHIMS);
	put(FRAME(0) + PREVIOUS, BASE + SIZE, 8); /* nowhere */
	assert_int_equal(merge(&p, out), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_interpreters),
		cmocka_unit_test(test_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
