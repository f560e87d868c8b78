// SPDX-License-Identifier: GPL-2.0-only
/* Stacks as sources hand them out, added up by stack and command; and what is asked for. */
#include "models/flame_impl.h"

#include <stdio.h>

#include "scope/filter.h"

/* --- what sources call --- */

static u32 name_of(struct flame_builder *m, const char *name, size_t len)
{
	struct flame_comm *c;
	u64 hash;
	u32 at;

	len = MIN(len, sizeof(c->name) - 1);
	hash = hash_bytes(name, len);
	HIDX_FIND(at, &m->comm_index, hash, pos,
		  !strncmp(m->comms[pos].name, name, len) && !m->comms[pos].name[len]);
	if (at != HIDX_NONE)
		return at;
	m->comms = xgrow(m->comms, m->ncomms, &m->comms_cap, sizeof(*m->comms));
	c = &m->comms[m->ncomms];
	copy_str(c->name, len + 1, name);
	c->passes = !m->scope || scope__comm(m->scope, c->name);
	hidx__add(&m->comm_index, hash, m->ncomms);
	return m->ncomms++;
}

static u32 comm_of(struct flame_builder *m, const char *name)
{
	return name_of(m, name, strnlen(name, COMM_LEN - 1));
}

static void add_name(struct flame_builder *m, const char *name, size_t len)
{
	m->path_names = xgrow(m->path_names, m->npath_names, &m->path_names_cap,
			      sizeof(*m->path_names));
	m->path_names[m->npath_names++] = name_of(m, name, len);
}

static u32 path_of(struct flame_builder *m, const char *path, const char *between)
{
	u64 hash = hash_bytes(path, strlen(path));
	struct flame_path *p;
	const char *end;
	u32 at;

	HIDX_FIND(at, &m->path_index, hash, pos, m->paths[pos].hash == hash);
	if (at != HIDX_NONE)
		return at;
	m->paths = xgrow(m->paths, m->npaths, &m->paths_cap, sizeof(*m->paths));
	p = &m->paths[m->npaths];
	*p = (struct flame_path){.hash = hash, .first = m->npath_names};
	for (; (end = strstr(path, between)); path = end + strlen(between))
		add_name(m, path, (size_t)(end - path));
	add_name(m, path, strlen(path));
	p->n = m->npath_names - p->first;
	hidx__add(&m->path_index, hash, m->npaths);
	return m->npaths++;
}

static struct flame_line *line_of(struct flame_builder *m, u32 filtered, u32 comm)
{
	u64 hash = mix64_pair(comm, filtered);
	u32 at;

	HIDX_FIND(at, &m->line_index, hash, pos,
		  m->lines[pos].filtered == filtered && m->lines[pos].comm == comm);
	if (at != HIDX_NONE)
		return &m->lines[at];
	m->lines = xgrow(m->lines, m->nlines, &m->lines_cap, sizeof(*m->lines));
	m->lines[m->nlines] = (struct flame_line){.filtered = filtered, .comm = comm};
	hidx__add(&m->line_index, hash, m->nlines);
	return &m->lines[m->nlines++];
}

void flame_builder__add(struct flame_builder *m, const struct flame_stack *stack)
{
	u32 comm = comm_of(m, stack->comm), filtered;
	struct flame_line *line;
	u64 weight = stack->weight;

	if (!weight || !m->comms[comm].passes)
		return;
	if (stack->path) {
		filtered = FLAME_PATH | path_of(m, stack->path, stack->between);
		comm = 0;
	} else {
		filtered = selection__stack(&m->names, stack->stack);
		if (!m->names.filtered[filtered].passes)
			return;
	}
	if (m->scale != 1)
		weight = (u64)((double)weight * m->scale + 0.5);
	line = line_of(m, filtered, comm);
	if (m->baseline) {
		line->baseline += weight;
		return;
	}
	line->weight += weight;
	line->cold += m->cold ? weight : 0;
}

void flame_builder__add_trimmed(struct flame_builder *m, const struct flame_stack *stack)
{
	struct flame_stack tracer_frames = *stack;

	tracer_frames.stack = tracer_frames__stack(&m->tracer_frames, stack->stack);
	flame_builder__add(m, &tracer_frames);
}

bool flame_builder__task(const struct flame_builder *m, u32 tgid, u32 tid, u32 cpu, u64 cgroup)
{
	return !m->scope || scope__task(&m->names.tasks, tgid, tid, cpu, cgroup, "");
}

void flame_builder__code(struct flame_builder *m, bool user, bool kernel)
{
	m->code.user = user;
	m->code.kernel = kernel;
}

