// SPDX-License-Identifier: GPL-2.0-only
/* Sums and histograms of block I/O: adding up and quantiles. */
#include "base/arena.h"
#include "models/bucket_list.h"
#include "models/io.h"

void io_sums__add(struct io_sums *to, const struct io_sums *from)
{
	u32 sums = offsetof(struct io_sums, max_ns) / sizeof(u64);

	for (u32 i = 0; i < sums; i++)
		((u64 *)to)[i] += ((const u64 *)from)[i];
	for (u32 i = 0; i < IO_STAGES; i++)
		to->max_ns[i] = MAX(to->max_ns[i], from->max_ns[i]);
}

void io_proc_sums__add(struct io_proc_sums *to, const struct io_proc_sums *from)
{
	to->count += from->count;
	to->bytes += from->bytes;
	to->known += from->known;
	to->ns += from->ns;
	to->max_ns = MAX(to->max_ns, from->max_ns);
}

static double cell_count(const struct io_cell *c, enum profile_window w)
{
	if (w == WINDOW_LAST)
		return c->last;
	return w == WINDOW_DECAY ? (double)c->decay : (double)c->total;
}

void io_hist__add(struct io_hist *h, const struct io_cells *c, enum profile_window w)
{
	for (u32 i = 0; i < c->n; i++)
		h->n[c->v[i].bucket] += cell_count(&c->v[i], w);
}

double io_hist__count(const struct io_hist *h)
{
	double n = 0;

	for (u32 i = 0; i < BLOCK_BUCKETS; i++)
		n += h->n[i];
	return n;
}

u64 io_hist__quantile(const struct io_hist *h, double q, u64 max_ns)
{
	double rank = q * io_hist__count(h), below = 0;
	u64 lo = 0, hi = 0;

	for (u32 i = 0; i < BLOCK_BUCKETS; i++) {
		if (!(h->n[i] > 0))
			continue;
		lo = block__lo(i);
		hi = block__lo(i + 1);
		if (below + h->n[i] >= rank) {
			hi = lo + (u64)((double)(hi - lo) * (rank - below) / h->n[i]);
			break;
		}
		below += h->n[i];
	}
	return MIN(hi, MAX(max_ns, lo));
}

/* Half a request that faded is none. */
u64 io_hist__most(const struct io_hist *h, u64 max_ns)
{
	double n = io_hist__count(h);

	return n > 0.5 ? MAX(max_ns, io_hist__quantile(h, 1 - 0.5 / n, max_ns)) : max_ns;
}

/* --- as a value --- */

struct value io_hist__value(const struct io_hist *h, struct arena *a)
{
	struct bucket_item *b;
	u32 n = 0;

	for (u32 i = 0; i < BLOCK_BUCKETS; i++)
		n += h->n[i] > 0;
	b = arena__array(a, struct bucket_item, n);
	n = 0;
	for (u32 i = 0; i < BLOCK_BUCKETS; i++)
		if (h->n[i] > 0)
			b[n++] = (struct bucket_item){block__lo(i), block__lo(i + 1),
						      (u64)(h->n[i] + 0.5)};
	return bucket_list__value(b, n);
}
