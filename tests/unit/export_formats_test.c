// SPDX-License-Identifier: GPL-2.0-only
/* Formats that others read: hostile names stay text in each, and all sum to the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/arena.h"
#include "base/columns.h"
#include "base/utf8.h"
#include "export/export.h"
#include "export/pprof.pb-c.h"
#include "export/stacks.h"

/* Whatever ends a string, a line, an element or a script somewhere. */
#define EVIL "e\"v\\il;\n\r\033[31m</script>]]><b x='&\xff\xed\xa0\x80"

/* --- a report --- */

static const struct column columns[] = {
	COLUMN(VALUE_TEXT, "symbol", "Symbol", 10, 0, COLUMN_BOTH | COLUMN_KEY, ""),
	PCT_COLUMN("self_pct", "Self%", 6, 0, COLUMN_BOTH | COLUMN_BAR, "a \"help\" \\ line"),
	TIME_COLUMN("wait_ns", "Wait", 6, 0, COLUMN_BOTH, ""),
	COUNT_COLUMN("pid", "PID", 6, 0, COLUMN_EXPORT, ""),
	TIME_COLUMN("t_ns", "t", 6, 0, COLUMN_EXPORT, ""),
};

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	*out = (struct value){.type = columns[column].type};
	switch (column) {
	case 0:
		out->s = row ? EVIL : "main";
		return true;
	case 1:
		out->f = row ? 12.5 : 87.5;
		return true;
	case 2:
		out->u = 1500;
		return true;
	case 3:
		out->u = 4711;
		return true;
	default:
		out->u = 5000000001ULL + row;
		return true;
	}
}

static u64 key(const struct row_table *t, u32 row)
{
	return row + 1;
}

static struct row_table table = {
	.columns = columns, .ncolumns = ARRAY_SIZE(columns), .nrows = 2, .cell = cell, .key = key};

static const struct value_frame comm = {"sh", "", "comm", NULL, NULL, 0};
static const struct value_frame evil_comm = {EVIL, "", "comm", NULL, NULL, 0};
static const struct value_frame start = {"main", "sh", "user", "/bin/sh", "c0ffee", 0x1000};
static const struct value_frame outer = {"outer", "sh", "user", "/bin/sh", "c0ffee", 0x2000};
static const struct value_frame in1 = {"in1", "sh", "inlined", "/bin/sh", "c0ffee", 0x2000};
static const struct value_frame in2 = {"in2", "sh", "inlined", "/bin/sh", "c0ffee", 0x2000};
static const struct value_frame evil = {EVIL, EVIL, "kernel", EVIL, "", 0xffffffff81000000};
static const struct value_frame other = {"main", "libm.so", "library", "/lib/libm.so", "", 64};

/* Two have equal symbols, one is too light for a microsecond. */
static void stacks(const struct report *r,
		   void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		   void *ctx)
{
	const struct value_frame inlined[] = {comm, start, outer, in1, in2};
	const struct value_frame hostile[] = {evil_comm, start, evil};
	const struct value_frame a[] = {comm, start}, b[] = {comm, other}, light[] = {comm};

	emit(ctx, inlined, r->inlined ? 5 : 3, 70000);
	emit(ctx, hostile, 3, 29000);
	emit(ctx, a, 2, 600);
	emit(ctx, b, 2, 600);
	emit(ctx, light, 1, 400);
}

static void folded(const struct report *r, void (*emit)(void *ctx, const char *stack, u64 weight),
		   void *ctx)
{
	emit(ctx, "sh;main;outer", 70);
	emit(ctx, "evil\n;main", 29);
	emit(ctx, "sh;main", 1);
}

static void events(const struct report *r, const struct event_sink *out)
{
	const struct event_form form = {.what = "wait",
					.name = "symbol",
					.end = "t_ns",
					.length = "wait_ns",
					.pid = "pid",
					.tid = "pid",
					.comm = "symbol",
					.overlaps = r->seq == 2};

	out->put(out->ctx, r->rows, &form);
}

/* --- a histogram as models make them --- */

static const u64 bounds[][3] = {{1000, 2000, 3}, {4000, 8000, 2}, {8000, UINT64_MAX, 1}};

static void bucket_part(const void *of, u32 i, struct value_part *out)
{
	static const char *const names[] = {"lo_ns", "hi_ns", "count"};
	u64 x = ((const u64 *)of)[i];

	*out = (struct value_part){names[i], {.type = i == 2 ? VALUE_COUNT : VALUE_NS, .u = x}};
	if (x == UINT64_MAX)
		out->value.type = VALUE_NONE;
}

