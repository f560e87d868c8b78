/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any text: a question that is printed as itself, or an error that points into the text. Its
 * expressions are checked against a made-up event; what passes is compiled, and interpreted.
 */
#include "questions/question.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/question_event.h"
#include "tui/own_questions.h"

static void expect_stable(const struct question *q)
{
	struct expr_error err = {0};
	struct question *again = question__parse(q->text, &err);

	if (!again || strcmp(again->text, q->text) || again->nevents != q->nevents ||
	    !expr__equal(again->condition, q->condition) || !expr__equal(again->value, q->value) ||
	    !expr__equal(again->on, q->on) || !expr__equal(again->size, q->size))
		abort();
	for (u32 i = 0; i < q->nby; i++)
		if (!expr__equal(again->by[i], q->by[i]))
			abort();
	question__free(again);
}

static void expect_pointing(const struct expr_error *err, const char *text)
{
	char lines[2048];

	if (!err->msg[0] || !err->length || err->column > strlen(text))
		abort();
	expr_error__print(err, text, lines, sizeof(lines));
	for (const char *p = lines; *p; p++)
		if ((u8)*p < ' ' && *p != '\n')
			abort();
}

static const struct checked *check(const struct expr *e, enum check_want want, const char *text,
				   struct entry_list *entries, struct arena *a)
{
	const struct check_scope scope = {.fields = &test_fields,
					  .begin = &test_fields,
					  .entries = entries,
					  .kernel = &test_types,
					  .words = (1u << QUESTION_WORDS) - 1};
	struct expr_error err = {0};
	const struct checked *c = e ? expr__check(e, &scope, want, a, &err) : NULL;

	if (e && !c)
		expect_pointing(&err, text);
	return c;
}

static void run_unit(const struct eval_unit *unit)
{
	static struct record to, context = {.p = &to, .str = (char *)"here", .name = "name"};
	static const struct interpret_event event = {&context, TEST_CONTEXT, &test_memory};
	static struct question_frame frame;
	struct eval_code code;
	char why[128] = "";

	to.str = (char *)"there";
	to.p = &context;
	if (eval__generate(unit, &code, why, sizeof(why))) {
		if (!why[0])
			abort();
		return;
	}
	interpret__run(unit, &event, &frame);
	eval_code__fini(&code);
}

/* Whether all that is in it means something. */
static bool check_all(const struct question *q, const char *text)
{
	struct entry_list entries = {.nnumbers = 0};
	struct eval_unit unit = {.nkeys = 0};
	struct arena a;
	bool right = true;

	arena__init(&a);
	unit.condition = check(q->condition, WANT_NUMBER, text, &entries, &a);
	for (u32 i = 0; i < q->nby; i++) {
		unit.keys[unit.nkeys] = check(q->by[i], WANT_KEY, text, &entries, &a);
		right = right && unit.keys[unit.nkeys];
		unit.nkeys += unit.keys[unit.nkeys] != NULL;
	}
	if (q->value && (unit.values[0] = check(q->value, WANT_NUMBER, text, &entries, &a)))
		unit.nvalues = 1;
	right = right && !unit.condition == !q->condition && !unit.nvalues == !q->value;
	run_unit(&unit);
	arena__fini(&a);
	return right;
}

/* As a file of one's own: one line, without what a terminal would act on. */
static void read_as_file(const char *data, size_t size)
{
	struct status st = {0};
	struct own_question q;

	if (own_question__parse("q", data, size, &q, &st)) {
		if (q.text || !st.msg[0])
			abort();
		return;
	}
	for (const char *c = q.text; *c; c++)
		if ((u8)*c < ' ' && *c != '\t')
			abort();
	if (strlen(q.text) > size)
		abort();
	free(q.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size);
	struct expr_error err = {0};
	struct question *q = question__parse(text, &err);
	bool right = false;

	read_as_file((const char *)data, size);
	if (q) {
		expect_stable(q);
		right = check_all(q, text);
	} else {
		expect_pointing(&err, text);
	}
	question__free(q);
	free(text);
	return fuzz__through(right);
}
