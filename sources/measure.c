// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of any measure: loads its programs, puts scope and filters in force, and hands out
 * what they counted. What is special to a measure is in its declaration (samples/measure.h).
 */
#include "sources/measure_impl.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_probe.h"
#include "sources/bpf_util.h"
#include "sources/core_btf.h"
#include "sources/moment.h"

/* Slow spans that are wanted of each interval and class; the limit falls while there are fewer. It begins low,
 * as programs double it as often as too many come. */
#define SLOW_WANTED   16
#define SLOW_LEAST_NS 20000

static const struct sizes normal_sizes = {16384, 16384, 2 * 1024 * 1024},
			  little_sizes = {2048, 4096, 128 * 1024},
			  asked_sizes = {4096, 4096, 1024 * 1024}; /* several at once */

/* --- upkeep --- */

static void adapt_slow(struct source *s)
{
	for (u32 i = 0; i < MEASURE_CLASSES; i++) {
		if (s->g.nslow[i] < SLOW_WANTED)
			s->g.slow_ns[i] = MAX(s->g.slow_ns[i] / 2, SLOW_LEAST_NS);
		s->g.nslow[i] = 0;
	}
}

/* A program on an event does not run where the same event interrupts it on its CPU. */
static u64 runs_missed(const struct source *s)
{
	struct bpf_program *prog;
	u64 missed = 0;

	bpf_object__for_each_program(prog, s->base.obj) {
		struct bpf_prog_info info = {0};
		u32 size = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size))
			missed += info.recursion_misses;
	}
	return missed;
}

/* How much of what is held is an estimate. */
static void note_sampling(struct source *s)
{
	u64 bytes = s->held ? held_tables__sampling(s->held) : 0;
	struct health *h = &s->base.health;

	if (bytes)
		health__say(h, "sampled every %llu bytes: numbers are estimates", (unsigned long long)bytes);
}

static void note_losses(struct source *s, const struct measure_stats *now)
{
	struct health *h = &s->base.health;

	bpf_source__note_samples(&s->base, now->count);
	h->map_full = now->full;
	h->lost = now->slow_lost + now->tasks_full + now->backward;
	h->stacks_lost = now->stacks_lost;
	health__note(h, now->folded,
		     s->held ? "have lost their stacks: too many different ones at once"
			     : "are of threads that were too many to keep apart: by command");
	health__note(h, now->full, "are in the row [rest]: too many different ones at once");
	health__note(h, now->names_lost, "names were lost");
	health__note(h, now->untracked, "had no room of their own: of two objects one stands for both, numbers are estimates");
	health__note(h, runs_missed(s), "events came while a program was busy with one of the same");
	health__note(h, now->backward, "negative times were dropped");
	health__note(h, now->forks_lost, "children could not be followed");
	for (u32 i = 0; i < ARRAY_SIZE(s->m->notes); i++)
		if (s->m->notes[i])
			health__note(h, now->notes[i], s->m->notes[i]);
	note_sampling(s);
	if (s->m->unseen)
		health__say(h, "%s", s->m->unseen);
}

/* What went here has to be sent again. */
static void trim_names(struct source *s)
{
	if (measure_names__trim(&s->names) && s->names_seen)
		bpf_util__drain(bpf_map__fd(s->names_seen), bpf_map__key_size(s->names_seen),
				bpf_map__value_size(s->names_seen), NULL, NULL);
}

static void note(struct source *s)
{
	const struct measure_stats *now = s->base.now;

	note_losses(s, now);
	if (s->held) {
		measure_put__unseen(s, now->unseen);
		held_tables__adapt(s->held,
				   s->base.health.run_pct * (double)sysconf(_SC_NPROCESSORS_ONLN));
	}
	if (s->hooks->tick)
		s->hooks->tick(s->ctx, s->base.obj);
	trim_names(s);
}

/* What goes on in CPUs' spans the overview has no use for, and it may look at very many threads. */
static void visit_all(struct source *s)
{
	if (s->base.visit.link && !(s->active_only && s->m->of_cpus))
		bpf_source__visit(&s->base);
}

/* --- settings --- */

