// SPDX-License-Identifier: GPL-2.0-only
#include "sources/measure_held.h"

#include <bpf/libbpf.h>
#include <math.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/clock.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_util.h"
#include "sources/source.h"

/* Ages are looked at no more often: each slot is. */
#define AGES_NS (900 * NSEC_PER_MSEC)

/* Where fewer objects are followed, and where more again: how full slots are, and the cost in % of a
 * CPU. Each step is one to double or half. */
#define FULL_PCT   80
#define EMPTY_PCT  30
#define DEAR_PCT   50
#define CHEAP_PCT  5
#define FIRST_STEP 1024
/* Intervals in a row that are too dear before fewer are followed. */
#define PATIENCE 2
#define STACKS_USUAL 50000
/* Sites whose ages are kept; of those beyond it the oldest alone is. */
#define AGES_MAX 8192
/* A chance of 2^32 below which weights would not fit. */
#define LEAST_CHANCE 2048

/* A site as of the last drain. */
struct site_before {
	u64 id;
	u64 acquired, acquired_bytes, released, released_bytes;
	u64 churned, churned_bytes, wasted_bytes;
	double variance; /* of the bytes that are held, where they are an estimate */
	u32 since; /* of the oldest, in units of slots; 0: none */
	u32 ages;  /* where they are, from 1; 0: nowhere */
};

/* Parts of objects and bytes that are not handed out yet. */
struct carry {
	u64 held, held_bytes;
	u64 acquired, acquired_bytes, released, released_bytes;
	u64 churned, churned_bytes, wasted_bytes;
};

struct held_tables {
	struct bpf_object *obj;
	u32 nbuckets, nsites_max;
	struct measure_held_bucket *buckets; /* NULL until mapped */
	struct measure_site *sites;
	struct site_before *before;
	u32 (*ages)[MEASURE_BUCKETS];
	u32 nages;
	struct carry carry;
	u32 used;  /* slots, as of the last look */
	u32 sites_used; /* as of the last drain */
	u32 ndear; /* intervals in a row */
	u64 looked_ns, epoch_ns, last_ns;
	u64 wanted, in_force; /* sample_bytes */
	volatile u32 *nsites, *sampled, *interval_since;
	volatile u64 *draws;
};

/* --- made and mapped --- */

static void set(struct held_tables *t, const char *name, const void *data, size_t size)
{
	void *to = bpf_globals__find(t->obj, name, size);

	if (!to)
		die("programs of a holding have no %s of that size", name);
	memcpy(to, data, size);
}

/* A power of two of which the programs give 13/16 to stacks. */
static u32 sites_for(u32 stacks)
{
	u32 n = 4096;

	while (n - n / 8 - n / 16 < stacks)
		n *= 2;
	return n;
}

struct held_tables *held_tables__new(struct bpf_object *obj, u32 stacks, bool little)
{
	struct held_tables *t = xcalloc(1, sizeof(*t));
	u32 site_mask;

	t->obj = obj;
	t->nbuckets = little ? 16384 : 163840; /* a million objects fill three quarters of 30 MiB */
	t->nsites_max = sites_for(little ? 0 : MAX(stacks, STACKS_USUAL));
	t->epoch_ns = t->last_ns = clock__monotonic_ns();
	site_mask = t->nsites_max - 1;
	set(t, "held_buckets", &t->nbuckets, sizeof(t->nbuckets));
	set(t, "site_mask", &site_mask, sizeof(site_mask));
	set(t, "held_epoch_ns", &t->epoch_ns, sizeof(t->epoch_ns));
	bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, "held"), t->nbuckets);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, "sites"), t->nsites_max);
	t->before = xcalloc(t->nsites_max, sizeof(*t->before));
	t->ages = xcalloc(AGES_MAX + 1, sizeof(*t->ages));
	return t;
}

static void *map_of(const struct held_tables *t, const char *name, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_object__find_map_fd_by_name(t->obj, name), 0);

	return p == MAP_FAILED ? NULL : p;
}

int held_tables__map(struct held_tables *t, struct status *st)
{
	t->buckets = map_of(t, "held", t->nbuckets * sizeof(*t->buckets));
	t->sites = map_of(t, "sites", t->nsites_max * sizeof(*t->sites));
	if (!t->buckets || !t->sites)
		return bpf_util__failed(-errno, "mapping BPF arrays", st);
	t->nsites = bpf_globals__find(t->obj, "nsites", sizeof(*t->nsites));
	t->sampled = bpf_globals__find(t->obj, "sampled", sizeof(*t->sampled));
	t->draws = bpf_globals__find(t->obj, "draws", MEASURE_BUCKETS * sizeof(*t->draws));
	t->interval_since = bpf_globals__find(t->obj, "interval_since", sizeof(*t->interval_since));
	if (!t->nsites || !t->sampled || !t->draws || !t->interval_since)
		die("programs of a holding lack a variable");
	return 0;
}

