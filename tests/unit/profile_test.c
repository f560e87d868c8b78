// SPDX-License-Identifier: GPL-2.0-only
/* The profile model: what goes in comes out, in every window, within its bounds. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/profile_builder.h"

static u64 sum_count(const struct profile_snap *s, enum time_window w)
{
	u64 sum = 0;

	for (u32 i = 0; i < s->nentries; i++)
		sum += s->entries[i].count[w];
	return sum;
}

static double sum_weight(const struct profile_snap *s, enum time_window w)
{
	double sum = 0;

	for (u32 i = 0; i < s->nentries; i++)
		sum += s->entries[i].weight[w];
	return sum;
}

static void windows_count_what_was_put(void **state)
{
	const struct profile_snap *s;
	struct builder m;
	u64 stack;
	u32 loc;

	builder__init(&m, 1);
	loc = symbols__named(m.symbols, "prog", "main", CODE_USER);
	stack = builder__stack(&m, 0, 1, &loc);
	builder__put(&m, stack, 7, 10);
	builder__put(&m, stack, 7, 5);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 1);
	assert_int_equal(s->entries[0].tgid, 7);
	assert_string_equal(s->comms[s->entries[0].comm], "task");
	assert_int_equal(s->entries[0].count[WINDOW_LAST], 15);
	assert_true(s->entries[0].weight[WINDOW_LAST] == 15000);
	snap__put(s);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->entries[0].count[WINDOW_LAST], 0);
	assert_int_equal(s->entries[0].count[WINDOW_TOTAL], 15);
	snap__put(s);
	builder__fini(&m);
}

/* After one half-life in steps of any length half is left. */
static void decay_does_not_depend_on_the_delay(void **state)
{
	static const u32 steps[] = {1, 5, 50};

	for (u32 i = 0; i < ARRAY_SIZE(steps); i++) {
		u64 dt = (u64)(PROFILE_HALF_LIFE_S * NSEC_PER_SEC) / steps[i];
		const struct profile_snap *s;
		struct builder m;

		builder__init(&m, 1);
		builder__put(&m, 0, 7, 1000);
		s = builder__tick(&m, NSEC_PER_SEC);
		for (u32 k = 0; k < steps[i]; k++) {
			snap__put(s);
			s = builder__tick(&m, dt);
		}
		assert_true(fabs(s->entries[0].weight[WINDOW_DECAY] - 500000) < 1);
		assert_int_equal(s->entries[0].count[WINDOW_DECAY], 500);
		snap__put(s);
		builder__fini(&m);
	}
}

/* A steady load looks steady, whatever the intervals; an empty one is a zero. */
static void trends_are_per_second(void **state)
{
	static const u64 dt_ms[] = {1000, 100, 250, 2000};
	const struct profile_snap *s = NULL;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < ARRAY_SIZE(dt_ms); i++) {
		snap__put(s);
		builder__put(&m, 0, 7, dt_ms[i]);
		s = builder__tick(&m, dt_ms[i] * NSEC_PER_MSEC);
	}
	for (u32 i = 0; i < TREND_LEN; i++)
		assert_true(fabs(s->entries[0].trend[i] -
				 (i < TREND_LEN - ARRAY_SIZE(dt_ms) ? 0 : 1e6)) < 1);
	snap__put(s);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_true(s->entries[0].trend[TREND_LEN - 1] == 0);
	snap__put(s);
	builder__fini(&m);
}

static void unknown_stacks_are_counted(void **state)
{
	const struct profile_snap *s;
	struct builder m;

	builder__init(&m, 1);
	builder__put(&m, 0xbad, 7, 3);
	builder__put(&m, 0, 7, 4);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 1);
	assert_null(s->entries[0].stack);
	assert_int_equal(s->entries[0].count[WINDOW_LAST], 7);
	snap__put(s);
	builder__fini(&m);
}

static u64 located_ip(const struct builder *m, const struct callstack *s, u32 frame)
{
	return m->symbols->locs[s->locs[frame]].ip;
}

