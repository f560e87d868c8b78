// SPDX-License-Identifier: GPL-2.0-only
/* Expressions against an event's fields: types, and what is said of what is wrong. The numbers that
 * come out are checked against C in tests/live/question_code_test.c; here are those worth showing.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "questions/check.h"
#include "questions/registers.h"
#include "tests/lib/question_event.h"
#include "tests/lib/question_interpret.h"

static struct arena arena;
static struct entry_list entries;

static struct check_scope scope_of(void)
{
	entries = (struct entry_list){.nnumbers = 0};
	return (struct check_scope){.fields = &test_fields,
				    .begin = &test_fields,
				    .entries = &entries,
				    .kernel = &test_types,
				    .words = ((1u << QUESTION_WORDS) - 1) &
					     ~(1u << WORD_NR_RUNNING)};
}

static const struct checked *check_in(const struct check_scope *scope, const char *text,
				      enum check_want want, struct expr_error *err)
{
	const struct expr *e = expr__parse(text, &arena, err);

	return e ? expr__check(e, scope, want, &arena, err) : NULL;
}

static void expect_error(const char *text, enum check_want want, const char *caret, const char *msg)
{
	const struct check_scope scope = scope_of();
	struct expr_error err = {0};
	char lines[1024], expected[1024];

	if (check_in(&scope, text, want, &err))
		fail_msg("%s is taken", text);
	expr_error__print(&err, text, lines, sizeof(lines));
	snprintf(expected, sizeof(expected), "%s\n%s\n%s", msg, text, caret);
	assert_string_equal(lines, expected);
}

static void test_errors(void **state)
{
	expect_error("name == 3", WANT_NUMBER, "^~~~~~~~~", "a string is compared with a number");
	expect_error("a4 + (b1 > str)", WANT_NUMBER, "      ^~~~~~~~",
		     "a string is compared with a number");
	expect_error("name + 1", WANT_NUMBER, "^~~~", "this is a string, and a number is expected");
	expect_error("a4 ~ \"x\"", WANT_NUMBER, "^~", "~ matches strings, and this is a number");
	expect_error("name ~ str", WANT_NUMBER, "       ^~~",
		     "a glob in double quotes is expected here: ~ \"/etc/*\"");
	expect_error("name < str", WANT_NUMBER, "^~~~~~~~~~",
		     "strings are compared by ==, != and ~ alone");
	expect_error("foo", WANT_NUMBER, "^~~",
		     "no field `foo`: test:event has a1, b1, a2, b2, a4, b4, a8, b8, i3, j5, k24, "
		     "x4, y8, z2, "
		     "w4, p, name, str");
	expect_error("1 + p->foo", WANT_NUMBER, "       ^~~",
		     "no member `foo`: there are a1, b1, a2, b2, a4, b4, a8, b8, i3, j5, k24, x4, "
		     "y8, z2, w4, "
		     "p, name, str");
	expect_error("a4->b", WANT_NUMBER, "^~", "this is a number, which has no members");
	expect_error("ret", WANT_NUMBER, "^~~",
		     "ret is of events that return: uretprobe, kretprobe, sys_exit_*");
	expect_error("nr_running > 1", WANT_NUMBER, "^~~~~~~~~~",
		     "nr_running cannot be read: this kernel has no struct cfs_rq with its run queue");
	expect_error("kstack == 1", WANT_NUMBER, "^~~~~~",
		     "this is a stack, and a number is expected");
	expect_error("(struct nope *)a8", WANT_KEY, "^~~~~~~~~~~~~~~", "there is no struct nope");
	expect_error("name", WANT_NUMBER, "^~~~", "this is a string, and a number is expected");
	expect_error("entry(kstack, 1)", WANT_KEY, "            ^", ") is expected here");
	expect_error("a4 ? name : str", WANT_NUMBER, "     ^~~~",
		     "this is a string, and a number is expected");
}

/* As C says, which is not always what one thinks. */
static void test_values(void **state)
{
	static const struct {
		const char *text;
		s64 value;
	} rows[] = {
		{"-1 < 1u", 0},
		{"-1 < 1", 1},
		{"a4", -7},
		{"a4 == -7", 1},
		{"b4", 0xfffffff9},
		{"a4 == b4", 1},
		{"(s64)a4 == b4", 0},
		{"a1 >> 1", -1},
		{"b1 << 24", -16777216},
		{"(b1 << 24) + 0l", -16777216},
		{"a4 / 2", -3},
		{"a4 % 4", -3},
		{"a4 / 0", 0},
		{"a4 % 0", -7},
		{"-2147483647 - 1", INT32_MIN},
		{"(-2147483647 - 1) / -1", INT32_MIN},
		{"(-2147483647 - 1) % -1", 0},
		{"2147483647 + 1", INT32_MIN},
		{"2147483648 + 1", 2147483649},
		{"1 << 33", 2},
		{"1l << 33", 1ll << 33},
		{"1 << -1", INT32_MIN},
		{"0xffffffff", 0xffffffff},
		{"0xffffffff + 1", 0},
		{"4294967295 + 1", 4294967296},
		{"'a'", 97},
		{"'\\xff'", -1},
		{"10ms", 10000000},
		{"4K * 2", 8192},
		{"~0u", 0xffffffff},
		{"~0", -1},
		{"!b1", 0},
		{"!!b1", 1},
		{"3 ? -1 : 1u", 0xffffffff},
		{"(u8)-1", 255},
		{"(s8)255", -1},
		{"1 || a4 / 0", 1},
		{"2 + 3 * 4 - 1 << 1", 26},
		{"1 | 2 ^ 3 & 4 == 4", 3},
	};
	const struct check_scope scope = scope_of();
	const struct record context = {.a1 = -1, .a4 = -7, .b4 = 0xfffffff9, .b1 = 255};
	const struct interpret_event event = {&context, TEST_CONTEXT, &test_memory};
	struct question_frame frame = {.faults = 0};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		struct expr_error err;
		const struct checked *c = check_in(&scope, rows[i].text, WANT_NUMBER, &err);

		if (!c)
			fail_msg("%s: column %u: %s", rows[i].text, err.column, err.msg);
		if ((s64)interpret__number(c, &event, &frame) != rows[i].value)
			fail_msg("%s is %" PRId64 " instead of %" PRId64, rows[i].text,
				 (s64)interpret__number(c, &event, &frame), rows[i].value);
	}
}

