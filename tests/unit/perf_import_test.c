// SPDX-License-Identifier: GPL-2.0-only
/* Files of other programs: what perf.data and folded stacks say is what a replay has; what is cut
 * off, damaged or of another machine is left out or refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/perf_scene.h"

/* --- perf.data --- */

static void begin(struct perf_builder *m)
{
	perf_builder__begin(m, FIELDS);
	perf_builder__comm(m, 10, 10, "prog", T0);
	perf_builder__mmap(m, 10, TEXT, 0x10000, 0x1000, "/nonexistent/prog", T0);
}

static void test_samples(void **state)
{
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct seen seen;
	struct reader *r;

	begin(&m);
	perf_builder__comm(&m, 10, 11, "worker", T0 + 1);
	perf_builder__sample(&m, 10, 11, TEXT + 0x20, T0 + 10, 1000, (u64[]){TEXT + 0x31}, 1);
	perf_builder__sample(&m, 10, 11, TEXT + 0x20, T0 + 20, 500, (u64[]){TEXT + 0x31}, 1);
	perf_builder__sample(&m, 10, 12, TEXT + 0x28, T0 + NSEC_PER_SEC + 20, 7, NULL, 0);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(iv.v[MODEL_PROFILE].t0_ns, T0 + 10);
	assert_int_equal(iv.t1_ns, T0 + 10 + NSEC_PER_SEC);
	assert_int_equal(iv.v[MODEL_PROFILE].health.samples, 2);
	assert_string_equal(iv.v[MODEL_PROFILE].health.event, "cpu-clock");
	assert_int_equal(iv.v[MODEL_PROFILE].health.freq, 99);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.v[0].count, 2);
	assert_int_equal(seen.v[0].weight, 1500);
	assert_int_equal(seen.v[0].tgid, 10);
	assert_int_equal(seen.v[0].tid, 11);
	assert_int_equal(seen.v[0].cpu, 1);
	assert_string_equal(seen.v[0].comm, "worker");
	/* A caller's address is that behind the call. */
	assert_string_equal(seen.v[0].stack, "[prog] [prog]");
	assert_true(next(r, &seen, &iv));
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.v[0].weight, 7);
	assert_string_equal(seen.v[0].comm, "prog"); /* a thread without a name */
	assert_int_equal(iv.v[MODEL_PROFILE].health.samples_total, 3);
	assert_false(next(r, &seen, &iv));
	reader__free(r);
}

static void put_lost(struct perf_builder *m, u32 type, u64 n)
{
	perf_builder__open(m, type, 0);
	if (type == PERF_RECORD_LOST)
		perf_builder__u64(m, 1);
	perf_builder__u64(m, n);
	perf_builder__trail(m, 0, 0, T0 + 30);
}

/* The kernel says it as it happens, perf record by event at the end. */
static void test_lost(void **state)
{
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct seen seen;
	struct reader *r;

	begin(&m);
	perf_builder__sample(&m, 10, 11, TEXT + 0x20, T0 + 10, 1000, NULL, 0);
	put_lost(&m, PERF_RECORD_LOST, 5);
	put_lost(&m, PERF_RECORD_LOST, 7);
	put_lost(&m, PERF_RECORD_LOST_SAMPLES, 4);
	put_lost(&m, PERF_RECORD_LOST_SAMPLES, 9);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(iv.v[MODEL_PROFILE].health.lost, 13);
	reader__free(r);
}

