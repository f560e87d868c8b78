// SPDX-License-Identifier: GPL-2.0-only
/* The model of measures: entries, windows, what is folded, stacks, texts, spans that go on, slow
 * ones, names of heat maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/frames.h"
#include "models/stacks.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/measure_builder.h"

static int setup(void **state)
{
	static struct measure_builder m;

	measure_builder__begin(&m);
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	measure_builder__end(*state);
	return 0;
}

static const struct measure_entry *entry_of(const struct measure_snap *s, u32 tid, const char *call)
{
	for (u32 i = 0; i < s->nentries; i++)
		if (s->entries[i].who.tid == tid && !strcmp(s->entries[i].keys[0].text, call))
			return &s->entries[i];
	return NULL;
}

static u64 counted(const struct measure_entry *e, u32 n, enum time_window w)
{
	u64 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += e[i].v[w].count;
	return sum;
}

/* --- entries --- */

static void what_agrees_is_one_entry(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s;

	put_some(m, someone(1, 1, "a"), "read", 3, 5 * US);
	put_some(m, someone(1, 1, "a"), "read", 4, 7 * US);
	put_some(m, someone(1, 1, "a"), "write", 1, 1 * US);
	put_some(m, someone(1, 2, "a"), "read", 1, 1 * US);
	put_some(m, someone(1, 1, "renamed"), "read", 1, 1 * US);
	s = measure_tick(m);
	assert_int_equal(s->nentries, 4);
	assert_int_equal(s->nsampled, 4);
	assert_int_equal(s->entries[0].v[WINDOW_LAST].count, 7);
	assert_int_equal(s->entries[0].v[WINDOW_LAST].sum, 43 * US);
	assert_int_equal(s->entries[0].v[WINDOW_LAST].min, 5 * US);
	assert_int_equal(s->entries[0].v[WINDOW_LAST].max, 7 * US);
	assert_ptr_equal(s->measure, measure_table[MEASURE_SYSCALLS]);
	snap__put(&s->base);
}

static void errors_and_paths_are_apart(void **state)
{
	struct measure_builder *m = *state;
	const u64 ns[] = {US, US, US};
	struct measure_snap *s;

	put_counted(m, &(struct counted){.who = someone(1, 1, "a"), .call = "openat", .ns = ns, .n = 3});
	put_counted(m, &(struct counted){.who = someone(1, 1, "a"),
					 .call = "openat",
					 .error = "ENOENT",
					 .path = "/a",
					 .ns = ns,
					 .n = 2});
	put_counted(m, &(struct counted){.who = someone(1, 1, "a"),
					 .call = "openat",
					 .error = "ENOENT",
					 .path = "/b",
					 .ns = ns,
					 .n = 1});
	s = measure_tick(m);
	assert_int_equal(s->nentries, 3);
	assert_int_equal(s->entries[0].v[WINDOW_LAST].errors, 0);
	assert_int_equal(s->entries[1].v[WINDOW_LAST].errors, 2);
	assert_string_equal(s->entries[1].keys[2].text, "/a");
	assert_string_equal(s->entries[2].keys[2].text, "/b");
	assert_string_equal(s->entries[0].keys[2].text, "");
	snap__put(&s->base);
}

/* --- windows --- */

static void windows_add_up(void **state)
{
	struct measure_builder *m = *state;
	const struct measure_entry *e;
	struct measure_snap *s;

	put_some(m, someone(1, 1, "a"), "read", 100, 10 * US);
	snap__put(&measure_tick(m)->base);
	put_some(m, someone(1, 1, "a"), "read", 10, 100 * US);
	s = measure_tick(m);
	e = entry_of(s, 1, "read");
	assert_int_equal(e->v[WINDOW_LAST].count, 10);
	assert_int_equal(e->v[WINDOW_LAST].sum, 1000 * US);
	assert_int_equal(e->v[WINDOW_LAST].min, 100 * US);
	assert_int_equal(e->v[WINDOW_TOTAL].count, 110);
	assert_int_equal(e->v[WINDOW_TOTAL].sum, 2000 * US);
	assert_int_equal(e->v[WINDOW_TOTAL].min, 10 * US);
	assert_int_equal(e->v[WINDOW_TOTAL].max, 100 * US);
	assert_in_range(e->v[WINDOW_DECAY].count, 60, 109);
	assert_int_equal(e->v[WINDOW_DECAY].min, 10 * US);
	assert_int_equal(e->v[WINDOW_DECAY].max, 100 * US);
	assert_true(e->trend[TREND_LEN - 1] > 9.9f && e->trend[TREND_LEN - 1] < 10.1f);
	snap__put(&s->base);
	s = measure_tick(m);
	e = entry_of(s, 1, "read");
	assert_int_equal(e->v[WINDOW_LAST].count, 0);
	assert_int_equal(e->v[WINDOW_LAST].max, 0);
	assert_int_equal(e->v[WINDOW_TOTAL].count, 110);
	snap__put(&s->base);
	m->ops->zero(m->model);
	s = measure_tick(m);
	assert_int_equal(s->nentries, 0);
	snap__put(&s->base);
}