/* Exact: the leaf, and where an interrupt or system call left user space. */
static void return_addresses_lie_in_their_calls(void **state)
{
	static const u64 ips[] = {0xf100, 0xf200, 0x1000, 0x2000, 0x3000};
	const struct callstack *k, *u;
	const struct profile_snap *s;
	struct builder m;

	builder__init(&m, 1);
	builder__def(&m, &(struct stack_def){
				 .hash = 1, .nkernel = 2, .nuser = 3, .tgid = 7, .ips = ips});
	builder__def(&m, &(struct stack_def){.hash = 2, .nuser = 2, .tgid = 7, .ips = ips + 2});
	builder__put(&m, 1, 7, 1);
	builder__put(&m, 2, 7, 1);
	s = builder__tick(&m, NSEC_PER_SEC);
	k = s->entries[0].stack;
	u = s->entries[1].stack;
	assert_int_equal(located_ip(&m, k, 0), 0xf100);
	assert_int_equal(located_ip(&m, k, 1), 0xf1ff);
	assert_int_equal(located_ip(&m, k, 2), 0x1000);
	assert_int_equal(located_ip(&m, k, 3), 0x1fff);
	assert_int_equal(located_ip(&m, u, 0), 0x1000);
	assert_int_equal(located_ip(&m, u, 1), 0x1fff);
	snap__put(s);
	builder__fini(&m);
}

static void a_stack_is_located_again_only_after_its_process_mapped(void **state)
{
	static const u64 ips[] = {0x1000, 0x2000};
	struct stack_def d = {.hash = 1, .nuser = 2, .tgid = 7, .ips = ips};
	struct proc_event ev = {.head.type = SAMPLE_PROC, .type = PROC_EXEC, .tgid = 7};
	struct builder m;

	builder__init(&m, 1);
	builder__def(&m, &d);
	builder__def(&m, &d);
	assert_int_equal(m.symbols->located, 2);
	model_profile.consume(m.model, &ev.head);
	builder__def(&m, &d);
	assert_int_equal(m.symbols->located, 4);
	builder__def(&m, &d);
	assert_int_equal(m.symbols->located, 4);
	builder__fini(&m);
}

/* Equal addresses are other code in another process. */
static void user_stacks_belong_to_their_process(void **state)
{
	static const u64 ips[] = {0x1000};
	const struct profile_snap *s;
	struct builder m;

	builder__init(&m, 1);
	for (u32 tgid = 7; tgid < 9; tgid++) {
		builder__def(&m,
			     &(struct stack_def){.hash = 1, .nuser = 1, .tgid = tgid, .ips = ips});
		builder__put(&m, 1, tgid, 1);
	}
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 2);
	assert_int_not_equal(s->entries[0].stack->locs[0], s->entries[1].stack->locs[0]);
	snap__put(s);
	builder__fini(&m);
}

static void zero_forgets_samples_but_not_stacks(void **state)
{
	const struct profile_snap *s;
	struct builder m;
	u64 stack;
	u32 loc;

	builder__init(&m, 1);
	loc = symbols__named(m.symbols, "prog", "main", CODE_USER);
	stack = builder__stack(&m, 0, 1, &loc);
	builder__put(&m, stack, 7, 10);
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	model_profile.zero(m.model);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 0);
	assert_int_equal(s->since_ns, 2 * NSEC_PER_SEC);
	snap__put(s);
	builder__put(&m, stack, 7, 1);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_non_null(s->entries[0].stack);
	assert_int_equal(s->entries[0].count[WINDOW_TOTAL], 1);
	snap__put(s);
	builder__fini(&m);
}

/* --- bounds --- */

/* count samples of a new stack of three frames that ends in leaf. */
static void put_fresh(struct builder *m, u32 i, u32 leaf, u64 count)
{
	u32 locs[3] = {leaf, 1000 + i / 1000, 2500 + i % 1000};

	builder__put(m, builder__stack(m, 0, 3, locs), 7, count);
}

static void cold_chains_are_folded_and_selfs_stay(void **state)
{
	const u32 n = PROFILE_MAX_ENTRIES + 5000;
	u64 self[8] = {0}, found[8] = {0}, folded = 0, put = 0;
	const struct profile_snap *s;
	bool hot_kept = false;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < n; i++) {
		u64 count = i == 17 ? 100000 : 1 + i % 3;

		put_fresh(&m, i, 1 + i % 8, count);
		self[i % 8] += count;
		put += count;
		if (i % 10000 == 9999)
			snap__put(builder__tick(&m, NSEC_PER_MSEC));
	}
	s = builder__tick(&m, NSEC_PER_MSEC);
	assert_true(s->nentries <= PROFILE_MAX_ENTRIES);
	assert_true(sum_weight(s, WINDOW_TOTAL) == (double)put * 1000);
	assert_true(sum_weight(s, WINDOW_DECAY) > (double)put * 900);
	for (u32 i = 0; i < s->nentries; i++) {
		const struct profile_entry *e = &s->entries[i];

		found[e->stack->locs[0] - 1] += e->count[WINDOW_TOTAL];
		folded += e->stack->folded ? e->count[WINDOW_TOTAL] : 0;
		hot_kept |= e->count[WINDOW_TOTAL] == 100000 && e->stack->nuser == 3;
	}
	assert_memory_equal(self, found, sizeof(self));
	assert_int_equal(sum_count(s, WINDOW_TOTAL), put);
	assert_int_equal(folded, s->folded_count);
	assert_true(folded > 0 && hot_kept);
	snap__put(s);
	builder__fini(&m);
}

