// SPDX-License-Identifier: GPL-2.0-only
/* Block I/O: BPF programs on the block layer's tracepoints. */
#include "sources/block_bpf.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "bpf/block.h"
#include "bpf/block.skel.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "sources/block_counts.h"
#include "sources/block_put.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_ring.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/core_btf.h"
#include "sources/kernel_btf.h"
#include "sources/unwind_maps.h"

#define SLOW_FIRST_NS NSEC_PER_MSEC
#define SLOW_LEAST_NS (NSEC_PER_MSEC / 50)
#define SETTLE_NS     (10 * NSEC_PER_MSEC) /* longer on its way: maybe it ended in silence */
#define SLOW_WANTED   64		   /* slow requests told in one interval, at least */

/* Requests whose stacks are taken in one interval, at most: one costs as much as dozens of
 * requests. More where slow ones are looked for. */
#define STACKS_WANTED	   32
#define STACKS_WANTED_SLOW 1024

struct source {
	struct block_bpf *skel;
	struct bpf_ring *ring;
	struct bpf_scope scope;
	struct block_bpf_sizes sizes;
	struct block_counts counts;
	struct block_devices devices;
	struct block_loss loss;
	struct bpf_visit settle;	/* no link where there are no such iterators */
	const struct block_slot *slots; /* the map of requests; NULL: not mapped */
	const struct sample_sink *sink; /* during drain */
	bool flipped;
	u32 stacks, slow; /* stacks sent since the map was emptied; slow requests told */
	u64 slow_least_ns;
	u64 before_ns;
	struct block_stats before;
	struct health health;
	struct unwind_stats before_walks;
};

void block_bpf__stats(struct source *s, struct block_stats *out)
{
	bpf_util__sum_percpu(bpf_map__fd(s->skel->maps.stats), sizeof(*out), (u64 *)out);
}

/* --- what was counted --- */

static struct block_put put_of(struct source *s)
{
	return (struct block_put){&s->devices, &s->scope, s->sink};
}

static double drain_counts(struct source *s)
{
	struct block_put put = put_of(s);

	s->flipped = false;
	return block_counts__drain(&s->counts, !s->skel->bss->active, &put, &s->loss);
}

/* --- records from the ring --- */

static void put_slow(struct source *s, const struct block_slow_record *r)
{
	struct block_put put = put_of(s);

	s->slow++;
	block_put__slow(&put, r);
}

static void put_record(void *ctx, const void *data, size_t size)
{
	struct source *s = ctx;
	u32 type = *(const u32 *)data;

	if (type == RECORD_STACK)
		s->stacks += bpf_ring__put_stack(data, size, s->sink);
	else if (type == RECORD_UNWIND)
		bpf_ring__put_unwind(data, size, s->sink);
	else if (type == RECORD_BLOCK_SLOW && size >= sizeof(struct block_slow_record))
		put_slow(s, data);
}

/* --- upkeep --- */

/* The least that is not below n. */
static u32 power_of_two(u64 n)
{
	u32 power = 1;

	while (power < n && power < 1u << 20)
		power *= 2;
	return power;
}

/* As low as leaves few enough to look at; the programs raise it themselves. */
static void adapt(struct source *s, u64 requests)
{
	if (s->slow < SLOW_WANTED)
		s->skel->bss->slow_ns = MAX(s->skel->bss->slow_ns / 2, s->slow_least_ns);
	s->slow = 0;
	s->skel->bss->slow_told = 0;
	s->skel->bss->stacks_taken = 0;
	s->skel->data->stack_every = power_of_two(requests / s->skel->data->stacks_most);
}

/* Bios of devices that have requests are told too, and cost: they are looked at only while
 * there are devices without. */
static int watch_bios(struct source *s, bool on)
{
	struct block_bpf *k = s->skel;
	struct bpf_link **begin = &k->links.block_bio_start, **end = &k->links.block_bio_end;

	if (on && !*end)
		*end = bpf_program__attach(k->progs.block_bio_end);
	if (on && *end && !*begin)
		*begin = bpf_program__attach(k->progs.block_bio_start);
	if (!on) {
		bpf_link__destroy(*begin);
		bpf_link__destroy(*end);
		*begin = *end = NULL;
	}
	return on && !*begin ? -errno : 0;
}

