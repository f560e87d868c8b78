// SPDX-License-Identifier: GPL-2.0-only
/* The page cache: BPF programs on the tracepoints of filemap, writeback and file systems, and on
 * functions for what those do not tell, where the kernel lets them. */
#include "sources/cache_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "bpf/cache.h"
#include "bpf/cache.skel.h"
#include "bpf/stack.h"
#include "bpf/unwind.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_ring.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_util.h"
#include "sources/bpf_visit.h"
#include "sources/cache_fit.h"
#include "sources/cache_put.h"
#include "sources/cache_sweep.h"
#include "sources/cache_totals.h"
#include "sources/core_btf.h"
#include "sources/unwind_maps.h"

#define STACKS_WANTED 2000 /* misses whose stacks are taken in one interval, about */

struct source {
	struct cache_bpf *skel;
	struct bpf_ring *ring;
	struct bpf_scope scope;
	struct cache_bpf_sizes sizes;
	struct bpf_visit visit;
	struct cache_put put;
	struct cache_totals totals;
	const struct sample_sink *sink; /* during drain */
	bool flipped;
	struct cache_fit fit;
	struct cache_sweep sweep;
	u32 stacks; /* sent since the map was emptied */
	u64 before_ns, drained_ns;
	struct cache_stats before;
	struct health health;
	struct unwind_stats before_walks;
};

/* Totals over the CPUs since open. */
static void cache_bpf__stats(struct source *s, struct cache_stats *out)
{
	bpf_util__sum_percpu(bpf_map__fd(s->skel->maps.stats), sizeof(*out), (u64 *)out);
}

/* --- what was counted --- */

static void on_sum(void *ctx, const void *key, const void *value)
{
	struct source *s = ctx;

	cache_put__sum(&s->put, key, value);
}

static void on_miss(void *ctx, const void *key, const void *value)
{
	struct source *s = ctx;

	cache_put__miss(&s->put, key, value);
}

static double drain_map(struct source *s, struct bpf_map *map,
			void (*each)(void *ctx, const void *key, const void *value))
{
	long n = bpf_util__drain(bpf_map__fd(map), bpf_map__key_size(map), bpf_map__value_size(map),
				 each, s);

	if (n < 0)
		log__add(LOG_WARN, "page cache counts could not be read from the kernel: %s",
			 strerror((int)-n));
	return n < 0 ? 0 : 100.0 * (double)n / bpf_map__max_entries(map);
}

static void put_slot(struct source *s, const struct cache_slot *slot)
{
	struct cache_sum sum = {
		.n = {[CACHE_N_READ_HITS] = (s64)slot->hits},
		.last_ns = s->drained_ns,
		.tid = slot->tid,
		.kthread = slot->kthread,
	};

	memcpy(sum.comm, slot->comm, sizeof(sum.comm));
	cache_put__sum(&s->put, &slot->key, &sum);
}

/* Those of the interval that has ended, of each CPU; then they are free. */
static void drain_slots(struct source *s)
{
	u32 ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1), which = !s->skel->bss->active;
	struct cache_slots *all = xcalloc(ncpus, sizeof(*all));
	int fd = bpf_map__fd(s->skel->maps.slots), err = bpf_map_lookup_elem(fd, &which, all);

	for (u32 i = 0; !err && i < ncpus * CACHE_SLOTS; i++)
		if (all[i / CACHE_SLOTS].v[i % CACHE_SLOTS].hits)
			put_slot(s, &all[i / CACHE_SLOTS].v[i % CACHE_SLOTS]);
	memset(all, 0, ncpus * sizeof(*all));
	if (!err && bpf_map_update_elem(fd, &which, all, BPF_ANY))
		err = -errno;
	if (err)
		log__add(LOG_WARN, "cached reads could not be read from the kernel: %s",
			 strerror(-err));
	free(all);
}

/* Those that were too many to have a row of their own. */
static void drain_others(struct source *s, u32 which)
{
	static const struct cache_sum none;
	int fd = bpf_map__fd(s->skel->maps.others);
	struct cache_key key = {.tgid = CACHE_OTHERS};
	struct cache_sum sum;

	if (bpf_map_lookup_elem(fd, &which, &sum) || !sum.last_ns)
		return;
	copy_str(sum.comm, sizeof(sum.comm), "[others]");
	cache_put__sum(&s->put, &key, &sum);
	bpf_map_update_elem(fd, &which, &none, BPF_ANY);
}

