// SPDX-License-Identifier: GPL-2.0-only
/* Texts, cgroups, objects and functions. Stacks are in recording/stacks_out.c. */
#include "recording/names_out.h"

#include <limits.h>

#include "base/cgroup.h"
#include "base/redact.h"
#include "recording/names_out_impl.h"

#define BLOCK_BYTES (512u << 10) /* of names, unpacked */

static const u32 table_max[NAME_TABLES] = TABLE_MAX;

void names_out__init(struct names_out *n, struct symbols *symbols, void (*flush)(void *ctx),
		     void *ctx)
{
	*n = (struct names_out){.symbols = symbols, .flush = flush, .ctx = ctx};
	memcpy(n->limit, table_max, sizeof(n->limit));
	arena__init(&n->text_memory);
	n->epochs = xcalloc(OUT_EPOCHS, sizeof(*n->epochs));
	n->met = xcalloc(OUT_MET, sizeof(*n->met));
}

static void id_map__fini(struct id_map *m)
{
	free(m->v);
	*m = (struct id_map){0};
}

/* Of one part. */
static void forget(struct names_out *n)
{
	arena__fini(&n->text_memory);
	free(n->texts);
	free(n->cgroups);
	free(n->unnamed);
	free(n->pending);
	free(n->kept);
	hidx__fini(&n->by_kept);
	hidx__fini(&n->by_text);
	hidx__fini(&n->by_cgroup);
	id_map__fini(&n->objects);
	id_map__fini(&n->funcs);
	id_map__fini(&n->locs);
	n->texts = NULL;
	n->cgroups = NULL;
	n->kept = NULL;
	n->nkept = n->kept_cap = 0;
	n->unnamed = n->pending = NULL;
	n->ntexts = n->texts_cap = n->nobjects = n->nfuncs = n->ncgroups = n->cgroups_cap = 0;
	n->nunnamed = n->unnamed_cap = n->npending = n->pending_cap = 0;
}

void names_out__fini(struct names_out *n)
{
	forget(n);
	stacks_out__fini(&n->now);
	stacks_out__fini(&n->before);
	slots_out__fini(&n->newer);
	slots_out__fini(&n->older);
	bytes__free(&n->out);
	free(n->epochs);
	free(n->met);
}

void names_out__new_part(struct names_out *n)
{
	n->quiet = true;
	stacks_out__keep(n);
	n->quiet = false;
	n->out.n = 0;
	forget(n);
	arena__init(&n->text_memory);
	stacks_out__fini(&n->before);
	n->before = n->now;
	hidx__fini(&n->before.by_frame); /* what is carried over is found by its position */
	hidx__fini(&n->before.by_stack);
	n->now = (struct out_stacks){0};
	n->part++;
}

static void counts(const struct names_out *n, u32 *out)
{
	out[TABLE_TEXTS] = n->ntexts;
	out[TABLE_OBJECTS] = n->nobjects;
	out[TABLE_FUNCS] = n->nfuncs;
	out[TABLE_LOCS] = n->now.nlocs;
	out[TABLE_FRAMES] = n->now.nframes;
	out[TABLE_STACKS] = n->now.nstacks;
	out[TABLE_CGROUPS] = n->ncgroups;
	out[TABLE_KEPT] = n->nkept;
}

bool names_out__full(const struct names_out *n)
{
	u32 has[NAME_TABLES];
	bool full = n->text_memory.bytes > TEXT_BYTES_MAX / 2;

	counts(n, has);
	for (u32 t = 0; t < NAME_TABLES; t++)
		full |= has[t] > n->limit[t] / 2;
	return full;
}

bool names_out__room(struct names_out *n, enum name_table t, u32 more)
{
	u32 has[NAME_TABLES];

	counts(n, has);
	if (has[t] + more <= n->limit[t])
		return true;
	n->refused++;
	return false;
}

size_t names_out__begin(struct names_out *n, u32 type)
{
	u32 has[NAME_TABLES];
	size_t begin;

	if (n->quiet)
		n->out.n = 0;
	if (n->out.n > BLOCK_BYTES)
		n->flush(n->ctx);
	if (!n->out.n) {
		counts(n, has);
		begin = bytes__begin(&n->out, RECORD_BASE);
		for (u32 t = 0; t < NAME_TABLES; t++)
			bytes__varint(&n->out, has[t]);
		bytes__end(&n->out, begin);
	}
	return bytes__begin(&n->out, type);
}

/* --- texts --- */

static u32 new_text(struct names_out *n, const char *text, u64 hash)
{
	size_t len = strnlen(text, TEXT_MAX), begin;

	if (!names_out__room(n, TABLE_TEXTS, 1) || n->text_memory.bytes + len + 16 > TEXT_BYTES_MAX)
		return 0;
	begin = names_out__begin(n, RECORD_TEXT);
	bytes__put(&n->out, text, len);
	bytes__end(&n->out, begin);
	n->texts = xgrow(n->texts, n->ntexts, &n->texts_cap, sizeof(*n->texts));
	n->texts[n->ntexts] = arena__strdup(&n->text_memory, text);
	hidx__add(&n->by_text, hash, n->ntexts);
	return ++n->ntexts;
}

