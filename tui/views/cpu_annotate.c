// SPDX-License-Identifier: GPL-2.0-only
/* Annotated function: instructions with their share, source lines and inlined functions. */
#include "tui/views/cpu_annotate.h"

#include <stdio.h>

#include "base/arena.h"
#include "tui/views/window.h"

static void code_result__free(struct query_result *base)
{
	struct code_result *a = (struct code_result *)base;

	profile_rows__free(a->rows);
	free(a->offsets);
	free(a);
}

static struct query_result *annotate__run(const struct frame *f, const void *query,
					  const struct scope *scope)
{
	const struct profile_snap *snap = (const void *)f->snaps[MODEL_PROFILE];
	const struct profile_query *q = query;
	struct code_result *a = xcalloc(1, sizeof(*a));

	a->rows = profile__query(snap, q, scope);
	a->noffsets = profile__offsets(snap, q, scope, q->focus, &a->offsets);
	a->base.unresolved = a->rows->base.unresolved;
	a->base.free = code_result__free;
	return &a->base;
}

static const struct query_client_ops annotate_ask = {
	.size = sizeof(struct profile_query), .model = MODEL_PROFILE, .run = annotate__run};

static void annotate__free(struct screen *base)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	query_client__fini(&s->query_client);
	if (s->result)
		query_result__free(&s->result->base);
	code_lines__fini(&s->lines);
	free(s->pct);
	free(s->order);
	free(s);
}

/* --- what the lines are --- */

static bool new_source_line(const struct annotated_insn *insns, u32 i)
{
	if (!insns[i].file || !insns[i].line)
		return false;
	return i == 0 || insns[i - 1].line != insns[i].line || !insns[i - 1].file ||
	       strcmp(insns[i - 1].file, insns[i].file) || !insns[i - 1].inlined != !insns[i].inlined;
}

static void build_lines(struct annotate_screen *s)
{
	bool with_source = s->with_source && !annotate__is_script(s);

	code_lines__build(&s->lines, NULL, with_source ? new_source_line : NULL);
}

/* Adds each sampled offset to the instruction that contains it. */
static void spread_weights(struct annotate_screen *s)
{
	const struct annotation *code = s->lines.code;
	u32 i = 0;

	memset(s->pct, 0, sizeof(*s->pct) * code->ninsns);
	for (u32 k = 0; k < s->result->noffsets; k++) {
		const struct offset_weight *w = &s->result->offsets[k];

		while (i < code->ninsns && code->insns[i].offset + code->insns[i].size <= w->offset)
			i++;
		if (i < code->ninsns && w->offset >= code->insns[i].offset)
			s->pct[i] += w->pct;
	}
}

static void rank_lines(struct annotate_screen *s)
{
	s->norder = 0;
	for (u32 i = 0; i < s->lines.code->ninsns; i++) {
		u32 k = s->norder;

		if (s->pct[i] <= 0)
			continue;
		/* Insertion: few instructions carry samples. */
		for (s->norder++; k && s->pct[s->order[k - 1]] < s->pct[i]; k--)
			s->order[k] = s->order[k - 1];
		s->order[k] = i;
	}
}

static void weigh(struct annotate_screen *s)
{
	if (!s->lines.code || !s->result || !s->lines.code->ninsns)
		return;
	spread_weights(s);
	rank_lines(s);
	if (!s->placed && s->norder) {
		code_lines__select(&s->lines, s->order[0]);
		s->placed = true;
	}
}

static void annotate__ready(void *owner, struct query_result *result)
{
	struct annotate_screen *s = owner;

	if (s->result)
		query_result__free(&s->result->base);
	s->result = container_of(result, struct code_result, base);
	weigh(s);
	host__redraw(s->base.host);
}

static void annotate__update(struct screen *base)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	if (!s->lines.code) {
		s->lines.code = symbols__annotate(host__symbols(base->host), s->query.focus);
		if (s->lines.code) {
			s->pct = xcalloc(s->lines.code->ninsns + 1, sizeof(*s->pct));
			s->order = xcalloc(s->lines.code->ninsns + 1, sizeof(*s->order));
			build_lines(s);
			weigh(s);
		}
	}
	query_client__ask(&s->query_client, &s->query);
}

/* --- actions --- */

/* From the present instruction's rank to the next hotter or colder one; from an instruction
 * without samples to the hottest. */
static bool jump_hot(struct annotate_screen *s, int dir)
{
	u32 insn, rank;

	if (!s->norder) {
		host__message(s->base.host, ROLE_WARN, "no samples fell into this function here");
		return true;
	}
	insn = (u32)(code_lines__selected(&s->lines) - s->lines.code->insns);
	for (rank = 0; rank < s->norder && s->order[rank] != insn; rank++)
		;
	rank = rank == s->norder ? 0 : (rank + s->norder + (u32)dir) % s->norder;
	code_lines__select(&s->lines, s->order[rank]);
	host__message(s->base.host, ROLE_DIM, "hot line %u of %u", rank + 1, s->norder);
	return true;
}