static void bucket(const void *of, u32 i, struct value_part *out)
{
	out->value = (struct value){.type = VALUE_OBJECT, .n = 3};
	out->value.of = bounds[i];
	out->value.part = bucket_part;
}

static struct report sample_report(void)
{
	struct report r = {.view = "off-cpu",
			   .seq = 1,
			   .t0_ns = 4000000000,
			   .t1_ns = 5500000000,
			   .host = EVIL,
			   .kernel = "6.1",
			   .scope = "comm~" EVIL,
			   .window = "last",
			   .rows = &table,
			   .folded = folded,
			   .stacks = stacks,
			   .stacks_unit = VALUE_NS,
			   .events = events,
			   .health = {.lost = 7, .tier = "bpf", .note = EVIL}};
	struct value hist = {.type = VALUE_LIST, .n = 3};

	hist.of = bounds;
	hist.part = bucket;
	report__sum(&r, "hist", hist);
	report__sum_number(&r, "bytes", VALUE_BYTES, 12);
	return r;
}

static char *written(const char *format, const struct report *r, size_t *len)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(export__by_name(format)->write(out, r, true), 0);
	fclose(out);
	if (len)
		*len = size;
	return text;
}

static char *text_of(const char *format)
{
	struct report r = sample_report();

	return written(format, &r, NULL);
}

static u32 count_of(const char *text, const char *what)
{
	u32 n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* --- what must hold --- */

static void test_stacks(void **state)
{
	struct report r = sample_report();
	struct export_stacks s;

	export_stacks__take(&s, &r, false);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.total, 100);
	assert_int_equal(s.stacks[2].weight, 1); /* 600 ns and 600 ns, of equal symbols */
	assert_string_equal(export_stacks__comm(&s, &s.stacks[1]), EVIL);
	export_stacks__fini(&s);
}

static json_object *parsed(const char *format, const struct report *r)
{
	char *text = written(format, r, NULL);
	json_object *o = json_tokener_parse(text);

	assert_true(utf8__valid(text));
	assert_non_null(o);
	free(text);
	return o;
}

static json_object *field(json_object *o, const char *name)
{
	json_object *value = NULL;

	assert_true(json_object_object_get_ex(o, name, &value));
	return value;
}

static void test_speedscope(void **state)
{
	struct report r = sample_report();
	json_object *o = parsed("speedscope", &r), *p, *weights, *frames;
	s64 sum = 0;

	p = json_object_array_get_idx(field(o, "profiles"), 0);
	frames = field(field(o, "shared"), "frames");
	weights = field(p, "weights");
	for (size_t i = 0; i < json_object_array_length(weights); i++)
		sum += json_object_get_int64(json_object_array_get_idx(weights, i));
	assert_int_equal(sum, 100);
	assert_int_equal(json_object_get_int64(field(p, "endValue")), 100);
	assert_string_equal(json_object_get_string(field(p, "unit")), "microseconds");
	assert_int_equal(json_object_array_length(field(p, "samples")), 3);
	/* sh main outer, evil_comm evil, the other main */
	assert_int_equal(json_object_array_length(frames), 6);
	json_object_put(o);
}

static void test_perf(void **state)
{
	char *text = text_of("perf"), *save, *rest = text;
	u64 sum = 0, period;

	assert_null(strchr(text, '\033'));
	assert_null(strchr(text, '\r'));
	while ((save = strsep(&rest, "\n"))) {
		const char *times = strstr(save, ": ");

		if (*save == '\t') /* in Firefox Profiler objects have no blanks */
			assert_null(strchr(strstr(save, " (") + 2, ' '));
		if (*save == '\t' || !*save)
			continue;
		assert_non_null(times);
		period = strtoull(times + 2, NULL, 10);
		assert_non_null(strstr(times, " time-us:"));
		sum += period;
	}
	assert_int_equal(sum, 100);
	free(text);
}

static Perftools__Profiles__Profile *unpacked(const struct report *r)
{
	static u8 plain[65536];
	size_t len;
	char *packed = written("pprof", r, &len);
	z_stream z = {.next_in = (Bytef *)packed, .avail_in = (uInt)len};
	Perftools__Profiles__Profile *p;

	z.next_out = plain;
	z.avail_out = sizeof(plain);
	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	p = perftools__profiles__profile__unpack(NULL, sizeof(plain) - z.avail_out, plain);
	inflateEnd(&z);
	free(packed);
	assert_non_null(p);
	return p;
}

