// SPDX-License-Identifier: GPL-2.0-only
/* Fields that come again and again: put down once, named from then on, and the same when they are read. */
#include "bpf/hist.h"
#include "recording/names_in.h"
#include "recording/names_out.h"
#include "recording/types.h"
#include "tests/unit/recording_seen.h"

#define THREADS 300
#define SPAN	1000000000ULL

/* A recorder's side and a reader's. */
struct ends {
	struct names_out out;
	struct names_in *in;
	struct codec writing, reading;
	struct bytes bytes;
};

static void take_names(void *ctx)
{
	struct ends *e = ctx;

	assert_true(names_in__read(e->in, (struct cursor){e->out.out.v, e->out.out.v + e->out.out.n, false}));
	e->out.out.n = 0;
}

static void begin(struct ends *e)
{
	*e = (struct ends){.in = names_in__new(NULL)};
	names_in__start(e->in, 0);
	names_out__init(&e->out, NULL, take_names, e);
	e->writing = (struct codec){.out = &e->bytes, .to = &e->out};
	e->reading = (struct codec){.from = e->in};
}

static void finish(struct ends *e)
{
	names_in__free(e->in);
	names_out__fini(&e->out);
	bytes__free(&e->bytes);
}

static void begin_interval(struct ends *e, u64 t0_ns)
{
	codec__begin_route(&e->writing, t0_ns);
	codec__begin_route(&e->reading, t0_ns);
}

/* Through the bytes; how many there were, which is 0 when it could not be read. */
static size_t pass(struct ends *e, const struct sample *s, union any_sample *back)
{
	struct cursor all, record;
	u32 type;

	e->bytes.n = 0;
	assert_true(sample__write(&e->writing, s));
	take_names(e);
	all = (struct cursor){e->bytes.v, e->bytes.v + e->bytes.n, false};
	assert_true(cursor__record(&all, &type, &record));
	if (!sample__read(&e->reading, sample_codec__numbered(type - RECORD_SAMPLES), record, back))
		return 0;
	assert_ptr_equal(e->reading.in.at, e->reading.in.end);
	return e->bytes.n;
}

static struct task_ident ident(u32 tid)
{
	struct task_ident t = {.tgid = 100, .tid = tid, .cgroup = 7, .start_ns = 1000 + tid};

	snprintf(t.comm, sizeof(t.comm), "worker-%u", tid);
	return t;
}

/* It sleeps since 5 ms after it began. */
static struct wait_sample sleeping(u32 tid, u64 t1_ns)
{
	u64 full = t1_ns - 5000000 - tid;

	return (struct wait_sample){.head.type = SAMPLE_WAIT, .task = ident(tid), .state = TASK_STATE_SLEEP,
				    .syscall = 202, .futex_op = 9, .object = 0x7fff12345678 + tid, .on = 3,
				    .off_ns = SPAN, .open_ns = SPAN, .open = 1, .open_full_ns = full, .max_ns = full,
				    .t_ns = t1_ns, .since_before = tid % 2};
}

static void same_sleep(const struct wait_sample *a, const struct wait_sample *b)
{
	assert_memory_equal(&a->task, &b->task, sizeof(a->task));
	assert_int_equal(a->syscall, b->syscall);
	assert_int_equal(a->futex_op, b->futex_op);
	assert_int_equal(a->object, b->object);
	assert_int_equal(a->on, b->on);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->off_ns, b->off_ns);
	assert_int_equal(a->runq_ns, b->runq_ns);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->full_ns, b->full_ns);
	assert_int_equal(a->max_ns, b->max_ns);
	assert_int_equal(a->open, b->open);
	assert_int_equal(a->open_ns, b->open_ns);
	assert_int_equal(a->open_full_ns, b->open_full_ns);
	assert_int_equal(a->t_ns, b->t_ns);
	assert_int_equal(a->since_before, b->since_before);
}

static struct task_sample asleep(u32 tid, u64 t1_ns)
{
	struct task_sample t = {.head.type = SAMPLE_TASK, .task = ident(tid), .cpu = tid % 3,
				.t_ns = t1_ns, .span_ns = SPAN, .state = TASK_STATE_SLEEP,
				.since_ns = 5000000 + tid};

	t.state_ns[TASK_STATE_SLEEP] = SPAN;
	return t;
}

static void same_task(const struct task_sample *a, const struct task_sample *b)
{
	assert_memory_equal(&a->task, &b->task, sizeof(a->task));
	assert_memory_equal(a->state_ns, b->state_ns, sizeof(a->state_ns));
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->since_ns, b->since_ns);
	assert_int_equal(a->t_ns, b->t_ns);
	assert_int_equal(a->span_ns, b->span_ns);
	assert_int_equal(a->runs, b->runs);
}

/* Bytes of an interval of threads that sleep, names and all; 0: not all could be read. */
static size_t sleep_on(struct ends *e, u64 t1_ns)
{
	size_t bytes = 0, names = e->out.text_memory.bytes, n;
	union any_sample back;

	begin_interval(e, t1_ns - SPAN);
	for (u32 tid = 1; tid <= THREADS; tid++) {
		struct wait_sample w = sleeping(tid, t1_ns);
		struct task_sample t = asleep(tid, t1_ns);

		n = pass(e, &t.head, &back);
		if (!n)
			return 0;
		same_task(&back.task, &t);
		bytes += n;
		n = pass(e, &w.head, &back);
		if (!n)
			return 0;
		same_sleep(&back.wait, &w);
		bytes += n;
	}
	return bytes + e->out.text_memory.bytes - names;
}

