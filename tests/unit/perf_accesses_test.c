// SPDX-License-Identifier: GPL-2.0-only
/* Accesses to memory that a CPU sampled: where what was read lay, how it was found, how long that took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/perf_scene.h"

#define ACCESS_FIELDS                                                                                                  \
	((FIELDS & ~(u64)PERF_SAMPLE_CALLCHAIN) | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)

static void put_access(struct perf_builder *m, u64 t_ns, u64 address, u32 latency, u64 source)
{
	perf_builder__open(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	perf_builder__u64(m, PERF_MAKER_ID);
	perf_builder__u64(m, A + 8);
	perf_builder__pair(m, 10, 11);
	perf_builder__u64(m, t_ns);
	perf_builder__u64(m, address);
	perf_builder__pair(m, 1, 0);
	perf_builder__u64(m, 1000);
	perf_builder__pair(m, latency, 7 | 3 << 16); /* what else weighs is no latency */
	perf_builder__u64(m, source);
	perf_builder__close(m);
}

struct access {
	char source[32], op[32], tlb[32], snoop[32], line[32];
	u64 count, sum, stack;
	u32 tgid, tid;
};

struct accesses {
	struct access v[16];
	u32 n, turns;
	char event[128];
};

static void see_access(void *ctx, const struct codec *c, const struct sample_codec *type, const union any_sample *s)
{
	struct accesses *seen = ctx;
	const struct measure_sample *x = &s->measure;
	struct access *a = &seen->v[seen->n];

	if (type->type == SAMPLE_ASK) {
		seen->turns++;
		assert_non_null(ask_form__measure(&s->ask.form));
		copy_str(seen->event, sizeof(seen->event), s->ask.form.event);
		return;
	}
	assert_int_equal(type->type, SAMPLE_MEASURE);
	assert_int_equal(x->nkeys, 5);
	assert_true(seen->n < ARRAY_SIZE(seen->v));
	copy_str(a->source, sizeof(a->source), x->keys[0].text);
	copy_str(a->op, sizeof(a->op), x->keys[1].text);
	copy_str(a->tlb, sizeof(a->tlb), x->keys[2].text);
	copy_str(a->snoop, sizeof(a->snoop), x->keys[3].text);
	copy_str(a->line, sizeof(a->line), x->keys[4].text);
	a->count = x->count;
	a->sum = x->sum;
	a->stack = x->sampled;
	a->tgid = x->who.tgid;
	a->tid = x->who.tid;
	seen->n++;
}

static void test_accesses(void **state)
{
	const u64 l1 = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(TLB, HIT) |
		       PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2) | PERF_MEM_S(SNOOP, NONE);
	const u64 ram = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVLNUM, RAM) |
			PERF_MEM_S(REMOTE, REMOTE) | PERF_MEM_S(TLB, WK) | PERF_MEM_S(TLB, MISS) |
			PERF_MEM_S(SNOOP, HITM);
	const u64 store = PERF_MEM_S(OP, STORE) | PERF_MEM_S(LOCK, LOCKED) | PERF_MEM_S(LVL, L3) |
			  PERF_MEM_S(LVLNUM, NA);
	struct accesses seen = {0};
	struct record_interval iv;
	struct perf_builder m;
	struct status st;
	struct reader *r;

	perf_builder__begin(&m, ACCESS_FIELDS);
	map_parts(&m);
	put_access(&m, T0 + 10, 0x7f0000001234, 4, l1);
	put_access(&m, T0 + 20, 0x7f0000001238, 350, ram);
	put_access(&m, T0 + NSEC_PER_SEC + 20, 0, 0, store);
	r = open_made(&m, &st);
	assert_non_null(r);
	assert_true(reader__next(r, &iv));
	assert_true(iv.models & MODEL_BIT(MODEL_EVENTS));
	assert_true(iv.models & MODEL_BIT(MODEL_PROFILE));
	reader__samples(r, MODEL_EVENTS, see_access, &seen);
	assert_int_equal(seen.turns, 1);
	assert_string_equal(seen.event, "cpu-clock");
	assert_int_equal(seen.n, 4); /* each as such, and by its stack */
	assert_string_equal(seen.v[0].source, "L1");
	assert_string_equal(seen.v[0].op, "load");
	assert_string_equal(seen.v[0].tlb, "L1 or L2");
	assert_string_equal(seen.v[0].snoop, "none");
	assert_string_equal(seen.v[0].line, "0x7f0000001200");
	assert_int_equal(seen.v[0].count, 1);
	assert_int_equal(seen.v[0].sum, 4);
	assert_int_equal(seen.v[0].tgid, 10);
	assert_int_equal(seen.v[0].tid, 11);
	assert_false(seen.v[0].stack);
	assert_true(seen.v[1].stack);
	assert_string_equal(seen.v[2].source, "remote RAM miss");
	assert_string_equal(seen.v[2].tlb, "page walk miss");
	assert_string_equal(seen.v[2].snoop, "modified");
	assert_string_equal(seen.v[2].line, "0x7f0000001200");
	assert_int_equal(seen.v[2].sum, 350);
	seen = (struct accesses){0};
	assert_true(reader__next(r, &iv));
	reader__samples(r, MODEL_EVENTS, see_access, &seen);
	assert_int_equal(seen.turns, 1); /* a replay may begin here */
	assert_int_equal(seen.n, 2);
	assert_string_equal(seen.v[0].source, "L3");
	assert_string_equal(seen.v[0].op, "locked store");
	assert_string_equal(seen.v[0].tlb, "unknown");
	assert_string_equal(seen.v[0].line, "unknown");
	assert_false(reader__next(r, &iv));
	reader__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accesses),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
