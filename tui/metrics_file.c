// SPDX-License-Identifier: GPL-2.0-only
#include "tui/metrics_file.h"

#include <errno.h>
#include <stdlib.h>

#include "samples/counters.h"
#include "tui/own_files.h"
#include "tui/text_file.h"

int metrics_file__parse(const char *text, size_t len, const char *name, struct status *st)
{
	struct text_lines l = {.name = name, .pos = text, .end = text + len, .st = st};
	char word[TEXT_WORD_MAX], why[160];
	const char *from, *to;

	while (text_lines__next(&l, &from, &to)) {
		text_word(from, to, word);
		if (*word && metrics__add(from, to, why, sizeof(why)))
			return text_lines__fail(&l, "metric", word, why);
	}
	return 0;
}

int metrics_file__load(struct status *st)
{
	char path[OWN_PATH_MAX], *text;
	size_t len;
	int err;

	if (!own_file__find("metrics", path))
		return 0;
	err = text_file__read(path, "metrics", true, &text, &len, st);
	if (!err)
		err = metrics_file__parse(text, len, path, st);
	free(text);
	return err;
}
