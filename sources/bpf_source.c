// SPDX-License-Identifier: GPL-2.0-only
#include "sources/bpf_source.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "bpf/scope.h"
#include "bpf/stack.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_util.h"
#include "sources/core_btf.h"
#include "sources/moment.h"
#include "sources/unwind_maps.h"

#define STACKS_FULL_PCT 75

/* The figures of any source. */
struct figures {
	SOURCE_FIGURES;
};

static struct bpf_source *base_of(struct source *s)
{
	return (struct bpf_source *)s; /* begins with it */
}

static struct source *whole(struct bpf_source *b)
{
	return (struct source *)b;
}

/* --- maps --- */

void bpf_source__stats(const struct bpf_source *b, void *out)
{
	bpf_util__sum_percpu(bpf_object__find_map_fd_by_name(b->obj, "stats"), b->of->stats_size,
			     out);
}

static struct bpf_map *half(const struct bpf_source *b, const char *name, char which)
{
	char full[32];

	snprintf(full, sizeof(full), "%s_%c", name, which);
	return bpf_object__find_map_by_name(b->obj, full);
}

void bpf_source__size(struct bpf_source *b, const char *name, u32 n)
{
	struct bpf_map *all[] = {bpf_object__find_map_by_name(b->obj, name), half(b, name, 'a'),
				 half(b, name, 'b')};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i])
			bpf_map__set_max_entries(all[i], n);
}

double bpf_source__drain_half(struct bpf_source *b, const char *name, const char *what,
			      void (*each)(void *ctx, const void *key, const void *value))
{
	struct bpf_map *map = half(b, name, *b->active ? 'a' : 'b');
	long n = bpf_util__drain(bpf_map__fd(map), bpf_map__key_size(map), bpf_map__value_size(map),
				 each, b);

	if (n < 0)
		log__add(LOG_WARN, "%s could not be read from the kernel: %s", what,
			 strerror((int)-n));
	return n < 0 ? 0 : 100.0 * (double)n / bpf_map__max_entries(map);
}

/* --- visits --- */

int bpf_source__attach_visit(struct bpf_source *b, struct bpf_program *prog, struct status *st)
{
	return bpf_visit__attach(&b->visit, prog, st);
}

int bpf_source__visit(struct bpf_source *b)
{
	int err;

	if (b->look_again)
		*b->look_again = bpf_scope__may_change(&b->scope);
	err = bpf_visit__run(&b->visit);
	if (err)
		log__add(LOG_WARN, "threads could not be visited: %s", strerror(-err));
	return err;
}

/* --- settings --- */

int bpf_source__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	struct bpf_source *b = base_of(s);
	int err = b->of->check_scope ? b->of->check_scope(s, scope, st) : 0;

	if (!err && b->of->moment)
		err = moment__check(scope, b->of->moment, st);
	if (!err)
		err = bpf_scope__set(&b->scope, scope, st);
	if (err)
		return err;
	if (b->thread_kinds)
		*b->thread_kinds = scope->not_tasks & SCOPE_TASK_KERNEL ? 1
				   : scope->not_tasks & SCOPE_TASK_USER ? 2
									: 0;
	if (b->of->scoped)
		b->of->scoped(s, scope);
	return 0;
}

int bpf_source__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	struct bpf_source *b = base_of(s);

	if (b->by_tables)
		*b->by_tables = unwind_maps__mode(how->call_graph);
	if (b->of->sampled)
		b->of->sampled(s, how);
	return 0;
}

/* --- open and close --- */

static void unload(struct bpf_source *b)
{
	bpf_visit__fini(&b->visit);
	if (b->of->detach)
		b->of->detach(whole(b));
	for (u32 i = 0; i < b->nlinks; i++)
		bpf_link__destroy(b->links[i]);
	bpf_scope__fini(&b->scope);
	bpf_ring__free(b->ring);
	b->of->unload(whole(b));
	free(b->links);
	b->links = NULL;
	b->nlinks = 0;
	b->ring = NULL;
	b->obj = NULL;
	b->skeleton = NULL;
}

