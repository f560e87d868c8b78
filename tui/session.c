// SPDX-License-Identifier: GPL-2.0-only
#include "tui/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/timepoint.h"
#include "models/measure.h"
#include "recording/player.h"
#include "recording/recorder.h"
#include "recording/timeline.h"
#include "sources/ask.h"
#include "tui/baseline_file.h"
#include "tui/batch.h"
#include "tui/functions.h"
#include "tui/opening.h"
#include "tui/signals.h"
#include "tui/record.h"

/* More than any recording lasts. */
#define WHOLE_NS (1ULL << 60)

/* What it is busy with may be long, as the end of a recording, or never end. */
static void stop_collector(struct collector *c)
{
	if (!collector__stops_within(c, SIGNALS_PATIENCE_NS)) {
		fprintf(stderr, "proftop: still busy with the last interval; Ctrl-C or SIGTERM ends it "
				"at once, with what is recorded cut short\n");
		signals__end_at_once();
	}
	collector__stop(c);
}

/* Debug information of some programs takes many seconds to read: who quits does not wait for that. */
static bool reads_long(const struct symbols *symbols)
{
	u64 since;

	return symbols__reading(symbols, &since) && clock__monotonic_ns() > since + NSEC_PER_SEC / 2;
}

void session__end(struct session *s)
{
	if (s->history >= 0)
		close(s->history);
	if (s->collector)
		stop_collector(s->collector);
	player__free(s->player);
	link__free(s->link);
	snap__put(s->baseline.frame);
	if (s->symbols && !reads_long(s->symbols))
		symbols__free(s->symbols);
	scope__put(s->scope);
}

u64 session__models(const struct session *s)
{
	struct recording_summary sum = {0};

	if (s->player)
		player__summary(s->player, &sum);
	return sum.models;
}

/* Unless one was asked for, the first view that the recording has something for. */
static void pick_view(const struct session *s, struct options *o)
{
	for (u32 v = 0; v < VIEW_COUNT && !o->view_given; v++) {
		if (!(session__models(s) & 1ULL << view_table[v]->feed) ||
		    view_table[v]->feed == MODEL_VITALS)
			continue;
		o->view = view_table[v]->name;
		return;
	}
}

/* What is on the machine is of no matter then. */
static int open_replay(struct session *s, struct options *o, struct status *st)
{
	s->player = player__open_several(o->replays, o->nreplays, s->symbols, o->sampling.event, st);
	if (!s->player)
		return -EINVAL;
	pick_view(s, o);
	if (o->group && view__check_groups(view__by_name(o->view), o->group, st))
		return -EINVAL;
	o->scope.seen = true;
	return 0;
}

/* --connect: what it is of is gathered there. */
static int open_link(struct session *s, struct status *st)
{
	s->player = player__open_link(s->link, s->symbols, st);
	s->link = NULL;
	return s->player ? 0 : -EINVAL;
}

static int parse_times(const struct options *o, const struct timespan *span,
		       struct collector_config *cfg, struct status *st)
{
	if (o->from && !timepoint__parse(o->from, span, &cfg->from_ns))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--from \"%.80s\": takes %s",
				   o->from, TIMEPOINT_TAKES);
	if (o->to && !timepoint__parse(o->to, span, &cfg->to_ns))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--to \"%.80s\": takes %s", o->to,
				   TIMEPOINT_TAKES);
	if (cfg->to_ns && cfg->to_ns <= cfg->from_ns)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--from %.40s is not before --to %.40s", o->from, o->to);
	return 0;
}

/* The times of --from and --to. */
static int set_times(const struct session *s, const struct options *o,
		     struct collector_config *cfg, struct status *st)
{
	struct recording_summary sum;
	struct timespan span = {0};
	struct timeline *line;
	int err;

