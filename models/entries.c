// SPDX-License-Identifier: GPL-2.0-only
#include "models/entries.h"

#include <math.h>

static u32 find(const struct entries *e, const void *key, u64 hash)
{
	u32 at;

	HIDX_FIND(at, &e->index, hash, pos, e->kind->same(entries__at(e, pos), key));
	return at;
}

static void *append(struct entries *e, u64 hash)
{
	e->v = xgrow(e->v, e->n, &e->cap, e->kind->size);
	hidx__add(&e->index, hash, e->n);
	return entries__at(e, e->n++);
}

static struct window_sums counts_of(const struct entries *e, void *entry)
{
	u32 n = e->kind->ncounts;
	u64 *now = (u64 *)((char *)entry + e->kind->counts_at);

	return (struct window_sums){n, now, now + n, (double *)(now + 2 * n)};
}

static void merge(const struct entries *e, void *to, void *from)
{
	const struct window_sums a = counts_of(e, to), b = counts_of(e, from);

	if (e->kind->merge)
		e->kind->merge(to, from);
	else
		window_sums__merge(&a, &b);
}

static double heat_of(const struct entries *e, void *entry)
{
	const struct window_sums counts = counts_of(e, entry);

	return e->kind->heat ? e->kind->heat(entry) : window_sums__heat(&counts);
}

void entries__advance(const struct entries *e, u32 i, double keep, void *out)
{
	const struct window_sums counts = counts_of(e, entries__at(e, i));

	window_sums__advance(&counts, keep, out, counts.n);
}

static void put_back(struct entries *e, void *old)
{
	u64 hash = e->kind->hash(old);
	u32 at = find(e, old, hash);

	if (at == HIDX_NONE)
		memcpy(append(e, hash), old, e->kind->size);
	else
		merge(e, entries__at(e, at), old);
}

void entries__rekey(struct entries *e)
{
	struct entries old = *e;

	e->v = NULL;
	e->n = e->cap = 0;
	hidx__clear(&e->index);
	for (u32 i = 0; i < old.n; i++)
		put_back(e, entries__at(&old, i));
	free(old.v);
}

/* The n coldest of those that `which` names; NULL: of all. */
static void fold_coldest(struct entries *e, u32 step, u32 n, bool (*which)(const void *entry))
{
	double *heat = xmalloc(MAX(e->n, 1u) * sizeof(*heat));
	bool *cold = xmalloc(MAX(e->n, 1u) * sizeof(*cold));

	for (u32 i = 0; i < e->n; i++)
		heat[i] = !which || which(entries__at(e, i)) ? heat_of(e, entries__at(e, i)) : INFINITY;
	heat__coldest(heat, e->n, n, cold);
	for (u32 i = 0; i < e->n; i++)
		if (cold[i])
			e->kind->fold(entries__at(e, i), step);
	free(heat);
	free(cold);
	entries__rekey(e);
}

void entries__shed(struct entries *e)
{
	fold_coldest(e, 0, e->n / 2, NULL);
}

static u32 count(const struct entries *e, bool (*which)(const void *entry))
{
	u32 n = 0;

	for (u32 i = 0; i < e->n; i++)
		n += which(entries__at(e, i));
	return n;
}

void entries__bound(struct entries *e, bool (*which)(const void *entry), u32 most)
{
	for (u32 step = 0, n; step < e->kind->steps && e->n > most && (n = count(e, which)) > most; step++)
		fold_coldest(e, step, n - most / 4 * 3, which);
}

static void make_room(struct entries *e)
{
	for (u32 i = 0; i < e->kind->steps && e->n > e->max / 4 * 3; i++)
		fold_coldest(e, i, e->n / 2, NULL);
}

void *entries__get(struct entries *e, const void *key)
{
	u64 hash = e->kind->hash(key);
	void *entry;
	u32 at;

	if (e->n >= e->max)
		make_room(e);
	at = find(e, key, hash);
	e->added = at == HIDX_NONE;
	if (!e->added)
		return entries__at(e, at);
	entry = append(e, hash);
	memset(entry, 0, e->kind->size);
	return memcpy(entry, key, e->kind->key_size);
}

void entries__clear(struct entries *e)
{
	e->n = 0;
	hidx__clear(&e->index);
}

void entries__fini(struct entries *e)
{
	free(e->v);
	hidx__fini(&e->index);
}

size_t entries__bytes(const struct entries *e)
{
	return e->cap * e->kind->size + hidx__bytes(&e->index);
}