static void quantiles_within(const struct measure_snap *s, u64 least, u64 most)
{
	const struct measure_query q = {.groups = 1, .window = WINDOW_DECAY};
	struct measure_result *a = measure__query(s, &q, NULL);

	for (u32 i = 0; i < a->nrows; i++) {
		const struct measure_row *r = &a->rows[i];
		u64 avg = cell_of(&a->base.table, i, "avg_ns").u;

		assert_in_range(r->v.max, r->v.min, most);
		assert_true(r->v.min >= least && avg >= r->v.min && avg <= r->v.max);
		assert_true(r->v.min <= r->p50 && r->p50 <= r->p95 && r->p95 <= r->p99 &&
			    r->p99 <= r->v.max);
	}
	query_result__free(&a->base);
}

/* Very many calls outlive any epoch of maxima. */
static void extremes_of_the_decaying_window_hold_what_is_in_it(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s;

	put_some(m, someone(1, 1, "a"), "fsync", 200000, 10 * MS);
	snap__put(&measure_tick(m)->base);
	for (u32 i = 0; i < 120; i++) {
		if (i == 60)
			put_some(m, someone(1, 1, "a"), "fsync", 1, 20 * US);
		s = measure_tick(m);
		quantiles_within(s, i < 60 ? 10 * MS : 20 * US, 10 * MS);
		if (entry_of(s, 1, "fsync")->v[WINDOW_DECAY].count > 1)
			assert_true(entry_of(s, 1, "fsync")->v[WINDOW_DECAY].max == 10 * MS);
		snap__put(&s->base);
	}
}

/* One slow call is forgotten when it weighs next to nothing. */
static void one_maximum_fades(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s;
	u64 max = UINT64_MAX;

	put_some(m, someone(1, 1, "a"), "fsync", 1, 900 * MS);
	for (u32 i = 0; i < 120; i++) {
		put_some(m, someone(1, 1, "a"), "fsync", 10, 10 * US);
		s = measure_tick(m);
		assert_true(entry_of(s, 1, "fsync")->v[WINDOW_DECAY].max <= max);
		max = entry_of(s, 1, "fsync")->v[WINDOW_DECAY].max;
		assert_true(i > 20 || max == 900 * MS);
		snap__put(&s->base);
	}
	assert_int_equal(max, 10 * US);
}

/* --- bounds --- */

static void too_many_become_the_rest(void **state)
{
	const u32 n = 3 * MEASURE_MAX_ENTRIES;
	struct measure_builder *m = *state;
	struct measure_snap *s;
	u64 rest = 0;

	put_some(m, someone(1, 1, "hot"), "read", 1000, 3 * US);
	for (u32 i = 2; i <= n; i++) {
		put_some(m, someone(1, i, "cold"), "read", 1 + i % 3, i * US);
		if (i % 10000 == 0) {
			put_some(m, someone(1, 1, "hot"), "read", 1000, 3 * US);
			snap__put(&measure_tick(m)->base);
		}
	}
	s = measure_tick(m);
	assert_true(s->nentries <= MEASURE_MAX_ENTRIES && s->nsampled <= MEASURE_MAX_ENTRIES);
	assert_non_null(entry_of(s, 1, "read"));
	assert_int_equal(counted(s->sampled, s->nsampled, WINDOW_TOTAL),
			 counted(s->entries, s->nentries, WINDOW_TOTAL));
	for (u32 i = 0; i < s->nentries; i++) {
		const struct measure_values *v = &s->entries[i].v[WINDOW_TOTAL];

		if (s->entries[i].who.tgid == MEASURE_MANY)
			rest += v->count;
	}
	assert_true(rest > MEASURE_MAX_ENTRIES / 2);
	snap__put(&s->base);
}

