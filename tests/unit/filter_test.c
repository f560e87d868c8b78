// SPDX-License-Identifier: GPL-2.0-only
/* The filter language: what it accepts, what it answers, and that its text parses back. */
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/arena.h"
#include "scope/filter.h"

static void expect_text(const char *expr, const char *canonical)
{
	struct filter_error err = {0};
	struct scope *s = filter__parse(expr, &err), *again;

	if (!s)
		fail_msg("%s: column %u: %s", expr, err.column, err.msg);
	assert_string_equal(s->text, canonical);
	again = filter__parse(s->text, &err);
	if (!again)
		fail_msg("canonical %s: column %u: %s", s->text, err.column, err.msg);
	assert_string_equal(again->text, canonical);
	scope__put(again);
	scope__put(s);
}

static void test_canonical(void **state)
{
	static const char *const rows[][2] = {
		{"syscall=read,write", "syscall=read,write"},
		{"!error~. syscall~'^re ad'", "!error~. syscall~\"^re ad\""},
		{"file!=\"/tmp/a b\",/c* pid=1", "pid=1 !file=\"/tmp/a b,/c*\""},
		{"", ""},
		{"  \t ", ""},
		{"pid=1", "pid=1"},
		{" pid=3,1,2,2 ", "pid=1-3"},
		{"pid=1,2 tid=7", "pid=1-2 tid=7"},
		{"cpu=5,0-3", "cpu=0-3,5"},
		{"!pid=4 !pid=6,5", "!pid=4-6"},
		{"pid!=4", "!pid=4"},
		{"comm!~^k", "!comm~^k"},
		{"pid=1-10 pid=5-20", "pid=5-10"},
		{"pid=1 pid=2", "pid=none"},
		{"pid=none", "pid=none"},
		{"pid=\"1,2\"", "pid=1-2"},
		{"comm~\"a b\"", "comm~\"a b\""},
		{"comm~a' 'b", "comm~\"a b\""},
		{"comm~'say \"x\"'", "comm~\"say \"'\"x\"'"},
		{"comm~'\"'\"'\"", "comm~'\"'\"'\""},
		{"comm~it\"'\"s", "comm~\"it's\""},
		{"comm~a\\.b", "comm~a\\.b"},
		{"comm~'ends in \\\\'", "comm~\"ends in \\\\\""},
		{"comm~!x", "comm~!x"},
		{"comm~a=b", "comm~a=b"},
		{"cgroup=/system.slice/*", "cgroup=/system.slice/*"},
		{"!cgroup=user.slice sym~memcpy !obj~libc",
		 "!cgroup=user.slice sym~memcpy !obj~libc"},
		{"lang=java !lang=kernel obj~libjvm", "obj~libjvm lang=java !lang=kernel"},
		{"lang=go lang=native", "lang=go lang=native"},
		{"state=D", "state=D"},
		{"state=D,S !state=t", "state=SD !state=t"},
		{"state=DS state=D", "state=D"},
		{"state=D state=S", "state=D !state=D"},
		{"min=10ms max=1s", "min=10ms max=1s"},
		{"min=1.5ms", "min=1500us"},
		{"min=1000us min=2ms", "min=2ms"},
		{"max=5000000001ns", "max=5000000001ns"},
		{"!min=1ms", "max=999999ns"},
		{"!max=1ms", "min=1000001ns"},
		{"min=0s", ""},
		{"tree=4711", "tree=4711"},
		{"task=user", "task=user"},
		{"task=kernel state=D", "state=D task=kernel"},
		{"!task=kernel", "task=user"},
		{"task!=user", "task=kernel"},
		{"task=user !task=kernel", "task=user"},
		{"task=kernel task=user", "task=user task=kernel"},
		{"prio=0-99", "prio=0-99"},
		{"!prio=100-", "prio=0-99"},
		{"prio=120 prio=100-130", "prio=120"},
		{"prio=1 prio=2", "prio=none"},
		{"!prio=120", "prio=0-119,121-"},
		{"policy=rr,fifo", "policy=fifo,rr"},
		{"!policy=other,ext", "policy=fifo,rr,batch,idle,deadline"},
		{"policy=rr policy=fifo", "policy=none"},
		{"nr_running=3-", "nr_running=3-"},
		{"nr_running=70", "nr_running=63"},
		{"nr_running=2,5-6", "nr_running=2,5-6"},
		{"irqs_disabled=1 need_resched!=1", "irqs_disabled=1 need_resched=0"},
		{"mode=kernel pid=1", "pid=1 mode=kernel"},
		{"mode=host", "mode=user,kernel"},
		{"!mode=guest", "mode=user,kernel"},
		{"!mode=host", "mode=guest"},
		{"prio=0-", ""},
		{"tree=4711 !pid=5", "tree=4711 !pid=5"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_text(rows[i][0], rows[i][1]);
}

struct wrong {
	const char *expr;
	u32 column, length;
	const char *says;
};

static void test_errors(void **state)
{
	static const struct wrong rows[] = {
		{"pidd=1", 0, 4, "did you mean pid"},
		{"pid=1 comn~x", 6, 4, "did you mean comm"},
		{"!tidd=1", 1, 4, "did you mean tid"},
		{"symbol~x", 0, 6, "did you mean sym"},
		{"object~x", 0, 6, "did you mean obj"},
		{"dso~x", 0, 3, "did you mean obj"},
		{"thread=1", 0, 6, "did you mean tid"},
		{"zzzzzz=1", 0, 6, "there are: pid tid"},
		{"pid", 3, 1, "= is expected here: pid=1,2"},
		{"pid 1", 3, 1, "= is expected"},
		{"pid~1", 3, 1, "= is expected here: pid=1,2"},
		{"comm=x", 4, 1, "~ is expected here: comm~REGEX"},
		{"comm!=x", 4, 2, "~ is expected"},
		{"pid=", 4, 1, "a value is missing"},
		{"pid=\"\"", 4, 2, "a value is missing"},
		{"comm~ x", 5, 1, "a value is missing"},
		{"=1", 0, 1, "a term is expected"},
		{"!", 0, 1, "a term is expected"},
		{"! pid=1", 0, 1, "a term is expected"},
		{"!pid!=1", 0, 5, "negated twice"},
		{"pid=1,x,3", 6, 1, "not a number"},
		{"pid=1,,3", 6, 1, "not a number"},
		{"pid=1,", 6, 1, "not a number"},
		{"pid=-1", 4, 2, "not a number"},
		{"pid=1-", 4, 2, "not a number"},
		{"pid=9-5", 4, 3, "goes upward"},
		{"pid=1x", 4, 2, "not a number"},
		{"pid=99999999", 4, 8, "go up to 4194304"},
		{"pid=99999999999999999999999", 4, 23, "go up to 4194304"},
		{"cpu=9000", 4, 4, "go up to 8191"},
		{"pid=1-65537", 4, 7, "at most 65536"},
		{"pid=1-65536,70000", 12, 5, "at most 65536"},
		{"min=10", 4, 2, "needs a unit"},
		{"min=10m", 6, 1, "needs a unit"},
		{"min=ms", 4, 2, "looks like"},
		{"min=1.ms", 5, 1, "digits follow"},
		{"min=0.5ns", 4, 5, "whole nanoseconds"},
		{"min=99999999999s", 4, 12, "too long"},
		{"max=0s", 4, 2, "that short"},
		{"!min=1ns", 5, 3, "shorter"},
		{"min=1s max=1ms", 11, 3, "at least min and at most max"},
		{"task=kernal", 5, 6, "task=user or task=kernel"},
		{"task~user", 4, 1, "= is expected here: task=user"},
		{"taks=user", 0, 4, "did you mean task"},
		{"prio=140", 5, 3, "0 to 139"},
		{"prio=9-1", 5, 3, "0 to 139"},
		{"prio=1,x", 7, 1, "0 to 139"},
		{"prio=1,,2", 7, 1, "0 to 139"},
		{"policy=4", 7, 1, "fifo, rr, batch"},
		{"policy=fif", 7, 3, "fifo, rr, batch"},
		{"irqs_disabled=2", 14, 1, "0 to 1"},
		{"mode=guests", 5, 6, "user, kernel, guest, host"},
		{"prio~1", 4, 1, "= is expected here: prio="},
		{"state=Q", 6, 1, "RSDTtXZPI"},
		{"state=D,", 7, 1, "RSDTtXZPI"},
		{"comm~(", 5, 1, "regular expression"},
		{"comm~\"a b", 5, 4, "quote is not closed"},
		{"comm~it's", 7, 2, "quote is not closed"},
		{"comm~((a{99}){99}){99}", 5, 17, "too large"},
		{"comm~\x01", 5, 1, "control characters"},
		{"tree=1 tree=2", 12, 1, "take one of them out"},
		{"pid=1 tree=2", 11, 1, "take one of them out"},
		{"tree=2 pid=1", 11, 1, "take one of them out"},
		{"!tree=2", 6, 1, "cannot be negated"},
		{"syscall=", 8, 1, "a value is missing: LABEL=NAME"},
		{"syscall~(", 8, 1, "regular expression"},
		{"syscal=read", 0, 6, "did you mean syscall"},
		{"syscall", 7, 1, "= is expected here: LABEL=NAME"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct filter_error err = {0};
		struct scope *s = filter__parse(rows[i].expr, &err);

		if (s)
			fail_msg("accepted: %s", rows[i].expr);
		if (err.column != rows[i].column || err.length != rows[i].length ||
		    !strstr(err.msg, rows[i].says))
			fail_msg("%s: %u+%u: %s", rows[i].expr, err.column, err.length, err.msg);
	}
}

/* Which of two texts and of none terms by a label let through. */
static void test_labels(void **state)
{
	static const struct {
		const char *expr;
		bool read, open, none;
	} rows[] = {
		{"", true, true, true},
		{"syscall=read", true, false, false},
		{"syscall=open*,write", false, true, false},
		{"!syscall=read", false, true, true},
		{"syscall~.", true, true, false},
		{"!syscall~.", false, false, true},
		{"syscall~e syscall!=openat", true, false, false},
		{"syscall=re", false, false, false},
		{"file=read", true, true, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct filter_error err = {0};
		struct scope *s = filter__parse(rows[i].expr, &err);

		assert_non_null(s);
		if (scope__label(s, "syscall", "read") != rows[i].read ||
		    scope__label(s, "syscall", "openat") != rows[i].open ||
		    scope__label(s, "syscall", "") != rows[i].none)
			fail_msg("%s", rows[i].expr);
		assert_int_equal(scope__has_label(s, "syscall"), !!strstr(rows[i].expr, "sys"));
		scope__put(s);
	}
	assert_true(scope__label(NULL, "syscall", "read"));
	assert_true(filter__is_label("error", 5));
	assert_false(filter__is_label("pid", 3)); /* a term of its own */
	assert_false(filter__is_label("nothing", 7));
}

/* `count` times `part` after `head`. */
static char *repeated(const char *head, const char *part, u32 count)
{
	char *s = xmalloc(strlen(head) + strlen(part) * count + 1), *p;

	p = stpcpy(s, head);
	for (u32 i = 0; i < count; i++)
		p = stpcpy(p, part);
	return s;
}

static void expect_refused(char *expr, const char *says)
{
	struct filter_error err = {0};

	assert_null(filter__parse(expr, &err));
	if (!strstr(err.msg, says))
		fail_msg("%.40s...: %s", expr, err.msg);
	assert_true(err.length >= 1);
	free(expr);
}

static void test_limits(void **state)
{
	struct filter_error err;
	struct scope *s;
	char *expr = repeated("pid=1", ",1", 2000);

	s = filter__parse(expr, &err);
	assert_non_null(s);
	assert_string_equal(s->text, "pid=1");
	scope__put(s);
	free(expr);
	expect_refused(repeated("pid=1", ",1", 4096), "at most 4096 bytes");
	expect_refused(repeated("", "comm~a ", 33), "at most 32");
	expect_refused(repeated("", "cgroup=a ", 33), "at most 32");
	expect_refused(repeated("comm~", "(", 300), "too deeply nested");
	expect_refused(repeated("comm~", "(ab){9000}", 3), "too large");
	expect_text("pid=0,4194304", "pid=0,4194304");
	expect_text("pid=1-65536", "pid=1-65536");
	expect_text("comm~[)}{+]{2}[[:alpha:]]", "comm~[)}{+]{2}[[:alpha:]]");
}

static void test_caret(void **state)
{
	struct filter_error err = {0};
	char buf[40];

	assert_null(filter__parse("pid=1 comn~x", &err));
	filter__caret(&err, "pid=1 comn~x", buf, sizeof(buf));
	assert_string_equal(buf, "      ^~~~");
	assert_null(filter__parse("pid=", &err));
	filter__caret(&err, "pid=", buf, sizeof(buf));
	assert_string_equal(buf, "    ^");
	assert_null(filter__parse("comm~\xc3\xa9 x=1", &err)); /* two bytes, one column */
	filter__caret(&err, "comm~\xc3\xa9 x=1", buf, sizeof(buf));
	assert_string_equal(buf, "       ^");
	err = (struct filter_error){.column = 5000, .length = 10};
	filter__caret(&err, "pid=1", buf, 4);
	assert_true(strlen(buf) < 4);
}

static void expect_join(const char *a, const char *b, const char *both)
{
	char *s = filter__join(a, b);

	assert_string_equal(s, both);
	free(s);
}

static void test_join(void **state)
{
	expect_join("pid=1", "!comm~x", "pid=1 !comm~x");
	expect_join("", "pid=1", "pid=1");
	expect_join("pid=1", "", "pid=1");
	expect_join(NULL, NULL, "");
}

static void expect_without(const char *expr, const char *names, const char *rest)
{
	char *s = filter__without(expr, names);

	assert_string_equal(s, rest);
	free(s);
}

static void test_without(void **state)
{
	expect_without("", "pid", "");
	expect_without("pid=1", "pid", "");
	expect_without("  comm~a \t pid=1  cpu=0 ", "pid", "comm~a cpu=0");
	expect_without("!pid=1 tree=4 pid!=3 tid=2", "pid tree", "tid=2");
	expect_without("comm~pid cgroup=/pid=1", "pid", "comm~pid cgroup=/pid=1");
	expect_without("comm~\"a pid=1\" pid=2", "pid", "comm~\"a pid=1\"");
	expect_without("comm~'\" pid=1' pid=2 sym~\"'\" cpu=1", "pid",
		       "comm~'\" pid=1' sym~\"'\" cpu=1");
	expect_without("cgroup=\"/a b\" pid=1", "cgroup", "pid=1");
}

/* The name is found again in what the parser read. */
static void expect_cgroup(const char *path, const char *glob)
{
	char *term = filter__cgroup(path, true);
	struct filter_error err;
	struct scope *s = filter__parse(term, &err);

	if (!s)
		fail_msg("%s: %s", term, err.msg);
	assert_int_equal(s->ncgroups, 1);
	assert_string_equal(s->cgroups[0].text, glob);
	if (!strpbrk(path, "\n\033"))
		assert_int_equal(fnmatch(s->cgroups[0].text, path, FNM_PATHNAME), 0);
	scope__put(s);
	free(term);
}

static void expect_alone(const char *path, const char *term)
{
	char *s = filter__cgroup(path, false);

	assert_string_equal(s, term);
	free(s);
}

static void test_cgroup(void **state)
{
	expect_cgroup("/system.slice/ssh.service", "/system.slice/ssh.service");
	expect_cgroup("/a b/it's", "/a b/it's");
	expect_cgroup("/say \"hi\"", "/say \"hi\"");
	expect_cgroup("/run-*[x]?.scope", "/run-\\*\\[x]\\?.scope");
	expect_cgroup("/dev-disk\\x2d1", "/dev-disk\\\\x2d1");
	expect_cgroup("/evil\n\033", "/evil??");
	expect_alone("/a b", "cgroup=\"/a b/.\"");
	expect_alone("/", "cgroup=\"/.\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_canonical), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_limits),	  cmocka_unit_test(test_caret),
		cmocka_unit_test(test_join),	  cmocka_unit_test(test_without),
		cmocka_unit_test(test_cgroup),
	};

	static const char *const labels[] = {"syscall", "file", "error", "pid"};

	filter__know_labels(labels, ARRAY_SIZE(labels));
	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
