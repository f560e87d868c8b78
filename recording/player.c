// SPDX-License-Identifier: GPL-2.0-only
#include "recording/player_impl.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/cgroup.h"
#include "base/log.h"
#include "base/machine.h"
#include "models/model.h"
#include "recording/import.h"
#include "recording/recorder.h"

/* --- the replay --- */

static void report_trouble(struct player *p)
{
	const char *trouble = reader__trouble(p->reader);

	if (!strcmp(trouble, p->trouble))
		return;
	copy_str(p->trouble, sizeof(p->trouble), trouble);
	log__add(LOG_WARN, "%s", trouble);
}

/* A stream that was begun anew has a reader of its own. */
static void follow_stream(struct player *p)
{
	u64 bytes;
	int fd = link__file(p->link, &bytes);

	if (p->stream == link__streams(p->link))
		return;
	p->stream = link__streams(p->link);
	p->part_base += p->reader ? PARTS_MAX : 0;
	if (p->reader)
		reader__free(p->reader);
	p->reader = reader__open_stream(fcntl(fd, F_DUPFD_CLOEXEC, 0), bytes, p->part_base, p->symbols);
	if (!p->reader)
		link__hang_up(p->link, "its stream has no head");
}

/* What was read before is behind it, and not needed any more. */
static bool next_of_stream(struct player *p, struct record_interval *out)
{
	u64 bytes;

	link__look(p->link);
	follow_stream(p);
	link__file(p->link, &bytes);
	if (!p->reader)
		return false;
	link__release(p->link, reader__grow(p->reader, bytes));
	return reader__next(p->reader, out);
}

static bool next_interval(struct player *p, struct record_interval *out)
{
	if (p->link)
		return next_of_stream(p, out);
	return p->tracks ? player_tracks__next(p, out) : reader__next(p->reader, out);
}

/* Models without an interval of their own keep their health. */
static bool player__next(struct replay_source *replay, struct record_interval *out)
{
	struct player *p = container_of(replay, struct player, replay);
	bool more = next_interval(p, out);

	if (p->reader)
		report_trouble(p);
	if (!more)
		return false;
	p->serial++;
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (!(out->models & 1ULL << m))
			continue;
		p->now.v[m] = out->v[m];
		if (p->tracks)
			player_tracks__sum_health(p, m);
	}
	return true;
}

static void player__state(const struct replay_source *replay, struct recording_state *out)
{
	const struct player *p = container_of(replay, const struct player, replay);
	struct recording_summary sum;

	player__summary(p, &sum);
	*out = (struct recording_state){
		.intervals = sum.intervals,
		.bytes = sum.bytes,
		.begin_ns = sum.begin_ns,
		.end_ns = sum.end_ns,
	};
	copy_str(out->error, sizeof(out->error), reader__trouble(p->reader));
}

static bool player__seek(struct replay_source *replay, u64 t_ns)
{
	struct player *p = container_of(replay, struct player, replay);
	bool any = false;

	if (!p->tracks)
		return reader__seek(p->reader, t_ns);
	for (u32 i = 0; i < p->ntracks; i++) {
		any |= reader__seek(p->tracks[i].reader, t_ns);
		p->tracks[i].pending = p->tracks[i].in_turn = false;
	}
	return any;
}

static const struct replay_source_ops player_replay = {
	.next = player__next, .seek = player__seek, .state = player__state};

static int player__fd(const struct replay_source *replay)
{
	return link__fd(container_of(replay, const struct player, replay)->link);
}

static void player__interval(struct replay_source *replay, u64 ns)
{
	link__interval(container_of(replay, struct player, replay)->link, ns);
}

static const struct replay_source_ops stream_replay = {
	.next = player__next, .fd = player__fd, .interval = player__interval};

struct replay_source *player__replay(struct player *p)
{
	return &p->replay;
}

time_t player__wall(const struct player *p)
{
	return (time_t)strtoll(reader__note(player__reader(p), NOTE_STARTED), NULL, 10);
}

const struct reader *player__reader(const struct player *p)
{
	return p->tracks ? p->tracks[0].reader : p->reader;
}

