/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols for tests of models: what a loc is, and when it becomes known, is what the test
 * says. Defines symbols__*; include it once, in a test that links no real ones.
 */
#ifndef TESTS_LIB_FAKE_SYMBOLS_H
#define TESTS_LIB_FAKE_SYMBOLS_H

#include <stdio.h>

#include "base/arena.h"
#include "symbols/symbols.h"

#ifndef FAKE_MAX
#define FAKE_MAX 4096
#endif
#define FAKE_INLINE 8

struct fake_loc {
	u32 object, func;
	u64 offset;
	int ninlined; /* -1 asked for, not there yet */
	u32 inlined[FAKE_INLINE];
	/* what symbols__locate_* was asked; ip 0: made otherwise */
	u32 tgid;
	u64 ip;
};

struct symbols {
	struct sym_object objects[FAKE_MAX];
	struct sym_func funcs[FAKE_MAX];
	struct fake_loc locs[FAKE_MAX];
	u32 nobjects, nfuncs, nlocs; /* 0 of each is the unknown one */
	u64 generation, located;
};

static inline u32 fake__object(struct symbols *s, const char *name, enum code_kind kind)
{
	u32 id = s->nobjects++;

	s->objects[id] = (struct sym_object){.id = id, .kind = kind, .name = name, .path = name};
	return id;
}

static inline u32 fake__func(struct symbols *s, u32 object, const char *name, u32 flags)
{
	u32 id = s->nfuncs++;

	s->funcs[id] = (struct sym_func){.id = id,
					 .object = object,
					 .kind = s->objects[object].kind,
					 .flags = flags,
					 .name = name,
					 .linkage = name};
	return id;
}

/* func 0: not resolved yet. */
static inline u32 fake__loc(struct symbols *s, u32 object, u32 func, u64 offset)
{
	u32 id = s->nlocs++;

	s->locs[id] = (struct fake_loc){.object = object, .func = func, .offset = offset};
	return id;
}

static inline void fake__resolve(struct symbols *s, u32 loc, u32 func)
{
	s->locs[loc].func = func;
	s->generation++;
}

static inline struct symbols *fake_symbols__new(void)
{
	struct symbols *s = xcalloc(1, sizeof(*s));

	fake__object(s, "[unknown]", CODE_UNKNOWN);
	fake__func(s, 0, "[unknown]", 0);
	fake__loc(s, 0, 0, 0);
	return s;
}

static inline void fake_symbols__free(struct symbols *s)
{
	free(s);
}

static inline u32 fake__locate(struct symbols *s, u32 tgid, u64 ip)
{
	s->located++;
	for (u32 i = 1; i < s->nlocs; i++)
		if (s->locs[i].ip == ip && s->locs[i].tgid == tgid)
			return i;
	s->locs[s->nlocs] = (struct fake_loc){.tgid = tgid, .ip = ip};
	return s->nlocs++;
}

u32 symbols__locate_user(struct symbols *s, u32 tgid, u64 t_ns, u64 ip)
{
	return fake__locate(s, tgid, ip);
}

u32 symbols__locate_kernel(struct symbols *s, u64 ip)
{
	return fake__locate(s, 0, ip);
}

u32 symbols__named(struct symbols *s, const char *object, const char *func, enum code_kind kind)
{
	u32 o, f;

	for (o = 1; o < s->nobjects && strcmp(s->objects[o].name, object);)
		o++;
	if (o == s->nobjects)
		fake__object(s, object, kind);
	for (f = 1; f < s->nfuncs; f++)
		if (s->funcs[f].object == o && !strcmp(s->funcs[f].name, func))
			break;
	if (f == s->nfuncs)
		fake__func(s, o, func, 0);
	for (u32 l = 1; l < s->nlocs; l++)
		if (s->locs[l].func == f)
			return l;
	return fake__loc(s, o, f, 0);
}

u32 symbols__func_of(const struct symbols *s, u32 loc)
{
	return s->locs[loc].func;
}

u32 symbols__object_of(const struct symbols *s, u32 loc)
{
	return s->locs[loc].object;
}

u64 symbols__offset_of(const struct symbols *s, u32 loc)
{
	return s->locs[loc].offset;
}

const struct sym_func *symbols__func(const struct symbols *s, u32 func)
{
	return &s->funcs[func];
}

const struct sym_object *symbols__object(const struct symbols *s, u32 object)
{
	return &s->objects[object];
}

const struct sym_object_info *symbols__object_info(const struct symbols *s, u32 object)
{
	return NULL;
}

int symbols__inlined(struct symbols *s, u32 loc, u32 *funcs, int max)
{
	const struct fake_loc *l = &s->locs[loc];

	for (int i = 0; i < l->ninlined && i < max; i++)
		funcs[i] = l->inlined[i];
	return MIN(l->ninlined, max);
}

bool symbols__is_mixed(const struct symbols *s)
{
	return false;
}

u64 symbols__generation(const struct symbols *s)
{
	return s->generation;
}

#endif