static void look_at_devices(struct source *s)
{
	int err = block_devices__read(&s->devices);

	if (!err)
		err = watch_bios(s, block_devices__have_bio_based(&s->devices));
	if (err)
		log__add(LOG_WARN, "block devices could not be looked at: %s", strerror(-err));
}

static void note_losses(struct source *s, const struct block_stats *now)
{
	struct health *h = &s->health;

	h->samples = now->requests - MIN(now->requests, h->samples_total);
	h->samples_total = now->requests;
	h->map_full = now->devices_full + now->procs_full + now->requests_full;
	h->lost = now->devices_full + s->loss.missed;
	h->note[0] = '\0';
	health__note(h, s->loss.missed,
		     "requests of /proc/diskstats the programs were not told of");
	health__note(h, now->procs_full, "requests are in no process's row: too many at once");
	health__note(h, now->unseen,
		     "ended without the programs being called, their times are not known");
	health__note(h, now->requests_full, "began unseen, their submitter is not known");
	health__note(h, now->records_full, "slow requests could not be listed");
	health__note(h, now->backward, "negative times were left out");
}

static void note_tick(struct source *s, double fill)
{
	u64 now_ns = clock__monotonic_ns();
	struct block_stats now;
	double stacks;

	block_bpf__stats(s, &now);
	adapt(s, now.requests - s->before.requests);
	note_losses(s, &now);
	stacks = bpf_util__trim(s->skel->maps.stacks_seen, &s->stacks, s->sizes.stacks);
	s->health.map_fill_pct = MAX(fill, stacks);
	unwind_maps__health(s->skel->obj, s->skel->bss->unwind_by_tables, &s->before_walks,
			    &s->health);
	health__cost(&s->health, now.runs - s->before.runs, now.timed - s->before.timed,
		     now.run_ns - s->before.run_ns, now_ns - s->before_ns);
	s->before = now;
	s->before_ns = now_ns;
}

/* --- settings --- */

static int block_bpf__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	int err = bpf_scope__set(&s->scope, scope, st);

	if (err)
		return err;
	s->slow_least_ns = scope->min_ns ? scope->min_ns : SLOW_LEAST_NS;
	s->skel->bss->slow_ns = scope->min_ns ? scope->min_ns : SLOW_FIRST_NS;
	s->skel->bss->slow_max_ns = scope->max_ns;
	s->skel->data->stacks_most = scope->min_ns ? STACKS_WANTED_SLOW : STACKS_WANTED;
	return 0;
}

/* Nothing here is sampled, but stacks are taken. */
static int block_bpf__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	(void)st;
	s->skel->bss->unwind_by_tables = unwind_maps__mode(how->call_graph);
	return 0;
}

/* --- the source --- */

static size_t slots_size(const struct source *s)
{
	return s->sizes.requests * sizeof(*s->slots);
}

static void block_bpf__close(struct source *s)
{
	if (s->slots)
		munmap((void *)s->slots, slots_size(s));
	bpf_visit__fini(&s->settle);
	bpf_scope__fini(&s->scope);
	bpf_ring__free(s->ring);
	block_counts__fini(&s->counts);
	block_bpf__destroy(s->skel);
	block_devices__fini(&s->devices);
	block_loss__fini(&s->loss);
	free(s);
}

/* A bit of request.rq_flags: since 6.11 they are an enum's and may move. */
static u32 request_flag(const struct btf *btf, const char *name, u32 otherwise)
{
	int id = btf__find_by_name_kind(btf, "rqf_flags", BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (u32)id) : NULL;
	const struct btf_enum *e = t ? btf_enum(t) : NULL;

	for (u32 i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, e[i].name_off), name) && e[i].val < 32)
			return 1u << e[i].val;
	return otherwise;
}

