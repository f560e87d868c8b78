// SPDX-License-Identifier: GPL-2.0-only
/* Export formats with hostile names and numbers, and saving without ever replacing a file. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/arena.h"
#include "base/columns.h"
#include "base/utf8.h"
#include "export/export.h"
#include "tests/lib/skip.h"

static const struct column columns[] = {
	COLUMN(VALUE_TEXT, "symbol", "SYMBOL", 10, 0, COLUMN_BOTH | COLUMN_FLEX, ""),
	PCT_COLUMN("self_pct", "SELF%", 6, 0, COLUMN_BOTH, ""),
	COUNT_COLUMN("self_count", "COUNT", 6, 0, COLUMN_BOTH, ""),
	TIME_COLUMN("wait_ns", "WAIT", 6, 0, COLUMN_BOTH, ""),
	BYTES_COLUMN("size_bytes", "SIZE", 6, 0, COLUMN_EXPORT, ""),
	COLUMN(VALUE_BOOL, "idle", "IDLE", 6, 0, COLUMN_EXPORT, ""),
	COLUMN(VALUE_TREND, "trend", "TREND", 6, 0, COLUMN_BOTH, ""),
	COUNT_COLUMN("pid", "PID", 6, 0, COLUMN_BOTH, ""),
	COLUMN(VALUE_TEXT, "screen_only", "S", 6, 0, COLUMN_SCREEN, ""),
};

static const char *names[] = {
	"main",		"say \"hi\", you", "bad\xff\xc3utf8\xed\xa0\x80", "tab\tnew\nline\033[2J",
	"\xe6\xbc\xa2",
};
static const double pcts[] = {70.1, 1.0 / 3, NAN, INFINITY, 0.1 + 0.2};
static const u64 counts[] = {0, 1, UINT64_MAX, 1234567, 42};
static const float trend[] = {0, 1, 4};

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	u32 i = row % (u32)ARRAY_SIZE(names);

	*out = (struct value){.type = columns[column].type, .u = counts[i]};
	switch (column) {
	case 0:
	case 8:
		out->s = names[i];
		return true;
	case 1:
		out->f = pcts[i];
		return true;
	case 5:
		out->u = i & 1;
		return true;
	case 6:
		out->n = 3;
		out->trend = trend;
		return true;
	case 7:
		return false; /* does not apply */
	case 4:
		if (i == 0)
			out->type = VALUE_NONE;
		return true;
	default:
		return true;
	}
}

static void folded(const struct report *r, void (*emit)(void *ctx, const char *s, u64 w), void *ctx)
{
	emit(ctx, "sh;main;work", 70);
	emit(ctx, "sh;evil\nname\033\xff\xc3\xa9", 30);
}

static u64 key(const struct row_table *t, u32 row)
{
	return row + 1;
}

static struct row_table table = {.columns = columns,
				 .ncolumns = ARRAY_SIZE(columns),
				 .nrows = 5,
				 .cell = cell,
				 .key = key};

static void events(const struct report *r, const struct event_sink *out)
{
	static const struct event_form form = {.what = "wait",
					       .name = "symbol",
					       .end = "wait_ns",
					       .length = "wait_ns",
					       .pid = "pid",
					       .tid = "pid",
					       .comm = "symbol"};

	out->put(out->ctx, r->rows, &form);
}

static void stacks(const struct report *r,
		   void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		   void *ctx)
{
	static const struct value_frame work[] = {
		{"sh", "", "comm", NULL, NULL, 0},
		{"main", "sh", "user", NULL, NULL, 0},
		{"work", "libw.so", "library", NULL, NULL, 0}};
	static const struct value_frame evil[] = {
		{"sh", "", "comm", NULL, NULL, 0},
		{"evil<\"&\n\033\xff\xef\xbf\xbf]]>", "sh", "kernel", NULL, NULL, 0}};

	emit(ctx, work, 3, 70);
	emit(ctx, evil, 2, 29);
	emit(ctx, work, 2, 1);
}

