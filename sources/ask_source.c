// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources of questions: for each question of a kind its programs, loaded with its code in them
 * and attached to its events.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <limits.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/log.h"
#include "bpf/stack.h"
#include "sources/ask_bursts.h"
#include "sources/ask_links.h"
#include "sources/ask_log.h"
#include "sources/ask_plan.h"
#include "sources/ask_rate.h"
#include "sources/bpf_globals.h"
#include "sources/bpf_source.h"
#include "sources/bpf_util.h"
#include "sources/measure.h"
#include "sources/moment.h"
#include "sources/process_scope.h"
#include "sources/unwind_tasks.h"

EMBED(proftop_bpf_question, BUILD "/bpf/question.bpf.o");
EMBED(proftop_bpf_question_plain, BUILD "/bpf/question_plain.bpf.o");
EMBED(proftop_bpf_question_count, BUILD "/bpf/question_count.bpf.o");
EMBED(proftop_bpf_question_span, BUILD "/bpf/question_span.bpf.o");
EMBED(proftop_bpf_question_held, BUILD "/bpf/question_held.bpf.o");

struct running {
	const struct ask *ask;
	struct measure_programs programs;
	struct source *source; /* of sources/measure.c; NULL: not open */
	struct ask_links links;
	bool opening; /* spans that have no keys yet are handed out */
	struct ask_log log;
	const struct address_names *names; /* NULL: nobody has names */
	u64 cost_ns;	      /* of an event of a program, about; 0: of other events */
	struct rate_watch watch;
	char taken_off[160];
};

/* What struct source is here. */
struct asking {
	enum ask_kind kind;
	const struct ask_list *list;
	u32 n;
	struct scope *scope; /* in force */
	struct running *v[ASK_MAX]; /* of the list those of the kind, in its order */
	int epoll_fd; /* of the rings; -1: there is none */
};

static struct asking *of(struct source *s)
{
	return (struct asking *)s;
}

static int prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	(void)st;
	ask_load__prepare(((const struct running *)ctx)->ask, obj);
	return 0;
}

static int attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	return ask_links__attach(&((struct running *)ctx)->links, obj, st);
}

static void detach(void *ctx)
{
	ask_links__detach(&((struct running *)ctx)->links);
}

static u32 first_end(const struct ask *a)
{
	u32 i = 0;

	while (i < a->targets.n && a->targets.v[i].of->role != ROLE_END)
		i++;
	return i;
}

/* Spans that have begun and not ended; nobody's keys are known before an end. */
static void put_open(void *ctx, struct bpf_object *obj,
		     void (*put)(void *put_ctx, const struct measure_open *open), void *put_ctx)
{
	struct running *r = ctx;
	int fd = bpf_object__find_map_fd_by_name(obj, "spans");
	struct question_span span;
	u64 key, *before = NULL, last;

	if (r->ask->form.shape != MEASURE_SHAPE_SPAN)
		return;
	r->opening = true;
	for (u32 i = 0; i < QUESTION_SPANS && !bpf_map_get_next_key(fd, before, &key); i++) {
		struct measure_open open = {0};

		last = key;
		before = &last;
		if (bpf_map_lookup_elem(fd, &key, &span))
			continue;
		open.begin_ns = span.begin_ns;
		open.who.tgid = span.tgid;
		open.who.tid = span.tid;
		memcpy(open.who.comm, span.comm, sizeof(open.who.comm));
		memcpy(open.who.process, span.comm, sizeof(open.who.process));
		open.labels[0] = first_end(r->ask);
		put(put_ctx, &open);
	}
	r->opening = false;
}

/* False: it is no code, or has no name. */
static bool code_text(const struct running *r, const struct value_text *how, u64 address, char *buf, size_t size)
{
	struct address_name name;

	if (!how->code || !r->names || !r->names->find(r->names, 0, address, &name) || !name.symbol)
		return false;
	if (name.offset)
		snprintf(buf, size, "%s+%#llx", name.text, (unsigned long long)name.offset);
	else
		copy_str(buf, size, name.text);
	return true;
}

static bool label_text(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size)
{
	const struct running *r = ctx;

	if (r->opening && label) {
		*buf = '\0';
		return true;
	}
	return (label && code_text(r, &r->ask->own[MIN(label, MEASURE_OWN_LABELS - 1u)], v->value, buf, size)) ||
	       ask__label_text(r->ask, label, v->value, buf, size);
}

/* --- lists --- */

static const char *line_text(const struct question_line *l, const struct ask_program *p, u32 value)
{
	s32 at = p->slot.value_text[value];

	return at >= 0 && (u32)at < p->slot.texts ? l->texts[at].s : NULL;
}

static bool is_line(const struct ask *a, const void *data, size_t size)
{
	const struct question_line *l = data;
	const struct ask_program *p;

	if (size < offsetof(struct question_line, texts) || l->type != RECORD_QUESTION_LINE ||
	    l->event >= a->targets.n)
		return false;
	p = &a->programs[a->program_of[l->event]];
	return size >= offsetof(struct question_line, texts) + p->slot.texts * sizeof(l->texts[0]);
}

/* An enum's value as it is called, or the number that it is. */
static const char *name_value(const struct value_names *names, u64 value, char *buf, size_t size)
{
	const char *name = value_names__find(names, value);

	snprintf(buf, size, "%lld", (long long)value);
	return name ? name : buf;
}