	if (!s->player || !(o->from || o->to))
		return 0;
	player__summary(s->player, &sum);
	span.begin_ns = sum.begin_ns;
	span.end_ns = MAX(sum.end_ns, sum.begin_ns);
	span.begin_wall = player__wall(s->player);
	/* Times of day need to know when the machine slept. */
	line = timeline__read(reader__another_fd(player__reader(s->player)), &(struct status){0});
	if (line) {
		span.sleeps = line->sleeps;
		span.nsleeps = line->nsleeps;
	}
	err = parse_times(o, &span, cfg, st);
	free(line);
	return err;
}

/* Of those that gather from the start. */
u64 views__models(const char *list)
{
	u64 models = 0;
	char name[32];

	for (size_t n; list && *list; list += n + strspn(list + n, ", ")) {
		n = strcspn(list, ", ");
		copy_str(name, MIN(n + 1, sizeof(name)), list);
		models |= view__by_name(name)->models;
	}
	return models;
}

/* A screen, if only in memory. */
static bool has_screen(const struct options *o)
{
	return o->mode == MODE_UI || o->ncommands;
}

/* To begin with, of what is watched. */
u64 session__wanted_first(const struct options *o)
{
	u64 wanted = view__by_name(o->view)->models;

	if (o->mode == MODE_BATCH && !has_screen(o))
		wanted |= view__by_name(o->view)->also;
	if (has_screen(o) || o->record)
		wanted |= 1ULL << MODEL_VITALS;
	return has_screen(o) ? wanted | views__models(o->views) : wanted;
}

static void set_sources(const struct session *s, const struct options *o,
			const struct fixture *fixture, struct collector_config *cfg)
{
	cfg->wanted = s->streams	      ? s->wish.models
		      : o->mode == MODE_SERVE ? serve__models(o)
					      : session__wanted_first(o);
	if (fixture) {
		cfg->manual_tick = true;
		cfg->sources = fixture->sources;
	}
	if (!s->player)
		return;
	if (o->connect) {
		cfg->sources = player__sources();
		cfg->replay = player__replay(s->player);
		return;
	}
	if (has_screen(o))
		cfg->wanted |= session__models(s);
	cfg->manual_tick |= o->mode == MODE_BATCH;
	cfg->sources = player__sources();
	cfg->replay = player__replay(s->player);
	cfg->merge_ns = o->interval_given ? o->interval_ns : 0;
	/* After --do there is one report: of all of it. */
	if (o->mode == MODE_BATCH && o->ncommands && !o->interval_given)
		cfg->merge_ns = WHOLE_NS;
}

static bool keeps_history(const struct options *o)
{
	return (o->mode == MODE_UI || o->mode == MODE_SERVE) && !o->replay && o->history.span_ns;
}

static int keep_history(struct session *s, const struct options *o, struct collector_config *cfg,
			struct status *st)
{
	struct recorder_config rc = {.symbols = s->symbols, .ring = o->history};

	rc.ring.bytes = memory__share(rc.ring.bytes);
	cfg->sinks[SINK_HISTORY] = recorder__new(&rc, st);
	if (!cfg->sinks[SINK_HISTORY])
		return -EINVAL;
	s->history = recorder__memory(cfg->sinks[SINK_HISTORY], st);
	return s->history < 0 ? -EINVAL : 0;
}

/* Before anything else has a player, or symbols. */
static int read_baseline(struct session *s, const struct options *o, struct status *st)
{
	const struct baseline_source from = {o->baseline, o->replays, o->nreplays};

	s->baseline.frame = baseline_file__read(&from, s->symbols, o->sampling.event, st);
	s->baseline.file = o->baseline;
	return s->baseline.frame ? 0 : -EINVAL;
}

struct files {
	struct session *session;
	struct options *options;
	struct status *st;
};

static int read_files(void *ctx)
{
	struct files *f = ctx;
	struct options *o = f->options;

	return (o->baseline && read_baseline(f->session, o, f->st)) ||
			       (o->replay && open_replay(f->session, o, f->st))
		       ? -EINVAL
		       : 0;
}

