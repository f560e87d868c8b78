// SPDX-License-Identifier: GPL-2.0-only
/* The cache model: sums over windows, percentages, groupings, bounds, stacks of misses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "models/cache.h"
#include "models/model.h"
#include "scope/filter.h"
#include "tests/lib/cache_names.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/rows.h"

#define VDA1 (254u << 20 | 1)

struct builder {
	struct symbols *symbols;
	struct model *model;
	u64 now_ns;
};

static int setup(void **state)
{
	static struct builder m;

	m = (struct builder){.symbols = fake_symbols__new(), .now_ns = 1000 * NSEC_PER_SEC};
	m.model = model_cache.new(m.symbols);
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	struct builder *m = *state;

	model_cache.free(m->model);
	fake_symbols__free(m->symbols);
	return 0;
}

/* What a process did with a file; the caller fills the counts. */
static struct cache_sample use(u32 tgid, const char *comm, u64 inode, const char *path)
{
	struct cache_sample s = {.head.type = SAMPLE_CACHE,
				 .tgid = tgid,
				 .tid = tgid,
				 .cgroup = 1,
				 .file = {.dev = inode ? VDA1 : 0, .inode = inode}};

	copy_str(s.comm, sizeof(s.comm), comm);
	copy_str(s.file.path, sizeof(s.file.path), path);
	return s;
}

static void put_reads(struct builder *m, u32 tgid, u64 inode, u64 hits, u64 misses)
{
	char comm[COMM_LEN];
	struct cache_sample s;

	snprintf(comm, sizeof(comm), "p%u", tgid);
	s = use(tgid, comm, inode, inode == 7 ? "/srv/seven" : "");
	s.n[CACHE_READ_HITS] = hits;
	s.n[CACHE_READ_MISSES] = misses;
	model_cache.consume(m->model, &s.head);
}

static const struct measure_snap *tick(struct builder *m)
{
	struct snap *s = model_cache.tick(m->model, m->now_ns, m->now_ns + NSEC_PER_SEC);

	m->now_ns += NSEC_PER_SEC;
	return container_of(s, struct measure_snap, base);
}

static const struct cache_snap *own(const struct measure_snap *s)
{
	return cache__snap_of(&s->base);
}

static struct measure_result *ask_window(const struct measure_snap *s, enum cache_group group,
				       enum time_window window, const char *filter)
{
	struct cache_query q = {.group = group, .rows.window = window};
	struct filter_error err;
	struct scope *scope = filter__parse(filter, &err);
	struct measure_result *a = cache__query(s, &q, scope);

	scope__put(scope);
	return a;
}

static struct measure_result *ask(const struct measure_snap *s, enum cache_group group)
{
	return ask_window(s, group, WINDOW_LAST, "");
}

static void end(struct measure_result *a)
{
	query_result__free(&a->base);
}

/* --- numbers --- */

static void shares_of_each_kind(void **state)
{
	struct cache_sample s = use(5, "db", 7, "/srv/seven");
	const struct measure_snap *snap;
	struct measure_result *a;

	s.n[CACHE_READ_HITS] = 60;
	s.n[CACHE_READ_MISSES] = 20;
	s.n[CACHE_FAULT_HITS] = 15;
	s.n[CACHE_FAULT_MISSES] = 5;
	s.n[CACHE_WRITE_MISSES] = 100;
	s.n[CACHE_DIRTIED] = 40;
	s.n[CACHE_AHEAD_ADDED] = 30;
	s.n[CACHE_AHEAD_USED] = 15;
	s.n[CACHE_AHEAD_WASTED] = 5;
	s.n[CACHE_OTHER_ADDED] = 2;
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	snap = tick(*state);
	a = ask(snap, CACHE_BY_PID);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "hits").u, 75);
	assert_int_equal(table_cell(&a->base.table, 0, "misses").u, 125);
	assert_int_equal(table_cell(&a->base.table, 0, "dirties").u, 40);
	assert_float_equal(table_cell(&a->base.table, 0, "hit_pct").f, 37.5, 1e-9);
	assert_float_equal(table_cell(&a->base.table, 0, "disk_pct").f, (20 + 5 + 15) / 2.0, 1e-9);
	assert_float_equal(table_cell(&a->base.table, 0, "read_hit_pct").f, 75, 1e-9);
	assert_float_equal(table_cell(&a->base.table, 0, "write_hit_pct").f, 0, 1e-9);
	assert_float_equal(table_cell(&a->base.table, 0, "readahead_wasted_pct").f, 25, 1e-9);
	assert_int_equal(table_cell(&a->base.table, 0, "added_bytes").u,
			 (125 + 30 + 2) * cache_result__of(&a->base)->page_bytes);
	assert_int_equal(table_cell(&a->base.table, 0, "miss_rate").u, 125);
	end(a);
	snap__put(&snap->base);
}

