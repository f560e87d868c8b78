// SPDX-License-Identifier: GPL-2.0-only
/* The collector's intervals of a replay: they come from a recording, at its pace. */
#include "core/clock.h"
#include "core/collector_form.h"

/* A gap in a recording is not waited for longer. */
#define PATIENCE_NS (60 * NSEC_PER_SEC)

static void wind_on(struct collector *c)
{
	struct play *p = &c->play;

	p->has_coming = p->reel->ops->next(p->reel, &p->coming);
}

static u64 begin_of(const struct tape_interval *iv)
{
	u64 t = iv->t1_ns;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv->models & MODEL_BIT(m))
			t = MIN(t, iv->v[m].t0_ns);
	return t;
}

static void set_due(struct collector *c)
{
	struct play *p = &c->play;
	u64 wait = p->coming.t1_ns > c->fake_ns ? p->coming.t1_ns - c->fake_ns : 0;
	double scaled = (double)MIN(wait, PATIENCE_NS) / p->speed;

	p->due_ns = clock__monotonic_ns() + (u64)MIN(scaled, (double)PATIENCE_NS);
}

void play__begin(struct collector *c)
{
	wind_on(c);
	c->fake_ns = c->t1_ns = begin_of(&c->play.coming);
	c->play.due_ns = clock__monotonic_ns();
}

/* Intervals that end on a grid are as long as it says only by and large. */
static bool long_enough(const struct play *p, u64 t0, const struct tape_interval *last)
{
	return last->t1_ns - t0 + (last->t1_ns - begin_of(last)) / 2 >= p->merge_ns;
}

/* Each model's interval begins where the first one of it did. */
static void hand_out(struct collector *c, u64 *models)
{
	const struct tape_interval *iv = &c->play.coming;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if ((iv->models & ~*models) & MODEL_BIT(m))
			feeds__begin(&c->feeds, MODEL_BIT(m), iv->v[m].t0_ns);
	*models |= iv->models;
	c->play.reel->handing_out = true;
	feeds__drain(&c->feeds, ALL_MODELS);
	c->play.reel->handing_out = false;
}

void play__tick(struct collector *c)
{
	struct play *p = &c->play;
	struct tape_interval last;
	u64 models = 0, t0;
	bool enough;

	if (!p->has_coming || p->paused)
		return;
	collector__resolve_scope(c);
	t0 = begin_of(&p->coming);
	do {
		hand_out(c, &models);
		last = p->coming;
		enough = long_enough(p, t0, &last);
		if (!enough)
			wind_on(c);
	} while (!enough && p->has_coming);
	c->t0_ns = t0;
	c->t1_ns = c->fake_ns = last.t1_ns;
	feeds__tick(&c->feeds, models, last.t1_ns, last.self_cpu_pct);
	/* Only now: sources tell the health of the interval that is wound to. */
	if (enough)
		wind_on(c);
	collector__publish(c, !p->has_coming);
	set_due(c);
}

void play__set(struct collector *c, bool paused, double speed)
{
	c->play.paused = paused;
	c->play.speed = CLAMP(speed, 0.01, 1e6);
	set_due(c);
}

u64 play__due(const struct collector *c)
{
	return c->play.has_coming && !c->play.paused ? c->play.due_ns : SCHEDULE_NEVER;
}

void play__state(const struct collector *c, struct tape_state *out)
{
	const struct play *p = &c->play;

	p->reel->ops->state(p->reel, out);
	out->kind = TAPE_REPLAY;
	out->at_ns = c->fake_ns;
	out->speed = p->speed;
	out->stopped = p->paused || !p->has_coming;
}
