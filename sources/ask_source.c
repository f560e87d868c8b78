// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources of questions: for each question of a kind its programs, loaded with its code in them
 * and attached to its events.
 */
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/embed.h"
#include "bpf/stack.h"
#include "sources/ask_rate.h"
#include "sources/ask_running.h"
#include "sources/bpf_source.h"
#include "sources/measure.h"
#include "sources/moment.h"
#include "sources/process_scope.h"
#include "sources/unwind_tasks.h"

EMBED(proftop_bpf_question, BUILD "/bpf/question.bpf.o");
EMBED(proftop_bpf_question_plain, BUILD "/bpf/question_plain.bpf.o");
EMBED(proftop_bpf_question_count, BUILD "/bpf/question_count.bpf.o");
EMBED(proftop_bpf_question_span, BUILD "/bpf/question_span.bpf.o");
EMBED(proftop_bpf_question_held, BUILD "/bpf/question_held.bpf.o");
EMBED(proftop_bpf_question_held_plain, BUILD "/bpf/question_held_plain.bpf.o");

/* What struct source is here. */
struct asking {
	enum ask_kind kind;
	const struct ask_list *list;
	u32 n;
	struct scope *scope; /* in force */
	struct running *v[ASK_MAX]; /* of the list those of the kind, in its order */
	int epoll_fd; /* of the rings; -1: there is none */
	bool begun; /* the first interval; those that are asked later begin where all of them are attached */
};

static struct asking *of(struct source *s)
{
	return (struct asking *)s;
}

static void running__close(struct running *r)
{
	if (r->source)
		bpf_source__close(r->source);
	ask__put(r->ask);
	free(r);
}

static void asking__close(struct source *s)
{
	struct asking *a = of(s);

	for (u32 i = 0; i < a->n; i++)
		running__close(a->v[i]);
	if (a->epoll_fd >= 0)
		close(a->epoll_fd);
	scope__put(a->scope);
	free(a);
}

/* At all of a question's events. */
static int check_moment(const struct ask *a, const struct scope *scope, struct status *st)
{
	int err = 0;

	for (u32 i = 0; i < a->nprograms && !err; i++)
		err = moment__check(scope, a->programs[i].slot.at, st);
	return err;
}

struct object {
	const char *begin, *end;
};

static const struct object held = {proftop_bpf_question_held, proftop_bpf_question_held_end};
static const struct object held_plain = {proftop_bpf_question_held_plain, proftop_bpf_question_held_plain_end};
static const struct object whole = {proftop_bpf_question, proftop_bpf_question_end};
/* Of questions that take no stacks. */
static const struct object plain = {proftop_bpf_question_plain, proftop_bpf_question_plain_end};
static const struct object small[ASK_SHAPES] = {
	[ASK_COUNT] = {proftop_bpf_question_count, proftop_bpf_question_count_end},
	[ASK_SPAN] = {proftop_bpf_question_span, proftop_bpf_question_span_end},
};

static u32 stacks_of(const struct ask *a)
{
	u32 stacks = 0;

	for (u32 i = 0; i < a->nprograms; i++)
		stacks |= a->programs[i].slot.stack;
	return stacks;
}

static bool is_small(const struct ask *a)
{
	for (u32 i = 0; i < a->nprograms; i++)
		if (!eval__fits(&a->programs[i].code, QUESTION_SMALL))
			return false;
	return small[a->question->shape].begin != NULL;
}

/* The one with the least that does: what a verifier goes through takes longer than all the rest. What comes within a
 * span has stacks, too. */
static const struct object *object_of(const struct ask *a)
{
	if (a->question->shape == ASK_HOLD)
		return stacks_of(a) ? &held : &held_plain;
	if (stacks_of(a) || a->log_by)
		return &whole;
	return is_small(a) ? &small[a->question->shape] : &plain;
}

/* NULL: st says why. */
static struct running *load_one(const struct ask *ask, const struct sampling *how, struct status *st)
{
	struct running *r = xcalloc(1, sizeof(*r));
	const struct object *object = object_of(ask);

	r->ask = ask__get(ask);
	r->links = (struct ask_links){.ask = ask, .period = how->period, .freq = how->freq};
	r->programs = (struct measure_programs){
		.measure = ask__measure(ask),
		.elf = object->begin,
		.elf_size = (size_t)(object->end - object->begin),
		.hooks = &ask_hooks,
		.ctx = r,
	};
	r->source = measure_source__load(&r->programs, how, st);
	if (r->source)
		return r;
	running__close(r);
	return NULL;
}

