// SPDX-License-Identifier: GPL-2.0-only
/* The hooks of a question's measure: its programs, names, lines, what is open, what it costs. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "sources/ask_bursts.h"
#include "sources/ask_running.h"
#include "sources/bpf_util.h"
#include "sources/process_scope.h"

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

const struct measure_hooks ask_hooks = {
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
