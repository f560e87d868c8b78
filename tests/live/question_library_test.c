// SPDX-License-Identifier: GPL-2.0-only
/*
 * The questions that are compiled in: each is one that prints as itself, has events that this
 * kernel has, and expressions that mean something there; the kernel takes their code. Needs root,
 * tracefs and BPF.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "questions/check.h"
#include "questions/format.h"
#include "questions/library.h"
#include "questions/question.h"
#include "questions/registers.h"
#include "sources/events.h"
#include "tests/lib/question_kernel.h"
#include "tests/lib/skip.h"
#include "tests/lib/tracefs.h"

static struct trace_format *formats[QUESTION_MAX_EVENTS];
static u32 nformats;

static struct trace_format *read_format(const struct question_event *e)
{
	char *path = xasprintf("%s/events/%s/%s/format", event__tracefs(), e->system, e->name);
	char *text = xcalloc(1, TRACE_FORMAT_MAX), why[128];
	FILE *f = fopen(path, "r");
	struct trace_format *format;

	if (!f)
		fail_msg("there is no %s", path);
	assert_true(fread(text, 1, TRACE_FORMAT_MAX - 1, f) > 0);
	fclose(f);
	format = trace_format__parse(text, question_btf__types(types), why, sizeof(why));
	if (!format)
		fail_msg("%s: %s", path, why);
	free(text);
	free(path);
	return format;
}

static const struct field_resolver *fields_of(const struct question_event *e)
{
	switch (e->kind) {
	case EVENT_TRACEPOINT:
		formats[nformats] = read_format(e);
		return &formats[nformats++]->resolver;
	case EVENT_BTF:
		return question_btf__tracepoint(types, e->name);
	case EVENT_UPROBE:
		return registers__fields(REGISTERS_ENTRY);
	case EVENT_URETPROBE:
		return registers__fields(REGISTERS_RETURN);
	default:
		return registers__fields(REGISTERS_PERF);
	}
}

static const struct checked *check(const struct known_question *k, const struct expr *e,
				   const struct check_scope *scope, enum check_want want)
{
	struct expr_error err;
	const struct checked *c = e ? expr__check(e, scope, want, &arena, &err) : NULL;
	char lines[1024];

	if (e && !c) {
		expr_error__print(&err, k->text, lines, sizeof(lines));
		fail_msg("%s: %s", k->name, lines);
	}
	return c;
}

static void load(const struct known_question *k, const struct question_event *e,
		 struct eval_unit *unit)
{
	static const enum bpf_prog_type program_types[EVENT_KINDS] = {
		[EVENT_PERF] = BPF_PROG_TYPE_PERF_EVENT,
		[EVENT_TRACEPOINT] = BPF_PROG_TYPE_TRACEPOINT,
		[EVENT_UPROBE] = BPF_PROG_TYPE_KPROBE,
		[EVENT_URETPROBE] = BPF_PROG_TYPE_KPROBE,
		[EVENT_BTF] = BPF_PROG_TYPE_RAW_TRACEPOINT,
	};
	struct eval_code code;
	char why[128];
	int fd;

	if (eval__generate(unit, &code, why, sizeof(why)))
		fail_msg("%s: %s", k->name, why);
	fd = question__load(&machine, program_types[e->kind], &code);
	if (fd < 0)
		fail_msg("%s: the kernel refuses its code", k->name);
	close(fd);
	eval_code__fini(&code);
}

/* What is asked where the result is made: at the end of a span, else at the event itself. Of hold
 * that is its begin. */
static void check_result(const struct known_question *k, const struct question *q,
			 const struct check_scope *scope, struct eval_unit *unit)
{
	unit->condition =
		checked__both(unit->condition, check(k, q->condition, scope, WANT_NUMBER), &arena);
	for (u32 i = 0; i < q->nby; i++)
		unit->keys[unit->nkeys++] = check(k, q->by[i], scope, WANT_KEY);
	for (u32 i = 0; i < q->nshow; i++)
		unit->values[unit->nvalues++] = check(k, q->show[i], scope, WANT_KEY);
	if (q->value)
		unit->values[unit->nvalues++] = check(k, q->value, scope, WANT_NUMBER);
	if (q->size)
		unit->values[unit->nvalues++] = check(k, q->size, scope, WANT_NUMBER);
}

static void check_event(const struct known_question *k, const struct question *q, u32 i,
			const struct field_resolver *const *fields, struct entry_list *entries)
{
	const struct question_event *e = &q->events[i];
	const u32 words = ((1u << QUESTION_WORDS) - 1) & ~(1u << WORD_LATENCY);
	const bool ends = e->role == ROLE_END;
	struct check_scope scope = {.fields = fields[i],
				    .begin = ends ? fields[0] : NULL,
				    .entries = entries,
				    .words = words | (u32)ends << WORD_LATENCY,
				    .kernel = question_btf__types(types)};
	struct eval_unit unit = {.nkeys = 0};

	unit.condition = check(k, e->filter, &scope, WANT_NUMBER);
	if (q->on)
		unit.keys[unit.nkeys++] =
			check(k, ends && q->on_end ? q->on_end : q->on, &scope, WANT_KEY);
	if (e->role == ROLE_PLAIN || e->role == (q->shape == ASK_HOLD ? ROLE_BEGIN : ROLE_END))
		check_result(k, q, &scope, &unit);
	else if (e->role == ROLE_BEGIN)
		assert_int_equal(eval_unit__add_entries(&unit, entries), 0);
	load(k, e, &unit);
}

static void check_question(const struct known_question *k, const struct question *q)
{
	const struct field_resolver *fields[QUESTION_MAX_EVENTS];
	struct entry_list entries = {.nnumbers = 0};

	for (u32 i = 0; i < q->nevents; i++)
		fields[i] = fields_of(&q->events[i]);
	/* Ends first: they say what begins keep. */
	for (u32 i = q->nevents; i-- > 0;)
		check_event(k, q, i, fields, &entries);
	while (nformats)
		trace_format__free(formats[--nformats]);
}

static void test_library(void **state)
{
	const struct known_question *k;
	u32 n;

	if (geteuid())
		skip_because("formats are read by root alone");
	if (!tracefs__mount())
		skip_because("tracefs cannot be mounted");
	for (n = 0; (k = question_library__at(n)); n++) {
		struct expr_error err;
		struct question *q = question__parse(k->text, &err);

		if (!q)
			fail_msg("%s: column %u: %s", k->name, err.column, err.msg);
		assert_string_equal(q->text, k->text);
		assert_ptr_equal(question_library__find(k->name), k);
		assert_true(strlen(k->help) > 10 && strlen(k->help) < 80);
		check_question(k, q);
		question__free(q);
	}
	assert_true(n >= 60);
	assert_null(question_library__find("no such question"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
