// SPDX-License-Identifier: GPL-2.0-only
/* The page cache: BPF programs on the tracepoints of filemap, writeback and file systems, and on
 * functions for what those do not tell, where the kernel lets them. */
#include "sources/cache_bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "bpf/cache.h"
#include "bpf/cache.skel.h"
#include "sources/bpf_source.h"
#include "sources/bpf_util.h"
#include "sources/cache_fit.h"
#include "sources/cache_put.h"
#include "sources/cache_sweep.h"
#include "sources/cache_totals.h"
#include "sources/unwind_tasks.h"

#define COUNTS	      "page cache counts"
#define STACKS_WANTED 2000 /* misses whose stacks are taken in one interval, about */

struct source {
	struct bpf_source base;
	struct cache_bpf *skel;
	struct cache_put put;
	struct cache_totals totals;
	struct cache_fit fit;
	struct cache_sweep sweep;
	bool functions; /* programs on functions are to be used */
	u64 drained_ns;
	u64 ages[CACHE_AGE_BUCKETS]; /* as handed out */
};

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

static void put_totals(struct source *s)
{
	static char mounts[64 * 1024];
	struct cache_totals_sample out = {.head.type = SAMPLE_CACHE_TOTALS};
	u32 ages[CACHE_AGES];
	struct cache_stats now;

	cache_totals__read(&s->totals, &out);
	file__read(AT_FDCWD, "/proc/self/mountinfo", mounts, sizeof(mounts));
	cache_totals__blind(mounts, s->fit.types_seen, out.blind, sizeof(out.blind));
	out.writes_seen = !out.blind[0];
	bpf_source__stats(&s->base, &now);
	for (u32 i = 0; i < CACHE_AGES; i++)
		ages[i] = (u32)MIN(now.ages[i] - s->ages[i], (u64)UINT32_MAX);
	memcpy(s->ages, now.ages, sizeof(s->ages));
	out.ages = ages;
	sink__put(s->base.sink, &out.head);
}

/* --- upkeep --- */

/* Cached reads are a program of their own, of whose runs one in 64 is counted. */
static void note_cost(struct source *s)
{
	const struct cache_stats *now = s->base.now, *before = s->base.before;
	double slow = (double)(now->events - before->events);
	double timed = (double)(now->timed - before->timed);
	double fast = 64 * (double)(now->fast_timed - before->fast_timed);
	double ns = 64 * (double)(now->fast_ns - before->fast_ns);
	double wall_ns = (double)MAX(clock__monotonic_ns() - s->base.before_ns, 1ULL);
	struct health *h = &s->base.health;

	if (timed > 0)
		ns += slow * (double)(now->run_ns - before->run_ns) / timed;
	if (slow + fast > 0)
		h->cost_ns = ns / (slow + fast);
	h->run_pct = 100 * ns / wall_ns / MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
	h->cost_pct = h->run_pct;
}

/* What sees reads, and what cannot be seen. */
static void note_tier(struct source *s)
{
	struct health *h = &s->base.health;

	copy_str(h->tier, sizeof(h->tier),
		 s->fit.functions ? "bpf+fentry"
		 : s->fit.reads	  ? "bpf"
				  : "bpf, no reads");
	copy_str(h->event, sizeof(h->event),
		 s->fit.reads == CACHE_SEEN_BY_FUNCTIONS ? "filemap_get_pages"
							 : "mm_filemap_get_pages");
	if (!s->fit.reads)
		copy_str(h->note, sizeof(h->note),
			 "this kernel does not tell of reads and faults (6.11 and later do, and "
			 "those with fentry): no hits, and pages that come in are in other_added");
}

