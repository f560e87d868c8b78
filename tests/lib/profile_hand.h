/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile whose truth is known, for tests of what is asked of one. */
#ifndef TESTS_LIB_PROFILE_HAND_H
#define TESTS_LIB_PROFILE_HAND_H

#include <math.h>

#include "scope/filter.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/profile_builder.h"

/* Everything since the start, by one key. */
static inline struct profile_query query(enum profile_group group)
{
	struct profile_query q;

	memset(&q, 0, sizeof(q));
	q.groups = GROUP_BIT(group);
	q.window = WINDOW_TOTAL;
	q.user = q.kernel = true;
	return q;
}

/* Any query there can be. */
static inline void random_query(struct builder *m, struct profile_query *q)
{
	*q = query(builder__random(m, GROUPS));
	if (builder__random(m, 2))
		q->groups = 1 + builder__random(m, GROUP_BIT(GROUPS) - 1);
	q->window = builder__random(m, WINDOWS);
	q->inlined = builder__random(m, 2);
	q->callee_first = builder__random(m, 2);
	q->focus = 1 + builder__random(m, m->symbols->nfuncs - 1);
	if (!builder__random(m, 3))
		q->kernel = !(q->user = builder__random(m, 2));
}

static inline struct scope *parse(const char *expr)
{
	struct filter_error err;
	struct scope *s = filter__parse(expr, &err);

	assert_non_null(s);
	return s;
}

static inline const struct profile_row *row_named(const struct profile_rows *r, const char *name)
{
	for (u32 i = 0; i < r->nrows; i++)
		if (!strcmp(r->rows[i].name, name))
			return &r->rows[i];
	return NULL;
}

static inline void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-6)
		fail_msg("%f is not %f", a, b);
}

static inline void assert_shares(const struct profile_rows *r, const char *name, double self,
				 double total)
{
	const struct profile_row *row = row_named(r, name);

	if (!row)
		fail_msg("no row %s", name);
	assert_near(row->self_pct, self);
	assert_near(row->total_pct, total);
}

/*
 * main -> f -> g      40 samples
 * main -> f           10
 * main -> rec -> rec  20
 * main -> read, in the kernel: vfs -> copy   25
 * no stack             5
 */
struct hand {
	struct builder m;
	u32 main, f, g, rec, read, vfs, copy;
	const struct profile_snap *snap;
};

static inline void hand__put(struct hand *h, u32 nkernel, u32 n, const u32 *locs, u64 count)
{
	builder__put(&h->m, builder__stack(&h->m, nkernel, n - nkernel, locs), 7, count);
}

static inline void hand__init(struct hand *h)
{
	struct symbols *s;

	builder__init(&h->m, 1);
	s = h->m.symbols;
	h->main = symbols__named(s, "prog", "main", CODE_USER);
	h->f = symbols__named(s, "prog", "f", CODE_USER);
	h->g = symbols__named(s, "libg.so", "g", CODE_USER);
	h->rec = symbols__named(s, "prog", "rec", CODE_USER);
	h->read = symbols__named(s, "libc.so.6", "read", CODE_USER);
	h->vfs = symbols__named(s, "[kernel]", "vfs", CODE_KERNEL);
	h->copy = symbols__named(s, "[kernel]", "copy", CODE_KERNEL);
	hand__put(h, 0, 3, (u32[]){h->g, h->f, h->main}, 40);
	hand__put(h, 0, 2, (u32[]){h->f, h->main}, 10);
	hand__put(h, 0, 3, (u32[]){h->rec, h->rec, h->main}, 20);
	hand__put(h, 2, 4, (u32[]){h->copy, h->vfs, h->read, h->main}, 25);
	builder__put(&h->m, 0, 7, 5);
	h->snap = builder__tick(&h->m, NSEC_PER_SEC);
}

static inline void hand__fini(struct hand *h)
{
	snap__put(h->snap);
	builder__fini(&h->m);
}

static inline u32 func_of(const struct hand *h, u32 loc)
{
	return symbols__func_of(h->m.symbols, loc);
}

#endif
