// SPDX-License-Identifier: GPL-2.0-only
/* What is special to the source of funcs: its probes, and that they do not take too much. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "bpf/funcs.h"
#include "bpf/measure.h"
#include "samples/functions.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_util.h"
#include "sources/funcs_args.h"
#include "sources/measure.h"
#include "sources/probe_links.h"
#include "sources/process_scope.h"
#include "sources/rate_guard.h"

#define LOOK_NS	     (50 * NSEC_PER_MSEC)
#define FORCED_TIMES 4 /* counts of 50 ms are rough on a busy machine */

struct funcs {
	const struct func_list *list;
	struct funcs_code code;
	struct bpf_program *enter, *leave;
	volatile u32 *does;
	struct probe_links links;
	u32 only; /* the process that is probed; 0: all */
	bool attached;
	u64 cost_ns; /* of a call */
	struct rate_watch watch;
	double said_pct, limit_pct; /* of a CPU; limit 0: none, as it was asked for with ! */
	char taken_off[200];
};

/* --- probes --- */

static int attach_set(struct funcs *f, struct bpf_program *prog, const struct uprobe_set *set)
{
	return probe_links__add(&f->links, prog, f->list->links, set);
}

static void detach_probes(struct funcs *f)
{
	probe_links__close(&f->links);
}

/* What of a function is probed. */
enum probes { PROBE_BEGINS, PROBE_RETURNS, PROBE_ENDS };

struct places {
	u64 *offsets, *cookies;
	u32 n, cap, ccap;
};

static void add_place(struct places *p, u64 offset, u64 cookie)
{
	p->offsets = xgrow(p->offsets, p->n, &p->cap, sizeof(*p->offsets));
	p->cookies = xgrow(p->cookies, p->n, &p->ccap, sizeof(*p->cookies));
	p->offsets[p->n] = offset;
	p->cookies[p->n++] = cookie;
}

static void add_places(struct places *p, const struct function *f, u32 id, enum probes what)
{
	u64 cookie = id | (f->of_go ? FUNCS_OF_GO : 0) | (u64)f->unit << FUNCS_UNIT_SHIFT;

	if (what == PROBE_BEGINS || (what == PROBE_RETURNS && !f->nends))
		add_place(p, f->offset, cookie);
	for (u32 i = 0; what == PROBE_ENDS && i < f->nends; i++)
		add_place(p, f->ends[i], cookie | FUNCS_AT_RETURN);
}

static int attach_object(struct funcs *f, u32 object, enum probes what)
{
	const struct func_list *l = f->list;
	struct places p = {0};
	struct uprobe_set set = {.path = l->objects[object].path,
				 .pid = l->objects[object].pid ? l->objects[object].pid : f->only,
				 .when = what == PROBE_RETURNS ? UPROBE_ENDS : UPROBE_BEGINS};
	int err;

	for (u32 i = 0; i < l->n; i++)
		if (l->v[i].object == object)
			add_places(&p, &l->v[i], i, what);
	set.offsets = p.offsets;
	set.cookies = p.cookies;
	set.n = p.n;
	err = attach_set(f, what == PROBE_BEGINS ? f->enter : f->leave, &set);
	free(p.offsets);
	free(p.cookies);
	return err == -ESRCH && !l->objects[object].pid ? 0 : err; /* who is filtered for has ended */
}

static int attach_all(struct funcs *f, enum probes what, struct status *st)
{
	for (u32 i = 0; i < f->list->nobjects; i++) {
		int err = attach_object(f, i, what);

		if (err)
			return status__set(st, exit_code__from_errno(err), err,
					   "functions of %.100s cannot be attached to: %s",
					   f->list->objects[i].name,
					   err == -ESRCH ? "the process has ended" : strerror(-err));
	}
	return 0;
}

/* --- what they take --- */

static int attach_own(void *ctx, const char *path, u64 offset)
{
	struct funcs *f = ctx;
	u64 cookie = FUNCS_OWN | (u64)(f->list->nunits > 0) << FUNCS_UNIT_SHIFT;
	struct uprobe_set set = {.path = path,
				 .offsets = &offset,
				 .cookies = &cookie,
				 .n = 1,
				 .pid = (u32)getpid(),
				 .when = UPROBE_ENDS};
	int err = attach_set(f, f->leave, &set);

	set.when = UPROBE_BEGINS;
	if (!err)
		err = attach_set(f, f->enter, &set);
	if (err)
		detach_probes(f);
	return err;
}

