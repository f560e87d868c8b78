// SPDX-License-Identifier: GPL-2.0-only
/* The language of questions: what it takes, what it is printed as, and where an error points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "questions/question.h"

static struct question *parse(const char *text)
{
	struct expr_error err = {0};
	struct question *q = question__parse(text, &err);

	if (!q)
		fail_msg("%s: column %u: %s", text, err.column, err.msg);
	return q;
}

/* Printed as `canonical`, which is printed as itself. */
static void expect(const char *text, const char *canonical)
{
	struct question *q = parse(text), *again = parse(q->text);

	assert_string_equal(q->text, canonical);
	assert_string_equal(again->text, canonical);
	question__free(again);
	question__free(q);
}

/* All as they are printed already. */
static void test_canonical(void **state)
{
	static const char *const rows[] = {
		"count cpu-clock",
		"count sched:sched_switch by prev_comm, prev_state & 0xff",
		"count syscalls:sys_enter_* if pid == 1 by comm sum count",
		"count syscalls:sys_exit_read if ret > 0 hist ret bytes",
		"count block:block_rq_complete hist nr_sector * 512 KiB",
		"count cycles, instructions by pid",
		"count cpu/event=0x3c,umask=1/u",
		"count r1a8",
		"count cycles:u by cpu",
		"count mem:0x601040/8:w by ustack",
		"count sched:sched_wakeup/prio < 100/ by comm",
		"count skb:kfree_skb/(len / 2 > 7)/",
		"count uprobe:/bin/bash:readline by ustack",
		"count uretprobe:/bin/bash:readline by ret",
		"count usdt:/usr/lib/libpython3.so:python:gc__start",
		"count uprobe:\"/a dir/x,y\":\"f(int, char)\"",
		"count uprobe:\"it's\":f",
		"count uprobe:'say \"x\"':f",
		"count btf:block_rq_issue hist rq->__data_len bytes",
		"count kprobe:vfs_read by comm",
		"span btf:sock_send_length/ret > 0 && sk->sk_protocol == 17/ -> btf:sock_recv_length/ret > 0/ on sk",
		"count kprobe:vfs_read/(arg2 / 2 > 7)/, kretprobe:vfs_read/ret < 0/",
		"span sched:sched_wakeup -> sched:sched_switch on pid = next_pid by comm",
		"span a:b, a:c -> a:d/x == 1/ -> a:e on tid if latency > 10ms && ret < 0 by "
		"entry(filename) "
		"between cpu-clock, page-faults",
		"nest irq:irq_handler_entry -> irq:irq_handler_exit, irq:softirq_entry -> "
		"irq:softirq_exit on cpu",
		"hold kmem:kmalloc -> kmem:kfree on ptr size bytes_alloc by kstack, call_site",
		"list sched:sched_process_exec, sched:sched_process_exit if pid > 1 show comm, "
		"filename",
		"burst sched:sched_switch, irq:softirq_entry every 1ms sample stack if "
		"sched_switch == 0",
		"count a:b if a ? b : c ? d : e",
		"count a:b if (a ? b : c) ? d : e",
		"count a:b by size, show, (struct sock *)skaddr, ((struct sock "
		"*)skaddr)->sk_family",
		"count a:b if comm ~ \"a\\\"\\\\\\x01*\" by -x, --x",
		"count a:b if x == 97 + 4K - 10us + 0xffl + 5u + 5ul + 2147483648u",
	};

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i], rows[i]);
}

static void test_tidied(void **state)
{
	expect("  count\tcpu-clock  by  comm ,pid ", "count cpu-clock by comm, pid");
	expect("count a:b by (a+b)*c, a+(b*c), a-(b-c)",
	       "count a:b by (a + b) * c, a + b * c, a - (b - c)");
	expect("count a:b if x == 'a' + '\\n' - '\\xff'", "count a:b if x == 97 + 10 - '\\xff'");
	expect("span a:b->a:c", "span a:b -> a:c");
	expect("count a:b hist x us if y", "count a:b if y hist x us");
	expect("count mem:16", "count mem:0x10/4:rw");
	expect("count mem:0x10:x", "count mem:0x10/8:x");
	expect("burst a:b every 1000us", "burst a:b every 1ms");
	expect("count a:b if 010 == 0x8 && !(x)", "count a:b if 8 == 0x8 && !x");
	expect("count uprobe:'/a b':f", "count uprobe:\"/a b\":f");
	expect("count uprobe:/bin/x:'operator new(unsigned long)'",
	       "count uprobe:/bin/x:\"operator new(unsigned long)\"");
}

