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
#include "sources/source.h"
#include "sources/unwind_maps.h"

/* Slow spans that are wanted of each interval and class; the limit falls while there are fewer. */
#define SLOW_WANTED   16
#define SLOW_LEAST_NS 20000
#define SLOW_FIRST_NS 1000000

static const struct sizes normal_sizes = {16384, 16384, 2 * 1024 * 1024},
			  little_sizes = {2048, 4096, 512 * 1024},
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

	bpf_object__for_each_program(prog, s->obj) {
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
	struct health *h = &s->health;

	if (!bytes)
		return;
	snprintf(h->note + strlen(h->note), sizeof(h->note) - strlen(h->note),
		 "%ssampled every %llu bytes: numbers are estimates", *h->note ? "; " : "",
		 (unsigned long long)bytes);
}

static void note_losses(struct source *s, const struct measure_stats *now)
{
	struct health *h = &s->health;

	h->samples = now->count - MIN(now->count, h->samples_total);
	h->samples_total = now->count;
	h->map_full = now->full;
	h->lost = now->slow_lost + now->tasks_full + now->backward;
	h->stacks_lost = now->stacks_lost;
	h->note[0] = '\0';
	health__note(h, now->folded,
		     s->held ? "have lost their stacks: too many different ones at once"
			     : "are of threads that were too many to keep apart: [rest]");
	health__note(h, now->full, "are in the row [rest]: too many different ones at once");
	health__note(h, now->names_lost, "names were lost");
	health__note(h, now->untracked, "are not followed, for want of room: they are not held");
	health__note(h, runs_missed(s), "events came while a program was busy with one of the same");
	health__note(h, now->backward, "negative times were dropped");
	health__note(h, now->forks_lost, "children could not be followed");
	for (u32 i = 0; i < ARRAY_SIZE(s->m->notes); i++)
		if (s->m->notes[i])
			health__note(h, now->notes[i], s->m->notes[i]);
	note_sampling(s);
	if (s->m->unseen)
		snprintf(h->note + strlen(h->note), sizeof(h->note) - strlen(h->note), "%s%s",
			 *h->note ? "; " : "", s->m->unseen);
}

static void note_tick(struct source *s, double fill)
{
	u64 now_ns = clock__monotonic_ns();
	struct measure_stats now;
	double stacks;

	bpf_util__sum_percpu(bpf_object__find_map_fd_by_name(s->obj, "stats"), sizeof(now),
			     (u64 *)&now);
	note_losses(s, &now);
	if (s->held)
		measure_put__unseen(s, now.unseen);
	stacks = bpf_util__trim(s->stacks_seen, &s->nstacks, s->sizes.stacks);
	s->health.map_fill_pct = MAX(fill, stacks);
	unwind_maps__health(s->obj, *s->g.by_tables, &s->before_walks, &s->health);
	health__cost(&s->health, now.runs - s->before.runs, now.timed - s->before.timed,
		     now.run_ns - s->before.run_ns, now_ns - s->before_ns);
	if (s->held)
		held_tables__adapt(s->held,
				   s->health.run_pct * (double)sysconf(_SC_NPROCESSORS_ONLN));
	s->before = now;
	s->before_ns = now_ns;
}

/* What went here has to be sent again. */
static void trim_names(struct source *s)
{
	if (measure_names__trim(&s->names) && s->names_seen)
		bpf_util__drain(bpf_map__fd(s->names_seen), bpf_map__key_size(s->names_seen),
				bpf_map__value_size(s->names_seen), NULL, NULL);
}

static void visit_all(struct source *s)
{
	int err;

	if (!s->visit.link)
		return;
	*s->g.look_again = bpf_scope__may_change(&s->scope);
	err = bpf_visit__run(&s->visit);
	if (err)
		log__add(LOG_WARN, "threads could not be visited: %s", strerror(-err));
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

/* 0, or what cannot be told. */
static int check_scope(const struct source *s, const struct scope *scope, struct status *st)
{
	char names[40];

	if (!(scope__terms(scope) & SCOPE_TERM_SCHED) || has_threads(s->m))
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s belong to no thread: leave %s out", s->m->noun,
			   scope__term_names(scope, SCOPE_TERM_SCHED, names, sizeof(names)));
}

