// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of an interval become those of the last one, the decaying window and since start. */
#include "models/io_model.h"
#include "models/quantile.h"

HISTOGRAM_OF(io_hist, BLOCK_BUCKETS, false)

/* A time of so many requests that fade, such that its mean is theirs although their number is
 * told as a whole one. */
static u64 faded(double ns, double known, u64 total)
{
	return known > 0 ? (u64)(ns / known * (double)total + 0.5) : 0;
}

#define AT(TYPE, MEMBER) (offsetof(TYPE, MEMBER) / sizeof(u64))

void io_track__advance(struct io_track *t, const struct window_pace *p, struct io_sums *out)
{
	const struct window_track all = WINDOW_TRACK_OF(t, struct io_sums, max_ns);

	window_track__advance(&all, p, (u64 *)out);
	for (u32 i = 0; i < IO_STAGES; i++)
		out[WINDOW_DECAY].ns[i] =
			faded(t->decay[AT(struct io_sums, ns) + i],
			      t->decay[AT(struct io_sums, known) + i], out[WINDOW_DECAY].known[i]);
}

static struct window_track all_of_proc(struct io_proc_track *t)
{
	return WINDOW_TRACK_OF(t, struct io_proc_sums, max_ns);
}

void io_proc_track__advance(struct io_proc_track *t, const struct window_pace *p,
			    struct io_proc_sums *out)
{
	const struct window_track all = all_of_proc(t);

	window_track__advance(&all, p, (u64 *)out);
	out[WINDOW_DECAY].ns =
		faded(t->decay[AT(struct io_proc_sums, ns)],
		      t->decay[AT(struct io_proc_sums, known)], out[WINDOW_DECAY].known);
}

void io_proc_track__merge(struct io_proc_track *to, const struct io_proc_track *from)
{
	const struct window_track a = all_of_proc(to),
				  b = all_of_proc((struct io_proc_track *)from);

	window_track__merge(&a, &b);
}
