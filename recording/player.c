// SPDX-License-Identifier: GPL-2.0-only
#include "recording/player.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cgroup.h"
#include "base/log.h"
#include "base/machine.h"
#include "models/model.h"
#include "models/stacks.h"
#include "models/who.h"
#include "recording/import.h"
#include "recording/recorder.h"

/* A model knows the last STACKS_DEFINITIONS stacks that it was told of: the others again. */
#define TELL_AGAIN (STACKS_DEFINITIONS / 2)

struct player {
	struct reel reel;
	struct reader *reader;
	u64 serial; /* of the interval that is there */
	struct tape_interval now;
	char trouble[200]; /* as logged last */
};

struct source {
	struct player *player;
	enum model_id model;
	const struct scope *scope;
	struct sampling how;
	u64 seen; /* serial of the interval that was handed out last */
	/* Stacks that the model was told of: when, by position; 0 not yet. */
	u32 part, ntold, *told, tellings;
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
			    : who__passes(s, who->tgid, tid, who->cgroup, comm);
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

static void forget_told(struct source *s, u32 part)
{
	free(s->told);
	s->told = NULL;
	s->ntold = 0;
	s->part = part;
}

static bool is_told(const struct source *s, u32 stack)
{
	return s->told[stack] && s->tellings + 1 - s->told[stack] < TELL_AGAIN;
}

static void tell_stack(struct source *s, u32 stack)
{
	struct names_in *names = reader__names(s->player->reader);
	u32 n = names_in__nstacks(names);
	struct stack_def def;

	if (s->ntold < n) {
		s->told = xrealloc(s->told, n * sizeof(*s->told));
		memset(s->told + s->ntold, 0, (n - s->ntold) * sizeof(*s->told));
		s->ntold = n;
	}
	if (is_told(s, stack))
		return;
	s->told[stack] = ++s->tellings;
	names_in__stack(names, stack, s->ips, &def);
	sink__put(s->sink, &def.head);
}

static void put(void *ctx, const struct codec *c, const struct sample_codec *type,
		const union any_sample *sample)
{
	struct source *s = ctx;

	if (!passes(s->scope, type, sample))
		return;
	for (u32 i = 0; i < c->nstacks; i++)
		tell_stack(s, c->stacks[i]);
	sink__put(s->sink, &sample->head);
}

/* --- the sources --- */

static int replay__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	char names[80];

	if (scope->follow_children)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "a recording does not tell whose children processes are: name "
				   "them by pid= or comm~");
	if (scope__terms(scope) & SCOPE_TERMS_KERNEL)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "a recording does not tell %s: only what is live can be filtered by it",
				   scope__term_names(scope, SCOPE_TERMS_KERNEL, names, sizeof(names)));
	scope__get(scope);
	scope__put(s->scope);
	s->scope = scope;
	return 0;
}

static int replay__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
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

static struct source *replay__open(enum model_id m, const struct sampling *how,
				   const struct scope *scope, struct status *st)
{
	struct player *player = container_of(how->reel, struct player, reel);
	struct recording_summary sum;
	struct source *s;

	reader__summary(player->reader, &sum);
	if (!(sum.models & 1ULL << m)) {
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
	scope__put(s->scope);
	free(s->told);
	free(s);
}

static void replay__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	if (!s->player->reel.handing_out || s->seen == s->player->serial)
		return;
	if (s->part != reader__part(s->player->reader))
		forget_told(s, reader__part(s->player->reader));
	s->seen = s->player->serial;
	s->sink = sink;
	reader__samples(s->player->reader, s->model, put, s);
	s->sink = NULL;
}

/* Before the interval is handed out its samples are not counted yet. */
static void replay__health(struct source *s, struct health *h)
{
	char note[sizeof(h->note)];

	*h = s->player->now.v[s->model].health;
	if (s->seen != s->player->serial)
		h->samples_total -= MIN(h->samples, h->samples_total);
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

/* --- the reel --- */

static void tell_trouble(struct player *p)
{
	const char *trouble = reader__trouble(p->reader);

	if (!strcmp(trouble, p->trouble))
		return;
	copy_str(p->trouble, sizeof(p->trouble), trouble);
	log__add(LOG_WARN, "%s", trouble);
}

/* Models without an interval of their own keep their health. */
static bool player__next(struct reel *reel, struct tape_interval *out)
{
	struct player *p = container_of(reel, struct player, reel);
	bool more = reader__next(p->reader, out);

	tell_trouble(p);
	if (!more)
		return false;
	p->serial++;
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (out->models & 1ULL << m)
			p->now.v[m] = out->v[m];
	return true;
}

static void player__state(const struct reel *reel, struct tape_state *out)
{
	const struct player *p = container_of(reel, const struct player, reel);
	struct recording_summary sum;

	reader__summary(p->reader, &sum);
	*out = (struct tape_state){
		.intervals = sum.intervals,
		.bytes = sum.bytes,
		.begin_ns = sum.begin_ns,
		.end_ns = sum.end_ns,
	};
	copy_str(out->error, sizeof(out->error), reader__trouble(p->reader));
}

static bool player__seek(struct reel *reel, u64 t_ns)
{
	return reader__seek(container_of(reel, struct player, reel)->reader, t_ns);
}

static const struct reel_ops player_reel = {
	.next = player__next, .seek = player__seek, .state = player__state};

struct reel *player__reel(struct player *p)
{
	return &p->reel;
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
	static const char *const told[] = {NOTE_VERSION, NOTE_HOST,  NOTE_KERNEL, NOTE_COMMAND,
					   NOTE_RATE,	 NOTE_SCOPE, NOTE_RIGHTS};

	for (u32 i = 0; i < ARRAY_SIZE(told); i++)
		if (*reader__note(r, told[i]))
			log__add(LOG_INFO, "recording: %s %s", told[i], reader__note(r, told[i]));
}

static struct player *begin(struct reader *reader)
{
	struct player *player = xcalloc(1, sizeof(*player));

	player->reel.ops = &player_reel;
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

void player__free(struct player *p)
{
	if (!p)
		return;
	reader__free(p->reader);
	free(p);
}