static const char *line_name(const Perftools__Profiles__Profile *p,
			     const Perftools__Profiles__Location *l, u32 i)
{
	u64 id = l->line[i]->function_id;

	assert_in_range(id, 1, p->n_function);
	return p->string_table[p->function[id - 1]->name];
}

static void test_pprof(void **state)
{
	struct report r = sample_report();
	Perftools__Profiles__Profile *p = unpacked(&r);
	const Perftools__Profiles__Location *leaf;
	const Perftools__Profiles__Mapping *map;
	s64 sum = 0;

	assert_int_equal(p->n_sample_type, 1);
	assert_string_equal(p->string_table[p->sample_type[0]->unit], "microseconds");
	assert_string_equal(p->string_table[0], "");
	for (size_t i = 0; i < p->n_string_table; i++)
		assert_true(utf8__valid(p->string_table[i]));
	for (size_t i = 0; i < p->n_sample; i++)
		sum += p->sample[i]->value[0];
	assert_int_equal(sum, 100);
	/* One location for a function and what is inlined into it, innermost first. */
	assert_int_equal(p->sample[0]->n_location_id, 2);
	leaf = p->location[p->sample[0]->location_id[0] - 1];
	assert_int_equal(leaf->n_line, 3);
	assert_int_equal(leaf->address, 0x2000);
	assert_string_equal(line_name(p, leaf, 0), "in2");
	assert_string_equal(line_name(p, leaf, 2), "outer");
	map = p->mapping[leaf->mapping_id - 1];
	assert_string_equal(p->string_table[map->build_id], "c0ffee");
	assert_string_equal(p->string_table[map->filename], "/bin/sh");
	assert_string_equal(p->string_table[p->sample[0]->label[0]->str], "sh");
	perftools__profiles__profile__free_unpacked(p, NULL);
}

static void test_pprof_of_samples(void **state)
{
	struct report r = sample_report();
	Perftools__Profiles__Profile *p;
	s64 count = 0, ns = 0;

	r.stacks_unit = VALUE_COUNT;
	r.stacks_noun = "samples";
	r.health.freq = 100;
	p = unpacked(&r);
	assert_int_equal(p->n_sample_type, 2);
	for (size_t i = 0; i < p->n_sample; i++) {
		count += p->sample[i]->value[0];
		ns += p->sample[i]->value[1];
	}
	assert_int_equal(count, 100600);
	assert_int_equal(ns, count * 10000000);
	perftools__profiles__profile__free_unpacked(p, NULL);
}

static void test_trace(void **state)
{
	struct report r = sample_report();
	json_object *o = parsed("trace", &r), *list = field(o, "traceEvents"), *e;

	/* A name of the thread's track, then its two waits. */
	assert_int_equal(json_object_array_length(list), 4);
	e = json_object_array_get_idx(list, 2);
	assert_string_equal(json_object_get_string(field(e, "ph")), "X");
	assert_string_equal(json_object_get_string(field(e, "ts")), "4999998.501");
	assert_string_equal(json_object_get_string(field(e, "dur")), "1.500");
	assert_int_equal(json_object_get_int64(field(field(e, "args"), "t_ns")), 5000000001);
	json_object_put(o);
	r.seq = 2;
	o = parsed("trace", &r);
	list = field(o, "traceEvents");
	assert_int_equal(json_object_array_length(list), 6);
	e = json_object_array_get_idx(list, 3);
	assert_string_equal(json_object_get_string(field(e, "ph")), "e");
	assert_string_equal(json_object_get_string(field(e, "ts")), "5000000.001");
	json_object_put(o);
}

static void test_openmetrics(void **state)
{
	char *text = text_of("openmetrics"), *line, *rest;

	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	assert_non_null(strstr(text, "\nproftop_off_cpu_summary_bytes 12\n"));
	assert_non_null(strstr(text, "hist_seconds_bucket{le=\"0.000002000\"} 3\n"));
	assert_non_null(strstr(text, "hist_seconds_bucket{le=\"0.000008000\"} 5\n"));
	assert_non_null(strstr(text, "hist_seconds_bucket{le=\"+Inf\"} 6\n"));
	assert_non_null(strstr(text, "symbol=\"e\\\"v\\\\il;??"));
	assert_non_null(strstr(text, "row_self_ratio a \\\"help\\\" \\\\ line\n"));
	assert_non_null(strstr(text, "self_ratio{row=\"0000000000000001\",symbol=\"main\","
				     "pid=\"4711\"} 0.875\n"));
	for (rest = text; (line = strsep(&rest, "\n")) && *line;)
		assert_true(*line == '#' || !strncmp(line, "proftop_off_cpu_", 16));
	free(text);
}

