// SPDX-License-Identifier: GPL-2.0-only
#include "sources/ask_log.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "questions/registers.h"
#include "sources/ask_making.h"
#include "sources/ask_plan.h"
#include "sources/measure.h"
#include "sources/perf_link.h"

#define SAMPLE_PERIOD_NS NSEC_PER_MSEC

/* --- values of events --- */

static bool is_number(const struct field_resolver *f, const char *name)
{
	struct field field;

	return !f->field(f, name, &field) && !field.unreadable &&
	       (field.type.kind == TYPE_INT || field.type.kind == TYPE_POINTER);
}

/* Of functions nothing but registers: debug information takes long to read. */
static const struct field_resolver *fields_of(const struct ask_target *t,
					      const struct field_resolver *known)
{
	switch (t->of->kind) {
	case EVENT_TRACEPOINT:
	case EVENT_BTF:
	case EVENT_USDT:
		return known;
	case EVENT_UPROBE:
		return registers__fields(REGISTERS_ENTRY);
	case EVENT_URETPROBE:
		return registers__fields(REGISTERS_RETURN);
	case EVENT_KPROBE:
		return registers__fields(REGISTERS_KERNEL_ENTRY);
	case EVENT_KRETPROBE:
		return registers__fields(REGISTERS_KERNEL_RETURN);
	default:
		return registers__fields(REGISTERS_PERF);
	}
}

/* A result, an address that was touched, the code that did, an argument; else the first number of the
 * event's own. */
static bool choose(const struct ask_target *t, const struct field_resolver *f, char *buf, size_t size)
{
	static const char *const first[] = {"ret", "addr", "arg0"};

	if (t->of->kind == EVENT_BREAKPOINT) {
		copy_str(buf, size, "ip");
		return true;
	}
	for (u32 i = 0; i < ARRAY_SIZE(first); i++)
		if (is_number(f, first[i]) && !(!i && t->place.jumps)) {
			copy_str(buf, size, first[i]);
			return true;
		}
	for (u32 i = 0; f->name(f, i, buf, size); i++)
		if (strncmp(buf, "common_", 7) && *buf != '_' && is_number(f, buf))
			return true;
	return false;
}

void ask_log__add_value(struct making *m, struct unit *u, struct ask_target *t,
			const struct check_scope *scope)
{
	const struct field_resolver *f = fields_of(t, scope->fields);
	struct expr *e = arena__array(&m->a->arena, struct expr, 1);
	struct check_scope of = *scope;
	struct expr_error err = {0};
	const struct checked *c;
	char name[sizeof(t->moment.name)];

	if (!f || !choose(t, f, name, sizeof(name)))
		return;
	of.fields = f;
	*e = (struct expr){.op = EXPR_NAME, .text = arena__strdup(&m->a->arena, name)};
	c = expr__check(e, &of, WANT_NUMBER, &m->a->arena, &err);
	if (!c)
		return;
	u->of.values[0] = c;
	u->of.nvalues = u->slot.nvalues = 1;
	copy_str(t->moment.name, sizeof(t->moment.name), name);
	t->moment.is_signed = c->type.is_signed;
	t->moment.is_address = c->type.kind == TYPE_POINTER || !strcmp(name, "addr") || !strcmp(name, "ip");
}

enum question_log_by ask_log__by(const struct question *q, const struct unit *u)
{
	const struct checked *on = u->slot.on ? u->of.keys[u->slot.on - 1] : NULL;
	u32 i = 0;

	while (i < q->nevents && q->events[i].role != ROLE_BETWEEN)
		i++;
	if (i == q->nevents)
		return QUESTION_LOG_NONE;
	if (!on)
		return QUESTION_LOG_THREAD;
	return on->op == CHECKED_WORD && on->index == WORD_CPU ? QUESTION_LOG_CPU : QUESTION_LOG_EVENTS;
}

/* --- programs --- */

static bool is_needed(const struct ask *a, const char *name)
{
	if (!strcmp(name, "question_wakeup"))
		return a->log_by == QUESTION_LOG_THREAD;
	return a->log_by == QUESTION_LOG_THREAD || a->log_by == QUESTION_LOG_CPU;
}

static const char *const tracepoints[ASK_LOG_TRACEPOINTS] = {"question_switch", "question_wakeup"};

static const struct {
	const char *name;
	u32 config;
	u64 period;
} sampled[] = {
	{"question_sample", PERF_COUNT_SW_CPU_CLOCK, SAMPLE_PERIOD_NS},
	{"question_fault", PERF_COUNT_SW_PAGE_FAULTS, 1},
};

static void load(const struct ask *a, struct bpf_object *obj, const char *name)
{
	bpf_program__set_autoload(bpf_object__find_program_by_name(obj, name), is_needed(a, name));
}