static struct report sample_report(void)
{
	return (struct report){.view = "cpu",
			       .seq = 3,
			       .t0_ns = 1000000000,
			       .t1_ns = 2000000000,
			       .host = "box",
			       .kernel = "6.1.0",
			       .scope = "pid=1-2 !comm~\"a b\" min=1ms task=user",
			       .window = "last",
			       .group = "symbol",
			       .summary = {{"busy_pct", {.type = VALUE_PCT, .f = 12.5}},
					   {"what", {.type = VALUE_NONE}}},
			       .nsummary = 2,
			       .rows = &table,
			       .folded = folded,
			       .stacks = stacks,
			       .stacks_unit = VALUE_COUNT,
			       .stacks_noun = "samples",
			       .events = events,
			       .health = {.samples = 99,
					  .samples_total = 500,
					  .lost = 7,
					  .side_lost = 4,
					  .truncated_pct = 12.5,
					  .self_cpu_pct = 0.5,
					  .freq = 99,
					  .tier = "bpf",
					  .event = "cpu-clock",
					  .note = "esc\033 in a note"}};
}

static char *written(const char *format, const struct report *r, bool first)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(export__by_name(format)->write(out, r, first), 0);
	fclose(out);
	return text;
}

static struct json_object *get(struct json_object *o, const char *path)
{
	struct json_object *v = NULL;

	if (json_pointer_get(o, path, &v))
		fail_msg("no %s", path);
	return v;
}

static void expect_field(struct json_object *o, const char *path, const char *want)
{
	assert_string_equal(json_object_get_string(get(o, path)), want);
}

static struct json_object *parse_strictly(const char *text)
{
	struct json_tokener *t = json_tokener_new();
	struct json_object *o;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(t, text, (int)strlen(text));
	if (!o)
		fail_msg("%s", json_tokener_error_desc(json_tokener_get_error(t)));
	json_tokener_free(t);
	return o;
}

/* JSON allows DEL as it is; a terminal that it is printed on does not. */
static void test_json_escapes_del(void **state)
{
	static const char *const formats[] = {"json", "speedscope", "trace"};
	struct report r = sample_report();
	struct json_object *o;
	char *text;

	r.host = "\177b\177";
	r.view = "c\177u";
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		text = written(formats[i], &r, true);
		assert_null(strchr(text, '\177'));
		if (!i)
			assert_non_null(strstr(text, "\\u007f"));
		o = parse_strictly(text);
		if (!i) {
			expect_field(o, "/host", "\177b\177");
			expect_field(o, "/view", "c\177u");
		}
		json_object_put(o);
		free(text);
	}
}

static void test_json(void **state)
{
	struct report r = sample_report();
	char *text = written("json", &r, true);
	struct json_object *o;

	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
	o = parse_strictly(text);
	expect_field(o, "/schema", "proftop/1");
	expect_field(o, "/view", "cpu");
	expect_field(o, "/host", "box");
	expect_field(o, "/kernel", "6.1.0");
	assert_int_equal(json_object_get_uint64(get(o, "/t1_ns")), 2000000000);
	assert_int_equal(json_object_get_uint64(get(o, "/health/lost")), 7);
	assert_int_equal(json_object_get_uint64(get(o, "/health/side_lost")), 4);
	expect_field(o, "/health/tier", "bpf");
	expect_field(o, "/summary/busy_pct", "12.5");
	assert_null(get(o, "/summary/what"));
	expect_field(o, "/scope/expr", "pid=1-2 !comm~\"a b\" min=1ms task=user");
	expect_field(o, "/scope/include/pid/1", "2");
	expect_field(o, "/scope/comm/0/regex", "a b");
	expect_field(o, "/scope/comm/0/negate", "true");
	expect_field(o, "/scope/min_ns", "1000000");
	expect_field(o, "/scope/task", "user");
	assert_null(get(o, "/scope/max_ns"));
	assert_int_equal(json_object_array_length(get(o, "/rows")), 5);
	json_object_put(o);
	free(text);
}