void held_tables__free(struct held_tables *t)
{
	if (!t)
		return;
	if (t->buckets)
		munmap(t->buckets, t->nbuckets * sizeof(*t->buckets));
	if (t->sites)
		munmap(t->sites, t->nsites_max * sizeof(*t->sites));
	free(t->before);
	free(t->ages);
	free(t);
}

/* --- sampling --- */

/* An object of s bytes is followed with the chance that one of the points lies in it that are strewn
 * over all bytes, `bytes` apart on average. Those of one bucket have one chance. */
static void put_in_force(struct held_tables *t, u64 bytes)
{
	t->in_force = bytes;
	for (u32 i = 0; i < MEASURE_BUCKETS && bytes; i++) {
		double size = (double)MAX(loglin__lo(i, MEASURE_SUB_SHIFT), 1ull);
		double p = -expm1(-size / (double)bytes);
		u64 chance = MAX((u64)(p * 4294967296.0), (u64)LEAST_CHANCE);
		u64 weight = ((u64)HELD_WEIGHT << 32) / MIN(chance, 0xffffffffull);

		t->draws[i] = p > 0.999 ? HELD_WEIGHT : chance << 32 | MAX(weight, HELD_WEIGHT + 1ull);
	}
	*t->sampled = bytes != 0;
}

void held_tables__set_sampling(struct held_tables *t, u64 sample_bytes)
{
	t->wanted = sample_bytes;
	put_in_force(t, sample_bytes > SAMPLE_EVERY ? sample_bytes : 0);
}

u64 held_tables__sampling(const struct held_tables *t)
{
	return t->in_force;
}

/* Of the fuller table. */
static double fill_pct(const struct held_tables *t)
{
	return MAX(100.0 * t->used / HELD_SLOTS / t->nbuckets, 100.0 * t->sites_used / t->nsites_max);
}

void held_tables__adapt(struct held_tables *t, double cost_pct)
{
	double fill = fill_pct(t);
	u64 least = t->wanted > SAMPLE_EVERY ? t->wanted : 0;
	bool cheap = t->wanted || cost_pct < CHEAP_PCT;

	t->ndear = !t->wanted && cost_pct > DEAR_PCT ? t->ndear + 1 : 0;
	if ((fill > FULL_PCT || t->ndear >= PATIENCE) && t->in_force < SAMPLE_BYTES_MAX)
		put_in_force(t, t->in_force ? t->in_force * 2 : FIRST_STEP);
	else if (t->in_force > least && fill < EMPTY_PCT && cheap)
		put_in_force(t, MAX(t->in_force > FIRST_STEP ? t->in_force / 2 : 0, least));
}

/* --- reading --- */

static u64 ns_of(const struct held_tables *t, u32 since)
{
	return t->epoch_ns + ((u64)since << HELD_AGE_SHIFT);
}

static u64 size_of(const struct measure_held_slot *slot)
{
	return slot->size < HELD_LARGE ? slot->size : (u64)(slot->size & ~HELD_LARGE) << 12;
}

/* Of an object that is followed with the chance p stand 1 / p: what that adds to the variance of a sum, as
 * D. G. Horvitz and D. J. Thompson estimate it (JASA 47, 1952). */
static double variance_of(const struct measure_held_slot *slot)
{
	double weight = (double)slot->weight / HELD_WEIGHT, size = (double)size_of(slot);

	return size * size * weight * (weight - 1);
}

static void look_at_slot(struct held_tables *t, const struct measure_held_slot *slot, u64 now)
{
	u32 site = slot->site & (t->nsites_max - 1), since = MAX(slot->since, 1u);
	u64 then = ns_of(t, since), age = now > then ? now - then : 0;
	u32 bucket = loglin__bucket(age >> MEASURE_NS_SHIFT, MEASURE_SUB_SHIFT, MEASURE_BUCKETS);
	struct site_before *b = &t->before[site];

	t->used++;
	if (!slot->weight)
		return; /* about to be filled */
	b->variance += variance_of(slot);
	if (!b->since && t->nages < AGES_MAX)
		b->ages = ++t->nages;
	if (b->ages)
		t->ages[b->ages][bucket] += MAX(slot->weight / HELD_WEIGHT, 1u);
	if (!b->since || since < b->since)
		b->since = since;
}