static double drain_counts(struct source *s)
{
	bool a = s->skel->bss->active;
	double sums, misses;

	drain_slots(s);
	drain_map(s, a ? s->skel->maps.rests_a : s->skel->maps.rests_b, on_sum);
	drain_others(s, !a);
	sums = drain_map(s, a ? s->skel->maps.sums_a : s->skel->maps.sums_b, on_sum);
	misses = drain_map(s, a ? s->skel->maps.misses_a : s->skel->maps.misses_b, on_miss);
	s->flipped = false;
	return MAX(sums, misses);
}

static void put_record(void *ctx, const void *data, size_t size)
{
	struct source *s = ctx;
	u32 type = *(const u32 *)data;

	if (type == RECORD_STACK)
		s->stacks += bpf_ring__put_stack(data, size, s->sink);
	else if (type == RECORD_UNWIND)
		bpf_ring__put_unwind(data, size, s->sink);
}

static void read_mounts(char *out, size_t size)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	size_t n = f ? fread(out, 1, size - 1, f) : 0;

	out[n] = '\0';
	if (f)
		fclose(f);
}

static void put_totals(struct source *s, const struct cache_stats *now)
{
	static char mounts[64 * 1024];
	struct cache_totals_sample out = {.head.type = SAMPLE_CACHE_TOTALS};
	u32 ages[CACHE_AGES];

	cache_totals__read(&s->totals, &out);
	read_mounts(mounts, sizeof(mounts));
	cache_totals__blind(mounts, s->fit.told, out.blind, sizeof(out.blind));
	out.writes_seen = !out.blind[0];
	for (u32 i = 0; i < CACHE_AGES; i++)
		ages[i] = (u32)MIN(now->ages[i] - s->before.ages[i], (u64)UINT32_MAX);
	out.ages = ages;
	sink__put(s->sink, &out.head);
}

/* --- upkeep --- */

static void note_cost(struct source *s, const struct cache_stats *now, double wall_ns)
{
	double slow = (double)(now->events - s->before.events);
	double timed = (double)(now->timed - s->before.timed);
	double fast = 64 * (double)(now->fast_timed - s->before.fast_timed);
	double ns = 64 * (double)(now->fast_ns - s->before.fast_ns);
	struct health *h = &s->health;

	if (timed > 0)
		ns += slow * (double)(now->run_ns - s->before.run_ns) / timed;
	if (slow + fast > 0)
		h->cost_ns = ns / (slow + fast);
	h->run_pct = 100 * ns / wall_ns / MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	h->cost_pct = h->run_pct;
}

/* What sees reads, and what cannot be seen. */
static void note_tier(struct source *s)
{
	struct health *h = &s->health;

	copy_str(h->tier, sizeof(h->tier),
		 s->fit.functions ? "bpf+fentry"
		 : s->fit.reads	  ? "bpf"
				  : "bpf, no reads");
	copy_str(h->event, sizeof(h->event),
		 s->fit.reads == CACHE_TOLD_BY_FUNCTIONS ? "filemap_get_pages"
							 : "mm_filemap_get_pages");
	h->note[0] = '\0';
	if (!s->fit.reads)
		copy_str(h->note, sizeof(h->note),
			 "this kernel does not tell of reads and faults (6.11 and later do, and "
			 "those with fentry): no hits, and pages that come in are in other_added");
}

static void note_losses(struct source *s, const struct cache_stats *now)
{
	struct health *h = &s->health;

	h->samples = s->put.samples - MIN(s->put.samples, h->samples_total);
	h->samples_total = s->put.samples;
	h->map_full = now->sums_full + now->misses_full + now->ahead_full + now->files_full;
	h->lost = now->tasks_full;
	note_tier(s);
	health__note(h, now->sums_full, "pages are in no file's row: too many files at once");
	health__note(h, now->tasks_full, "events of threads for whom there was no memory");
	health__note(h, now->misses_full, "misses are in no row of stacks");
	health__note(h, now->ahead_full, "pages read ahead are not followed: too many unused ones");
	health__note(h, s->sweep.forgotten,
		     "unused pages read ahead long ago are followed no more");
	health__note(h, now->pending_full, "pages came in too scattered to tell why");
	health__note(h, now->forks_lost, "children could not be followed");
}