/* Values of a label that the terms of a scope name; others that are known do not pass. */
static void fill_passes(const struct measure_label *l, const struct scope *scope,
			volatile u64 *passes)
{
	char text[MEASURE_LABEL_TEXT];

	for (u32 i = 0; i < MEASURE_FILTERED / 64; i++)
		passes[i] = UINT64_MAX;
	for (const struct measure_range *r = l->values; r->n; r++)
		for (u32 v = r->first; v < r->first + r->n; v++) {
			text[0] = '\0';
			l->text(v, text, sizeof(text));
			if (!scope__label(scope, l->name, text))
				passes[v / 64] &= ~(1ULL << v % 64);
		}
}

/* What passes by mistake meanwhile the model leaves out. */
static void set_label_filters(struct source *s, const struct scope *scope)
{
	const u32 words = MEASURE_FILTERED / 64;
	u32 filters = 0;

	*s->g.label_filters = 0;
	for (u32 i = 0; i < measure__own_labels(s->m); i++) {
		if (!s->m->labels[i].values || !scope__has_label(scope, s->m->labels[i].name))
			continue;
		fill_passes(&s->m->labels[i], scope, s->g.label_passes + i * words);
		filters |= 1u << i;
	}
	__atomic_store_n(s->g.label_filters, filters, __ATOMIC_SEQ_CST);
}

static bool has_threads(const struct measure *m)
{
	if (m->asked)
		return true;
	for (u32 i = 0; i < m->nlabels; i++)
		if (m->labels[i].kind == LABEL_PID)
			return true;
	return false;
}

static int check_moment(struct source *s, const struct scope *scope, struct status *st)
{
	const u32 *at = bpf_globals__find(s->base.obj, "measure_moment", sizeof(*at));
	const struct measure *m = s->m;
	char names[64];

	if (m->asked || !(scope__terms(scope) & SCOPE_TERM_MOMENT))
		return 0;
	if (!m->no_moment)
		return moment__check(scope, at ? (enum moment_at)*at : MOMENT_SAVED, st);
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s: leave %s out", m->no_moment,
			   scope__term_names(scope, SCOPE_TERM_MOMENT, names, sizeof(names)));
}

static int check_scope(struct source *s, const struct scope *scope, struct status *st)
{
	char names[40];
	int err;

	if (scope__terms(scope) & SCOPE_TERM_SCHED && !has_threads(s->m))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s belong to no thread: leave %s out", s->m->noun,
				   scope__term_names(scope, SCOPE_TERM_SCHED, names, sizeof(names)));
	err = check_moment(s, scope, st);
	if (err)
		return err;
	return s->hooks->scope ? s->hooks->scope(s->ctx, scope, st) : 0;
}

/* Before the first interval no span is long enough. */
static void limit(struct source *s)
{
	if (!s->held)
		*s->g.min_ns = *s->g.held_off ? UINT64_MAX : s->min_ns;
}

static void scoped(struct source *s, const struct scope *scope)
{
	if (s->held)
		return;
	s->min_ns = scope->min_ns;
	limit(s);
	*s->g.max_ns = scope->max_ns;
	set_label_filters(s, scope);
}

static void sampled(struct source *s, const struct sampling *how)
{
	s->active_only = how->active_only;
	if (s->held)
		held_tables__set_sampling(s->held, how->sample_bytes ? how->sample_bytes & ~SAMPLE_PAGES
								     : s->m->sample_bytes);
}

/* --- the source --- */

/* hooks: NULL where it was never begun. */
static void detach(struct source *s)
{
	if (s->hooks && s->hooks->detach)
		s->hooks->detach(s->ctx);
}

static void unload(struct source *s)
{
	if (s->cells)
		munmap(s->cells, 2ul * s->sizes.cells * sizeof(*s->cells));
	if (s->used)
		munmap(s->used, 2ul * s->sizes.cells * sizeof(*s->used));
	held_tables__free(s->held);
	bpf_object__close(s->base.obj);
}

static void fini(struct source *s)
{
	if (s->hooks && s->hooks->end)
		s->hooks->end(s->ctx);
	measure_names__fini(&s->names);
	free(s->reported);
	free(s->rest);
}