static void note(struct source *s)
{
	const struct cache_stats *now = s->base.now, *before = s->base.before;
	struct health *h = &s->base.health;

	s->skel->bss->stack_every =
		1 + (u32)MIN((now->misses - before->misses) / STACKS_WANTED, 1u << 30);
	bpf_source__note_samples(&s->base, s->put.samples);
	note_cost(s);
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

/* --- the source --- */

static void unload(struct source *s)
{
	cache_bpf__destroy(s->skel);
}

static int init(struct source *s, const struct sampling *how, struct status *st)
{
	s->functions = !bpf_probe__loads("probe_fentry", NULL);
	return 0;
}

static int open_programs(struct source *s, struct status *st)
{
	const struct cache_bpf_sizes *sizes = s->base.sizes;
	int err = bpf_source__skeleton(s, cache_bpf, st);

	if (err)
		return err;
	s->base.stacks_max = sizes->stacks;
	s->base.ring_bytes = sizes->ring_bytes;
	bpf_source__size(&s->base, "sums", sizes->sums);
	bpf_source__size(&s->base, "rests", sizes->sums / 4);
	bpf_source__size(&s->base, "misses", sizes->misses);
	bpf_source__size(&s->base, "files", sizes->files);
	bpf_source__size(&s->base, "ahead", sizes->ahead);
	s->skel->rodata->page_shift = (u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	cache_fit__programs(s->base.obj, s->functions, &s->fit);
	return 0;
}

static int attach(struct source *s, struct status *st)
{
	return bpf_source__attach_visit(&s->base, s->skel->progs.cache_visit, st);
}

/* What loads and attaches decides whether functions are used. */
static bool retry(struct source *s, const struct status *why)
{
	if (!s->fit.functions)
		return false;
	log__add(LOG_INFO, "page cache: no programs on functions: %s", why->msg);
	s->functions = false;
	return true;
}

/* Whether a read's last page is told as the one behind it: that cannot be seen in the kernel's
 * types, and was changed in stable kernels too. So one byte of a file that is in the cache is
 * read: of our own program. */
static void learn_last(struct source *s)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct utsname u;
	char byte;
	u64 types_seen;

	s->skel->bss->probe_tgid = (u32)getpid();
	if (fd >= 0 && pread(fd, &byte, 1, 0) < 0)
		log__add(LOG_INFO, "own program could not be read: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	s->skel->bss->probe_tgid = 0;
	types_seen = s->skel->bss->probe_end;
	s->skel->bss->last_is_end =
		types_seen ? types_seen == 2 : !uname(&u) && cache_fit__last_is_end(u.release);
}

static void begin(struct source *s)
{
	struct cache_totals_sample unused = {0};

	s->sweep.fd = bpf_map__fd(s->skel->maps.ahead);
	s->sweep.pages = s->skel->bss->ahead_pages;
	s->sweep.size = ((const struct cache_bpf_sizes *)s->base.sizes)->ahead;
	s->put.files_fd = bpf_map__fd(s->skel->maps.files);
	s->put.scope = &s->base.scope;
	s->skel->bss->ready = 1;
	if (s->fit.reads == CACHE_SEEN_BY_TRACEPOINTS)
		learn_last(s);
	cache_totals__read(&s->totals, &unused);
	note_tier(s);
}

/* The other banks are carried into the other maps when nobody writes there any more. */
static void turning(struct source *s, u64 t1_ns)
{
	(void)t1_ns;
	s->skel->bss->interval++;
}

static void turned(struct source *s)
{
	bpf_source__visit(&s->base);
}

static double drain(struct source *s)
{
	u32 left = !*s->base.active;
	double sums, misses, ahead;

	s->put.sink = s->base.sink;
	s->drained_ns = clock__monotonic_ns();
	drain_slots(s);
	bpf_source__drain_half(&s->base, "rests", COUNTS, on_sum);
	drain_others(s, left);
	sums = bpf_source__drain_half(&s->base, "sums", COUNTS, on_sum);
	misses = bpf_source__drain_half(&s->base, "misses", COUNTS, on_miss);
	put_totals(s);
	ahead = cache_sweep__tick(&s->sweep);
	return MAX(ahead, MAX(sums, misses));
}

static const struct bpf_subject subject = {
	.what = "BPF programs of the page cache",
	.needs = BPF_NEED_STORAGE | BPF_NEED_ATOMICS,
	.size = sizeof(struct source),
	.stats_size = sizeof(struct cache_stats),
	.sizes_size = sizeof(struct cache_bpf_sizes),
	.init = init,
	.open = open_programs,
	.moment = MOMENT_SAVED,
	.attach = attach,
	.retry = retry,
	.begin = begin,
	.turning = turning,
	.turned = turned,
	.drain = drain,
	.note = note,
	.unload = unload,
};

static const struct cache_bpf_sizes sizes = {16384, 8192, 16384, 16384, 16384, 512 * 1024};
static const struct cache_bpf_sizes little = {2048, 1024, 4096, 4096, 4096, 256 * 1024};

BPF_SOURCE_OPEN(cache_bpf)

const struct source_ops source_cache_bpf = {
	.name = "bpf",
	.title = "BPF programs on the page cache's tracepoints and functions",
	.open = cache_bpf__open_source,
	.ask_tables = unwind_tasks__ask,
	BPF_SOURCE_OPS,
};
