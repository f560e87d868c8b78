// SPDX-License-Identifier: GPL-2.0-only
/* The waits model within its bounds: nothing is lost, and snapshots do not change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_builder.h"

static u64 sum_off(const struct waits_snap *s, enum time_window w)
{
	u64 sum = 0;

	for (u32 i = 0; i < s->nentries; i++)
		sum += s->entries[i].sums[w].off_ns;
	return sum;
}

static u64 sum_count(const struct waits_snap *s, enum time_window w)
{
	u64 sum = 0;

	for (u32 i = 0; i < s->nentries; i++)
		sum += s->entries[i].sums[w].count;
	return sum;
}

/* --- bounds --- */

static void put_fresh(struct builder *m, u32 i, u32 threads)
{
	u32 locs[3] = {1 + i, 2, 3};
	u32 tid = 1000 + i % threads;

	builder__wait(m, ended(thread_of(tid / 8 * 8, tid, "t"), builder__stack(m, 1, 2, locs), 0,
			       1, 1000 + i));
}

/* What is folded loses where it waited, nothing else; the largest stay whole. */
static void folding_keeps_the_totals(void **state)
{
	const u32 n = 2 * WAITS_MAX_ENTRIES, threads = 50;
	const struct waits_snap *s;
	struct builder m;
	u64 put = 0, folded = 0;
	bool largest = false;

	builder__init(&m, 1);
	for (u32 i = 0; i < n; i++, put += 1000 + i - 1)
		put_fresh(&m, i, threads);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_in_range(s->nentries, WAITS_MAX_ENTRIES / 4, WAITS_MAX_ENTRIES);
	for (enum time_window w = 0; w < WINDOWS; w++) {
		assert_int_equal(sum_off(s, w), put);
		assert_int_equal(sum_count(s, w), n);
	}
	for (u32 i = 0; i < s->nentries; i++) {
		const struct wait_entry *e = &s->entries[i];

		assert_int_equal(e->folded, !e->kstack);
		assert_in_range(e->task.tid, 1000, 1000 + threads - 1);
		folded += e->folded ? e->sums[WINDOW_TOTAL].off_ns : 0;
		largest |= !e->folded && e->sums[WINDOW_TOTAL].off_ns == 1000 + n - 1;
	}
	assert_true(largest);
	assert_int_equal(s->folded_ns, folded);
	assert_true(folded > 0 && folded < put);
	snap__put(s);
	builder__fini(&m);
}

/* So many threads: what is left of them is by process, then in one. */
static void put_threads(u32 n, u32 most, size_t bytes)
{
	const struct waits_snap *s;
	struct task_sample t = {0};
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "f");
	for (u32 i = 0; i < n; i++) {
		t.task = thread_of(i * 2, i * 2 + 1, "t");
		t.state_ns[TASK_STATE_SLEEP] = MSEC;
		t.gone = i % 2;
		builder__wait(&m, ended(t.task, k, 0, 1, MSEC));
		builder__task(&m, t);
		assert_true(i % 1000 || model_waits.memory(m.model) < bytes);
	}
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_true(s->nentries <= most && s->ntasks <= most);
	assert_int_equal(sum_off(s, WINDOW_TOTAL), (u64)n * MSEC);
	k = 0;
	for (u32 i = 0; i < s->ntasks; i++)
		k += s->tasks[i].span_ns[WINDOW_TOTAL];
	assert_int_equal(k, (u64)n * MSEC);
	assert_int_equal(s->tasks[s->ntasks - 1].task.tgid, PROFILE_MERGED);
	snap__put(s);
	builder__fini(&m);
}

static void entries_are_bounded_whatever_comes(void **state)
{
	put_threads(2 * WAITS_MAX_ENTRIES, WAITS_MAX_ENTRIES, (size_t)100 << 20);
}

static void few_are_kept_where_memory_is_little(void **state)
{
	u32 most;

	memory__be_content((u64)200 << 20);
	most = memory__entries(WAITS_MAX_ENTRIES, WAITS_CPU_ENTRIES);
	put_threads(2 * WAITS_MAX_ENTRIES, most, ((size_t)4 << 20) + most * (size_t)1024);
	memory__be_content(MEMORY_NO_LIMIT);
}