void ask_log__prepare(const struct ask *a, struct bpf_object *obj)
{
	measure_programs__set(obj, "log_by", &a->log_by, sizeof(a->log_by));
	if (a->log_by)
		bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, "logs"), QUESTION_LOGS);
	for (u32 i = 0; i < ASK_LOG_TRACEPOINTS; i++)
		load(a, obj, tracepoints[i]);
	for (u32 i = 0; i < ARRAY_SIZE(sampled); i++)
		load(a, obj, sampled[i].name);
}

static struct bpf_program *loaded(struct bpf_object *obj, const char *name)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(obj, name);

	return prog && bpf_program__autoload(prog) ? prog : NULL;
}

struct bpf_program *ask_log__tracepoint(struct bpf_object *obj, u32 i)
{
	return loaded(obj, tracepoints[i]);
}

int ask_log__attach(const struct ask *a, struct bpf_object *obj, struct perf_links *links)
{
	int err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(sampled) && !err; i++) {
		struct perf_event_attr attr = {.size = sizeof(attr),
					       .type = PERF_TYPE_SOFTWARE,
					       .config = sampled[i].config,
					       .sample_period = sampled[i].period};
		struct bpf_program *prog = loaded(obj, sampled[i].name);

		if (prog && is_needed(a, sampled[i].name))
			err = perf_links__add_cpus(links, prog, &attr, 0);
	}
	return err;
}

/* --- what they send --- */

static void name_event(const struct ask *a, u32 event, struct measure_moment *out)
{
	const struct ask_target *t = &a->targets.v[event];

	out->kind = MOMENT_EVENT;
	out->event = t->name;
	out->field = t->moment.name;
	out->is_signed = t->moment.is_signed;
	out->is_address = t->moment.is_address;
}

static void name_other(u32 what, struct measure_moment *out)
{
	static const struct {
		enum measure_moment_kind kind;
		const char *field;
	} kinds[] = {
		[QUESTION_MOMENT_SAMPLE & 0xff] = {MOMENT_SAMPLE, ""},
		[QUESTION_MOMENT_FAULT & 0xff] = {MOMENT_FAULT, "addr"},
		[QUESTION_MOMENT_OUT & 0xff] = {MOMENT_OUT, "state"},
		[QUESTION_MOMENT_WAKEUP & 0xff] = {MOMENT_WAKEUP, "by"},
		[QUESTION_MOMENT_IN & 0xff] = {MOMENT_IN, ""},
	};

	out->kind = kinds[what & 0xff].kind;
	out->field = kinds[what & 0xff].field;
	out->is_address = out->kind == MOMENT_FAULT;
}

/* False: nobody has written it yet, or it is of another span. */
static bool take(const struct ask *a, const struct question_log *log, const struct question_moment *m,
		 struct measure_moment *out)
{
	*out = (struct measure_moment){.t_ns = m->t_ns,
				       .value = m->value,
				       .stack = m->stack == MEASURE_NO_STACK ? 0 : m->stack,
				       .tid = m->tid,
				       .cpu = m->cpu,
				       .event = "",
				       .field = ""};
	if (m->t_ns < log->begin_ns || m->t_ns > log->end_ns)
		return false;
	if (m->what < a->targets.n)
		name_event(a, m->what, out);
	else if (m->what >= QUESTION_MOMENT_SAMPLE && m->what <= QUESTION_MOMENT_IN)
		name_other(m->what, out);
	else
		return false;
	return true;
}

static int by_time(const void *a, const void *b)
{
	u64 x = ((const struct measure_moment *)a)->t_ns, y = ((const struct measure_moment *)b)->t_ns;

	return x < y ? -1 : x > y;
}

bool ask_log__keep(struct ask_log *l, const struct ask *a, const void *data, size_t size)
{
	const struct question_log *log = data;
	size_t n;

	if (size < offsetof(struct question_log, moments) || log->type != RECORD_QUESTION_LOG)
		return false;
	n = MIN((size - offsetof(struct question_log, moments)) / sizeof(log->moments[0]),
		(size_t)MEASURE_MOMENTS);
	*l = (struct ask_log){.begin_ns = log->begin_ns, .end_ns = log->end_ns, .came = log->n};
	for (size_t i = 0; i < n; i++)
		l->n += take(a, log, &log->moments[i], &l->v[l->n]);
	qsort(l->v, l->n, sizeof(*l->v), by_time);
	return true;
}

void ask_log__add(struct ask_log *l, struct measure_slow_sample *out)
{
	if (!l->end_ns || l->end_ns != out->t_ns || l->begin_ns != out->t_ns - out->ns)
		return;
	out->moments = l->v;
	out->nmoments = l->n;
	out->dropped = l->came > l->n ? l->came - l->n : 0;
	out->timed = true;
}
