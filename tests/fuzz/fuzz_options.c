/* SPDX-License-Identifier: GPL-2.0-only */
/* A command line, one word a line: options within their bounds, or an error in words. Its words are
 * read as times of a replay too. */
#include "base/arena.h"
#include "base/timepoint.h"
#include "tests/fuzz/fuzz.h"
#include "tui/options.h"
#include "tui/view.h"

#define WORDS 64

/* In the place of the views, which draw and know models. */
static const struct view_ops a_view = {.name = "cpu"};
const struct view_ops *const view_table[VIEW_COUNT] = {[0 ... VIEW_COUNT - 1] = &a_view};

#include "tests/fuzz/view_names.h"

static u32 split(char *text, char *argv[WORDS + 1])
{
	u32 n = 0;

	argv[n++] = (char *)"proftop";
	for (char *word = strsep(&text, "\n"); word && n < WORDS; word = strsep(&text, "\n"))
		argv[n++] = word;
	argv[n] = NULL;
	return n;
}

static void check(const struct options *o)
{
	if (o->noutputs > MAX_OUTPUTS || o->ncommands > MAX_COMMANDS || !o->interval_ns ||
	    o->interval_ns > 86400 * NSEC_PER_SEC || o->columns < 0 || o->columns > 1000 ||
	    o->rows < 0 || o->rows > 1000)
		abort();
	if (!(o->speed >= 0 && o->speed <= 1000) || o->sampling.freq > FREQ_MAX)
		abort();
	for (u32 i = 0; i < o->noutputs; i++)
		if (!export__by_suffix(o->outputs[i]))
			abort();
}

static void read_times(char *const argv[])
{
	static const struct timespan_sleep sleeps[] = {{900 * NSEC_PER_SEC, 7200 * NSEC_PER_SEC}};
	struct timespan span = {.begin_ns = 5 * NSEC_PER_SEC,
				.end_ns = 4000 * NSEC_PER_SEC,
				.begin_wall = 1700000000,
				.nsleeps = ARRAY_SIZE(sleeps),
				.sleeps = sleeps};
	char buf[32];
	u64 ns;

	for (u32 i = 0; argv[i]; i++) {
		if (!timepoint__parse(argv[i], &span, &ns))
			continue;
		if (ns < span.begin_ns || ns > span.end_ns)
			abort();
		timepoint__format(buf, sizeof(buf), &span, ns);
		if (!buf[0])
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size), *argv[WORDS + 1];
	u32 n = split(text, argv);
	struct status st = {0};
	struct options o;
	bool right;

	read_times(argv);
	right = !options__parse(&o, (int)n, argv, &st);
	if (right)
		check(&o);
	else if (!st.msg[0])
		abort();
	options__fini(&o);
	free(text);
	return fuzz__through(right);
}
