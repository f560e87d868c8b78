// SPDX-License-Identifier: GPL-2.0-only
/*
 * The filter language: splits an expression into terms and adds each to the scope. To add a
 * term: a row in `specs`, with the function that reads its value into the normal form.
 */
#include "scope/filter.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/caret.h"
#include "scope/filter_impl.h"

#define TERM_NAMES "pid tid comm cgroup cpu state min max task sym obj lang tree " \
		   "prio policy nr_running irqs_disabled need_resched mode"

struct term_spec {
	const char *name;
	char op;
	const char *example; /* what a right value looks like */
	int (*add)(struct scope *s, const struct term *t, const struct term_spec *spec,
		   struct filter_error *err);
	u32 kind; /* add_ids: enum scope_kind; add_level: enum scope_level */
};

static int add_ids(struct scope *s, const struct term *t, const struct term_spec *spec,
		   struct filter_error *err)
{
	struct id_set ids = {0};
	int ret;

	if (spec->kind == SCOPE_PID && s->follow_children && !t->negate)
		return filter__fail(err, t->at, t->len,
				    "tree= says which processes already: take one of them out");
	ret = value__ids(t, (enum scope_kind)spec->kind, &ids, err);
	if (!ret && t->negate)
		id_set__unite(&s->exclude[spec->kind], &ids);
	else if (!ret)
		id_set__intersect(&s->include[spec->kind], &ids);
	id_set__fini(&ids);
	return ret;
}

/* A process and what it forks: an include of its pid that the source keeps up with. */
static int add_tree(struct scope *s, const struct term *t, const struct term_spec *spec,
		    struct filter_error *err)
{
	if (t->negate)
		return filter__fail(err, t->at, t->len, "tree= cannot be negated, !pid= can");
	if (s->include[SCOPE_PID].active)
		return filter__fail(err, t->at, t->len,
				    "tree= goes with no other pid= or tree=: take one of them out");
	if (add_ids(s, t, spec, err))
		return -EINVAL;
	s->follow_children = true;
	return 0;
}

static int add_regex(struct name_term **terms, u32 *n, const struct term *t,
		     struct filter_error *err)
{
	struct regex *re;

	if (*n == FILTER_MAX_NAMES)
		return filter__fail(err, t->at, t->len, "at most %d terms of one kind",
				    FILTER_MAX_NAMES);
	re = value__regex(t, err);
	if (!re)
		return -EINVAL;
	scope__add_name(terms, n, t->value, t->negate)->re = re;
	return 0;
}

static int add_comm(struct scope *s, const struct term *t, const struct term_spec *spec,
		    struct filter_error *err)
{
	return add_regex(&s->comms, &s->ncomms, t, err);
}

static int add_sym(struct scope *s, const struct term *t, const struct term_spec *spec,
		   struct filter_error *err)
{
	return add_regex(&s->syms, &s->nsyms, t, err);
}

static int add_obj(struct scope *s, const struct term *t, const struct term_spec *spec,
		   struct filter_error *err)
{
	return add_regex(&s->objects, &s->nobjects, t, err);
}

static int add_lang(struct scope *s, const struct term *t, const struct term_spec *spec,
		    struct filter_error *err)
{
	static const char *const names[] = {"java", "python", "javascript", "php", "ruby", "perl", "go",
					    "native", "jit", "kernel"};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(t->value, names[i]))
			continue;
		if (s->nlangs == FILTER_MAX_NAMES)
			return filter__fail(err, t->at, t->len, "at most %d terms of one kind",
					    FILTER_MAX_NAMES);
		scope__add_name(&s->langs, &s->nlangs, t->value, t->negate);
		return 0;
	}
	return filter__fail(err, t->at, t->len, "languages are java, python, javascript, php, ruby, perl, go, native, jit, kernel");
}

