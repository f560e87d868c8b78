// SPDX-License-Identifier: GPL-2.0-only
/* Folded stacks: one line of text for each distinct command and chain of names. */
#include <stdio.h>

#include "models/frames.h"
#include "models/profile_select.h"

/* A command's samples of one stack; then of all stacks that read the same. */
struct line {
	u32 comm, filtered;
	u64 count;
};

struct lines {
	struct line *items;
	u32 n, cap;
	struct hidx index;
};

struct folded {
	struct selection s;
	struct arena arena;
	struct lines by_stack, by_text;
	const char **names;  /* by ident, as they are written; NULL not looked at */
	u32 *spelling;	     /* by ident: the first ident that is written the same */
	struct hidx spelled; /* names to idents */
	frame_ref *other;    /* frames to compare with */
	u32 other_cap;
	char *text;
	size_t len, size;
};

static void add_line(struct lines *l, u64 hash, struct line line)
{
	l->items = xgrow(l->items, l->n, &l->cap, sizeof(*l->items));
	l->items[l->n] = line;
	hidx__add(&l->index, hash, l->n++);
}

static void gather_by_stack(struct folded *f)
{
	enum time_window w = f->s.query->window;

	for (u32 i = 0; i < f->s.snap->nentries; i++) {
		const struct profile_entry *e = &f->s.snap->entries[i];
		struct line line = {e->comm, 0, e->count[w]};
		u64 hash;
		u32 at;

		if (!line.count)
			continue;
		line.filtered = selection__filter(&f->s, e);
		if (line.filtered == HIDX_NONE)
			continue;
		hash = mix64_pair(line.comm, line.filtered);
		HIDX_FIND(at, &f->by_stack.index, hash, pos,
			  f->by_stack.items[pos].comm == line.comm &&
				  f->by_stack.items[pos].filtered == line.filtered);
		if (at == HIDX_NONE)
			add_line(&f->by_stack, hash, line);
		else
			f->by_stack.items[at].count += line.count;
	}
}

/* --- names --- */

static void spell(struct folded *f, u32 ident)
{
	const char *name = frame__folded(&f->arena, f->s.idents[ident].name, "[unknown]");
	u64 hash = hash_bytes(name, strlen(name));
	u32 at;

	f->names[ident] = name;
	HIDX_FIND(at, &f->spelled, hash, pos, !strcmp(f->names[pos], name));
	f->spelling[ident] = at == HIDX_NONE ? ident : at;
	if (at == HIDX_NONE)
		hidx__add(&f->spelled, hash, ident);
}

/* Looks every frame up first, so that the tables by ident need not grow. */
static void spell_all(struct folded *f)
{
	for (u32 i = 0; i < f->by_stack.n; i++)
		selection__expand(&f->s, &f->s.filtered[f->by_stack.items[i].filtered],
				  f->s.query->inlined);
	f->names = xcalloc(f->s.nidents, sizeof(*f->names));
	f->spelling = xcalloc(f->s.nidents, sizeof(*f->spelling));
	for (u32 i = 0; i < f->s.nidents; i++)
		spell(f, i);
}

/* --- lines that read the same --- */

static u32 spelled_frames(struct folded *f, u32 filtered)
{
	u32 n = selection__expand(&f->s, &f->s.filtered[filtered], f->s.query->inlined);

	for (u32 i = 0; i < n; i++)
		f->s.frames[i] = f->spelling[frame__ident(f->s.frames[i])];
	return n;
}

static u64 text_hash(const struct folded *f, u32 comm, u32 n)
{
	u64 h = mix64(comm);

	for (u32 i = 0; i < n; i++)
		h = mix64_pair(h, f->s.frames[i]);
	return h;
}

/* The n frames in f->other against those of a line. */
static bool reads_same(struct folded *f, const struct line *line, u32 comm, u32 n)
{
	return line->comm == comm && spelled_frames(f, line->filtered) == n &&
	       !memcmp(f->other, f->s.frames, n * sizeof(*f->other));
}

static void merge_line(struct folded *f, const struct line *line)
{
	u32 n = spelled_frames(f, line->filtered), at;
	u64 hash = text_hash(f, line->comm, n);

	if (n > f->other_cap) {
		f->other_cap = MAX(n, 512u);
		f->other = xrealloc(f->other, f->other_cap * sizeof(*f->other));
	}
	memcpy(f->other, f->s.frames, n * sizeof(*f->other));
	HIDX_FIND(at, &f->by_text.index, hash, pos,
		  reads_same(f, &f->by_text.items[pos], line->comm, n));
	if (at == HIDX_NONE)
		add_line(&f->by_text, hash, *line);
	else
		f->by_text.items[at].count += line->count;
}

/* --- text --- */

static void append(struct folded *f, const char *s)
{
	size_t n = strlen(s);

	if (f->len + n + 2 > f->size) {
		f->size = (f->len + n + 2) * 2;
		f->text = xrealloc(f->text, f->size);
	}
	memcpy(f->text + f->len, s, n + 1);
	f->len += n;
}

static const char *write_line(struct folded *f, const struct line *line)
{
	u32 n = spelled_frames(f, line->filtered);

	f->len = 0;
	append(f, frame__folded(&f->arena, f->s.snap->comms[line->comm], "[no name]"));
	for (u32 i = n; i--;) {
		append(f, ";");
		append(f, f->names[f->s.frames[i]]);
	}
	return f->text;
}

static void folded__fini(struct folded *f)
{
	selection__fini(&f->s);
	arena__fini(&f->arena);
	free(f->by_stack.items);
	hidx__fini(&f->by_stack.index);
	free(f->by_text.items);
	hidx__fini(&f->by_text.index);
	free(f->names);
	free(f->spelling);
	hidx__fini(&f->spelled);
	free(f->other);
	free(f->text);
}

void profile__folded(const struct profile_snap *snap, const struct profile_query *q,
		     const struct scope *scope,
		     void (*fn)(void *ctx, const char *stack, u64 samples), void *ctx)
{
	struct folded f = {0};

	arena__init(&f.arena);
	selection__init(&f.s, &f.arena, snap, q, scope);
	gather_by_stack(&f);
	spell_all(&f);
	for (u32 i = 0; i < f.by_stack.n; i++)
		merge_line(&f, &f.by_stack.items[i]);
	for (u32 i = 0; i < f.by_text.n; i++)
		fn(ctx, write_line(&f, &f.by_text.items[i]), f.by_text.items[i].count);
	folded__fini(&f);
}