static void test_words(void **state)
{
	const struct check_scope scope = scope_of();
	struct expr_error err;
	const struct checked *c = check_in(&scope, "current->p", WANT_NUMBER, &err);

	assert_null(c); /* there is no task_struct in this kernel */
	c = check_in(&scope, "current->pid", WANT_NUMBER, &err);
	assert_int_equal(c->op, CHECKED_WORD);
	assert_int_equal(c->index, WORD_PID);
	c = check_in(&scope, "current->comm", WANT_KEY, &err);
	assert_int_equal(c->op, CHECKED_COMM);
	for (u32 i = 0; i < QUESTION_WORDS; i++)
		assert_non_null(question_word__name(i));
	assert_null(question_word__name(QUESTION_WORDS));
}

/* Registers have no types but what casts give them. */
static void test_registers(void **state)
{
	struct check_scope scope = scope_of();
	const struct checked *c;
	struct expr_error err;
	char name[32];

	scope.fields = registers__fields(REGISTERS_ENTRY);
	c = check_in(&scope, "(char *)arg1", WANT_KEY, &err);
	assert_true(c && c->type.kind == TYPE_TEXT && c->a->type.user);
	c = check_in(&scope, "(s32)arg0", WANT_NUMBER, &err);
	assert_int_equal(c->a->field.offset, registers__argument(0));
	assert_null(check_in(&scope, "ret", WANT_NUMBER, &err));
	assert_null(check_in(&scope, "arg9", WANT_NUMBER, &err));
	scope.fields = registers__fields(REGISTERS_KERNEL_RETURN);
	c = check_in(&scope, "(char *)ret", WANT_KEY, &err);
	assert_true(c && !c->a->type.user);
	assert_null(check_in(&scope, "arg0", WANT_NUMBER, &err));
	scope.fields = registers__fields(REGISTERS_PERF);
	assert_non_null(check_in(&scope, "addr >> 12", WANT_NUMBER, &err));
	assert_null(check_in(&scope, "weight", WANT_NUMBER, &err)); /* the kernel has no function for it */
	assert_non_null(strstr(err.msg, "Linux 6.2"));
	for (u32 e = 0; e < REGISTERS_EVENTS; e++) {
		const struct field_resolver *r = registers__fields(e);
		struct field f;

		for (u32 i = 0; r->name(r, i, name, sizeof(name)); i++)
			assert_int_equal(r->field(r, name, &f), 0);
	}
}

