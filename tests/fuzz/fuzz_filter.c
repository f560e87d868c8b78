/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text: a scope whose own text means the same, or an error that points into the text. What is
 * made of either is right again. */
#include "core/filter.h"
#include "tests/fuzz/fuzz.h"

static void expect_stable(const struct scope *s)
{
	struct filter_error err = {0};
	struct scope *again = filter__parse(s->text, &err);

	if (!again || strcmp(again->text, s->text))
		abort();
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
	char *text = fuzz__string(data, size);
	struct filter_error err = {0};
	struct scope *s = filter__parse(text, &err);

	if (s) {
		expect_stable(s);
		expect_right(filter__without(text, "pid tree comm"));
		expect_right(filter__without(s->text, "cgroup sym"));
		scope__put(s);
	} else if (!err.msg[0] || !err.length || err.column > strlen(text)) {
		abort();
	}
	if (*text)
		expect_right(filter__cgroup(text, size & 1));
	free(text);
	return 0;
}