/* --- threads that ended --- */

enum { CHURN = WAITS_MAX_ENDED / 2, CHURN_TICKS = 8 };

/* A parent that goes on, whose children end; every other one's thread as well. */
static void churn(struct builder *m, u32 first, u64 k)
{
	struct task_sample parent = {.task = thread_of(7, 7, "make")};
	struct wait_sample w;

	for (u32 i = 0; i < CHURN / 2; i++) {
		u32 pid = first + 2 * i;
		struct task_sample t = {.task = thread_of(pid, pid + i % 2, "cc1"), .gone = true};

		builder__wait(m, ended(t.task, k, 0, 2, MSEC));
		builder__task(m, t);
		w = ended(parent.task, k, 0, 1, MSEC);
		w.waker = (struct waker){
			.kind = WAKER_TASK, .tgid = pid, .tid = pid + i % 2, .comm = "cc1"};
		builder__wait(m, w);
	}
	builder__task(m, parent);
}

static const struct waits_snap *churn_on(struct builder *m)
{
	u64 k = KERNEL(m, "f");
	const struct waits_snap *s = NULL;

	for (u32 i = 0; i < CHURN_TICKS; i++) {
		if (s)
			snap__put(s);
		churn(m, 100 + i * CHURN, k);
		s = builder__tick(m, NSEC_PER_SEC);
	}
	return s;
}

/* Those of the last intervals stay single; of the others the sums stay right. */
static void threads_that_ended_are_merged_by_name(void **state)
{
	const u64 each = (u64)CHURN / 2 * CHURN_TICKS;
	const struct waits_snap *s;
	u64 single = 0, merged = 0, by_children = 0;
	struct builder m;

	builder__init(&m, 1);
	s = churn_on(&m);
	assert_in_range(s->nentries, WAITS_MAX_ENDED / 2, WAITS_MAX_ENDED + CHURN);
	assert_in_range(s->ntasks, CHURN / 2, WAITS_MAX_ENDED + CHURN);
	assert_int_equal(s->folded_ns, 0);
	for (u32 i = 0; i < s->nentries; i++) {
		const struct wait_entry *e = &s->entries[i];
		u64 count = e->sums[WINDOW_TOTAL].count;

		assert_int_equal(e->ended, e->task.tid == PROFILE_MERGED);
		assert_non_null(e->kstack);
		if (!strcmp(e->task.comm, "make")) {
			assert_int_equal(e->task.tid, 7);
			assert_string_equal(e->waker.comm, "cc1");
			by_children += count;
			continue;
		}
		assert_string_equal(e->task.comm, "cc1");
		assert_true(!e->ended || e->task.tgid == PROFILE_MERGED);
		*(e->ended ? &merged : &single) += count;
	}
	assert_int_equal(by_children, each);
	assert_int_equal(single + merged, 2 * each);
	assert_true(merged > each && single > CHURN);
	assert_int_equal(sum_off(s, WINDOW_TOTAL), 3 * each * MSEC);
	snap__put(s);
	builder__fini(&m);
}

/* Rows by process: one of all that ended, without a number, a share or how many they were. */
static void rows_of_those_that_ended_have_no_numbers(void **state)
{
	struct waits_query q = {.groups = WAITS_BIT(WAITS_BY_PID), .window = WINDOW_TOTAL};
	const struct waits_snap *s;
	const struct waits_row *r;
	struct waits_result *a;
	struct builder m;

	builder__init(&m, 1);
	s = churn_on(&m);
	a = waits__query(s, &q, NULL);
	r = &a->rows[0];
	assert_true(r->merged);
	assert_string_equal(r->comm, "cc1");
	assert_string_equal(r->pid_text, "[ended]");
	r = &a->rows[1];
	assert_false(r->merged);
	assert_string_equal(r->comm, "make");
	query_result__free(&a->base);
	snap__put(s);
	builder__fini(&m);
}

