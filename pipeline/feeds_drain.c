// SPDX-License-Identifier: GPL-2.0-only
/* Samples on their way from sources to models, symbols and taps. */
#include "base/command_lines.h"
#include "pipeline/feeds_impl.h"
#include "samples/command.h"

#define NAMES_WAIT_MS 25
#define WALKED_MAX    256 /* frames that the programs in the kernel walk, and more */
#define NAMED_MAX     1024 /* with what is inlined in them */

static void hand_out(const struct route *r, const struct sample *s)
{
	struct feeds *f = r->feeds;

	for (u32 i = 0; i < SINKS; i++)
		if (f->sinks[i])
			f->sinks[i]->ops->put(f->sinks[i], r->slot->models, s);
	for (u64 left = r->slot->models; left; left &= left - 1) {
		struct model_feed *mf = &f->v[__builtin_ctzll(left)];

		mf->ops->consume(mf->model, s);
	}
}

/* What the programs in the kernel say of interpreted functions becomes known to symbols first. */
static void hand_out_stack(const struct route *r, const struct stack_def *d)
{
	struct stack_locs locs; /* not zeroed: large */
	u64 ips[NAMED_MAX];
	struct stack_def room, out;

	if (r->feeds->symbols && (u32)d->nkernel + d->nuser <= WALKED_MAX)
		d = symbols__name_scripts(r->feeds->symbols, d, ips, ARRAY_SIZE(ips), &room);
	locs.n = 0;
	out = *d;
	out.located = &locs;
	hand_out(r, &out.head);
}

static void learn_command(const struct command_sample *s)
{
	if (s->end_ns)
		command_lines__end(s->tgid, s->end_ns);
	else
		command_lines__learn(s->tgid, s->start_ns, s->line);
}

static void learn_thread(const struct thread_name_sample *s)
{
	command_lines__learn_thread(s->tgid, s->tid, s->name);
}

static void route_sample(void *ctx, const struct sample *s)
{
	const struct route *r = ctx;
	struct feeds *f = r->feeds;

	/* Of a recording that is read beside what goes on symbols know already. */
	if (s->type == SAMPLE_PROC && f->symbols && !f->borrows_symbols)
		symbols__proc_event(f->symbols,
				    container_of((struct sample *)s, struct proc_event, head));
	if (s->type == SAMPLE_UNWIND && f->symbols)
		symbols__unwind(f->symbols,
				container_of((struct sample *)s, struct unwind_sample, head),
				&source_unwind_sink);
	if (s->type == SAMPLE_COMMAND)
		learn_command(container_of(s, struct command_sample, head));
	if (s->type == SAMPLE_THREAD_NAME)
		learn_thread(container_of(s, struct thread_name_sample, head));
	if (s->type == SAMPLE_STACK_DEF)
		hand_out_stack(r, container_of(s, struct stack_def, head));
	else
		hand_out(r, s);
}

struct sample_sink feeds__sink(struct route *r)
{
	return (struct sample_sink){route_sample, r};
}

void feeds__drain_slot(struct feeds *f, struct slot *slot, bool tick)
{
	struct route r = {f, slot};
	struct sample_sink sink = feeds__sink(&r);

	slot->ops->drain(slot->src, tick, &sink);
}

static void kick_symbols(struct feeds *f)
{
	if (f->symbols && !f->borrows_symbols)
		symbols__kick(f->symbols);
}

/* The slots that serve some of the models, with or without a fetch of their own. */
static struct slot *next_slot(struct feeds *f, u32 *i, u64 models, bool fetches)
{
	while (*i < f->slots.n) {
		struct slot *slot = &f->slots.v[(*i)++];

		if (slot->src && (slot->models & models) && !slot->ops->fetch != fetches)
			return slot;
	}
	return NULL;
}

/* What ends between the look at the clock and a turn is counted in the interval that ended. */
static void turn_all(struct feeds *f, u64 models, u64 t1_ns)
{
	struct slot *slot;
	bool turns = false;

	for (u32 i = 0; (slot = next_slot(f, &i, models, true));)
		turns |= slot->ops->turn && slot->ops->turn(slot->src, t1_ns);
	if (turns)
		source__wait_turns();
}

static void read_thread_names(struct feeds *f, u64 models)
{
	struct slot of_symbols = {0};
	struct route r = {f, &of_symbols};
	struct sample_sink sink = feeds__sink(&r);

	for (u32 i = 0; i < f->slots.n; i++)
		of_symbols.models |= f->slots.v[i].models & models;
	if (f->symbols && !f->borrows_symbols)
		symbols__thread_names(f->symbols, &sink);
}

/* Samples are fetched first and handed out last: what the others tell in between are the
 * processes and mappings that the samples mean. */
static void drain_in_order(struct feeds *f, u64 models, bool tick)
{
	struct slot *slot;

	for (u32 i = 0; (slot = next_slot(f, &i, models, true));)
		slot->ops->fetch(slot->src, tick);
	for (u32 i = 0; (slot = next_slot(f, &i, models, false));)
		feeds__drain_slot(f, slot, tick);
	for (u32 i = 0; (slot = next_slot(f, &i, models, true));)
		feeds__drain_slot(f, slot, tick);
	if (tick)
		read_thread_names(f, models);
	kick_symbols(f);
}

void feeds__drain(struct feeds *f, u64 models, u64 t1_ns)
{
	models &= ~f->opening; /* of those nothing has begun */
	turn_all(f, models, t1_ns);
	drain_in_order(f, models, true);
	/* Most names come within milliseconds: a frame that has them need not be looked at a
	 * second time by whoever shows it. */
	if (f->symbols && !f->borrows_symbols)
		symbols__wait(f->symbols, NAMES_WAIT_MS);
}

void feeds__drain_urgent(struct feeds *f, struct slot *slot)
{
	if (!slot->src)
		return;
	drain_in_order(f, slot->models, false);
}
