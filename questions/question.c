// SPDX-License-Identifier: GPL-2.0-only
/* Questions: events, then clauses. To add a clause: a row in `clauses`, and its place in print().
 */
#include "questions/question.h"

#include <inttypes.h>
#include <stdio.h>

#include "questions/expr_number.h"
#include "questions/question_impl.h"

#define SHAPES_EXPECTED "a question begins with count, span, nest, hold, list or burst"

struct parser {
	struct reader r;
	struct question *q;
	u32 event_room;
	u32 seen; /* bit: row of clauses */
};

/* A question is in the arena that it has. */
struct question_store {
	struct question q;
	struct arena arena;
};

static const char *const shape_names[ASK_SHAPES] = {"count", "span", "nest",
						    "hold",  "list", "burst"};
static const char *const unit_names[] = {"ns", "us", "ms", "s", "bytes", "KiB", "pages", "sectors"};

const char *question_shape__name(enum question_shape shape)
{
	return shape < ASK_SHAPES ? shape_names[shape] : NULL;
}

const char *question__unit(u32 i)
{
	return i < ARRAY_SIZE(unit_names) ? unit_names[i] : NULL;
}

/* --- events --- */

static int add_event(struct parser *p, enum question_role role, u32 step)
{
	struct question *q = p->q;
	struct question_event e;

	reader__blanks(&p->r);
	if (q->nevents == QUESTION_MAX_EVENTS)
		return expr__fail(p->r.err, p->r.pos, 1, "a question has at most %d events",
				  QUESTION_MAX_EVENTS);
	if (question_event__read(&p->r, &e))
		return -EINVAL;
	e.role = role;
	e.step = step;
	q->events[q->nevents++] = e;
	return 0;
}

static bool take_arrow(struct reader *r)
{
	reader__blanks(r);
	if (reader__peek(r, 0) != '-' || reader__peek(r, 1) != '>')
		return false;
	r->pos += 2;
	return true;
}

static int read_list(struct parser *p, enum question_role role, u32 step)
{
	do
		if (add_event(p, role, step))
			return -EINVAL;
	while (reader__take(&p->r, ','));
	return 0;
}

/* EVENT, ... -> EVENT [-> EVENT ...] */
static int read_chain(struct parser *p)
{
	struct question *q = p->q;

	if (read_list(p, ROLE_BEGIN, 0))
		return -EINVAL;
	for (q->nsteps = 1; take_arrow(&p->r); q->nsteps++)
		if (read_list(p, ROLE_MIDDLE, q->nsteps))
			return -EINVAL;
	if (q->nsteps == 1)
		return reader__expected(&p->r, "-> is expected here, and the event at the end");
	for (u32 i = 0; i < q->nevents; i++)
		if (q->events[i].step == q->nsteps - 1)
			q->events[i].role = ROLE_END;
	return 0;
}

static int read_pair(struct parser *p, u32 step)
{
	if (add_event(p, ROLE_BEGIN, step))
		return -EINVAL;
	if (!take_arrow(&p->r))
		return reader__expected(&p->r, "-> is expected here, and the event at the end");
	return add_event(p, ROLE_END, step);
}

static int read_pairs(struct parser *p)
{
	do
		if (read_pair(p, p->q->nsteps++))
			return -EINVAL;
	while (reader__take(&p->r, ','));
	return 0;
}

static int read_events(struct parser *p)
{
	switch (p->q->shape) {
	case ASK_SPAN:
		return read_chain(p);
	case ASK_NEST:
		return read_pairs(p);
	case ASK_HOLD:
		p->q->nsteps = 1;
		return read_pair(p, 0);
	default:
		return read_list(p, ROLE_PLAIN, 0);
	}
}

/* --- clauses --- */

static int read_into(struct parser *p, const struct expr **out)
{
	*out = expr__read(&p->r);
	return *out ? 0 : -EINVAL;
}

