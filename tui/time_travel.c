// SPDX-License-Identifier: GPL-2.0-only
#include "tui/time_travel.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/timepoint.h"
#include "recording/player.h"
#include "recording/timeline.h"
#include "tui/app.h"
#include "widgets/spark.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)

bool time_travel__plays(const struct host *h)
{
	return h->options->replay || h->time_travel.live;
}

struct collector *time_travel__live(const struct host *h)
{
	return h->time_travel.live ? h->time_travel.live : h->collector;
}

/* --- how long it is --- */

/* Of what is shown: the recording, or what is kept. */
static const struct recording_state *recording(const struct host *h)
{
	return time_travel__plays(h) ? &h->frame->recording : &h->frame->history;
}

/* A recording knows what the time was when it began; else what it is now is known, and how long
 * the machine has slept since. */
static time_t begin_wall(const struct host *h, const struct timespan *s)
{
	u64 slept_ns = s->nsleeps ? s->sleeps[s->nsleeps - 1].slept_ns : 0;

	if (h->tour.on)
		return player__wall(h->time_travel.player);
	if (h->options->replay)
		return player__wall(h->player);
	return h->manual ? 0 : clock__wall(s->begin_ns) - (time_t)(slept_ns / NSEC_PER_SEC);
}

/* The newest time of all is told by the intervals, when they are known. */
static struct timespan span(const struct host *h)
{
	const struct timeline *line = h->time_travel.line;
	const struct recording_state *t = recording(h);
	struct timespan s = {.begin_ns = t->begin_ns, .end_ns = MAX(t->end_ns, t->begin_ns)};

	if (line && line->n) {
		s.end_ns = MAX(s.begin_ns, line->v[line->n - 1].t1_ns);
		s.sleeps = line->sleeps;
		s.nsleeps = line->nsleeps;
	}
	s.begin_wall = begin_wall(h, &s);
	return s;
}

/* --- the timeline, read by a worker --- */

struct line_job {
	struct job job;
	struct host *host;
	int fd; /* -1: it was taken */
	struct timeline *line;
};

static void line_job__run(struct job *job)
{
	struct line_job *j = (struct line_job *)job;
	struct status st = {0};

	if (j->fd >= 0)
		j->line = timeline__read(j->fd, &st);
	j->fd = -1;
}

static void line_job__drop(struct job *job)
{
	struct line_job *j = (struct line_job *)job;

	if (j->fd >= 0)
		close(j->fd);
	free(j->line);
	free(j);
}

static void line_job__done(struct job *job)
{
	struct line_job *j = (struct line_job *)job;
	struct time_travel *p = &j->host->time_travel;

	p->line_asked = false;
	if (j->line) {
		free(p->line);
		p->line = j->line;
		j->line = NULL;
	}
	host__redraw(j->host);
	line_job__drop(job);
}

static void ask_for_line(struct host *h)
{
	struct line_job *j;

	if (h->time_travel.line_asked)
		return;
	h->time_travel.line_asked = true;
	j = xcalloc(1, sizeof(*j));
	j->job = (struct job){.run = line_job__run, .done = line_job__done, .drop = line_job__drop};
	j->host = h;
	j->fd = reader__another_fd(player__reader(h->time_travel.live ? h->time_travel.player : h->player));
	worker__post(h->lists, &j->job);
}

/* --- to the history and back --- */

bool time_travel__enter(struct host *h, struct player *player, struct status *st)
{
	struct collector_config cfg = {.symbols = h->symbols,
				       .borrows_symbols = true,
				       .scope = h->scope,
				       .sampling = h->sampling,
				       .interval_ns = h->interval_ns,
				       .manual_tick = h->manual,
				       .sources = player__sources()};
	struct recording_summary sum;
	struct collector *c;

	reader__summary(player__reader(player), &sum);
	cfg.wanted = sum.models;
	cfg.replay = player__replay(player);
	c = collector__start(&cfg, st);
	if (!c) {
		player__free(player);
		return false;
	}
	h->time_travel.player = player;
	h->time_travel.live = h->collector;
	h->time_travel.now = snap__get(h->frame);
	h->collector = c;
	return true;
}