/* Loaded before it is asked; the collector's. */
static struct running *prepared;

static bool is_asked(const struct ask_list *list, const struct ask *ask)
{
	for (u32 i = 0; list && i < list->n; i++)
		if (list->v[i] == ask)
			return true;
	return false;
}

/* What is asked meanwhile is taken once its source opens. */
static void prepare_one(const struct ask *ask, const struct sampling *how)
{
	struct status st = {0};

	if (prepared && (prepared->ask == ask || (!ask && is_asked(how->asks, prepared->ask))))
		return;
	if (prepared)
		running__close(prepared);
	ask_load__register();
	prepared = ask ? load_one(ask, how, &st) : NULL;
}

/* Settings may have changed meanwhile. */
static struct running *take_prepared(const struct ask *ask, const struct sampling *how)
{
	struct running *r = prepared;

	if (!r || r->ask != ask)
		return NULL;
	prepared = NULL;
	r->links.period = how->period;
	r->links.freq = how->freq;
	return r;
}

/* What the programs would cost is known before they are attached. */
static int attach_one(struct running *r, struct ask_rate *rate, const struct sampling *how,
		      const struct scope *scope, struct status *st)
{
	int err;

	r->links.only = process_scope__only(scope);
	r->names = how->names;
	r->cost_ns = rate->calls.n ? rate->cost_ns : 0;
	err = ask_rate__check(rate, r->ask, st);
	return err ? err : bpf_source__attach(r->source, how, scope, st);
}

/* NULL: st says why. */
static struct running *open_one(struct asking *a, const struct ask *ask, const struct sampling *how,
				const struct scope *scope, struct status *st)
{
	struct epoll_event ev = {.events = EPOLLIN};
	struct ask_rate rate = {0};
	struct running *r;
	int err;

	if (check_moment(ask, scope, st))
		return NULL;
	ask_rate__begin(&rate, ask, process_scope__only(scope));
	r = take_prepared(ask, how);
	if (!r)
		r = load_one(ask, how, st);
	err = r ? attach_one(r, &rate, how, scope, st) : -EINVAL;
	ask_rate__end(&rate);
	if (!err) {
		epoll_ctl(a->epoll_fd, EPOLL_CTL_ADD, bpf_source__fd(r->source), &ev);
		return r;
	}
	if (r)
		running__close(r);
	return NULL;
}

static struct running *find_running(const struct asking *a, const struct ask *ask)
{
	for (u32 i = 0; i < a->n; i++)
		if (a->v[i]->ask == ask)
			return a->v[i];
	return NULL;
}

static void begin_all(struct asking *a)
{
	for (u32 i = 0; i < a->n; i++)
		measure_source__begin(a->v[i]->source, 0);
}

static void asking__begin(struct source *s, u64 t0_ns)
{
	(void)t0_ns;
	of(s)->begun = true;
	begin_all(of(s));
}

/* Those that run already go on, and what one of them counted stays. When one does not open all is as before. */
static int change_to(struct asking *a, const struct ask_list *list, const struct sampling *how,
		     const struct scope *scope, struct status *st)
{
	struct running *v[ASK_MAX];
	u32 n = 0;

	for (u32 i = 0; list && i < list->n; i++) {
		struct running *r = find_running(a, list->v[i]);

		if (ask__kind(list->v[i]) != a->kind)
			continue;
		v[n] = r ? r : open_one(a, list->v[i], how, scope, st);
		if (v[n++])
			continue;
		while (n--)
			if (v[n] && !find_running(a, v[n]->ask))
				running__close(v[n]);
		return -EINVAL;
	}
	for (u32 i = 0, at = 0; i < a->n; i++) {
		for (at = 0; at < n && v[at] != a->v[i];)
			at++;
		if (at == n)
			running__close(a->v[i]);
	}
	memcpy(a->v, v, n * sizeof(*v));
	a->n = n;
	a->list = list;
	for (u32 i = 0; i < n; i++)
		measure_source__hurry(v[i]->source);
	if (a->begun)
		begin_all(a);
	return 0;
}

static struct source *asking__open(enum ask_kind kind, const struct sampling *how,
				   const struct scope *scope, struct status *st)
{
	struct asking *a = xcalloc(1, sizeof(*a));

	a->kind = kind;
	a->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	a->scope = scope__get(scope);
	ask_load__register();
	if (!change_to(a, how->asks, how, scope, st))
		return (struct source *)a;
	asking__close((struct source *)a);
	return NULL;
}