static int read_exprs(struct parser *p, const struct expr **out, u32 room, u32 *n)
{
	do {
		reader__blanks(&p->r);
		if (*n == room)
			return expr__fail(p->r.err, p->r.pos, 1, "at most %u of them", room);
		if (read_into(p, &out[*n]))
			return -EINVAL;
		++*n;
	} while (reader__take(&p->r, ','));
	return 0;
}

static int read_condition(struct parser *p)
{
	return read_into(p, &p->q->condition);
}

static int read_by(struct parser *p)
{
	return read_exprs(p, p->q->by, QUESTION_MAX_KEYS, &p->q->nby);
}

static int read_show(struct parser *p)
{
	return read_exprs(p, p->q->show, QUESTION_MAX_SHOW, &p->q->nshow);
}

static int read_size(struct parser *p)
{
	return read_into(p, &p->q->size);
}

static int read_on(struct parser *p)
{
	if (read_into(p, &p->q->on))
		return -EINVAL;
	return reader__take(&p->r, '=') ? read_into(p, &p->q->on_end) : 0;
}

static int read_value(struct parser *p, enum question_value kind, u32 at)
{
	if (p->q->value_kind)
		return expr__fail(p->r.err, at, p->r.pos - at, "either sum or hist, once");
	p->q->value_kind = kind;
	return read_into(p, &p->q->value);
}

static int read_sum(struct parser *p)
{
	return read_value(p, ASK_SUM, p->r.pos - 3);
}

static int read_hist(struct parser *p)
{
	if (read_value(p, ASK_HIST, p->r.pos - 4))
		return -EINVAL;
	for (u32 i = 0; i < ARRAY_SIZE(unit_names); i++)
		if (reader__take_word(&p->r, unit_names[i])) {
			p->q->unit = unit_names[i];
			break;
		}
	return 0;
}

static int read_between(struct parser *p)
{
	return read_list(p, ROLE_BETWEEN, 0);
}

static int read_every(struct parser *p)
{
	const struct expr *e;

	reader__blanks(&p->r);
	if (reader__peek(&p->r, 0) < '0' || reader__peek(&p->r, 0) > '9')
		return reader__expected(&p->r, "a time is expected here: every 1ms");
	e = expr__read_number(&p->r);
	if (!e)
		return -EINVAL;
	if (!e->number || !*e->unit || (e->unit[strlen(e->unit) - 1] != 's'))
		return expr__fail(p->r.err, e->at, e->length, "a time is expected here: every 1ms");
	p->q->every_ns = e->number;
	return 0;
}

static int read_sample(struct parser *p)
{
	if (!reader__take_word(&p->r, "stack"))
		return reader__expected(&p->r, "stack is expected here: sample stack if EXPR");
	if (!reader__take_word(&p->r, "if"))
		return reader__expected(&p->r, "if is expected here: sample stack if EXPR");
	return read_into(p, &p->q->sample);
}

#define OF(shape) (1u << ASK_##shape)

static const struct clause {
	const char *word;
	u32 shapes;
	int (*read)(struct parser *p);
} clauses[] = {
	{"if", OF(COUNT) | OF(SPAN) | OF(LIST), read_condition},
	{"by", OF(COUNT) | OF(SPAN) | OF(HOLD), read_by},
	{"sum", OF(COUNT), read_sum},
	{"hist", OF(COUNT), read_hist},
	{"on", OF(SPAN) | OF(NEST) | OF(HOLD), read_on},
	{"between", OF(SPAN), read_between},
	{"size", OF(HOLD), read_size},
	{"show", OF(LIST), read_show},
	{"every", OF(BURST), read_every},
	{"sample", OF(BURST), read_sample},
};