/* Decides by what the running kernel has. */
static void fit_kernel(struct block_bpf *k)
{
	struct btf *btf = kernel_btf__get();

	if (!btf)
		return;
	k->rodata->rq_arg = kernel_btf__arguments(btf, "block_rq_issue") == 2;
	k->rodata->bio_arg = kernel_btf__arguments(btf, "block_bio_queue") == 2;
	k->rodata->rqf_io_stat = request_flag(btf, "__RQF_IO_STAT", 1u << 13);
	k->rodata->rqf_flush_seq = request_flag(btf, "__RQF_FLUSH_SEQ", 1u << 4);
	k->rodata->bios_tell = !kernel_btf__arguments(btf, "block_io_start");
	bpf_program__set_autoload(k->progs.block_start, !k->rodata->bios_tell);
	bpf_program__set_autoload(k->progs.block_flush_bio, k->rodata->bios_tell);
	if (!kernel_btf__arguments(btf, "block_rq_merge"))
		bpf_program__set_autoload(k->progs.block_merge, false);
	if (!kernel_btf__arguments(btf, "writeback_dirty_folio"))
		bpf_program__set_autoload(k->progs.block_dirty, false);
	if (!kernel_btf__arguments(btf, "writeback_dirty_page"))
		bpf_program__set_autoload(k->progs.block_dirty_page, false);
	kernel_btf__put(btf);
}

static int load(struct source *s, struct status *st)
{
	struct block_bpf *k = block_bpf__open_opts(CORE_BTF_OPTS(block_bpf));
	int err;

	s->skel = k;
	if (!k)
		return bpf_util__failed(-errno, "BPF programs of block I/O", st);
	bpf_map__set_max_entries(k->maps.requests, s->sizes.requests);
	bpf_map__set_max_entries(k->maps.devices, 2 * s->sizes.devices);
	bpf_map__set_max_entries(k->maps.procs, 2 * s->sizes.procs);
	bpf_map__set_max_entries(k->maps.stacks_seen, s->sizes.stacks);
	bpf_map__set_max_entries(k->maps.records, s->sizes.ring_bytes);
	k->rodata->devices_mask = s->sizes.devices - 1;
	k->rodata->procs_mask = s->sizes.procs - 1;
	k->rodata->requests_mask = s->sizes.requests - 1;
	k->rodata->ring_wake_bytes = s->sizes.ring_bytes / 2;
	fit_kernel(k);
	err = unwind_maps__share(k->obj, st);
	if (err)
		return err;
	err = block_bpf__load(k);
	if (!err)
		err = block_counts__init(&s->counts, bpf_map__fd(k->maps.devices), s->sizes.devices,
					 bpf_map__fd(k->maps.procs), s->sizes.procs);
	if (err)
		return bpf_probe__failed(BPF_NEED_ATOMICS, err, "BPF programs of block I/O", st);
	err = bpf_ring__new(&s->ring, bpf_map__fd(k->maps.records), st);
	if (!err)
		bpf_scope__init(&s->scope, k->obj, &k->bss->scope_state, k->progs.block_fork,
				k->progs.block_exit);
	return err;
}

/* Without it, requests whose end was not told are counted when the next one begins. */
static void attach_settle(struct source *s)
{
	union bpf_iter_link_info map = {.map.map_fd = (u32)bpf_map__fd(s->skel->maps.requests)};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &map, .link_info_len = sizeof(map));

	s->settle.link = bpf_program__attach_iter(s->skel->progs.block_settle, &opts);
	if (!s->settle.link)
		log__add(LOG_WARN, "requests on their way cannot be looked at: %s",
			 strerror(errno));
}

static void map_slots(struct source *s)
{
	void *at = mmap(NULL, slots_size(s), PROT_READ, MAP_SHARED,
			bpf_map__fd(s->skel->maps.requests), 0);

	s->slots = at == MAP_FAILED ? NULL : at;
}

