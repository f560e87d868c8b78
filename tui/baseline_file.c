// SPDX-License-Identifier: GPL-2.0-only
#include "tui/baseline_file.h"

#include <poll.h>

#include "base/cgroup.h"
#include "base/hosts.h"
#include "pipeline/collector.h"
#include "recording/player.h"
#include "recording/recorder.h"

#define WHOLE_NS    (1ULL << 60)
#define PATIENCE_MS 1000

/* The last frame: what came of the whole file. */
static const struct frame *play(struct collector *c)
{
	struct pollfd fd = {.fd = collector__fd(c), .events = POLLIN};
	const struct frame *f = NULL, *next;

	while (!f || !f->final) {
		if (collector__idle(c))
			collector__tick(c);
		if (poll(&fd, 1, PATIENCE_MS) < 0 && errno != EINTR)
			break;
		next = collector__take(c);
		if (!next)
			continue;
		snap__put(f);
		f = next;
	}
	return f;
}

static const struct frame *read_all(struct player *p, struct symbols *symbols, struct status *st)
{
	struct collector_config cfg = {
		.symbols = symbols,
		.interval_ns = NSEC_PER_SEC,
		.manual_tick = true,
		.sources = player__sources(),
		.replay = player__replay(p),
		.merge_ns = WHOLE_NS,
	};
	struct recording_summary sum;
	const struct frame *f;
	struct collector *c;

	reader__summary(player__reader(p), &sum);
	cfg.wanted = sum.models;
	c = collector__start(&cfg, st);
	if (!c)
		return NULL;
	f = play(c);
	collector__stop(c);
	return f;
}

#define BY_HOST HOST_LABEL "="

static struct player *open_host(const struct baseline_source *from, struct symbols *symbols,
				const char *event, struct status *st)
{
	const char *name = from->text + strlen(BY_HOST);
	struct player *p;

	for (u32 i = 0; i < from->nreplays; i++) {
		p = player__open_beside(from->replays[i], symbols, event, st);
		if (!p || !strcmp(reader__note(player__reader(p), NOTE_HOST), name))
			return p;
		player__free(p);
	}
	status__set(st, EXIT_CODE_USAGE, -ENOENT,
		    "none of the recordings that are open is of host \"%.80s\": see --group host", name);
	return NULL;
}

static bool is_of_host(const struct baseline_source *from)
{
	return from->nreplays > 1 && !strncmp(from->text, BY_HOST, strlen(BY_HOST));
}

const struct frame *baseline_file__read(const struct baseline_source *from, struct symbols *symbols,
					const char *event, struct status *st)
{
	const struct frame *f = NULL;
	struct player *p;

	symbols__set_mixed(symbols);
	cgroup__ignore(true);
	p = is_of_host(from) ? open_host(from, symbols, event, st)
			     : player__open_beside(from->text, symbols, event, st);
	if (p)
		f = read_all(p, symbols, st);
	player__free(p);
	cgroup__ignore(false);
	return f;
}