/* The clauses of a shape, for messages. */
static int fail_clause(struct parser *p, const char *wrong)
{
	char list[80] = "";
	size_t n = 0;

	for (u32 i = 0; i < ARRAY_SIZE(clauses); i++)
		if (clauses[i].shapes & 1u << p->q->shape)
			n += (size_t)snprintf(list + n, sizeof(list) - n, " %s", clauses[i].word);
	return expr__fail(p->r.err, p->r.pos, MAX(reader__name(&p->r), 1u), "%s %s has:%s", wrong,
			  shape_names[p->q->shape], list);
}

static int read_clause(struct parser *p)
{
	u32 at = p->r.pos;

	for (u32 i = 0; i < ARRAY_SIZE(clauses); i++) {
		if (!reader__take_word(&p->r, clauses[i].word))
			continue;
		if (!(clauses[i].shapes & 1u << p->q->shape)) {
			p->r.pos = at;
			return fail_clause(p, "not here:");
		}
		if (p->seen & 1u << i)
			return expr__fail(p->r.err, at, p->r.pos - at, "%s is there already",
					  clauses[i].word);
		p->seen |= 1u << i;
		return clauses[i].read(p);
	}
	if (p->q->shape == ASK_BURST && reader__peek(&p->r, 0) == ':')
		return expr__fail(p->r.err, p->r.pos, 1, "in an expression an event is called without its system: sched_switch");
	return fail_clause(p, reader__name(&p->r) ? "unknown word:" : "not expected here:");
}

static int read_clauses(struct parser *p)
{
	for (;;) {
		reader__blanks(&p->r);
		if (p->r.pos == p->r.end)
			break;
		if (read_clause(p))
			return -EINVAL;
	}
	if (p->q->shape == ASK_HOLD && !p->q->on)
		return expr__fail(p->r.err, p->r.end, 1,
				  "on is missing: what begin and end have in common, on EXPR");
	return 0;
}

static int read_shape(struct parser *p)
{
	for (u32 i = 0; i < ASK_SHAPES; i++)
		if (reader__take_word(&p->r, shape_names[i])) {
			p->q->shape = i;
			return 0;
		}
	return reader__expected(&p->r, SHAPES_EXPECTED);
}

/* --- as text --- */

static void add_filter(struct text_buf *b, const struct expr *filter)
{
	char *text = expr__print(filter);
	bool wrap = strchr(text, '/');

	text_buf__add(b, wrap ? "/(" : "/");
	text_buf__add(b, text);
	text_buf__add(b, wrap ? ")/" : "/");
	free(text);
}

static void add_event_text(struct text_buf *b, const struct question_event *e)
{
	text_buf__add(b, e->text);
	if (e->filter)
		add_filter(b, e->filter);
}

static const char *separator(const struct question *q, u32 i)
{
	const struct question_event *e = &q->events[i];

	if (!i)
		return " ";
	if (q->shape == ASK_NEST || q->shape == ASK_HOLD)
		return e->role == ROLE_END ? " -> " : ", ";
	return e->step != e[-1].step ? " -> " : ", ";
}

static void add_events(struct text_buf *b, const struct question *q)
{
	for (u32 i = 0; i < q->nevents; i++)
		if (q->events[i].role != ROLE_BETWEEN) {
			text_buf__add(b, separator(q, i));
			add_event_text(b, &q->events[i]);
		}
}

static void add_between(struct text_buf *b, const struct question *q)
{
	const char *before = " between ";

	for (u32 i = 0; i < q->nevents; i++)
		if (q->events[i].role == ROLE_BETWEEN) {
			text_buf__add(b, before);
			add_event_text(b, &q->events[i]);
			before = ", ";
		}
}

static void add_clause(struct text_buf *b, const char *word, const struct expr *e)
{
	if (!e)
		return;
	text_buf__add(b, word);
	expr__add_text(b, e);
}

static void add_clause_list(struct text_buf *b, const char *word, const struct expr *const *e,
			    u32 n)
{
	for (u32 i = 0; i < n; i++)
		add_clause(b, i ? ", " : word, e[i]);
}

