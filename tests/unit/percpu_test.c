// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel's files say of each CPU, whole, cut and hostile; and the rows that come of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "models/model.h"
#include "models/percpu.h"
#include "sources/percpu_parse.h"

#define TICK_NS 10000000

static u64 count_of(const struct percpu_counts *c, u32 cpu, enum percpu_figure f)
{
	assert_non_null(percpu_counts__at(c, cpu));
	assert_true(c->v[cpu].known >> f & 1);
	return c->v[cpu].n[f];
}

static void times_are_ticks_of_each_cpu(void **state)
{
	struct percpu_counts c = {0};

	percpu__parse_stat("cpu  9 9 9 9 9 9 9 9 9 9\n"
			   "cpu0 10 2 3 40 5 6 7 8 0 0\n"
			   "cpu3 1 0 0\n"
			   "intr 5 cpu4 9\n", TICK_NS, &c);
	assert_int_equal(count_of(&c, 0, PERCPU_USER), 12 * TICK_NS);
	assert_int_equal(count_of(&c, 0, PERCPU_IDLE), 40 * TICK_NS);
	assert_int_equal(count_of(&c, 0, PERCPU_STEAL), 8 * TICK_NS);
	assert_int_equal(count_of(&c, 3, PERCPU_USER), TICK_NS);
	assert_false(c.v[3].known >> PERCPU_STEAL & 1);
	assert_null(percpu_counts__at(&c, 1));
	assert_null(percpu_counts__at(&c, 4));
	percpu_counts__fini(&c);
}

static void interrupts_are_all_lines_with_each_cpu(void **state)
{
	struct percpu_counts c = {0};

	percpu__parse_interrupts("           CPU0       CPU2       \n"
				 "  0:         12          3   IO-APIC   2-edge      timer 7\n"
				 "LOC:        100        200   Local timer interrupts\n"
				 "ERR:          9\n"
				 "MIS:          9\n"
				 "no line of it\n"
				 "NMI:          1          2", &c);
	assert_int_equal(count_of(&c, 0, PERCPU_INTERRUPTS), 113);
	assert_int_equal(count_of(&c, 2, PERCPU_INTERRUPTS), 205);
	assert_null(percpu_counts__at(&c, 1));
	percpu_counts__fini(&c);
}

/* A machine with one CPU: what is of the whole machine has as many columns. */
static void errors_are_no_interrupts_of_one_cpu(void **state)
{
	struct percpu_counts c = {0};

	percpu__parse_interrupts("           CPU0\n"
				 "LOC:        100   Local timer interrupts\n"
				 "ERR:          9\n", &c);
	assert_int_equal(count_of(&c, 0, PERCPU_INTERRUPTS), 100);
	percpu_counts__fini(&c);
}

static void softirqs_are_by_vector(void **state)
{
	struct percpu_counts c = {0};

	percpu__parse_softirqs("                    CPU0       CPU1       \n"
			       "          HI:          1          2\n"
			       "      NET_RX:         30         40\n"
			       "     UNKNOWN:         30         40\n"
			       "         RCU:          5", &c);
	assert_int_equal(count_of(&c, 0, PERCPU_SOFT_HI), 1);
	assert_int_equal(count_of(&c, 1, PERCPU_SOFT_RX), 40);
	assert_false(c.v[0].known >> PERCPU_SOFT_RCU & 1); /* cut */
	percpu_counts__fini(&c);
}

static void hostile_texts_are_nothing(void **state)
{
	static const char *const texts[] = {
		"", "cpu", "cpu\n", "cpu99999999999999999999 1 2\n", "cpu0", "cpu0 -1 x\n",
		"CPU", "CPUx CPU0\n:\n: 1\n", "CPU0 CPU4294967295\nNET_RX: 1 2\n", "\n\n:\n"};

	for (u32 i = 0; i < ARRAY_SIZE(texts); i++) {
		struct percpu_counts c = {0};

		percpu__parse_stat(texts[i], TICK_NS, &c);
		percpu__parse_interrupts(texts[i], &c);
		percpu__parse_softirqs(texts[i], &c);
		assert_in_range(c.n, 0, 1);
		percpu_counts__fini(&c);
	}
}

static void put_cpu(struct model *m, u32 cpu, u64 switches, u64 user_ns, u64 idle_ns)
{
	struct percpu_sample s = {.head.type = SAMPLE_PERCPU, .cpu = cpu,
				  .known = 1 << PERCPU_SWITCHES | 1 << PERCPU_USER | 1 << PERCPU_IDLE};

	s.values[PERCPU_SWITCHES] = switches;
	s.values[PERCPU_USER] = user_ns;
	s.values[PERCPU_IDLE] = idle_ns;
	model_percpu.consume(m, &s.head);
}

/* Rates, shares of all times, and what is not known, as the table has them. */
static void rows_are_by_cpu(void **state)
{
	const struct percpu_query q = {.window = WINDOW_TOTAL};
	struct model *m = model_percpu.new(NULL);
	struct percpu_result *a;
	struct snap *s;

	put_cpu(m, 0, 10, 1, 3);
	put_cpu(m, 5, 20, 0, 4);
	put_cpu(m, PERCPU_MAX_CPUS, 1, 1, 1);
	snap__put(model_percpu.tick(m, NSEC_PER_SEC, 2 * NSEC_PER_SEC));
	put_cpu(m, 5, 22, 0, 4);
	s = model_percpu.tick(m, 2 * NSEC_PER_SEC, 3 * NSEC_PER_SEC);
	a = percpu__query((const void *)s, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(a->rows[0].cpu, 0);
	assert_int_equal(a->rows[0].all_ns, 4);
	assert_int_equal(a->rows[1].cpu, 5);
	assert_int_equal(a->rows[1].n[PERCPU_SWITCHES], 42);
	assert_int_equal(a->n[PERCPU_SWITCHES], 52);
	for (u32 i = 0; i < a->base.table.ncolumns; i++) {
		const char *name = a->base.table.columns[i].name;
		struct value v = {0};

		a->base.table.cell(&a->base.table, 1, i, &v);
		if (!strcmp(name, "switches_rate"))
			assert_int_equal(v.u, 21);
		if (!strcmp(name, "idle_pct"))
			assert_true(v.f > 99.9);
		if (!strcmp(name, "faults") || !strcmp(name, "steal_pct"))
			assert_int_equal(v.type, VALUE_NONE);
	}
	query_result__free(&a->base);
	snap__put(s);
	model_percpu.free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_ticks_of_each_cpu),
		cmocka_unit_test(interrupts_are_all_lines_with_each_cpu),
		cmocka_unit_test(errors_are_no_interrupts_of_one_cpu),
		cmocka_unit_test(softirqs_are_by_vector),
		cmocka_unit_test(hostile_texts_are_nothing),
		cmocka_unit_test(rows_are_by_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
