// SPDX-License-Identifier: GPL-2.0-only
/* Code that comes to the kernel and leaves it while perf records has the name that it had when it was sampled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/perf_scene.h"

#define CODE 0xffffffffc0201000ULL
#define SIZE 0x100
#define OF_BPF 1 /* PERF_RECORD_KSYMBOL_TYPE_BPF */

static void put_symbol(struct perf_builder *m, u64 at, u32 size, const char *name, u16 flags, u64 t_ns)
{
	perf_builder__open(m, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);
	perf_builder__u64(m, at);
	perf_builder__pair(m, size, OF_BPF | (u32)flags << 16);
	perf_builder__text(m, name);
	perf_builder__trail(m, 0, 0, t_ns);
}

static void put_sample(struct perf_builder *m, u64 ip, u64 t_ns)
{
	perf_builder__sample_head(m, 10, 10, ip, t_ns, 1);
	perf_builder__u64(m, 2);
	perf_builder__u64(m, (u64)PERF_CONTEXT_KERNEL);
	perf_builder__u64(m, ip);
	perf_builder__close(m);
}

/* The names of a second each, in which there is one sample. */
static void names_of(struct perf_builder *m, char (*names)[64], u32 n)
{
	struct record_interval iv;
	struct status st;
	struct seen seen;
	struct reader *r = open_made(m, &st);

	assert_non_null(r);
	for (u32 i = 0; i < n; i++) {
		assert_true(next(r, &seen, &iv));
		assert_int_equal(seen.n, 1);
		assert_int_equal(seen.v[0].nkernel, 1);
		copy_str(names[i], sizeof(names[i]), seen.v[0].stack);
		names[i][strcspn(names[i], " ")] = '\0'; /* behind it is where the thread is in user code */
	}
	assert_false(next(r, &seen, &iv));
	reader__free(r);
}

#define AT(second) (T0 + (second) * NSEC_PER_SEC)

static void test_comes_and_goes(void **state)
{
	struct perf_builder m;
	char names[5][64];

	perf_builder__begin(&m, FIELDS);
	put_symbol(&m, CODE + SIZE, SIZE, "bpf_prog_2_other", 0, AT(0));
	put_symbol(&m, CODE, SIZE, "bpf_prog_1_first", 0, AT(0) + 1);
	put_sample(&m, CODE + 8, AT(0) + 2);
	put_sample(&m, CODE + SIZE, AT(1) + 2);
	put_symbol(&m, CODE, SIZE, "bpf_prog_1_first", PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, AT(2));
	put_sample(&m, CODE + 8, AT(2) + 2);
	/* Its place is another's then, also where nobody said that the first one left. */
	put_symbol(&m, CODE - 16, SIZE, "bpf_prog_3_next", 0, AT(3));
	put_sample(&m, CODE + 8, AT(3) + 2);
	put_symbol(&m, CODE, 16, "bpf_prog_4_small", 0, AT(4));
	put_sample(&m, CODE + 8, AT(4) + 2);
	names_of(&m, names, 5);
	assert_string_equal(names[0], "bpf_prog_1_first");
	assert_string_equal(names[1], "bpf_prog_2_other");
	assert_string_equal(names[2], "[kernel]+0xffffffffc0201008");
	assert_string_equal(names[3], "bpf_prog_3_next");
	assert_string_equal(names[4], "bpf_prog_4_small");
}

/* Empty, beyond the end of memory, and a name without an end: nothing has its name by them. */
static void test_hostile(void **state)
{
	struct perf_builder m;
	char names[1][64];

	perf_builder__begin(&m, FIELDS);
	put_symbol(&m, CODE, 0, "empty", 0, AT(0));
	put_symbol(&m, UINT64_MAX - 4, SIZE, "beyond", 0, AT(0));
	perf_builder__open(&m, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);
	perf_builder__u64(&m, CODE);
	perf_builder__pair(&m, SIZE, OF_BPF);
	perf_builder__u64(&m, 0x6161616161616161ULL);
	perf_builder__trail(&m, 0, 0, AT(0));
	put_sample(&m, CODE + 8, AT(0) + 2);
	names_of(&m, names, 1);
	assert_string_equal(names[0], "[kernel]+0xffffffffc0201008");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_and_goes),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