int measure_source__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	int err = check_scope(s, scope, st);

	if (!err && s->hooks->scope)
		err = s->hooks->scope(s->ctx, scope, st);
	if (!err)
		err = bpf_scope__set(&s->scope, scope, st);
	if (err)
		return err;
	if (!s->held) {
		*s->g.min_ns = scope->min_ns;
		*s->g.max_ns = scope->max_ns;
		set_label_filters(s, scope);
	}
	*s->g.thread_kinds = scope->not_tasks & SCOPE_TASK_KERNEL ? 1
			     : scope->not_tasks & SCOPE_TASK_USER ? 2
								  : 0;
	return 0;
}

int measure_source__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	(void)st;
	if (s->held)
		held_tables__set_sampling(s->held, how->sample_bytes ? how->sample_bytes
								     : s->m->sample_bytes);
	*s->g.by_tables = unwind_maps__mode(how->call_graph);
	return 0;
}

/* --- the source --- */

void measure_source__close(struct source *s)
{
	bpf_visit__fini(&s->visit);
	if (s->hooks->detach)
		s->hooks->detach(s->ctx);
	for (u32 i = 0; i < s->nlinks; i++)
		bpf_link__destroy(s->links[i]);
	bpf_scope__fini(&s->scope);
	bpf_ring__free(s->ring);
	if (s->cells)
		munmap(s->cells, 2ul * s->sizes.cells * sizeof(*s->cells));
	if (s->used)
		munmap(s->used, 2ul * s->sizes.cells * sizeof(*s->used));
	held_tables__free(s->held);
	bpf_object__close(s->obj);
	if (s->hooks->end)
		s->hooks->end(s->ctx);
	measure_names__fini(&s->names);
	free(s->links);
	free(s->rest);
	free(s);
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
	measure_programs__set(setup->s->obj, name, data, size);
}

static void resize(struct source *s, const char *map, u32 n)
{
	bpf_map__set_max_entries(bpf_object__find_map_by_name(s->obj, map), n);
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

static void set_up(struct source *s)
{
	struct measure_setup setup = {s};
	u32 mask = s->sizes.cells - 1;
	u32 shift = s->m->shape == MEASURE_SHAPE_SPAN ? MEASURE_NS_SHIFT : 0;
	u64 wake = s->sizes.ring_bytes / 2;

	if (s->m->shape == MEASURE_SHAPE_HOLDING) {
		s->held = held_tables__new(s->obj, memory__is_little());
	} else {
		measure_setup__set(&setup, "cell_mask", &mask, sizeof(mask));
		measure_setup__set(&setup, "value_shift", &shift, sizeof(shift));
		place_labels(s, &setup);
		resize(s, "cells", 2 * s->sizes.cells);
		resize(s, "used", 2 * s->sizes.cells);
	}
	measure_setup__set(&setup, "ring_wake_bytes", &wake, sizeof(wake));
	if (s->m->setup)
		s->m->setup(&setup);
}

/* What programs of holdings have not comes last. */
static void find_globals(struct source *s)
{
	const struct {
		const char *name;
		void *to;
		size_t size;
	} all[] = {
		{"scope_state", &s->g.scope_state, sizeof(u64)},
		{"thread_kinds", &s->g.thread_kinds, sizeof(u32)},
		{"look_again", &s->g.look_again, sizeof(u32)},
		{"unwind_by_tables", &s->g.by_tables, sizeof(u32)},
		{"slow_ns", &s->g.slow_ns, MEASURE_CLASSES * sizeof(u64)},
		{"min_ns", &s->g.min_ns, sizeof(u64)},
		{"max_ns", &s->g.max_ns, sizeof(u64)},
		{"active", &s->g.active, sizeof(u32)},
		{"nused", &s->g.nused, 2 * sizeof(u32)},
		{"nslow", &s->g.nslow, MEASURE_CLASSES * sizeof(u32)},
		{"label_filters", &s->g.label_filters, sizeof(u32)},
		{"label_passes", &s->g.label_passes, MEASURE_OWN_LABELS * MEASURE_FILTERED / 8},
	};

	for (u32 i = 0; i < (s->held ? 4 : ARRAY_SIZE(all)); i++) {
		void *at = bpf_globals__find(s->obj, all[i].name, all[i].size);

		if (!at)
			die("the programs of %s have no %s", s->m->name, all[i].name);
		memcpy(all[i].to, &at, sizeof(at));
	}
}

/* NULL: errno. An array's values are 8-aligned in its mapping. */
static void *map_array(struct source *s, const char *name, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_object__find_map_fd_by_name(s->obj, name), 0);

	return p == MAP_FAILED ? NULL : p;
}

