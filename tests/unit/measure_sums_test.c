// SPDX-License-Identifier: GPL-2.0-only
/* Sums of measures that are counts: with nothing counted beside them, by names of their own, one of
 * the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bpf/endpoint.h"
#include "bpf/tcp.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/measure_builder.h"

static struct measure_result *ask(struct measure_builder *m, const struct measure *of,
				  const char *groups)
{
	struct measure_query q = {.window = WINDOW_LAST};
	struct snap *snap = m->ops->tick(m->model, m->now_ns, m->now_ns + NSEC_PER_SEC);
	struct measure_result *a;

	assert_true(measure__parse_groups(of, groups, &q.groups));
	a = measure__query(container_of(snap, struct measure_snap, base), &q, NULL);
	snap__put(snap);
	return a;
}

static struct value cell(const struct measure_result *a, u32 row, const char *column)
{
	const struct row_table *t = &a->base.table;
	struct value v = {0};

	for (u32 i = 0; i < t->ncolumns; i++)
		if (!strcmp(t->columns[i].name, column)) {
			assert_true(t->cell(t, row, i, &v));
			return v;
		}
	fail_msg("no column %s", column);
	return v;
}

static void put(struct measure_builder *m, const char *first, const char *last, u32 count, u64 sum,
		u64 s0, u64 s1, u64 stack)
{
	const struct measure_key keys[] = {{1, first}, {0, ""}, {0, ""}, {0, last}};
	u32 hist[MEASURE_BUCKETS] = {[8] = count};
	struct measure_sample s = {.head.type = SAMPLE_MEASURE,
				   .keys = keys,
				   .nkeys = ARRAY_SIZE(keys),
				   .count = count,
				   .sum = sum,
				   .min = count ? sum / count : 0,
				   .max = count ? sum / count : 0,
				   .sums = {s0, s1},
				   .hist = hist};

	if (stack) {
		s.sampled = true;
		s.stack = stack;
		s.hist = NULL;
	}
	m->ops->consume(m->model, &s.head);
}

static void test_drops(void **state)
{
	struct measure_builder m;
	struct measure_result *a;
	const struct measure *net = measure_table[MEASURE_NET];
	u64 stack;

	measure_builder__begin_with(&m, &model_measure_net);
	stack = put_stack(&m, "udp_rcv");
	put(&m, "eth0", "", 10, 1000, 0, 40, 0);
	put(&m, "eth0", "NO_SOCKET", 0, 0, 3, 0, 0);
	put(&m, "eth0", "NO_SOCKET", 0, 0, 3, 0, stack);
	put(&m, "lo@web", "TCP_CSUM", 0, 0, 1, 0, 0);
	a = ask(&m, net, "device");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(a, 0, "device").s, "eth0");
	assert_int_equal(cell(a, 0, "packets").u, 10);
	assert_int_equal(cell(a, 0, "count").u, 10);
	assert_int_equal(cell(a, 0, "bytes").u, 1000);
	assert_int_equal(cell(a, 0, "sum_bytes").u, 1000);
	assert_int_equal(cell(a, 0, "drops").u, 3);
	assert_int_equal(cell(a, 0, "segments").u, 40);
	assert_int_equal(cell(a, 0, "avg_bytes").u, 100);
	assert_int_equal(cell(a, 1, "packets").u, 0);
	assert_int_equal(cell(a, 1, "drops").u, 1);
	assert_int_equal(cell(a, 1, "avg_bytes").type, VALUE_NONE);
	a->base.free(&a->base);
	measure_builder__end(&m);
}

static void test_reasons_and_namespaces(void **state)
{
	struct measure_builder m;
	struct measure_result *a;
	const struct measure *net = measure_table[MEASURE_NET];

	measure_builder__begin_with(&m, &model_measure_net);
	put(&m, "eth0", "A", 0, 0, 3, 0, put_stack(&m, "udp_rcv"));
	put(&m, "eth0@web", "B", 0, 0, 7, 0, put_stack(&m, "tcp_drop"));
	put(&m, "eth0", "A", 0, 0, 3, 0, 0);
	put(&m, "eth0@web", "B", 0, 0, 7, 0, 0);
	a = ask(&m, net, "stack");
	assert_int_equal(a->nrows, 2);
	/* The most first. */
	assert_int_equal(cell(a, 0, "drops").u, 7);
	assert_int_equal(cell(a, 0, "packets").u, 0);
	a->base.free(&a->base);
	put(&m, "eth0", "A", 0, 0, 3, 0, 0);
	put(&m, "eth0@web", "B", 0, 0, 7, 0, 0);
	a = ask(&m, net, "netns+reason");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(a, 0, "netns").s, "web");
	assert_string_equal(cell(a, 0, "reason").s, "B");
	assert_string_equal(cell(a, 1, "netns").s, "[own]");
	a->base.free(&a->base);
	measure_builder__end(&m);
}