static void folding_keeps_all_sums(void **state)
{
	const u32 n = 2 * MEASURE_MAX_ENTRIES + 100;
	struct measure_values all = {0};
	struct measure_builder *m = *state;
	u64 count = 0, sum = 0, hist = 0;
	struct measure_snap *s;

	for (u32 i = 1; i <= n; i++) {
		put_some(m, someone(1, i, "cold"), "read", 1 + i % 3, i * 100);
		count += 1 + i % 3;
		sum += (1 + i % 3) * (u64)(i * 100);
	}
	s = measure_tick(m);
	for (u32 i = 0; i < s->nentries; i++) {
		const struct measure_values *v = &s->entries[i].v[WINDOW_LAST];

		all.min = all.count ? MIN(all.min, v->min) : v->min;
		all.max = MAX(all.max, v->max);
		all.count += v->count;
		all.sum += v->sum;
		for (u32 b = 0; b < s->entries[i].nbins; b++)
			hist += (u64)s->entries[i].bins[b].n[WINDOW_LAST];
	}
	assert_int_equal(all.count, count);
	assert_int_equal(hist, count);
	assert_int_equal(all.sum, sum);
	assert_int_equal(all.min, 100);
	assert_int_equal(all.max, n * 100);
	snap__put(&s->base);
}

static void put_exit(struct measure_builder *m, u32 pid)
{
	struct proc_event ev = {
		.head.type = SAMPLE_PROC, .type = PROC_EXIT, .tgid = pid, .tid = pid, .t_ns = m->now_ns};

	m->ops->consume(m->model, &ev.head);
}

/* Of many short processes no more is kept than what their command did; one that lives stays apart. */
static void processes_that_ended_are_one_by_their_command(void **state)
{
	const u32 n = 3 * MEASURE_MAX_ENDED;
	struct measure_builder *m = *state;
	struct measure_snap *s;
	u64 many = 0;

	put_some(m, someone(1, 1, "lives"), "read", 1, US);
	for (u32 pid = 2; pid < n + 2; pid++) {
		put_some(m, someone(pid, pid, "cc1"), pid % 2 ? "read" : "openat", 2, US);
		put_exit(m, pid);
		if (pid % 1000 == 0)
			snap__put(&measure_tick(m)->base);
	}
	snap__put(&measure_tick(m)->base);
	s = measure_tick(m);
	assert_true(s->nentries <= MEASURE_MAX_ENDED + 3);
	assert_non_null(entry_of(s, 1, "read"));
	for (u32 i = 0; i < s->nentries; i++)
		if (s->entries[i].who.tgid == MEASURE_MANY) {
			assert_string_equal(s->entries[i].who.comm, "cc1");
			assert_true(*s->entries[i].keys[0].text);
			many += s->entries[i].v[WINDOW_TOTAL].count;
		}
	assert_true(many > 2 * (n - MEASURE_MAX_ENDED - 1000));
	assert_int_equal(counted(s->entries, s->nentries, WINDOW_TOTAL), 2 * n + 1);
	snap__put(&s->base);
}

/* What short processes did at the same place stays there. */
static void processes_that_ended_keep_their_stacks(void **state)
{
	const u32 n = 3 * MEASURE_MAX_ENDED;
	struct measure_builder *m = *state;
	u64 stacks[] = {put_stack(m, "parse"), put_stack(m, "emit")}, values[] = {US}, many = 0;
	struct measure_snap *s;

	for (u32 pid = 2; pid < n + 2; pid++) {
		put_counted(m, &(struct counted){.who = someone(pid, pid, "cc1"),
						 .call = "read",
						 .ns = values,
						 .n = 1,
						 .stack = stacks[pid % 3 == 0]});
		put_exit(m, pid);
		if (pid % 1000 == 0)
			snap__put(&measure_tick(m)->base);
	}
	snap__put(&measure_tick(m)->base);
	s = measure_tick(m);
	assert_true(s->nsampled <= MEASURE_MAX_ENDED + 3);
	for (u32 i = 0; i < s->nsampled; i++) {
		assert_non_null(s->sampled[i].stack);
		if (s->sampled[i].who.tgid == MEASURE_MANY)
			many += s->sampled[i].v[WINDOW_TOTAL].count;
	}
	assert_true(many > n - MEASURE_MAX_ENDED - 1000);
	assert_int_equal(counted(s->sampled, s->nsampled, WINDOW_TOTAL), n);
	snap__put(&s->base);
}