/* What is kept from a begin is kept once, and there is an end to it. */
static void test_entries(void **state)
{
	const struct check_scope scope = scope_of();
	struct expr_error err;

	assert_non_null(check_in(&scope, "entry(a4) + entry(a4) + entry(b1)", WANT_NUMBER, &err));
	assert_int_equal(entries.nnumbers, 2);
	assert_non_null(check_in(&scope, "entry(str) == entry(name)", WANT_NUMBER, &err));
	assert_int_equal(entries.ntexts, 2);
	assert_null(check_in(&scope, "entry(comm)", WANT_KEY, &err));
	assert_string_equal(err.msg, "at most 2 strings are kept by entry()");
	assert_null(check_in(&scope, "entry(latency)", WANT_KEY, &err));
	assert_null(check_in(&scope, "entry(entry(a4))", WANT_KEY, &err));
}

static int kept_field(const struct field_resolver *r, const char *name, struct field *out)
{
	if (strcmp(name, "kept"))
		return -ENOENT;
	*out = (struct field){.type = {.kind = TYPE_INT, .size = 8}, .at = FIELD_KEPT, .index = 2};
	return 0;
}

/* What the program around it has counted is read where it is kept. */
static void test_kept(void **state)
{
	const struct field_resolver fields = {.field = kept_field, .event = "counts"};
	const struct check_scope scope = {.fields = &fields, .words = 1u << WORD_COUNT};
	const struct interpret_event event = {.size = 0};
	struct question_frame frame = {.entry = {1, 2, 40, 4}};
	struct expr_error err;
	const struct checked *c = check_in(&scope, "kept == 40 ? kept + count : 0", WANT_NUMBER, &err);

	frame.words[WORD_COUNT] = 2;
	assert_non_null(c);
	assert_int_equal(interpret__number(c, &event, &frame), 42);
	frame.entry[2] = 41;
	assert_int_equal(interpret__number(c, &event, &frame), 0);
}

/* What there is no room for is refused with a reason. */
static void test_limits(void **state)
{
	const struct check_scope scope = scope_of();
	struct eval_unit unit = {.nvalues = 0};
	struct eval_code code;
	struct expr_error err;
	char text[8192] = "name ~ \"0*0\"", why[128];

	for (u32 i = 1; i < 12; i++)
		sprintf(text + strlen(text), " || name ~ \"%u*%u\"", i, i);
	unit.condition = check_in(&scope, text, WANT_NUMBER, &err);
	assert_non_null(unit.condition);
	assert_int_equal(eval__generate(&unit, &code, why, sizeof(why)), -E2BIG);
	assert_non_null(strstr(why, "globs"));
	strcpy(text, "p->a4");
	for (u32 i = 1; i < 300; i++)
		sprintf(text + strlen(text), " + p->a4");
	unit.condition = check_in(&scope, text, WANT_NUMBER, &err);
	assert_non_null(unit.condition);
	assert_int_equal(eval__generate(&unit, &code, why, sizeof(why)), -E2BIG);
	assert_non_null(strstr(why, "code"));
	unit.condition = check_in(&scope, "((((((((a8)+1)+b8)+1)+a4)+2)))", WANT_NUMBER, &err);
	assert_int_equal(eval__generate(&unit, &code, why, sizeof(why)), 0);
	assert_int_equal(eval__splice(&code, (struct bpf_insn[4]){{.code = 0}}, 4), -ENOENT);
	eval_code__fini(&code);
}

static int setup(void **state)
{
	arena__init(&arena);
	return 0;
}

static int teardown(void **state)
{
	arena__fini(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors), cmocka_unit_test(test_values),
		cmocka_unit_test(test_words),  cmocka_unit_test(test_entries),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_registers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