static int map_cells(struct source *s, struct status *st)
{
	s->cells = map_array(s, "cells", 2ul * s->sizes.cells * sizeof(*s->cells));
	s->used = map_array(s, "used", 2ul * s->sizes.cells * sizeof(*s->used));
	return s->cells && s->used ? 0 : bpf_util__failed(-errno, "mapping BPF arrays", st);
}

/* As bpf(2) takes it. */
static const char *object_name(const struct measure *m)
{
	return m->asked ? "question" : m->name;
}

static int load(struct source *s, struct status *st)
{
	const struct bpf_object_open_opts *core = core_btf__opts(s->of->elf, s->of->elf_size);
	struct bpf_object_open_opts opts = {.sz = sizeof(opts)};
	char what[64];
	struct bpf_program *fork, *exit;
	int err;

	snprintf(what, sizeof(what), "BPF programs of %.40s", s->m->name);
	if (core)
		opts = *core;
	opts.object_name = object_name(s->m);
	s->obj = bpf_object__open_mem(s->of->elf, s->of->elf_size, &opts);
	if (!s->obj)
		return bpf_util__failed(-errno, what, st);
	resize(s, "stacks_seen", s->sizes.stacks);
	resize(s, "records", s->sizes.ring_bytes);
	set_up(s);
	err = s->hooks->prepare ? s->hooks->prepare(s->ctx, s->obj, st) : 0;
	if (!err)
		err = unwind_maps__share(s->obj, st);
	if (err)
		return err;
	err = bpf_object__load(s->obj);
	if (err)
		return bpf_probe__failed(BPF_NEED_STORAGE | BPF_NEED_ATOMICS, err, what, st);
	err = bpf_globals__map(s->obj);
	if (err)
		return bpf_util__failed(err, what, st);
	find_globals(s);
	s->stacks_seen = bpf_object__find_map_by_name(s->obj, "stacks_seen");
	s->names_seen = bpf_object__find_map_by_name(s->obj, "names_seen");
	fork = bpf_object__find_program_by_name(s->obj, "scope_fork");
	exit = bpf_object__find_program_by_name(s->obj, "scope_exit");
	bpf_scope__init(&s->scope, s->obj, s->g.scope_state, fork, exit);
	for (u32 i = 0; i < MEASURE_CLASSES && !s->held; i++)
		s->g.slow_ns[i] = SLOW_FIRST_NS;
	err = s->held ? held_tables__map(s->held, st) : map_cells(s, st);
	if (!err && s->hooks->loaded)
		err = s->hooks->loaded(s->ctx, s->obj, st);
	return err ? err
		   : bpf_ring__new(&s->ring,
				   bpf_object__find_map_fd_by_name(s->obj, "records"), st);
}

/* All but what follows children (scope/scope.h) and the visit. */
static bool takes_part(const struct bpf_program *prog)
{
	const char *name = bpf_program__name(prog);

	return bpf_program__autoattach(prog) && strcmp(name, "scope_fork") && strcmp(name, "scope_exit") &&
	       strcmp(name, "measure_visit");
}

