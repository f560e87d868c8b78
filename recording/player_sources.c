// SPDX-License-Identifier: GPL-2.0-only
/* What is recorded, handed out as each model's source. */
#include "recording/player_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/model.h"
#include "models/stacks.h"
#include "models/task_text.h"

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

/* A model knows the last stacks__definitions() that it was told of: the others again. */
static bool is_emitted(const struct source *s, const struct emitted *e, u32 stack)
{
	return e->v[stack] && s->emissions + 1 - e->v[stack] < stacks__definitions() / 2;
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
	/* They are found by thread ids and addresses, which are one machine's, or say what it has. */
	if (c->host && (type->type == SAMPLE_MEASURE_HOLDER || type->type == SAMPLE_MEASURE_ORDER ||
			type->type == SAMPLE_MEASURE_LEVELS || type->type == SAMPLE_WAIT_LOCK ||
			type->type == SAMPLE_THREAD_NAME))
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