struct arena *flame_builder__arena(struct flame_builder *m)
{
	return &m->scratch;
}

void flame_builder__keep(struct flame_builder *m, void *what, void (*fini)(void *what))
{
	if (m->nkept == ARRAY_SIZE(m->kept))
		die("a flame graph's source keeps too much");
	m->kept[m->nkept++] = (struct flame_kept){what, fini};
}

/* --- life --- */

static void builder__init(struct flame_builder *m, struct arena *arena,
			  const struct symbols *symbols, const struct flame_query *q,
			  const struct scope *scope)
{
	*m = (struct flame_builder){.arena = arena, .scope = scope};
	/* Rows are not about functions: trees have whole stacks. */
	m->code = (struct profile_query){.groups = GROUP_BIT(GROUP_TID),
					 .user = true,
					 .kernel = true,
					 .inlined = q->inlined};
	arena__init(&m->scratch);
	selection__init_stacks(&m->names, arena, symbols, &m->code, scope);
	m->tracer_frames = (struct tracer_frames){.arena = &m->scratch, .symbols = symbols};
}

static void builder__fini(struct flame_builder *m)
{
	for (u32 i = 0; i < m->nkept; i++)
		if (m->kept[i].fini)
			m->kept[i].fini(m->kept[i].what);
	selection__fini(&m->names);
	tracer_frames__fini(&m->tracer_frames);
	arena__fini(&m->scratch);
	free(m->lines);
	hidx__fini(&m->line_index);
	free(m->comms);
	hidx__fini(&m->comm_index);
	free(m->paths);
	hidx__fini(&m->path_index);
	free(m->path_names);
}

/* --- queries --- */

void flame_query__init(struct flame_query *q, const struct flame_source *source, const void *query)
{
	memset(q, 0, sizeof(*q));
	q->nparts = 1;
	q->by_comm = true;
	q->inlined = source->inlined && source->inlined(query);
	q->parts[0].source = source;
	memcpy(q->parts[0].query, query, MIN(source->query_size, sizeof(q->parts[0].query)));
}

enum time_window flame_query__window(const struct flame_query *q)
{
	const struct flame_part *p = &q->parts[0];
	enum time_window w;

	memcpy(&w, (const char *)p->query + p->source->window_at, sizeof(w));
	return w;
}

void flame_query__set_window(struct flame_query *q, enum time_window w)
{
	for (u32 i = 0; i < q->nparts; i++)
		memcpy((char *)q->parts[i].query + q->parts[i].source->window_at, &w, sizeof(w));
}

static void sum_truncated(const struct flame_builder *m, struct flame_result *a)
{
	double truncated = 0, whole = 0;

	for (u32 i = 0; i < m->nlines; i++) {
		const struct filtered_stack *h;

		if (m->lines[i].filtered & FLAME_PATH)
			continue;
		h = &m->names.filtered[m->lines[i].filtered];
		if (h->user == USER_TRUNCATED)
			truncated += (double)m->lines[i].weight;
		else if (h->user == USER_WHOLE)
			whole += (double)m->lines[i].weight;
	}
	a->truncated_pct = truncated > 0 ? truncated * 100 / (truncated + whole) : 0;
}

/* What the parts are taken from; weights in ns where there are several. */
struct input {
	const struct snap *snaps[FLAME_PARTS]; /* NULL: missing */
	double weight_ns[FLAME_PARTS];
};

static void take_parts(struct flame_builder *m, struct flame_result *a, const struct input *in)
{
	for (u32 i = 0; i < a->query.nparts; i++) {
		const struct flame_part *p = &a->query.parts[i];

		m->scale = a->query.nparts > 1 ? in->weight_ns[i] : 1;
		m->cold = p->source->cold;
		if (in->snaps[i] && m->scale > 0)
			p->source->stacks(in->snaps[i], p->query, m->scope, m);
		else
			a->missing = p->source->view;
		if (in->snaps[i] && p->source->error)
			a->error_pct = p->source->error(in->snaps[i], p->query, m->scope);
	}
}

/* The search as a scope's term: its regular expressions are checked for what they would cost. */
static struct scope *search_terms(const char *pattern, char *wrong, size_t size)
{
	char quote = strchr(pattern, '"') ? '\'' : '"', expr[FLAME_SEARCH + 16];
	struct filter_error err = {0};
	struct scope *s;

	snprintf(expr, sizeof(expr), "sym~%c%s%c", quote, pattern, quote);
	s = filter__parse(expr, &err);
	if (!s)
		copy_str(wrong, size, err.msg);
	return s;
}

