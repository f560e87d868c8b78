// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions by the kernel's own types: members of the running task against what /proc and system
 * calls say of this process, arguments of every raw tracepoint. Needs root and BPF.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "tests/lib/question_kernel.h"
#include "tests/lib/skip.h"


static const struct checked *check(const char *text, const struct field_resolver *fields,
				   struct expr_error *err)
{
	const struct check_scope scope = {
		.fields = fields, .kernel = question_btf__types(types), .words = 1u << WORD_TASK};
	const struct expr *e = expr__parse(text, &arena, err);

	return e ? expr__check(e, &scope, WANT_KEY, &arena, err) : NULL;
}

static void ask(struct eval_unit *unit, const char *text)
{
	struct expr_error err;
	const struct checked *c = check(text, NULL, &err);

	if (!c)
		fail_msg("%s: column %u: %s", text, err.column, err.msg);
	unit->values[unit->nvalues++] = c;
}

/* Runs it as this process. */
static void result(const struct eval_unit *unit)
{
	u64 context[12] = {0};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = context, .ctx_size_in = sizeof(context));
	struct eval_code code;
	char why[128];
	int fd;

	assert_int_equal(eval__generate(unit, &code, why, sizeof(why)), 0);
	fd = question__load(&machine, BPF_PROG_TYPE_RAW_TRACEPOINT, &code);
	assert_true(fd >= 0);
	memset(machine.frame, 0, sizeof(*machine.frame));
	assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
	assert_int_equal(opts.retval, 1);
	assert_int_equal(machine.frame->faults, 0);
	close(fd);
	eval_code__fini(&code);
}

/* Field n, from 1, of /proc/self/stat; ours has no blanks in its name. */
static u64 stat_field(u32 n)
{
	FILE *f = fopen("/proc/self/stat", "r");
	char word[128] = "";

	assert_non_null(f);
	while (n--)
		assert_int_equal(fscanf(f, "%127s", word), 1);
	fclose(f);
	return strtoull(word, NULL, 10);
}

static void test_members(void **state)
{
	struct sched_param param = {0};
	struct eval_unit unit = {.nvalues = 0};
	const __u64 *values;

	if (geteuid())
		skip_because("programs are loaded by root alone");
	values = machine.frame->values;
	assert_int_equal(prctl(PR_SET_NAME, "asked"), 0);
	assert_int_equal(sched_setscheduler(0, SCHED_BATCH | SCHED_RESET_ON_FORK, &param), 0);
	ask(&unit, "current->tgid");
	ask(&unit, "current->real_parent->tgid");
	ask(&unit, "current->comm");
	ask(&unit, "current->mm->arg_start");		 /* in an anonymous struct */
	ask(&unit, "current->sched_reset_on_fork + 10"); /* a bit field */
	ask(&unit, "current->static_prio - 120");
	ask(&unit, "((struct task_struct *)((u64)current + 0))->policy");
	result(&unit);
	assert_int_equal(values[0], getpid());
	assert_int_equal(values[1], getppid());
	assert_string_equal(machine.frame->texts[0].s, "asked");
	assert_int_equal(values[3], stat_field(48));
	assert_int_equal(values[4], 11);
	assert_int_equal((s64)values[5], getpriority(PRIO_PROCESS, 0));
	assert_int_equal(values[6], SCHED_BATCH);
}

static void expect_error(const char *text, const struct field_resolver *fields, const char *msg)
{
	struct expr_error err = {0};

	if (check(text, fields, &err))
		fail_msg("%s is taken", text);
	if (strncmp(err.msg, msg, strlen(msg)))
		fail_msg("%s: %s", text, err.msg);
}

static void test_errors(void **state)
{
	const struct field_resolver *f = question_btf__tracepoint(types, "sched_switch");

	assert_non_null(f);
	expect_error("current->nope", NULL, "no member `nope`: there are ");
	expect_error("current->se", NULL, "this is a struct or array: take a member of it");
	expect_error("current->mm->nope->x", NULL, "no member `nope`: there are ");
	expect_error("(struct no_such_struct *)current", NULL, "there is no struct no_such_struct");
	expect_error("nope", f, "no field `nope`: sched_switch has preempt, prev, next");
	assert_null(question_btf__tracepoint(types, "no_such_tracepoint"));
	assert_null(question_btf__function(types, "no_such_function", false));
}

/* All arguments of a raw tracepoint as values; their number. */
static u32 try_arguments(const char *name)
{
	const struct field_resolver *f = question_btf__tracepoint(types, name);
	struct eval_unit unit = {.nvalues = 0};
	struct eval_code code;
	struct expr_error err;
	char field[64], why[128];
	int fd;

	if (!f)
		fail_msg("%s has no arguments", name);
	for (u32 i = 0; unit.nvalues < QUESTION_VALUES && f->name(f, i, field, sizeof(field));
	     i++) {
		const struct checked *c = check(field, f, &err);

		if (c)
			unit.values[unit.nvalues++] = c;
		else if (!strstr(err.msg, "by value"))
			fail_msg("%s: %s: %s", name, field, err.msg);
	}
	assert_int_equal(eval__generate(&unit, &code, why, sizeof(why)), 0);
	fd = question__load(&machine, BPF_PROG_TYPE_RAW_TRACEPOINT, &code);
	if (fd < 0)
		fail_msg("%s: the kernel refuses its arguments", name);
	close(fd);
	eval_code__fini(&code);
	return unit.nvalues;
}

static void test_tracepoints(void **state)
{
	u32 n = 0, arguments = 0;

	if (geteuid())
		skip_because("programs are loaded by root alone");
	for (u32 id = 1; id < btf__type_cnt(kernel); id++) {
		const struct btf_type *t = btf__type_by_id(kernel, id);
		const char *name = btf__str_by_offset(kernel, t->name_off);

		if (!btf_is_typedef(t) || strncmp(name, "btf_trace_", 10))
			continue;
		arguments += try_arguments(name + 10);
		n++;
	}
	print_message("%u tracepoints, %u arguments\n", n, arguments);
	assert_true(n > 100 && arguments > n);
}

/* rq->__data_len, as the contract has it; its type is that of the kernel. */
static void test_argument_members(void **state)
{
	const struct field_resolver *f = question_btf__tracepoint(types, "block_rq_issue");
	struct expr_error err;
	const struct checked *c;

	assert_non_null(f);
	c = check("rq->__data_len", f, &err);
	assert_non_null(c);
	assert_int_equal(c->type.size, 4);
	assert_false(c->type.is_signed);
	assert_non_null(check("rq->q->disk->disk_name", f, &err));
	f = question_btf__function(types, "vfs_read", false);
	assert_non_null(f);
	c = check("file->f_pos + count", f, &err);
	assert_non_null(c);
	c = check("buf", f, &err); /* char __user * */
	assert_int_equal(c->type.kind, TYPE_TEXT);
	f = question_btf__function(types, "vfs_read", true);
	c = check("ret", f, &err);
	assert_true(c->type.is_signed && c->type.size == 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_argument_members),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
