// SPDX-License-Identifier: GPL-2.0-only
/* Metrics: formulas and what is wrong with them, what they make of counters that are fed, and why not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <math.h>

#include "models/measure_metrics.h"
#include "samples/counters.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/measure_builder.h"
#include "tui/metrics_file.h"

static double value(const char *text, double a, double b)
{
	struct formula f;
	const char *at, *wrong = formula__parse(&f, text, &at);
	double values[FORMULA_NAMES] = {a, b};

	if (wrong)
		fail_msg("%s: %s at %s", text, wrong, at);
	return formula__value(&f, values);
}

static void test_formulas(void **state)
{
	assert_true(value("1 + 2 * 3 - 4 / 2", 0, 0) == 5);
	assert_true(value("(1+2)*3", 0, 0) == 9);
	assert_true(value("8 / 4 / 2", 0, 0) == 1);
	assert_true(value("10 - 4 - 3", 0, 0) == 3);
	assert_true(value("a-b - c.d_1", 10, 4) == 6);
	assert_true(value("a * a + b", 3, 4) == 13);
	assert_true(value("100 * a / (a + b) / 1e2", 1, 3) == 0.25);
	assert_false(isfinite(value("a / b", 1, 0)));
}

static void wrong_at(const char *text, const char *where)
{
	struct formula f;
	const char *at, *wrong = formula__parse(&f, text, &at);

	assert_non_null(wrong);
	assert_string_equal(at, where);
}

static void test_wrong_formulas(void **state)
{
	char deep[200] = "", many[400] = "a";

	wrong_at("", "");
	wrong_at("a +", "");
	wrong_at("(a", "");
	wrong_at("a b", "b");
	wrong_at("a ) b", ") b");
	wrong_at("-a", "-a");
	wrong_at("1 $ 2", "$ 2");
	wrong_at("2x", "2x");
	wrong_at("a+b+c+d+e+f+g+h+i", "i");
	wrong_at("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	memset(deep, '(', 100);
	wrong_at(deep, deep + 16);
	for (u32 i = 0; i < 30; i++)
		memcpy(many + 1 + 2 * i, "+a", 3);
	wrong_at(many, many + 49);
}

static void refused(const char *line, const char *word)
{
	struct metric m;
	char why[160];

	assert_int_equal(metric__parse(&m, line, line + strlen(line), why, sizeof(why)), -EINVAL);
	if (!strstr(why, word))
		fail_msg("%s: %s", line, why);
}

static void test_lines(void **state)
{
	static const char line[] = "twice: 2 * cycles / instructions | x | two for one";
	struct metric m;
	char why[160];

	assert_int_equal(metric__parse(&m, line, line + strlen(line), why, sizeof(why)), 0);
	assert_string_equal(m.name, "twice");
	assert_string_equal(m.text, "2 * cycles / instructions");
	assert_string_equal(m.unit, "x");
	assert_string_equal(m.help, "two for one");
	refused("twice: cycles / instrctions", "no event is called \"instrctions\"");
	refused("twice: 2 / seconds", "no event is in it");
	refused("twice: 2 *", "expected");
	refused("Twice: cycles", "a name of");
	refused("twice cycles", "a name of");
	refused("twice: cycles | \33[2J", "no plain text");
}

static void test_own(void **state)
{
	static const char own[] = "# mine\n\nmine: cycles / 2 | | half\n", taken[] = "ipc: cycles\n",
			  wrong[] = "a: cycles\nb: cyc\n";
	struct status st = {0};
	u32 n;

	metrics__begin();
	n = metrics__n();
	assert_true(n > 10);
	assert_int_equal(metrics_file__parse(own, strlen(own), "metrics", &st), 0);
	assert_int_equal(metrics__n(), n + 1);
	assert_string_equal(metrics__named("mine")->help, "half");
	assert_int_equal(metrics_file__parse(taken, strlen(taken), "metrics", &st), -EINVAL);
	assert_non_null(strstr(st.msg, "metrics:1: metric \"ipc:\": ipc: there is one of that name"));
	assert_int_equal(metrics_file__parse(wrong, strlen(wrong), "metrics", &st), -EINVAL);
	assert_non_null(strstr(st.msg, "metrics:2"));
	metrics__begin();
	assert_null(metrics__named("mine"));
}

/* --- of counters --- */

static void put_event(struct measure_builder *m, const char *event, struct measure_who who,
		      u64 count, u64 enabled, u64 running)
{
	const struct measure_key keys[] = {{counter__event(event) + 1, event}, {0, "0"}};
	struct measure_sample s = {.head.type = SAMPLE_MEASURE,
				   .who = who,
				   .keys = keys,
				   .nkeys = ARRAY_SIZE(keys),
				   .count = counter__scaled(count, enabled, running),
				   .sums = {enabled, running}};

	m->ops->consume(m->model, &s.head);
}