static void no_accesses_have_no_share(void **state)
{
	struct cache_sample s = use(0, "", 9, "/gone");
	const struct measure_snap *snap;
	struct measure_result *a;

	s.n[CACHE_EVICTED] = 100;
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	snap = tick(*state);
	a = ask(snap, CACHE_BY_PID);
	assert_int_equal(a->nrows, 1);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "[nobody]");
	assert_int_equal(table_cell(&a->base.table, 0, "pid").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "hit_pct").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "read_hit_pct").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "write_hit_pct").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "miss_share_pct").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "readahead_wasted_pct").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "evicted").u, 100);
	for (u32 i = 0; i < a->base.table.ncolumns; i++) {
		struct value v = {0};

		a->base.table.cell(&a->base.table, 0, i, &v);
		assert_true(v.type != VALUE_PCT || isfinite(v.f));
	}
	end(a);
	snap__put(&snap->base);
}

static void columns_are_called_as_the_counts(void **state)
{
	const struct measure_snap *snap = tick(*state);
	struct measure_result *a = ask(snap, CACHE_BY_PID);

	for (u32 i = 0; i < CACHE_COUNTS; i++) {
		bool found = false;

		for (u32 k = 0; k < a->base.table.ncolumns; k++)
			found |= !strcmp(a->base.table.columns[k].name, cache_count_names[i]);
		/* This one's name was promised before. */
		assert_true(found || i == CACHE_DIRTIED);
	}
	end(a);
	snap__put(&snap->base);
}

/* --- windows --- */

static void sums_of_the_windows(void **state)
{
	struct builder *m = *state;
	const struct measure_snap *s;
	struct measure_result *a;

	put_reads(m, 5, 7, 10, 1);
	snap__put(&tick(m)->base);
	put_reads(m, 5, 7, 4, 2);
	s = tick(m);
	assert_int_equal(s->nentries, 1);
	assert_int_equal(s->entries[0].v[WINDOW_LAST].sums[CACHE_READ_HITS], 4);
	assert_int_equal(s->entries[0].v[WINDOW_TOTAL].sums[CACHE_READ_HITS], 14);
	assert_in_range(s->entries[0].v[WINDOW_DECAY].sums[CACHE_READ_HITS], 5, 13);
	assert_int_equal(own(s)->nstrip, 2);
	assert_float_equal(own(s)->strip[0].hits, 10, 1e-3);
	assert_float_equal(own(s)->strip[1].misses, 2, 1e-3);
	a = ask_window(s, CACHE_BY_PID, WINDOW_TOTAL, "");
	assert_int_equal(table_cell(&a->base.table, 0, "misses").u, 3);
	assert_int_equal(table_cell(&a->base.table, 0, "hit_rate").u, 7); /* in two seconds */
	assert_int_equal(a->base.since_ns, s->since_ns);
	end(a);
	snap__put(&s->base);
}

static void zero_forgets_it_all(void **state)
{
	struct builder *m = *state;
	const struct measure_snap *s;

	put_reads(m, 5, 7, 10, 1);
	snap__put(&tick(m)->base);
	model_cache.zero(m->model);
	s = tick(m);
	assert_int_equal(s->nentries, 0);
	assert_int_equal(s->nsampled, 0);
	assert_int_equal(own(s)->nstrip, 1);
	assert_int_equal(s->since_ns, m->now_ns - NSEC_PER_SEC);
	snap__put(&s->base);
}