/* No two entries alike in any part: threads, then tasks, then leafs have to go. */
static void hopeless_input_is_bounded_and_conserved(void **state)
{
	const u32 n = PROFILE_MAX_ENTRIES * 2;
	const struct profile_snap *s;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < n; i++) {
		u32 locs[2] = {1 + i, 1 + i / 2};
		struct stack_sample x = {.stack = builder__stack(&m, 1, 1, locs),
					 .tgid = i,
					 .tid = i + 1,
					 .cgroup = i,
					 .cpu = i % 512,
					 .count = 1,
					 .weight = 1};

		snprintf(x.comm, sizeof(x.comm), "t%u", i);
		builder__sample(&m, &x);
	}
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_true(s->nentries <= PROFILE_MAX_ENTRIES);
	assert_true(s->ncomms <= 16384);
	assert_int_equal(sum_count(s, WINDOW_TOTAL), n);
	snap__put(s);
	builder__fini(&m);
}

static void memory_for_stacks_is_bounded(void **state)
{
	const struct profile_snap *s;
	u32 locs[STACKS_MAX_FRAMES];
	struct builder m;
	u64 put = 0;

	builder__init(&m, 1);
	for (u32 i = 0; i < STACKS_MAX_FRAMES; i++)
		locs[i] = i;
	for (u32 i = 0; i < 20000; i++, put++) {
		locs[1 + i % 1000] = i;
		builder__put(&m, builder__stack(&m, 0, STACKS_MAX_FRAMES, locs), 7, 1);
		assert_true(model_profile.memory(m.model) < (size_t)100 << 20);
	}
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(sum_count(s, WINDOW_TOTAL), put);
	snap__put(s);
	builder__fini(&m);
}

/* What a source may rely on: the newest definitions are known, however many came before. */
static void the_newest_definitions_are_known(void **state)
{
	const u32 n = 3 * STACKS_DEFINITIONS;
	const struct profile_snap *s;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < n; i++) {
		u32 locs[3] = {1 + i, 2, 3};

		builder__stack(&m, 0, 3, locs);
	}
	for (u32 i = 1; i < STACKS_DEFINITIONS; i += 1000)
		builder__put(&m, m.next_hash + 1 - i, 7, 1);
	s = builder__tick(&m, NSEC_PER_SEC);
	for (u32 i = 0; i < s->nentries; i++)
		assert_non_null(s->entries[i].stack);
	assert_int_equal(s->nentries, (STACKS_DEFINITIONS + 998) / 1000);
	snap__put(s);
	builder__fini(&m);
}

static void a_stack_that_is_too_long_is_cut(void **state)
{
	static u64 ips[2 * STACKS_MAX_FRAMES];
	const struct profile_snap *s;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < ARRAY_SIZE(ips); i++)
		ips[i] = 1;
	builder__def(&m, &(struct stack_def){.hash = 1,
					     .nkernel = 10,
					     .nuser = ARRAY_SIZE(ips) - 10,
					     .named = true,
					     .ips = ips});
	builder__put(&m, 1, 7, 1);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_true(s->entries[0].stack->cut);
	assert_int_equal(s->entries[0].stack->nkernel, 10);
	assert_int_equal(s->entries[0].stack->nuser, STACKS_MAX_FRAMES - 10);
	snap__put(s);
	builder__fini(&m);
}

/* --- snapshots --- */