static void look_at_ages(struct held_tables *t, u64 now)
{
	if (t->looked_ns && now < t->looked_ns + AGES_NS)
		return;
	t->looked_ns = now;
	t->used = 0;
	memset(t->ages, 0, (t->nages + 1) * sizeof(*t->ages));
	t->nages = 0;
	for (u32 i = 0; i < t->nsites_max; i++)
		t->before[i].since = t->before[i].ages = 0, t->before[i].variance = 0;
	for (u32 i = 0; i < t->nbuckets; i++)
		for (u32 k = 0; k < HELD_SLOTS; k++)
			if (t->buckets[i].keys[k])
				look_at_slot(t, &t->buckets[i].slots[k], now);
}

/* What is left of one site goes to the next one: rounding each of many would be a bias. */
static u64 whole(u64 *carry, u64 weighted)
{
	u64 all = *carry + weighted;

	*carry = all % HELD_WEIGHT;
	return all / HELD_WEIGHT;
}

/* What programs add to meanwhile: what went is read before what came, so that nothing is held less
 * than 0 times. */
static struct measure_site read_site(const struct measure_site *s)
{
	struct measure_site now;

	now.released = __atomic_load_n(&s->released, __ATOMIC_ACQUIRE);
	now.released_bytes = __atomic_load_n(&s->released_bytes, __ATOMIC_ACQUIRE);
	now.lost = __atomic_load_n(&s->lost, __ATOMIC_ACQUIRE);
	now.lost_bytes = __atomic_load_n(&s->lost_bytes, __ATOMIC_ACQUIRE);
	now.acquired = __atomic_load_n(&s->acquired, __ATOMIC_ACQUIRE);
	now.acquired_bytes = __atomic_load_n(&s->acquired_bytes, __ATOMIC_ACQUIRE);
	now.churned = __atomic_load_n(&s->churned, __ATOMIC_RELAXED);
	now.churned_bytes = __atomic_load_n(&s->churned_bytes, __ATOMIC_RELAXED);
	now.wasted_bytes = __atomic_load_n(&s->wasted_bytes, __ATOMIC_RELAXED);
	return now;
}

/* What is lost may be below 0. */
static u64 less(u64 a, u64 b)
{
	return (s64)(a - b) > 0 ? a - b : 0;
}

/* False: nothing is to be said of it. */
static bool fill(struct held_tables *t, u32 at, struct measure_held_sample *out)
{
	const struct measure_site now = read_site(&t->sites[at]);
	struct site_before *b = &t->before[at];
	struct carry *c = &t->carry;
	u64 gone = now.released + now.lost, gone_bytes = now.released_bytes + now.lost_bytes;

	if (b->id != t->sites[at].id)
		*b = (struct site_before){
			.id = t->sites[at].id, .since = b->since, .ages = b->ages, .variance = b->variance};
	*out = (struct measure_held_sample){
		.head.type = SAMPLE_MEASURE_HELD,
		.rest = at == MEASURE_REST_SITE,
		.who = t->sites[at].who,
		.stack = t->sites[at].stack,
		.held = whole(&c->held, less(now.acquired, gone)),
		.held_bytes = whole(&c->held_bytes, less(now.acquired_bytes, gone_bytes)),
		.acquired = whole(&c->acquired, now.acquired - b->acquired),
		.acquired_bytes = whole(&c->acquired_bytes, now.acquired_bytes - b->acquired_bytes),
		.released = whole(&c->released, now.released - b->released),
		.released_bytes = whole(&c->released_bytes, now.released_bytes - b->released_bytes),
		.churned = whole(&c->churned, now.churned - b->churned),
		.churned_bytes = whole(&c->churned_bytes, now.churned_bytes - b->churned_bytes),
		.wasted_bytes = whole(&c->wasted_bytes, now.wasted_bytes - b->wasted_bytes),
		.error_bytes = (u64)sqrt(b->variance),
		.hist = b->ages ? t->ages[b->ages] : NULL,
	};
	if (out->held)
		out->begin_ns = b->since ? ns_of(t, b->since) : t->last_ns;
	b->acquired = now.acquired;
	b->acquired_bytes = now.acquired_bytes;
	b->released = now.released;
	b->released_bytes = now.released_bytes;
	b->churned = now.churned;
	b->churned_bytes = now.churned_bytes;
	b->wasted_bytes = now.wasted_bytes;
	return out->held || out->acquired || out->released;
}

/* --- sites of which nothing is held --- */

#define SITE_GOES 1 /* an id that no key has: its place is not free yet */

static bool is_idle(const struct held_tables *t, u32 at)
{
	const struct measure_site now = read_site(&t->sites[at]);
	const struct site_before *b = &t->before[at];

	return now.acquired == now.released + now.lost && now.acquired == b->acquired &&
	       now.released == b->released;
}