static int add_cgroup(struct scope *s, const struct term *t, const struct term_spec *spec,
		      struct filter_error *err)
{
	if (s->ncgroups == FILTER_MAX_NAMES)
		return filter__fail(err, t->at, t->len, "at most %d terms of one kind",
				    FILTER_MAX_NAMES);
	scope__add_name(&s->cgroups, &s->ncgroups, t->value, t->negate);
	if (!t->negate)
		s->include[SCOPE_CGROUP].active = true; /* nothing passes until resolved */
	return 0;
}

static int add_state(struct scope *s, const struct term *t, const struct term_spec *spec,
		     struct filter_error *err)
{
	u32 states = 0, both;

	if (value__states(t, &states, err))
		return -EINVAL;
	if (t->negate) {
		s->not_states |= states;
		return 0;
	}
	both = s->states ? s->states & states : states;
	if (both)
		s->states = both;
	else /* contradictory terms: 0 would mean all, so what is left is excluded */
		s->not_states |= s->states;
	return 0;
}

static int set_times(struct scope *s, const struct term *t, u64 min_ns, u64 max_ns,
		     struct filter_error *err)
{
	s->min_ns = MAX(s->min_ns, min_ns);
	if (max_ns)
		s->max_ns = s->max_ns ? MIN(s->max_ns, max_ns) : max_ns;
	if (s->max_ns && s->min_ns > s->max_ns)
		return filter__fail(err, t->at, t->len, "no time is at least min and at most max");
	return 0;
}

static int add_min(struct scope *s, const struct term *t, const struct term_spec *spec,
		   struct filter_error *err)
{
	u64 ns = 0;

	if (value__time(t, &ns, err))
		return -EINVAL;
	if (t->negate && ns < 2)
		return filter__fail(err, t->at, t->len, "no time is shorter than that");
	return t->negate ? set_times(s, t, 0, ns - 1, err) : set_times(s, t, ns, 0, err);
}

static int add_max(struct scope *s, const struct term *t, const struct term_spec *spec,
		   struct filter_error *err)
{
	u64 ns = 0;

	if (value__time(t, &ns, err))
		return -EINVAL;
	if (!t->negate && !ns)
		return filter__fail(err, t->at, t->len, "no time is that short: max=1us");
	return t->negate ? set_times(s, t, ns + 1, 0, err) : set_times(s, t, 0, ns, err);
}

/* Which sort passes; what is kept is which does not, so that two terms add up. */
static int add_task(struct scope *s, const struct term *t, const struct term_spec *spec,
		    struct filter_error *err)
{
	const bool kernel = !strcmp(t->value, "kernel");

	if (!kernel && strcmp(t->value, "user"))
		return filter__fail(err, t->at, t->len,
				    "threads are those of programs or the kernel's: task=user or "
				    "task=kernel");
	s->not_tasks |= kernel == t->negate ? SCOPE_TASK_KERNEL : SCOPE_TASK_USER;
	return 0;
}

/* What does not pass is kept, so that terms add up. */
static int add_level(struct scope *s, const struct term *t, const struct term_spec *spec,
		     struct filter_error *err)
{
	enum scope_level level = (enum scope_level)spec->kind;
	u64 bits[SCOPE_LEVEL_WORDS] = {0};

	if (value__levels(t, level, bits, err))
		return -EINVAL;
	for (u32 v = 0; v < scope_level__n(level); v++)
		if ((bits[v / 64] >> v % 64 & 1) == t->negate)
			s->left_out[level][v / 64] |= 1ULL << v % 64;
	return 0;
}

/* --- labels --- */

static const char *const *labels;
static u32 nlabels;

void filter__know_labels(const char *const *names, u32 n)
{
	labels = names;
	nlabels = n;
}

static const char *find_label(const char *name, size_t len)
{
	for (u32 i = 0; i < nlabels; i++)
		if (strlen(labels[i]) == len && !memcmp(labels[i], name, len))
			return labels[i];
	return NULL;
}

