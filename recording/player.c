// SPDX-License-Identifier: GPL-2.0-only
#include "recording/player.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cgroup.h"
#include "base/hosts.h"
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

/* One of several recordings that are played side by side. */
struct track {
	struct reader *reader;
	struct record_interval next; /* where it is; its samples are the reader's */
	bool pending;		     /* that one was not handed out yet */
	bool in_turn;		     /* one of its intervals belongs to what is being taken in */
	struct record_interval now;  /* of each model the last one that was handed out */
};

struct player {
	struct replay_source replay;
	struct reader *reader; /* of the interval that is there */
	struct track *tracks;  /* of several recordings, by host; NULL: there is one */
	u32 ntracks, track;    /* track: whose interval is there */
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
	struct emitted {
		u32 part, n, *v; /* v: when, by position; 0 not yet */
	} *emitted; /* stacks that the model was told of, of each recording */
	u32 emissions;
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

static struct emitted *emitted_of(const struct source *s)
{
	return &s->emitted[s->player->track];
}

static void forget_emitted(struct emitted *e, u32 part)
{
	free(e->v);
	*e = (struct emitted){.part = part};
}

static bool is_emitted(const struct source *s, const struct emitted *e, u32 stack)
{
	return e->v[stack] && s->emissions + 1 - e->v[stack] < EMIT_AGAIN;
}

static void emit_stack(struct source *s, u32 stack)
{
	struct names_in *names = reader__names(s->player->reader);
	struct emitted *e = emitted_of(s);
	u32 n = names_in__nstacks(names);
	struct stack_def def;

	if (e->n < n) {
		e->v = xrealloc(e->v, n * sizeof(*e->v));
		memset(e->v + e->n, 0, (n - e->n) * sizeof(*e->v));
		e->n = n;
	}
	if (is_emitted(s, e, stack))
		return;
	e->v[stack] = ++s->emissions;
	names_in__stack(names, stack, s->ips, &def);
	sink__put(s->sink, &def.head);
}

static void put(void *ctx, const struct codec *c, const struct sample_codec *type,
		const union any_sample *sample)
{
	struct source *s = ctx;

	if (!s->player->link && !passes(s->scope, type, sample))
		return;
	/* They are found by thread ids, which are one machine's. */
	if (c->host && (type->type == SAMPLE_MEASURE_HOLDER || type->type == SAMPLE_MEASURE_ORDER))
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

	player__summary(player, &sum);
	for (u32 i = 0; i < MODEL_COUNT; i++)
		if ((sum.models & 1ULL << i) && model_table[i]->view && n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "",
					      model_table[i]->view);
	if (player->tracks && !model_table[m]->has_hosts)
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENODATA,
				   "view %s shows one machine: open one of the recordings alone, or of all of them %s",
				   model_table[m]->view ? model_table[m]->view : model_table[m]->name,
				   n ? names : "nothing");
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
		player__summary(player, &sum);
	if (!player->link && !(sum.models & 1ULL << m)) {
		no_samples(player, m, st);
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->player = player;
	s->emitted = xcalloc(MAX(player->ntracks, 1u), sizeof(*s->emitted));
	s->model = m;
	s->how = *how;
	s->seen = player->serial - 1;
	if (!replay__set_scope(s, scope, st))
		return s;
	free(s->emitted);
	free(s);
	return NULL;
}

static void replay__close(struct source *s)
{
	if (s->player->link)
		link__want(s->player->link, s->model, false);
	scope__put(s->scope);
	for (u32 i = 0; i < MAX(s->player->ntracks, 1u); i++)
		free(s->emitted[i].v);
	free(s->emitted);
	free(s);
}

static void replay__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	if (!s->player->replay.handing_out || s->seen == s->player->serial)
		return;
	if (emitted_of(s)->part != reader__part(s->player->reader))
		forget_emitted(emitted_of(s), reader__part(s->player->reader));
	s->seen = s->player->serial;
	/* Those of several machines are not one's. */
	if (s->model == MODEL_VITALS && s->player->track)
		return;
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

/* --- several recordings --- */

static u64 begin_of(const struct record_interval *iv)
{
	u64 t = iv->t1_ns;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv->models & 1ULL << m)
			t = MIN(t, iv->v[m].t0_ns);
	return t;
}

/* Most of the shorter one is within the other. */
static bool is_beside(const struct record_interval *a, const struct record_interval *b)
{
	u64 from = MAX(begin_of(a), begin_of(b)), to = MIN(a->t1_ns, b->t1_ns);
	u64 least = MIN(a->t1_ns - begin_of(a), b->t1_ns - begin_of(b));

	return to > from && (to - from) * 2 > least;
}

