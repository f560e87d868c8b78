/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Any text: a scope whose own text means the same, or an error that points into the text. What is
 * made of either is right again. Behind a NUL is what threads, functions and objects are called,
 * which need not be UTF-8: both scopes say the same of it.
 */
#include "scope/filter.h"
#include "tests/fuzz/fuzz.h"

/* A bit for each term; matching is bounded by steps, so that each may take a while. */
static u32 matches(const struct name_term *terms, u32 n, const char *name)
{
	u32 bits = 0;

	for (u32 i = 0; i < n; i++)
		bits |= (u32)name_term__match(&terms[i], name) << i;
	return bits;
}

static void expect_same(const struct scope *a, const struct scope *b, const char *name)
{
	u32 comms = matches(a->comms, a->ncomms, name);

	if (a->ncomms != b->ncomms || a->nsyms != b->nsyms || a->nobjects != b->nobjects ||
	    matches(a->syms, a->nsyms, name) != matches(b->syms, b->nsyms, name) ||
	    matches(a->objects, a->nobjects, name) != matches(b->objects, b->nobjects, name))
		abort();
	if (scope__comm(b, name) != (comms == (u32)((1ULL << a->ncomms) - 1)))
		abort();
}

static void expect_stable(const struct scope *s, const char *name)
{
	struct filter_error err = {0};
	struct scope *again = filter__parse(s->text, &err);

	if (!again || strcmp(again->text, s->text))
		abort();
	expect_same(s, again, name);
	scope__put(again);
}

static void expect_right(char *expr)
{
	struct filter_error err = {0};
	struct scope *s = strlen(expr) > FILTER_MAX_LEN ? NULL : filter__parse(expr, &err);

	if (!s && strlen(expr) <= FILTER_MAX_LEN)
		abort();
	scope__put(s);
	free(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name, *text = fuzz__string_and(data, size, &name);
	struct filter_error err = {0};
	struct scope *s = filter__parse(text, &err);
	bool right = s;

	if (s) {
		expect_stable(s, name);
		expect_right(filter__without(text, "pid tree comm"));
		expect_right(filter__without(s->text, "cgroup sym"));
		scope__put(s);
	} else if (!err.msg[0] || !err.length || err.column > strlen(text)) {
		abort();
	}
	if (*text)
		expect_right(filter__cgroup(text, size & 1));
	free(text);
	return fuzz__through(right);
}
