// SPDX-License-Identifier: GPL-2.0-only
/* What --serve takes from whoever asks, and the counters of its page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/columns.h"
#include "serve/accept.h"
#include "serve/address.h"
#include "serve/counters.h"
#include "serve/merged.h"
#include "serve/target.h"
#include "serve/token.h"

/* --- targets --- */

static struct target parsed(const char *text)
{
	struct target t;
	char why[128] = "";

	if (!target__parse(text, &t, why, sizeof(why)))
		fail_msg("%s: %s", text, why);
	return t;
}

static void refused(const char *text, const char *what)
{
	struct target t;
	char why[128] = "";

	assert_false(target__parse(text, &t, why, sizeof(why)));
	assert_non_null(strstr(why, what));
}

static void targets(void **state)
{
	struct target t = parsed("/view/cpu.speedscope.json?group=comm%2Csymbol&filter=comm~a+b&x=&&sort=self_count");

	assert_int_equal(t.kind, TARGET_VIEW);
	assert_string_equal(t.name, "cpu");
	assert_string_equal(t.suffix, ".speedscope.json");
	assert_string_equal(t.group, "comm,symbol");
	assert_string_equal(t.filter, "comm~a b");
	assert_string_equal(t.sort, "self_count");
	t = parsed("/debug/pprof/heap?pid=42&seconds=300");
	assert_int_equal(t.kind, TARGET_PROFILE);
	assert_string_equal(t.name, "heap");
	assert_int_equal(t.pid, 42);
	assert_int_equal(t.seconds, 300);
	assert_int_equal(parsed("/").kind, TARGET_INDEX);
	assert_int_equal(parsed("/metrics?").kind, TARGET_METRICS);
	assert_int_equal(parsed("/debug/pprof").kind, TARGET_PPROF);
	assert_int_equal(parsed("/debug/pprof/").kind, TARGET_PPROF);
	assert_int_equal(parsed("/%6detrics").kind, TARGET_METRICS);
}

