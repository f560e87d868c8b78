// SPDX-License-Identifier: GPL-2.0-only
/* Lists and names of threads in the memory of another process, which may be anything at any moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/base.h"
#include "symbols/hotspot.h"
#include "symbols/python.h"

#define BASE   0x10000u /* so that references of four bytes reach it */
#define SIZE   0x2000u
#define ROUNDS 20000
#define MOST   64
#include "tests/lib/made_up_memory.h"

/* --- hostile --- */

/* Most words lead to somewhere in it, or are small. */
static void fill(u64 seed)
{
	for (u32 i = 0; i + 8 <= SIZE; i += 8) {
		u64 r = mix64(seed + i);
		u64 kinds[] = {BASE + (r >> 20) % SIZE / 8 * 8, BASE + (r >> 20) % SIZE, (r >> 20) % 64, r};

		put(BASE + i, kinds[r % 8 < 5 ? 0 : r % 8 - 4], 8);
	}
}

static bool ends_within(const char *name, size_t size)
{
	return memchr(name, 0, size) != NULL;
}

static void test_python_of_any_memory(void **state)
{
	struct runtime_thread threads[MOST];
	char name[32];

	(void)state;
	for (u64 round = 0; round < ROUNDS; round++) {
		struct python p = {.minor = 9 + round % 5, .ascii_size = 48, .text_size = 56};
		u32 n;

		fill(round << 32);
		p.rt.interpreters = BASE + 8;
		p.rt.interp_next = p.rt.interp_threads = 8;
		p.rt.thread_next = p.rt.thread_frame = 16;
		p.rt.thread_id = 24;
		p.rt.frame_previous = p.rt.frame_code = 8;
		p.rt.how = round % 4;
		reads = 0;
		n = python_threads__list(&p, &made_up, threads, MOST);
		assert_true(n <= MOST);
		for (u32 i = 0; i < n && i < 4; i++)
			if (python_thread__name(&p, &made_up, threads[i].at, name, sizeof(name)))
				assert_true(ends_within(name, sizeof(name)));
		assert_true(reads < 32768);
	}
}

static struct hotspot a_machine(u32 version)
{
	return (struct hotspot){.version = version,
				.threads = {.list = BASE, .length = 8, .threads = 16, .object = 8, .os = 16, .id = 8}};
}

static void test_hotspot_of_any_memory(void **state)
{
	struct runtime_thread threads[MOST];
	char name[32];

	(void)state;
	for (u64 round = 0; round < ROUNDS; round++) {
		struct hotspot h = a_machine(round % 2 ? 11 : 21);
		u32 n;

		fill(~round << 32);
		reads = 0;
		n = hotspot_threads__list(&h, &made_up, threads, MOST);
		assert_true(n <= MOST);
		for (u32 i = 0; i < n && i < 4; i++)
			if (hotspot_thread__name(&h, &made_up, threads[i].at, "fifteen-letters", name, sizeof(name)))
				assert_true(ends_within(name, sizeof(name)));
		assert_true(reads < 32768);
	}
}

/* --- one that is gone --- */

#define LIST	(BASE + 0x100)
#define THREADS (BASE + 0x200)
#define THREAD	(BASE + 0x400) /* each 0x40 bytes */
#define OS	(BASE + 0x800)

static void test_one_that_ends_hides_no_others(void **state)
{
	const struct hotspot h = a_machine(17);
	struct runtime_thread threads[MOST];

	(void)state;
	memset(memory, 0, sizeof(memory));
	put(BASE, LIST, 8);
	put(LIST + 8, 3, 4);
	put(LIST + 16, THREADS, 8);
	for (u32 i = 0; i < 3; i++) {
		put(THREADS + 8 * i, THREAD + 0x40 * i, 8);
		put(THREAD + 0x40 * i + 16, i == 1 ? 8 : OS + 0x40 * i, 8); /* 8: not there */
		put(OS + 0x40 * i + 8, 100 + i, 4);
	}
	assert_int_equal(hotspot_threads__list(&h, &made_up, threads, MOST), 2);
	assert_int_equal(threads[0].tid, 100);
	assert_int_equal(threads[1].tid, 102);
	assert_int_equal(threads[1].at, THREAD + 0x80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_of_any_memory),
		cmocka_unit_test(test_hotspot_of_any_memory),
		cmocka_unit_test(test_one_that_ends_hides_no_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
