// SPDX-License-Identifier: GPL-2.0-only
/* `format` files of tracepoints: fields as the kernel writes them, and what is wrong in others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "questions/format.h"
#include "questions/format_print.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char sample[] = "name: made_up\nID: 372\nformat:\n" COMMON
			     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:unsigned long long big;\toffset:32;\tsize:8;\tsigned:0;\n"
			     "\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"
			     "\tfield:__rel_loc char[] path;\toffset:44;\tsize:4;\tsigned:0;\n"
			     "\tfield:__data_loc u8[] bytes;\toffset:48;\tsize:4;\tsigned:0;\n"
			     "\tfield:u8 uuid[16];\toffset:52;\tsize:16;\tsigned:0;\n"
			     "\tfield:const void * skbaddr;\toffset:72;\tsize:8;\tsigned:0;\n"
			     "\tfield:struct task_struct * task;\toffset:80;\tsize:8;\tsigned:0;\n"
			     "\tfield:bool yes;\toffset:88;\tsize:1;\tsigned:0;\n"
			     "\tfield:const char * what;\toffset:96;\tsize:8;\tsigned:0;\n"
			     "\tfield:unsigned long tail[];\toffset:104;\tsize:0;\tsigned:0;\n"
			     "\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";

static u32 find_struct(const struct type_resolver *r, const char *name)
{
	return !strcmp(name, "task_struct") ? 7 : !strcmp(name, "sockaddr") ? 8 : 0;
}

static const struct type_resolver kernel = {.find = find_struct};

static struct field field_of(const struct trace_format *f, const char *name)
{
	struct field out;

	if (f->resolver.field(&f->resolver, name, &out))
		fail_msg("no field %s", name);
	return out;
}

static void test_fields(void **state)
{
	char why[128];
	struct trace_format *f = trace_format__parse(sample, &kernel, why, sizeof(why));
	struct field x;

	assert_non_null(f);
	assert_string_equal(f->name, "made_up");
	assert_int_equal(f->id, 372);
	assert_int_equal(f->nfields, 15);
	assert_string_equal(f->print, "\"prev_comm=%s\", REC->prev_comm");
	assert_true(field_of(f, "common_pid").unreadable);
	x = field_of(f, "prev_comm");
	assert_true(x.type.kind == TYPE_TEXT && x.text_at == TEXT_ARRAY && x.length == 16 &&
		    x.offset == 8);
	x = field_of(f, "prev_pid");
	assert_true(x.type.kind == TYPE_INT && x.type.size == 4 && x.type.is_signed && !x.wide);
	x = field_of(f, "big");
	assert_true(x.type.kind == TYPE_INT && x.type.size == 8 && !x.type.is_signed);
	assert_int_equal(field_of(f, "name").text_at, TEXT_DATA_LOC);
	assert_int_equal(field_of(f, "path").text_at, TEXT_REL_LOC);
	assert_int_equal(field_of(f, "bytes").type.kind, TYPE_RECORD);
	assert_int_equal(field_of(f, "uuid").type.kind, TYPE_RECORD);
	assert_int_equal(field_of(f, "skbaddr").type.kind, TYPE_POINTER);
	assert_int_equal(field_of(f, "task").type.type_id, 7);
	assert_int_equal(field_of(f, "yes").type.size, 1);
	x = field_of(f, "what");
	assert_true(x.type.kind == TYPE_TEXT && x.text_at == TEXT_POINTER && !x.type.user);
	assert_int_equal(field_of(f, "tail").type.kind, TYPE_RECORD);
	assert_string_equal(trace_format__field(f, "skbaddr")->type, "void *");
	trace_format__free(f);
}

/* System calls' records have registers: the arguments are their low bytes. */
static void test_calls(void **state)
{
	static const char text[] =
		"name: sys_enter_openat\nID: 1\nformat:\n" COMMON
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:umode_t mode;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:struct sockaddr * addr;\toffset:40;\tsize:8;\tsigned:0;\n"
		"\tfield:size_t count;\toffset:48;\tsize:8;\tsigned:0;\n";
	char why[128];
	struct trace_format *f = trace_format__parse(text, &kernel, why, sizeof(why));
	struct field x;

	assert_non_null(f);
	x = field_of(f, "dfd");
	assert_true(x.wide && x.type.size == 4 && x.type.is_signed);
	x = field_of(f, "filename");
	assert_true(x.type.kind == TYPE_TEXT && x.type.user);
	x = field_of(f, "mode");
	assert_true(x.wide && x.type.size == 2 && !x.type.is_signed);
	x = field_of(f, "addr");
	assert_true(x.type.kind == TYPE_POINTER && x.type.user && x.type.type_id == 8);
	x = field_of(f, "count");
	assert_true(!x.wide && x.type.size == 8 && !x.type.is_signed);
	trace_format__free(f);
}