static void no_path_leads_anywhere(void **state)
{
	static const char *const unknown[] = {
		"/view/../../etc/passwd", "/view/cpu", "/view/.json", "/view/a/b.json", "/view/%2e%2e%2fx.json",
		"/debug/pprof/../x", "/debug/pprof/a/b", "//metrics", "/metrics/", "/METRICS",
		"/view/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.json",
	};

	for (u32 i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_int_equal(parsed(unknown[i]).kind, TARGET_UNKNOWN);
}

static void malformed_targets(void **state)
{
	char *longest = xcalloc(1, TARGET_BYTES + 1), *value = xcalloc(1, TARGET_TEXT + 16);

	memset(longest, '/', TARGET_BYTES);
	refused(longest, "longer");
	sprintf(value, "/?group=%*d", TARGET_TEXT, 1);
	for (char *p = value; *p; p++)
		*p = *p == ' ' ? 'a' : *p;
	refused(value, "longer");
	refused("", "malformed");
	refused("metrics", "malformed");
	refused("http://elsewhere/metrics", "malformed");
	refused("/metrics%", "malformed");
	refused("/metrics%0", "malformed");
	refused("/metrics%zz", "malformed");
	refused("/metrics%00", "malformed");
	refused("/view/cpu.json?group=%0a", "malformed");
	refused("/debug/pprof/profile?seconds=0", "1 to 300");
	refused("/debug/pprof/profile?seconds=301", "1 to 300");
	refused("/debug/pprof/profile?seconds=-1", "1 to 300");
	refused("/debug/pprof/profile?seconds=18446744073709551617", "1 to 300");
	refused("/debug/pprof/profile?seconds", "1 to 300");
	refused("/debug/pprof/heap?pid=0x1", "pid");
	free(longest);
	free(value);
}

/* --- headers --- */

#define OM   "application/openmetrics-text"
#define TEXT "text/plain"

static void what_is_preferred(void **state)
{
	static const char prometheus[] = "application/openmetrics-text;version=1.0.0,"
					 "application/openmetrics-text;version=0.0.1;q=0.75,"
					 "text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

	assert_int_equal(accept__quality(prometheus, OM), 1000);
	assert_int_equal(accept__quality(prometheus, TEXT), 500);
	assert_int_equal(accept__quality(prometheus, "image/png"), 100);
	assert_int_equal(accept__quality(NULL, TEXT), 1000);
	assert_int_equal(accept__quality("text/plain", OM), 0);
	assert_int_equal(accept__quality("text/*;q=0.25, */*;q=0", TEXT), 250);
	assert_int_equal(accept__quality("text/*;q=0.25, */*;q=0", OM), 0);
	assert_int_equal(accept__quality("TEXT/PLAIN ; Q=0.1239", TEXT), 123);
	assert_int_equal(accept__quality(",,;,q=,text/plain;q", TEXT), 1000);
}

static void tokens(void **state)
{
	assert_true(token__is("0123456789abcdef", "Bearer 0123456789abcdef"));
	assert_true(token__is("0123456789abcdef", "bearer 0123456789abcdef"));
	assert_false(token__is("0123456789abcdef", NULL));
	assert_false(token__is("0123456789abcdef", "0123456789abcdef"));
	assert_false(token__is("0123456789abcdef", "Bearer "));
	assert_false(token__is("0123456789abcdef", "Bearer 0123456789abcde"));
	assert_false(token__is("0123456789abcdef", "Bearer 0123456789abcdef0123456789abcdef"));
	assert_false(token__is("0123456789abcdef", "Bearer 0123456789abcdeF"));
}

static void token_files(void **state)
{
	char path[] = "/tmp/proftop-token-XXXXXX", *token;
	int fd = mkstemp(path);
	struct status st = {0};

	assert_int_equal(write(fd, "0123456789abcdef\n", 17), 17);
	token = token__read("--serve-token", path, &st);
	assert_non_null(token);
	assert_string_equal(token, "0123456789abcdef");
	free(token);
	fchmod(fd, 0640);
	assert_null(token__read("--serve-token", path, &st));
	assert_non_null(strstr(st.msg, "chmod 600"));
	fchmod(fd, 0600);
	assert_int_equal(write(fd, "more", 4), 4);
	assert_null(token__read("--serve-token", path, &st));
	assert_int_equal(ftruncate(fd, 8), 0);
	assert_null(token__read("--serve-token", path, &st));
	assert_non_null(strstr(st.msg, "16 characters"));
	close(fd);
	unlink(path);
	assert_null(token__read("--serve-token", path, &st));
}

static void hosts(void **state)
{
	assert_true(address__host_is_plain(NULL));
	assert_true(address__host_is_plain("localhost"));
	assert_true(address__host_is_plain("localhost:9464"));
	assert_true(address__host_is_plain("127.0.0.1:9464"));
	assert_true(address__host_is_plain("[::1]:9464"));
	assert_true(address__host_is_plain("[::1]"));
	assert_false(address__host_is_plain("evil.example"));
	assert_false(address__host_is_plain("evil.example:9464"));
	assert_false(address__host_is_plain("127.0.0.1.evil.example:9464"));
	assert_false(address__host_is_plain(""));
	assert_false(address__host_is_plain("[::1"));
}

/* --- addresses --- */

static void is_address(const char *text, const char *as, bool loopback)
{
	struct address a;
	char buf[160];

	if (!address__parse(text, &a))
		fail_msg("%s", text);
	assert_string_equal(address__text(&a, buf, sizeof(buf)), as);
	assert_int_equal(a.loopback, loopback);
}

static void addresses(void **state)
{
	static const char *const wrong[] = {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "a:1",
					    "127.0.0.1:65536", "1.2.3:80", "[::1]", "[::1:9464", "::1:94:x",
					    "example.org:80", "-", "127.0.0.1:80x"};
	char path[256];
	struct address a;

	is_address(NULL, "127.0.0.1:9464", true);
	is_address("9000", "127.0.0.1:9000", true);
	is_address(":9000", "127.0.0.1:9000", true);
	is_address("localhost:9000", "127.0.0.1:9000", true);
	is_address("127.8.9.10:9000", "127.8.9.10:9000", true);
	is_address("0.0.0.0:9000", "0.0.0.0:9000", false);
	is_address("128.0.0.1:9000", "128.0.0.1:9000", false);
	is_address("[::1]:9000", "[::1]:9000", true);
	is_address("[::]:9000", "[::]:9000", false);
	is_address("/run/proftop.sock", "/run/proftop.sock", true);
	is_address("./here", "./here", true);
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		if (address__parse(wrong[i], &a))
			fail_msg("%s", wrong[i]);
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_false(address__parse(path, &a));
}

static void unix_sockets(void **state)
{
	char path[64];
	struct address a;
	struct status st = {0};
	struct stat there;
	int fd, again;
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/proftop-serve-%d.sock", getpid());
	assert_true(address__parse(path, &a));
	fd = address__listen(&a, &st);
	assert_true(fd >= 0);
	assert_int_equal(stat(path, &there), 0);
	assert_int_equal(there.st_mode & 0777, 0600);
	assert_int_equal(address__listen(&a, &st), -1); /* somebody listens */
	close(fd);
	again = address__listen(&a, &st); /* it was left behind */
	assert_true(again >= 0);
	close(again);
	address__unlink(&a);
	f = fopen(path, "w"); /* a file is not ours */
	fclose(f);
	assert_int_equal(address__listen(&a, &st), -1);
	assert_int_equal(stat(path, &there), 0);
	assert_true(S_ISREG(there.st_mode));
	unlink(path);
}

/* --- counters --- */

static const struct column columns[] = {
	COLUMN(VALUE_TEXT, "comm", "COMM", 10, 0, COLUMN_BOTH | COLUMN_KEY, ""),
	COLUMN(VALUE_TEXT, "state", "S", 1, 0, COLUMN_BOTH, "changes"),
	COUNT_COLUMN("self_count", "SELF", 6, 0, COLUMN_BOTH | COLUMN_SUM, "samples \"of\" its\\own"),
	TIME_COLUMN("off_ns", "OFF", 6, 0, COLUMN_BOTH | COLUMN_SUM, "blocked"),
	TIME_COLUMN("max_ns", "MAX", 6, 0, COLUMN_BOTH, "no sum"),
	BYTES_COLUMN("rss_bytes", "RSS", 6, 0, COLUMN_BOTH, "resident"),
	COLUMN(VALUE_LIST, "hist", "H", 1, 0, COLUMN_EXPORT, "latencies"),
	COLUMN(VALUE_LIST, "ages", "A", 1, 0, COLUMN_EXPORT | COLUMN_LEVEL, "no sum"),
};

struct made {
	struct row_table table;
	struct report report;
	const char *format; /* of names, by row */
	u64 count;
};

static void bucket_member(const void *of, u32 i, struct value_part *out)
{
	static const char *const names[] = {"lo_ns", "hi_ns", "count"};
	const u64 ends[] = {1000, 2000, 3};

	out->name = names[i];
	out->value = (struct value){.type = i == 2 ? VALUE_COUNT : VALUE_NS, .u = ends[i]};
}

static void bucket(const void *of, u32 i, struct value_part *out)
{
	out->value = (struct value){.type = VALUE_OBJECT, .n = 3, .of = of, .part = bucket_member};
}

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *v)
{
	static char name[64];
	const struct made *m = container_of(t, struct made, table);

	snprintf(name, sizeof(name), m->format, row);
	*v = (struct value){.type = columns[column].type, .u = m->count};
	if (column == 0)
		v->s = name;
	else if (column == 1)
		v->s = m->count & 1 ? "R" : "S";
	else if (column >= 6)
		*v = (struct value){.type = VALUE_LIST, .n = 1, .of = t, .part = bucket};
	return true;
}