static int asking__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	int err = 0;

	for (u32 i = 0; i < of(s)->n && !err; i++)
		err = check_moment(of(s)->v[i]->ask, scope, st);
	for (u32 i = 0; i < of(s)->n && !err; i++)
		err = bpf_source__set_scope(of(s)->v[i]->source, scope, st);
	if (!err) {
		scope__put(of(s)->scope);
		of(s)->scope = scope__get(scope);
	}
	return err;
}

static int asking__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	if (how->asks != of(s)->list && change_to(of(s), how->asks, how, of(s)->scope, st))
		return -EINVAL;
	for (u32 i = 0; i < of(s)->n; i++)
		bpf_source__set_sampling(of(s)->v[i]->source, how, st);
	return 0;
}

static int asking__fd(struct source *s)
{
	return of(s)->epoll_fd;
}

static bool asking__turn(struct source *s, u64 t1_ns)
{
	bool turns = false;

	for (u32 i = 0; i < of(s)->n; i++)
		turns |= bpf_source__turn(of(s)->v[i]->source, t1_ns);
	return turns;
}

static void asking__fetch(struct source *s, bool tick)
{
	for (u32 i = 0; i < of(s)->n; i++)
		bpf_source__fetch(of(s)->v[i]->source, tick);
}

static void asking__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct asking *a = of(s);
	struct ask_sample turn = {.head.type = SAMPLE_ASK, .n = a->n};

	if (!a->n && tick)
		sink__put(sink, &turn.head);
	for (u32 i = 0; i < a->n; i++) {
		turn.index = i;
		turn.form = a->v[i]->ask->form;
		sink__put(sink, &turn.head);
		bpf_source__drain(a->v[i]->source, tick, sink);
	}
}

static void add_health(struct health *to, const struct health *of)
{
	to->samples += of->samples;
	to->samples_total += of->samples_total;
	to->lost += of->lost;
	to->map_full += of->map_full;
	to->stacks_lost += of->stacks_lost;
	to->map_fill_pct = MAX(to->map_fill_pct, of->map_fill_pct);
	to->run_pct += of->run_pct;
	to->cost_pct += of->cost_pct;
	if (*of->note)
		health__say(to, "%s", of->note);
}

static void asking__health(struct source *s, struct health *h)
{
	struct health all = {.precise = true};

	copy_str(all.tier, sizeof(all.tier), "bpf");
	for (u32 i = 0; i < of(s)->n; i++) {
		struct health one = {0};

		bpf_source__health(of(s)->v[i]->source, &one);
		if (!i)
			all = one;
		else
			add_health(&all, &one);
	}
	if (!of(s)->n)
		health__say(&all, "no questions are asked");
	health__take(h, &all);
}

/* The first stacks are to be whole, where any are taken. */
static bool asking__ask_tables(const struct sampling *how, const struct scope *scope,
			       const struct sample_sink *sink)
{
	u32 stacks = 0;

	for (u32 i = 0; how->asks && i < how->asks->n; i++)
		stacks |= stacks_of(how->asks->v[i]);
	return stacks & STACK_USER && unwind_tasks__ask(how, scope, sink);
}

#define ASKING(name_, id)                                                                          \
	static struct source *open_##name_(const struct sampling *how, const struct scope *scope,  \
					   struct status *st)                                      \
	{                                                                                          \
		return asking__open(ASK_##id, how, scope, st);                                     \
	}                                                                                          \
	const struct source_ops source_ask_##name_ = {                                             \
		.name = "bpf",                                                                     \
		.title = "BPF programs of questions",                                              \
		.asks = true,                                                                      \
		.ask_tables = asking__ask_tables,                                                  \
		.prepare = prepare_one,                                                            \
		.open = open_##name_,                                                              \
		.close = asking__close,                                                            \
		.set_scope = asking__set_scope,                                                    \
		.set_sampling = asking__set_sampling,                                              \
		.begin = asking__begin,                                                            \
		.fd = asking__fd,                                                                  \
		.turn = asking__turn,                                                              \
		.fetch = asking__fetch,                                                            \
		.drain = asking__drain,                                                            \
		.health = asking__health,                                                          \
	}

ASKING(events, EVENTS);
ASKING(pairs, PAIRS);
ASKING(held, HELD);
