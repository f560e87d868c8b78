// SPDX-License-Identifier: GPL-2.0-only
/* Sets of ids as sorted arrays: merged and intersected in linear time. */
#include "base/arena.h"
#include "scope/scope_impl.h"

void id_set__fini(struct id_set *set)
{
	free(set->ids);
	*set = (struct id_set){0};
}

void id_set__add_range(struct id_set *set, u64 lo, u64 hi)
{
	u32 more = (u32)(hi - lo + 1);

	set->ids = xrealloc(set->ids, ((size_t)set->n + more) * sizeof(u64));
	for (u32 i = 0; i < more; i++)
		set->ids[set->n++] = lo + i;
}

static int compare_ids(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

void id_set__seal(struct id_set *set)
{
	u32 n = 0;

	if (set->n)
		qsort(set->ids, set->n, sizeof(u64), compare_ids);
	for (u32 i = 0; i < set->n; i++)
		if (!n || set->ids[n - 1] != set->ids[i])
			set->ids[n++] = set->ids[i];
	set->n = n;
	set->active = true;
}

bool id_set__has(const struct id_set *set, u64 id)
{
	return set->n && bsearch(&id, set->ids, set->n, sizeof(u64), compare_ids);
}

static void id_set__copy(struct id_set *dst, const struct id_set *src)
{
	*dst = *src;
	dst->ids = NULL;
	if (src->n) {
		dst->ids = xmalloc(src->n * sizeof(u64));
		memcpy(dst->ids, src->ids, src->n * sizeof(u64));
	}
}

bool id_set__equal(const struct id_set *a, const struct id_set *b)
{
	return a->active == b->active && a->n == b->n &&
	       (!a->n || !memcmp(a->ids, b->ids, a->n * sizeof(u64)));
}

void id_set__intersect(struct id_set *set, const struct id_set *more)
{
	u32 n = 0;

	if (!set->active) {
		id_set__fini(set);
		id_set__copy(set, more);
		set->active = true;
		return;
	}
	for (u32 i = 0, j = 0; i < set->n && j < more->n;) {
		if (set->ids[i] == more->ids[j]) {
			set->ids[n++] = set->ids[i++];
			j++;
		} else if (set->ids[i] < more->ids[j]) {
			i++;
		} else {
			j++;
		}
	}
	set->n = n;
}

void id_set__unite(struct id_set *set, const struct id_set *more)
{
	if (more->n) {
		set->ids = xrealloc(set->ids, ((size_t)set->n + more->n) * sizeof(u64));
		memcpy(set->ids + set->n, more->ids, more->n * sizeof(u64));
		set->n += more->n;
	}
	id_set__seal(set);
}

void id_set__subtract(struct id_set *set, const struct id_set *less)
{
	u32 n = 0;

	for (u32 i = 0; i < set->n; i++)
		if (!id_set__has(less, set->ids[i]))
			set->ids[n++] = set->ids[i];
	set->n = n;
}