/* Follows a jump within the function, or a call to another one is left to the callees. */
static bool follow(struct annotate_screen *s)
{
	const struct annotated_insn *in = code_lines__selected(&s->lines);
	u64 target = in ? in->target : 0;

	if (!in)
		return true;
	for (u32 i = 0; target && i < s->lines.code->ninsns; i++) {
		if (s->lines.code->insns[i].offset != target)
			continue;
		code_lines__select(&s->lines, i);
		return true;
	}
	host__message(s->base.host, ROLE_DIM, "no jump within this function here");
	return true;
}

static bool annotate__action(struct screen *base, enum action a)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	switch (a) {
	case ACTION_HOTTEST_NEXT: return jump_hot(s, 1);
	case ACTION_HOTTEST_PREVIOUS: return jump_hot(s, -1);
	case ACTION_DRILL: return follow(s);
	case ACTION_WINDOW: return window__next(s->base.host, &s->query.window);
	case ACTION_SOURCE:
		s->with_source = !s->with_source;
		if (s->lines.code)
			build_lines(s);
		return true;
	default: return code_lines__action(&s->lines, a);
	}
}

static int annotate__choose(struct screen *base, enum choice what, const char *value,
			    struct status *st)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	return what == CHOICE_WINDOW ? window__set(&s->query.window, value, st) : -ENOTSUP;
}

static void annotate__mouse(struct screen *base, const struct input *in)
{
	code_lines__mouse(&((struct annotate_screen *)base)->lines, in);
}

static bool annotate__search(struct screen *base, const char *text, int dir)
{
	return code_lines__search(&((struct annotate_screen *)base)->lines, text, dir);
}

static void annotate__crumb(const struct screen *base, char *buf, size_t size)
{
	copy_str(buf, size, "code");
}

static void annotate__selection(const struct screen *base, char *buf, size_t size)
{
	const struct annotate_screen *s = (const struct annotate_screen *)base;
	const struct annotated_insn *in = code_lines__selected(&s->lines);

	*buf = '\0';
	if (!in)
		return;
	if (!in->file)
		snprintf(buf, size, "no line information here");
	else
		snprintf(buf, size, "%s:%u%s%s", in->file, in->line, in->inlined ? "  inlined " : "",
			 in->inlined ? in->inlined : "");
}

static bool annotate__settled(const struct screen *base)
{
	const struct annotate_screen *s = (const struct annotate_screen *)base;

	return s->lines.code && s->result && !query_client__busy(&s->query_client);
}

static u32 annotate__function(const struct screen *base)
{
	return ((const struct annotate_screen *)base)->query.focus;
}

static bool annotate__watched(const struct screen *base, char *buf, size_t size)
{
	const struct annotate_screen *s = (const struct annotate_screen *)base;
	const struct annotated_insn *in = code_lines__selected(&s->lines);
	const struct sym_func *f = symbols__func(host__symbols(base->host), s->query.focus);

	return in && in->offset >= f->start &&
	       host__code_place(base->host, f->id, in->offset - f->start, buf, size);
}

static const struct scope *annotate__scope(const struct screen *base)
{
	return ((const struct annotate_screen *)base)->query_client.extra_scope;
}

static const enum action annotate_hints[] = {ACTION_HOTTEST_NEXT, ACTION_DRILL, ACTION_SOURCE,
					     ACTION_BACK, ACTION_TIME, ACTION_NONE};

static const struct screen_ops annotate_ops = {
	.section = "annotate",
	.free = annotate__free,
	.update = annotate__update,
	.draw = annotate__draw,
	.action = annotate__action,
	.choose = annotate__choose,
	.mouse = annotate__mouse,
	.crumb = annotate__crumb,
	.scope = annotate__scope,
	.selection = annotate__selection,
	.search = annotate__search,
	.function = annotate__function,
	.watched = annotate__watched,
	.report = annotate__report,
	.settled = annotate__settled,
	.hints = annotate_hints,
};

struct screen *cpu_annotate__open(struct host *h, const struct profile_query *q, u32 func,
				  const struct scope *extra)
{
	struct annotate_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = &annotate_ops, .host = h};
	s->query = *q;
	s->query.focus = func;
	s->with_source = true;
	query_client__init(&s->query_client, h, &annotate_ask, s, annotate__ready);
	s->query_client.extra_scope = extra ? scope__get(extra) : NULL;
	return &s->base;
}
