// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/tables.h"

#include "symbols/demangle.h"

void u32_vec__push(struct u32_vec *v, u32 x)
{
	if (v->n == v->cap) {
		v->cap = MAX(64u, v->cap * 2);
		v->v = xrealloc(v->v, sizeof(*v->v) * v->cap);
	}
	v->v[v->n++] = x;
}

/* --- objects and funcs --- */

/* Names come from files that anybody may have written: nothing in them may move a cursor. */
static char kept_char(char c)
{
	return (u8)c < ' ' || c == 127 ? '?' : c;
}

static char *keep_text(struct symbols *s, const char *text)
{
	char *copy = arena__strdup(&s->names, text ? text : "");

	for (char *p = copy; *p; p++)
		*p = kept_char(*p);
	return copy;
}

bool symbols__is_kept_as(const char *text, const char *kept)
{
	while (*text && *kept == kept_char(*text))
		text++, kept++;
	return !*text && !*kept;
}

u32 symbols__add_object(struct symbols *s, const struct sym_object *o, const struct via *via)
{
	struct object *new;
	u32 id = 0;

	pthread_mutex_lock(&s->table_lock);
	new = stable__next(&s->objects, &id);
	if (new) {
		new->pub = *o;
		new->pub.id = id;
		new->pub.name = keep_text(s, o->name);
		/* As it is: it is opened by it. */
		new->pub.path = arena__strdup(&s->names, o->path ? o->path : "");
		new->via = *via;
		stable__commit(&s->objects);
	}
	pthread_mutex_unlock(&s->table_lock);
	return new ? id : 0;
}

void symbols__seen_via(struct symbols *s, u32 object, const struct via *via)
{
	struct object *o = symbols__obj(s, object);

	pthread_mutex_lock(&s->lock);
	if (o->unread || !atomic_load_explicit(&o->info, memory_order_relaxed)) {
		o->via = *via;
		o->unread = false;
	}
	pthread_mutex_unlock(&s->lock);
}

u32 symbols__add_func(struct symbols *s, const struct sym_func *f)
{
	char *plain = f->name ? NULL : demangle(f->linkage);
	struct sym_func *new;
	u32 id = FUNC_OVERFLOW;

	pthread_mutex_lock(&s->table_lock);
	new = stable__next(&s->funcs, &id);
	if (new) {
		*new = *f;
		new->id = id;
		new->linkage = keep_text(s, f->linkage);
		new->name = new->linkage;
		if (plain || (f->name && strcmp(f->name, f->linkage)))
			new->name = keep_text(s, plain ? plain : f->name);
		stable__commit(&s->funcs);
	}
	pthread_mutex_unlock(&s->table_lock);
	free(plain);
	return new ? id : FUNC_OVERFLOW;
}

const struct sym_func *symbols__func(const struct symbols *s, u32 func)
{
	const struct sym_func *f = stable__at(&s->funcs, func);

	return f ? f : stable__at(&s->funcs, 0);
}

const struct sym_object *symbols__object(const struct symbols *s, u32 object)
{
	const struct object *o = symbols__obj(s, object);

	return o ? &o->pub : &symbols__obj(s, 0)->pub;
}

/* --- locs --- */

/* A loc as it was asked for; its object may have become another since. func 0: whichever it is. */
static bool is_loc(struct symbols *s, u32 loc, u32 object, u64 offset, u32 func)
{
	struct loc *l = symbols__loc(s, loc);

	return l->offset == offset && l->asked_object == object &&
	       (!func || atomic_load_explicit(&l->func, memory_order_relaxed) == func);
}

u32 symbols__intern_loc(struct symbols *s, u32 object, u64 offset, u32 func)
{
	u64 hash = mix64_pair(object, offset);
	struct loc *l;
	u32 id;

	HIDX_FIND(id, &s->loc_index, hash, pos, is_loc(s, pos, object, offset, func));
	if (id != HIDX_NONE)
		return id;
	l = stable__next(&s->locs, &id);
	if (!l) {
		atomic_fetch_add_explicit(&s->overflow, 1, memory_order_relaxed);
		return SYM_UNKNOWN;
	}
	l->offset = offset;
	l->asked_object = object;
	atomic_store_explicit(&l->object, object, memory_order_relaxed);
	atomic_store_explicit(&l->func, func, memory_order_relaxed);
	stable__commit(&s->locs);
	hidx__add(&s->loc_index, hash, id);
	if (func)
		atomic_fetch_add_explicit(&s->nresolved, 1, memory_order_relaxed);
	else
		u32_vec__push(&s->asked, id);
	return id;
}