struct measure_setup {
	struct source *s;
};

void measure_programs__set(struct bpf_object *obj, const char *name, const void *data, size_t size)
{
	void *to = bpf_globals__find(obj, name, size);

	if (!to)
		die("the programs of %s have no %s of that size", bpf_object__name(obj), name);
	memcpy(to, data, size);
}

void measure_setup__set(struct measure_setup *setup, const char *name, const void *data, size_t size)
{
	measure_programs__set(setup->s->base.obj, name, data, size);
}

static void place_labels(struct source *s, struct measure_setup *setup)
{
	struct measure_place places[MEASURE_OWN_LABELS] = {0};

	for (u32 i = 0; i < measure__own_labels(s->m); i++) {
		const struct measure_label *l = &s->m->labels[i];

		places[i] = (struct measure_place){
			l->word, l->shift, l->bits < 64 ? (1ULL << l->bits) - 1 : UINT64_MAX};
	}
	measure_setup__set(setup, "label_places", places, sizeof(places));
}

/* Of those that stacks are kept of the programs know more, as they are forgotten when three quarters are
 * there; those of others are few. */
static void keep_many_stacks(struct source *s)
{
	if (!memory__is_little())
		s->base.stacks_max = MAX(s->m->stacks / 5 * 7, s->base.stacks_max);
}

static void set_up(struct source *s)
{
	struct measure_setup setup = {s};
	u32 mask = s->sizes.cells - 1;
	u32 shift = s->m->shape == MEASURE_SHAPE_SPAN ? MEASURE_NS_SHIFT : 0;

	if (s->m->shape == MEASURE_SHAPE_HOLDING) {
		s->held = held_tables__new(s->base.obj, s->m->stacks, memory__is_little());
		keep_many_stacks(s);
	} else {
		measure_setup__set(&setup, "cell_mask", &mask, sizeof(mask));
		measure_setup__set(&setup, "value_shift", &shift, sizeof(shift));
		place_labels(s, &setup);
		bpf_source__size(&s->base, "cells", 2 * s->sizes.cells);
		bpf_source__size(&s->base, "used", 2 * s->sizes.cells);
	}
	if (s->m->setup)
		s->m->setup(&setup);
}

/* Programs of holdings have the first one alone. */
static void find_globals(struct source *s)
{
	const struct {
		const char *name;
		void *to;
		size_t size;
	} all[] = {
		{"held_off", &s->g.held_off, sizeof(u32)},
		{"slow_ns", &s->g.slow_ns, MEASURE_CLASSES * sizeof(u64)},
		{"min_ns", &s->g.min_ns, sizeof(u64)},
		{"max_ns", &s->g.max_ns, sizeof(u64)},
		{"nused", &s->g.nused, 2 * sizeof(u32)},
		{"nslow", &s->g.nslow, MEASURE_CLASSES * sizeof(u32)},
		{"label_filters", &s->g.label_filters, sizeof(u32)},
		{"label_passes", &s->g.label_passes, MEASURE_OWN_LABELS * MEASURE_FILTERED / 8},
	};

	for (u32 i = 0; i < (s->held ? 1 : ARRAY_SIZE(all)); i++) {
		void *at = bpf_globals__find(s->base.obj, all[i].name, all[i].size);

		if (!at)
			die("the programs of %s have no %s", s->m->name, all[i].name);
		memcpy(all[i].to, &at, sizeof(at));
	}
}

/* NULL: errno. An array's values are 8-aligned in its mapping. */
static void *map_array(struct source *s, const char *name, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_object__find_map_fd_by_name(s->base.obj, name), 0);

	return p == MAP_FAILED ? NULL : p;
}

static int map_cells(struct source *s, struct status *st)
{
	s->cells = map_array(s, "cells", 2ul * s->sizes.cells * sizeof(*s->cells));
	s->used = map_array(s, "used", 2ul * s->sizes.cells * sizeof(*s->used));
	if (!s->cells || !s->used)
		return bpf_util__failed(-errno, "mapping BPF arrays", st);
	for (u32 half = 0; half < 2; half++)
		measure_put__unwritten(s, half, MEASURE_REPORTED);
	return 0;
}