static struct measure_snap *seconds_later(struct measure_builder *m, u32 n)
{
	while (--n)
		snap__put(&measure_tick(m)->base);
	return measure_tick(m);
}

/* Of locks many pairs of threads wait once: those of long ago are one by their lock, but for what was often. */
static void what_is_long_ago_is_one_by_its_lock(void **state)
{
	struct measure_builder *m = *state;
	const u32 most = measure_table[MEASURE_LOCKS]->cold, n = 4 * most;
	struct measure_snap *s;
	u64 many = 0;

	assert_true(most > 0);
	measure_builder__end(m);
	measure_builder__begin_with(m, &model_measure_locks);
	put_some(m, someone(1, 1, "often"), "a", 1000, US);
	for (u32 i = 2; i < n + 2; i++)
		put_some(m, someone(1, i, "once"), i % 2 ? "a" : "b", 1, US);
	s = measure_tick(m);
	assert_int_equal(s->nentries, n + 1);
	snap__put(&s->base);
	s = seconds_later(m, 120);
	assert_in_range(s->nentries, most / 2, most);
	assert_in_range(s->nsampled, most / 2, most);
	assert_int_equal(entry_of(s, 1, "a")->v[WINDOW_TOTAL].count, 1000);
	assert_int_equal(counted(s->entries, s->nentries, WINDOW_TOTAL), n + 1000);
	for (u32 i = 0; i < s->nentries; i++)
		if (s->entries[i].who.tgid == MEASURE_MANY) {
			assert_string_equal(s->entries[i].who.comm, "once");
			assert_true(*s->entries[i].keys[0].text);
			many += s->entries[i].v[WINDOW_TOTAL].count;
		}
	assert_true(many >= n - most);
	snap__put(&s->base);
}

/* --- stacks and texts --- */

/* So many others come that stacks are moved: those of entries stay what they are. */
static void stacks_are_moved_with_their_entries(void **state)
{
	struct measure_builder *m = *state;
	u64 ips[1], hash = put_stack(m, "leaf"), values[] = {US};
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF, .nuser = 1, .named = true, .ips = ips};
	struct measure_snap *s;

	put_counted(m, &(struct counted){
			       .who = someone(1, 1, "a"), .call = "read", .ns = values, .n = 1, .stack = hash});
	put_slow(m, someone(1, 1, "a"), "read", MS, m->now_ns + 5, hash);
	for (u32 i = 0; i < 3 * STACKS_DEFINITIONS; i++) {
		def.hash = 1000000 + i;
		ips[0] = 1 + i % 3;
		m->ops->consume(m->model, &def.head);
		if (i % STACKS_DEFINITIONS == 0)
			snap__put(&measure_tick_of(m, 11 * NSEC_PER_SEC)->base);
	}
	s = measure_tick(m);
	assert_int_equal(s->nsampled, 1);
	assert_non_null(s->sampled[0].stack);
	assert_int_equal(callstack__nlocs(s->sampled[0].stack), 3);
	assert_string_equal(frame__text(m->symbols, s->sampled[0].stack->locs[0]).name, "leaf");
	assert_int_equal(s->nslow, 1);
	assert_string_equal(frame__text(m->symbols, s->slow[0].stack->locs[0]).name, "leaf");
	snap__put(&s->base);
}

static void put_path(struct measure_builder *m, u32 tid, u32 number)
{
	const u64 ns[] = {US};
	char path[1000];

	memset(path, 'x', sizeof(path));
	snprintf(path + 980, 20, "%019u", number);
	put_counted(m, &(struct counted){.who = someone(1, tid, "a"),
					 .call = "openat",
					 .error = "ENOENT",
					 .path = path,
					 .ns = ns,
					 .n = 1});
}