static int add_label(struct scope *s, const struct term *t, const struct term_spec *spec,
		     struct filter_error *err)
{
	struct regex *re = NULL;
	struct name_term *new;

	if (s->nlabels == FILTER_MAX_NAMES)
		return filter__fail(err, t->at, t->len, "at most %d terms by labels",
				    FILTER_MAX_NAMES);
	if (t->op == '~') {
		re = value__regex(t, err);
		if (!re)
			return -EINVAL;
	}
	new = scope__add_name(&s->labels, &s->nlabels, t->value, t->negate);
	new->label = find_label(t->name, t->name_len);
	new->re = re;
	return 0;
}

static const struct term_spec label_spec = {"label", 0, "LABEL=NAME,NAME or LABEL~REGEX", add_label, 0};

static const struct term_spec specs[] = {
	{"pid", '=', "pid=1,2 or pid=5-9", add_ids, SCOPE_PID},
	{"tid", '=', "tid=1,2 or tid=5-9", add_ids, SCOPE_TID},
	{"cpu", '=', "cpu=0-3,5", add_ids, SCOPE_CPU},
	{"tree", '=', "tree=4711", add_tree, SCOPE_PID},
	{"cgroup", '=', "cgroup=GLOB", add_cgroup, SCOPE_CGROUP},
	{"comm", '~', "comm~REGEX", add_comm, 0},
	{"sym", '~', "sym~REGEX", add_sym, 0},
	{"obj", '~', "obj~REGEX", add_obj, 0},
	{"lang", '=', "lang=java", add_lang, 0},
	{"state", '=', "state=D", add_state, 0},
	{"min", '=', "min=10ms", add_min, 0},
	{"max", '=', "max=1s", add_max, 0},
	{"task", '=', "task=user", add_task, 0},
	{"prio", '=', "prio=0-99 or prio=120", add_level, SCOPE_PRIO},
	{"policy", '=', "policy=fifo,rr", add_level, SCOPE_POLICY},
	{"nr_running", '=', "nr_running=3-", add_level, SCOPE_NR_RUNNING},
	{"irqs_disabled", '=', "irqs_disabled=1", add_level, SCOPE_IRQS_DISABLED},
	{"need_resched", '=', "need_resched=1", add_level, SCOPE_NEED_RESCHED},
	{"mode", '=', "mode=kernel or mode=guest", add_level, SCOPE_MODE},
};

/* Names other tools have for the same thing. */
static const char *const aliases[][2] = {
	{"process", "pid"}, {"thread", "tid"},	 {"command", "comm"},
	{"name", "comm"},   {"function", "sym"}, {"func", "sym"},
	{"dso", "obj"},	    {"module", "obj"},	 {"group", "cgroup"},
};

#define NAME_MAX_LEN 16