static void test_parts(void **state)
{
	struct question *q =
		parse("span a:b, a:c -> a:d -> usdt:/x:p:n on k = l between cpu-clock");

	assert_int_equal(q->shape, ASK_SPAN);
	assert_int_equal(q->nevents, 5);
	assert_int_equal(q->nsteps, 3);
	assert_int_equal(q->events[1].role, ROLE_BEGIN);
	assert_int_equal(q->events[2].role, ROLE_MIDDLE);
	assert_int_equal(q->events[3].role, ROLE_END);
	assert_int_equal(q->events[3].kind, EVENT_USDT);
	assert_string_equal(q->events[3].path, "/x");
	assert_string_equal(q->events[3].system, "p");
	assert_string_equal(q->events[3].name, "n");
	assert_int_equal(q->events[4].role, ROLE_BETWEEN);
	assert_int_equal(q->events[4].kind, EVENT_PERF);
	assert_non_null(q->on_end);
	question__free(q);
	q = parse("count mem:0x1000/2:w");
	assert_int_equal(q->events[0].addr, 0x1000);
	assert_int_equal(q->events[0].len, 2);
	assert_int_equal(q->events[0].access, BREAK_WRITE);
	question__free(q);
	q = parse("count syscalls:sys_enter_*/fd == 3/ by comm");
	assert_true(q->events[0].glob);
	assert_non_null(q->events[0].filter);
	assert_int_equal(q->events[0].at, 6);
	question__free(q);
	q = parse("burst a:b every 20us");
	assert_int_equal(q->every_ns, 20000);
	question__free(q);
}

/* A ^ in the second line stands below what is wrong in the first. */
static void expect_error(const char *text, const char *caret, const char *msg)
{
	struct expr_error err = {0};
	struct question *q = question__parse(text, &err);
	char lines[1024], want[1024];

	if (q)
		fail_msg("%s is taken", text);
	expr_error__print(&err, text, lines, sizeof(lines));
	snprintf(want, sizeof(want), "%s\n%s\n%s", err.msg, text, caret);
	assert_string_equal(lines, want);
	if (!strstr(err.msg, msg))
		fail_msg("%s: %s", text, err.msg);
}

static void test_errors(void **state)
{
	expect_error("", "^", "a question begins with count");
	expect_error("cuont a:b", "^~~~~", "a question begins with count");
	expect_error("count", "     ^", "an event is expected");
	expect_error("count a:b if", "            ^", "a value is expected");
	expect_error("count a:b if x ==", "                 ^", "a value is expected");
	expect_error("count a:b if (x", "             ^~", "not closed");
	expect_error("count a:b if \"x", "             ^~", "not closed");
	expect_error("count a:b wiht x", "          ^~~~",
		     "unknown word: count has: if by sum hist");
	expect_error("count a:b on x", "          ^~", "not here: count has: if by sum hist");
	expect_error("count a:b if x if y", "               ^~", "there already");
	expect_error("count a:b sum x hist y", "                ^~~~", "either sum or hist");
	expect_error("span a:b", "        ^", "-> is expected");
	expect_error("hold a:b -> a:c", "               ^", "on is missing");
	expect_error("count a:b if 10kg", "               ^~", "units are");
	expect_error("count a:b if 99999999999999999999", "             ^~~~~~~~~~~~~~~~~~~~",
		     "too large");
	expect_error("count uprobe:/x", "               ^", "uprobe:PATH:FUNCTION");
	expect_error("count a:b/x", "         ^", "not closed");
	expect_error("count mem:0x10/3", "               ^", "1, 2, 4 or 8");
	expect_error("burst a:b every 5", "                ^", "every 1ms");
	expect_error("count a:b if 'ab'", "             ^~", "one character");
	expect_error("count a:b if x @ y", "               ^", "not expected here");
	expect_error("count :b", "      ^~", "SYSTEM:NAME");
	expect_error("count a:b by \xc3\xa9", "             ^", "a value is expected");
}