static void note_tick(struct source *s, const struct cache_stats *now, double fill)
{
	u64 now_ns = clock__monotonic_ns();
	u64 misses = now->misses - s->before.misses;
	double stacks = bpf_util__trim(s->skel->maps.stacks_seen, &s->stacks, s->sizes.stacks);
	double ahead = cache_sweep__tick(&s->sweep);

	s->skel->bss->stack_every = 1 + (u32)MIN(misses / STACKS_WANTED, 1u << 30);
	note_losses(s, now);
	fill = MAX(fill, ahead);
	s->health.map_fill_pct = MAX(fill, stacks);
	unwind_maps__health(s->skel->obj, s->skel->bss->unwind_by_tables, &s->before_walks,
			    &s->health);
	note_cost(s, now, (double)MAX(now_ns - s->before_ns, 1ULL));
	s->before = *now;
	s->before_ns = now_ns;
}

/* --- settings --- */

static int cache_bpf__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return bpf_scope__set(&s->scope, scope, st);
}

/* Nothing here is sampled, but stacks are taken. */
static int cache_bpf__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	(void)st;
	s->skel->bss->unwind_by_tables = unwind_maps__mode(how->call_graph);
	return 0;
}

/* --- the source --- */

static void unload(struct source *s)
{
	bpf_visit__fini(&s->visit);
	bpf_scope__fini(&s->scope);
	bpf_ring__free(s->ring);
	cache_bpf__destroy(s->skel);
	s->ring = NULL;
	s->skel = NULL;
}

static void cache_bpf__close(struct source *s)
{
	unload(s);
	free(s);
}