/* Intervals after which nothing new is put down of threads that sleep. */
#define SETTLED 5

/* A thread that goes on sleeping takes what says so, and nothing of who it is. */
static void test_sleepers(void **state)
{
	size_t first = 0, last = 0;
	struct ends e;

	begin(&e);
	for (u32 i = 0; i < SETTLED; i++) {
		last = sleep_on(&e, (10 + i) * SPAN);
		first = i ? first : last;
		assert_true(last);
	}
	assert_true(last <= THREADS * 2 * 15);
	assert_true(last * 3 < first);
	assert_int_equal(sleep_on(&e, (10 + SETTLED) * SPAN), last);
	finish(&e);
}

/* A part has its own, as its reader knows no other. */
static void test_parts(void **state)
{
	struct ends e;
	u32 kept;

	begin(&e);
	for (u32 i = 0; i < SETTLED; i++)
		sleep_on(&e, (10 + i) * SPAN);
	kept = e.out.nkept;
	names_out__new_part(&e.out);
	names_in__start(e.in, 1);
	assert_int_equal(e.out.nkept, 0);
	for (u32 i = 0; i < SETTLED; i++)
		assert_true(sleep_on(&e, (20 + i) * SPAN));
	assert_int_equal(e.out.nkept, kept);
	finish(&e);
}

/* Where there is no room they are in the sample. */
static void test_full(void **state)
{
	struct ends e;

	begin(&e);
	e.out.limit[TABLE_KEPT] = 10;
	for (u32 i = 10; i < 13; i++)
		assert_true(sleep_on(&e, i * SPAN));
	assert_int_equal(e.out.nkept, 10);
	assert_true(names_out__full(&e.out));
	finish(&e);
}

/* Of names that are lost, samples are not those of somebody else. */
static void test_lost(void **state)
{
	struct ends e;

	begin(&e);
	for (u32 i = 10; i < 12; i++)
		assert_true(sleep_on(&e, i * SPAN));
	names_in__start(e.in, 0);
	assert_int_equal(sleep_on(&e, 13 * SPAN), 0);
	finish(&e);
}

/* What comes once only takes nothing of what is kept. */
static void test_once(void **state)
{
	union any_sample back;
	struct ends e;

	begin(&e);
	begin_interval(&e, SPAN);
	for (u32 tid = 1; tid <= 1000; tid++) {
		struct wait_sample w = sleeping(tid, 2 * SPAN);

		assert_true(pass(&e, &w.head, &back));
	}
	assert_int_equal(e.out.nkept, 0);
	finish(&e);
}

/* What a type says now is what its earlier numbers say. */
static void test_earlier_numbers(void **state)
{
	static const u32 numbers[] = {2, 40, 3, 18, 19, 24};
	static const enum sample_type types[] = {SAMPLE_WAIT,	 SAMPLE_WAIT,	      SAMPLE_TASK,
						 SAMPLE_MEASURE, SAMPLE_MEASURE_OPEN, SAMPLE_BPF_MAP};

	for (u32 i = 0; i < ARRAY_SIZE(numbers); i++) {
		assert_int_equal(sample_codec__numbered(numbers[i])->type, types[i]);
		assert_true(sample_codec__of(types[i])->number > 40);
	}
}

static size_t pass_row(struct ends *e, const struct measure_sample *x)
{
	union any_sample back;
	size_t n = pass(e, &x->head, &back);
	const u64 a[] = {x->count, x->errors, x->sum, x->min, x->max};
	const u64 b[] = {back.measure.count, back.measure.errors, back.measure.sum, back.measure.min, back.measure.max};

	assert_true(n);
	assert_memory_equal(a, b, sizeof(a));
	assert_memory_equal(x->sums, back.measure.sums, sizeof(x->sums));
	assert_memory_equal(&x->who, &back.measure.who, sizeof(x->who));
	assert_int_equal(back.measure.nkeys, x->nkeys);
	for (u32 i = 0; i < x->nkeys; i++) {
		assert_int_equal(back.measure.keys[i].value, x->keys[i].value);
		assert_string_equal(back.measure.keys[i].text, x->keys[i].text);
	}
	return n;
}

/* Rows of measures whose sums are alike, and those that are not. */
static void test_rows(void **state)
{
	const struct measure_key keys[] = {{1ULL << 50, "one"}, {2, ""}};
	struct measure_sample x = {.head.type = SAMPLE_MEASURE,
				   .who = {.tgid = 4, .tid = 5, .start_ns = 77, .comm = "a", .process = "b"},
				   .keys = keys, .nkeys = 2};
	size_t first = 0, last = 0;
	struct ends e;

	begin(&e);
	begin_interval(&e, SPAN);
	for (u32 i = 0; i < 64; i++) {
		x.count = 1 + (i & 1);
		x.errors = i >> 1 & 1;
		x.sum = 900;
		x.min = i & 4 ? 900 : 0;
		x.max = i & 8 ? 900 : 901;
		x.sums[0] = i & 16 ? 900 : 0;
		x.sums[8] = i & 32;
		last = pass_row(&e, &x);
		first = i ? first : last;
	}
	assert_int_equal(e.out.nkept, 2); /* who, and the row */
	assert_true(last + 20 < first);
	finish(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleepers), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_full),	 cmocka_unit_test(test_lost),
		cmocka_unit_test(test_once),	 cmocka_unit_test(test_earlier_numbers),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