static void totals_are_of_now_and_flows_of_the_window(void **state)
{
	struct builder *m = *state;
	u32 counts[CACHE_AGES] = {[0] = 3, [4] = 5, [CACHE_AGES - 1] = 1};
	struct cache_totals_sample t = {.head.type = SAMPLE_CACHE_TOTALS,
					.cached_bytes = 1 << 20,
					.refaults = 7,
					.evicted = 9,
					.ages = counts};
	const struct measure_snap *s = tick(m);
	struct measure_result *a;
	struct value ages;
	struct value_part item = {0}, part = {0};

	assert_false(own(s)->totals_known);
	snap__put(&s->base);
	model_cache.consume(m->model, &t.head);
	snap__put(&tick(m)->base);
	t.cached_bytes = 2 << 20;
	model_cache.consume(m->model, &t.head);
	s = tick(m);
	assert_true(own(s)->totals_known);
	assert_int_equal(own(s)->totals.cached_bytes, 2 << 20);
	assert_int_equal(own(s)->flow[WINDOW_LAST].refaults, 7);
	assert_int_equal(own(s)->flow[WINDOW_TOTAL].evicted, 18);
	assert_int_equal(own(s)->flow[WINDOW_TOTAL].ages[4], 10);
	a = ask(s, CACHE_BY_TOTAL);
	ages = cache_result__of(&a->base)->ages;
	assert_int_equal(ages.n, 3);
	ages.part(ages.of, 1, &item);
	item.value.part(item.value.of, 0, &part);
	assert_int_equal(part.value.u, 8000);
	item.value.part(item.value.of, 1, &part);
	assert_int_equal(part.value.u, 16000);
	ages.part(ages.of, 2, &item);
	item.value.part(item.value.of, 1, &part);
	assert_int_equal(part.value.type, VALUE_NONE); /* no upper end */
	end(a);
	snap__put(&s->base);
}

/* --- rows --- */

static void put_scene(struct builder *m)
{
	put_reads(m, 5, 7, 10, 40);
	put_reads(m, 5, 8, 100, 2);
	put_reads(m, 6, 7, 30, 5);
	put_reads(m, 6, 0, 90, 9);
}

static void rows_by_each_key(void **state)
{
	static const u32 nrows[CACHE_GROUPS] = {2, 3, 2, 1, 1};
	const struct measure_snap *s;

	put_scene(*state);
	s = tick(*state);
	for (u32 g = 0; g < CACHE_GROUPS; g++) {
		struct measure_result *a = ask(s, g);
		u64 hits = 0, misses = 0;

		assert_int_equal(a->nrows, nrows[g]);
		for (u32 i = 0; i < a->nrows; i++) {
			hits += table_cell(&a->base.table, i, "hits").u;
			misses += table_cell(&a->base.table, i, "misses").u;
		}
		assert_int_equal(hits, 230);
		assert_int_equal(misses, 56);
		assert_int_equal(cache__hits(a->all.sums), hits);
		assert_int_equal(cache__misses(a->all.sums), misses);
		end(a);
	}
	snap__put(&s->base);
}

static void the_most_missed_comes_first_and_names_the_row(void **state)
{
	const struct measure_snap *s;
	struct measure_result *a;

	put_scene(*state);
	s = tick(*state);
	a = ask(s, CACHE_BY_PID);
	assert_int_equal(table_cell(&a->base.table, 0, "pid").u, 5);
	assert_string_equal(table_cell(&a->base.table, 0, "top_file").s, "/srv/seven");
	assert_string_equal(table_cell(&a->base.table, 0, "process").s, "      5");
	assert_int_equal(table_cell(&a->base.table, 0, "file").type, VALUE_NONE);
	assert_string_equal(table_cell(&a->base.table, 1, "top_file").s, "/srv/seven"); /* not [other files] */
	assert_float_equal(table_cell(&a->base.table, 0, "miss_share_pct").f, 42 * 100.0 / 56, 1e-9);
	end(a);
	a = ask(s, CACHE_BY_FILE);
	assert_string_equal(table_cell(&a->base.table, 0, "file").s, "/srv/seven");
	assert_string_equal(table_cell(&a->base.table, 0, "top_comm").s, "p5");
	assert_string_equal(table_cell(&a->base.table, 0, "dev").s, "254:1");
	assert_int_equal(table_cell(&a->base.table, 0, "inode").u, 7);
	assert_string_equal(table_cell(&a->base.table, 2, "file").s, "[inode 8 of 254:1]");
	assert_string_equal(table_cell(&a->base.table, 1, "file").s, "[other files]");
	assert_int_equal(table_cell(&a->base.table, 1, "inode").type, VALUE_NONE);
	end(a);
	snap__put(&s->base);
}