static void test_ratio(void **state)
{
	struct measure_builder m;
	struct measure_result *a;

	measure_builder__begin_with(&m, &model_measure_counters);
	put(&m, "cycles", "", 800, 0, 400, 100, 0);
	put(&m, "major-faults", "", 0, 0, 400, 400, 0);
	a = ask(&m, measure_table[MEASURE_COUNTERS], "event");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(a, 0, "event").s, "cycles");
	assert_int_equal(cell(a, 0, "count").u, 800);
	assert_true(cell(a, 0, "scaled_pct").f == 25);
	assert_int_equal(cell(a, 1, "count").u, 0);
	assert_true(cell(a, 1, "scaled_pct").f == 100);
	a->base.free(&a->base);
	measure_builder__end(&m);
}

/* Of a connection: what it did, and how its RTT and its window were. */
static void put_connection(struct measure_builder *m, const char *remote, const u64 *sums)
{
	const struct measure_key keys[] = {{0, "life"}, {1, "10.0.0.1:80"}, {2, remote}, {80, "http"},
					   {2, "in"},	{1, "ESTAB"},	    {0, ""},	 {3, "[own]"}};
	struct measure_sample s = {.head.type = SAMPLE_MEASURE, .keys = keys, .nkeys = ARRAY_SIZE(keys)};

	memcpy(s.sums, sums, sizeof(s.sums));
	m->ops->consume(m->model, &s.head);
}

/* Any sum is enough for a row; a ratio of nothing is not known. */
static void test_sums_alone(void **state)
{
	const struct measure *tcp = measure_table[MEASURE_TCP];
	struct measure_builder m;
	struct measure_result *a;

	measure_builder__begin_with(&m, &model_measure_tcp);
	put_connection(&m, "[::1]:443", (u64[MEASURE_SUMS]){[TCP_RETRANSMITS] = 7});
	put_connection(&m, "10.0.0.2:9", (u64[MEASURE_SUMS]){[TCP_BYTES] = 5, [TCP_SENT] = 2, [TCP_RECEIVED] = 3,
							     [TCP_SAMPLES] = 2, [TCP_RTT] = 30, [TCP_CWND] = 20});
	put_connection(&m, "10.0.0.2:9", (u64[MEASURE_SUMS]){[TCP_SAMPLES] = 1, [TCP_RTT] = 60, [TCP_CWND] = 10});
	a = ask(&m, tcp, "host");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(a->base.table.columns[a->base.table.sort].name, "bytes_rate");
	assert_string_equal(cell(a, 0, "host").s, "10.0.0.2");
	assert_int_equal(cell(a, 0, "rtt_ns").u, 30);
	assert_int_equal(cell(a, 0, "cwnd").u, 10);
	assert_int_equal(cell(a, 0, "received_bytes").u, 3);
	assert_string_equal(cell(a, 1, "host").s, "::1");
	assert_int_equal(cell(a, 1, "retransmits").u, 7);
	assert_int_equal(cell(a, 1, "rtt_ns").type, VALUE_NONE);
	a->base.free(&a->base);
	measure_builder__end(&m);
}

/* Values are read as endpoints; those of IPv6 come as bytes in hex. */
static void test_endpoints(void **state)
{
	const struct measure *tcp = measure_table[MEASURE_TCP];
	const struct measure_label *l = &tcp->labels[measure__label(tcp, "remote")];
	const u8 address[] = {10, 213, 7, 2};
	u32 v4;
	char buf[64] = "20010db8000000000000000000000001";

	memcpy(&v4, address, sizeof(v4));
	l->tidy(ENDPOINT_V6 | 443ULL << ENDPOINT_PORT_SHIFT, buf, sizeof(buf));
	assert_string_equal(buf, "[2001:db8::1]:443");
	assert_true(l->known(ENDPOINT_V4 | 65535ULL << ENDPOINT_PORT_SHIFT | v4, buf, sizeof(buf)));
	assert_string_equal(buf, "10.213.7.2:65535");
	assert_true(l->known(ENDPOINT_OTHERS, buf, sizeof(buf)));
	assert_string_equal(buf, "[others]");
	assert_false(l->known(ENDPOINT_V6, buf, sizeof(buf)));
	copy_str(buf, sizeof(buf), "no hex");
	l->tidy(ENDPOINT_V6, buf, sizeof(buf));
	assert_string_equal(buf, "no hex");
	copy_str(buf, sizeof(buf), "@0123456789abcdef0123456789abcdef");
	l->tidy(ENDPOINT_UNIX | 7, buf, sizeof(buf));
	assert_string_equal(buf, "@0123456789abcdef0123456789abcdef");
	assert_true(l->known(0, buf, sizeof(buf)));
	assert_string_equal(buf, "");
	assert_true(tcp->labels[measure__label(tcp, "host")].part("/run/a:b", 0, buf, sizeof(buf)));
	assert_string_equal(buf, "/run/a:b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_reasons_and_namespaces),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_sums_alone),
		cmocka_unit_test(test_endpoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