/* Recordings and files of other programs may be large. */
static int open_files(struct session *s, struct options *o, struct status *st)
{
	struct files f = {s, o, st};
	char what[300];

	if (!s->term || (!o->baseline && !o->replay))
		return read_files(&f);
	snprintf(what, sizeof(what), "reading %s", o->replay ? o->replay : o->baseline);
	return opening__run(s->ops, s->term, what, read_files, &f);
}

/* The first one says which view it is, unless that was asked for too. */
static int read_questions(struct options *o, struct status *st)
{
	const struct ask_list *list = NULL;
	struct status why = {0};

	if (o->nasks && o->replay)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--ask: a replay answers what was asked when it was recorded");
	for (u32 i = 0; i < o->nasks; i++) {
		const struct ask *a = ask__find(o, o->asks[i], &why);

		if (!a)
			return status__set(st, why.code, -EINVAL, "--ask: %s", why.msg);
		list = ask_list__with(list, a, st);
	}
	o->sampling.asks = o->connect ? NULL : list; /* there they are asked */
	if (list && !o->view_given)
		o->view = ask_kind__view(ask__kind(list->v[0]));
	return 0;
}

static int read_functions(struct options *o, struct status *st)
{
	const struct func_list *list = NULL;
	struct status why = {0};

	if (o->nfunctions && o->replay)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--function: a replay has the functions that were picked when it was "
				   "recorded");
	if (o->connect) /* files of that machine */
		return 0;
	if (o->function_waits)
		list = func_list__split(list, true);
	for (u32 i = 0; i < o->nfunctions; i++) {
		list = func_list__with(list, o->functions[i], &why);
		if (!list)
			return status__set(st, why.code, -EINVAL, "--function: %s", why.msg);
	}
	o->sampling.functions = o->nfunctions ? list : NULL;
	return 0;
}

int session__begin(struct session *s, struct options *o, const struct fixture *fixture,
		   struct status *st)
{
	struct collector_config cfg = {
		.interval_ns = o->interval_ns,
		.early_frames = o->mode == MODE_UI || s->wish.early,
		.every_frame = o->mode == MODE_BATCH || (o->mode == MODE_SERVE && !s->streams),
	};

	if (read_questions(o, st) || read_functions(o, st))
		return -EINVAL;
	cfg.sampling = o->sampling;
	caps__seal();
	if (s->child)
		o->scope.child_pid = child__pid(s->child);
	s->symbols = symbols__new(st);
	if (!s->symbols || open_files(s, o, st) || (s->link && open_link(s, st)))
		return -EINVAL;
	set_sources(s, o, fixture, &cfg);
	if (set_times(s, o, &cfg, st))
		return -EINVAL;
	s->scope = scope__build(&o->scope, st);
	if (!s->scope)
		return -EINVAL;
	if (o->mode == MODE_BATCH && view__check_terms(view__by_name(o->view), s->scope, st))
		return -EINVAL;
	if (o->mode == MODE_SERVE && !s->streams && serve__check(o, s->scope, st))
		return -EINVAL;
	if (o->mode == MODE_BATCH && !o->ncommands &&
	    (batch__check_formats(o, st) || batch__check_sort(o, s->symbols, s->scope, st)))
		return -EINVAL;
	if (fixture)
		fixture->begin(s->symbols);
	if (o->record) {
		cfg.sinks[SINK_FILE] = record__to_file(o, o->record, s->symbols, s->scope->text, st);
		if (!cfg.sinks[SINK_FILE])
			return -EINVAL;
	}
	if (s->streams) {
		cfg.sinks[SINK_FILE] = record__to_stream(o, STDOUT_FILENO, s->symbols, st);
		if (!cfg.sinks[SINK_FILE])
			return -EINVAL;
	}
	if (!s->streams && keeps_history(o) && keep_history(s, o, &cfg, st))
		return -EINVAL;
	cfg.scope = s->scope;
	cfg.symbols = s->symbols;
	s->collector = collector__start(&cfg, st);
	for (u32 i = 0; !s->collector && i < SINKS; i++)
		if (cfg.sinks[i])
			cfg.sinks[i]->ops->close(cfg.sinks[i]);
	return s->collector ? 0 : -EINVAL;
}