static void detach_own(void *ctx)
{
	detach_probes(ctx);
}

/* Once: it is the machine's. What arguments take is measured by those of the first function that has some. */
static u64 cost_of_call(struct funcs *f)
{
	static u64 plain, with_args;
	u64 *known = f->list->nunits ? &with_args : &plain;

	if (*known)
		return *known;
	*f->does = FUNCS_TIME;
	*known = rate_guard__cost(attach_own, detach_own, f);
	*f->does = FUNCS_IDLE;
	log__add(LOG_INFO, "a call of a probed function takes %llu ns more",
		 (unsigned long long)*known);
	return *known;
}

/* Calls of the process that calls most. */
static u64 most_calls(struct bpf_object *obj)
{
	int fd = bpf_object__find_map_fd_by_name(obj, "rates");
	u32 key, *before = NULL, last;
	u64 most = 0, n;

	for (u32 i = 0; i < FUNCS_PROCESSES && !bpf_map_get_next_key(fd, before, &key); i++) {
		last = key;
		before = &last;
		if (!bpf_map_lookup_elem(fd, &key, &n))
			most = MAX(most, n);
	}
	return most;
}

/* Counts calls for a moment, with the probes at their begins alone. What is asked for with ! may take what
 * it takes, but not far more than was known by then. */
static int check_rate(struct funcs *f, struct bpf_object *obj, struct status *st)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	u64 begin = clock__monotonic_ns(), took, rate;

	*f->does = FUNCS_COUNT;
	nanosleep(&look, NULL);
	*f->does = FUNCS_IDLE;
	took = clock__monotonic_ns() - begin;
	rate = (u64)((double)most_calls(obj) * 1e9 / (double)took);
	f->said_pct = rate_guard__pct(rate, f->cost_ns);
	f->limit_pct = !f->list->forced ? RATE_GUARD_PCT
		       : f->said_pct > RATE_GUARD_PCT ? f->said_pct * FORCED_TIMES
						      : 0;
	if (f->list->forced)
		return 0;
	return rate_guard__check(f->list->texts[f->list->ntexts - 1], "functions' calls", rate,
				 f->cost_ns, "write ! before it", st);
}

static u64 runs_of(struct bpf_object *obj)
{
	struct measure_stats now;

	bpf_util__sum_percpu(bpf_object__find_map_fd_by_name(obj, "stats"), sizeof(now),
			     (u64 *)&now);
	return now.runs / 2; /* a call is two */
}

static double taken_pct(const struct funcs *f)
{
	return rate_guard__pct(f->watch.per_second, f->cost_ns);
}

static void take_off(struct funcs *f)
{
	char why[80] = "write ! before the functions to have them all the same";

	if (f->list->forced)
		snprintf(why, sizeof(why), "it was about %.0f%% when they were picked", f->said_pct);
	snprintf(f->taken_off, sizeof(f->taken_off),
		 "taken off: %llu calls a second took about %.0f%% of a CPU; %s",
		 (unsigned long long)f->watch.per_second, taken_pct(f), why);
	detach_probes(f);
	log__add(LOG_WARN, "funcs: %s", f->taken_off);
}

static void tick(void *ctx, struct bpf_object *obj)
{
	struct funcs *f = ctx;

	if (!probe_links__any(&f->links) ||
	    !rate_watch__look(&f->watch, clock__monotonic_ns(), runs_of(obj)))
		return;
	if (f->limit_pct && taken_pct(f) > f->limit_pct)
		take_off(f);
}

static void health(void *ctx, struct health *h)
{
	const struct funcs *f = ctx;
	size_t len = strlen(h->note);
	char note[sizeof(f->taken_off)] = "no functions are picked";

	if (*f->taken_off)
		copy_str(note, sizeof(note), f->taken_off);
	else if (f->list->n)
		snprintf(note, sizeof(note), "probes take about %.1f%% of a CPU: %llu ns a call",
			 taken_pct(f), (unsigned long long)f->cost_ns);
	snprintf(h->note + len, sizeof(h->note) - len, "%s%s", len ? "; " : "", note);
}

