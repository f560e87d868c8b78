// SPDX-License-Identifier: GPL-2.0-only
/*
 * The BPF sampler against children whose CPU time the kernel's own clock knows. Needs root
 * and BPF; says why and skips otherwise. bpf_scope_test.c has the filters.
 */
#include "tests/live/sampler.h"

#include <bpf/bpf.h>

#include "bpf/cpu.h"

/* Every 1/999 s of CPU time is a sample. */
static void test_counts_match_cpu_time(void **state)
{
	struct sampler s = {.ops = &source_cpu_bpf};
	struct child c = child__start(0, "busy_one");
	u64 before;

	sampler__open(&s, 999, "pid=%d", c.pid);
	before = child__cpu_ns(&c);
	sampler__run(&s, 1200);
	near((double)s.samples, (double)(child__cpu_ns(&c) - before) * 999e-9, 0.05);
	near((double)s.weight, (double)(child__cpu_ns(&c) - before), 0.05);
	assert_int_equal(s.undefined, 0);
	assert_int_equal(s.comm_samples, 0);
	assert_true(s.defs > 0 && s.user_frames > s.defs);
	assert_true(s.seen_pids > 0);
	sampler__close(&s);
	child__stop(&c);
}

/* What the program counted is what came out, over many flips of the maps. */
static void test_nothing_lost_or_doubled(void **state)
{
	struct sampler s = {.ops = &source_cpu_bpf};
	struct child a = child__start(0, "busy_a"), b = child__start(1, "busy_b");
	struct cpu_stats stats;
	struct health h = {0};

	sampler__open(&s, 4000, "pid=%d,%d", a.pid, b.pid);
	for (int i = 0; i < 20; i++)
		sampler__run(&s, 40);
	child__stop(&a);
	child__stop(&b);
	sampler__run(&s, 0);
	cpu_bpf__stats(s.source, &stats);
	assert_true(stats.samples > 1000);
	assert_int_equal(s.samples, stats.samples);
	source_cpu_bpf.health(s.source, &h);
	assert_int_equal(h.samples_total, s.samples);
	assert_int_equal(h.lost, 0);
	assert_true(h.cost_ns > 0 && h.cost_pct > 0 && h.run_pct >= 0);
	sampler__close(&s);
}

/* Maps and ring that are much too small: what does not fit is counted, the rest is right. */
static void test_full_maps_are_counted(void **state)
{
	struct cpu_bpf_sizes tiny = {.counts = 4, .stacks = 4, .tasks = 1, .ring_bytes = 4096};
	struct sampler s = {.ops = &source_cpu_bpf, .sizes = &tiny};
	struct child c = child__start_kind(0, "busy_deep", CHILD_MANY_STACKS);
	struct cpu_stats stats;
	struct health h = {0};

	sampler__open(&s, 4000, "pid=%d", c.pid);
	for (int i = 0; i < 5; i++)
		sampler__run(&s, 100);
	source_cpu_bpf.health(s.source, &h);
	assert_true(h.map_fill_pct > 99);
	child__stop(&c);
	sampler__run(&s, 0);
	cpu_bpf__stats(s.source, &stats);
	source_cpu_bpf.health(s.source, &h);
	assert_true(stats.map_full > 0);
	assert_int_equal(s.samples + stats.map_full, stats.samples);
	assert_int_equal(h.map_full, stats.map_full);
	assert_int_equal(h.lost, stats.map_full);
	assert_int_equal(s.undefined, 0);
	sampler__close(&s);
}

/* A ring without room: samples stay counted, without frames, and later ones try again. */
static void test_full_ring_loses_only_frames(void **state)
{
	struct cpu_bpf_sizes tiny = {.counts = 4096, .stacks = 8, .tasks = 64, .ring_bytes = 4096};
	struct sampler s = {.ops = &source_cpu_bpf, .sizes = &tiny, .lazy = true};
	struct child c = child__start_kind(0, "busy_deep", CHILD_MANY_STACKS);
	struct cpu_stats stats;

	sampler__open(&s, 4000, "pid=%d", c.pid);
	for (int i = 0; i < 5; i++)
		sampler__run(&s, 200);
	child__stop(&c);
	sampler__run(&s, 0);
	cpu_bpf__stats(s.source, &stats);
	assert_true(stats.stacks_lost > 0);
	assert_int_equal(stats.map_full, 0);
	assert_int_equal(s.samples, stats.samples);
	assert_int_equal(s.stackless, stats.stacks_lost);
	assert_int_equal(s.undefined, 0);
	assert_true(s.samples > s.stackless);
	sampler__close(&s);
}

