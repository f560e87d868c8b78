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
#define FULL_PCT   90
#define EMPTY_PCT  30
#define DEAR_PCT   50
#define CHEAP_PCT  5
#define FIRST_STEP 1024
/* Intervals in a row that are too dear before fewer are followed. */
#define PATIENCE 2
#define STACKS_USUAL 50000
/* A million objects fill seven eighths of the slots. */
#define BUCKETS (1000000 / HELD_SLOTS / 7 * 8)
#define OWNERS	8192
/* Sites whose ages are kept; of those beyond it the oldest alone is. */
#define AGES_MAX 8192
/* A chance below which weights would not fit. */
#define LEAST_CHANCE 0x1p-21

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
	u32 nbuckets, nsites_max, nowners_max;
	struct measure_held_bucket *buckets; /* NULL until mapped */
	struct measure_held_filter *filter;
	struct measure_site *sites;
	struct measure_owner *owners;
	bool *owner_goes; /* those that no site had when sites were freed last */
	struct site_before *before;
	u32 (*ages)[MEASURE_BUCKETS];
	u32 nages;
	struct carry carry;
	u32 used;  /* slots, as of the last look */
	u32 sites_used; /* as of the last drain */
	u32 ndear; /* intervals in a row */
	u64 looked_ns, epoch_ns, last_ns;
	u64 wanted, in_force; /* sample_bytes */
	volatile u32 *nsites, *nowners, *sampled, *interval_since;
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

static void size_map(struct held_tables *t, const char *name, const char *variable, u32 n)
{
	set(t, variable, &n, sizeof(n));
	bpf_map__set_max_entries(bpf_object__find_map_by_name(t->obj, name), n);
}

struct held_tables *held_tables__new(struct bpf_object *obj, u32 stacks, bool little)
{
	struct held_tables *t = xcalloc(1, sizeof(*t));

	t->obj = obj;
	t->nbuckets = little ? BUCKETS / 8 : BUCKETS;
	/* The programs give seven eighths to stacks; some are there twice, as they were cut before there were tables. */
	t->nsites_max = little ? 4096 : MAX(stacks, STACKS_USUAL) / 7 * 8 + 8192;
	t->nowners_max = little ? OWNERS / 4 : OWNERS;
	t->epoch_ns = t->last_ns = clock__monotonic_ns();
	size_map(t, "held", "held_buckets", t->nbuckets);
	size_map(t, "sites", "sites_max", t->nsites_max);
	size_map(t, "owners", "owners_max", t->nowners_max);
	set(t, "held_epoch_ns", &t->epoch_ns, sizeof(t->epoch_ns));
	t->before = xcalloc(t->nsites_max, sizeof(*t->before));
	t->owner_goes = xcalloc(t->nowners_max, sizeof(*t->owner_goes));
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
	t->filter = map_of(t, "held_filter", sizeof(*t->filter));
	t->sites = map_of(t, "sites", t->nsites_max * sizeof(*t->sites));
	t->owners = map_of(t, "owners", t->nowners_max * sizeof(*t->owners));
	if (!t->buckets || !t->filter || !t->sites || !t->owners)
		return bpf_util__failed(-errno, "mapping BPF arrays", st);
	t->nsites = bpf_globals__find(t->obj, "nsites", sizeof(*t->nsites));
	t->nowners = bpf_globals__find(t->obj, "nowners", sizeof(*t->nowners));
	t->sampled = bpf_globals__find(t->obj, "sampled", sizeof(*t->sampled));
	t->draws = bpf_globals__find(t->obj, "draws", MEASURE_BUCKETS * sizeof(*t->draws));
	t->interval_since = bpf_globals__find(t->obj, "interval_since", sizeof(*t->interval_since));
	if (!t->nsites || !t->nowners || !t->sampled || !t->draws || !t->interval_since)
		die("programs of a holding lack a variable");
	return 0;
}

void held_tables__free(struct held_tables *t)
{
	if (!t)
		return;
	if (t->buckets)
		munmap(t->buckets, t->nbuckets * sizeof(*t->buckets));
	if (t->filter)
		munmap(t->filter, sizeof(*t->filter));
	if (t->sites)
		munmap(t->sites, t->nsites_max * sizeof(*t->sites));
	if (t->owners)
		munmap(t->owners, t->nowners_max * sizeof(*t->owners));
	free(t->before);
	free(t->owner_goes);
	free(t->ages);
	free(t);
}

/* --- sampling --- */

/* The least that slots can have which is no less than that of a chance, and more than that of one object. */
static u32 weight_for(double chance)
{
	u32 weight = HELD_WEIGHT_ONE + 1;

	while ((double)held_weight__unpack(weight) * chance < HELD_WEIGHT)
		weight++;
	return weight;
}

/* Of 2^32. */
static u64 chance_of(u32 weight)
{
	return ((u64)HELD_WEIGHT << 32) / held_weight__unpack(weight);
}

/* An object of s bytes is followed with the chance that one of the points lies in it that are strewn
 * over all bytes, `bytes` apart on average. Those of one bucket have one chance. */
