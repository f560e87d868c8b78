// SPDX-License-Identifier: GPL-2.0-only
/*
 * --serve -: what sources gather goes to standard output as a stream, for a proftop --connect that runs
 * this one; what it wants comes from standard input, in lines (recording/link.h).
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/log.h"
#include "models/model.h"
#include "recording/link.h"
#include "tui/functions.h"
#include "tui/options.h"
#include "tui/serve.h"
#include "tui/signals.h"
#include "tui/record.h"

struct lines {
	char v[2 * LINK_LINE];
	size_t n;
	bool over; /* nothing follows */
};

/* Moves on to what can be read; false: nothing more comes. */
static bool lines__read(struct lines *l)
{
	ssize_t n = read(STDIN_FILENO, l->v + l->n, sizeof(l->v) - l->n);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n > 0)
		l->n += (size_t)n;
	l->over |= n <= 0;
	return n > 0;
}

/* The next whole line, without its end; NULL: none yet. One that is too long ends it all. */
static char *lines__next(struct lines *l, char line[LINK_LINE])
{
	char *end = memchr(l->v, '\n', l->n);
	size_t n = end ? (size_t)(end - l->v) : l->n;

	if (n >= LINK_LINE)
		l->over = true;
	if (!end || l->over)
		return NULL;
	memcpy(line, l->v, n);
	line[n] = '\0';
	l->n -= n + 1;
	memmove(l->v, end + 1, l->n);
	return line;
}

/* What a line has behind this word; NULL: it is another one. */
static const char *behind(const char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) && (line[n] == ' ' || !line[n]) ? line + n + (line[n] == ' ') : NULL;
}

static bool read_sampling(const char *text, struct sampling *s)
{
	unsigned long long freq, period, sample_bytes;
	unsigned int graph, user, kernel, idle, watch, stack_bytes;
	int n = 0;

	if (sscanf(text, "%llu %llu %u %u %u %u %u %llu %u %n", &freq, &period, &graph, &user, &kernel, &idle,
		   &watch, &sample_bytes, &stack_bytes, &n) != 9 || !n || strlen(text + n) >= sizeof(s->event))
		return false;
	if (freq > FREQ_MAX || period > PERIOD_MAX || !freq == !period || graph > CALL_GRAPH_OFF ||
	    (sample_bytes & ~SAMPLE_PAGES) > SAMPLE_BYTES_MAX || stack_bytes < STACK_COPY_MIN || stack_bytes > STACK_COPY_MAX)
		return false;
	s->freq = freq;
	s->period = period;
	s->call_graph = graph;
	s->user = user;
	s->kernel = kernel;
	s->idle = idle;
	s->watch = watch;
	s->sample_bytes = sample_bytes;
	s->stack_bytes = stack_bytes;
	copy_str(s->event, sizeof(s->event), text + n);
	return true;
}

static int model_of(const char *name)
{
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (!strcmp(model_table[m]->name, name))
			return (int)m;
	return -1;
}

/* --- what is said before anything is attached --- */

static char *kept(struct options *o, const char *text)
{
	return arena__strdup(&o->memory, text);
}

static void take_first(struct options *o, struct stream_wish *w, const char *line)
{
	const char *rest;
	int m;
	u64 ns;

	if ((rest = behind(line, "filter")))
		o->scope.filter = *rest ? kept(o, rest) : NULL;
	else if ((rest = behind(line, "sampling")) && read_sampling(rest, &o->sampling))
		;
	else if ((rest = behind(line, "interval")) && option__number(rest, 1, UINT64_MAX / 2, &ns))
		o->interval_ns = ns;
	else if ((rest = behind(line, "want")) && (m = model_of(rest)) >= 0)
		w->models |= 1ULL << m;
	else if (behind(line, "early"))
		w->early = true;
	else if ((rest = behind(line, "ask")) && o->nasks < ASK_MAX)
		o->asks[o->nasks++] = kept(o, rest);
	else if ((rest = behind(line, "function")) && o->nfunctions < FUNCTION_TEXTS)
		o->functions[o->nfunctions++] = kept(o, rest);
	else if ((rest = behind(line, "function-waits")))
		o->function_waits = true;
	else if ((rest = behind(line, "lock-orders")))
		o->sampling.lock_orders = *rest ? LOCK_ORDERS_FORCED : LOCK_ORDERS_ON;
	else if ((rest = behind(line, "counters")))
		option__counters(rest, &o->sampling, &(struct status){0});
	else if ((rest = behind(line, "watch")))
		for (u32 i = 0; i < WATCHES_MAX; i++)
			if (!o->sampling.watches[i]) {
				o->sampling.watches[i] = kept(o, rest);
				break;
			}
}

static struct lines input;

int stream__hear(struct options *o, struct stream_wish *w, struct status *st)
{
	char line[LINK_LINE];

	*w = (struct stream_wish){0};
	o->scope.seen = true; /* who asks is told what is gone */
	for (;;) {
		while (lines__next(&input, line)) {
			if (!strcmp(line, "go"))
				return 0;
			take_first(o, w, line);
		}
		if (!lines__read(&input) || input.over)
			return status__set(st, EXIT_CODE_USAGE, -EPIPE,
					   "--serve -: proftop --connect runs this and says what it wants, "
					   "but nobody did");
	}
}

/* --- what is said while it gathers --- */

static void set_filter(struct collector *c, const char *text)
{
	struct scope_args args = {.filter = text, .seen = true};
	struct status st = {0};
	struct scope *s = scope__build(&args, &st);

	if (s)
		collector__set_scope(c, s);
	else
		log__complain(st.msg);
	scope__put(s);
}

static void take(struct options *o, struct collector *c, const char *line)
{
	const char *rest;
	int m;
	u64 ns;

	if ((rest = behind(line, "filter")))
		set_filter(c, rest);
	else if ((rest = behind(line, "sampling")) && read_sampling(rest, &o->sampling))
		collector__set_sampling(c, &o->sampling);
	else if ((rest = behind(line, "interval")) && option__number(rest, 1, UINT64_MAX / 2, &ns))
		collector__set_interval(c, ns);
	else if ((rest = behind(line, "want")) && (m = model_of(rest)) >= 0)
		collector__want(c, (enum model_id)m, true);
	else if ((rest = behind(line, "rest")) && (m = model_of(rest)) >= 0)
		collector__want(c, (enum model_id)m, false);
}

static void take_lines(struct options *o, struct collector *c)
{
	char line[LINK_LINE];

	lines__read(&input);
	while (lines__next(&input, line))
		take(o, c, line);
}

int stream__run(struct options *o, struct collector *c)
{
	int signals = signals__open();
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = signals, .events = POLLIN},
		{.fd = collector__fd(c), .events = POLLIN},
		{.fd = STDOUT_FILENO}, /* whether anybody reads */
	};
	char line[LINK_LINE];

	while (lines__next(&input, line))
		take(o, c, line);
	while (!input.over && !fds[1].revents && !(fds[3].revents & (POLLERR | POLLHUP))) {
		if (fds[2].revents)
			snap__put(collector__take(c));
		if (fds[0].revents)
			take_lines(o, c);
		if (!input.over && poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR)
			break;
	}
	close(signals);
	return EXIT_CODE_OK;
}