static void narrowed_to_a_process_or_a_file(void **state)
{
	struct cache_query q = {.group = CACHE_BY_FILE, .rows.narrow = {.by_process = true, .tgid = 6}};
	const struct measure_snap *s;
	struct measure_result *a;

	put_scene(*state);
	s = tick(*state);
	a = cache__query(s, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(cache__misses(a->all.sums), 14);
	end(a);
	a = ask(s, CACHE_BY_FILE);
	q = (struct cache_query){.group = CACHE_BY_PID};
	memcpy(q.rows.narrow.hashes, a->rows[0].hashes, sizeof(a->rows[0].hashes));
	end(a);
	a = cache__query(s, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(cache__misses(a->all.sums), 45);
	end(a);
	snap__put(&s->base);
}

static void the_filter_leaves_rows_out(void **state)
{
	struct cache_sample k = use(2, "kswapd0", 8, "");
	const struct measure_snap *s;
	struct measure_result *a;

	put_scene(*state);
	k.kthread = true;
	k.n[CACHE_READ_HITS] = 1;
	model_cache.consume(((struct builder *)*state)->model, &k.head);
	s = tick(*state);
	a = ask_window(s, CACHE_BY_PID, WINDOW_LAST, "pid=6 cpu=3");
	assert_int_equal(a->nrows, 1);
	assert_int_equal(cache__hits(a->all.sums), 120);
	end(a);
	a = ask_window(s, CACHE_BY_PID, WINDOW_LAST, "task=kernel");
	assert_int_equal(a->nrows, 1);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "kswapd0");
	end(a);
	snap__put(&s->base);
}

static void a_name_that_comes_later_is_taken(void **state)
{
	struct cache_sample s = use(5, "db", 9, "");
	const struct measure_snap *snap;

	s.n[CACHE_READ_HITS] = 1;
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	copy_str(s.file.path, sizeof(s.file.path), "/late");
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	s.file.path[0] = '\0';
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	snap = tick(*state);
	assert_int_equal(snap->nentries, 1);
	assert_string_equal(snap->entries[0].keys[CACHE_FILE].text, "/late");
	snap__put(&snap->base);
}

/* Several devices have files of one number. */
static void files_are_of_their_device(void **state)
{
	struct cache_sample s = use(5, "db", 7, "/same");
	struct cache_query q = {.group = CACHE_BY_PID};
	const struct measure_snap *snap;
	struct measure_result *a;

	s.n[CACHE_READ_MISSES] = 2;
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	s.file.dev++;
	s.n[CACHE_READ_MISSES] = 1;
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	snap = tick(*state);
	a = ask(snap, CACHE_BY_FILE);
	assert_int_equal(a->nrows, 2);
	assert_string_equal(table_cell(&a->base.table, 0, "dev").s, "254:1");
	assert_string_equal(table_cell(&a->base.table, 1, "dev").s, "254:2");
	memcpy(q.rows.narrow.hashes, a->rows[1].hashes, sizeof(a->rows[1].hashes));
	end(a);
	a = cache__query(snap, &q, NULL);
	assert_int_equal(cache__misses(a->all.sums), 1);
	end(a);
	snap__put(&snap->base);
}

/* What nobody did is no process' either. */
static void narrowed_to_nobody(void **state)
{
	struct cache_query q = {.group = CACHE_BY_FILE, .rows.narrow.by_process = true};
	struct cache_sample s = use(0, "", 9, "/gone");
	const struct measure_snap *snap;
	struct measure_result *a;

	put_scene(*state);
	s.n[CACHE_EVICTED] = 100;
	model_cache.consume(((struct builder *)*state)->model, &s.head);
	snap = tick(*state);
	a = cache__query(snap, &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_string_equal(table_cell(&a->base.table, 0, "file").s, "/gone");
	end(a);
	snap__put(&snap->base);
}

static void the_declaration_is_sound(void **state)
{
	char why[256];

	if (!measure__check(&measure_cache, why, sizeof(why)))
		fail_msg("%s", why);
}

/* --- bounds --- */

static void files_that_are_too_many_stay_in_their_process(void **state)
{
	const u32 n = MEASURE_MAX_ENTRIES * 2;
	struct builder *m = *state;
	const struct measure_snap *s;
	struct measure_result *a;
	size_t before;

	put_reads(m, 5, 7, 0, 1000000); /* hot: it has to stay */
	for (u32 i = 0; i < n; i++)
		put_reads(m, 5 + i % 2, 100 + i, 2, 1);
	before = model_cache.memory(m->model);
	s = tick(m);
	assert_true(s->nentries <= MEASURE_MAX_ENTRIES);
	assert_true(before < 32u << 20);
	a = ask_window(s, CACHE_BY_PID, WINDOW_TOTAL, "");
	assert_int_equal(a->nrows, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "misses").u, 1000000 + n / 2);
	assert_int_equal(table_cell(&a->base.table, 1, "misses").u, n / 2);
	assert_int_equal(table_cell(&a->base.table, 1, "hits").u, n);
	end(a);
	a = ask_window(s, CACHE_BY_FILE, WINDOW_TOTAL, "");
	assert_string_equal(table_cell(&a->base.table, 0, "file").s, "/srv/seven");
	assert_int_equal(table_cell(&a->base.table, 0, "misses").u, 1000000);
	assert_string_equal(table_cell(&a->base.table, 1, "file").s, "[other files]");
	end(a);
	snap__put(&s->base);
}

static void processes_that_are_too_many_are_others(void **state)
{
	const u32 n = MEASURE_MAX_ENTRIES * 2;
	struct builder *m = *state;
	const struct measure_snap *s;
	struct measure_result *a;
	bool others = false;

	for (u32 i = 1; i <= n; i++)
		put_reads(m, i, 7, 2, 1);
	s = tick(m);
	assert_true(s->nentries <= MEASURE_MAX_ENTRIES);
	a = ask(s, CACHE_BY_COMM);
	assert_int_equal(cache__misses(a->all.sums), n);
	assert_int_equal(cache__hits(a->all.sums), 2 * n);
	for (u32 i = 0; i < a->nrows; i++)
		others |= !strcmp(table_cell(&a->base.table, i, "comm").s, "[others]");
	assert_true(others);
	end(a);
	/* The rows of files of those that are not known apart, and of one that has lost them, are one. */
	a = ask(s, CACHE_BY_FILE);
	assert_string_equal(table_cell(&a->base.table, 0, "file").s, "[other files]");
	assert_true(a->nrows <= 2);
	assert_int_equal(cache__misses(a->all.sums), n);
	end(a);
	a = ask(s, CACHE_BY_PID);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "[others]");
	assert_int_equal(table_cell(&a->base.table, 0, "pid").type, VALUE_NONE);
	assert_true(table_cell(&a->base.table, 0, "misses").u > n / 4);
	end(a);
	snap__put(&s->base);
}