static void test_json_rows(void **state)
{
	struct report r = sample_report();
	char *text = written("json", &r, true);
	struct json_object *o = parse_strictly(text), *v;

	assert_true(json_object_get_double(get(o, "/rows/1/self_pct")) == 1.0 / 3);
	assert_true(json_object_get_double(get(o, "/rows/4/self_pct")) == 0.1 + 0.2);
	expect_field(o, "/rows/0/self_pct", "70.1");
	assert_null(get(o, "/rows/2/self_pct"));
	assert_null(get(o, "/rows/3/self_pct"));
	assert_null(get(o, "/rows/0/size_bytes"));
	assert_true(json_object_get_uint64(get(o, "/rows/2/self_count")) == UINT64_MAX);
	expect_field(o, "/rows/1/idle", "true");
	expect_field(o, "/rows/0/trend/2", "4.0");
	expect_field(o, "/rows/2/symbol",
		     "bad\xef\xbf\xbd\xef\xbf\xbdutf8\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_field(o, "/rows/3/symbol", "tab\tnew\nline\033[2J");
	assert_true(json_pointer_get(o, "/rows/0/pid", &v) != 0); /* does not apply */
	assert_true(json_pointer_get(o, "/rows/0/screen_only", &v) != 0);
	json_object_put(o);
	free(text);
}

static void test_order(void **state)
{
	static const u32 order[] = {4, 3, 2, 1, 0};
	struct report r = sample_report();
	struct json_object *o;
	char *text;

	r.order = order;
	text = written("json", &r, true);
	o = parse_strictly(text);
	expect_field(o, "/rows/4/symbol", "main");
	json_object_put(o);
	free(text);
}

static void test_csv(void **state)
{
	struct report r = sample_report();
	char *text = written("csv", &r, true), *more = written("csv", &r, false);
	static const char head[] = "seq,t0_ns,t1_ns,symbol,self_pct,self_count,wait_ns,size_bytes,"
				   "idle,trend,pid\n";
	static const char rows[] =
		"3,1000000000,2000000000,\"main\",70.1,0,0,,false,\"0 1 4\",\n"
		"3,1000000000,2000000000,\"say \"\"hi\"\", you\",0.333333333333333";

	assert_memory_equal(text, head, strlen(head));
	assert_memory_equal(text + strlen(head), rows, strlen(rows));
	assert_string_equal(text + strlen(head), more); /* the header comes once */
	assert_non_null(strstr(text, "\"bad??utf8???\",,18446744073709551615,"));
	free(text);
	free(more);
}

/* Of the first row, whose symbol is the text. */
static void expect_csv(const char *symbol, const char *want)
{
	struct row_table one = table;
	struct report r = sample_report();
	char *text, row[200];

	names[0] = symbol;
	one.nrows = 1;
	r.rows = &one;
	text = written("csv", &r, false);
	snprintf(row, sizeof(row), "3,1000000000,2000000000,%s,70.1,0,0,,false,\"0 1 4\",\n", want);
	assert_string_equal(text, row);
	free(text);
	names[0] = "main";
}

/* A spreadsheet takes no name for a formula. */
static void test_csv_formulas(void **state)
{
	expect_csv("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\"");
	expect_csv("+1", "\"'+1\"");
	expect_csv("-cmd", "\"'-cmd\"");
	expect_csv("@SUM", "\"'@SUM\"");
	expect_csv("\t=1", "\"?=1\"");
	expect_csv("\r=1", "\"?=1\"");
	expect_csv("a=b", "\"a=b\"");
	expect_csv("", "\"\"");
}

/* --- values with parts --- */

static void stack_frame(const void *of, u32 i, struct value_frame *out)
{
	*out = (struct value_frame){((const char *const *)of)[i], "libc.so.6", "user", NULL, NULL, 0};
}

static void state_part(const void *of, u32 i, struct value_part *out)
{
	static const char *const states[] = {"R", "say \"S\""};

	*out = (struct value_part){states[i], {.type = VALUE_NS, .u = ((const u64 *)of)[i]}};
}

static void waker_part(const void *of, u32 i, struct value_part *out)
{
	out->name = i ? "stack" : "comm";
	out->value = (struct value){.type = VALUE_TEXT, .s = of};
	if (i)
		out->value = (struct value){.type = VALUE_NONE};
}

static void bucket_part(const void *of, u32 i, struct value_part *out)
{
	out->value = (struct value){.type = VALUE_OBJECT, .n = 2, .of = of, .part = state_part};
}

static bool part_cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	static const char *const frames[] = {"leaf\n", "middle \"x\"", "=root"};
	static const u64 numbers[] = {7, 9};

	switch (column) {
	case 0:
		*out = (struct value){
			.type = VALUE_STACK, .n = 3, .of = frames, .frame = stack_frame};
		return true;
	case 1:
		*out = (struct value){.type = VALUE_OBJECT, .n = 2, .of = "sh", .part = waker_part};
		return true;
	default:
		*out = (struct value){
			.type = VALUE_LIST, .n = 2, .of = numbers, .part = bucket_part};
		return true;
	}
}

static void test_parts(void **state)
{
	static const struct column parts[] = {
		COLUMN(VALUE_STACK, "stack", "STACK", 6, 0, COLUMN_EXPORT, ""),
		COLUMN(VALUE_OBJECT, "waker", "WAKER", 6, 0, COLUMN_EXPORT, ""),
		COLUMN(VALUE_LIST, "hist", "HIST", 6, 0, COLUMN_EXPORT, ""),
	};
	static const struct row_table rows = {
		.columns = parts, .ncolumns = ARRAY_SIZE(parts), .nrows = 1, .cell = part_cell};
	struct report r = {.view = "offcpu", .rows = &rows};
	char *text = written("json", &r, true);
	struct json_object *o = parse_strictly(text);
	struct value v;

	expect_field(o, "/rows/0/stack/0/symbol", "leaf\n");
	expect_field(o, "/rows/0/stack/2/symbol", "=root");
	expect_field(o, "/rows/0/stack/2/object", "libc.so.6");
	expect_field(o, "/rows/0/stack/1/kind", "user");
	expect_field(o, "/rows/0/waker/comm", "sh");
	assert_null(get(o, "/rows/0/waker/stack"));
	expect_field(o, "/rows/0/hist/1/R", "7");
	expect_field(o, "/rows/0/hist/1/say \"S\"", "9");
	json_object_put(o);
	free(text);
	text = written("csv", &r, false);
	assert_string_equal(text, "0,0,0,\"'=root;middle \"\"x\"\";leaf?\","
				  "\"{\"\"comm\"\":\"\"sh\"\",\"\"stack\"\":null}\","
				  "\"[{\"\"R\"\":7,\"\"say \\\"\"S\\\"\"\"\":9},"
				  "{\"\"R\"\":7,\"\"say \\\"\"S\\\"\"\"\":9}]\"\n");
	free(text);
	part_cell(&rows, 0, 2, &v);
	report__sum(&r, "hist", v);
	report__sum_number(&r, "off_ns", VALUE_NS, 5);
	text = written("text", &r, true);
	assert_non_null(strstr(text, "\nsummary  off_ns 5 ns\n"));
	assert_null(strstr(text, "hist"));
	free(text);
}

static void test_folded(void **state)
{
	struct report r = sample_report();
	char *text = written("folded", &r, true);
	FILE *null = fopen("/dev/null", "w");

	assert_string_equal(text, "sh;main;work 70\nsh;evil?name??\xc3\xa9 30\n");
	r.folded = NULL;
	assert_int_equal(export__by_name("folded")->write(null, &r, true), -EOPNOTSUPP);
	fclose(null);
	free(text);
}

static void test_svg(void **state)
{
	struct report r = sample_report();
	char *text = written("svg", &r, true);
	FILE *null = fopen("/dev/null", "w");

	assert_non_null(strstr(text, "<title>all (100 samples, 100.00 %)</title>"));
	assert_non_null(strstr(text,
			       "<title>main (71 samples, 71.00 %)</title><rect x=\"358.0000\" "
			       "width=\"852.0000\""));
	assert_non_null(strstr(text, "data-s=\"29\" data-w=\"70\" data-d=\"3\" data-n=\"work\""));
	assert_non_null(strstr(text, "data-n=\"evil&lt;&quot;&amp;????]]&gt;\""));
	assert_true(utf8__valid(text));
	free(text);
	/* ns are rounded to us a stack, as in folded text: 29 and 1 are none. */
	r.stacks_unit = VALUE_NS;
	text = written("svg", &r, true);
	assert_non_null(strstr(text, "<title>all (0 us, 0.00 %)</title>"));
	assert_null(strstr(text, "<title>work"));
	free(text);
	r.stacks = NULL;
	assert_int_equal(export__by_name("svg")->write(null, &r, true), -EOPNOTSUPP);
	fclose(null);
}

static void test_text(void **state)
{
	struct report r = sample_report();
	char *text = written("text", &r, true), *p;

	assert_memory_equal(text, "proftop  cpu  2", 15);
	assert_non_null(strstr(text, "  host box  kernel 6.1.0\n"));
	assert_non_null(strstr(text, "\nscope    pid=1-2 !comm~\"a b\" min=1ms task=user\n"));
	assert_non_null(strstr(text, "\nwindow   last (1.00 s, number 3), by symbol\n"));
	assert_non_null(strstr(text,
			       "\nsamples  99 in the interval, 500 in all, 7 LOST, user stacks "
			       "truncated 12.5%, 4 records"));
	assert_non_null(strstr(text, "\nengine   bpf, cpu-clock at 99 Hz, addresses may skid; "));
	assert_non_null(strstr(text, ", 4 records of new code lost"));
	assert_non_null(strstr(text, "\nnote     esc? in a note\n"));
	assert_non_null(strstr(text, "\nsummary  busy_pct 12.50\n"));
	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "PID")); /* no row has it */
	p = strstr(text, "\nSELF%  ");	  /* names of any length come last */
	assert_non_null(p);
	assert_non_null(strstr(p, "  TREND  S                 SYMBOL\n"));
	assert_non_null(strstr(p, "\n70.10  "));
	assert_null(strstr(p, "nan"));
	assert_non_null(strstr(p, "  bad??utf8???      bad??utf8???\n"));
	assert_non_null(strstr(p, "  tab?new?line?[2J  tab?new?line?[2J\n"));
	assert_non_null(strstr(p, "  \xe2\x96\x81\xe2\x96\x82\xe2\x96\x88 "));
	free(text);
}