static struct measure_result *ask(struct measure_builder *m, const char *groups)
{
	struct measure_query q = {.window = WINDOW_LAST};
	struct measure_snap *snap = measure_tick_of(m, 2 * NSEC_PER_SEC);
	struct measure_result *a;

	assert_true(measure__parse_groups(snap->measure, groups, &q.groups));
	a = measure__query(snap, &q, NULL);
	snap__put(&snap->base);
	return a;
}

static struct value of(const struct measure_result *a, const char *metric, const char *column)
{
	u32 row = row_with(&a->base.table, "metric", metric);

	if (row == UINT32_MAX)
		fail_msg("no metric %s", metric);
	return cell_of(&a->base.table, row, column);
}

static void test_values(void **state)
{
	struct measure_who idle = {0}, work = someone(7, 7, "work"), other = someone(9, 9, "other");
	struct measure_builder m;
	struct measure_result *a;

	metrics__begin();
	measure_builder__begin_with(&m, &model_measure_counters);
	put_event(&m, "cycles", work, 4000, 100, 100);
	put_event(&m, "instructions", work, 1500, 100, 25); /* scaled: 6000 */
	put_event(&m, "cycles", other, 1000, 100, 100);
	put_event(&m, "instructions", other, 1500, 100, 100);
	put_event(&m, COUNTER_CPU_TIME, work, NSEC_PER_SEC, 1, 1);
	put_event(&m, COUNTER_CPU_TIME, idle, 5 * NSEC_PER_SEC, 1, 1);
	put_event(&m, "cpu-clock", work, NSEC_PER_SEC, 1, 1);
	put_event(&m, "context-switches", work, 30, 1, 1);
	put_event(&m, "branches", other, 0, 100, 100);
	put_event(&m, "branch-misses", other, 0, 100, 0);
	a = ask(&m, "metric");
	assert_int_equal(a->nrows, metrics__n());
	assert_true(of(a, "ipc", "value").f == 1.5);
	assert_int_equal(of(a, "ipc", "missing").type, VALUE_NONE);
	assert_true(of(a, "ipc", "scaled_pct").f == 81.25);
	assert_true(of(a, "cpus-used", "value").f == 0.5); /* without the idle one, in 2 s */
	assert_true(of(a, "context-switch-rate", "value").f == 15);
	assert_true(of(a, "switches-per-cpu-s", "value").f == 30);
	assert_int_equal(of(a, "migration-rate", "value").type, VALUE_NUMBER); /* the kernel's events are always known */
	assert_true(of(a, "migration-rate", "value").f == 0);
	assert_int_equal(of(a, "dtlb-misses-pct", "value").type, VALUE_NONE);
	assert_string_equal(of(a, "dtlb-misses-pct", "missing").s,
			    "dTLB-load-misses: nothing was counted, dTLB-loads: nothing was counted");
	assert_string_equal(of(a, "branch-misses-pct", "missing").s, "branch-misses: never had a counter");
	assert_string_equal(of(a, "backend-stalls", "missing").s, "stalled-cycles-backend: nothing was counted");
	assert_string_equal(of(a, "backend-stalls", "meaning").s, of(a, "backend-stalls", "missing").s);
	/* What is known stands first, as it is listed. */
	assert_string_equal(cell_of(&a->base.table, 0, "metric").s, "cpus-used");
	assert_string_equal(cell_of(&a->base.table, 6, "metric").s, "ipc");
	for (u32 i = 1; i < a->nrows; i++)
		assert_true(isnan(a->rows[i - 1].value) <= isnan(a->rows[i].value));
	a->base.free(&a->base);
	measure_builder__end(&m);
}

/* A quarter of the slots is of use, and so on; all had a counter half of the time. */
static void test_topdown(void **state)
{
	static const struct {
		const char *event, *metric;
		u64 slots;
	} parts[] = {{"topdown-retiring", "retiring", 1000},
		     {"topdown-bad-spec", "bad-speculation", 200},
		     {"topdown-fe-bound", "frontend-bound", 800},
		     {"topdown-be-bound", "backend-bound", 2000}};
	struct measure_builder m;
	struct measure_result *a;

	metrics__begin();
	measure_builder__begin_with(&m, &model_measure_counters);
	put_event(&m, "slots", someone(7, 7, "work"), 4000, 100, 50);
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++)
		put_event(&m, parts[i].event, someone(7, 7, "work"), parts[i].slots, 100, 50);
	a = ask(&m, "metric");
	for (u32 i = 0; i < ARRAY_SIZE(parts); i++) {
		assert_true(of(a, parts[i].metric, "value").f == (double)parts[i].slots / 40);
		assert_true(of(a, parts[i].metric, "scaled_pct").f == 50);
	}
	a->base.free(&a->base);
	measure_builder__end(&m);
}