/* --- stacks --- */

/* n misses in a function that vfs_read calls, as a tracepoint's program sees them. */
static void put_miss(struct builder *m, u32 tgid, u64 inode, const char *name, u64 n)
{
	u64 ips[] = {symbols__named(m->symbols, "[kernel]", "bpf_trace_run3", CODE_KERNEL),
		     symbols__named(m->symbols, "[kernel]", name, CODE_KERNEL),
		     symbols__named(m->symbols, "[kernel]", "vfs_read", CODE_KERNEL)};
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF,
				.hash = hash_bytes(name, strlen(name)) | 1,
				.nkernel = 3,
				.named = true,
				.tgid = tgid,
				.ips = ips};
	struct cache_miss_sample s = {.head.type = SAMPLE_CACHE_MISS,
				      .tgid = tgid,
				      .cgroup = 1,
				      .dev = inode ? VDA1 : 0,
				      .inode = inode,
				      .stack = def.hash,
				      .misses = n};

	model_cache.consume(m->model, &def.head);
	model_cache.consume(m->model, &s.head);
}

static const struct tree_node *node_named(const struct measure_result *a, const char *name)
{
	for (u32 i = 0; i < a->base.nnodes; i++)
		if (!strcmp(a->base.nodes[i].name, name))
			return &a->base.nodes[i];
	return NULL;
}