/* As bpf(2) takes it. */
static const char *object_name(const struct measure *m)
{
	return m->asked ? "question" : m->name;
}

static struct bpf_program *program(const struct source *s, const char *name)
{
	return bpf_object__find_program_by_name(s->base.obj, name);
}

/* Of two visits the one that the kernel takes. */
static void choose_visit(struct source *s)
{
	struct bpf_program *files = program(s, "measure_visit_files");

	if (files)
		bpf_program__set_autoload(bpf_probe__map_iterators() ? files : program(s, "measure_visit"), false);
}

static int init(struct source *s, const struct sampling *how, struct status *st)
{
	const struct measure_programs *of = s->base.sizes;

	s->m = of->measure;
	s->hooks = of->hooks;
	s->ctx = s->hooks->begin ? s->hooks->begin(s->m, how) : of->ctx;
	s->sizes = memory__is_little() ? little_sizes
		   : s->m->asked	? asked_sizes
					: normal_sizes;
	s->base.stacks_max = s->sizes.stacks;
	s->base.ring_bytes = s->sizes.ring_bytes;
	s->ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1);
	s->rest = xcalloc(s->ncpus, sizeof(*s->rest));
	snprintf(s->what, sizeof(s->what), "BPF programs of %.40s", s->m->name);
	s->base.what = s->what;
	copy_str(s->base.health.event, sizeof(s->base.health.event), s->m->event);
	return 0;
}

static int open_programs(struct source *s, struct status *st)
{
	const struct measure_programs *of = s->base.sizes;
	const struct bpf_object_open_opts *core = core_btf__opts(of->elf, of->elf_size);
	struct bpf_object_open_opts opts = {.sz = sizeof(opts)};
	void *elf;

	if (core)
		opts = *core;
	opts.object_name = object_name(s->m);
	elf = moment__put_calls(of->elf, of->elf_size);
	s->base.obj = bpf_object__open_mem(elf, of->elf_size, &opts);
	free(elf);
	if (!s->base.obj)
		return bpf_util__failed(-errno, s->what, st);
	set_up(s);
	choose_visit(s);
	return s->hooks->prepare ? s->hooks->prepare(s->ctx, s->base.obj, st) : 0;
}

static int loaded(struct source *s, struct status *st)
{
	int err;

	find_globals(s);
	*s->g.held_off = 1;
	limit(s);
	s->names_seen = bpf_object__find_map_by_name(s->base.obj, "names_seen");
	for (u32 i = 0; i < MEASURE_CLASSES && !s->held; i++)
		s->g.slow_ns[i] = SLOW_LEAST_NS;
	if (s->held)
		s->base.active = NULL; /* there are no halves */
	err = s->held ? held_tables__map(s->held, st) : map_cells(s, st);
	return !err && s->hooks->loaded ? s->hooks->loaded(s->ctx, s->base.obj, st) : err;
}

/* Whether a declaration says that an event may be missing. */
static bool may_lack(struct source *s, const char *name)
{
	for (const char *at = s->m->optional; at && *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");

		if (len == strlen(name) && !memcmp(at, name, len))
			return true;
		at += len;
	}
	return false;
}

/* Visits threads, or what the map `visited` has; files where the kernel does not let maps be walked. */
static int attach_visit(struct source *s, struct status *st)
{
	struct bpf_program *visit = program(s, "measure_visit"), *files = program(s, "measure_visit_files");

	if (!visit)
		return 0;
	if (!bpf_program__autoload(visit))
		return bpf_visit__attach(&s->base.visit, files, st);
	if (!files)
		return bpf_visit__attach(&s->base.visit, visit, st);
	return bpf_visit__attach_map(&s->base.visit, visit,
				     bpf_object__find_map_fd_by_name(s->base.obj, "visited"), st);
}

static int attached(struct source *s, struct status *st)
{
	int err = s->hooks->attach ? s->hooks->attach(s->ctx, s->base.obj, st) : 0;

	return err ? err : attach_visit(s, st);
}

