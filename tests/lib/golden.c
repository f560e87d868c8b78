/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/lib/golden.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define GOLDEN_MAX (1024 * 1024)

void golden__locale(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "C.utf8"))
		exit(1);
}

char *golden__text(const struct canvas *c, bool roles)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	canvas__dump(c, f, roles);
	assert_int_equal(fclose(f), 0);
	return text;
}

static char *read_golden(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text;

	if (!f)
		return NULL;
	text = calloc(1, GOLDEN_MAX);
	assert_non_null(text);
	if (!fread(text, 1, GOLDEN_MAX - 1, f))
		text[0] = '\0';
	fclose(f);
	return text;
}

static void write_golden(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

void golden__check(const struct canvas *c, const char *name, bool roles)
{
	const char *update = getenv("UPDATE_GOLDENS");
	char path[256], *want, *is = golden__text(c, roles);

	snprintf(path, sizeof(path), "tests/render/%s.golden", name);
	if (update && update[0] == '1')
		write_golden(path, is);
	want = read_golden(path);
	if (!want || strcmp(want, is) != 0)
		fail_msg("%s differs (UPDATE_GOLDENS=1 rewrites it). Now:\n%s\nin the file:\n%s",
			 path, is, want ? want : "(there is none)");
	free(want);
	free(is);
}