/* Forks have what is mapped, programs that were begun have not; names follow. */
static void test_processes(void **state)
{
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct seen seen;
	struct reader *r;

	begin(&m);
	perf_builder__task(&m, PERF_RECORD_FORK, 20, 10, T0 + 1);
	perf_builder__sample(&m, 20, 20, TEXT + 1, T0 + 2, 1, NULL, 0);
	perf_builder__open(&m, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	perf_builder__pair(&m, 20, 20);
	perf_builder__text(&m, "other");
	perf_builder__trail(&m, 20, 20, T0 + 3);
	perf_builder__sample(&m, 20, 20, TEXT + 1, T0 + 4, 1, NULL, 0);
	perf_builder__task(&m, PERF_RECORD_EXIT, 20, 10, T0 + 5);
	perf_builder__sample(&m, 99, 99, TEXT + 1, T0 + 6, 1, NULL, 0);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(seen.n, 3);
	assert_string_equal(seen.v[0].comm, "prog");
	assert_string_equal(seen.v[0].stack, "[prog]");
	assert_string_equal(seen.v[1].comm, "other");
	assert_string_equal(seen.v[1].stack, "[unknown]");
	assert_string_equal(seen.v[2].comm, ":99");
	reader__free(r);
}

/* --- what is wrong --- */

static void whole_file(struct bytes *file)
{
	struct perf_builder m;

	begin(&m);
	for (u32 i = 0; i < 5; i++)
		perf_builder__sample(&m, 10, 10, TEXT + i, T0 + i, 1, NULL, 0);
	perf_builder__finish(&m, "x86_64", file);
}

/* Every prefix, and every bit turned: a reader or a reason. */
static void test_broken(void **state)
{
	struct bytes file, copy = {0};
	struct status st;
	struct reader *r;
	u32 read = 0;

	whole_file(&file);
	for (size_t n = 0; n < file.n; n += 67) {
		copy.n = 0;
		bytes__put(&copy, file.v, n);
		r = open_file(&copy, &st);
		assert_true(r || st.msg[0]);
		read += r != NULL;
		reader__free(r);
	}
	for (size_t at = 0; at < file.n; at += 13) {
		copy.n = 0;
		bytes__put(&copy, file.v, file.n);
		copy.v[at] ^= (u8)(1 << at % 8);
		r = open_file(&copy, &st);
		assert_true(r || st.msg[0]);
		reader__free(r);
	}
	/* The good part of what was cut off is there. */
	assert_true(read > 3);
	bytes__free(&file);
	bytes__free(&copy);
}

static void refuse(struct bytes *file, const char *why)
{
	struct status st;

	assert_null(open_file(file, &st));
	if (!strstr(st.msg, why))
		fail_msg("'%s' does not say '%s'", st.msg, why);
	bytes__free(file);
}

static void test_refused(void **state)
{
	struct perf_builder m;
	struct bytes file;

	whole_file(&file);
	memcpy(file.v, "2ELIFREP", 8);
	refuse(&file, "the other byte order");
	begin(&m);
	perf_builder__sample(&m, 10, 10, TEXT, T0, 1, NULL, 0);
	perf_builder__finish(&m, "armv7l", &file);
	refuse(&file, "32-bit machine (armv7l)");
	begin(&m);
	perf_builder__finish(&m, "x86_64", &file);
	refuse(&file, "has no samples");
	event = "cycles";
	whole_file(&file);
	refuse(&file, "has no samples of cycles: -e takes cpu-clock");
	event = "";
	begin(&m);
	perf_builder__open(&m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_GUEST_KERNEL);
	perf_builder__close(&m);
	perf_builder__finish(&m, "x86_64", &file);
	refuse(&file, "has no samples");
}

/* --- folded stacks --- */

static struct reader *open_text(const char *text, struct status *st)
{
	struct bytes file = {0};
	struct reader *r;

	bytes__put(&file, text, strlen(text));
	r = open_file(&file, st);
	bytes__free(&file);
	return r;
}

static void test_folded(void **state)
{
	struct record_interval iv;
	struct status st;
	struct seen seen;
	struct reader *r;

	r = open_text("# comment\n\nprog;main;work 12\nprog;main;read;vfs_read_[k] 3\r\n"
		      "nothing of it\na command that is long;f 2.5\nalone 1",
		      &st);
	assert_non_null(r);
	assert_true(next(r, &seen, &iv));
	assert_int_equal(iv.t1_ns - iv.v[MODEL_PROFILE].t0_ns, NSEC_PER_SEC);
	assert_int_equal(iv.v[MODEL_PROFILE].health.samples, 12 + 3 + 2 + 1);
	assert_int_equal(seen.n, 4);
	assert_string_equal(seen.v[0].comm, "prog");
	assert_string_equal(seen.v[0].stack, "work main");
	assert_int_equal(seen.v[0].count, 12);
	assert_int_equal(seen.v[0].weight, 12);
	assert_string_equal(seen.v[1].stack, "vfs_read read main");
	assert_int_equal(seen.v[1].nkernel, 1);
	assert_string_equal(seen.v[2].stack, "f a command that is long");
	assert_string_equal(seen.v[2].comm, "a command that ");
	assert_string_equal(seen.v[3].comm, "");
	assert_string_equal(seen.v[3].stack, "alone");
	assert_false(next(r, &seen, &iv));
	reader__free(r);
	assert_null(open_text("some text\nprog;main 3\n", &st));
	assert_non_null(strstr(st.msg, "no folded stacks"));
	assert_null(open_text("", &st));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_folded),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