/* Where a machine stores in order, a cell that has counted has its key, too. */
#if defined(__x86_64__)
#define STORES_IN_ORDER true
#else
#define STORES_IN_ORDER false
#endif

#define PEEKS_NS (320 * NSEC_PER_MSEC) /* as long as ticks come early (pipeline/schedule.h) */

static bool has_stacks(const struct measure *m)
{
	for (u32 i = 0; i < m->nlabels; i++)
		if (m->labels[i].kind == LABEL_STACK)
			return true;
	return false;
}

/* The first numbers of a question are wanted at once. What is handed out of a cell's stacks does not only grow. */
static bool may_peek(const struct source *s)
{
	return !s->held && STORES_IN_ORDER && s->m->asked && !has_stacks(s->m);
}

/* Where nothing was counted there is nothing to wait for either. */
static bool stays(struct source *s)
{
	if (s->held || !s->m->asked)
		return false;
	s->npeeked = __atomic_load_n(&s->g.nused[*s->base.active], __ATOMIC_ACQUIRE);
	s->peeks = !s->npeeked ||
		   (s->npeeked <= MEASURE_REPORTED && clock__monotonic_ns() < s->peeks_until_ns);
	return s->peeks;
}

void measure_source__begin(struct source *s, u64 t0_ns)
{
	(void)t0_ns;
	*s->g.held_off = 0;
	limit(s);
}

void measure_source__hurry(struct source *s)
{
	if (may_peek(s))
		s->peeks_until_ns = clock__monotonic_ns() + PEEKS_NS;
}

static void turning(struct source *s, u64 t1_ns)
{
	(void)t1_ns;
	if (s->held)
		return;
	visit_all(s);
	if (s->hooks->flush)
		s->hooks->flush(s->ctx);
}

static void first(struct source *s, bool tick)
{
	bpf_ring__each(s->base.ring, measure_put__first, s);
}

static double drain_cells(struct source *s)
{
	if (s->held && s->hooks->gone)
		held_tables__release(s->held, s->hooks->gone, s->ctx);
	if (s->held)
		return held_tables__drain(s->held, measure_put__held, s);
	measure_put__open(s);
	adapt_slow(s);
	if (s->peeks)
		return measure_put__peek(s);
	measure_put__rest(s);
	return measure_put__cells(s);
}

static void put_levels(struct source *s)
{
	struct measure_levels_sample out = {.head.type = SAMPLE_MEASURE_LEVELS};

	if (s->hooks->levels && s->hooks->levels(s->ctx, out.v))
		sink__put(s->base.sink, &out.head);
}

static double drain(struct source *s)
{
	double fill = drain_cells(s);

	put_levels(s);
	if (s->hooks->more)
		s->hooks->more(s->ctx, s->base.sink);
	return fill;
}

static void health(struct source *s, struct health *h)
{
	if (s->hooks->health)
		s->hooks->health(s->ctx, h);
}

static const struct bpf_subject subject = {
	.needs = BPF_NEED_STORAGE | BPF_NEED_ATOMICS,
	.size = sizeof(struct source),
	.stats_size = sizeof(struct measure_stats),
	.sizes_size = sizeof(struct measure_programs),
	.own_stacks = true,
	.init = init,
	.open = open_programs,
	.loaded = loaded,
	.check_scope = check_scope,
	.scoped = scoped,
	.sampled = sampled,
	.attached = attached,
	.may_lack = may_lack,
	.begin = visit_all, /* who is inside at the moment */
	.turning = turning,
	.stays = stays,
	.first = first,
	.record = measure_put__record,
	.drain = drain,
	.note = note,
	.health = health,
	.detach = detach,
	.unload = unload,
	.fini = fini,
};

struct source *measure_source__load(const struct measure_programs *of, const struct sampling *how,
				    struct status *st)
{
	return bpf_source__load(&subject, how, of, st);
}

struct source *measure_source__open(const struct measure_programs *of, const struct sampling *how,
				    const struct scope *scope, struct status *st)
{
	return bpf_source__open(&subject, how, scope, of, st);
}
