// SPDX-License-Identifier: GPL-2.0-only
#include "recording/import_out.h"

#include "base/log.h"
#include "models/model.h"
#include "models/stacks.h"

#define SUMS_MAX  65536
#define GAP_MAX	  60	 /* empty intervals in a row: a longer gap is left as it is */
#define EMPTY_MAX 100000 /* of the whole file */
#define SHORTEST  (NSEC_PER_SEC / 1000) /* a last interval; one without times is a whole one */
#define SETTLE_MS 60000

struct import_out {
	struct symbols *symbols;
	struct record_sink *sink;
	struct health health;
	u64 lost[2]; /* as the kernel says, and by event */
	struct stack_sample *sums; /* of the interval, or what is left of it */
	u32 nsums, cap_sums;
	struct hidx by_key, defined;
	u64 *stacks; /* that were told */
	u32 ndefined, defined_cap;
	u64 t0_ns, last_ns, samples, in_interval;
	struct ask_sample *asked; /* NULL: no question */
	bool turned;		  /* the interval has said which question its samples are of */
	u32 empty; /* intervals without a sample */
	bool begun, full;
};

struct import_out *import_out__new(struct symbols *symbols, const struct recording_note *notes,
				   const struct health *health, struct status *st)
{
	const struct recorder_config cfg = {.symbols = symbols, .notes = notes};
	struct record_sink *sink = recorder__new(&cfg, st);
	struct import_out *o;

	if (!sink)
		return NULL;
	o = xcalloc(1, sizeof(*o));
	o->symbols = symbols;
	o->health = *health;
	o->sink = sink;
	return o;
}

/* --- stacks --- */

static u32 find_defined(const struct import_out *o, u64 stack)
{
	u32 at;

	HIDX_FIND(at, &o->defined, mix64(stack), pos, o->stacks[pos] == stack);
	return at;
}

bool import_out__knows(const struct import_out *o, u64 stack)
{
	return find_defined(o, stack) != HIDX_NONE;
}

static void flush(struct import_out *o)
{
	for (u32 i = 0; i < o->nsums; i++)
		o->sink->ops->put(o->sink, MODEL_BIT(MODEL_PROFILE), &o->sums[i].head);
	o->nsums = 0;
	hidx__clear(&o->by_key);
}

void import_out__define(struct import_out *o, const struct stack_def *def)
{
	/* The recorder keeps twice as many at least. */
	if (o->ndefined >= stacks__definitions() / 2) {
		flush(o);
		o->ndefined = 0;
		hidx__clear(&o->defined);
	}
	o->sink->ops->put(o->sink, MODEL_BIT(MODEL_PROFILE), &def->head);
	o->stacks = xgrow(o->stacks, o->ndefined, &o->defined_cap, sizeof(*o->stacks));
	o->stacks[o->ndefined] = def->hash;
	hidx__add(&o->defined, mix64(def->hash), o->ndefined++);
	symbols__kick(o->symbols);
}

/* --- a question's --- */

void import_out__ask(struct import_out *o, const struct ask_form *form)
{
	o->asked = xcalloc(1, sizeof(*o->asked));
	*o->asked = (struct ask_sample){.head.type = SAMPLE_ASK, .n = 1, .form = *form};
}

/* Replays begin at any interval, so each says it. */
static void turn(struct import_out *o)
{
	if (!o->turned)
		o->sink->ops->put(o->sink, MODEL_BIT(MODEL_EVENTS), &o->asked->head);
	o->turned = true;
}

/* The sum, and what its stack stands for. */
void import_out__measure(struct import_out *o, struct measure_sample *s)
{
	u64 stack = s->stack;

	turn(o);
	s->stack = 0;
	o->sink->ops->put(o->sink, MODEL_BIT(MODEL_EVENTS), &s->head);
	s->stack = stack;
	s->sampled = true;
	if (stack)
		o->sink->ops->put(o->sink, MODEL_BIT(MODEL_EVENTS), &s->head);
}

/* --- intervals --- */