/* The pending one that ends first; NULL: all are at their end. */
static struct track *first_to_end(struct player *p)
{
	struct track *first = NULL;

	for (u32 i = 0; i < p->ntracks; i++) {
		struct track *t = &p->tracks[i];

		if (!t->pending)
			t->pending = reader__next(t->reader, &t->next);
		if (t->pending && (!first || t->next.t1_ns < first->next.t1_ns))
			first = t;
	}
	return first;
}

/* Whether a recording that has not had its turn has an interval for the time of this one. */
static bool others_follow(const struct player *p, const struct track *now)
{
	for (u32 i = 0; i < p->ntracks; i++) {
		const struct track *t = &p->tracks[i];

		if (t != now && t->pending && !t->in_turn && is_beside(&t->next, &now->next))
			return true;
	}
	return false;
}

/* Intervals of all in the order in which they end; those of one time are taken in as one. */
static bool next_of_tracks(struct player *p, struct record_interval *out)
{
	struct track *now = first_to_end(p);

	if (!now)
		return false;
	now->pending = false;
	now->in_turn = true;
	p->reader = now->reader;
	p->track = (u32)(now - p->tracks);
	*out = now->next;
	out->goes_on = others_follow(p, now);
	for (u32 i = 0; !out->goes_on && i < p->ntracks; i++)
		p->tracks[i].in_turn = false;
	return true;
}

/* What was counted since the start is that of all. */
static void sum_health(struct player *p, u32 model)
{
	struct health *h = &p->now.v[model].health;

	p->tracks[p->track].now.v[model] = p->now.v[model];
	for (u32 i = 0; i < p->ntracks; i++) {
		const struct health *of = &p->tracks[i].now.v[model].health;

		if (i == p->track)
			continue;
		h->samples_total += of->samples_total;
		h->lost += of->lost;
		h->map_full += of->map_full;
		h->stacks_lost += of->stacks_lost;
		h->side_lost += of->side_lost;
	}
}

static bool next_interval(struct player *p, struct record_interval *out)
{
	if (p->link)
		return next_of_stream(p, out);
	return p->tracks ? next_of_tracks(p, out) : reader__next(p->reader, out);
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
			sum_health(p, m);
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

/* Whose clock is how far behind the first one's, in ns: by the time of day, or as if all had begun together. */
static u64 behind(const struct reader *first, const struct reader *r, bool by_day)
{
	struct recording_summary a, b;
	double day;

	reader__summary(first, &a);
	reader__summary(r, &b);
	day = strtod(reader__note(r, NOTE_STARTED), NULL) - strtod(reader__note(first, NOTE_STARTED), NULL);
	return a.begin_ns - b.begin_ns + (by_day ? (u64)(s64)(day * (double)NSEC_PER_SEC) : 0);
}

/* Whether there was a time at which all were being made. */
static bool are_of_one_time(const struct track *tracks, u32 n)
{
	double begin = 0, end = INFINITY;

	for (u32 i = 0; i < n; i++) {
		double t = strtod(reader__note(tracks[i].reader, NOTE_STARTED), NULL);
		struct recording_summary sum;

		if (!(t > 0))
			return false;
		reader__summary(tracks[i].reader, &sum);
		begin = MAX(begin, t);
		end = MIN(end, t + (double)(sum.end_ns - sum.begin_ns) / 1e9);
	}
	return begin < end;
}

/* Says whose recordings they are, and puts their times side by side. */
static void join_tracks(struct track *tracks, u32 n)
{
	bool by_day = are_of_one_time(tracks, n);
	char all[256] = "";
	size_t len = 0;

	for (u32 i = 0; i < n; i++) {
		struct reader *r = tracks[i].reader;
		u32 host = hosts__add(reader__note(r, NOTE_HOST));

		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", hosts__name(host));
		len = MIN(len, sizeof(all) - 1);
		log_head(r);
		reader__set_host(r, host, behind(tracks[0].reader, r, by_day), i * PARTS_MAX);
	}
	machine__set(all, reader__note(tracks[0].reader, NOTE_KERNEL));
	log__add(LOG_INFO, "%u recordings are put side by side %s; the vital signs are those of %s", n,
		 by_day ? "by the time of day" : "as if they had begun together, as they were not made at one time",
		 hosts__name(1));
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
	join_tracks(p->tracks, n);
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
	log_head(p->reader);
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