static bool enter_history(struct host *h, struct status *st)
{
	struct player *player;
	int fd;

	if (h->time_travel.memory < 0) {
		status__set(st, EXIT_CODE_USAGE, -ENODATA,
			    "no history is kept: --history 0 was asked for");
		return false;
	}
	fd = fcntl(h->time_travel.memory, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		status__set(st, EXIT_CODE_FAILURE, -errno, "cannot look at the history: %s",
			    strerror(errno));
	player = fd < 0 ? NULL : player__open_memory(fd, h->symbols, st);
	return player && time_travel__enter(h, player, st);
}

static const struct frame *newest(struct host *h)
{
	const struct frame *f = collector__take(h->time_travel.live);

	if (!f)
		return h->time_travel.now;
	snap__put(h->time_travel.now);
	return f;
}

void time_travel__leave(struct host *h)
{
	struct time_travel *p = &h->time_travel;

	if (h->tour.on) {
		tour__end(h);
		return;
	}
	if (!p->live)
		return;
	collector__stop(h->collector);
	player__free(p->player);
	p->player = NULL;
	h->collector = p->live;
	h->paused = false;
	app__show_frame(h, newest(h));
	p->live = NULL;
	p->now = NULL;
	free(p->line);
	p->line = NULL;
	p->at_ns = p->mark_ns = 0;
	host__message(h, ROLE_OK, "live");
}

void time_travel__fini(struct host *h)
{
	time_travel__leave(h);
	free(h->time_travel.line);
	h->time_travel.line = NULL;
}

/* --- going to a time --- */

/* The end of the interval before, or after, a time that is so far away; UINT64_MAX: there is none.
 */
static u64 beside(const struct host *h, u64 t, u64 far, bool back)
{
	const struct timeline *l = h->time_travel.line;
	u64 wanted = back ? t - MIN(t, far) : t + far, best = UINT64_MAX;

	if (!l) /* not read yet: about there */
		return back ? MIN(wanted, t - MIN(t, h->interval_ns))
			    : MAX(wanted, t + h->interval_ns);
	for (u32 i = 0; i < l->n; i++) {
		u64 t1 = l->v[i].t1_ns;

		if (back && t1 < t && (best == UINT64_MAX || t1 <= MAX(wanted, l->v[0].t1_ns)))
			best = t1;
		if (!back && t1 > t && (best == UINT64_MAX || t1 <= wanted))
			best = t1;
	}
	return best;
}

/* What is summed, between two intervals with both of them. */
static void summed(const struct host *h, u64 *after_ns, u64 *to_ns)
{
	const struct time_travel *p = &h->time_travel;
	u64 before = beside(h, MIN(p->mark_ns, p->at_ns), 1, true);

	*after_ns = before == UINT64_MAX ? 1 : MAX(before, (u64)1);
	*to_ns = MAX(p->mark_ns, p->at_ns);
}

static void show(struct host *h, u64 at_ns)
{
	struct time_travel *p = &h->time_travel;
	u64 after = 0, to = at_ns;

	p->at_ns = at_ns;
	h->paused = true;
	if (p->mark_ns)
		summed(h, &after, &to);
	collector__seek(h->collector, after, to);
	if (!p->line || to > p->line->v[p->line->n - 1].t1_ns)
		ask_for_line(h);
}

void time_travel__show_end(struct host *h)
{
	struct recording_summary sum;

	reader__summary(player__reader(h->time_travel.player), &sum);
	h->time_travel.mark_ns = 0;
	show(h, sum.end_ns);
}

void time_travel__show_again(struct host *h)
{
	if (time_travel__plays(h) && h->paused && h->time_travel.at_ns)
		show(h, h->time_travel.at_ns);
}

/* Where one is; when one has not gone anywhere yet, what is shown. */
static u64 here(const struct host *h)
{
	if (h->time_travel.at_ns)
		return h->time_travel.at_ns;
	return h->frame->recording.kind == RECORDING_REPLAY ? h->frame->recording.at_ns : h->frame->base.t1_ns;
}

static bool may_go(struct host *h)
{
	struct status st = {0};

	if (!h->frame || !h->frame->base.t1_ns) {
		host__message(h, ROLE_WARN, "there is no past yet");
		return false;
	}
	if (time_travel__plays(h) || enter_history(h, &st))
		return true;
	host__message(h, ROLE_WARN, "%s", st.msg);
	return false;
}

static void step(struct host *h, u64 far, bool back)
{
	u64 to;

	if (!time_travel__plays(h) && !back) {
		host__message(h, ROLE_DIM, "this is the present");
		return;
	}
	if (!may_go(h))
		return;
	/* What was shown while it was played is where one is. */
	if (!h->paused)
		h->time_travel.at_ns = 0;
	to = beside(h, here(h), far, back);
	if (to != UINT64_MAX)
		show(h, to);
	else if (back || h->options->replay)
		host__message(h, ROLE_DIM, back ? "this is the beginning" : "this is the end");
	else
		time_travel__leave(h);
}

static void toggle_range(struct host *h)
{
	char key[16];

	if (!may_go(h))
		return;
	if (h->time_travel.mark_ns) {
		h->time_travel.mark_ns = 0;
		host__message(h, ROLE_OK, "one interval at a time");
	} else {
		h->time_travel.mark_ns = here(h);
		host__message(h, ROLE_OK, "summed from here to where you go; %s ends it",
			      host__key(h, ACTION_RANGE, key, sizeof(key)));
	}
	show(h, here(h));
}

bool time_travel__action(struct host *h, enum action a)
{
	switch (a) {
	case ACTION_STEP_BACK:
		step(h, 1, true);
		return true;
	case ACTION_STEP_FORWARD:
		step(h, 1, false);
		return true;
	case ACTION_MINUTE_BACK:
		step(h, MINUTE_NS, true);
		return true;
	case ACTION_MINUTE_FORWARD:
		step(h, MINUTE_NS, false);
		return true;
	case ACTION_RANGE:
		toggle_range(h);
		return true;
	case ACTION_NOW:
		if (h->options->replay)
			host__message(h, ROLE_DIM, "a recording has no present");
		time_travel__leave(h);
		return true;
	default:
		return false;
	}
}

/* The end of the interval that a time is in. */
static u64 interval_at(const struct host *h, u64 t)
{
	u64 end = beside(h, t - 1, 1, false);

	return end == UINT64_MAX ? t : end;
}

bool time_travel__goto(struct host *h, const char *when, struct status *st)
{
	struct timespan s;
	u64 t;

	if (!strcmp(when, "live")) {
		time_travel__leave(h);
		return true;
	}
	if (!may_go(h))
		return true;
	s = span(h);
	if (!timepoint__parse(when, &s, &t)) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "goto takes " TIMEPOINT_TAKES ", or live");
		return false;
	}
	h->time_travel.mark_ns = 0;
	show(h, interval_at(h, t));
	return true;
}