static void memory_for_stacks_is_bounded(void **state)
{
	u32 locs[STACKS_MAX_FRAMES];
	const struct waits_snap *s;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < STACKS_MAX_FRAMES; i++)
		locs[i] = i;
	for (u32 i = 0; i < 20000; i++) {
		locs[1 + i % 1000] = i;
		builder__wait(&m, ended(thread_of(7, 7, "t"), 0,
					builder__stack(&m, 0, STACKS_MAX_FRAMES, locs), 1, MSEC));
		assert_true(model_waits.memory(m.model) < (size_t)100 << 20);
	}
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(sum_off(s, WINDOW_TOTAL), 20000 * MSEC);
	snap__put(s);
	builder__fini(&m);
}

/* Each snapshot still says the same after the model went on, was folded and freed. */
static u64 digest(const struct waits_snap *s)
{
	u64 h = mix64_pair(s->nentries, s->ntasks);

	for (u32 i = 0; i < s->nentries; i++) {
		const struct wait_entry *e = &s->entries[i];

		h = mix64_pair(h, hash_bytes(e->sums, sizeof(e->sums)));
		h = mix64_pair(h, hash_bytes(e->task.comm, COMM_LEN));
		for (u32 k = 0; e->kstack && k < e->kstack->nkernel; k++)
			h = mix64_pair(h, e->kstack->locs[k]);
	}
	return h;
}

static void snapshots_do_not_change(void **state)
{
	const struct waits_snap *s[12];
	u64 digests[12], k[3];
	struct builder m;

	builder__init(&m, 3);
	k[0] = KERNEL(&m, "f", "g");
	k[1] = KERNEL(&m, "g");
	k[2] = 0xbad;
	for (u32 i = 0; i < ARRAY_SIZE(s); i++) {
		builder__random_waits(&m, 200, k, 3, k, 3);
		s[i] = builder__tick(&m, NSEC_PER_SEC);
		digests[i] = digest(s[i]);
		if (i == 5)
			for (u32 j = 0; j <= WAITS_MAX_ENTRIES; j++)
				put_fresh(&m, j, 50);
		if (i == 8)
			model_waits.zero(m.model);
	}
	model_waits.free(m.model);
	for (u32 i = 0; i < ARRAY_SIZE(s); i++) {
		assert_true(digest(s[i]) == digests[i]);
		snap__put(s[i]);
	}
	fake_symbols__free(m.symbols);
}

/* Random input in random intervals: nothing is lost, nothing is larger than its whole. */
static void random_input_is_conserved(void **state)
{
	for (u32 seed = 1; seed <= 20; seed++) {
		u64 k[4], put = 0, last;
		struct builder m;

		builder__init(&m, seed);
		k[0] = KERNEL(&m, "f");
		k[1] = KERNEL(&m, "g", "f");
		k[2] = USER(&m, "h");
		k[3] = 0;
		for (u32 i = 0; i < 10; i++) {
			const struct waits_snap *s;

			last = builder__random_waits(&m, builder__random(&m, 100), k, 4, k, 4);
			put += last;
			s = builder__tick(&m, builder__random(&m, 2000) * MSEC);
			assert_int_equal(sum_off(s, WINDOW_LAST), last);
			assert_int_equal(sum_off(s, WINDOW_TOTAL), put);
			for (u32 e = 0; e < s->nentries; e++)
				for (u32 w = 0; w < WINDOWS; w++) {
					const struct wait_sums *x = &s->entries[e].sums[w];

					assert_true(x->open_ns <= x->off_ns);
					assert_true(x->runq_ns <= x->off_ns);
				}
			snap__put(s);
		}
		builder__fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folding_keeps_the_totals),
		cmocka_unit_test(entries_are_bounded_whatever_comes),
		cmocka_unit_test(few_are_kept_where_memory_is_little),
		cmocka_unit_test(threads_that_ended_are_merged_by_name),
		cmocka_unit_test(rows_of_those_that_ended_have_no_numbers),
		cmocka_unit_test(memory_for_stacks_is_bounded),
		cmocka_unit_test(snapshots_do_not_change),
		cmocka_unit_test(random_input_is_conserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