u64 flame__matched(const struct flame_result *a, u32 node)
{
	u32 end = a->nodes[node].end;
	u64 sum = 0;

	for (u32 up = node; up != UINT32_MAX; up = a->nodes[up].parent)
		if (flame__frame(a, up)->match)
			return a->nodes[node].value;
	for (u32 i = node; i < end;) {
		bool match = flame__frame(a, i)->match;

		sum += match ? a->nodes[i].value : 0;
		i = match ? a->nodes[i].end : i + 1;
	}
	return sum;
}

static void search(struct flame_result *a)
{
	struct flame_frame *frames = (struct flame_frame *)a->frames;
	struct scope *terms;

	if (!a->query.search[0])
		return;
	terms = search_terms(a->query.search, a->wrong, sizeof(a->wrong));
	if (!terms)
		return;
	for (u32 i = 0; i < a->nframes; i++)
		frames[i].match = terms->nsyms && i != a->nodes[0].frame &&
				  name_term__match(&terms->syms[0], frames[i].name);
	for (u32 i = 0; i < a->nnodes; i++)
		a->nmatches += flame__frame(a, i)->match;
	a->matched = flame__matched(a, 0);
	scope__put(terms);
}

static struct flame_result *new_result(const struct snap *snap, const struct flame_query *q)
{
	struct flame_result *a = window_result__new(sizeof(*a), snap, flame_query__window(q));
	const struct flame_weight weight =
		flame_source__weight(q->parts[0].source, q->parts[0].query);

	a->query = *q;
	a->unit = q->nparts > 1 ? VALUE_NS : weight.unit;
	a->noun = weight.noun;
	return a;
}

static u64 count_stacks(const struct flame_builder *m)
{
	u64 n = 0;

	for (u32 i = 0; i < m->nlines; i++)
		n += m->lines[i].weight != 0;
	return n;
}

/* The outermost nodes of which nothing is left. */
static void sum_gone(struct flame_result *a)
{
	for (u32 i = 0; i < a->nnodes;) {
		const struct flame_node *n = &a->nodes[i];

		a->gone += n->value ? 0 : n->baseline;
		i = n->value ? i + 1 : n->end;
	}
}

static struct flame_result *build(const struct input *now, const struct input *baseline,
				  const struct flame_query *q, const struct scope *scope)
{
	const struct window_snap *snap = container_of(now->snaps[0], struct window_snap, base);
	struct flame_result *a = new_result(now->snaps[0], q);
	struct flame_builder m;

	builder__init(&m, &a->base.arena, snap->symbols, &a->query, scope);
	take_parts(&m, a, now);
	m.baseline = a->compared = baseline != NULL;
	a->query.by_baseline &= a->compared;
	if (baseline)
		take_parts(&m, a, baseline);
	sum_truncated(&m, a);
	flame__grow(&m, a);
	search(a);
	sum_gone(a);
	a->stacks = count_stacks(&m);
	a->base.unresolved = selection__pending(&m.names);
	builder__fini(&m);
	return a;
}

struct flame_result *flame__build(const struct snap *const *snaps, const double *weight_ns,
				  const struct flame_query *q, const struct scope *scope)
{
	struct input in = {0};

	for (u32 i = 0; i < q->nparts; i++) {
		in.snaps[i] = snaps[i];
		in.weight_ns[i] = weight_ns[i];
	}
	return build(&in, NULL, q, scope);
}

static struct input input_of(const struct frame *f, const struct flame_query *q)
{
	struct input in = {0};

	for (u32 i = 0; i < q->nparts; i++) {
		const struct flame_source *s = q->parts[i].source;

		in.snaps[i] = f->snaps[s->model];
		in.weight_ns[i] = s->weight_ns ? s->weight_ns(f) : 0;
	}
	return in;
}

struct flame_result *flame__compare(const struct frame *f, const struct frame *baseline,
				    const struct flame_query *q, const struct scope *scope)
{
	struct input now = input_of(f, q), before;

	if (baseline)
		before = input_of(baseline, q);
	return build(&now, baseline ? &before : NULL, q, scope);
}

struct flame_result *flame__query(const struct frame *f, const struct flame_query *q,
				  const struct scope *scope)
{
	return flame__compare(f, NULL, q, scope);
}

static double share(u64 part, u64 whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

double flame__change(const struct flame_result *a, u32 node)
{
	const struct flame_node *n = &a->nodes[node], *all = &a->nodes[0];

	return share(n->value, all->value) - share(n->baseline, all->baseline);
}
