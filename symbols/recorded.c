// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/recorded.h"

#include <stdio.h>
#include <sys/eventfd.h>

#include "symbols/tables.h"

#define BUILD_ID_LEN (sizeof(((struct sym_object_info *)0)->build_id) - 1)

/* What is hashed need not be all that is compared. */
static u64 hash_text(u64 seed, const char *text)
{
	return mix64_pair(seed, hash_bytes(text, strlen(text)));
}

static struct sym_object_info *new_info(struct symbols *s, const char *build_id)
{
	struct sym_object_info *info;

	pthread_mutex_lock(&s->table_lock);
	info = arena__alloc(&s->names, sizeof(*info));
	pthread_mutex_unlock(&s->table_lock);
	copy_str(info->build_id, sizeof(info->build_id), build_id);
	copy_str(info->source, sizeof(info->source), "recording");
	return info;
}

static bool same_object(struct symbols *s, u32 id, const struct sym_object *o, const char *build_id)
{
	const struct sym_object *known = symbols__object(s, id);
	const char *recorded = symbols__obj(s, id)->recorded;

	return known->kind == o->kind && known->inode == o->inode &&
	       known->dev_major == o->dev_major && known->dev_minor == o->dev_minor &&
	       symbols__is_kept_as(o->name, known->name) && !strcmp(o->path, known->path) && recorded &&
	       (!*recorded || !*build_id || !strncmp(recorded, build_id, BUILD_ID_LEN));
}

static void set_build_id(struct symbols *s, u32 id, const char *build_id)
{
	struct sym_object_info *info = new_info(s, build_id);

	symbols__obj(s, id)->recorded = info->build_id;
	atomic_store_explicit(&symbols__obj(s, id)->info, info, memory_order_release);
}

u32 symbols__recorded_object(struct symbols *s, const struct sym_object *o, const char *build_id)
{
	u64 hash = hash_text(o->inode, o->name);
	u32 id;

	HIDX_FIND(id, &s->named_objects, hash, pos, same_object(s, pos, o, build_id));
	if (id != HIDX_NONE) { /* in a stream it becomes known later */
		if (*build_id && !*symbols__obj(s, id)->recorded)
			set_build_id(s, id, build_id);
		return id;
	}
	id = symbols__add_object(s, o, &(struct via){0});
	if (id) {
		set_build_id(s, id, build_id);
		hidx__add(&s->named_objects, hash, id);
	}
	return id;
}

static bool same_func(const struct sym_func *a, const struct sym_func *b)
{
	return a->object == b->object && a->kind == b->kind && a->flags == b->flags &&
	       a->start == b->start && a->size == b->size &&
	       symbols__is_kept_as(b->name, a->name) && symbols__is_kept_as(b->linkage, a->linkage);
}

u32 symbols__recorded_func(struct symbols *s, const struct sym_func *f)
{
	u64 hash = hash_text(mix64_pair(f->object, f->start), f->linkage);
	u32 id;

	HIDX_FIND(id, &s->named_funcs, hash, pos, same_func(symbols__func(s, pos), f));
	if (id != HIDX_NONE)
		return id;
	id = symbols__add_func(s, f);
	if (id != FUNC_OVERFLOW)
		hidx__add(&s->named_funcs, hash, id);
	return id;
}

/* A number that symbols__recorded_offset() made. */
static bool is_hidden(const struct sym_object *o, u64 offset)
{
	return (o->kind == CODE_KERNEL || o->kind == CODE_BPF) && offset >> 62 == SYM_HIDDEN >> 62;
}

static u32 unknown_func(struct symbols *s, const struct recorded_loc *l)
{
	const struct sym_object *o = symbols__object(s, l->object);
	bool hidden = is_hidden(o, l->offset);
	char name[320];
	int n = snprintf(name, sizeof(name), "%.255s", o->name);

	if (!hidden)
		snprintf(name + n, sizeof(name) - (size_t)n, "+0x%llx",
			 (unsigned long long)l->offset);
	return symbols__recorded_func(s, &(struct sym_func){.object = l->object,
							    .kind = o->kind,
							    .flags = FUNC_GUESSED,
							    .start = hidden ? 0 : l->offset,
							    .name = name,
							    .linkage = name});
}

static u32 inlined_list(struct symbols *s, const struct recorded_loc *l)
{
	struct inlined *list;
	u32 id;

	if (!l->ninlined)
		return INLINED_NONE;
	list = stable__next(&s->inlines, &id);
	if (!list)
		return INLINED_NONE;
	list->n = MIN(l->ninlined, (u32)INLINED_MAX);
	memcpy(list->funcs, l->inlined, list->n * sizeof(*list->funcs));
	stable__commit(&s->inlines);
	return INLINED_FIRST + id;
}

u32 symbols__recorded_loc(struct symbols *s, const struct recorded_loc *l)
{
	u32 func = l->func, object, id;
	struct loc *loc;

	if (!l->object && !func)
		return SYM_UNKNOWN;
	if (!func)
		func = unknown_func(s, l);
	object = symbols__func(s, func)->object;
	id = symbols__intern_loc(s, object, l->offset, func);
	loc = symbols__loc(s, id);
	if (id && atomic_load_explicit(&loc->inlined, memory_order_relaxed) == INLINED_UNASKED)
		atomic_store_explicit(&loc->inlined, inlined_list(s, l), memory_order_release);
	return id;
}

void symbols__recorded_name(struct symbols *s, u32 loc, u32 func)
{
	struct loc *l = symbols__loc(s, loc);

	if (!l || loc == SYM_UNKNOWN || atomic_load_explicit(&l->func, memory_order_relaxed) == func)
		return;
	atomic_store_explicit(&l->object, symbols__func(s, func)->object, memory_order_relaxed);
	atomic_store_explicit(&l->func, func, memory_order_release);
	atomic_fetch_add_explicit(&s->generation, 1, memory_order_release);
	eventfd_write(s->event_fd, 1);
}