/* Whether a declaration says that an event may be missing. */
static bool is_optional(const struct measure *m, const char *name)
{
	for (const char *at = m->optional; at && *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");

		if (len == strlen(name) && !memcmp(at, name, len))
			return true;
		at += len;
	}
	return false;
}

/* Of threads, or of what the map `visited` has. */
static int attach_visit(struct source *s, struct bpf_program *visit, struct status *st)
{
	int map = bpf_object__find_map_fd_by_name(s->obj, "visited");

	return map < 0 ? bpf_visit__attach(&s->visit, visit, st)
		       : bpf_visit__attach_map(&s->visit, visit, map, st);
}

static int attach(struct source *s, const struct scope *scope, struct status *st)
{
	struct bpf_program *prog, *visit;
	int err = measure_source__set_scope(s, scope, st);

	bpf_object__for_each_program(prog, s->obj)
		s->nlinks++;
	s->links = xcalloc(s->nlinks, sizeof(*s->links));
	s->nlinks = 0;
	bpf_object__for_each_program(prog, s->obj) {
		if (err || !takes_part(prog))
			continue;
		err = bpf_util__attach(prog, &s->links[s->nlinks], st);
		if (!err)
			s->nlinks++;
		else if (is_optional(s->m, bpf_program__name(prog)))
			err = 0;
	}
	if (!err && s->hooks->attach)
		err = s->hooks->attach(s->ctx, s->obj, st);
	visit = bpf_object__find_program_by_name(s->obj, "measure_visit");
	return !err && visit ? attach_visit(s, visit, st) : err;
}

struct source *measure_source__open(const struct measure_programs *of, const struct sampling *how,
				    const struct scope *scope, struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	s->of = of;
	s->m = of->measure;
	s->hooks = of->hooks;
	s->ctx = s->hooks->begin ? s->hooks->begin(s->m, how) : of->ctx;
	s->sizes = memory__is_little() ? little_sizes
		   : s->m->asked	? asked_sizes
					: normal_sizes;
	s->ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1);
	s->rest = xcalloc(s->ncpus, sizeof(*s->rest));
	if (!err)
		err = load(s, st);
	if (!err) {
		measure_source__set_sampling(s, how, st);
		err = attach(s, scope, st);
	}
	if (err) {
		measure_source__close(s);
		return NULL;
	}
	visit_all(s); /* who is inside at the moment */
	s->before_ns = clock__monotonic_ns();
	copy_str(s->health.tier, sizeof(s->health.tier), "bpf");
	copy_str(s->health.event, sizeof(s->health.event), s->m->event);
	s->health.precise = true;
	return s;
}

int measure_source__fd(struct source *s)
{
	return bpf_ring__fd(s->ring);
}

void measure_source__fetch(struct source *s, bool tick)
{
	if (tick && !s->held) {
		visit_all(s);
		if (s->hooks->flush)
			s->hooks->flush(s->ctx);
		__atomic_store_n(s->g.active, !*s->g.active, __ATOMIC_SEQ_CST);
		bpf_util__barrier();
	}
	s->flipped |= tick;
	bpf_ring__fetch(s->ring);
}

void measure_source__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	s->sink = sink;
	if (tick ? !s->flipped : bpf_ring__empty(s->ring))
		measure_source__fetch(s, tick);
	bpf_ring__each(s->ring, measure_put__first, s);
	bpf_ring__drain(s->ring, measure_put__slow, s);
	if (!tick)
		return;
	s->flipped = false;
	if (s->held && s->hooks->gone)
		held_tables__release(s->held, s->hooks->gone, s->ctx);
	if (s->held) {
		note_tick(s, held_tables__drain(s->held, measure_put__held, s));
	} else {
		measure_put__open(s);
		measure_put__rest(s);
		adapt_slow(s);
		note_tick(s, measure_put__cells(s));
	}
	if (s->hooks->tick)
		s->hooks->tick(s->ctx, s->obj);
	trim_names(s);
}

void measure_source__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
	if (s->hooks->health)
		s->hooks->health(s->ctx, h);
	health__note_stacks(h);
}
