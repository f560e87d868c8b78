// SPDX-License-Identifier: GPL-2.0-only
/* The collector's frames, and the scope in force that they carry. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "pipeline/collector_impl.h"
#include "scope/filter.h"

u64 collector__now_ns(const struct collector *c)
{
	return collector__live(c) ? clock__monotonic_ns() : c->fake_ns;
}

static void frame__free(struct snap *s)
{
	struct frame *fr = container_of(s, struct frame, base);

	snap__put(fr->before);
	scope__put(fr->scope);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		snap__put(fr->snaps[m]);
	free(fr);
}

/* They are nobody else's while they are not taken. */
static void keep_waiting(struct collector *c, struct frame *fr)
{
	struct frame *last = fr;
	u32 n = 0;

	fr->before = (struct frame *)mailbox__take(&c->mailbox);
	while (last->before && n++ < COLLECTOR_FRAMES_WAITING)
		last = (struct frame *)last->before;
	if (!last->before)
		return;
	snap__put(last->before);
	last->before = NULL;
	log__add(LOG_WARN, "an interval was dropped: proftop did not get to run; with a longer one "
			   "(-d) it needs to less often");
}

static void fill_replay(const struct collector *c, struct recording_state *out)
{
	const struct play *p = &c->play;

	p->replay->ops->state(p->replay, out);
	out->kind = RECORDING_REPLAY;
	out->at_ns = c->fake_ns;
	out->speed = p->speed;
	out->stopped = p->paused || !p->has_coming;
}

void collector__publish(struct collector *c, bool final)
{
	struct frame *fr = xcalloc(1, sizeof(*fr));

	atomic_init(&fr->base.refs, 1);
	fr->base.free = frame__free;
	fr->base.t0_ns = c->t0_ns;
	fr->base.t1_ns = c->t1_ns;
	fr->seq = ++c->seq;
	fr->t_ns = collector__now_ns(c);
	fr->final = final;
	fr->scope = scope__get(c->feeds.slots.scope);
	feeds__fill(&c->feeds, fr);
	if (c->play.replay && !collector__remote(c))
		fill_replay(c, &fr->recording);
	c->dirty = false;
	if (c->every_frame)
		keep_waiting(c, fr);
	mailbox__publish(&c->mailbox, &fr->base);
}

/* --- the scope --- */

/* Sources are never given NULL. */
struct scope *collector__scope(const struct scope *s)
{
	struct filter_error err;

	return s ? scope__get(s) : filter__parse("", &err);
}

void collector__use_scope(struct collector *c, const struct scope *scope)
{
	struct scope *mine = collector__scope(scope);
	struct scope *resolved = mine->ncgroups ? scope__resolve(mine) : NULL;

	if (resolved)
		scope__put(mine);
	feeds__set_scope(&c->feeds, resolved ? resolved : mine);
}

void collector__resolve_scope(struct collector *c)
{
	const struct scope *s = c->feeds.slots.scope;
	struct scope *resolved = s->ncgroups ? scope__resolve(s) : NULL;

	if (resolved)
		feeds__set_scope(&c->feeds, resolved);
}