static void test_text_bare(void **state)
{
	struct row_table none = table;
	struct report r = {.view = "cpu", .rows = &none};
	char *text;

	none.nrows = 0;
	text = written("text", &r, false);
	assert_int_equal(text[0], '\n');
	assert_non_null(strstr(text, "\nscope    everything\n"));
	assert_non_null(strstr(text, "none lost"));
	assert_non_null(strstr(text, "\n(no rows)\n"));
	free(text);
}

/* A locale with a decimal comma must not reach the numbers. */
static void test_locale(void **state)
{
	struct report r = sample_report();
	char *text;

	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
		skip_because("no locale with a decimal comma is installed (de_DE or fr_FR)");
	}
	text = written("csv", &r, true);
	assert_non_null(strstr(text, ",70.1,"));
	free(text);
	text = written("text", &r, true);
	assert_non_null(strstr(text, "\n70.10 "));
	free(text);
	setlocale(LC_NUMERIC, "C");
}

static void test_table_of_formats(void **state)
{
	assert_string_equal(export__by_name("json")->suffix, ".json");
	assert_null(export__by_name("nope"));
	assert_string_equal(export__by_suffix("/a/b.csv")->name, "csv");
	assert_string_equal(export__by_suffix("x.json.txt")->name, "text");
	assert_null(export__by_suffix("x.jsonx"));
	assert_null(export__by_suffix(""));
}

