/* SPDX-License-Identifier: GPL-2.0-only */
/* Which columns of a table fit, and how wide they are. */
#include "widgets/table.h"

#define GAP	    1
#define COLUMNS_MAX 64
/* What the key column keeps when there is not even room for what is never dropped. */
#define KEY_WIDTH_NARROW 8
/* Width from which bars grow, and by how much at most. */
#define WIDE	 160
#define BAR_MORE 10
/* What a bar says something in. */
#define BAR_LEAST 5

/* Lower ranks stay longer: the key, then by priority, then from the left. */
static bool stays_longer(const struct column *cols, u32 a, u32 b)
{
	bool key_a = cols[a].flags & COLUMN_KEY, key_b = cols[b].flags & COLUMN_KEY;

	if (key_a != key_b)
		return key_a;
	if (cols[a].priority != cols[b].priority)
		return cols[a].priority < cols[b].priority;
	return a < b;
}

static u32 rank_columns(const struct column *cols, u32 n, u32 *rank)
{
	u32 count = 0;

	for (u32 i = 0; i < MIN(n, (u32)COLUMNS_MAX); i++) {
		u32 at = count;

		if (!(cols[i].flags & COLUMN_SCREEN))
			continue;
		for (; at > 0 && stays_longer(cols, i, rank[at - 1]); at--)
			rank[at] = rank[at - 1];
		rank[at] = i;
		count++;
	}
	return count;
}

/* How many of the ranked columns fit. The key column is narrowed before anything that is
 * never dropped has to go. */
static u32 count_fitting(const struct column *cols, const u32 *rank, u32 n, int w, int *key_w)
{
	int full = 0, narrow = 0;
	u32 fit = 0;

	for (u32 i = 0; i < n; i++) {
		int width = MAX(cols[rank[i]].width, 1) + (i ? GAP : 0);
		bool key = i == 0;

		full += width;
		narrow += key ? MIN(width, KEY_WIDTH_NARROW) : width;
		if (full <= w || (cols[rank[i]].priority == 0 && narrow <= w) || key)
			fit = i + 1;
		else
			break;
		*key_w = MAX(MIN(w, MAX(cols[rank[0]].width, 1)), 1);
		if (full > w && !key)
			*key_w = w - (narrow - MIN(MAX(cols[rank[0]].width, 1), KEY_WIDTH_NARROW));
	}
	return fit;
}

/* Where names have room anyway, bars have more of it: up to BAR_MORE cells each, and some where
 * the column has none for a bar. */
static int widen_bars(const struct column *cols, struct column_place *out, u32 n, int w, int rest)
{
	for (u32 i = 0; i < n; i++) {
		int more = CLAMP((w - WIDE) / 4, 0, BAR_MORE);

		if (out[i].w <= TABLE_PCT_WIDTH)
			more += BAR_LEAST;
		if (!(cols[out[i].column].flags & COLUMN_BAR) || rest < 4 * more)
			continue;
		out[i].w += more;
		rest -= more;
	}
	return rest;
}

static void share_rest(const struct column *cols, struct column_place *out, u32 n, int rest)
{
	int flexible = 0;

	for (u32 i = 0; i < n; i++)
		flexible += (cols[out[i].column].flags & COLUMN_FLEX) != 0;
	for (u32 i = 0; i < n && flexible; i++) {
		if (!(cols[out[i].column].flags & COLUMN_FLEX))
			continue;
		out[i].w += rest / flexible;
		rest -= rest / flexible;
		flexible--;
	}
}

u32 table__place_columns(const struct column *cols, u32 n, int w,
			 struct column_place *out, u32 max)
{
	u32 rank[COLUMNS_MAX], placed = 0, fit;
	bool shown[COLUMNS_MAX] = {false};
	int used = 0, key_w = 0;

	if (w <= 0)
		return 0;
	fit = count_fitting(cols, rank, rank_columns(cols, n, rank), w, &key_w);
	fit = MIN(fit, max);
	for (u32 i = 0; i < fit; i++)
		shown[rank[i]] = true;
	for (u32 i = 0; i < MIN(n, (u32)COLUMNS_MAX); i++) {
		if (!shown[i])
			continue;
		out[placed] = (struct column_place){
			.column = i,
			.w = i == rank[0] ? key_w : MAX(cols[i].width, 1),
		};
		used += out[placed].w + (placed ? GAP : 0);
		placed++;
	}
	share_rest(cols, out, placed, widen_bars(cols, out, placed, w, w - used));
	for (u32 i = 1; i < placed; i++)
		out[i].x = out[i - 1].x + out[i - 1].w + GAP;
	return placed;
}
