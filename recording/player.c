// SPDX-License-Identifier: GPL-2.0-only
#include "recording/player.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cgroup.h"
#include "base/log.h"
#include "base/machine.h"
#include "models/model.h"
#include "models/stacks.h"
#include "models/task_text.h"
#include "recording/import.h"
#include "recording/recorder.h"

/* A model knows the last STACKS_DEFINITIONS stacks that it was told of: the others again. */
#define EMIT_AGAIN (STACKS_DEFINITIONS / 2)
/* Of a stream; a hostile one may count on, and means its own stacks. */
#define PARTS_MAX (1u << 16)

struct player {
	struct replay_source replay;
	struct reader *reader;
	u64 serial; /* of the interval that is there */
	struct record_interval now;
	char trouble[200]; /* as logged last */
	/* Of a stream: who sends it, whose settings those of the sources are. NULL: a file. */
	struct link *link;
	struct symbols *symbols;
	u32 stream;    /* which of the link's the reader is of */
	u32 part_base; /* parts before it */
};

struct source {
	struct player *player;
	enum model_id model;
	const struct scope *scope;
	struct sampling how;
	u64 seen; /* serial of the interval that was handed out last */
	/* Stacks that the model was told of: when, by position; 0 not yet. */
	u32 part, nemitted, *emitted, emissions;
	const struct sample_sink *sink; /* while draining */
	u64 ips[STACKS_MAX_FRAMES];
};

/* --- samples --- */

static bool passes_kind(const struct scope *s, const struct subject *who)
{
	if (who->has_kind && !scope__thread(s, who->kthread))
		return false;
	if (who->state && ((s->states && !(s->states & who->state)) || s->not_states & who->state))
		return false;
	return !who->longest_ns ||
	       (who->longest_ns >= s->min_ns && (!s->max_ns || who->longest_ns <= s->max_ns));
}

static bool passes_ids(const struct scope *s, const struct subject *who)
{
	/* Of what a sample does not tell, any will do. */
	u32 tid = who->has_tid || !s->include[SCOPE_TID].n ? who->tid
							   : (u32)s->include[SCOPE_TID].ids[0];
	const char *comm = who->has_comm ? who->comm : NULL;

	if (!comm && s->ncomms)
		return true;
	return who->has_cpu ? scope__task(s, who->tgid, tid, who->cpu, who->cgroup, comm)
			    : task__passes(s, who->tgid, tid, who->cgroup, comm);
}

static bool passes(const struct scope *s, const struct sample_codec *type,
		   const union any_sample *sample)
{
	struct subject who = {0};

	if (!type->subject || !*s->text)
		return true;
	type->subject(sample, &who);
	return !who.known || (passes_ids(s, &who) && passes_kind(s, &who));
}

static void forget_emitted(struct source *s, u32 part)
{
	free(s->emitted);
	s->emitted = NULL;
	s->nemitted = 0;
	s->part = part;
}

static bool is_emitted(const struct source *s, u32 stack)
{
	return s->emitted[stack] && s->emissions + 1 - s->emitted[stack] < EMIT_AGAIN;
}

static void emit_stack(struct source *s, u32 stack)
{
	struct names_in *names = reader__names(s->player->reader);
	u32 n = names_in__nstacks(names);
	struct stack_def def;

	if (s->nemitted < n) {
		s->emitted = xrealloc(s->emitted, n * sizeof(*s->emitted));
		memset(s->emitted + s->nemitted, 0, (n - s->nemitted) * sizeof(*s->emitted));
		s->nemitted = n;
	}
	if (is_emitted(s, stack))
		return;
	s->emitted[stack] = ++s->emissions;
	names_in__stack(names, stack, s->ips, &def);
	sink__put(s->sink, &def.head);
}

static void put(void *ctx, const struct codec *c, const struct sample_codec *type,
		const union any_sample *sample)
{
	struct source *s = ctx;

	if (!s->player->link && !passes(s->scope, type, sample))
		return;
	for (u32 i = 0; i < c->nstacks; i++)
		emit_stack(s, c->stacks[i]);
	sink__put(s->sink, &sample->head);
}

/* --- the sources --- */

static int keep_scope(struct source *s, const struct scope *scope)
{
	scope__get(scope);
	scope__put(s->scope);
	s->scope = scope;
	return 0;
}

static int replay__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	char names[80];

	if (s->player->link) {
		link__filter(s->player->link, scope->text);
		return keep_scope(s, scope);
	}
	if (scope->follow_children)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "a recording does not tell whose children processes are: name "
				   "them by pid= or comm~");
	if (scope__terms(scope) & SCOPE_TERMS_KERNEL)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "a recording does not tell %s: only what is live can be filtered by it",
				   scope__term_names(scope, SCOPE_TERMS_KERNEL, names, sizeof(names)));
	return keep_scope(s, scope);
}

static int replay__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	if (s->player->link) {
		link__sampling(s->player->link, how);
		return 0;
	}
	if (how->freq != s->how.freq || how->period != s->how.period ||
	    strcmp(how->event, s->how.event))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "rate and event are those of the recording, and cannot be "
				   "changed in a replay");
	return 0;
}

static int no_samples(const struct player *player, enum model_id m, struct status *st)
{
	struct recording_summary sum;
	char names[200] = "";
	size_t n = 0;

	reader__summary(player->reader, &sum);
	for (u32 i = 0; i < MODEL_COUNT; i++)
		if ((sum.models & 1ULL << i) && model_table[i]->view && n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      model_table[i]->view);
	return status__set(st, EXIT_CODE_UNSUPPORTED, -ENODATA,
			   "the recording has nothing for view %s: it was made with %s",
			   model_table[m]->view ? model_table[m]->view : model_table[m]->name,
			   n ? names : "nothing");
}

