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
#include "sources/block_counts.h"
#include "sources/block_put.h"
#include "sources/bpf_source.h"
#include "sources/bpf_util.h"
#include "sources/kernel_btf.h"
#include "sources/unwind_tasks.h"

#define SLOW_FIRST_NS NSEC_PER_MSEC
#define SLOW_LEAST_NS (NSEC_PER_MSEC / 50)
#define SETTLE_NS     (10 * NSEC_PER_MSEC) /* longer on its way: maybe it ended in silence */
#define SLOW_WANTED   64		   /* slow requests told in one interval, at least */

/* Requests whose stacks are taken in one interval: one costs as much as dozens of requests. More
 * where slow ones are looked for. */
#define STACKS_WANTED	   128
#define STACKS_WANTED_SLOW 1024

struct source {
	struct bpf_source base;
	struct block_bpf *skel;
	struct block_counts counts;
	struct block_devices devices;
	struct block_loss loss;
	const struct block_slot *slots; /* the map of requests; NULL: not mapped */
	u32 slow; /* requests told in this interval */
	u64 slow_least_ns;
};

void block_bpf__stats(struct source *s, struct block_stats *out)
{
	bpf_source__stats(&s->base, out);
}

/* --- what was counted --- */

static struct block_put put_of(struct source *s)
{
	return (struct block_put){&s->devices, &s->base.scope, s->base.sink};
}

/* --- records from the ring --- */

static void put_slow(struct source *s, const struct block_slow_record *r)
{
	struct block_put put = put_of(s);

	s->slow++;
	block_put__slow(&put, r);
}