bool time_travel__range(struct host *h, const char *range, struct status *st)
{
	char from[32] = "", to[32] = "", more[2];
	struct timespan s;
	u64 t0, t1;

	if (sscanf(range, "%31s %31s %1s", from, to, more) != 2) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "range takes two times, each " TIMEPOINT_TAKES);
		return false;
	}
	if (!may_go(h))
		return true;
	s = span(h);
	if (!timepoint__parse(from, &s, &t0) || !timepoint__parse(to, &s, &t1) || t1 <= t0) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "range takes two times, the later one last, each " TIMEPOINT_TAKES);
		return false;
	}
	h->time_travel.mark_ns = interval_at(h, t0);
	show(h, interval_at(h, t1));
	return true;
}

/* --- the strip --- */

bool time_travel__has_strip(const struct host *h)
{
	return time_travel__plays(h) && h->frame && h->time_travel.line && h->time_travel.line->n;
}

static int cell_of(const struct timespan *s, u64 t, int w)
{
	u64 length = MAX(s->end_ns - s->begin_ns, (u64)1), at = t - MIN(t, s->begin_ns);

	return (int)MIN(MIN(at, length) * (u64)w / length, (u64)w - 1);
}

/* The highest load of each cell's time; an interval is as long as it is. */
static void loads(const struct timeline *l, const struct timespan *s, float *v, int w)
{
	for (int i = 0; i < w; i++)
		v[i] = -1;
	for (u32 i = 0; i < l->n; i++) {
		float *cell = &v[cell_of(s, l->v[i].t1_ns, w)];

		*cell = MAX(*cell, l->v[i].busy_pct);
	}
	for (int i = w - 2; i >= 0; i--)
		v[i] = v[i] < 0 ? v[i + 1] : v[i];
}

