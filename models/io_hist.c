// SPDX-License-Identifier: GPL-2.0-only
/* Sums and histograms of block I/O: adding up and quantiles. */
#include "models/io.h"
#include "models/quantile.h"

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

u64 io_hist__lo(u32 bucket)
{
	return block__lo(bucket);
}

static struct histogram histogram_of(const struct io_hist *h)
{
	return (struct histogram){h->n, BLOCK_BUCKETS, io_hist__lo, 0, UINT64_MAX, 0};
}

double io_hist__count(const struct io_hist *h)
{
	const struct histogram of = histogram_of(h);

	return histogram__count(&of);
}

u64 io_hist__quantile(const struct io_hist *h, double q, u64 max_ns)
{
	const struct histogram of = histogram_of(h);
	u64 v = histogram__quantile(&of, q);

	return MIN(v, max_ns);
}

struct value io_hist__value(const struct io_hist *h, struct arena *a)
{
	const struct histogram of = histogram_of(h);

	return histogram__value(&of, false, a);
}
