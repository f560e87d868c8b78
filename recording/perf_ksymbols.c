// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_ksymbols.h"

#include "base/arena.h"
#include "base/bisect.h"
#include "symbols/recorded.h"

/* The first that ends above an address. */
static u32 first_above(const struct perf_ksymbols *k, u64 at)
{
	u32 n;

	BISECT(n, 0, k->n, i, k->v[i].end <= at);
	return n;
}

static void remove_range(struct perf_ksymbols *k, u64 start, u64 end)
{
	u32 from = first_above(k, start), to = from;

	while (to < k->n && k->v[to].start < end)
		to++;
	if (from == to)
		return;
	memmove(&k->v[from], &k->v[to], (k->n - to) * sizeof(*k->v));
	k->n -= to - from;
}

static u32 func_of(struct perf_ksymbols *k, const struct perf_record *r)
{
	if (!k->object)
		k->object = symbols__recorded_object(
			k->symbols, &(struct sym_object){.kind = CODE_BPF, .name = "[bpf]", .path = ""}, "");
	return symbols__recorded_func(k->symbols, &(struct sym_func){
							  .object = k->object,
							  .kind = CODE_BPF,
							  .start = r->start,
							  .size = r->len,
							  .name = r->text,
							  .linkage = r->text,
						  });
}

void perf_ksymbols__take(struct perf_ksymbols *k, const struct perf_record *r)
{
	u64 end = r->start + r->len;
	u32 at;

	if (!r->len || end < r->start)
		return;
	remove_range(k, r->start, end);
	if (r->gone || k->n == PERF_KSYMBOLS_MAX)
		return;
	at = first_above(k, r->start);
	k->v = xgrow(k->v, k->n, &k->cap, sizeof(*k->v));
	memmove(&k->v[at + 1], &k->v[at], (k->n - at) * sizeof(*k->v));
	k->v[at] = (struct perf_ksymbol){r->start, end, func_of(k, r)};
	k->n++;
}

u32 perf_ksymbols__func(const struct perf_ksymbols *k, u64 ip)
{
	u32 at = first_above(k, ip);

	return at < k->n && ip >= k->v[at].start ? k->v[at].func : 0;
}

bool perf_ksymbols__locate(struct perf_ksymbols *k, u64 ip, u32 *loc)
{
	u32 func = perf_ksymbols__func(k, ip);

	if (!func)
		return false;
	*loc = symbols__recorded_loc(k->symbols,
				     &(struct recorded_loc){.object = k->object, .func = func, .offset = ip});
	return true;
}

void perf_ksymbols__fini(struct perf_ksymbols *k)
{
	free(k->v);
}
