/* SPDX-License-Identifier: GPL-2.0-only */
/* Any text: a scope whose own text means the same, or an error that points into the text. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size);
	struct filter_error err = {0};
	struct scope *s = filter__parse(text, &err);

	if (s) {
		expect_stable(s);
		scope__put(s);
	} else if (!err.msg[0] || !err.length || err.column > strlen(text)) {
		abort();
	}
	free(text);
	return 0;
}
