// SPDX-License-Identifier: GPL-2.0-only
#include "models/procs_entries.h"

#include <math.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "models/windows.h"

#define PROCS_PAGE 8 /* entries that are shared or copied together */

struct procs_page {
	atomic_uint refs;
	struct procs_entry v[PROCS_PAGE];
};

struct procs_pages {
	u32 n;
	struct procs_page *v[]; /* one reference to each */
};

static struct procs_page *page__new(void)
{
	struct procs_page *p = xcalloc(1, sizeof(*p));

	atomic_init(&p->refs, 1);
	return p;
}

static void page__put(struct procs_page *p)
{
	if (atomic_fetch_sub(&p->refs, 1) == 1)
		free(p);
}

/* Nobody but the collector takes references, so that one that is alone stays so. */
static struct procs_page *page__own(struct procs_page *p)
{
	struct procs_page *copy;

	if (atomic_load(&p->refs) == 1)
		return p;
	copy = xmalloc(sizeof(*copy));
	atomic_init(&copy->refs, 1);
	memcpy(copy->v, p->v, sizeof(p->v));
	page__put(p);
	return copy;
}

const struct procs_entry *procs_entries__at(const struct procs_entries *e, u32 i)
{
	return &e->pages[i / PROCS_PAGE]->v[i % PROCS_PAGE];
}

struct procs_entry *procs_entries__write(struct procs_entries *e, u32 i)
{
	struct procs_page **p = &e->pages[i / PROCS_PAGE];

	*p = page__own(*p);
	return &(*p)->v[i % PROCS_PAGE];
}

u32 procs_entries__add(struct procs_entries *e)
{
	u32 at = e->n++;

	if (at / PROCS_PAGE == e->npages) {
		e->pages = xgrow(e->pages, e->npages, &e->cap, sizeof(struct procs_page *));
		e->pages[e->npages++] = page__new();
	}
	memset(procs_entries__write(e, at), 0, sizeof(struct procs_entry));
	return at;
}

void procs_entries__truncate(struct procs_entries *e, u32 n)
{
	e->n = n;
	while (e->npages > (n + PROCS_PAGE - 1) / PROCS_PAGE)
		page__put(e->pages[--e->npages]);
}

struct procs_pages *procs_entries__share(const struct procs_entries *e)
{
	struct procs_pages *out = xmalloc(sizeof(*out) + e->npages * sizeof(out->v[0]));

	out->n = e->npages;
	for (u32 i = 0; i < e->npages; i++) {
		atomic_fetch_add(&e->pages[i]->refs, 1);
		out->v[i] = e->pages[i];
	}
	return out;
}

void procs_pages__put(void *pages)
{
	struct procs_pages *p = pages;

	for (u32 i = 0; i < p->n; i++)
		page__put(p->v[i]);
	free(p);
}

size_t procs_entries__bytes(const struct procs_entries *e)
{
	return e->npages * sizeof(struct procs_page) + e->cap * sizeof(struct procs_page *);
}

void procs_entries__fini(struct procs_entries *e)
{
	procs_entries__truncate(e, 0);
	free(e->pages);
}

/* --- numbers --- */

const struct procs_entry *procs_snap__entry(const struct procs_snap *s, u32 i)
{
	return &s->pages->v[i / PROCS_PAGE]->v[i % PROCS_PAGE];
}

/* All of the time since then went to what it rests in, whose decayed sum is what the whole window
 * has beyond what it had then. */
static void decay_at(const struct procs_entry *e, const struct procs_now *now, double out[PROCS_COUNTS])
{
	double keep = exp2(-(double)(now->counted_ns - e->as_of_ns) / NSEC_PER_SEC / PROFILE_HALF_LIFE_S);

	for (u32 c = 0; c < PROCS_COUNTS; c++)
		out[c] = window__decay(e->decay[c], keep, 0);
	if (e->rest < PROCS_PARTS)
		out[e->rest] += now->decay_ns - e->decay_ns * keep;
}

void procs_entry__settle(struct procs_entry *e, const struct procs_now *now)
{
	if (e->as_of_ns == now->counted_ns)
		return;
	decay_at(e, now, e->decay);
	if (e->rest < PROCS_PARTS)
		e->total[e->rest] += now->counted_ns - e->as_of_ns;
	e->as_of_ns = now->counted_ns;
	e->decay_ns = now->decay_ns;
}

void procs_entry__counts(const struct procs_snap *s, const struct procs_entry *e,
			 enum time_window w, u64 out[PROCS_COUNTS])
{
	u64 passed = s->now.counted_ns - e->as_of_ns;
	double decay[PROCS_COUNTS];

	if (w == WINDOW_DECAY) {
		decay_at(e, &s->now, decay);
		for (u32 c = 0; c < PROCS_COUNTS; c++)
			out[c] = (u64)(decay[c] + 0.5);
		return;
	}
	if (w == WINDOW_LAST && passed)
		memset(out, 0, sizeof(e->last));
	else
		memcpy(out, w == WINDOW_LAST ? e->last : e->total, sizeof(e->last));
	if (passed && e->rest < PROCS_PARTS)
		out[e->rest] += w == WINDOW_LAST ? s->window_ns[w] : passed;
}
