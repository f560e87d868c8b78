// SPDX-License-Identifier: GPL-2.0-only
#include "sources/ask_rate.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "sources/events.h"
#include "sources/perf_open.h"

#define LOOK_NS	    (20 * NSEC_PER_MSEC)
#define LONGER_NS   (100 * NSEC_PER_MSEC)
#define EVENTS_MAX  16
#define KNOWN_NS    (3 * NSEC_PER_SEC)
#define COST_NS	    150	 /* of an event that is counted, about */
#define SPAN_NS	    250	 /* of a begin or an end */
#define STACK_NS    2000 /* more, with a stack */

/* Clocks and counters are sampled: how often, the question says. */
static bool is_counted(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config != PERF_COUNT_SW_CPU_CLOCK &&
	       attr->config != PERF_COUNT_SW_TASK_CLOCK;
}

static u64 cost_of(const struct ask *a)
{
	u64 cost = a->form.shape == MEASURE_SHAPE_SPAN ? SPAN_NS : COST_NS;

	for (u32 i = 0; i < a->nprograms; i++)
		if (a->programs[i].slot.stack)
			return cost + STACK_NS;
	return cost;
}

/* Begins of functions stand for their ends. */
static void count_calls(struct ask_rate *r, const struct ask_target *t, u32 only, u64 cost)
{
	const u64 *offset = t->usdt ? &t->usdt->offset : &t->place.offset;
	struct uprobe_set set = {.path = t->file, .offsets = offset, .n = 1,
				 .pid = t->pid ? t->pid : only};

	if (!*offset || (!r->calls.prog_fd && !event_count__open(&r->calls)))
		return;
	if (t->usdt && t->usdt->semaphore)
		set.semaphores = &t->usdt->semaphore;
	r->cost_ns = event_count__cost(&r->calls) + cost;
	event_count__add(&r->calls, &set);
}

static void count_in_kernel(struct ask_rate *r, const struct ask_target *t)
{
	switch (t->of->kind) {
	case EVENT_TRACEPOINT:
		event_count__add_tracepoint(&r->tracepoints, t->name);
		break;
	case EVENT_BTF:
		event_count__add_raw(&r->tracepoints, t->event);
		break;
	case EVENT_KPROBE:
	case EVENT_KRETPROBE:
		event_count__add_kernel(&r->tracepoints, t->event, t->of->kind == EVENT_KRETPROBE);
		break;
	default:
		break;
	}
}

static void count_on_all(struct ask_rate *r, struct perf_event_attr attr)
{
	u32 *cpus, n = cpus__online(&cpus);

	attr.size = sizeof(attr);
	for (u32 i = 0; i < n; i++) {
		int fd = perf__open(&attr, -1, (int)cpus[i]);

		if (fd < 0)
			continue;
		r->fds = xgrow(r->fds, r->n, &r->cap, sizeof(*r->fds));
		r->fds[r->n++] = fd;
	}
	free(cpus);
}

static u64 sum(const struct ask_rate *r)
{
	u64 all = event_count__sum(&r->calls) + event_count__sum(&r->tracepoints), one;

	for (u32 i = 0; i < r->n; i++)
		if (read(r->fds[i], &one, sizeof(one)) == sizeof(one))
			all += one;
	return all;
}

/* At least so long since the last one. */
static u64 per_second(struct ask_rate *r, u64 least_ns)
{
	u64 took = clock__monotonic_ns() - r->begin_ns, before = r->before;
	struct timespec left = {0};

	if (took < least_ns) {
		left.tv_nsec = (long)(least_ns - took);
		nanosleep(&left, NULL);
		took = clock__monotonic_ns() - r->begin_ns;
	}
	r->before = sum(r);
	r->begin_ns += took;
	return (u64)((double)(r->before - before) * 1e9 / (double)took);
}

static bool has_calls(const struct ask *a)
{
	for (u32 i = 0; i < a->targets.n; i++)
		if (ask_target__is_of_program(&a->targets.v[i]) && a->uprobe_links)
			return true;
	return false;
}

