/* SPDX-License-Identifier: GPL-2.0-only */
/* --do 'WORDS; WORDS', and those of the tour: lines for the palette, each when what the last one led to is shown. */
#include <stdio.h>

#include "base/clock.h"
#include "tui/app.h"

/* Where names never end to come; and for the first frame of a view, as attaching takes long on a busy machine. */
#define PATIENCE_NS (5 * NSEC_PER_SEC)
#define ATTACH_NS   (60 * NSEC_PER_SEC)

/* The interval in which a source was attached is shorter than those asked for. */
static bool is_whole(const struct host *h, const struct snap *s)
{
	bool clocked = headless__is(h) && !h->manual && !time_travel__plays(h);

	return s && (!clocked || s->t1_ns - s->t0_ns >= h->interval_ns - h->interval_ns / 10);
}

static bool has_rows(const struct host *h)
{
	enum model_id feed = view_table[h->view]->feed;

	return !view_table[h->view]->models || is_whole(h, h->frame->snaps[feed]) ||
	       h->frame->feeds[feed].state == FEED_FAILED;
}

static u64 patient_until(const struct host *h, u64 from_ns)
{
	u64 from = MAX(h->command_from_ns, from_ns);

	return h->command_rows_ns ? MAX(from, h->command_rows_ns) + PATIENCE_NS : from + ATTACH_NS;
}

/* A view that has just begun has some first samples before its first interval is over. */
static bool is_ready(const struct host *h, bool idle)
{
	u64 now = clock__monotonic_ns(), from = MAX(h->command_view_ns, h->began_ns);
	bool clocked = !h->manual && !time_travel__plays(h);

	if (!h->frame || (clocked && now < from + h->interval_ns))
		return false;
	if (idle && has_rows(h))
		return true;
	/* A script has a clock of its own. */
	return !h->options->script && now > patient_until(h, from + h->interval_ns);
}

/* Words that are about no row, and in batch mode need none: the report is of the view they lead to. */
static bool leads_elsewhere(const struct host *h)
{
	const char *words = h->commands[h->command] + h->command_at;

	words += strspn(words, " ");
	return headless__is(h) && !strncmp(words, "view ", 5);
}

void commands__look(struct host *h)
{
	if (!h->frame || !has_rows(h))
		h->command_rows_ns = 0;
	else if (!h->command_rows_ns)
		h->command_rows_ns = clock__monotonic_ns();
}

void commands__set(struct host *h, const char *const *list, u32 n)
{
	h->commands = list;
	h->ncommands = n;
	h->command = 0;
	h->command_at = 0;
}

bool commands__due(const struct host *h, bool idle)
{
	return h->command < h->ncommands && h->frame && (leads_elsewhere(h) || is_ready(h, idle));
}

bool commands__waits(const struct host *h)
{
	return h->command < h->ncommands || headless__is(h);
}

bool commands__over(const struct host *h, bool idle)
{
	return h->command >= h->ncommands && is_ready(h, idle);
}

/* Up to a ; without a backslash before it; returns what follows it. */
static const char *next_command(const char *from, char *line, size_t size)
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

void commands__next(struct host *h)
{
	const char *all = h->commands[h->command], *rest;
	const enum view_id view = h->view;
	struct status st = {0};
	char line[PROMPT_MAX];

	rest = next_command(all + h->command_at, line, sizeof(line));
	h->command_at = (size_t)(rest - all);
	if (!*rest) {
		h->command++;
		h->command_at = 0;
	}
	h->command_from_ns = clock__monotonic_ns();
	h->command_rows_ns = 0;
	h->dirty = true;
	if (palette__run(h, line, &st)) {
		h->command_view_ns = h->view == view ? h->command_view_ns : h->command_from_ns;
		return;
	}
	h->command = h->ncommands;
	host__message(h, ROLE_ERROR, "--do \"%.60s\": %s", line + strspn(line, " "), st.msg);
	h->message_code = st.code;
}
