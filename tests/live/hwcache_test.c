// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU's caches with events that every machine has in the place of hardware's: page faults are references, and
 * the minor ones of them, all of those made here, are misses. What is opened, counted and charged is the same code.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bpf/counters.h"
#include "scope/filter.h"
#include "sources/counters.h"
#include "sources/measures.h"
#include "sources/shared_cache.h"
#include "tests/live/sampler.h"

#define PAGES 40000

enum { BY_CACHE, BY_CPU, BY_SHARED }; /* as measures/hwcache.c has them */

extern const struct source_ops source_measure_hwcache, source_measure_lookups;
extern const char proftop_bpf_hwcache[], proftop_bpf_hwcache_end[];

static struct {
	u32 tgid;
	u64 references, misses, hits, mine, others_misses;
	u32 caches; /* a bit each */
} seen;

static void put(void *ctx, const struct sample *s)
{
	const struct measure_sample *x = container_of(s, struct measure_sample, head);

	struct shared_cache shared;

	if (s->type != SAMPLE_MEASURE)
		return;
	shared_cache__of(&shared, SHARED_CACHE_CPUS, (u32)x->keys[BY_CPU].value);
	assert_int_equal(x->keys[BY_SHARED].value, shared.first);
	assert_string_equal(x->keys[BY_SHARED].text, shared.cpus);
	seen.references += x->count;
	seen.misses += x->sums[COUNTERS_SECOND];
	seen.hits += x->sums[COUNTERS_REST];
	seen.caches |= 1u << x->keys[BY_CACHE].value;
	if (x->who.tgid == seen.tgid)
		seen.mine += x->count;
	assert_true(x->sums[COUNTERS_RUNNING] == x->sums[COUNTERS_ENABLED]);
}

static const struct sample_sink sink = {.put = put};

/* A child that touches so many pages. *faults: those that the kernel says it had. */
static u32 touch_pages(u64 *faults)
{
	struct rusage used;
	pid_t pid = fork();
	char *p;

	if (!pid) {
		p = mmap(NULL, PAGES * 4096UL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(p, PAGES * 4096UL, MADV_NOHUGEPAGE);
		for (u64 i = 0; i < PAGES; i++)
			((volatile char *)p)[i * 4096] = 1;
		_exit(0);
	}
	assert_int_equal(wait4(pid, NULL, 0, &used), pid);
	*faults = (u64)(used.ru_minflt + used.ru_majflt);
	return (u32)pid;
}

static void *begin_faults(const struct measure *m, const struct sampling *how)
{
	static const struct hwcache_events faults[] = {
		{HWCACHE_LLC, {"no-such-event", "minor-faults"}},
		{HWCACHE_LLC, {"page-faults", "no-such-event"}},
		{HWCACHE_LLC, {"page-faults", "minor-faults"}},
	};

	return hwcache__begin_with(m, faults, ARRAY_SIZE(faults));
}

/* Counts from now on. */
static struct source *open_faults(const char *filter)
{
	static struct measure_hooks hooks;
	static struct measure_programs programs;
	const struct sampling how = {.interval_s = 1};
	struct filter_error err;
	struct scope *scope = filter__parse(filter, &err);
	struct status st = {0};
	struct source *s;

	hooks = hwcache_hooks;
	hooks.begin = begin_faults;
	programs = (struct measure_programs){.measure = measure_table[MEASURE_HWCACHE],
					     .elf = proftop_bpf_hwcache,
					     .elf_size = (size_t)(proftop_bpf_hwcache_end - proftop_bpf_hwcache),
					     .hooks = &hooks};
	s = measure_source__open(&programs, &how, scope, &st);
	scope__put(scope);
	if (!s)
		fail_msg("%s", st.msg);
	source_measure_hwcache.drain(s, true, &sink);
	memset(&seen, 0, sizeof(seen));
	return s;
}

static void faults_are_of_who_made_them(void **state)
{
	struct source *s = open_faults("");
	struct health h = {0};
	u64 faults;

	seen.tgid = touch_pages(&faults);
	source_measure_hwcache.drain(s, true, &sink);
	source_measure_hwcache.health(s, &h);
	print_message("%llu of %llu faults, the kernel says %llu; %llu minor\n", (unsigned long long)seen.mine,
		      (unsigned long long)seen.references, (unsigned long long)faults,
		      (unsigned long long)seen.misses);
	assert_int_equal(seen.caches, 1u << HWCACHE_LLC);
	assert_true(faults >= PAGES);
	assert_in_range(seen.mine, faults - 20, faults + 20);
	assert_true(seen.misses >= PAGES && seen.misses <= seen.references);
	assert_int_equal(seen.hits, seen.references - seen.misses);
	assert_int_equal(h.lost, 0);
	source_measure_hwcache.close(s);
}

static void others_are_left_out(void **state)
{
	struct source *s = open_faults("comm~^nobody_is_called_so$");
	u64 faults;

	touch_pages(&faults);
	source_measure_hwcache.drain(s, true, &sink);
	assert_int_equal(seen.references, 0);
	source_measure_hwcache.close(s);
}

/* With hardware's events: they serve, or one line says why they do not. */
static void without_counters_it_says_why(void **state)
{
	const struct sampling how = {.interval_s = 1};
	struct filter_error err;
	struct scope *scope = filter__parse("", &err);
	struct status st = {0};
	struct source *s = source_measure_hwcache.open(&how, scope, &st);

	scope__put(scope);
	if (s) {
		source_measure_hwcache.drain(s, true, &sink);
		source_measure_hwcache.close(s);
		return;
	}
	print_message("%s\n", st.msg);
	assert_int_equal(st.code, EXIT_CODE_UNSUPPORTED);
	assert_true(strlen(st.msg) > 20 && !strchr(st.msg, '\n'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_are_of_who_made_them),
		cmocka_unit_test(others_are_left_out),
		cmocka_unit_test(without_counters_it_says_why),
	};

	if (!sampler__possible(&source_measure_lookups))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