/* Texts are interned anew when they are many: snapshots keep theirs, entries stay the same. */
static void texts_are_renewed(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *first, *s;
	u32 before;

	put_path(m, 1, 0);
	first = measure_tick(m);
	for (u32 i = 1; i < 40000; i++) {
		put_path(m, 1, i);
		if (i % 4000 == 0)
			snap__put(&measure_tick(m)->base);
	}
	s = measure_tick(m);
	before = s->nentries;
	assert_true(before <= MEASURE_MAX_ENTRIES);
	assert_int_equal(counted(s->entries, s->nentries, WINDOW_TOTAL), 40000);
	snap__put(&s->base);
	for (u32 i = 39990; i < 40000; i++)
		put_path(m, 1, i);
	s = measure_tick(m);
	assert_int_equal(s->nentries, before);
	assert_int_equal(counted(s->entries, s->nentries, WINDOW_LAST), 10);
	assert_int_equal(strlen(s->entries[0].keys[2].text) % 999, 0);
	snap__put(&s->base);
	assert_string_equal(first->entries[0].keys[2].text + 980, "0000000000000000000");
	assert_true(m->ops->memory(m->model) < 200u << 20);
	snap__put(&first->base);
}

/* --- spans that go on --- */

static void open_spans_are_those_of_the_interval(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s;

	put_open(m, someone(1, 1, "a"), "read", false, 5 * NSEC_PER_SEC);
	put_open(m, someone(1, 2, "a"), "poll", true, MS);
	s = measure_tick(m);
	assert_int_equal(s->nopen, 2);
	assert_int_equal(s->base.t1_ns - s->open[0].begin_ns, 5 * NSEC_PER_SEC);
	assert_string_equal(s->open[1].keys[0].text, "poll");
	assert_true(s->open[1].waits);
	snap__put(&s->base);
	s = measure_tick(m);
	assert_int_equal(s->nopen, 0);
	snap__put(&s->base);
	for (u32 i = 0; i < MEASURE_MAX_OPEN + 100; i++)
		put_open(m, someone(1, i + 1, "a"), "read", false, MS);
	s = measure_tick(m);
	assert_int_equal(s->nopen, MEASURE_MAX_OPEN);
	snap__put(&s->base);
}

/* --- slow ones --- */

static void the_slowest_come_first_and_go_after_a_minute(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s;
	u64 most = 0;

	for (u32 i = 0; i < 3 * MEASURE_MAX_SLOW; i++) {
		u64 ns = (1 + (i * 7) % 1000) * US;

		put_slow(m, someone(1, 1, "a"), "read", ns, m->now_ns + i, 0);
		most = MAX(most, ns);
	}
	s = measure_tick(m);
	assert_int_equal(s->nslow, MEASURE_MAX_SLOW);
	for (u32 i = 1; i < s->nslow; i++)
		assert_true(s->slow[i - 1].s.ns >= s->slow[i].s.ns);
	assert_int_equal(s->slow[0].s.ns, most);
	assert_null(s->slow[0].s.keys);
	assert_string_equal(s->slow[0].keys[0].text, "read");
	snap__put(&s->base);
	s = measure_tick_of(m, (MEASURE_SLOW_S + 10) * NSEC_PER_SEC);
	assert_int_equal(s->nslow, 0);
	snap__put(&s->base);
}

/* --- what came within --- */

/* Sleeps at 20 us, is woken at 50, has a CPU at 54, is pushed off at 60 and has one again at 90. */
static void put_timeline(struct measure_builder *m, u64 begin_ns, u64 stack)
{
	const struct measure_key keys[] = {{1, "read"}, {0, ""}, {0, ""}};
	const struct measure_moment moments[] = {
		{.t_ns = begin_ns + 10 * US, .kind = MOMENT_EVENT, .event = "a:b", .field = "ret",
		 .is_signed = true, .value = (u64)-2, .tid = 7},
		{.t_ns = begin_ns + 20 * US, .kind = MOMENT_OUT, .value = 1, .tid = 7, .stack = stack,
		 .event = "", .field = "state"},
		{.t_ns = begin_ns + 50 * US, .kind = MOMENT_WAKEUP, .value = 9, .tid = 7, .event = "",
		 .field = "by"},
		{.t_ns = begin_ns + 54 * US, .kind = MOMENT_IN, .tid = 7, .event = "", .field = ""},
		{.t_ns = begin_ns + 60 * US, .kind = MOMENT_OUT, .tid = 7, .event = "", .field = "state"},
		{.t_ns = begin_ns + 90 * US, .kind = MOMENT_IN, .tid = 7, .event = "", .field = ""},
	};
	struct measure_slow_sample s = {.head.type = SAMPLE_MEASURE_SLOW,
					.who = someone(7, 7, "a"),
					.keys = keys,
					.nkeys = 3,
					.t_ns = begin_ns + 100 * US,
					.ns = 100 * US,
					.moments = moments,
					.nmoments = ARRAY_SIZE(moments),
					.dropped = 3,
					.timed = true};

	m->ops->consume(m->model, &s.head);
}