/* Edits that turn one name into the other. */
static u32 distance(const char *a, u32 na, const char *b)
{
	u32 row[NAME_MAX_LEN + 1], nb = (u32)strlen(b), diagonal, up;

	for (u32 j = 0; j <= nb; j++)
		row[j] = j;
	for (u32 i = 1; i <= na; i++) {
		diagonal = row[0];
		row[0] = i;
		for (u32 j = 1; j <= nb; j++) {
			up = row[j];
			row[j] = MIN(MIN(up, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = up;
		}
	}
	return row[nb];
}

static const char *nearest(const char *name, u32 len)
{
	const char *best = NULL;
	u32 least = 3, d;

	for (u32 i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strlen(aliases[i][0]) == len && !strncmp(name, aliases[i][0], len))
			return aliases[i][1];
	for (u32 i = 0; i < ARRAY_SIZE(specs); i++) {
		size_t n = strlen(specs[i].name);

		if (len > n && !strncmp(name, specs[i].name, n))
			return specs[i].name; /* "symbol", "object", "command" */
		d = distance(name, len, specs[i].name);
		if (d < least && d < len) {
			least = d;
			best = specs[i].name;
		}
	}
	for (u32 i = 0; i < nlabels; i++) {
		d = strlen(labels[i]) <= NAME_MAX_LEN ? distance(name, len, labels[i]) : least;
		if (d < least && d < len) {
			least = d;
			best = labels[i];
		}
	}
	return best;
}

static int fail_unknown(const struct term *t, u32 column, struct filter_error *err)
{
	const char *near = t->name_len <= NAME_MAX_LEN ? nearest(t->name, t->name_len) : NULL;

	if (near)
		return filter__fail(err, column, t->name_len, "unknown term, did you mean %s?",
				    near);
	return filter__fail(err, column, t->name_len, "unknown term, there are: " TERM_NAMES);
}

static const struct term_spec *find_spec(const struct term *t)
{
	for (u32 i = 0; i < ARRAY_SIZE(specs); i++)
		if (strlen(specs[i].name) == t->name_len &&
		    !strncmp(specs[i].name, t->name, t->name_len))
			return &specs[i];
	return find_label(t->name, t->name_len) ? &label_spec : NULL;
}

bool filter__is_label(const char *name, size_t len)
{
	const struct term t = {.name = name, .name_len = (u32)len};

	return find_spec(&t) == &label_spec;
}

/* Terms by labels take both. */
static bool takes(const struct term_spec *spec, char op)
{
	return spec->op ? op == spec->op : op == '=' || op == '~';
}

int filter__add(struct scope *s, const struct term *t, struct filter_error *err)
{
	const struct term_spec *spec = find_spec(t);

	for (const char *p = t->value; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return filter__fail(err, t->at, t->len,
					    "control characters cannot be matched");
	if (!*t->value)
		return filter__fail(err, t->at, t->len, "a value is missing: %s", spec->example);
	return spec->add(s, t, spec, err);
}

struct parser {
	const char *expr;
	u32 pos;
	char *value; /* room for the longest */
	struct filter_error *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Takes the value at pos, quotes resolved, into p->value. */
static int read_value(struct parser *p, struct term *t)
{
	u32 n = 0;

	t->at = p->pos;
	t->plain = true;
	while (p->expr[p->pos] && !is_blank(p->expr[p->pos])) {
		const char c = p->expr[p->pos];
		const u32 quote = p->pos++;

		if (c != '"' && c != '\'') {
			p->value[n++] = c;
			continue;
		}
		t->plain = false;
		while (p->expr[p->pos] && p->expr[p->pos] != c)
			p->value[n++] = p->expr[p->pos++];
		if (!p->expr[p->pos])
			return filter__fail(p->err, quote, p->pos - quote,
					    "the quote is not closed: end it with %c", c);
		p->pos++;
	}
	p->value[n] = '\0';
	t->value = p->value;
	t->len = p->pos - t->at;
	return 0;
}

/* Takes `name op`, negated by a ! before the name or in the operator. */
static int read_head(struct parser *p, struct term *t)
{
	u32 start = p->pos, name, op;

	if (p->expr[p->pos] == '!') {
		t->negate = true;
		p->pos++;
	}
	name = p->pos;
	t->name = p->expr + name;
	t->name_len = (u32)strcspn(t->name, "=~! \t\n\"'");
	op = p->pos += t->name_len;
	if (!t->name_len)
		return filter__fail(p->err, start, MAX(op - start, 1u),
				    "a term is expected here: " TERM_NAMES);
	if (p->expr[p->pos] == '!') {
		if (t->negate)
			return filter__fail(p->err, start, op + 1 - start,
					    "negated twice: take one ! away");
		t->negate = true;
		p->pos++;
	}
	t->op = p->expr[p->pos];
	if (!find_spec(t))
		return fail_unknown(t, name, p->err);
	if (!takes(find_spec(t), t->op))
		return filter__fail(
			p->err, op, MAX(p->pos - op + (t->op == '=' || t->op == '~'), 1u),
			"%c is expected here: %s", find_spec(t)->op ? find_spec(t)->op : '=',
			find_spec(t)->example);
	p->pos++;
	return 0;
}

static int read_term(struct parser *p, struct scope *s, id_check_fn check)
{
	struct term t = {.check = check};

	if (read_head(p, &t) || read_value(p, &t))
		return -EINVAL;
	return filter__add(s, &t, p->err);
}

int filter__read(struct scope *s, const char *expr, id_check_fn check, struct filter_error *err)
{
	struct parser p = {.expr = expr, .err = err};
	int ret = 0;

	p.value = xmalloc(strlen(expr) + 1);
	while (!ret) {
		while (is_blank(expr[p.pos]))
			p.pos++;
		if (!expr[p.pos])
			break;
		ret = read_term(&p, s, check);
	}
	free(p.value);
	return ret;
}

static struct scope *read_all(const char *expr, struct filter_error *err)
{
	struct scope *s = scope__new();

	if (filter__read(s, expr, NULL, err)) {
		scope__put(s);
		return NULL;
	}
	scope__finish(s);
	return s;
}

struct scope *filter__parse(const char *expr, struct filter_error *err)
{
	size_t len = strlen(expr);

	if (len <= FILTER_MAX_LEN)
		return read_all(expr, err);
	filter__fail(err, FILTER_MAX_LEN, (u32)MIN(len, (size_t)UINT32_MAX) - FILTER_MAX_LEN,
		     "an expression has at most %d bytes", FILTER_MAX_LEN);
	return NULL;
}

struct scope *filter__parse_text(const char *text)
{
	struct filter_error err;

	return read_all(text, &err);
}

void filter__caret(const struct filter_error *err, const char *expr, char *buf, size_t size)
{
	caret__draw(err->column, err->length, expr, buf, size);
}

/* The blank or NUL after the term that begins here. */
static const char *term_end(const char *s)
{
	for (char quote = '\0'; *s && (quote || !is_blank(*s)); s++) {
		if (quote)
			quote = *s == quote ? '\0' : quote;
		else if (*s == '"' || *s == '\'')
			quote = *s;
	}
	return s;
}

static bool is_named(const char *term, const char *names)
{
	size_t len, n;

	term += *term == '!';
	len = strcspn(term, "=~!");
	for (; *names; names += n + (names[n] == ' ')) {
		n = strcspn(names, " ");
		if (n == len && !memcmp(names, term, n))
			return true;
	}
	return false;
}

char *filter__without(const char *expr, const char *names)
{
	char *out = xmalloc(strlen(expr) + 1), *p = out;

	for (const char *end; *expr; expr = end) {
		while (is_blank(*expr))
			expr++;
		end = term_end(expr);
		if (end == expr || is_named(expr, names))
			continue;
		if (p > out)
			*p++ = ' ';
		memcpy(p, expr, (size_t)(end - expr));
		p += end - expr;
	}
	*p = '\0';
	return out;
}

/* Globs and quotes are escaped; what cannot be written at all is any character. */
char *filter__cgroup(const char *path, bool below)
{
	char *out = xmalloc(strlen(path) * 5 + sizeof("cgroup=\"/.\"")), *p = out;
	const char *alone = strcmp(path, "/") ? "/." : ".";

	p = stpcpy(p, "cgroup=\"");
	for (; *path; path++) {
		if ((u8)*path < ' ' || *path == 0x7f) {
			*p++ = '?';
		} else if (*path == '"') {
			p = stpcpy(p, "\"'\"'\"");
		} else {
			if (strchr("*?[\\", *path))
				*p++ = '\\';
			*p++ = *path;
		}
	}
	p = stpcpy(p, below ? "" : alone);
	stpcpy(p, "\"");
	return out;
}

char *filter__join(const char *a, const char *b)
{
	bool both = a && *a && b && *b;

	return xasprintf("%s%s%s", a ? a : "", both ? " " : "", b ? b : "");
}