static void test_rate_changes_live(void **state)
{
	struct sampler s = {.ops = &source_cpu_bpf};
	struct child c = child__start(0, "busy_rate");
	struct status st = {0};
	u64 before, slow;

	sampler__open(&s, 99, "pid=%d", c.pid);
	sampler__run(&s, 300);
	assert_in_range(s.samples, 10, 50);
	s.how.freq = 1999;
	assert_int_equal(source_cpu_bpf.set_sampling(s.source, &s.how, &st), 0);
	sampler__run(&s, 0);
	slow = s.samples;
	before = child__cpu_ns(&c);
	sampler__run(&s, 800);
	near((double)(s.samples - slow), (double)(child__cpu_ns(&c) - before) * 1999e-9, 0.1);
	s.how.freq = 0;
	s.how.period = 2 * 1000 * 1000;
	assert_int_equal(source_cpu_bpf.set_sampling(s.source, &s.how, &st), 0);
	sampler__run(&s, 0);
	slow = s.samples;
	before = child__cpu_ns(&c);
	sampler__run(&s, 800);
	near((double)(s.samples - slow), (double)(child__cpu_ns(&c) - before) * 500e-9, 0.1);
	sampler__close(&s);
	child__stop(&c);
}

/* User mode only: no kernel frames, no kernel samples; and the other way round. */
static void test_user_and_kernel_toggle(void **state)
{
	struct sampler s = {.ops = &source_cpu_bpf};
	struct child c = child__start_kind(0, "busy_sys", CHILD_SYSCALLS);
	struct status st = {0};

	sampler__open(&s, 999, "pid=%d", c.pid);
	sampler__run(&s, 300);
	assert_true(s.kernel_frames > 0 && s.user_frames > 0);
	s.how.kernel = false;
	assert_int_equal(source_cpu_bpf.set_sampling(s.source, &s.how, &st), 0);
	sampler__run(&s, 0);
	sampler__clear(&s);
	sampler__run(&s, 300);
	assert_true(s.samples > 0);
	assert_int_equal(s.kernel_frames, 0);
	s.how.kernel = true;
	s.how.user = false;
	assert_int_equal(source_cpu_bpf.set_sampling(s.source, &s.how, &st), 0);
	sampler__run(&s, 0);
	sampler__clear(&s);
	sampler__run(&s, 300);
	assert_true(s.samples > 0);
	assert_int_equal(s.user_frames, 0);
	sampler__close(&s);
	child__stop(&c);
}

/* Both programs of an exec are announced, and none takes the other's samples. */
static void test_exec_is_a_new_program(void **state)
{
	struct sampler s = {.ops = &source_cpu_bpf};
	struct child c = child__start_kind(0, "busy_old", CHILD_EXEC);

	sampler__open(&s, 999, "pid=%d", c.pid);
	s.comm = "busy_old";
	sampler__run(&s, 300);
	assert_int_equal(s.comm_samples, s.samples);
	kill(c.pid, SIGUSR1);
	sampler__run(&s, 300);
	sampler__clear(&s);
	sampler__run(&s, 300);
	assert_true(s.samples > 50);
	assert_int_equal(s.comm_samples, 0);
	assert_int_equal(s.seen_total, 2);
	sampler__close(&s);
	child__stop(&c);
}

static void test_close_leaves_nothing(void **state)
{
	u32 fds = count_fds(), ids[64], before = own_programs(ids, ARRAY_SIZE(ids));
	struct sampler s = {.ops = &source_cpu_bpf};

	sampler__open(&s, 99, "tree=%d", getpid());
	assert_true(own_programs(ids, ARRAY_SIZE(ids)) >= before + 3); /* samples, forks, exits */
	sampler__close(&s);
	for (int i = 0; i < 200 && own_programs(ids, ARRAY_SIZE(ids)) != before; i++)
		usleep(10000);
	assert_int_equal(own_programs(ids, ARRAY_SIZE(ids)), before);
	assert_int_equal(count_fds(), fds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_match_cpu_time),
		cmocka_unit_test(test_nothing_lost_or_doubled),
		cmocka_unit_test(test_full_maps_are_counted),
		cmocka_unit_test(test_full_ring_loses_only_frames),
		cmocka_unit_test(test_rate_changes_live),
		cmocka_unit_test(test_user_and_kernel_toggle),
		cmocka_unit_test(test_exec_is_a_new_program),
		cmocka_unit_test(test_close_leaves_nothing),
	};

	if (!sampler__possible(&source_cpu_bpf))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