#define AWAIT_MS 5000

/* Whether whoever sends has the model's sources open. One that is called again will tell later. */
static int open_there(struct link *l, enum model_id m, const struct sampling *how, struct status *st)
{
	const struct feed *f = link__feed(l, m);

	link__sampling(l, how);
	link__want(l, m, true);
	link__await(l, m, AWAIT_MS);
	if (f->state != FEED_FAILED)
		return 0;
	return status__set(st, (enum exit_code)f->exit_code, -ENODEV, "%s", f->reason);
}

static struct source *replay__open(enum model_id m, const struct sampling *how,
				   const struct scope *scope, struct status *st)
{
	struct player *player = container_of(how->replay, struct player, replay);
	struct recording_summary sum;
	struct source *s;

	if (player->link && open_there(player->link, m, how, st))
		return NULL;
	if (!player->link)
		reader__summary(player->reader, &sum);
	if (!player->link && !(sum.models & 1ULL << m)) {
		no_samples(player, m, st);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->player = player;
	s->model = m;
	s->how = *how;
	s->seen = player->serial - 1;
	if (!replay__set_scope(s, scope, st))
		return s;
	free(s);
	return NULL;
}

static void replay__close(struct source *s)
{
	if (s->player->link)
		link__want(s->player->link, s->model, false);
	scope__put(s->scope);
	free(s->emitted);
	free(s);
}

static void replay__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	if (!s->player->replay.handing_out || s->seen == s->player->serial)
		return;
	if (s->part != reader__part(s->player->reader))
		forget_emitted(s, reader__part(s->player->reader));
	s->seen = s->player->serial;
	s->sink = sink;
	reader__samples(s->player->reader, s->model, put, s);
	s->sink = NULL;
}

/* What is wrong with who sends comes first. */
static void report_link(const struct source *s, struct health *h)
{
	const char *trouble = link__trouble(s->player->link);
	const struct feed *f = link__feed(s->player->link, s->model);
	char note[sizeof(h->note)];

	if (!*trouble)
		trouble = f->state == FEED_FAILED ? f->reason : f->refused;
	if (!*trouble)
		return;
	snprintf(note, sizeof(note), "%.250s%s%.140s", trouble, *h->note ? "; " : "", h->note);
	copy_str(h->note, sizeof(h->note), note);
}

/* Before the interval is handed out its samples are not counted yet. */
static void replay__health(struct source *s, struct health *h)
{
	char note[sizeof(h->note)];

	*h = s->player->now.v[s->model].health;
	if (s->seen != s->player->serial)
		h->samples_total -= MIN(h->samples, h->samples_total);
	if (s->player->link) {
		report_link(s, h);
		return;
	}
	snprintf(note, sizeof(note), "recorded by %s%s%.300s", *h->tier ? h->tier : "nobody",
		 *h->note ? "; " : "", h->note);
	copy_str(h->note, sizeof(h->note), note);
	copy_str(h->tier, sizeof(h->tier), "replay");
}

#define MODEL(id, ops)                                                                             \
	static struct source *open_##id(const struct sampling *how, const struct scope *scope,     \
					struct status *st)                                         \
	{                                                                                          \
		return replay__open(MODEL_##id, how, scope, st);                                   \
	}
#include "models/models.def"
#undef MODEL

static const struct source_ops replay_ops[MODEL_COUNT] = {
#define MODEL(id, unused)                                                                          \
	[MODEL_##id] = {.name = "replay",                                                          \
			.title = "a recording",                                                    \
			.open = open_##id,                                                         \
			.close = replay__close,                                                    \
			.set_scope = replay__set_scope,                                            \
			.set_sampling = replay__set_sampling,                                      \
			.drain = replay__drain,                                                    \
			.health = replay__health},
#include "models/models.def"
#undef MODEL
};

static const struct source_row rows[] = {
#define MODEL(id, unused) {&replay_ops[MODEL_##id], MODEL_##id, MODEL_##id == MODEL_VITALS ? 0 : 1},
#include "models/models.def"
#undef MODEL
	{0},
};

const struct source_row *player__sources(void)
{
	return rows;
}

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

/* Models without an interval of their own keep their health. */
static bool player__next(struct replay_source *replay, struct record_interval *out)
{
	struct player *p = container_of(replay, struct player, replay);
	bool more = p->link ? next_of_stream(p, out) : reader__next(p->reader, out);

	if (p->reader)
		report_trouble(p);
	if (!more)
		return false;
	p->serial++;
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (out->models & 1ULL << m)
			p->now.v[m] = out->v[m];
	return true;
}

static void player__state(const struct replay_source *replay, struct recording_state *out)
{
	const struct player *p = container_of(replay, const struct player, replay);
	struct recording_summary sum;

	reader__summary(p->reader, &sum);
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
	return reader__seek(container_of(replay, struct player, replay)->reader, t_ns);
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
	return (time_t)strtoll(reader__note(p->reader, NOTE_STARTED), NULL, 10);
}

const struct reader *player__reader(const struct player *p)
{
	return p->reader;
}

/* How it was made, in the log: an imported file tells less. */
static void log_head(const struct reader *r)
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
	log_head(reader);
	return begin(reader);
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
	log_head(p->reader);
	return p;
}

void player__free(struct player *p)
{
	if (!p)
		return;
	link__free(p->link);
	if (p->reader)
		reader__free(p->reader);
	free(p);
}