static void put_record(struct source *s, const void *data, size_t size)
{
	const struct block_slow_record *r = data;
	struct block_put put = put_of(s);

	if (size < sizeof(*r))
		return;
	if (r->type == RECORD_BLOCK_SLOW)
		put_slow(s, r);
	else if (r->type == RECORD_BLOCK_STACK)
		block_put__stack(&put, r);
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
	s->skel->bss->slow_reported = 0;
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

static void note(struct source *s)
{
	const struct block_stats *now = s->base.now, *before = s->base.before;
	struct health *h = &s->base.health;

	adapt(s, now->requests - before->requests);
	bpf_source__note_samples(&s->base, now->requests);
	h->map_full = now->devices_full + now->procs_full + now->requests_full;
	h->lost = now->devices_full + s->loss.missed;
	health__note(h, s->loss.missed,
		     "requests of /proc/diskstats the programs were not told of");
	health__note(h, now->procs_full, "requests are in no process's row: too many at once");
	health__note(h, now->unseen,
		     "ended without the programs being called, their times are not known");
	health__note(h, now->requests_full, "began unseen, their submitter is not known");
	health__note(h, now->records_full, "slow or sampled requests could not be listed");
	health__note(h, now->backward, "negative times were left out");
}

/* --- settings --- */

static void scoped(struct source *s, const struct scope *scope)
{
	s->slow_least_ns = scope->min_ns ? scope->min_ns : SLOW_LEAST_NS;
	s->skel->bss->slow_ns = scope->min_ns ? scope->min_ns : SLOW_FIRST_NS;
	s->skel->bss->slow_max_ns = scope->max_ns;
	s->skel->data->stacks_most = scope->min_ns ? STACKS_WANTED_SLOW : STACKS_WANTED;
}

/* --- the source --- */

static u32 nslots(const struct source *s)
{
	return ((const struct block_bpf_sizes *)s->base.sizes)->requests;
}

static size_t slots_size(const struct source *s)
{
	return nslots(s) * sizeof(*s->slots);
}

static void unload(struct source *s)
{
	if (s->slots)
		munmap((void *)s->slots, slots_size(s));
	block_bpf__destroy(s->skel);
}

static void fini(struct source *s)
{
	block_counts__fini(&s->counts);
	block_devices__fini(&s->devices);
	block_loss__fini(&s->loss);
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
	k->rodata->by_bio = !kernel_btf__arguments(btf, "block_io_start");
	bpf_program__set_autoload(k->progs.block_start, !k->rodata->by_bio);
	bpf_program__set_autoload(k->progs.block_flush_bio, k->rodata->by_bio);
	if (!kernel_btf__arguments(btf, "block_rq_merge"))
		bpf_program__set_autoload(k->progs.block_merge, false);
	if (!kernel_btf__arguments(btf, "writeback_dirty_folio"))
		bpf_program__set_autoload(k->progs.block_dirty, false);
	if (!kernel_btf__arguments(btf, "writeback_dirty_page"))
		bpf_program__set_autoload(k->progs.block_dirty_page, false);
	kernel_btf__put(btf);
}

static int open_programs(struct source *s, struct status *st)
{
	const struct block_bpf_sizes *sizes = s->base.sizes;
	int err = bpf_source__skeleton(s, block_bpf, st);
	struct block_bpf *k = s->skel;

	if (err)
		return err;
	s->base.stacks_max = sizes->stacks;
	s->base.ring_bytes = sizes->ring_bytes;
	bpf_source__size(&s->base, "requests", sizes->requests);
	bpf_source__size(&s->base, "devices", 2 * sizes->devices);
	bpf_source__size(&s->base, "procs", 2 * sizes->procs);
	k->rodata->devices_mask = sizes->devices - 1;
	k->rodata->procs_mask = sizes->procs - 1;
	k->rodata->requests_mask = sizes->requests - 1;
	bpf_program__set_autoattach(k->progs.block_look, false);
	bpf_program__set_autoattach(k->progs.block_bio_start, false);
	bpf_program__set_autoattach(k->progs.block_bio_end, false);
	fit_kernel(k);
	return 0;
}

static int loaded(struct source *s, struct status *st)
{
	const struct block_bpf_sizes *sizes = s->base.sizes;
	struct block_bpf *k = s->skel;
	int err = block_counts__init(&s->counts, bpf_map__fd(k->maps.devices), sizes->devices,
				     bpf_map__fd(k->maps.procs), sizes->procs);

	return err ? bpf_util__failed(err, s->base.what, st) : 0;
}

/* Without them, requests whose end was not told are counted when the next one begins. */
static void map_slots(struct source *s)
{
	void *at = mmap(NULL, slots_size(s), PROT_READ, MAP_SHARED,
			bpf_map__fd(s->skel->maps.requests), 0);

	s->slots = at == MAP_FAILED ? NULL : at;
}

static void begin(struct source *s)
{
	map_slots(s);
	look_at_devices(s);
	s->skel->bss->ready = 1;
}

static void look_at(const struct source *s, u32 slot)
{
	u64 args[] = {slot};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

	bpf_prog_test_run_opts(bpf_program__fd(s->skel->progs.block_look), &opts);
}

/* Requests that ended without a word are counted in the interval that ends. Few are long on their way. */
static void look_at_old(struct source *s, u64 t1_ns)
{
	for (u32 i = 0; s->slots && i < nslots(s); i++) {
		u64 live = __atomic_load_n(&s->slots[i].live, __ATOMIC_RELAXED);

		if (live > BLOCK_SLOT_TAKEN && live + SETTLE_NS < t1_ns)
			look_at(s, i);
	}
}

static void first(struct source *s, bool tick)
{
	if (tick)
		look_at_devices(s);
}

static double drain(struct source *s)
{
	struct block_put put = put_of(s);
	double fill;

	block_put__present(&put);
	fill = block_counts__drain(&s->counts, !*s->base.active, &put, &s->loss);
	block_loss__tick(&s->loss, &s->devices, !(u32)s->skel->bss->scope_state);
	return fill;
}

static const struct bpf_subject subject = {
	.what = "BPF programs of block I/O",
	.event = "block_rq_complete",
	.needs = BPF_NEED_ATOMICS,
	.size = sizeof(struct source),
	.stats_size = sizeof(struct block_stats),
	.sizes_size = sizeof(struct block_bpf_sizes),
	.open = open_programs,
	.loaded = loaded,
	.moment = MOMENT_SAVED,
	.scoped = scoped,
	.begin = begin,
	.turning = look_at_old,
	.first = first,
	.record = put_record,
	.drain = drain,
	.note = note,
	.unload = unload,
	.fini = fini,
};

static const struct block_bpf_sizes sizes = {16384, 512, 8192, 16384, 512 * 1024};
static const struct block_bpf_sizes little = {4096, 64, 2048, 4096, 128 * 1024};

BPF_SOURCE_OPEN(block_bpf)

const struct source_ops source_block_bpf = {
	.name = "bpf",
	.title = "BPF programs on the block layer's tracepoints",
	.open = block_bpf__open_source,
	.ask_tables = unwind_tasks__ask,
	BPF_SOURCE_OPS,
};