static void put_in_force(struct held_tables *t, u64 bytes)
{
	t->in_force = bytes;
	for (u32 i = 0; i < MEASURE_BUCKETS && bytes; i++) {
		double size = (double)MAX(loglin__lo(i, MEASURE_SUB_SHIFT), 1ull);
		double p = -expm1(-size / (double)bytes);
		u32 weight = weight_for(MAX(p, LEAST_CHANCE));

		t->draws[i] = p > 0.999 ? HELD_WEIGHT_ONE : chance_of(weight) << 32 | weight;
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

static u32 site_of(const struct held_tables *t, u64 word)
{
	return MIN(HELD_SITE(word), t->nsites_max - 1);
}

/* Of an object that is followed with the chance p stand 1 / p: what that adds to the variance of a sum, as
 * D. G. Horvitz and D. J. Thompson estimate it (JASA 47, 1952). */
static double variance_of(u64 word, const struct measure_held_slot *slot)
{
	double weight = (double)HELD_WEIGHT_OF(word) / HELD_WEIGHT, size = (double)size_of(slot);

	return size * size * weight * (weight - 1);
}

static void look_at_slot(struct held_tables *t, u64 word, const struct measure_held_slot *slot, u64 now)
{
	u32 site = site_of(t, word), since = MAX(slot->since, 1u);
	u64 then = ns_of(t, since), age = now > then ? now - then : 0;
	u32 bucket = loglin__bucket(age >> MEASURE_NS_SHIFT, MEASURE_SUB_SHIFT, MEASURE_BUCKETS);
	struct site_before *b = &t->before[site];

	t->used++;
	b->variance += variance_of(word, slot);
	if (!b->since && t->nages < AGES_MAX)
		b->ages = ++t->nages;
	if (b->ages)
		t->ages[b->ages][bucket] += MAX((u32)(HELD_WEIGHT_OF(word) / HELD_WEIGHT), 1u);
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
			if (t->buckets[i].words[k])
				look_at_slot(t, t->buckets[i].words[k], &t->buckets[i].slots[k], now);
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

static u32 owner_of(const struct held_tables *t, u32 site)
{
	return MIN(t->sites[site].owner, t->nowners_max - 1);
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
		.who = t->owners[owner_of(t, at)].who,
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

/* What a program that runs meanwhile counts in one of them keeps it. */
static void free_idle_sites(struct held_tables *t)
{
	u32 n = 0;

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

/* Those that no site has: no program finds them any more, and when none that had found one before runs, and there is
 * still no site, they are free. */
static void free_idle_owners(struct held_tables *t)
{
	bool *in_use = xcalloc(t->nowners_max, sizeof(*in_use));
	u32 n = 0;

	for (u32 i = 0; i < t->nsites_max; i++)
		if (t->sites[i].id)
			in_use[owner_of(t, i)] = true;
	for (u32 i = 1; i < t->nowners_max; i++) {
		struct measure_owner *o = &t->owners[i];

		if (in_use[i] || !o->ready) {
			t->owner_goes[i] = false;
		} else if (!t->owner_goes[i]) {
			__atomic_store_n(&o->id, SITE_GOES, __ATOMIC_SEQ_CST);
			t->owner_goes[i] = true;
		} else {
			n++;
			t->owner_goes[i] = false;
			memset((char *)o + sizeof(o->id), 0, sizeof(*o) - sizeof(o->id));
			__atomic_store_n(&o->id, 0, __ATOMIC_SEQ_CST);
		}
	}
	__atomic_fetch_sub(t->nowners, n, __ATOMIC_SEQ_CST);
	free(in_use);
}

/* Before a table fills up. Sites of owners that go are found by nobody, so they will be free, too. */
static void free_sites(struct held_tables *t)
{
	bool is_due = *t->nsites >= t->nsites_max / 4 || *t->nowners >= t->nowners_max / 4;

	if (!is_due)
		return;
	free_idle_sites(t);
	free_idle_owners(t);
}

/* --- sites of processes that ended --- */

/* Whatever a program that is about to fill it has not written yet: the process has ended. */
static void release(struct held_tables *t, struct measure_held_bucket *b, u32 at, u64 word)
{
	const struct measure_held_slot slot = b->slots[at];
	struct measure_site *s = &t->sites[site_of(t, word)];
	u64 weight = HELD_WEIGHT_OF(word);
	__u64 was = word;

	if (!__atomic_compare_exchange_n(&b->words[at], &was, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return;
	__atomic_fetch_sub(&t->filter->n[HELD_FILTER_OF(word)], 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->released, weight, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&s->released_bytes, size_of(&slot) * weight, __ATOMIC_SEQ_CST);
}

static void release_all(struct held_tables *t, const bool *sites)
{
	for (u32 i = 0; i < t->nbuckets; i++)
		for (u32 k = 0; k < HELD_SLOTS; k++) {
			u64 word = __atomic_load_n(&t->buckets[i].words[k], __ATOMIC_ACQUIRE);

			if (word && sites[site_of(t, word)])
				release(t, &t->buckets[i], k, word);
		}
}

static bool holds_some(const struct measure_site *s)
{
	const struct measure_site now = read_site(s);

	return now.acquired != now.released + now.lost;
}

void held_tables__release(struct held_tables *t,
			  bool (*gone)(void *ctx, const struct measure_owner *owner), void *ctx)
{
	bool *sites = xcalloc(t->nsites_max, sizeof(*sites)), any = false;

	for (u32 i = 1; i < t->nsites_max; i++)
		if (t->sites[i].ready && holds_some(&t->sites[i]) &&
		    gone(ctx, &t->owners[owner_of(t, i)]))
			any = sites[i] = true;
	if (any)
		release_all(t, sites);
	free(sites);
}

double held_tables__drain(struct held_tables *t,
			  void (*put)(void *ctx, struct measure_held_sample *out,
				      const struct measure_owner *owner),
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
			put(ctx, &out, &t->owners[owner_of(t, i)]);
	free_sites(t);
	t->last_ns = now;
	return fill_pct(t);
}