static void add(struct counters *c, u32 nrows, const char *format, u64 count, u64 t_s)
{
	struct made m = {
		.table = {.columns = columns, .ncolumns = ARRAY_SIZE(columns), .nrows = nrows, .cell = cell},
		.format = format,
		.count = count,
	};

	m.report = (struct report){.view = "cpu", .t0_ns = (t_s - 1) * NSEC_PER_SEC,
				   .t1_ns = t_s * NSEC_PER_SEC, .rows = &m.table, .group = "comm"};
	report__sum_number(&m.report, "open", VALUE_COUNT, count);
	counters__add(c, &m.report);
}

static char *page(const struct counters *c, bool openmetrics)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct page p;

	page__begin(&p, openmetrics ? PAGE_OPENMETRICS : PAGE_TEXT, out);
	counters__write(c, &p);
	fclose(out);
	return text;
}

static void has(const struct counters *c, const char *line)
{
	char *text = page(c, true), want[256];

	snprintf(want, sizeof(want), "\n%s\n", line);
	if (!strstr(text, want))
		fail_msg("no line %s in\n%s", line, text);
	free(text);
}

static void has_not(const struct counters *c, const char *what)
{
	char *text = page(c, true);

	if (strstr(text, what))
		fail_msg("%s in\n%s", what, text);
	free(text);
}

