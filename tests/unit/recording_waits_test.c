/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits as bytes: what is left out of them is there again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "bpf/hist.h"
#include "recording/names_out.h"
#include "recording/types.h"

/* Through the bytes of one of the types that waits have. */
static size_t pass_wait(const struct sample_codec *type, const struct wait_sample *in, union any_sample *back,
			struct codec *reading)
{
	static struct names_out names;
	struct bytes out = {0};
	struct codec writing = {.out = &out, .to = &names};
	union any_sample s = {.wait = *in};
	size_t n;

	type->code(&writing, &s);
	n = out.n;
	*reading = (struct codec){0};
	assert_true(sample__read(reading, type, (struct cursor){out.v, out.v + n, false}, back));
	assert_ptr_equal(reading->in.at, reading->in.end);
	bytes__free(&out);
	return n;
}

static void same_hist(const u32 *a, const u32 *b)
{
	static const u32 none[HIST_OCTAVES];

	assert_memory_equal(a ? a : none, b ? b : none, sizeof(none));
}

/* t_ns: what is there of it. */
static void same_wait(const struct wait_sample *a, const struct wait_sample *b, u64 t_ns)
{
	const u64 x[] = {a->count,   a->off_ns,	 a->runq_ns,	  a->full_ns, a->max_ns, a->open,     a->open_ns,
			 a->open_full_ns, t_ns, a->since_before, a->syscall, a->futex_op, a->on, a->object, a->state};
	const u64 y[] = {b->count,   b->off_ns,	 b->runq_ns,	  b->full_ns, b->max_ns, b->open,     b->open_ns,
			 b->open_full_ns, b->t_ns, b->since_before, b->syscall, b->futex_op, b->on, b->object, b->state};

	assert_memory_equal(x, y, sizeof(x));
	assert_int_equal(a->task.tgid, b->task.tgid);
	assert_int_equal(a->task.tid, b->task.tid);
	assert_int_equal(a->task.start_ns, b->task.start_ns);
}

/* What is left out of the bytes is there again; the most frequent ones take less than before. */
static void test_waits(void **state)
{
	static const u64 ns[] = {0, 1, 700, 5000000000ULL};
	static struct codec reading;
	const struct sample_codec *before = sample_codec__numbered(2), *now = sample_codec__of(SAMPLE_WAIT);
	const struct sample_codec *written[] = {now, sample_codec__numbered(40), before};
	u32 one[HIST_OCTAVES] = {0}, many[HIST_OCTAVES] = {[3] = 2, [9] = 1}, tried = 0, smaller = 0;
	union any_sample back;

	assert_int_equal(before->type, SAMPLE_WAIT);
	for (u32 i = 0; i < 4 * 4 * 4 * 4 * 4 * 4; i++, tried++) {
		u64 of[] = {ns[i % 4], ns[i / 4 % 4], ns[i / 16 % 4], ns[i / 64 % 4], ns[i / 256 % 4]};
		u32 kind = i / 1024 % 4;
		struct wait_sample w = {.head.type = SAMPLE_WAIT,
					.task = {.tgid = 7, .tid = 8, .start_ns = 99},
					.state = TASK_STATE_DISK,
					.count = kind == 3 ? 0 : 1 + (kind == 2),
					.off_ns = of[0],
					.runq_ns = of[1],
					.full_ns = of[2],
					.max_ns = of[3],
					.open = kind & 1,
					.open_ns = kind & 1 ? of[4] : 0,
					.open_full_ns = kind & 1 ? of[3] : 0,
					.t_ns = 5,
					.since_before = i % 5 == 0,
					.syscall = i % 3 ? WAIT_NO_SYSCALL : 202,
					.futex_op = i % 3 ? 0 : 9,
					.on = i % 7 == 0,
					.object = i % 2 ? WAIT_OBJECT_MANY : 0,
					.hist = kind == 2 ? many : kind == 3 ? NULL : one};

		memset(one, 0, sizeof(one));
		one[hist__octave(i % 11 ? w.max_ns : w.max_ns * 3 + 1000)] = 1;
		smaller += pass_wait(now, &w, &back, &reading) < pass_wait(before, &w, &back, &reading);
		for (u32 k = 0; k < ARRAY_SIZE(written); k++) {
			pass_wait(written[k], &w, &back, &reading);
			same_hist(back.wait.hist, w.hist);
			same_wait(&w, &back.wait, k || back.wait.t_ns ? w.t_ns : 0);
		}
	}
	assert_true(smaller * 10 > tried * 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