static int failing_write(FILE *out, const struct report *r, bool first)
{
	return -EOPNOTSUPP;
}

static void test_render(void **state)
{
	const struct export_format failing = {.name = "x", .write = failing_write};
	struct report r = sample_report();
	char *data = NULL, *text = written("text", &r, true);
	size_t len = 0;

	assert_int_equal(export__render(export__by_name("text"), &r, &data, &len), 0);
	assert_int_equal(len, strlen(text));
	assert_string_equal(data, text);
	free(text);
	free(data);
	assert_int_equal(export__render(&failing, &r, &data, &len), -EOPNOTSUPP);
	free(data);
}

static void test_full_stream(void **state)
{
	struct report r = sample_report();
	FILE *full;

	for (u32 i = 0; i < export_nformats; i++) {
		full = fopen("/dev/full", "w");
		assert_int_equal(export_formats[i].write(full, &r, true), -ENOSPC);
		fclose(full);
	}
}

static void test_many_rows(void **state)
{
	struct row_table many = table;
	struct report r = sample_report();
	FILE *null = fopen("/dev/null", "w");

	many.nrows = 20000;
	r.rows = &many;
	for (u32 i = 0; i < export_nformats; i++)
		assert_int_equal(export_formats[i].write(null, &r, true), 0);
	fclose(null);
}

static void test_utf8(void **state)
{
	static const char *const bad[] = {"\x80",
					  "\xc0\x80",
					  "\xc3",
					  "\xe0\x80\x80",
					  "\xed\xa0\x80",
					  "\xf4\x90\x80\x80",
					  "\xf8\x88\x80\x80\x80",
					  "a\xffz"};
	const char *p = "a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80";
	char *copy;

	assert_true(utf8__valid(p));
	assert_true(utf8__valid("\xef\xbf\xbd")); /* a real replacement character */
	assert_int_equal(utf8__next(&p), 'a');
	assert_int_equal(utf8__next(&p), 0xe9);
	assert_int_equal(utf8__next(&p), 0x6f22);
	assert_int_equal(utf8__next(&p), 0x1f600);
	assert_int_equal(utf8__next(&p), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(utf8__valid(bad[i]));
		copy = utf8__dup(bad[i]);
		assert_true(utf8__valid(copy));
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_escapes_del),
		cmocka_unit_test(test_json_rows),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_csv_formulas),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_bare),
		cmocka_unit_test(test_locale),
		cmocka_unit_test(test_table_of_formats),
		cmocka_unit_test(test_render),
		cmocka_unit_test(test_full_stream),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_utf8),
	};

	return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