static void sums_add_up(void **state)
{
	struct counters *c = counters__new("cpu", NULL);
	char *text;

	add(c, 2, "w%u", 5, 10);
	add(c, 1, "w%u", 2, 11);
	has(c, "proftop_cpu_self_events_total{comm=\"w0\"} 7");
	has(c, "proftop_cpu_self_events_total{comm=\"w1\"} 5");
	has(c, "proftop_cpu_off_seconds_total{comm=\"w0\"} 0.000000007");
	has(c, "proftop_cpu_rss_bytes{comm=\"w0\"} 2");
	has(c, "proftop_cpu_intervals_total 2");
	has(c, "proftop_cpu_observed_seconds_total 2.000000000");
	has(c, "proftop_cpu_interval_open 2");
	has(c, "# UNIT proftop_cpu_off_seconds seconds");
	has(c, "# HELP proftop_cpu_self_events samples 'of' its'own");
	has(c, "proftop_cpu_hist_seconds_bucket{comm=\"w0\",le=\"0.000001024\"} 0");
	has(c, "proftop_cpu_hist_seconds_bucket{comm=\"w0\",le=\"0.000002048\"} 6");
	has(c, "proftop_cpu_hist_seconds_bucket{comm=\"w0\",le=\"+Inf\"} 6");
	has_not(c, "rss_bytes{comm=\"w1\"}"); /* it is not there any more */
	has_not(c, "max_seconds");
	has_not(c, "ages");
	has_not(c, "state=");
	text = page(c, false);
	assert_non_null(strstr(text, "# TYPE proftop_cpu_self_events_total counter\n"));
	assert_null(strstr(text, "# UNIT"));
	free(text);
	counters__free(c);
}

static void hostile_labels(void **state)
{
	struct counters *c = counters__new("cpu", NULL);

	add(c, 1, "a\"b\\c\nd\xff{}%u", 1, 10);
	has_not(c, "a\"b");
	has_not(c, "\xff");
	has_not(c, "\nd");
	counters__free(c);
}

static u64 sum_of(const struct counters *c, const char *family)
{
	char *text = page(c, true);
	size_t n = strlen(family);
	u64 sum = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, family, n) && line[n] == '{')
			sum += strtoull(strrchr(line, ' '), NULL, 10);
	free(text);
	return sum;
}

static void sets_are_bounded(void **state)
{
	struct counters *c = counters__new("cpu", NULL);

	add(c, 10000, "w%u", 3, 10);
	has(c, "proftop_cpu_self_events_total{comm=\"w0\"} 3");
	has(c, "proftop_cpu_self_events_total{comm=\"w99\"} 3");
	has_not(c, "comm=\"w100\"");
	has(c, "proftop_cpu_self_events_total{comm=\"[rest]\"} 29700");
	assert_int_equal(sum_of(c, "proftop_cpu_self_events_total"), 30000);
	add(c, 10000, "w%u", 1, 11);
	has(c, "proftop_cpu_self_events_total{comm=\"w0\"} 4");
	assert_int_equal(sum_of(c, "proftop_cpu_self_events_total"), 40000);
	counters__free(c);
}

