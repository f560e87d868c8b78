/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What anybody may ask of --serve: the target of a request, and behind a NUL headers Accept, Host and
 * Authorization. What comes through names no path and has no control characters.
 */
#include "serve/accept.h"
#include "serve/address.h"
#include "serve/target.h"
#include "serve/token.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *s, size_t size)
{
	if (strnlen(s, size) == size)
		abort();
	for (; *s; s++)
		if ((u8)*s < ' ' || *s == 0x7f)
			abort();
}

static void check_target(const struct target *t)
{
	check_text(t->name, sizeof(t->name));
	check_text(t->suffix, sizeof(t->suffix));
	check_text(t->group, sizeof(t->group));
	check_text(t->filter, sizeof(t->filter));
	check_text(t->sort, sizeof(t->sort));
	if (strchr(t->name, '/') || strchr(t->suffix, '/') || t->seconds > TARGET_SECONDS_MAX)
		abort();
	if ((t->kind == TARGET_VIEW) != (*t->suffix == '.'))
		abort();
}

static void check_headers(const char *s)
{
	struct address a;

	if (accept__quality(s, "text/plain") > 1000 || accept__quality(s, "application/openmetrics-text") > 1000)
		abort();
	address__host_is_plain(s);
	if (token__is("a token of 16 or more", s) && strcasecmp(s, "bearer a token of 16 or more"))
		abort();
	if (address__parse(s, &a) && !a.path && !a.len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *headers, *text = fuzz__string_and(data, size, &headers);
	struct target t;
	char why[128];
	bool good = target__parse(text, &t, why, sizeof(why));

	check_target(&t);
	if (!good && strnlen(why, sizeof(why)) == sizeof(why))
		abort();
	check_headers(headers);
	free(text);
	return fuzz__through(good && t.kind != TARGET_UNKNOWN);
}
