// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of an interval become those of the last one, the decaying window and since start. */
#include "models/io_model.h"

/* A time of so many requests that fade, such that its mean is theirs although their number is
 * told as a whole one. */
static u64 faded(double ns, double known, u64 total)
{
	return known > 0 ? (u64)(ns / known * (double)total + 0.5) : 0;
}

#define AT(TYPE, MEMBER) (offsetof(TYPE, MEMBER) / sizeof(u64))

void io_track__advance(struct io_track *t, const struct window_pace *p, struct io_sums *out)
{
	const struct window_track all = {IO_SUMS,	   IO_MAXIMA, (u64 *)&t->now,
					 (u64 *)&t->total, t->decay,  t->max};
	u64 *const windows[WINDOWS] = {(u64 *)&out[0], (u64 *)&out[1], (u64 *)&out[2]};

	window_track__advance(&all, p, windows);
	for (u32 i = 0; i < IO_STAGES; i++)
		out[WINDOW_DECAY].ns[i] =
			faded(t->decay[AT(struct io_sums, ns) + i],
			      t->decay[AT(struct io_sums, known) + i], out[WINDOW_DECAY].known[i]);
}

static struct window_track all_of_proc(struct io_proc_track *t)
{
	return (struct window_track){IO_PROC_SUMS,     IO_PROC_MAXIMA, (u64 *)&t->now,
				     (u64 *)&t->total, t->decay,       t->max};
}

void io_proc_track__advance(struct io_proc_track *t, const struct window_pace *p,
			    struct io_proc_sums *out)
{
	const struct window_track all = all_of_proc(t);
	u64 *const windows[WINDOWS] = {(u64 *)&out[0], (u64 *)&out[1], (u64 *)&out[2]};

	window_track__advance(&all, p, windows);
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