/* Those of functions are counted each time: what a probe takes on this machine is measured then. */
static bool is_known(const struct ask *a)
{
	u64 at = __atomic_load_n(&a->counted_ns, __ATOMIC_RELAXED);

	return at && clock__monotonic_ns() < at + KNOWN_NS && !has_calls(a);
}

void ask_rate__begin(struct ask_rate *r, const struct ask *a, u32 only)
{
	if (a->forced || a->targets.n > EVENTS_MAX || is_known(a))
		return;
	r->cost_ns = cost_of(a);
	for (u32 i = 0; i < a->targets.n; i++) {
		const struct ask_target *t = &a->targets.v[i];

		if (ask_target__is_of_program(t) && a->uprobe_links)
			count_calls(r, t, only, cost_of(a));
		else if (t->of->kind == EVENT_PERF && is_counted(&t->attr))
			count_on_all(r, t->attr);
		else
			count_in_kernel(r, t);
	}
	r->begin_ns = clock__monotonic_ns();
	r->before = sum(r);
}

/* Loading takes CPU time from who makes the events: where these come close to the limit they are counted once
 * more, while this thread sleeps. */
int ask_rate__check(struct ask_rate *r, const struct ask *a, struct status *st)
{
	u32 kernel = r->n + r->tracepoints.n;
	u64 cost = r->cost_ns, rate = kernel + r->calls.n ? per_second(r, LOOK_NS) : 0;

	event_count__close(&r->calls);
	if (kernel && rate_guard__pct(rate, cost) > RATE_GUARD_PCT / 4.0)
		rate = MAX(rate, per_second(r, LOOK_NS));
	return rate_guard__check(a->text, "events", rate, cost, "ask it with ! before it", st);
}

void ask_rate__end(struct ask_rate *r)
{
	for (u32 i = 0; i < r->n; i++)
		close(r->fds[i]);
	free(r->fds);
	event_count__close(&r->calls);
	event_count__close(&r->tracepoints);
	*r = (struct ask_rate){0};
}

void ask_rate__try(const struct ask *a)
{
	struct ask_rate r = {0};
	struct status st = {0};

	if (has_calls(a))
		return;
	ask_rate__begin(&r, a, 0);
	if (!ask_rate__check(&r, a, &st))
		__atomic_store_n(&((struct ask *)a)->counted_ns, clock__monotonic_ns(), __ATOMIC_RELAXED);
	ask_rate__end(&r);
}

/* Of one function, static probe or raw tracepoint: what a question of that event alone is about. */
static void look_at_places(struct ask_rate *r, const char *event)
{
	const struct question_event *e;
	struct ask_targets targets = {0};
	struct status st = {0};
	struct expr_error err;
	struct arena arena;

	arena__init(&arena);
	e = question_event__parse(event, &arena, &err);
	if (e && !e->glob && e->kind != EVENT_TRACEPOINT)
		ask_targets__resolve(&targets, e, &st);
	for (u32 i = 0; i < targets.n && i < EVENTS_MAX; i++) {
		if (ask_target__is_of_program(&targets.v[i]))
			count_calls(r, &targets.v[i], 0, COST_NS);
		else
			count_in_kernel(r, &targets.v[i]);
	}
	ask_targets__fini(&targets);
	arena__fini(&arena);
}

bool ask_rate__look(const char *event, u64 *rate, double *pct)
{
	struct perf_event_attr attr;
	struct ask_rate r = {.cost_ns = COST_NS};
	bool known;

	if (event__resolve(event, event__tracefs(), &attr, NULL))
		look_at_places(&r, event);
	else if (attr.type == PERF_TYPE_TRACEPOINT)
		event_count__add_tracepoint(&r.tracepoints, event);
	else if (is_counted(&attr))
		count_on_all(&r, attr);
	r.begin_ns = clock__monotonic_ns();
	r.before = sum(&r);
	known = r.n + r.tracepoints.n + r.calls.n;
	*rate = known ? per_second(&r, LONGER_NS) : 0;
	*pct = rate_guard__pct(*rate, r.cost_ns);
	ask_rate__end(&r);
	return known;
}
