// SPDX-License-Identifier: GPL-2.0-only
/* What frames are called: locs to idents, with inlined functions where they are known. */
#include <stdio.h>

#include "models/frames.h"
#include "models/profile_select.h"

#define MEMO_RUN   (1u << 31)
#define MAX_INLINE 32
/* No table of locs or funcs is that large; a higher id comes from a broken recording. */
#define MAX_ID (1u << 26)

void selection__match(struct selection *s, struct ident *id)
{
	const struct scope *sc = s->scope;

	for (u32 i = 0; sc && i < sc->nsyms && i < 64; i++)
		if (!id->pending && name_term__match(&sc->syms[i], id->name) != sc->syms[i].negate)
			id->terms |= 1ULL << i;
	for (u32 i = 0; sc && i < sc->nobjects && sc->nsyms + i < 64; i++)
		if (name_term__match(&sc->objects[i], id->object_name) != sc->objects[i].negate)
			id->terms |= 1ULL << (sc->nsyms + i);
	for (u32 i = 0, at = sc ? sc->nsyms + sc->nobjects : 0; sc && i < sc->nlangs && at < 64; i++, at++)
		if (code__is_language(sc->langs[i].text, id->object_kind, id->flags))
			id->terms |= 1ULL << at;
	id->hide_symbol = id->terms & s->negated;
	id->hide_object = sc && sc->nsyms < 64 && (id->terms & s->negated) >> sc->nsyms;
}

static u32 add_ident(struct selection *s, struct ident id)
{
	u32 at;

	HIDX_FIND(at, &s->ident_index, id.key, pos, s->idents[pos].key == id.key);
	if (at != HIDX_NONE)
		return at;
	selection__match(s, &id);
	s->idents = xgrow(s->idents, s->nidents, &s->idents_cap, sizeof(*s->idents));
	s->idents[s->nidents] = id;
	hidx__add(&s->ident_index, id.key, s->nidents);
	return s->nidents++;
}

static u32 *memo__at(struct memo *m, u32 at)
{
	if (at >= m->n) {
		u32 n = MAX(MAX(at + 1, m->n * 2), 4096u);

		m->refs = xrealloc(m->refs, n * sizeof(*m->refs));
		memset(m->refs + m->n, 0, (n - m->n) * sizeof(*m->refs));
		m->n = n;
	}
	return &m->refs[at];
}

u64 selection__object_key(const struct selection *s, u32 object)
{
	const char *name;

	if (!symbols__is_mixed(s->symbols))
		return object;
	name = symbols__object(s->symbols, object)->name;
	return hash_bytes(name, strlen(name));
}

static u64 func_key(const struct selection *s, const struct sym_func *f)
{
	if (!symbols__is_mixed(s->symbols))
		return mix64_pair(1, f->id);
	return mix64_pair(selection__object_key(s, f->object),
			  hash_bytes(f->name, strlen(f->name)));
}

static u32 add_func(struct selection *s, u32 func)
{
	const struct sym_func *f = symbols__func(s->symbols, func);
	const struct sym_object *o = symbols__object(s->symbols, f->object);

	return add_ident(s, (struct ident){.key = func_key(s, f),
					   .func = f->id,
					   .object = f->object,
					   .name = f->name,
					   .object_name = o->name,
					   .kind = f->kind,
					   .object_kind = o->kind,
					   .flags = f->flags});
}

static u32 ident_of_func(struct selection *s, u32 func)
{
	u32 *known = memo__at(&s->memo_func, func < MAX_ID ? func : 0);

	if (!*known)
		*known = add_func(s, func);
	return *known;
}

static char *pending_name(struct arena *a, const char *object)
{
	char buf[256];

	snprintf(buf, sizeof(buf), "[resolving] %s", object);
	return arena__strdup(a, buf);
}