u32 names_out__text(struct names_out *n, const char *text)
{
	u64 hash;
	u32 at;

	if (!*text)
		return 0;
	if (!n->local)
		text = redact__text(text);
	hash = hash_bytes(text, strlen(text));
	HIDX_FIND(at, &n->by_text, hash, pos, !strcmp(n->texts[pos], text));
	return at == HIDX_NONE ? new_text(n, text, hash) : at + 1;
}

/* --- fields of samples --- */

/* Most fields never come again, of processes that have ended: only those that do are put down. */
static bool came_before(struct names_out *n, u64 hash)
{
	u32 *places = &n->met[hash % OUT_MET / MET_PLACES * MET_PLACES], word = (u32)(hash >> 32);

	for (u32 i = 0; i < MET_PLACES; i++)
		if (places[i] == word)
			return true;
	memmove(places + 1, places, (MET_PLACES - 1) * sizeof(*places));
	places[0] = word;
	return false;
}

static u32 new_kept(struct names_out *n, const u8 *fields, size_t len, u64 hash)
{
	size_t begin;

	if (len > KEPT_MAX || !names_out__room(n, TABLE_KEPT, 1) || n->text_memory.bytes + len > TEXT_BYTES_MAX)
		return 0;
	begin = names_out__begin(n, RECORD_KEPT);
	bytes__put(&n->out, fields, len);
	bytes__end(&n->out, begin);
	n->kept = xgrow(n->kept, n->nkept, &n->kept_cap, sizeof(*n->kept));
	n->kept[n->nkept] = (struct out_kept){arena__dup(&n->text_memory, fields, len), (u32)len};
	hidx__add(&n->by_kept, hash, n->nkept);
	return ++n->nkept;
}

u32 names_out__kept(struct names_out *n, const u8 *fields, size_t len)
{
	u64 hash = hash_bytes(fields, len);
	u32 at;

	HIDX_FIND(at, &n->by_kept, hash, pos,
		  n->kept[pos].n == len && !memcmp(n->kept[pos].v, fields, len));
	if (at != HIDX_NONE)
		return at + 1;
	return n->met && came_before(n, hash) ? new_kept(n, fields, len, hash) : 0;
}

/* --- cgroups --- */

void names_out__cgroup(struct names_out *n, u64 id)
{
	char path[PATH_MAX];
	size_t begin;
	u32 at, text;

	HIDX_FIND(at, &n->by_cgroup, mix64(id), pos, n->cgroups[pos] == id);
	if (!id || at != HIDX_NONE || !names_out__room(n, TABLE_CGROUPS, 1))
		return;
	cgroup__name(id, path, sizeof(path));
	text = cgroup__nameless(path) ? 0 : names_out__text(n, path);
	begin = names_out__begin(n, RECORD_CGROUP);
	bytes__varint(&n->out, id);
	bytes__varint(&n->out, text);
	bytes__end(&n->out, begin);
	n->cgroups = xgrow(n->cgroups, n->ncgroups, &n->cgroups_cap, sizeof(*n->cgroups));
	n->cgroups[n->ncgroups] = id;
	hidx__add(&n->by_cgroup, mix64(id), n->ncgroups++);
}

/* --- objects and functions --- */

static u32 *id_map__at(struct id_map *m, u32 id)
{
	u64 want = m->n ? m->n : 1024;

	while (want <= id)
		want *= 2;
	if (want > m->n) {
		m->v = xrealloc(m->v, want * sizeof(*m->v));
		memset(m->v + m->n, 0, (want - m->n) * sizeof(*m->v));
		m->n = (u32)want;
	}
	return &m->v[id];
}

static const char *build_id(const struct names_out *n, u32 object)
{
	const struct sym_object_info *info = symbols__object_info(n->symbols, object);

	return info ? info->build_id : NULL;
}

/* All of it again when the build-id becomes known: the last one counts. */
static void write_object(struct names_out *n, u32 object, u32 at, const char *id)
{
	const struct sym_object *o = symbols__object(n->symbols, object);
	u32 name = names_out__text(n, o->name), path = names_out__text(n, o->path);
	u32 text = names_out__text(n, id ? id : "");
	size_t begin = names_out__begin(n, RECORD_OBJECT);

	bytes__varint(&n->out, at);
	bytes__varint(&n->out, o->kind);
	bytes__varint(&n->out, name);
	bytes__varint(&n->out, path);
	bytes__varint(&n->out, text);
	bytes__varint(&n->out, o->dev_major);
	bytes__varint(&n->out, o->dev_minor);
	bytes__varint(&n->out, o->inode);
	bytes__end(&n->out, begin);
}

