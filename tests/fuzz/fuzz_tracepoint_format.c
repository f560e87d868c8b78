/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text as a tracepoint's format: fields within a record, which can be asked for by their names.
 */
#include "questions/check.h"
#include "questions/format_print.h"
#include "tests/fuzz/fuzz.h"

static void expect_within(const struct trace_format *f, const struct trace_field *t)
{
	if (!*t->name || !*t->type || t->offset + t->size > TRACE_RECORD_MAX)
		abort();
	if (t->field.type.kind == TYPE_INT && t->field.type.size != 1 && t->field.type.size != 2 &&
	    t->field.type.size != 4 && t->field.type.size != 8)
		abort();
	if (!trace_format__field(f, t->name))
		abort();
}

static void ask(const struct trace_format *f, const struct trace_field *t)
{
	const struct check_scope scope = {.fields = &f->resolver};
	struct expr_error err = {0};
	struct arena a;
	const struct expr *e;

	arena__init(&a);
	e = expr__parse(t->name, &a, &err);
	if (e && !expr__check(e, &scope, WANT_KEY, &a, &err) && !err.msg[0])
		abort();
	arena__fini(&a);
}

static void look_at_print(const struct trace_format *f, const char *field)
{
	char name[16];
	s64 value;

	trace_format__is_code(f, field);
	for (u32 i = 0; i < 4 && trace_format__value(f, field, i, &value, name, sizeof(name)); i++)
		if (strlen(name) >= sizeof(name))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size), why[128] = "";
	struct trace_format *f = trace_format__parse(text, NULL, why, sizeof(why));

	if (!f && !why[0])
		abort();
	for (u32 i = 0; f && i < f->nfields; i++) {
		expect_within(f, &f->fields[i]);
		ask(f, &f->fields[i]);
		if (i < 8)
			look_at_print(f, f->fields[i].name);
	}
	free(text);
	fuzz__through(f);
	trace_format__free(f);
	return 0;
}