/* Before the table fills up. What a program that runs meanwhile counts in one of them keeps it. */
static void free_sites(struct held_tables *t)
{
	u32 n = 0;

	if (*t->nsites < t->nsites_max / 4)
		return;
	for (u32 i = 1; i < t->nsites_max; i++)
		if (t->sites[i].ready && is_idle(t, i))
			__atomic_store_n(&t->sites[i].id, SITE_GOES, __ATOMIC_SEQ_CST);
	bpf_util__barrier();
	for (u32 i = 1; i < t->nsites_max; i++) {
		if (t->sites[i].id != SITE_GOES)
			continue;
		if (!is_idle(t, i)) {
			__atomic_store_n(&t->sites[i].id, t->before[i].id, __ATOMIC_SEQ_CST);
			continue;
		}
		n++;
		t->before[i] = (struct site_before){0};
		memset((char *)&t->sites[i] + sizeof(t->sites[i].id), 0,
		       sizeof(t->sites[i]) - sizeof(t->sites[i].id));
		__atomic_store_n(&t->sites[i].id, 0, __ATOMIC_SEQ_CST);
	}
	__atomic_fetch_sub(t->nsites, n, __ATOMIC_SEQ_CST);
}

/* --- sites of processes that ended --- */

struct slot_place {
	u32 bucket, slot;
	u64 key;
};

static bool is_of(const struct held_tables *t, const bool *sites, const struct slot_place *p)
{
	const struct measure_held_bucket *b = &t->buckets[p->bucket];

	return b->keys[p->slot] == p->key && sites[b->slots[p->slot].site & (t->nsites_max - 1)];
}

static void release(struct held_tables *t, const struct slot_place *p)
{
	struct measure_held_bucket *b = &t->buckets[p->bucket];
	struct measure_held_slot slot = b->slots[p->slot];
	struct measure_site *s = &t->sites[slot.site & (t->nsites_max - 1)];
	u64 size = size_of(&slot);
	__u64 key = p->key;

	if (!__atomic_compare_exchange_n(&b->keys[p->slot], &key, 0, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return;
	__atomic_fetch_add(&s->released, slot.weight, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->released_bytes, size * slot.weight, __ATOMIC_SEQ_CST);
}

/* A slot that a program is about to fill still names the site that it had before: those that do so
 * now and when all programs have come to their end are meant. */
static void release_all(struct held_tables *t, const bool *sites)
{
	struct slot_place *places = NULL;
	u32 n = 0, cap = 0;

	for (u32 i = 0; i < t->nbuckets; i++)
		for (u32 k = 0; k < HELD_SLOTS; k++) {
			struct slot_place p = {i, k, t->buckets[i].keys[k]};

			if (!p.key || !is_of(t, sites, &p))
				continue;
			places = xgrow(places, n, &cap, sizeof(*places));
			places[n++] = p;
		}
	bpf_util__barrier();
	for (u32 i = 0; i < n; i++)
		if (is_of(t, sites, &places[i]))
			release(t, &places[i]);
	free(places);
}

static bool holds_some(const struct measure_site *s)
{
	const struct measure_site now = read_site(s);

	return now.acquired != now.released + now.lost;
}

void held_tables__release(struct held_tables *t,
			  bool (*gone)(void *ctx, const struct measure_site *site), void *ctx)
{
	bool *sites = xcalloc(t->nsites_max, sizeof(*sites)), any = false;

	for (u32 i = 1; i < t->nsites_max; i++)
		if (t->sites[i].ready && holds_some(&t->sites[i]) && gone(ctx, &t->sites[i]))
			any = sites[i] = true;
	if (any)
		release_all(t, sites);
	free(sites);
}

double held_tables__drain(struct held_tables *t,
			  void (*put)(void *ctx, struct measure_held_sample *out,
				      const struct measure_site *site),
			  void *ctx)
{
	struct measure_held_sample out;
	u64 now = clock__monotonic_ns();

	look_at_ages(t, now);
	t->sites_used = *t->nsites;
	t->carry.held = t->carry.held_bytes = HELD_WEIGHT / 2; /* the same in each interval */
	*t->interval_since = (u32)((now - t->epoch_ns) >> HELD_AGE_SHIFT);
	for (u32 i = 0; i < t->nsites_max; i++)
		if ((t->sites[i].ready || i == MEASURE_REST_SITE) && fill(t, i, &out))
			put(ctx, &out, &t->sites[i]);
	free_sites(t);
	t->last_ns = now;
	return fill_pct(t);
}
