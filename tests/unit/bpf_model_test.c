// SPDX-License-Identifier: GPL-2.0-only
/* The model of BPF programs: sums, shares, groupings, maps, what is gone, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "models/bpf.h"
#include "models/model.h"
#include "scope/filter.h"
#include "tests/lib/rows.h"

static struct model *model;
static u64 now_ns;

static int setup(void **state)
{
	model = model_bpf.new(NULL);
	now_ns = 1000 * NSEC_PER_SEC;
	return 0;
}

static int teardown(void **state)
{
	model_bpf.free(model);
	return 0;
}

/* Held by process `tgid`; 0: by nobody. */
static void put(u32 id, const char *type, u32 tgid, u64 runs, u64 run_ns)
{
	struct bpf_prog_sample s = {.head.type = SAMPLE_BPF_PROG,
				    .id = id,
				    .own = tgid == 7,
				    .nowners = tgid != 0,
				    .owners = {{tgid, 1, ""}},
				    .runs = runs,
				    .run_ns = run_ns};

	snprintf(s.name, sizeof(s.name), "prog%u", id);
	copy_str(s.type, sizeof(s.type), type);
	if (tgid)
		snprintf(s.owners[0].comm, COMM_LEN, "owner%u", tgid);
	model_bpf.consume(model, &s.head);
}

static void put_map(u32 prog, u32 id, u64 used, u32 max, u64 bytes)
{
	const struct bpf_map_sample s = {.head.type = SAMPLE_BPF_MAP,
					 .prog = prog,
					 .id = id,
					 .name = "map",
					 .type = "hash",
					 .fill_known = max,
					 .used = used,
					 .max_entries = max,
					 .bytes = bytes};

	model_bpf.consume(model, &s.head);
}

static void end_look(void)
{
	const struct bpf_state_sample s = {.head.type = SAMPLE_BPF_STATE, .ncpus = 4};

	model_bpf.consume(model, &s.head);
}

static const struct bpf_snap *tick(void)
{
	struct snap *s = model_bpf.tick(model, now_ns, now_ns + NSEC_PER_SEC);

	now_ns += NSEC_PER_SEC;
	return container_of(s, struct bpf_snap, base);
}

static struct bpf_result *ask(const struct bpf_snap *s, enum bpf_group group,
			      enum time_window window, const struct scope *scope)
{
	struct bpf_query q = {.group = group, .window = window};

	return bpf__query(s, &q, scope);
}

static void the_formula(void **state)
{
	const struct bpf_snap *s;
	struct bpf_result *a;
	const struct row_table *t;

	put(3, "tracing", 7, 1000, 2000000);
	put(4, "xdp", 9, 100, 500000000);
	put(5, "xdp", 0, 0, 0);
	end_look();
	s = tick();
	a = ask(s, BPF_BY_PROGRAM, WINDOW_LAST, NULL);
	t = &a->base.table;
	assert_int_equal(a->nrows, 3);
	assert_int_equal(table_cell(t, 0, "id").u, 4);
	assert_float_equal(table_cell(t, 0, "cpu_pct").f, 50, 1e-6f);
	assert_float_equal(table_cell(t, 0, "machine_pct").f, 12.5, 1e-6f);
	assert_int_equal(table_cell(t, 0, "avg_ns").u, 5000000);
	assert_int_equal(table_cell(t, 0, "own").u, 0);
	assert_int_equal(table_cell(t, 1, "own").u, 1);
	assert_int_equal(table_cell(t, 1, "runs").u, 1000);
	assert_int_equal(table_cell(t, 2, "avg_ns").type, VALUE_NONE);
	assert_int_equal(table_cell(t, 2, "pid").type, VALUE_NONE);
	assert_int_equal(a->n[BPF_RUN_NS], 502000000);
	assert_int_equal(a->own[BPF_RUN_NS], 2000000);
	assert_int_equal(a->nown, 1);
	query_result__free(&a->base);
	snap__put((struct snap *)&s->base);
}