static void expect_wrong(const char *text, const char *msg)
{
	char why[128] = "";

	assert_null(trace_format__parse(text, NULL, why, sizeof(why)));
	assert_string_equal(why, msg);
}

static void test_wrong(void **state)
{
	expect_wrong("", "line 1: no format: a name and fields are missing");
	expect_wrong("name: x\nfield:int a", "line 2: ; is missing");
	expect_wrong("name: x\nfield:int a; size:4; signed:1;", "line 2: offset: is missing");
	expect_wrong("name: x\nfield:int a; offset:-1; size:4; signed:1;",
		     "line 2: offset: is no number up to 8192");
	expect_wrong("name: x\nfield:int a; offset:8190; size:4; signed:1;",
		     "line 2: the field is beyond 8192 bytes");
	expect_wrong("name: x\nfield:a; offset:8; size:4; signed:1;",
		     "line 2: a field has a type and a name");
	expect_wrong("name: x\nfield:int ]; offset:8; size:4; signed:1;", "line 2: ] without [");
	expect_wrong("name: x\nfield:__data_loc char[] a; offset:8; size:8; signed:1;",
		     "line 2: what says where data are has 4 bytes");
}

#define FIELDS                                                                                     \
	"name: x\nfield:int a; offset:8; size:4; signed:1;\nfield:int ab; offset:12; size:4; signed:1;\n" \
	"field:void * fn; offset:16; size:8; signed:0;\n"

static struct trace_format *printed(const char *print)
{
	char text[1024], why[128];

	snprintf(text, sizeof(text), FIELDS "print fmt: %s", print);
	return trace_format__parse(text, NULL, why, sizeof(why));
}

static void expect_printed(const struct trace_format *f, const char *field, u32 i, s64 value, const char *name)
{
	char buf[64];
	s64 got;

	assert_true(trace_format__value(f, field, i, &got, buf, sizeof(buf)));
	assert_int_equal(got, value);
	assert_string_equal(buf, name);
}

static void test_values(void **state)
{
	struct trace_format *f = printed("\"%s, \\\"%s\", __print_symbolic(REC->ab, { 0x10, \"B, }\" }), "
					 "__print_symbolic(REC->a, { 0, \"HI\" }, { -1, \"LO\" }, { (7UL), \"no\" })");
	char buf[64];
	s64 value;

	expect_printed(f, "a", 0, 0, "HI");
	expect_printed(f, "a", 1, -1, "LO");
	assert_false(trace_format__value(f, "a", 2, &value, buf, sizeof(buf)));
	expect_printed(f, "ab", 0, 16, "B, }");
	assert_false(trace_format__value(f, "ab", 1, &value, buf, sizeof(buf)));
	assert_false(trace_format__value(f, "fn", 0, &value, buf, sizeof(buf)));
	trace_format__free(f);
	f = printed("\"%s\", __print_symbolic(REC->a, { 0, \"cut");
	assert_true(!f || !trace_format__value(f, "a", 1, &value, buf, sizeof(buf)));
	trace_format__free(f);
}

static void test_code(void **state)
{
	static const struct {
		const char *print;
		bool is_code;
	} cases[] = {
		{"\"a=%d fn=%ps\", REC->a, REC->fn", true},
		{"\"100%% \\\"%s\\\" %pS\", (REC->a) ? \"x, y\" : \"z\", (void *)REC->fn", true},
		{"\"fn=%p a=%ps\", REC->fn, REC->a", false},
		{"\"fn=%p\", REC->fn", false},
		{"\"fn=%*d %pS\", REC->a, REC->ab, REC->fn", false},
		{"\"fn=%ps\", REC->fname", false},
		{"\"fn=%ps\"", false},
		{"", false},
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_format *f = printed(cases[i].print);

		assert_int_equal(trace_format__is_code(f, "fn"), cases[i].is_code);
		trace_format__free(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