/* Each process has its own; what another process counted is known to be 0 of this one. */
static void test_by_process(void **state)
{
	struct measure_who work = someone(7, 7, "work"), other = someone(9, 9, "other");
	struct measure_builder m;
	struct measure_result *a;

	metrics__begin();
	measure_builder__begin_with(&m, &model_measure_counters);
	put_event(&m, "branches", work, 200, 1, 1);
	put_event(&m, "branch-misses", work, 50, 1, 1);
	put_event(&m, "branches", other, 100, 1, 1);
	put_event(&m, "instructions", other, 100, 1, 1);
	a = ask(&m, "metric,pid");
	assert_int_equal(cell_of(&a->base.table, 0, "pid").u, 7);
	assert_string_equal(cell_of(&a->base.table, 0, "metric").s, "branch-misses-pct");
	assert_true(cell_of(&a->base.table, 0, "value").f == 25);
	assert_int_equal(cell_of(&a->base.table, 1, "pid").u, 9);
	assert_true(cell_of(&a->base.table, 1, "value").f == 0);
	assert_string_equal(of(a, "branch-mpki", "unit").s, "/1000 insn");
	assert_string_equal(of(a, "ipc", "missing").s, "cycles: nothing was counted");
	a->base.free(&a->base);
	measure_builder__end(&m);
}

/* Nanoseconds and switches make no sum: rows are by event, too, unless they are of one. */
static void test_no_sums(void **state)
{
	struct measure_query one = {.window = WINDOW_LAST};
	struct measure_builder m;
	struct measure_result *a;
	struct measure_snap *snap;

	metrics__begin();
	measure_builder__begin_with(&m, &model_measure_counters);
	put_event(&m, COUNTER_CPU_TIME, someone(7, 7, "work"), NSEC_PER_SEC, 1, 1);
	put_event(&m, "context-switches", someone(7, 7, "work"), 30, 1, 1);
	a = ask(&m, "pid");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell_of(&a->base.table, 1, "event").s, "context-switches");
	assert_int_equal(cell_of(&a->base.table, 1, "pid").u, 7);
	assert_int_equal(cell_of(&a->base.table, 1, "count").u, 30);
	assert_false(measure__has_sum(a->measure, &a->query));
	a->base.free(&a->base);
	put_event(&m, COUNTER_CPU_TIME, someone(7, 7, "work"), NSEC_PER_SEC, 1, 1);
	put_event(&m, "context-switches", someone(7, 7, "work"), 40, 1, 1);
	snap = measure_tick_of(&m, 3 * NSEC_PER_SEC);
	assert_true(measure__parse_groups(snap->measure, "pid", &one.groups));
	one.narrow.hashes[0] = measure__text_hash("context-switches");
	a = measure__query(snap, &one, NULL);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(cell_of(&a->base.table, 0, "count").u, 40);
	assert_int_equal(row_with(&a->base.table, "event", "context-switches"), UINT32_MAX);
	assert_true(measure__has_sum(a->measure, &a->query));
	a->base.free(&a->base);
	snap__put(&snap->base);
	measure_builder__end(&m);
}

/* Without instructions there is nothing to divide by. */
static void test_by_zero(void **state)
{
	struct measure_builder m;
	struct measure_result *a;

	metrics__begin();
	measure_builder__begin_with(&m, &model_measure_counters);
	put_event(&m, "cycles", someone(7, 7, "work"), 0, 1, 1);
	put_event(&m, "instructions", someone(7, 7, "work"), 5, 1, 1);
	a = ask(&m, "metric");
	assert_int_equal(of(a, "ipc", "value").type, VALUE_NONE);
	assert_string_equal(of(a, "ipc", "missing").s, "it would be divided by 0");
	a->base.free(&a->base);
	measure_builder__end(&m);
}

static void test_scaled(void **state)
{
	assert_int_equal(counter__scaled(1000, 100, 100), 1000);
	assert_int_equal(counter__scaled(1000, 100, 25), 4000);
	assert_int_equal(counter__scaled(0, 100, 0), 0);
	assert_int_equal(counter__scaled(1ULL << 62, 1ULL << 40, 1ULL << 39), 1ULL << 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas),   cmocka_unit_test(test_wrong_formulas),
		cmocka_unit_test(test_lines),	   cmocka_unit_test(test_own),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_no_sums),
		cmocka_unit_test(test_topdown),	   cmocka_unit_test(test_by_process),
		cmocka_unit_test(test_by_zero),	   cmocka_unit_test(test_scaled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
