/* SPDX-License-Identifier: GPL-2.0-only */
/* --do 'WORDS; WORDS': lines for the palette, each when what the last one led to is shown. */
#include "core/clock.h"
#include "tui/app.h"

/* Where names never end to come, or a view gets no samples. */
#define PATIENCE_NS (5 * NSEC_PER_SEC)

static bool has_rows(const struct host *h)
{
	enum model_id feed = view_table[h->view]->feed;

	return !view_table[h->view]->models || h->frame->snaps[feed] ||
	       h->frame->feeds[feed].state == FEED_FAILED;
}

bool todo__due(const struct host *h, bool idle)
{
	if (h->todo >= h->options->ntodo || !h->frame)
		return false;
	if (idle && has_rows(h))
		return true;
	/* A script has a clock of its own. */
	return !h->ops->idle &&
	       clock__monotonic_ns() > MAX(h->todo_from_ns, h->began_ns) + PATIENCE_NS;
}

/* Up to a ; without a backslash before it; returns what follows it. */
static const char *next_words(const char *from, char *line, size_t size)
{
	size_t n = 0;

	for (; *from && *from != ';'; from++) {
		from += from[0] == '\\' && from[1] == ';';
		if (n + 1 < size)
			line[n++] = *from;
	}
	line[n] = '\0';
	return *from ? from + 1 : from;
}

void todo__next(struct host *h)
{
	const char *all = h->options->todo[h->todo], *rest;
	struct status st = {0};
	char line[PROMPT_MAX];

	rest = next_words(all + h->todo_at, line, sizeof(line));
	h->todo_at = (size_t)(rest - all);
	if (!*rest) {
		h->todo++;
		h->todo_at = 0;
	}
	h->todo_from_ns = clock__monotonic_ns();
	h->dirty = true;
	if (palette__run(h, line, &st))
		return;
	h->todo = h->options->ntodo;
	host__message(h, ROLE_ERROR, "--do \"%.60s\": %s", line + strspn(line, " "), st.msg);
}