static int attach(struct source *s, const struct scope *scope, struct status *st)
{
	struct block_bpf *k = s->skel;
	int err = block_bpf__set_scope(s, scope, st);

	if (!err)
		err = bpf_util__attach(k->progs.block_complete, &k->links.block_complete, st);
	if (!err)
		err = bpf_util__attach(k->progs.block_merge, &k->links.block_merge, st);
	if (!err)
		err = bpf_util__attach(k->progs.block_issue, &k->links.block_issue, st);
	if (!err)
		err = bpf_util__attach(k->progs.block_insert, &k->links.block_insert, st);
	if (!err)
		err = bpf_util__attach(k->progs.block_start, &k->links.block_start, st);
	if (!err)
		err = bpf_util__attach(k->progs.block_flush_bio, &k->links.block_flush_bio, st);
	if (!err)
		err = bpf_util__attach(k->progs.block_dirty, &k->links.block_dirty, st);
	if (!err)
		err = bpf_util__attach(k->progs.block_dirty_page, &k->links.block_dirty_page, st);
	if (!err)
		attach_settle(s);
	if (!err)
		map_slots(s);
	return err;
}

static void begin(struct source *s)
{
	s->skel->bss->ready = 1;
	s->before_ns = clock__monotonic_ns();
	copy_str(s->health.tier, sizeof(s->health.tier), "bpf");
	copy_str(s->health.event, sizeof(s->health.event), "block_rq_complete");
	s->health.precise = true;
}

struct source *block_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				     const struct block_bpf_sizes *sizes, struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	s->sizes = *sizes;
	if (!err)
		err = load(s, st);
	if (!err)
		err = block_bpf__set_sampling(s, how, st);
	if (!err)
		err = attach(s, scope, st);
	if (err) {
		block_bpf__close(s);
		return NULL;
	}
	look_at_devices(s);
	begin(s);
	return s;
}

static struct source *block_bpf__open_source(const struct sampling *how, const struct scope *scope,
					     struct status *st)
{
	static const struct block_bpf_sizes sizes = {16384, 512, 8192, 16384, 512 * 1024},
					    little = {4096, 256, 2048, 4096, 256 * 1024};

	return block_bpf__open_sized(how, scope, memory__is_little() ? &little : &sizes, st);
}

static int block_bpf__fd(struct source *s)
{
	return bpf_ring__fd(s->ring);
}

/* Few requests are long on their way, and to run a program for each place costs far more than a
 * look at them. */
static bool any_old(const struct source *s)
{
	u64 now = clock__monotonic_ns();

	for (u32 i = 0; s->slots && i < s->sizes.requests; i++) {
		u64 live = __atomic_load_n(&s->slots[i].live, __ATOMIC_RELAXED);

		if (live > BLOCK_SLOT_TAKEN && now - live > SETTLE_NS)
			return true;
	}
	return !s->slots;
}

/* Requests that ended without a word are counted in the interval that ends. */
static void settle(struct source *s)
{
	if (s->settle.link && any_old(s))
		bpf_visit__run(&s->settle);
}

static void block_bpf__fetch(struct source *s, bool tick)
{
	if (tick) {
		settle(s);
		__atomic_store_n(&s->skel->bss->active, !s->skel->bss->active, __ATOMIC_SEQ_CST);
		bpf_util__barrier();
		s->flipped = true;
	}
	bpf_ring__fetch(s->ring);
}

static void block_bpf__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct block_put put;
	double fill;

	s->sink = sink;
	if (tick ? !s->flipped : bpf_ring__empty(s->ring))
		block_bpf__fetch(s, tick);
	if (tick)
		look_at_devices(s);
	bpf_ring__drain(s->ring, put_record, s);
	if (!tick)
		return;
	put = put_of(s);
	block_put__present(&put);
	fill = drain_counts(s);
	block_loss__tick(&s->loss, &s->devices, !(u32)s->skel->bss->scope_state);
	note_tick(s, fill);
}

static void block_bpf__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
	health__note_stacks(h);
}

const struct source_ops source_block_bpf = {
	.name = "bpf",
	.title = "BPF programs on the block layer's tracepoints",
	.open = block_bpf__open_source,
	.close = block_bpf__close,
	.set_scope = block_bpf__set_scope,
	.set_sampling = block_bpf__set_sampling,
	.fd = block_bpf__fd,
	.fetch = block_bpf__fetch,
	.drain = block_bpf__drain,
	.health = block_bpf__health,
};