static void a_timeline_is_by_time_with_what_was_off_the_cpu(void **state)
{
	struct measure_builder *m = *state;
	u64 begin_ns = m->now_ns + 5, stack = put_stack(m, "leaf");
	struct measure_timeline_query q = {.t_ns = begin_ns + 100 * US, .ns = 100 * US, .tid = 7};
	struct measure_timeline_result *a;
	struct measure_snap *s;

	put_timeline(m, begin_ns, stack);
	s = measure_tick(m);
	a = measure__timeline(s, &q);
	assert_non_null(a->slow);
	assert_int_equal(a->slow->s.dropped, 3);
	assert_int_equal(a->nrows, 8);
	assert_int_equal(a->rows[0].at_ns, 0);
	assert_string_equal(a->rows[1].event, "a:b");
	assert_string_equal(a->rows[1].detail, "ret -2");
	assert_string_equal(a->rows[2].detail, "sleeps (S)");
	assert_string_equal(frame__text(m->symbols, a->rows[2].base.stacks[0]->locs[0]).name, "leaf");
	assert_string_equal(a->rows[3].detail, "by 9");
	assert_int_equal(a->rows[4].since_ns, 4 * US);
	assert_int_equal(a->rows[4].off_ns, 34 * US);
	assert_int_equal(a->rows[4].queue_ns, 4 * US);
	assert_string_equal(a->rows[5].detail, "preempted");
	assert_int_equal(a->rows[6].off_ns, 30 * US);
	assert_int_equal(a->rows[6].queue_ns, 30 * US);
	assert_int_equal(a->rows[7].at_ns, 100 * US);
	query_result__free(&a->base);
	q.tid = 8;
	a = measure__timeline(s, &q);
	assert_null(a->slow);
	assert_int_equal(a->nrows, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- heat maps --- */

static void heat_is_by_the_first_label(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s;
	u64 n = 0;

	put_some(m, someone(1, 1, "a"), "read", 5, 10 * US);
	put_some(m, someone(1, 1, "a"), "write", 6, 10 * US);
	put_some(m, someone(2, 2, "b"), "read", 7, 10 * US);
	s = measure_tick(m);
	assert_int_equal(s->nheat_names, 2);
	assert_string_equal(s->heat_names[0], "read");
	assert_string_equal(s->heat_names[1], "write");
	assert_int_equal(s->heat.n, 1);
	for (u32 i = 0; i < s->heat.v[0]->n; i++) {
		assert_in_range(s->heat.v[0]->cells[i].series, 0, 1);
		n += s->heat.v[0]->cells[i].n;
	}
	assert_int_equal(n, 18);
	snap__put(&s->base);
}

static void heat_names_are_bounded(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s;
	char name[32];
	u64 n = 0;

	for (u32 i = 0; i < 1500; i++) {
		snprintf(name, sizeof(name), "call_%u", i);
		put_some(m, someone(1, 1, "a"), name, 1, 10 * US);
	}
	s = measure_tick(m);
	assert_int_equal(s->nheat_names, 1000);
	for (u32 i = 0; i < s->heat.v[0]->n; i++)
		n += s->heat.v[0]->cells[i].n;
	assert_int_equal(n, 1500);
	snap__put(&s->base);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_agrees_is_one_entry),
		TEST(errors_and_paths_are_apart),
		TEST(windows_add_up),
		TEST(extremes_of_the_decaying_window_hold_what_is_in_it),
		TEST(one_maximum_fades),
		TEST(too_many_become_the_rest),
		TEST(folding_keeps_all_sums),
		TEST(processes_that_ended_are_one_by_their_command),
		TEST(processes_that_ended_keep_their_stacks),
		TEST(what_is_long_ago_is_one_by_its_lock),
		TEST(stacks_are_moved_with_their_entries),
		TEST(texts_are_renewed),
		TEST(open_spans_are_those_of_the_interval),
		TEST(the_slowest_come_first_and_go_after_a_minute),
		TEST(a_timeline_is_by_time_with_what_was_off_the_cpu),
		TEST(heat_is_by_the_first_label),
		TEST(heat_names_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