static void print_value(const struct running *r, u32 field, u64 value, char *buf, size_t size)
{
	const struct value_text *how = &r->ask->printed[field];

	if (!code_text(r, how, value, buf, size))
		value_text__write(how, value, buf, size);
}

static void put_line(void *ctx, const void *data, size_t size, const struct sample_sink *sink)
{
	const struct running *r = ctx;
	const struct ask *a = r->ask;
	const struct question_line *l = data;
	struct measure_key values[ASK_FIELDS];
	struct ask_line_sample out = {.head.type = SAMPLE_ASK_LINE, .values = values,
				      .nvalues = a->form.nfields};
	const struct ask_program *p;
	char numbers[ASK_FIELDS][24], names[ASK_FIELDS][96];
	u32 at = 0;

	if (ask_log__keep(&((struct running *)ctx)->log, a, data, size) || !is_line(a, data, size))
		return;
	p = &a->programs[a->program_of[l->event]];
	for (u32 i = 0; i < a->form.nfields; i++) {
		const char *text = NULL;

		values[i] = (struct measure_key){0, ""};
		if (a->form.lists == ASK_LINES && !(p->fields & 1u << i))
			continue;
		text = line_text(l, p, at);
		if (!text && a->field_names[i])
			text = name_value(a->field_names[i], l->values[at], numbers[i],
					  sizeof(numbers[i]));
		values[i].value = text ? 0 : l->values[at];
		values[i].text = text ? text : "";
		if (a->form.fields[i].named) {
			print_value(r, i, l->values[at], names[i], sizeof(names[i]));
			values[i].text = names[i];
		}
		out.has |= 1u << i;
		at++;
	}
	out.t_ns = l->t_ns;
	out.lost = l->lost;
	out.cpu = l->cpu;
	out.who = l->who;
	out.event = a->form.lists == ASK_SLOTS ? "" : a->targets.v[l->event].name;
	out.stack = l->stack == MEASURE_NO_STACK ? 0 : l->stack;
	sink__put(sink, &out.head);
}

static void add_moments(void *ctx, struct measure_slow_sample *out)
{
	struct running *r = ctx;

	ask_log__add(&r->log, out);
}

/* --- what it takes --- */

/* The counts were of one moment: calls of functions may come to be far more. */
static void watch_rate(struct running *r, struct bpf_object *obj)
{
	struct measure_stats now;

	if (!r->cost_ns || r->ask->forced || *r->taken_off)
		return;
	bpf_util__sum_percpu(bpf_object__find_map_fd_by_name(obj, "stats"), sizeof(now), (u64 *)&now);
	if (!rate_watch__look(&r->watch, clock__monotonic_ns(), now.runs) ||
	    rate_guard__pct(r->watch.per_second, r->cost_ns) <= RATE_GUARD_PCT)
		return;
	detach(r);
	snprintf(r->taken_off, sizeof(r->taken_off),
		 "taken off: %llu events a second took about %.0f%% of a CPU; ask it with ! before it",
		 (unsigned long long)r->watch.per_second,
		 rate_guard__pct(r->watch.per_second, r->cost_ns));
	log__add(LOG_WARN, "%.100s: %s", ask__text(r->ask), r->taken_off);
}

static void tick(void *ctx, struct bpf_object *obj)
{
	ask_bursts__adapt(obj);
	watch_rate(ctx, obj);
}

static void flush(void *ctx)
{
	struct running *r = ctx;

	if (r->links.attached)
		ask_bursts__flush(r->links.attached);
}

static void note_rate(void *ctx, struct health *h)
{
	const struct running *r = ctx;

	if (*r->taken_off)
		health__say(h, "%s", r->taken_off);
}

/* --- the source --- */

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

static bool has_functions(const struct ask *a)
{
	for (u32 i = 0; i < a->targets.n; i++)
		if (ask_target__is_of_program(&a->targets.v[i]))
			return true;
	return false;
}

/* Probes move with the filter to another process. */
static int follow_scope(void *ctx, const struct scope *scope, struct status *st)
{
	struct running *r = ctx;
	u32 only = process_scope__only(scope), was = r->links.only;

	r->links.only = only;
	if (only == was || !r->links.attached || *r->taken_off || !has_functions(r->ask))
		return 0;
	detach(r);
	return attach(r, r->links.attached, st);
}

static const struct measure_hooks ask_hooks = {
	.scope = follow_scope,
	.prepare = prepare,
	.attach = attach,
	.detach = detach,
	.text = label_text,
	.open = put_open,
	.record = put_line,
	.slow = add_moments,
	.flush = flush,
	.tick = tick,
	.health = note_rate,
};

/* At all of a question's events. */
static int check_moment(const struct ask *a, const struct scope *scope, struct status *st)
{
	int err = 0;

	for (u32 i = 0; i < a->nprograms && !err; i++)
		err = moment__check(scope, a->programs[i].slot.irqs != QUESTION_IRQS_UNKNOWN, st);
	return err;
}

struct object {
	const char *begin, *end;
};

static const struct object held = {proftop_bpf_question_held, proftop_bpf_question_held_end};
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
		return &held;
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
		.fd = asking__fd,                                                                  \
		.turn = asking__turn,                                                              \
		.fetch = asking__fetch,                                                            \
		.drain = asking__drain,                                                            \
		.health = asking__health,                                                          \
	}

ASKING(events, EVENTS);
ASKING(pairs, PAIRS);
ASKING(held, HELD);