/* The cells of what is summed in another colour, and where one is by a mark that needs none. */
static void mark_place(const struct host *h, struct canvas *c, int x, int y, int w,
		       const struct timespan *s, u64 at)
{
	int here = cell_of(s, at, w),
	    mark = h->time_travel.mark_ns ? cell_of(s, h->time_travel.mark_ns, w) : here;

	for (int i = MIN(here, mark); i <= MAX(here, mark); i++)
		c->cells[y * c->w + x + i].role = ROLE_WARM;
	if (mark != here)
		draw__text(c, x + mark, y, 1, ROLE_WARN, c->ascii ? "#" : "╋");
	draw__text(c, x + here, y, 1, ROLE_WARN, c->ascii ? "|" : "┃");
}

/* "14:05:33 -4:12", or "14:05:33 + 37s" of a sum. */
static void place_text(const struct host *h, const struct timespan *s, u64 at, char *buf,
		       size_t size)
{
	struct timespan ago = {.end_ns = s->end_ns};
	char clock[16], length[16];
	u64 after, to;

	if (h->time_travel.mark_ns) {
		summed(h, &after, &to);
		timepoint__format(clock, sizeof(clock), s, after);
		format__ns(length, sizeof(length), to - MAX(after, s->begin_ns));
		snprintf(buf, size, " sum of %s from %s", length, clock);
		return;
	}
	timepoint__format(clock, sizeof(clock), s, at);
	timepoint__format(length, sizeof(length), &ago, s->end_ns - MIN(at, s->end_ns));
	snprintf(buf, size, " %s -%s", clock, length);
}

void time_travel__draw_strip(struct host *h, int y)
{
	struct canvas *c = &h->canvas;
	u64 at = h->time_travel.mark_ns ? h->time_travel.at_ns : h->frame->recording.at_ns;
	struct timespan s = span(h);
	char left[64], begin[16], bytes[16], right[64];
	float v[512];
	int x, w;

	timepoint__format(begin, sizeof(begin), &s, s.begin_ns);
	format__bytes(bytes, sizeof(bytes),
		      h->time_travel.live && !h->tour.on ? h->time_travel.now->history.bytes : h->frame->recording.bytes);
	snprintf(left, sizeof(left), "%s %s %s ", h->time_travel.live && !h->tour.on ? "history" : "recording", bytes,
		 begin);
	place_text(h, &s, at, right, sizeof(right));
	x = draw__text(c, 0, y, c->w, ROLE_DIM, left);
	w = MIN(c->w - x - text__width(right), (int)ARRAY_SIZE(v));
	if (w < 8)
		return;
	loads(h->time_travel.line, &s, v, w);
	spark__draw(c, x, y, w, ROLE_COOL, v, (u32)w, 100);
	mark_place(h, c, x, y, w, &s, at);
	draw__text(c, x + w, y, c->w - x - w, ROLE_WARN, right);
}