/* A loc without a function: not resolved yet, or nothing is known about its address. */
static u32 ident_of_object(struct selection *s, u32 loc)
{
	u32 object = symbols__object_of(s->symbols, loc);
	const struct sym_object *o = symbols__object(s->symbols, object);
	struct ident id = {.object = object, .object_name = o->name, .object_kind = o->kind};
	u32 at;

	id.pending = loc != SYM_UNKNOWN;
	id.key = mix64_pair(id.pending ? 2 : 3, selection__object_key(s, object));
	HIDX_FIND(at, &s->ident_index, id.key, pos, s->idents[pos].key == id.key);
	if (at != HIDX_NONE)
		return at;
	id.name = id.pending ? pending_name(s->arena, o->name) : symbols__func(s->symbols, 0)->name;
	return add_ident(s, id);
}

static u32 look_up(struct selection *s, u32 loc)
{
	u32 func = symbols__func_of(s->symbols, loc);
	u32 id = func ? ident_of_func(s, func) : ident_of_object(s, loc);

	s->idents[id].alone = true;
	return id;
}

u32 selection__ident(struct selection *s, u32 loc)
{
	u32 at = loc < MAX_ID ? loc : SYM_UNKNOWN;
	u32 *known = memo__at(&s->memo[0], at);

	if (!*known)
		*known = FRAME_REF(look_up(s, at), 0);
	return frame__ident(*known);
}

static void push_run(struct selection *s, u32 v)
{
	s->runs = xgrow(s->runs, s->nruns, &s->runs_cap, sizeof(*s->runs));
	s->runs[s->nruns++] = v;
}

/* Innermost first, the function that contains them last. */
static u32 look_up_inlined(struct selection *s, u32 loc)
{
	u32 funcs[MAX_INLINE], run = s->nruns;
	u32 self = selection__ident(s, loc);
	int n = symbols__inlined(s->symbols, loc, funcs, MAX_INLINE);

	if (n <= 0 || s->idents[self].pending)
		return FRAME_REF(self, 0);
	n = MIN(n, MAX_INLINE);
	push_run(s, n + 1);
	for (int i = 0; i < n; i++)
		push_run(s, FRAME_REF(ident_of_func(s, funcs[i]), 1));
	push_run(s, FRAME_REF(self, 0));
	return MEMO_RUN | run;
}

static u32 memo_ref(struct selection *s, u32 loc, bool inlined)
{
	u32 at = loc < MAX_ID ? loc : SYM_UNKNOWN;
	u32 *known = memo__at(&s->memo[inlined], at);

	if (!*known)
		*known = inlined ? look_up_inlined(s, at) : FRAME_REF(selection__ident(s, at), 0);
	return *known;
}

static void frames__reserve(struct selection *s, u32 n)
{
	if (n <= s->frames_cap)
		return;
	s->frames_cap = MAX(n, 512u);
	s->frames = xrealloc(s->frames, s->frames_cap * sizeof(*s->frames));
}

static u32 copy_run(frame_ref *to, const u32 *run)
{
	memcpy(to, run + 1, run[0] * sizeof(*to));
	return run[0];
}

u32 selection__expand(struct selection *s, const struct filtered_stack *h, bool inlined)
{
	u32 n = 0;

	frames__reserve(s, h->nlocs * (inlined ? MAX_INLINE + 1 : 1) + 2);
	if (!h->nlocs)
		s->frames[n++] = FRAME_REF(IDENT_NO_STACK, 0);
	for (u32 i = 0; i < h->nlocs; i++) {
		const struct memo *m = &s->memo[inlined];
		u32 loc = h->stack->locs[i];
		u32 ref = loc < m->n ? m->refs[loc] : 0;

		if (!ref)
			ref = memo_ref(s, loc, inlined);
		if (ref & MEMO_RUN)
			n += copy_run(s->frames + n, s->runs + (ref & ~MEMO_RUN));
		else
			s->frames[n++] = ref;
	}
	return n;
}

u32 selection__leaf(struct selection *s, const struct filtered_stack *h, bool inlined)
{
	u32 ref;

	if (!h->nlocs)
		return IDENT_NO_STACK;
	ref = memo_ref(s, h->stack->locs[0], inlined);
	return frame__ident(ref & MEMO_RUN ? s->runs[(ref & ~MEMO_RUN) + 1] : ref);
}
