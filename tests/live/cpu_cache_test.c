// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU's caches with events that every machine has in the place of hardware's: page faults are
 * references, and the minor ones of them, all of those made here, are misses. What is opened,
 * sampled, counted and divided is the same code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scope/filter.h"
#include "sources/cpu_cache.h"
#include "sources/perf_open.h"
#include "tests/lib/skip.h"

#define PAGES 40000

static const struct cpu_cache_events faults[] = {
	{CPU_CACHE_LLC, {"page-faults", "minor-faults"}, {97, 101}},
};

static struct {
	u32 tgid;
	u64 all[CPU_CACHE_COUNTS], mine[CPU_CACHE_COUNTS];
	bool llc, tlb;
} seen;

static void put(void *ctx, const struct sample *s)
{
	const struct cpu_cache_sample *x = (const void *)s;
	const struct cpu_cache_state_sample *state = (const void *)s;

	if (s->type == SAMPLE_CPU_CACHE_STATE) {
		seen.llc = state->of[CPU_CACHE_LLC].known;
		seen.tlb = state->of[CPU_CACHE_TLB].known;
	}
	if (s->type != SAMPLE_CPU_CACHE)
		return;
	for (u32 i = 0; i < CPU_CACHE_COUNTS; i++) {
		seen.all[i] += x->n[CPU_CACHE_LLC][i];
		if (x->tgid == seen.tgid)
			seen.mine[i] += x->n[CPU_CACHE_LLC][i];
	}
}

static const struct sample_sink sink = {.put = put};

/* A child that touches so many pages. */
static u32 touch_pages(void)
{
	pid_t pid = fork();
	char *p;

	if (!pid) {
		p = mmap(NULL, PAGES * 4096UL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
		madvise(p, PAGES * 4096UL, MADV_NOHUGEPAGE);
		for (u64 i = 0; i < PAGES; i++)
			((volatile char *)p)[i * 4096] = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (u32)pid;
}

static struct source *open_faults(const char *filter)
{
	struct filter_error err;
	struct scope *scope = filter__parse(filter, &err);
	struct status st = {0};
	struct source *s = cpu_cache__open_events(faults, ARRAY_SIZE(faults), scope, &st);

	if (!s)
		print_message("%s\n", st.msg);
	scope__put(scope);
	memset(&seen, 0, sizeof(seen));
	return s;
}

/* Of the whole machine, from now on. */
static struct source *begin_faults(void)
{
	struct source *s;

	if (!perf__privileged())
		skip_because("events of the whole machine are not permitted");
	s = open_faults("");
	assert_non_null(s);
	source_cpu_cache.drain(s, true, &sink);
	memset(&seen, 0, sizeof(seen));
	return s;
}

static void expect_mine(u32 i)
{
	assert_true((double)seen.mine[i] > 0.7 * PAGES);
	assert_true((double)seen.mine[i] < 1.3 * PAGES);
}

static void faults_are_divided_among_who_made_them(void **state)
{
	struct source *s = begin_faults();
	struct health h = {0};

	seen.tgid = touch_pages();
	source_cpu_cache.drain(s, true, &sink);
	source_cpu_cache.health(s, &h);
	print_message("%u pages touched: %llu of %llu faults, %llu of %llu minor; %llu samples\n",
		      PAGES, (unsigned long long)seen.mine[0], (unsigned long long)seen.all[0],
		      (unsigned long long)seen.mine[1], (unsigned long long)seen.all[1],
		      (unsigned long long)h.samples);
	assert_true(seen.llc && !seen.tlb);
	for (u32 i = 0; i < CPU_CACHE_COUNTS; i++) {
		assert_true(seen.all[i] >= PAGES);
		assert_true(seen.mine[i] <= seen.all[i]);
		expect_mine(i);
	}
	assert_true(h.samples > 2);
	assert_int_equal(h.lost, 0);
	source_cpu_cache.close(s);
}

/* As when CPUs came or went: what was counted before is there, what comes is counted once. */
static void opened_anew_nothing_is_missing(void **state)
{
	struct source *s = begin_faults();
	struct health h = {0};
	struct status st = {0};

	touch_pages();
	assert_int_equal(source_cpu_cache.renew(s, &st), 0);
	seen.tgid = touch_pages();
	source_cpu_cache.drain(s, true, &sink);
	source_cpu_cache.health(s, &h);
	for (u32 i = 0; i < CPU_CACHE_COUNTS; i++) {
		assert_true(seen.all[i] >= 2 * PAGES);
		expect_mine(i);
	}
	assert_int_equal(h.lost, 0);
	source_cpu_cache.close(s);
}

static void others_are_left_out(void **state)
{
	struct source *s;

	if (!perf__privileged())
		skip_because("events of the whole machine are not permitted");
	s = open_faults("comm~^nobody_is_called_so$");
	assert_non_null(s);
	seen.tgid = touch_pages();
	source_cpu_cache.drain(s, true, &sink);
	assert_int_equal(seen.all[0], 0);
	source_cpu_cache.close(s);
}

/* With hardware's events: they serve, or one line says why they do not. */
static void without_counters_it_says_why(void **state)
{
	struct filter_error err;
	struct scope *scope = filter__parse("", &err);
	struct sampling how = {.freq = 99, .user = true, .kernel = true};
	struct status st = {0};
	struct source *s = source_cpu_cache.open(&how, scope, &st);

	if (s) {
		source_cpu_cache.drain(s, true, &sink);
		source_cpu_cache.close(s);
	} else {
		print_message("%s\n", st.msg);
		assert_int_equal(st.code,
				 perf__privileged() ? EXIT_CODE_UNSUPPORTED : EXIT_CODE_PERMISSION);
		assert_true(strlen(st.msg) > 20 && !strchr(st.msg, '\n'));
	}
	scope__put(scope);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_divided_among_who_made_them),
		cmocka_unit_test(opened_anew_nothing_is_missing),
		cmocka_unit_test(others_are_left_out),
		cmocka_unit_test(without_counters_it_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