static void misses_unfold_to_where_they_come_from(void **state)
{
	struct builder *m = *state;
	struct cache_query q = {.group = CACHE_BY_PID};
	const struct measure_snap *s;
	struct measure_result *a;

	put_scene(m);
	put_miss(m, 5, 7, "ext4_read", 30);
	put_miss(m, 5, 8, "btrfs_read", 12);
	put_miss(m, 6, 7, "xfs_read", 5);
	s = tick(m);
	a = cache__query(s, &q, NULL);
	assert_true(a->rows[0].has_stacks);
	assert_int_equal(a->base.nnodes, 0);
	q.rows.unfolded[q.rows.nunfolded++] = a->rows[0].key;
	end(a);
	a = cache__query(s, &q, NULL);
	assert_int_equal(a->base.trees[0].n, 3);
	assert_int_equal(a->base.trees[1].n, 0);
	assert_string_equal(a->base.nodes[0].name, "vfs_read"); /* from the root on */
	assert_int_equal(a->base.nodes[0].count, 42);
	assert_int_equal(a->base.nodes[0].nchildren, 2);
	assert_int_equal(node_named(a, "ext4_read")->count, 30);
	assert_null(node_named(a, "xfs_read"));
	assert_null(node_named(a, "bpf_trace_run3")); /* whoever looked */
	/* As the row's share, of all misses. */
	assert_float_equal(a->base.nodes[0].pct, 42 * 100.0 / 56, 1e-6);
	end(a);
	q.rows.leaf_first = true;
	a = cache__query(s, &q, NULL);
	assert_string_equal(a->base.nodes[0].name, "ext4_read");
	end(a);
	snap__put(&s->base);
}

static void stacks_are_of_the_row_by_every_key(void **state)
{
	struct builder *m = *state;
	const struct measure_snap *s;

	put_scene(m);
	put_miss(m, 5, 7, "ext4_read", 30);
	put_miss(m, 6, 7, "xfs_read", 5);
	s = tick(m);
	for (u32 g = 0; g < CACHE_GROUPS; g++) {
		struct cache_query q = {.group = g, .rows.nunfolded = 1};
		struct measure_result *a = cache__query(s, &q, NULL);

		q.rows.unfolded[0] = a->rows[0].key;
		end(a);
		a = cache__query(s, &q, NULL);
		assert_int_equal(node_named(a, "ext4_read")->count, 30);
		assert_true((node_named(a, "xfs_read") != NULL) ==
			    (g != CACHE_BY_PID && g != CACHE_BY_COMM));
		end(a);
	}
	snap__put(&s->base);
}

static void stacks_are_bounded_and_no_miss_is_lost(void **state)
{
	const u32 n = MEASURE_MAX_ENTRIES * 3;
	struct builder *m = *state;
	const struct measure_snap *s;
	u64 all = 0;

	put_scene(m);
	for (u32 i = 0; i < n; i++)
		put_miss(m, 5, 1000 + i, "ext4_read", 1);
	s = tick(m);
	assert_true(s->nsampled <= MEASURE_MAX_ENTRIES);
	for (u32 i = 0; i < s->nsampled; i++)
		all += s->sampled[i].v[WINDOW_TOTAL].count;
	assert_int_equal(all, n);
	snap__put(&s->base);
}

/* Misses whose file was not kept still are their process'. */
static void a_miss_without_a_file_belongs_to_its_process(void **state)
{
	struct builder *m = *state;
	struct cache_query q = {.group = CACHE_BY_PID, .rows.nunfolded = 1};
	const struct measure_snap *s;
	struct measure_result *a;

	put_reads(m, 5, 7, 0, 3);
	put_miss(m, 5, 0, "ext4_read", 3);
	s = tick(m);
	a = cache__query(s, &q, NULL);
	q.rows.unfolded[0] = a->rows[0].key;
	end(a);
	a = cache__query(s, &q, NULL);
	assert_non_null(node_named(a, "ext4_read"));
	end(a);
	q.group = CACHE_BY_FILE;
	a = cache__query(s, &q, NULL);
	assert_false(a->rows[0].has_stacks);
	end(a);
	snap__put(&s->base);
}

/* --- who has ended --- */

static void put_life(struct builder *m, enum proc_event_type type, u32 tgid)
{
	const struct proc_event ev = {
		.head.type = SAMPLE_PROC, .type = type, .tgid = tgid, .tid = tgid, .t_ns = m->now_ns};

	model_cache.consume(m->model, &ev.head);
}