static void end_interval(struct import_out *o, u64 t1_ns)
{
	struct record_interval iv = {.t1_ns = t1_ns, .models = MODEL_BIT(MODEL_PROFILE)};

	flush(o);
	if (o->asked) {
		turn(o);
		iv.models |= MODEL_BIT(MODEL_EVENTS);
	}
	o->turned = false;
	o->health.samples = o->in_interval;
	o->health.samples_total = o->samples;
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv.models & MODEL_BIT(m)) {
			iv.v[m].t0_ns = o->t0_ns;
			iv.v[m].health = o->health;
		}
	o->sink->ops->end_interval(o->sink, &iv);
	o->t0_ns = t1_ns;
	o->in_interval = 0;
}

static void check_size(struct import_out *o)
{
	struct recording_state state;

	o->sink->ops->state(o->sink, &state);
	o->full = state.bytes > IMPORT_BYTES || state.stopped;
	if (o->full)
		log__add(LOG_WARN,
			 "the file has more than can be taken over: from %.1f s on it is "
			 "left out",
			 (double)o->t0_ns / 1e9);
}

/* Ends the intervals before a time. */
static void move_on(struct import_out *o, u64 t_ns)
{
	u64 gap = (t_ns - o->t0_ns) / IMPORT_INTERVAL;

	if (!gap)
		return;
	end_interval(o, o->t0_ns + IMPORT_INTERVAL);
	check_size(o);
	gap--;
	if (gap > GAP_MAX || o->empty + gap > EMPTY_MAX) {
		o->t0_ns += gap * IMPORT_INTERVAL;
		return;
	}
	o->empty += (u32)gap;
	while (gap--)
		end_interval(o, o->t0_ns + IMPORT_INTERVAL);
}

static bool same_key(const struct stack_sample *a, const struct stack_sample *b)
{
	return a->stack == b->stack && a->cgroup == b->cgroup && a->tgid == b->tgid &&
	       a->tid == b->tid && a->cpu == b->cpu && !strcmp(a->comm, b->comm);
}

static void add(struct import_out *o, const struct stack_sample *s)
{
	u64 hash = mix64_pair(mix64_pair(s->stack, (u64)s->tgid << 32 | s->tid),
			      mix64_pair(s->cpu, s->cgroup));
	struct stack_sample *sum;
	u32 at;

	HIDX_FIND(at, &o->by_key, hash, pos, same_key(&o->sums[pos], s));
	if (at != HIDX_NONE) {
		sum = &o->sums[at];
		sum->count += s->count;
		sum->weight += s->weight;
		sum->t_ns = MAX(sum->t_ns, s->t_ns);
		return;
	}
	if (o->nsums == SUMS_MAX)
		flush(o);
	o->sums = xgrow(o->sums, o->nsums, &o->cap_sums, sizeof(*o->sums));
	o->sums[o->nsums] = *s;
	hidx__add(&o->by_key, hash, o->nsums++);
}

bool import_out__put(struct import_out *o, const struct stack_sample *s)
{
	if (!o->begun)
		o->t0_ns = o->last_ns = s->t_ns;
	o->begun = true;
	if (s->t_ns > o->t0_ns)
		move_on(o, s->t_ns);
	if (o->full)
		return false;
	o->last_ns = MAX(o->last_ns, s->t_ns);
	add(o, s);
	o->samples += s->count;
	o->in_interval += s->count;
	return true;
}

void import_out__lost(struct import_out *o, u64 n, bool by_event)
{
	o->lost[by_event] += n;
	o->health.lost = MAX(o->lost[0], o->lost[1]);
}

u64 import_out__samples(const struct import_out *o)
{
	return o->samples;
}

static void end_last(struct import_out *o)
{
	bool timed = o->last_ns - o->t0_ns >= SHORTEST;

	if (o->begun && !o->full)
		end_interval(o, timed ? o->last_ns + 1 : o->t0_ns + IMPORT_INTERVAL);
}

int import_out__finish(struct import_out *o, struct status *st)
{
	int fd;

	if (!o)
		return -1;
	end_last(o);
	symbols__kick(o->symbols);
	if (!symbols__wait(o->symbols, SETTLE_MS))
		log__add(LOG_WARN, "not all names were found within a minute: others follow");
	fd = recorder__memory(o->sink, st);
	o->sink->ops->close(o->sink);
	free(o->sums);
	free(o->stacks);
	free(o->asked);
	hidx__fini(&o->by_key);
	hidx__fini(&o->defined);
	free(o);
	return fd;
}
