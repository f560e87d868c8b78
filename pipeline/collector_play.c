// SPDX-License-Identifier: GPL-2.0-only
/* The collector's intervals of a replay: they come from a recording, at its pace. */
#include "base/clock.h"
#include "pipeline/collector_impl.h"

/* What decays has decayed by then: so much before a time is played first. */
#define WARM_NS (30 * NSEC_PER_SEC)
/* A gap in a recording is not waited for longer. */
#define PATIENCE_NS (60 * NSEC_PER_SEC)

static void wind_on(struct collector *c)
{
	struct play *p = &c->play;

	p->has_coming =
		p->replay->ops->next(p->replay, &p->coming) && p->coming.t1_ns <= p->last_ns;
}

static void set_due(struct collector *c)
{
	struct play *p = &c->play;
	u64 wait = p->coming.t1_ns > c->fake_ns ? p->coming.t1_ns - c->fake_ns : 0;
	double scaled = (double)MIN(wait, PATIENCE_NS) / p->speed;

	p->due_ns = clock__monotonic_ns() + (u64)MIN(scaled, (double)PATIENCE_NS);
}

/* Intervals that end on a grid are as long as it says only by and large. */
static bool long_enough(const struct play *p, u64 t0, const struct record_interval *last)
{
	return last->t1_ns - t0 + (last->t1_ns - record_interval__begin(last)) / 2 >= p->merge_ns;
}

/* Each model's interval begins where the first one of it did. */
static void hand_out(struct collector *c, u64 *models)
{
	const struct record_interval *iv = &c->play.coming;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if ((iv->models & ~*models) & MODEL_BIT(m))
			feeds__begin(&c->feeds, MODEL_BIT(m), iv->v[m].t0_ns);
	*models |= iv->models;
	c->play.replay->handing_out = true;
	feeds__drain(&c->feeds, ALL_MODELS, iv->t1_ns);
	c->play.replay->handing_out = false;
}

/* The coming interval and, until it is long enough, those after it, as one; with `to` all that
 * end by then. */
static void take_in(struct collector *c, u64 to_ns)
{
	struct play *p = &c->play;
	u64 models = 0, t0 = record_interval__begin(&p->coming);
	struct record_interval last;
	bool enough;

	do {
		hand_out(c, &models);
		last = p->coming;
		enough = !to_ns && !last.goes_on && long_enough(p, t0, &last);
		if (!enough)
			wind_on(c);
	} while (!enough && p->has_coming && (!to_ns || p->coming.t1_ns <= to_ns) && !collector__quits(c));
	c->t0_ns = t0;
	c->t1_ns = c->fake_ns = last.t1_ns;
	feeds__tick(&c->feeds, models, last.t1_ns, last.self_cpu_pct, (struct health_gap){0});
	/* Only now: sources tell the health of the interval that is wound to. */
	if (enough)
		wind_on(c);
}

/* Its clock is another one; it begins anew when that machine did. */
void play__look(struct collector *c)
{
	struct play *p = &c->play;

	if (!p->has_coming)
		wind_on(c);
	if (!p->has_coming) { /* other news, then */
		feeds__refresh(&c->feeds);
		c->dirty = true;
	}
	for (; p->has_coming && c->started && !collector__quits(c); collector__publish(c, false)) {
		if (p->coming.t1_ns <= c->t1_ns)
			feeds__zero(&c->feeds, ALL_MODELS, record_interval__begin(&p->coming));
		take_in(c, 0);
	}
}

void play__begin(struct collector *c)
{
	if (collector__remote(c)) {
		c->fake_ns = 0;
		play__look(c);
		return;
	}
	if (c->play.first_ns)
		c->play.replay->ops->seek(c->play.replay, c->play.first_ns);
	wind_on(c);
	c->fake_ns = c->t1_ns = record_interval__begin(&c->play.coming);
	c->play.due_ns = clock__monotonic_ns();
	if (c->play.asked_to)
		play__seek(c, c->play.asked_from, c->play.asked_to);
}

void play__tick(struct collector *c)
{
	struct play *p = &c->play;

	if (!p->has_coming || p->paused)
		return;
	collector__resolve_scope(c);
	take_in(c, 0);
	collector__publish(c, !p->has_coming);
	set_due(c);
}

/* What was gathered is of another time. */
static void start_anew(struct collector *c, u64 after_ns)
{
	struct play *p = &c->play;

	p->has_coming = false;
	if (p->replay->ops->seek(p->replay, after_ns))
		wind_on(c);
	feeds__zero(&c->feeds, ALL_MODELS, p->has_coming ? record_interval__begin(&p->coming) : after_ns);
}

void play__seek(struct collector *c, u64 from_ns, u64 to_ns)
{
	struct play *p = &c->play;
	u64 after = MAX(from_ns ? from_ns : to_ns - MIN(to_ns, WARM_NS), p->first_ns);
	bool goes_on = !from_ns && p->has_coming && c->t1_ns >= after && p->coming.t1_ns <= to_ns &&
		       p->coming.t1_ns > c->t1_ns;

	p->paused = true;
	if (!c->started) {
		p->asked_from = from_ns;
		p->asked_to = to_ns;
		return;
	}
	collector__resolve_scope(c);
	if (!goes_on)
		start_anew(c, after);
	if (p->has_coming && p->coming.t1_ns > to_ns)
		take_in(c, to_ns);
	while (p->has_coming && p->coming.t1_ns <= to_ns && !collector__quits(c))
		take_in(c, from_ns ? to_ns : 0);
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
	return c->play.has_coming && !c->play.paused && !collector__remote(c) ? c->play.due_ns : SCHEDULE_NEVER;
}