void bpf_source__close(struct source *s)
{
	struct bpf_source *b = base_of(s);

	unload(b);
	if (b->of->fini)
		b->of->fini(s);
	free(b->now);
	free(b->before);
	free(b->sizes);
	free(s);
}

static void find_globals(struct bpf_source *b)
{
	b->active = bpf_globals__find(b->obj, "active", sizeof(u32));
	b->look_again = bpf_globals__find(b->obj, "look_again", sizeof(u32));
	b->thread_kinds = bpf_globals__find(b->obj, "thread_kinds", sizeof(u32));
	b->by_tables = bpf_globals__find(b->obj, "unwind_by_tables", sizeof(u32));
	b->stacks_seen = bpf_object__find_map_by_name(b->obj, "stacks_seen");
}

int bpf_source__open_skeleton(struct bpf_source *b, struct bpf_object_skeleton *skeleton, struct status *st)
{
	const void *elf = skeleton ? skeleton->data : NULL;
	void *copy;
	int err;

	if (!skeleton)
		return bpf_util__failed(-ENOMEM, b->what, st);
	copy = moment__put_calls(elf, skeleton->data_sz);
	skeleton->data = copy;
	err = bpf_object__open_skeleton(skeleton, core_btf__opts(elf, skeleton->data_sz));
	skeleton->data = (void *)elf;
	free(copy);
	if (err)
		return bpf_util__failed(err, b->what, st);
	b->skeleton = skeleton;
	b->obj = *skeleton->obj;
	return 0;
}

/* Maps that each source has, where memory is little: those that are made for as many as there may
 * be grow as they fill, if they may, and what is only remembered is forgotten sooner. */
static const struct {
	const char *name;
	u32 part; /* of its entries; 1: all */
	bool sparse;
} little_maps[] = {
	{"scope_ids", 1, true},	    {"tasks_seen", 1, true},
	{"unwind_asked", 8, false}, {"dirtiers", 8, false},
};

static void fit_memory(struct bpf_source *b)
{
	for (u32 i = 0; memory__is_little() && i < ARRAY_SIZE(little_maps); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(b->obj, little_maps[i].name);

		if (!map)
			continue;
		bpf_map__set_max_entries(map, bpf_map__max_entries(map) / little_maps[i].part);
		if (little_maps[i].sparse && bpf_probe__sparse_maps())
			bpf_map__set_map_flags(map, bpf_map__map_flags(map) | BPF_F_NO_PREALLOC);
	}
}

/* More places than there may be stacks, so that few buckets are full. */
static void size_stacks(struct bpf_source *b)
{
	u32 *buckets = bpf_globals__find(b->obj, "stack_buckets", sizeof(*buckets));

	if (!buckets)
		return;
	*buckets = b->stacks_max / 2 * 3 / STACK_BUCKET + 1;
	bpf_source__size(b, "stacks_seen", *buckets);
}

static void size_common(struct bpf_source *b)
{
	u64 *wake = bpf_globals__find(b->obj, "ring_wake_bytes", sizeof(*wake));
	u64 *resched = bpf_globals__find(b->obj, "need_resched_flags", sizeof(*resched));

	if (resched)
		*resched = moment__need_resched();
	size_stacks(b);
	bpf_source__size(b, "records", b->ring_bytes);
	if (wake)
		*wake = b->ring_bytes / 2;
	fit_memory(b);
}

static int load_object(struct bpf_source *b)
{
	int err;

	if (b->skeleton)
		return bpf_object__load_skeleton(b->skeleton);
	err = bpf_object__load(b->obj);
	return err ? err : bpf_globals__map(b->obj);
}

static int load(struct bpf_source *b, struct status *st)
{
	const struct bpf_subject *of = b->of;
	int records, err = of->open(whole(b), st);

	if (err)
		return err;
	size_common(b);
	err = unwind_maps__share(b->obj, st);
	if (err)
		return err;
	err = load_object(b);
	if (err)
		return bpf_probe__failed(of->needs, err, b->what, st);
	find_globals(b);
	bpf_scope__init(&b->scope, b->obj);
	err = of->loaded ? of->loaded(whole(b), st) : 0;
	records = bpf_object__find_map_fd_by_name(b->obj, "records");
	return err || records < 0 ? err : bpf_ring__new(&b->ring, records, st);
}