static int load(struct source *s, bool functions, struct status *st)
{
	struct cache_bpf *k = cache_bpf__open_opts(CORE_BTF_OPTS(cache_bpf));
	int err;

	s->skel = k;
	if (!k)
		return bpf_util__failed(-errno, "BPF programs of the page cache", st);
	bpf_map__set_max_entries(k->maps.sums_a, s->sizes.sums);
	bpf_map__set_max_entries(k->maps.sums_b, s->sizes.sums);
	bpf_map__set_max_entries(k->maps.rests_a, s->sizes.sums / 4);
	bpf_map__set_max_entries(k->maps.rests_b, s->sizes.sums / 4);
	bpf_map__set_max_entries(k->maps.misses_a, s->sizes.misses);
	bpf_map__set_max_entries(k->maps.misses_b, s->sizes.misses);
	bpf_map__set_max_entries(k->maps.files, s->sizes.files);
	bpf_map__set_max_entries(k->maps.ahead, s->sizes.ahead);
	bpf_map__set_max_entries(k->maps.stacks_seen, s->sizes.stacks);
	bpf_map__set_max_entries(k->maps.records, s->sizes.ring_bytes);
	k->rodata->ring_wake_bytes = s->sizes.ring_bytes / 2;
	k->rodata->page_shift = (u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	cache_fit__programs(k->obj, functions, &s->fit);
	err = unwind_maps__share(k->obj, st);
	if (err)
		return err;
	err = cache_bpf__load(k);
	if (err)
		return bpf_probe__failed(BPF_NEED_STORAGE | BPF_NEED_ATOMICS, err,
					 "BPF programs of the page cache", st);
	err = bpf_ring__new(&s->ring, bpf_map__fd(k->maps.records), st);
	if (!err)
		bpf_scope__init(&s->scope, k->obj, &k->bss->scope_state, k->progs.cache_follow_fork,
				k->progs.cache_follow_exit);
	return err;
}

/* Those that take part whenever the source is open. */
static bool is_wanted(struct source *s, const struct bpf_program *prog)
{
	return bpf_program__autoload(prog) && prog != s->skel->progs.cache_visit &&
	       prog != s->skel->progs.cache_follow_fork && prog != s->skel->progs.cache_follow_exit;
}

static int attach(struct source *s, const struct scope *scope, struct status *st)
{
	struct bpf_object_skeleton *all = s->skel->skeleton;
	int err = cache_bpf__set_scope(s, scope, st);

	if (err)
		return err;
	err = bpf_visit__attach(&s->visit, s->skel->progs.cache_visit, st);
	if (err)
		return err;
	for (int i = 0; i < all->prog_cnt; i++) {
		struct bpf_program *prog = *all->progs[i].prog;

		if (!is_wanted(s, prog))
			continue;
		*all->progs[i].link = bpf_program__attach(prog);
		if (!*all->progs[i].link)
			return bpf_util__failed(-errno, bpf_program__name(prog), st);
	}
	return 0;
}

/* Whether a read's last page is told as the one behind it: that cannot be seen in the kernel's
 * types, and was changed in stable kernels too. So one byte of a file that is in the cache is
 * read: of our own program. */
static void learn_last(struct source *s)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct utsname u;
	char byte;
	u64 told;

	s->skel->bss->probe_tgid = (u32)getpid();
	if (fd >= 0 && pread(fd, &byte, 1, 0) < 0)
		log__add(LOG_INFO, "own program could not be read: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	s->skel->bss->probe_tgid = 0;
	told = s->skel->bss->probe_end;
	s->skel->bss->last_is_end =
		told ? told == 2 : !uname(&u) && cache_fit__last_is_end(u.release);
}

static void begin(struct source *s)
{
	struct cache_totals_sample unused = {0};

	s->sweep.fd = bpf_map__fd(s->skel->maps.ahead);
	s->sweep.pages = s->skel->bss->ahead_pages;
	s->sweep.size = s->sizes.ahead;
	s->put.files_fd = bpf_map__fd(s->skel->maps.files);
	s->put.scope = &s->scope;
	s->skel->bss->ready = 1;
	if (s->fit.reads == CACHE_TOLD_BY_TRACEPOINTS)
		learn_last(s);
	cache_totals__read(&s->totals, &unused);
	s->before_ns = clock__monotonic_ns();
	note_tier(s);
	s->health.precise = true;
}

static int set_up(struct source *s, const struct sampling *how, const struct scope *scope,
		  bool functions, struct status *st)
{
	int err = load(s, functions, st);

	if (!err)
		err = cache_bpf__set_sampling(s, how, st);
	return err ? err : attach(s, scope, st);
}

/* What loads and attaches decides whether functions are used. */
static int set_up_best(struct source *s, const struct sampling *how, const struct scope *scope,
		       struct status *st)
{
	bool functions = !bpf_probe__loads("probe_fentry", NULL);
	int err = set_up(s, how, scope, functions, st);

	if (!err || !s->fit.functions)
		return err;
	log__add(LOG_INFO, "page cache: no programs on functions: %s", st->msg);
	unload(s);
	return set_up(s, how, scope, false, st);
}

struct source *cache_bpf__open_sized(const struct sampling *how, const struct scope *scope,
				     const struct cache_bpf_sizes *sizes, struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	s->sizes = *sizes;
	if (!err)
		err = set_up_best(s, how, scope, st);
	if (err) {
		cache_bpf__close(s);
		return NULL;
	}
	begin(s);
	return s;
}

static struct source *cache_bpf__open_source(const struct sampling *how, const struct scope *scope,
					     struct status *st)
{
	static const struct cache_bpf_sizes sizes = {16384, 8192, 16384, 16384, 16384, 512 * 1024},
					    little = {4096, 2048, 8192, 8192, 8192, 256 * 1024};

	return cache_bpf__open_sized(how, scope, memory__is_little() ? &little : &sizes, st);
}

static int cache_bpf__fd(struct source *s)
{
	return bpf_ring__fd(s->ring);
}

static void cache_bpf__fetch(struct source *s, bool tick)
{
	int err;

	if (tick) {
		s->skel->bss->interval++;
		s->skel->bss->look_again = bpf_scope__may_change(&s->scope);
		__atomic_store_n(&s->skel->bss->active, !s->skel->bss->active, __ATOMIC_SEQ_CST);
		bpf_util__barrier();
		err = bpf_visit__run(&s->visit);
		if (err)
			log__add(LOG_WARN, "threads could not be visited: %s", strerror(-err));
		s->flipped = true;
	}
	bpf_ring__fetch(s->ring);
}

static void cache_bpf__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct cache_stats now;
	double fill;

	s->sink = s->put.sink = sink;
	if (tick ? !s->flipped : bpf_ring__empty(s->ring))
		cache_bpf__fetch(s, tick);
	bpf_ring__drain(s->ring, put_record, s);
	if (!tick)
		return;
	s->drained_ns = clock__monotonic_ns();
	cache_bpf__stats(s, &now);
	fill = drain_counts(s);
	put_totals(s, &now);
	note_tick(s, &now, fill);
}

static void cache_bpf__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
	health__note_stacks(h);
}

const struct source_ops source_cache_bpf = {
	.name = "bpf",
	.title = "BPF programs on the page cache's tracepoints and functions",
	.open = cache_bpf__open_source,
	.close = cache_bpf__close,
	.set_scope = cache_bpf__set_scope,
	.set_sampling = cache_bpf__set_sampling,
	.fd = cache_bpf__fd,
	.fetch = cache_bpf__fetch,
	.drain = cache_bpf__drain,
	.health = cache_bpf__health,
};
