// SPDX-License-Identifier: GPL-2.0-only
#include "recording/timeline.h"

#include "base/arena.h"
#include "recording/reader.h"
#include "samples/vitals.h"

static void note_busy(void *ctx, const struct codec *c, const struct sample_codec *type,
		      const union any_sample *s)
{
	struct timeline_interval *iv = ctx;

	if (s->head.type == SAMPLE_VITALS)
		iv->busy_pct = (float)(100 - s->vitals.vitals.idle_pct);
}

/* Early intervals are of some models only: the machine's load is in those that have it. */
static bool has_load(const struct record_interval *iv)
{
	return iv->models & 1ULL << MODEL_VITALS;
}

/* How long the machine slept in an interval. */
static u64 slept(const struct record_interval *iv)
{
	u64 ns = 0;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv->models & 1ULL << m)
			ns = MAX(ns, iv->v[m].health.gap.suspended_ns);
	return ns;
}

static void note_sleep(struct timeline *t, const struct record_interval *iv)
{
	u64 ns = slept(iv), before = t->nsleeps ? t->sleeps[t->nsleeps - 1].slept_ns : 0;

	if (!ns || t->nsleeps == TIMELINE_SLEEPS || ns > UINT64_MAX / 4 - before)
		return;
	t->sleeps[t->nsleeps++] = (struct timespan_sleep){iv->t1_ns, before + ns};
}

static struct timeline *read_all(struct reader *r)
{
	struct timeline *t = NULL;
	struct record_interval iv;
	u32 n = 0, cap = 0;

	while (n < TIMELINE_MAX && reader__next(r, &iv)) {
		struct timeline_interval next = {iv.t1_ns, -1};

		if (n == cap) {
			cap = cap ? cap * 2 : 256;
			t = xrealloc(t, sizeof(*t) + cap * sizeof(t->v[0]));
			t->nsleeps = n ? t->nsleeps : 0;
		}
		if (n && t->v[n - 1].t1_ns >= iv.t1_ns)
			continue;
		if (has_load(&iv))
			reader__samples(r, MODEL_VITALS, note_busy, &next);
		note_sleep(t, &iv);
		t->v[n++] = next;
	}
	if (t)
		t->n = n;
	return t;
}

struct timeline *timeline__read(int fd, struct status *st)
{
	struct reader *r = reader__open_memory(fd, NULL, st);
	struct timeline *t = r ? read_all(r) : NULL;

	reader__free(r);
	return t;
}