static bool is_linked(const struct bpf_source *b, const struct bpf_program *prog)
{
	for (int i = 0; b->skeleton && i < b->skeleton->prog_cnt; i++)
		if (*b->skeleton->progs[i].prog == prog)
			return *b->skeleton->progs[i].link != NULL;
	return false;
}

/* What follows children is attached with a scope, an iterator by whoever visits. */
static bool attaches(const struct bpf_source *b, const struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog);

	return !is_linked(b, prog) && bpf_program__autoattach(prog) && strcmp(name, "scope_fork") &&
	       strcmp(name, "scope_end") &&
	       bpf_program__expected_attach_type(prog) != BPF_TRACE_ITER;
}

static int attach_rest(struct bpf_source *b, struct status *st)
{
	struct bpf_program *prog;
	u32 n = 0;
	int err;

	bpf_object__for_each_program(prog, b->obj) n++;
	b->links = xcalloc(n, sizeof(*b->links));
	bpf_object__for_each_program(prog, b->obj)
	{
		if (!attaches(b, prog))
			continue;
		err = bpf_util__attach(prog, &b->links[b->nlinks], st);
		if (err && !(b->of->may_lack && b->of->may_lack(whole(b), bpf_program__name(prog))))
			return err;
		b->nlinks += !err;
	}
	return 0;
}

static int attach(struct bpf_source *b, const struct sampling *how, const struct scope *scope,
		  struct status *st)
{
	int err = bpf_source__set_sampling(whole(b), how, st);

	if (!err)
		err = bpf_source__set_scope(whole(b), scope, st);
	if (!err && b->of->attach)
		err = b->of->attach(whole(b), st);
	if (!err)
		err = attach_rest(b, st);
	return !err && b->of->attached ? b->of->attached(whole(b), st) : err;
}

static struct bpf_source *new_source(const struct bpf_subject *of, const void *sizes)
{
	struct bpf_source *b = xcalloc(1, of->size);

	b->of = of;
	b->what = of->what;
	b->now = xcalloc(1, of->stats_size);
	b->before = xcalloc(1, of->stats_size);
	copy_str(b->health.tier, sizeof(b->health.tier), "bpf");
	copy_str(b->health.event, sizeof(b->health.event), of->event ? of->event : "");
	b->health.precise = true;
	b->sizes = xcalloc(1, of->sizes_size);
	if (sizes)
		memcpy(b->sizes, sizes, of->sizes_size);
	return b;
}

/* The programs' object file is part of the program's own: what was read of it is not needed again. */
static void drop_pages(const struct bpf_object_skeleton *skeleton)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), data = (uintptr_t)skeleton->data;
	uintptr_t from = (data + page - 1) & -page, to = (data + skeleton->data_sz) & -page;

	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

struct source *bpf_source__load(const struct bpf_subject *of, const struct sampling *how,
				const void *sizes, struct status *st)
{
	struct bpf_source *b = new_source(of, sizes);
	int err = bpf_util__prepare(st);

	if (!err && of->init)
		err = of->init(whole(b), how, st);
	if (!err)
		err = load(b, st);
	if (err && b->obj && of->retry && of->retry(whole(b), st)) {
		unload(b);
		err = load(b, st);
	}
	if (!err && b->skeleton)
		drop_pages(b->skeleton);
	/* Loading takes megabytes for the kernel's types. */
	if (memory__is_little())
		malloc_trim(0);
	if (!err)
		return whole(b);
	bpf_source__close(whole(b));
	return NULL;
}

int bpf_source__attach(struct source *s, const struct sampling *how, const struct scope *scope,
		       struct status *st)
{
	struct bpf_source *b = base_of(s);
	int err = attach(b, how, scope, st);

	if (err && b->of->retry && b->of->retry(s, st)) {
		unload(b);
		err = load(b, st);
		if (!err)
			err = attach(b, how, scope, st);
	}
	if (err)
		return err;
	if (b->of->begin)
		b->of->begin(s);
	b->before_ns = clock__monotonic_ns();
	return 0;
}