/* What is too much is refused, and what is wrong in it is found. */
static void test_bounds(void **state)
{
	char *text = xmalloc(QUESTION_MAX_LEN + 200);
	struct expr_error err = {0};
	char lines[2048];
	u32 n;

	n = (u32)sprintf(text, "count a:b if ");
	memset(text + n, '(', 60000);
	strcpy(text + n + 60000, "x");
	assert_null(question__parse(text, &err));
	assert_non_null(strstr(err.msg, "too deep"));
	expr_error__print(&err, text, lines, sizeof(lines));
	assert_true(strlen(lines) < 700);
	for (u32 i = 0; i < 15000; i++)
		memcpy(text + n + i * 4, "x + ", 4);
	strcpy(text + n + 60000, "x");
	assert_null(question__parse(text, &err));
	assert_non_null(strstr(err.msg, "at most 1024 terms"));
	memset(text + n, ' ', QUESTION_MAX_LEN);
	strcpy(text + QUESTION_MAX_LEN, "x");
	assert_null(question__parse(text, &err));
	assert_non_null(strstr(err.msg, "65536 bytes"));
	memset(text + n, '!', 60000);
	text[n + 60000] = '\0';
	assert_null(question__parse(text, &err));
	assert_non_null(strstr(err.msg, "too deep"));
	n = (u32)sprintf(text, "list ");
	for (u32 i = 0; i < 100; i++)
		n += (u32)sprintf(text + n, "%sa:b", i ? ", " : "");
	assert_null(question__parse(text, &err));
	assert_non_null(strstr(err.msg, "at most 64 events"));
	free(text);
}

/* Escapes do not get to a terminal. */
static void test_hostile(void **state)
{
	const char *text = "count \x1b[2Ja:b \xe2\x80\xae if";
	struct expr_error err = {0};
	char lines[512];

	assert_null(question__parse(text, &err));
	expr_error__print(&err, text, lines, sizeof(lines));
	assert_null(strchr(lines, '\x1b'));
	assert_null(strstr(lines, "\xe2\x80\xae"));
}

static void test_events(void **state)
{
	struct expr_error err;
	struct arena a;

	arena__init(&a);
	assert_non_null(question_event__parse(" sched:sched_switch ", &a, &err));
	assert_int_equal(question_event__parse("kretprobe:x", &a, &err)->kind, EVENT_KRETPROBE);
	assert_null(question_event__parse("a:b c:d", &a, &err));
	assert_int_equal(err.column, 4);
	assert_int_equal(question_event__parse("cycles:ukp", &a, &err)->kind, EVENT_PERF);
	arena__fini(&a);
}

/* One more condition behind those that are there. */
static void narrowed(void **state)
{
	const struct {
		const char *question, *what, *value;
		bool is_text;
		const char *expected;
	} cases[] = {
		{"list a:b", "x", "5", false, "list a:b if x == 5"},
		{"list a:b if y || z show x", "x", "-5", false, "list a:b if (y || z) && x == -5 show x"},
		{"list a:b if y show s", "s", "a \"b\"\\", true, "list a:b if y && s == \"a \\\"b\\\"\\\\\" show s"},
		{"list a:b show x & 3", "x & 3", "1", false, "list a:b if (x & 3) == 1 show x & 3"},
		{"list a:b show x", "current->pid", "7", false, "list a:b if current->pid == 7 show x"},
		{"list a:b", "x", "?", false, NULL},
		{"list", "x", "1", false, NULL},
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct question_term term = {cases[i].what, cases[i].value, cases[i].is_text};
		char *text = question__narrowed(cases[i].question, &term);

		if (cases[i].expected)
			assert_string_equal(text, cases[i].expected);
		else
			assert_null(text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrowed),
		cmocka_unit_test(test_canonical), cmocka_unit_test(test_tidied),
		cmocka_unit_test(test_parts),	  cmocka_unit_test(test_errors),
		cmocka_unit_test(test_bounds),	  cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