static u64 digest(const struct profile_snap *s)
{
	u64 h = s->nentries;

	for (u32 i = 0; i < s->nentries; i++) {
		const struct profile_entry *e = &s->entries[i];

		h = mix64_pair(h, hash_bytes(e->count, sizeof(e->count)));
		h = mix64_pair(h, hash_bytes(e->trend, sizeof(e->trend)));
		h = mix64_pair(h, hash_bytes(s->comms[e->comm], COMM_LEN));
		for (u32 k = 0; e->stack && k < e->stack->nkernel + e->stack->nuser; k++)
			h = mix64_pair(h, e->stack->locs[k]);
	}
	return h;
}

/* Each snapshot still says the same after the model went on, was folded and freed. */
static void snapshots_do_not_change(void **state)
{
	const struct profile_snap *s[20];
	u64 digests[20];
	struct builder m;

	builder__init(&m, 3);
	builder__random_code(&m);
	for (u32 i = 0; i < ARRAY_SIZE(s); i++) {
		builder__random_samples(&m, 40, 100, 20);
		s[i] = builder__tick(&m, NSEC_PER_SEC);
		digests[i] = digest(s[i]);
		if (i == 10)
			for (u32 k = 0; k <= PROFILE_MAX_ENTRIES; k++)
				put_fresh(&m, k, 1, 1);
		if (i == 15)
			model_profile.zero(m.model);
	}
	model_profile.free(m.model);
	for (u32 i = 0; i < ARRAY_SIZE(s); i++) {
		assert_true(digest(s[i]) == digests[i]);
		snap__put(s[i]);
	}
	fake_symbols__free(m.symbols);
}

#define HANDED 200

static struct {
	_Atomic(const struct profile_snap *) slot;
	atomic_bool done;
	u64 read;
} reader;

static void *read_snapshots(void *arg)
{
	for (bool last = false; !last;) {
		const struct profile_snap *s;

		last = atomic_load(&reader.done);
		s = atomic_exchange(&reader.slot, NULL);
		if (s)
			reader.read += digest(s) != 0;
		snap__put(s);
	}
	return NULL;
}

static void readers_need_no_lock(void **state)
{
	pthread_t thread;
	struct builder m;

	builder__init(&m, 5);
	builder__random_code(&m);
	assert_int_equal(pthread_create(&thread, NULL, read_snapshots, NULL), 0);
	for (u32 i = 0; i < HANDED; i++) {
		builder__random_samples(&m, 10, 30, 20);
		snap__put(atomic_exchange(&reader.slot, builder__tick(&m, NSEC_PER_SEC)));
	}
	atomic_store(&reader.done, true);
	pthread_join(thread, NULL);
	assert_true(reader.read > 0);
	builder__fini(&m);
}

/* Everything that is put is in every window's sums, random input or not. */
static void random_input_is_conserved(void **state)
{
	for (u64 seed = 0; seed < 200; seed++) {
		const struct profile_snap *s;
		struct builder m;
		u64 all = 0;

		builder__init(&m, seed);
		builder__random_code(&m);
		for (u32 i = 0; i < 4; i++) {
			u64 put;

			builder__random_samples(&m, 20, 50, 30);
			put = m.samples;
			all += put;
			s = builder__tick(&m, NSEC_PER_SEC / (1 + i));
			assert_int_equal(sum_count(s, WINDOW_LAST), put);
			assert_int_equal(sum_count(s, WINDOW_TOTAL), all);
			assert_true(sum_weight(s, WINDOW_DECAY) <= sum_weight(s, WINDOW_TOTAL));
			snap__put(s);
		}
		builder__fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_count_what_was_put),
		cmocka_unit_test(decay_does_not_depend_on_the_delay),
		cmocka_unit_test(trends_are_per_second),
		cmocka_unit_test(unknown_stacks_are_counted),
		cmocka_unit_test(return_addresses_lie_in_their_calls),
		cmocka_unit_test(a_stack_is_located_again_only_after_its_process_mapped),
		cmocka_unit_test(user_stacks_belong_to_their_process),
		cmocka_unit_test(zero_forgets_samples_but_not_stacks),
		cmocka_unit_test(cold_chains_are_folded_and_selfs_stay),
		cmocka_unit_test(hopeless_input_is_bounded_and_conserved),
		cmocka_unit_test(memory_for_stacks_is_bounded),
		cmocka_unit_test(the_newest_definitions_are_known),
		cmocka_unit_test(a_stack_that_is_too_long_is_cut),
		cmocka_unit_test(snapshots_do_not_change),
		cmocka_unit_test(readers_need_no_lock),
		cmocka_unit_test(random_input_is_conserved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
