// SPDX-License-Identifier: GPL-2.0-only
/* Every tracepoint of this kernel: its format is read, and the kernel takes a program that has all
 * of its fields as values. Needs root, tracefs and BPF. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "questions/format.h"
#include "sources/events.h"
#include "tests/lib/question_load.h"
#include "tests/lib/skip.h"
#include "tests/lib/tracefs.h"

static struct question_machine machine;

static char *read_file(const char *path)
{
	char *text = xmalloc(TRACE_FORMAT_MAX);
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, TRACE_FORMAT_MAX - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return text;
}

static void try_unit(const struct eval_unit *unit, const char *path)
{
	struct eval_code code;
	char why[128];
	int fd;

	if (eval__generate(unit, &code, why, sizeof(why)))
		fail_msg("%s: %s", path, why);
	fd = question__load(&machine, BPF_PROG_TYPE_TRACEPOINT, &code);
	if (fd < 0)
		fail_msg("%s: the kernel refuses its fields", path);
	close(fd);
	eval_code__fini(&code);
}

/* All fields that are keys, in as many programs as that takes; their number. */
static u32 try_fields(const struct trace_format *f, const char *path)
{
	const struct check_scope scope = {.fields = &f->resolver};
	struct eval_unit unit = {.nvalues = 0};
	struct expr_error err;
	struct arena a;
	u32 n = 0;

	arena__init(&a);
	for (u32 i = 0; i < f->nfields; i++) {
		const struct expr *e = expr__parse(f->fields[i].name, &a, &err);
		const struct checked *c = e ? expr__check(e, &scope, WANT_KEY, &a, &err) : NULL;

		if (!e)
			fail_msg("%s: %s is no name", path, f->fields[i].name);
		if (!c)
			assert_true(f->fields[i].common ||
				    f->fields[i].field.type.kind == TYPE_RECORD);
		else
			unit.values[unit.nvalues++] = c;
		n += c != NULL;
		if (unit.nvalues == QUESTION_VALUES || (unit.nvalues && i + 1 == f->nfields)) {
			try_unit(&unit, path);
			unit.nvalues = 0;
		}
	}
	arena__fini(&a);
	return n;
}

static void test_all(void **state)
{
	u32 fields = 0;
	char *pattern;
	glob_t found;

	if (geteuid())
		skip_because("formats are read by root alone");
	if (!tracefs__mount())
		skip_because("tracefs cannot be mounted");
	question_machine__open(&machine);
	pattern = xasprintf("%s/events/*/*/format", event__tracefs());
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *text = read_file(found.gl_pathv[i]), why[128];
		struct trace_format *f = trace_format__parse(text, NULL, why, sizeof(why));

		if (!f)
			fail_msg("%s: %s", found.gl_pathv[i], why);
		fields += try_fields(f, found.gl_pathv[i]);
		trace_format__free(f);
		free(text);
	}
	print_message("%zu tracepoints, %u fields\n", found.gl_pathc, fields);
	assert_true(found.gl_pathc > 100 && fields > found.gl_pathc);
	globfree(&found);
	free(pattern);
	question_machine__close(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