static void groups_and_filters(void **state)
{
	struct filter_error err;
	struct scope *scope = filter__parse("pid=9", &err);
	const struct bpf_snap *s;
	struct bpf_result *a;

	put(3, "tracing", 7, 1, 10);
	put(4, "xdp", 9, 2, 20);
	put(5, "xdp", 0, 4, 40);
	put_map(4, 1, 5, 10, 100);
	put_map(5, 1, 5, 10, 100); /* shared: once in a row that has both */
	end_look();
	s = tick();
	a = ask(s, BPF_BY_TYPE, WINDOW_LAST, NULL);
	assert_int_equal(a->nrows, 2);
	assert_string_equal(table_cell(&a->base.table, 0, "type").s, "xdp");
	assert_int_equal(table_cell(&a->base.table, 0, "runs").u, 6);
	assert_int_equal(table_cell(&a->base.table, 0, "programs").u, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "map_bytes").u, 100);
	assert_float_equal(table_cell(&a->base.table, 0, "map_fill_pct").f, 50, 1e-6f);
	query_result__free(&a->base);
	a = ask(s, BPF_BY_PROGRAM, WINDOW_LAST, scope);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "id").u, 4);
	query_result__free(&a->base);
	scope__put(scope);
	snap__put((struct snap *)&s->base);
}

static void programs_go(void **state)
{
	const struct bpf_snap *s;
	struct bpf_result *a;

	put(3, "tracing", 7, 1, 10);
	put_map(3, 1, 0, 0, 100);
	end_look();
	snap__put((struct snap *)&tick()->base);
	put(4, "xdp", 9, 2, 20);
	end_look();
	s = tick();
	a = ask(s, BPF_BY_PROGRAM, WINDOW_LAST, NULL);
	assert_int_equal(a->nrows, 1);
	query_result__free(&a->base);
	a = ask(s, BPF_BY_PROGRAM, WINDOW_TOTAL, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(a->nprogs, 1);
	assert_int_equal(table_cell(&a->base.table, 1, "gone").u, 1);
	assert_int_equal(table_cell(&a->base.table, 1, "maps").u, 0);
	query_result__free(&a->base);
	snap__put((struct snap *)&s->base);
}

/* Several looks in one interval, as a replay has them: runs add up, maps are the last ones. */
static void looks_add_up(void **state)
{
	const struct bpf_maps_query q = {.prog = 3};
	const struct bpf_snap *s;
	struct bpf_result *a;
	struct bpf_maps_result *maps;

	for (u32 i = 1; i <= 3; i++) {
		put(3, "tracing", 7, 10, 100);
		put_map(3, 1, i, 4, 100 * i);
		put_map(0, 2, 0, 0, 50);
		end_look();
	}
	s = tick();
	a = ask(s, BPF_BY_PROGRAM, WINDOW_LAST, NULL);
	assert_int_equal(table_cell(&a->base.table, 0, "runs").u, 30);
	assert_int_equal(table_cell(&a->base.table, 0, "maps").u, 1);
	query_result__free(&a->base);
	maps = bpf_maps__query(s, &q);
	assert_int_equal(maps->nrows, 1);
	assert_int_equal(table_cell(&maps->base.table, 0, "bytes").u, 300);
	assert_float_equal(table_cell(&maps->base.table, 0, "fill_pct").f, 75, 1e-6f);
	assert_string_equal(table_cell(&maps->base.table, 0, "programs").s, "prog3");
	query_result__free(&maps->base);
	maps = bpf_maps__query(s, &(struct bpf_maps_query){0});
	assert_int_equal(maps->nrows, 2);
	assert_int_equal(maps->bytes, 350);
	query_result__free(&maps->base);
	snap__put((struct snap *)&s->base);
}

static void bounded(void **state)
{
	const struct bpf_snap *s;
	struct bpf_result *a;

	for (u32 id = 1; id <= 2 * BPF_MAX_PROGS; id++) {
		put(id, "tracing", 7, 1, 10);
		if (id % 16 == 0)
			end_look();
	}
	end_look();
	s = tick();
	assert_true(s->nprogs <= BPF_MAX_PROGS);
	a = ask(s, BPF_BY_TYPE, WINDOW_TOTAL, NULL);
	assert_int_equal(a->n[BPF_RUNS], 2 * BPF_MAX_PROGS);
	query_result__free(&a->base);
	snap__put((struct snap *)&s->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_formula, setup, teardown),
		cmocka_unit_test_setup_teardown(groups_and_filters, setup, teardown),
		cmocka_unit_test_setup_teardown(programs_go, setup, teardown),
		cmocka_unit_test_setup_teardown(looks_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(bounded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