/* A series that ended gives its place away only later, and nothing is lost by that. */
static void idle_sets_are_replaced(void **state)
{
	struct counters *c = counters__new("cpu", NULL);

	add(c, COUNTERS_SETS, "old%u", 2, 10);
	add(c, 1, "new%u", 5, 20);
	has(c, "proftop_cpu_self_events_total{comm=\"[rest]\"} 5");
	has(c, "proftop_cpu_self_events_total{comm=\"old0\"} 2");
	add(c, 1, "new%u", 7, 10 + COUNTERS_IDLE_NS / NSEC_PER_SEC);
	has(c, "proftop_cpu_self_events_total{comm=\"new0\"} 7");
	has(c, "proftop_cpu_self_events_total{comm=\"[rest]\"} 7");
	has(c, "proftop_cpu_hist_seconds_bucket{comm=\"[rest]\",le=\"+Inf\"} 6");
	assert_int_equal(sum_of(c, "proftop_cpu_self_events_total"), 2 * COUNTERS_SETS + 12);
	counters__free(c);
}

static void rows_are_a_gauge(void **state)
{
	static const struct counters_form form = {.labels = "comm state", .rows = "findings"};
	struct counters *c = counters__new("overview", &form);

	add(c, 2, "a rule", 1, 10);
	has(c, "proftop_overview_findings{comm=\"a rule\",state=\"R\"} 2");
	add(c, 1, "another", 2, 11);
	has(c, "proftop_overview_findings{comm=\"another\",state=\"S\"} 1");
	has_not(c, "findings{comm=\"a rule\"");
	counters__free(c);
}

/* --- stacks of several intervals --- */

static void one_stack(const struct report *r,
		      void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		      void *ctx)
{
	const struct value_frame frames[] = {{.symbol = "sh", .kind = "comm"},
					     {.symbol = "main", .kind = "user"},
					     {.symbol = "inner", .kind = "inlined"}};

	emit(ctx, frames, r->inlined ? 3 : 2, r->seq);
}

struct seen {
	u32 stacks, frames;
	u64 weight;
};

static void count(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
	struct seen *s = ctx;

	s->stacks++;
	s->frames += n;
	s->weight += weight;
}

static void stacks_of_intervals_add_up(void **state)
{
	struct report r = {.view = "offcpu", .seq = 400, .t0_ns = 10, .t1_ns = 20, .stacks = one_stack,
			   .stacks_unit = VALUE_NS, .stacks_noun = "waits"};
	struct seen seen = {0}, inlined = {0};
	struct merged m;

	merged__init(&m);
	merged__add(&m, &r);
	r.t0_ns = 20;
	r.t1_ns = 30;
	merged__add(&m, &r);
	m.report.stacks(&m.report, count, &seen);
	m.report.inlined = true;
	m.report.stacks(&m.report, count, &inlined);
	assert_int_equal(seen.stacks, 1);
	assert_int_equal(seen.frames, 2);
	assert_int_equal(seen.weight, 800); /* not rounded one by one */
	assert_int_equal(inlined.frames, 3);
	assert_int_equal(m.report.t0_ns, 10);
	assert_int_equal(m.report.t1_ns, 30);
	merged__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets),
		cmocka_unit_test(no_path_leads_anywhere),
		cmocka_unit_test(malformed_targets),
		cmocka_unit_test(what_is_preferred),
		cmocka_unit_test(tokens),
		cmocka_unit_test(token_files),
		cmocka_unit_test(hosts),
		cmocka_unit_test(addresses),
		cmocka_unit_test(unix_sockets),
		cmocka_unit_test(sums_add_up),
		cmocka_unit_test(hostile_labels),
		cmocka_unit_test(sets_are_bounded),
		cmocka_unit_test(idle_sets_are_replaced),
		cmocka_unit_test(rows_are_a_gauge),
		cmocka_unit_test(stacks_of_intervals_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