static u32 object_at(struct names_out *n, u32 object)
{
	u32 *at = id_map__at(&n->objects, object);
	const char *id = build_id(n, object);

	if (*at || !object)
		return *at;
	if (!names_out__room(n, TABLE_OBJECTS, 1))
		return 0;
	write_object(n, object, n->nobjects, id);
	if (!id) {
		n->unnamed = xgrow(n->unnamed, n->nunnamed, &n->unnamed_cap, sizeof(u32));
		n->unnamed[n->nunnamed++] = object;
	}
	return *at = ++n->nobjects;
}

static u32 func_at(struct names_out *n, u32 func)
{
	const struct sym_func *f = symbols__func(n->symbols, func);
	u32 *at = id_map__at(&n->funcs, func), object, name, linkage;
	size_t begin;

	if (*at)
		return *at;
	if (!names_out__room(n, TABLE_FUNCS, 1))
		return 0;
	object = object_at(n, f->object);
	name = names_out__text(n, f->name);
	linkage = strcmp(f->linkage, f->name) ? names_out__text(n, f->linkage) : 0;
	begin = names_out__begin(n, RECORD_FUNC);
	bytes__varint(&n->out, object);
	bytes__varint(&n->out, f->kind);
	bytes__varint(&n->out, f->flags);
	bytes__varint(&n->out, f->start);
	bytes__varint(&n->out, f->size);
	bytes__varint(&n->out, name);
	bytes__varint(&n->out, linkage);
	bytes__end(&n->out, begin);
	return *at = ++n->nfuncs;
}

u32 names_out__loc(struct names_out *n, u32 loc)
{
	struct out_stacks *s = &n->now;
	u32 *at = id_map__at(&n->locs, loc), object;
	size_t begin;

	if (*at)
		return *at;
	if (!names_out__room(n, TABLE_LOCS, 1))
		return 0;
	object = n->local ? 0 : object_at(n, symbols__object_of(n->symbols, loc));
	begin = names_out__begin(n, RECORD_LOC);
	bytes__varint(&n->out, object);
	bytes__varint(&n->out, n->local ? loc : symbols__recorded_offset(n->symbols, loc));
	bytes__end(&n->out, begin);
	s->locs = xgrow(s->locs, s->nlocs, &s->locs_cap, sizeof(*s->locs));
	s->locs[s->nlocs] = (struct out_loc){.loc = loc};
	if (loc != SYM_UNKNOWN && !n->local) {
		n->pending = xgrow(n->pending, n->npending, &n->pending_cap, sizeof(u32));
		n->pending[n->npending++] = s->nlocs;
	}
	return *at = ++s->nlocs;
}

/* --- what becomes known --- */

/* True when it may change. */
static bool refresh_loc(struct names_out *n, u32 at)
{
	struct out_loc *l = &n->now.locs[at];
	u32 func = symbols__func_of(n->symbols, l->loc), pos;
	size_t begin;

	if (func && func != l->func) {
		pos = func_at(n, func);
		l->func = func;
		if (pos) {
			begin = names_out__begin(n, RECORD_LOC_FUNC);
			bytes__varint(&n->out, at);
			bytes__varint(&n->out, pos);
			bytes__end(&n->out, begin);
		}
	}
	return !func || symbols__func(n->symbols, func)->flags & FUNC_GUESSED;
}

static void refresh_objects(struct names_out *n)
{
	u32 left = 0;

	for (u32 i = 0; i < n->nunnamed; i++) {
		u32 object = n->unnamed[i];
		const char *id = build_id(n, object);

		if (!id)
			n->unnamed[left++] = object;
		else if (*id)
			write_object(n, object, n->objects.v[object] - 1, id);
	}
	n->nunnamed = left;
}

static void write_inlined(struct names_out *n, u32 at)
{
	u32 funcs[INLINED_LIST], pos[INLINED_LIST];
	int m = symbols__inlined_known(n->symbols, n->now.locs[at].loc, funcs, INLINED_LIST);
	size_t begin;

	if (m <= 0)
		return;
	for (int i = 0; i < m; i++)
		pos[i] = func_at(n, funcs[i]);
	begin = names_out__begin(n, RECORD_INLINED);
	bytes__varint(&n->out, at);
	for (int i = 0; i < m; i++)
		bytes__varint(&n->out, pos[i]);
	bytes__end(&n->out, begin);
}

void names_out__refresh(struct names_out *n, bool all)
{
	u64 generation = symbols__generation(n->symbols);
	u32 left = 0;

	if (all || n->npending || generation != n->generation) {
		n->generation = generation;
		for (u32 i = 0; i < n->npending; i++)
			if (refresh_loc(n, n->pending[i]))
				n->pending[left++] = n->pending[i];
		n->npending = left;
		refresh_objects(n);
	}
	for (u32 i = 0; all && !n->local && i < n->now.nlocs; i++)
		write_inlined(n, i);
}