static void add_every(struct text_buf *b, u64 ns)
{
	static const char *const times[] = {"s", "ms", "us", "ns"};
	u32 i = 0;

	while (ns % expr_number__unit(times[i]))
		i++;
	if (ns)
		text_buf__addf(b, " every %" PRIu64 "%s", ns / expr_number__unit(times[i]),
			       times[i]);
}

static void add_term(struct text_buf *b, const struct question_term *t)
{
	text_buf__addf(b, "(%s) == ", t->what);
	if (t->is_text)
		expr__add_quoted(b, t->value);
	else
		text_buf__add(b, t->value);
}

static void add_condition(struct text_buf *b, const struct question *q, const struct question_term *also)
{
	if (!also) {
		add_clause(b, " if ", q->condition);
		return;
	}
	text_buf__add(b, " if ");
	if (q->condition) {
		add_clause(b, "(", q->condition);
		text_buf__add(b, ") && ");
	}
	add_term(b, also);
}

/* also: one more condition; NULL: none. */
static char *make_text(const struct question *q, const struct question_term *also)
{
	struct text_buf b = {0};

	text_buf__add(&b, shape_names[q->shape]);
	add_events(&b, q);
	add_clause(&b, " on ", q->on);
	add_clause(&b, " = ", q->on_end);
	add_clause(&b, " size ", q->size);
	add_condition(&b, q, also);
	add_clause_list(&b, " by ", q->by, q->nby);
	add_clause(&b, q->value_kind == ASK_SUM ? " sum " : " hist ", q->value);
	if (*q->unit) {
		text_buf__add(&b, " ");
		text_buf__add(&b, q->unit);
	}
	add_clause_list(&b, " show ", q->show, q->nshow);
	add_every(&b, q->every_ns);
	add_clause(&b, " sample stack if ", q->sample);
	add_between(&b, q);
	return b.s;
}

static void print(struct question *q, struct arena *a)
{
	char *text = make_text(q, NULL);

	q->text = arena__strdup(a, text);
	free(text);
}

/* --- */

static int read_all(struct parser *p, const char *text)
{
	size_t len = strnlen(text, QUESTION_MAX_LEN + 1);

	if (len > QUESTION_MAX_LEN)
		return expr__fail(p->r.err, QUESTION_MAX_LEN, 1, "a question has at most %d bytes",
				  QUESTION_MAX_LEN);
	p->r.end = (u32)len;
	if (read_shape(p) || read_events(p))
		return -EINVAL;
	return read_clauses(p);
}

struct question *question__parse(const char *text, struct expr_error *err)
{
	struct question_store *store = xcalloc(1, sizeof(*store));
	struct parser p = {.q = &store->q, .r = {.text = text, .arena = &store->arena, .err = err}};

	arena__init(&store->arena);
	p.q->unit = "";
	p.q->events = arena__array(&store->arena, struct question_event, QUESTION_MAX_EVENTS);
	if (read_all(&p, text)) {
		question__free(p.q);
		return NULL;
	}
	print(p.q, &store->arena);
	if (strlen(p.q->text) <= QUESTION_MAX_LEN)
		return p.q;
	expr__fail(err, 0, 1, "too long when it is written out: at most %d bytes",
		   QUESTION_MAX_LEN);
	question__free(p.q);
	return NULL;
}

char *question__narrowed(const char *text, const struct question_term *t)
{
	struct expr_error err;
	struct question *q = question__parse(text, &err), *checked;
	char *wide = q ? make_text(q, t) : NULL, *narrow = NULL;

	checked = wide ? question__parse(wide, &err) : NULL;
	if (checked)
		narrow = xstrdup(checked->text);
	free(wide);
	question__free(checked);
	question__free(q);
	return narrow;
}

void question__free(struct question *q)
{
	struct question_store *store = q ? container_of(q, struct question_store, q) : NULL;

	if (!store)
		return;
	arena__fini(&store->arena);
	free(store);
}