static void a_pid_that_is_used_again_is_another_row(void **state)
{
	struct builder *m = *state;
	struct cache_query q = {.group = CACHE_BY_PID, .rows = {.window = WINDOW_TOTAL, .nunfolded = 1}};
	const struct measure_snap *s;
	struct measure_result *a;

	put_reads(m, 5, 7, 0, 3);
	put_miss(m, 5, 7, "first_reads", 3);
	snap__put(&tick(m)->base);
	put_life(m, PROC_EXIT, 5);
	put_life(m, PROC_FORK, 5);
	put_reads(m, 5, 7, 0, 9);
	put_miss(m, 5, 7, "second_reads", 9);
	s = tick(m);
	a = cache__query(s, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "misses").u, 9);
	assert_false(table_cell(&a->base.table, 0, "ended").u);
	assert_int_equal(table_cell(&a->base.table, 1, "misses").u, 3);
	assert_true(table_cell(&a->base.table, 1, "ended").u);
	q.rows.unfolded[0] = a->rows[0].key;
	end(a);
	a = cache__query(s, &q, NULL);
	assert_non_null(node_named(a, "second_reads"));
	assert_null(node_named(a, "first_reads"));
	end(a);
	put_life(m, PROC_EXIT, 5);
	snap__put(&s->base);
	s = tick(m);
	a = cache__query(s, &q, NULL);
	assert_true(table_cell(&a->base.table, 0, "ended").u && table_cell(&a->base.table, 1, "ended").u);
	end(a);
	snap__put(&s->base);
}

/* A build reads many files by processes that are gone: they are known as long as there is room. */
static void files_of_ended_processes_are_kept(void **state)
{
	const u32 n = MEASURE_MAX_ENTRIES / 2;
	struct builder *m = *state;
	const struct measure_snap *s;
	struct measure_result *a;

	for (u32 i = 0; i < n; i++)
		put_reads(m, 5, 100 + i, 2, 1);
	put_life(m, PROC_EXIT, 5);
	snap__put(&tick(m)->base);
	s = tick(m);
	a = ask_window(s, CACHE_BY_FILE, WINDOW_TOTAL, "");
	assert_int_equal(a->nrows, n);
	end(a);
	snap__put(&s->base);
}

static bool row_has_ended(struct builder *m, const struct measure_snap *s)
{
	struct cache_query q = {.group = CACHE_BY_PID, .rows.window = WINDOW_TOTAL};
	struct measure_result *a = cache__query(s, &q, NULL);
	bool ended = table_cell(&a->base.table, 0, "ended").u;

	assert_int_equal(a->nrows, 1);
	end(a);
	snap__put(&s->base);
	return ended;
}

/* What one did comes after its end where counts are collected once an interval. */
static void one_that_ended_before_it_was_known_has_ended(void **state)
{
	struct builder *m = *state;

	put_life(m, PROC_EXIT, 5);
	put_reads(m, 5, 7, 0, 3);
	assert_true(row_has_ended(m, tick(m)));
	model_cache.zero(m->model);
	put_life(m, PROC_EXIT, 6);
	snap__put(&tick(m)->base);
	put_reads(m, 6, 7, 0, 3);
	assert_true(row_has_ended(m, tick(m)));
	model_cache.zero(m->model);
	put_life(m, PROC_EXIT, 7);
	put_life(m, PROC_FORK, 7);
	put_reads(m, 7, 7, 0, 3);
	assert_false(row_has_ended(m, tick(m)));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(shares_of_each_kind),
		T(no_accesses_have_no_share),
		T(columns_are_called_as_the_counts),
		T(sums_of_the_windows),
		T(zero_forgets_it_all),
		T(totals_are_of_now_and_flows_of_the_window),
		T(rows_by_each_key),
		T(a_pid_that_is_used_again_is_another_row),
		T(one_that_ended_before_it_was_known_has_ended),
		T(files_of_ended_processes_are_kept),
		T(the_most_missed_comes_first_and_names_the_row),
		T(narrowed_to_a_process_or_a_file),
		T(files_are_of_their_device),
		T(narrowed_to_nobody),
		T(the_declaration_is_sound),
		T(the_filter_leaves_rows_out),
		T(a_name_that_comes_later_is_taken),
		T(files_that_are_too_many_stay_in_their_process),
		T(processes_that_are_too_many_are_others),
		T(misses_unfold_to_where_they_come_from),
		T(stacks_are_of_the_row_by_every_key),
		T(stacks_are_bounded_and_no_miss_is_lost),
		T(a_miss_without_a_file_belongs_to_its_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