/* --- the hooks --- */

static const struct func_list none;

static void *begin(const struct measure *m, const struct sampling *how)
{
	struct funcs *f = xcalloc(1, sizeof(*f));

	(void)m;
	funcs_code__register();
	f->list = how->functions ? how->functions : &none;
	return f;
}

static void end(void *ctx)
{
	struct funcs *f = ctx;

	probe_links__fini(&f->links);
	funcs_code__fini(&f->code);
	free(f);
}

static bool other(const struct sampling *was, const struct sampling *wanted)
{
	return was->functions != wanted->functions;
}

static bool any_of_go(const struct func_list *l)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->v[i].of_go)
			return true;
	return false;
}

static int prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct funcs *f = ctx;
	u32 splits = f->list->waits;
	struct bpf_program *prog;

	if (splits && any_of_go(f->list))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "what calls of Go's functions wait for cannot be told (--function-waits): goroutines "
				   "wait without their thread, which the kernel does not see");
	if (funcs_code__make(&f->code, f->list, st))
		return -E2BIG;
	funcs_code__prepare(&f->code, f->list, obj);
	measure_programs__set(obj, "splits", &splits, sizeof(splits));
	f->enter = bpf_object__find_program_by_name(obj, "funcs_enter");
	f->leave = bpf_object__find_program_by_name(obj, "funcs_return");
	probe_links__prepare(f->enter, f->list->links);
	probe_links__prepare(f->leave, f->list->links);
	bpf_object__for_each_program(prog, obj) {
		const char *name = bpf_program__name(prog);
		bool of_split = !strcmp(name, "funcs_switch") || !strcmp(name, "funcs_wakeup");

		if ((of_split && !splits) || (!f->list->n && !strcmp(name, "funcs_gone")))
			bpf_program__set_autoattach(prog, false);
		if (of_split)
			bpf_program__set_autoload(prog, splits);
	}
	return 0;
}

static int attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct funcs *f = ctx;
	int err;

	f->does = bpf_globals__find(obj, "does", sizeof(u32));
	if (!f->list->n)
		return 0;
	f->cost_ns = cost_of_call(f);
	err = attach_all(f, PROBE_BEGINS, st);
	if (!err)
		err = check_rate(f, obj, st);
	if (!err)
		err = attach_all(f, PROBE_RETURNS, st);
	if (!err)
		err = attach_all(f, PROBE_ENDS, st);
	*f->does = FUNCS_TIME;
	f->attached = !err;
	return err;
}

/* Nobody but the process that is filtered for has probes; they move with the filter. */
static int follow_scope(void *ctx, const struct scope *scope, struct status *st)
{
	struct funcs *f = ctx;
	u32 was = f->only;
	int err;

	f->only = process_scope__only(scope);
	if (f->only == was || !f->attached || *f->taken_off || !f->list->n)
		return 0;
	detach_probes(f);
	err = attach_all(f, PROBE_BEGINS, st);
	if (!err)
		err = attach_all(f, PROBE_RETURNS, st);
	return err ? err : attach_all(f, PROBE_ENDS, st);
}

static void detach(void *ctx)
{
	detach_probes(ctx);
}

/* Labels are the function, its object, and its arguments. */
static bool text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct func_list *l = ((struct funcs *)ctx)->list;
	const struct function *f;

	if (v->words[FUNCS_LABEL_FUNCTION] >= l->n)
		return false;
	f = &l->v[v->words[FUNCS_LABEL_FUNCTION]];
	*buf = '\0';
	if (label == 0)
		copy_str(buf, size, f->name);
	else if (label == 1)
		copy_str(buf, size, l->objects[f->object].name);
	else if (f->args)
		func_args__text(f->args, label - 2, v->value, v->sent, buf, size);
	return true;
}

const struct measure_hooks funcs_hooks = {
	.begin = begin,
	.end = end,
	.other = other,
	.scope = follow_scope,
	.prepare = prepare,
	.attach = attach,
	.detach = detach,
	.tick = tick,
	.text = text,
	.health = health,
};