struct source *bpf_source__open(const struct bpf_subject *of, const struct sampling *how,
				const struct scope *scope, const void *sizes, struct status *st)
{
	struct source *s = bpf_source__load(of, how, sizes, st);

	if (!s || !bpf_source__attach(s, how, scope, st))
		return s;
	bpf_source__close(s);
	return NULL;
}

/* --- intervals --- */

int bpf_source__fd(struct source *s)
{
	struct bpf_source *b = base_of(s);

	return b->ring ? bpf_ring__fd(b->ring) : -1;
}

void source__wait_turns(void)
{
	bpf_util__barrier();
}

bool bpf_source__turn(struct source *s, u64 t1_ns)
{
	struct bpf_source *b = base_of(s);

	b->turning = true;
	if (b->of->turning)
		b->of->turning(s, t1_ns);
	if (!b->active || (b->of->stays && b->of->stays(s)))
		return false;
	__atomic_store_n(b->active, !*b->active, __ATOMIC_SEQ_CST);
	return true;
}

static void end_turn(struct bpf_source *b)
{
	struct source *s = whole(b);

	if (!b->turning && bpf_source__turn(s, clock__monotonic_ns()))
		bpf_util__barrier();
	b->turning = false;
	if (b->of->turned)
		b->of->turned(s);
	b->flipped = true;
}

void bpf_source__fetch(struct source *s, bool tick)
{
	struct bpf_source *b = base_of(s);

	if (tick)
		end_turn(b);
	if (b->ring)
		bpf_ring__fetch(b->ring);
}

static void put_record(void *ctx, const void *data, size_t size)
{
	struct bpf_source *b = ctx;
	u32 type = *(const u32 *)data;

	if (type == RECORD_STACK && b->of->own_stacks)
		return;
	if (type == RECORD_STACK)
		b->stacks += bpf_ring__put_stack(data, size, b->sink);
	else if (type == RECORD_UNWIND)
		bpf_ring__put_unwind(data, size, b->sink);
	else if (b->of->record)
		b->of->record(whole(b), data, size);
}

void bpf_source__note_samples(struct bpf_source *b, u64 total)
{
	b->health.samples = total - MIN(total, b->health.samples_total);
	b->health.samples_total = total;
}

/* How full what is known of stacks is, in %; emptied before it is full: stacks are sent again when they are next
 * seen. */
static double trim_stacks(struct bpf_source *b)
{
	double fill = 100.0 * MIN(b->stacks, b->stacks_max) / b->stacks_max;

	b->trimmed = fill >= STACKS_FULL_PCT && bpf_util__zero_array(b->stacks_seen);
	if (b->trimmed)
		b->stacks = 0;
	return fill;
}

static void note_tick(struct bpf_source *b, double fill)
{
	const struct figures *now = b->now, *before = b->before;
	u64 now_ns = clock__monotonic_ns();
	double stacks = b->stacks_seen ? trim_stacks(b) : 0;

	b->health.map_fill_pct = MAX(fill, stacks);
	b->health.note[0] = '\0';
	if (b->by_tables)
		unwind_maps__health(b->obj, *b->by_tables, &b->before_walks, &b->health);
	health__cost(&b->health, now->runs - before->runs, now->timed - before->timed,
		     now->run_ns - before->run_ns, now_ns - b->before_ns);
	if (b->of->note)
		b->of->note(whole(b));
	memcpy(b->before, b->now, b->of->stats_size);
	b->before_ns = now_ns;
}

void bpf_source__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct bpf_source *b = base_of(s);
	double fill;

	b->sink = sink;
	if (tick ? !b->flipped : b->ring && bpf_ring__empty(b->ring))
		bpf_source__fetch(s, tick);
	if (b->of->first)
		b->of->first(s, tick);
	if (b->ring)
		bpf_ring__drain(b->ring, put_record, b);
	if (!tick)
		return;
	b->flipped = false;
	fill = b->of->drain(s);
	bpf_source__stats(b, b->now);
	note_tick(b, fill);
}

void bpf_source__health(struct source *s, struct health *h)
{
	struct bpf_source *b = base_of(s);

	health__take(h, &b->health);
	if (b->of->health)
		b->of->health(s, h);
	health__note_stacks(h);
}