static void test_html(void **state)
{
	struct report r = sample_report(), second = sample_report();
	char *text;

	second.view = "two";
	second.stacks = NULL;
	report__sum_number(&second, "wait_p50_ns", VALUE_NS, 19610);
	r.next = &second;
	text = written("html", &r, NULL);
	assert_true(utf8__valid(text));
	assert_int_equal(count_of(text, "<section "), 2);
	/* The graph, and of each view its distribution; what figures are called is for people. */
	assert_int_equal(count_of(text, "<svg "), 1);
	assert_int_equal(count_of(text, "<span class=\"hist\" title="), 2);
	assert_int_equal(count_of(text, "<i style=\"height:"), 2 * 3); /* a bar for each bucket */
	assert_int_equal(count_of(text, "<i style=\"height:100%\""), 2);
	assert_non_null(strstr(text, "<dt>wait p50</dt><dd>19.61 us</dd>"));
	assert_null(strstr(text, "_ns</dt>"));
	assert_int_equal(count_of(text, "<b x"), 0);
	assert_int_equal(count_of(text, "&lt;/script&gt;"), count_of(text, "&lt;b x='&amp;"));
	/* The graph's and the tables'; all else that looks like one is text. */
	assert_int_equal(count_of(text, "</script>"), 2);
	assert_int_equal(count_of(text, "http"), 2); /* the policy, and SVG's name space */
	assert_non_null(strstr(text, "default-src 'none'"));
	assert_null(strchr(text, '\033'));
	free(text);
}

static void test_by_time(void **state)
{
	char *plain = text_of("folded"), *text = text_of("by-time"), *line, *rest = text;
	char *at = plain;

	while ((line = strsep(&rest, "\n")) && *line) {
		assert_int_equal(strncmp(line, "0000000005.500;", 15), 0);
		assert_int_equal(strncmp(at, line + 15, strlen(line + 15)), 0);
		at += strlen(line + 15) + 1;
	}
	assert_string_equal(at, "");
	free(plain);
	free(text);
}

/* Without its colours it is the plain text. */
static void test_ansi(void **state)
{
	char *plain = text_of("text"), *text = text_of("ansi"), *to = text;
	u32 colours = 0;

	for (const char *from = text; *from;) {
		if (*from == '\033') {
			assert_int_equal(from[1], '[');
			from = strchr(from, 'm') + 1;
			colours++;
			continue;
		}
		*to++ = *from++;
	}
	*to = '\0';
	assert_true(colours > 8);
	/* From the scope on: above it is the time. */
	assert_string_equal(strstr(text, "\nscope"), strstr(plain, "\nscope"));
	free(plain);
	free(text);
}

static void test_without(void **state)
{
	struct report r = sample_report();
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	r.stacks = NULL;
	r.folded = NULL;
	r.events = NULL;
	for (u32 i = 0; i < export_nformats; i++)
		assert_int_equal(export_formats[i].write(out, &r, true),
				 export_formats[i].needs ? -EOPNOTSUPP : 0);
	fclose(out);
	free(text);
}

static void test_snapshots(void **state)
{
	char names[2][EXPORT_NAME], before[4096], dir[] = "/tmp/proftop-export-XXXXXX";
	struct status st = {0};
	struct stat there;

	assert_non_null(getcwd(before, sizeof(before)));
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(export__save_snapshot("cpu", ".pb.gz", "x", 1, names[i], &st), 0);
		assert_int_equal(stat(names[i], &there), 0);
		assert_int_equal(there.st_mode & 0777, 0600);
	}
	assert_string_not_equal(names[0], names[1]);
	assert_string_equal(export__by_suffix(names[1])->name, "pprof");
	unlink(names[0]);
	unlink(names[1]);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),	cmocka_unit_test(test_speedscope),
		cmocka_unit_test(test_perf),	cmocka_unit_test(test_pprof),
		cmocka_unit_test(test_trace),	cmocka_unit_test(test_pprof_of_samples),
		cmocka_unit_test(test_html),	cmocka_unit_test(test_openmetrics),
		cmocka_unit_test(test_by_time), cmocka_unit_test(test_ansi),
		cmocka_unit_test(test_without), cmocka_unit_test(test_snapshots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