static void add_summary(struct recording_summary *sum, const struct reader *r)
{
	struct recording_summary of;

	reader__summary(r, &of);
	*sum = (struct recording_summary){sum->models | of.models, sum->intervals + of.intervals,
					  sum->bytes + of.bytes, MIN(sum->begin_ns, of.begin_ns),
					  MAX(sum->end_ns, of.end_ns)};
}

void player__summary(const struct player *p, struct recording_summary *out)
{
	reader__summary(player__reader(p), out);
	for (u32 i = 1; i < p->ntracks; i++)
		add_summary(out, p->tracks[i].reader);
	for (u32 m = 0; p->tracks && m < MODEL_COUNT; m++)
		if (!model_table[m]->has_hosts)
			out->models &= ~(1ULL << m);
}

void player__log_head(const struct reader *r)
{
	static const char *const emitted[] = {NOTE_VERSION, NOTE_HOST,	NOTE_KERNEL, NOTE_COMMAND,
					      NOTE_RATE,    NOTE_SCOPE, NOTE_RIGHTS};

	for (u32 i = 0; i < ARRAY_SIZE(emitted); i++)
		if (*reader__note(r, emitted[i]))
			log__add(LOG_INFO, "recording: %s %s", emitted[i],
				 reader__note(r, emitted[i]));
}

static struct player *begin(struct reader *reader)
{
	struct player *player = xcalloc(1, sizeof(*player));

	player->replay.ops = &player_replay;
	player->reader = reader;
	return player;
}

struct player *player__open_memory(int fd, struct symbols *symbols, struct status *st)
{
	struct reader *reader = reader__open_memory(fd, symbols, st);

	return reader ? begin(reader) : NULL;
}

struct player *player__open_fd(int fd, const char *name, struct symbols *symbols, struct status *st)
{
	struct reader *reader = reader__open_fd(fd, name, symbols, st);

	return reader ? begin(reader) : NULL;
}

struct player *player__open_beside(const char *path, struct symbols *symbols, const char *event,
				   struct status *st)
{
	struct reader *reader = import__open(path, symbols, event, st);

	return reader ? begin(reader) : NULL;
}

struct player *player__open(const char *path, struct symbols *symbols, const char *event,
			    struct status *st)
{
	struct reader *reader;

	cgroup__go_away();
	reader = import__open(path, symbols, event, st);
	if (!reader)
		return NULL;
	machine__set(reader__note(reader, NOTE_HOST), reader__note(reader, NOTE_KERNEL));
	player__log_head(reader);
	return begin(reader);
}

struct player *player__open_several(const char *const *paths, u32 n, struct symbols *symbols,
				    const char *event, struct status *st)
{
	struct player *p;

	if (n == 1)
		return player__open(paths[0], symbols, event, st);
	cgroup__go_away();
	symbols__set_mixed(symbols);
	p = begin(NULL);
	p->tracks = xcalloc(n, sizeof(*p->tracks));
	for (; p->ntracks < n; p->ntracks++) {
		p->tracks[p->ntracks].reader = import__open(paths[p->ntracks], symbols, event, st);
		if (p->tracks[p->ntracks].reader)
			continue;
		player__free(p);
		return NULL;
	}
	player_tracks__join(p->tracks, n);
	p->reader = p->tracks[0].reader;
	return p;
}

struct player *player__open_link(struct link *link, struct symbols *symbols, struct status *st)
{
	struct player *p = xcalloc(1, sizeof(*p));

	p->replay.ops = &stream_replay;
	p->link = link;
	p->symbols = symbols;
	follow_stream(p);
	if (!p->reader) {
		status__set(st, EXIT_CODE_FAILURE, -EPIPE, "%s", link__trouble(link));
		player__free(p);
		return NULL;
	}
	machine__set(reader__note(p->reader, NOTE_HOST), reader__note(p->reader, NOTE_KERNEL));
	player__log_head(p->reader);
	return p;
}

void player__free(struct player *p)
{
	if (!p)
		return;
	link__free(p->link);
	if (!p->tracks)
		reader__free(p->reader);
	for (u32 i = 0; i < p->ntracks; i++)
		reader__free(p->tracks[i].reader);
	free(p->tracks);
	free(p);
}
