// SPDX-License-Identifier: GPL-2.0-only
/* Folded stacks of waits: one line of text for each distinct command, place and waker. */
#include "models/frames.h"
#include "models/waits_result.h"

/* All waits that read the same. */
struct line {
	const struct wait_entry *entry; /* one of them */
	u32 place, waker;		/* places; waker: HIDX_NONE none is written */
	u64 key, off_ns;
};

struct folded {
	struct waits_selection s;
	struct arena arena;
	bool wakers;
	struct line *lines;
	u32 n, cap;
	struct hidx index;
	const char **names; /* by ident, as they are written; NULL: not yet */
	u32 nnames;
	char *text;
	size_t len, size;
};

static const char *name_of(struct folded *f, u32 ident)
{
	if (ident >= f->nnames) {
		u32 n = MAX(ident + 1, f->nnames * 2);

		f->names = xrealloc(f->names, n * sizeof(*f->names));
		memset(f->names + f->nnames, 0, (n - f->nnames) * sizeof(*f->names));
		f->nnames = n;
	}
	if (!f->names[ident])
		f->names[ident] =
			frame__folded(&f->arena, f->s.names.idents[ident].name, "[unknown]");
	return f->names[ident];
}

/* The frames of a place, in names.frames. */
static u32 expand(struct folded *f, u32 place)
{
	return selection__expand(&f->s.names, &f->s.names.filtered[f->s.places[place].filtered],
				 false);
}

/* --- lines --- */

static u64 frames_hash(struct folded *f, u32 place)
{
	u32 n = expand(f, place);
	u64 h = mix64(n);

	for (u32 i = 0; i < n; i++) {
		const char *name = name_of(f, frame__ident(f->s.names.frames[i]));

		h = mix64_pair(h, hash_bytes(name, strlen(name)));
	}
	return h;
}

static const char *waker_name(struct folded *f, const struct wait_entry *e)
{
	if (waits_selection__waker(&f->s, e) == WAKER_TASK)
		return frame__folded(&f->arena, e->waker.comm, "[no name]");
	return waits__waker_text(&f->s, e);
}

static u64 line_key(struct folded *f, const struct line *l)
{
	const char *comm = l->entry->task.comm, *waker;
	u64 key = mix64_pair(hash_bytes(comm, strlen(comm)), frames_hash(f, l->place));

	if (l->waker == HIDX_NONE)
		return key;
	waker = waker_name(f, l->entry);
	key = mix64_pair(key, hash_bytes(waker, strlen(waker)));
	return mix64_pair(key, frames_hash(f, l->waker));
}

static void add_wait(struct folded *f, const struct picked_wait *w)
{
	const struct wait_entry *e = w->entry;
	struct line l = {.entry = e, .place = w->place, .waker = HIDX_NONE};
	u32 at;

	if (f->wakers)
		l.waker = waits_selection__place(&f->s, e->waker_kstack, e->waker_ustack, true);
	l.key = line_key(f, &l);
	HIDX_FIND(at, &f->index, l.key, pos, f->lines[pos].key == l.key);
	if (at == HIDX_NONE) {
		f->lines = xgrow(f->lines, f->n, &f->cap, sizeof(*f->lines));
		f->lines[f->n] = l;
		hidx__add(&f->index, l.key, f->n);
		at = f->n++;
	}
	f->lines[at].off_ns += picked_wait__sums(&f->s, w)->off_ns;
}

/* --- text --- */

static void append(struct folded *f, const char *s)
{
	size_t n = strlen(s);

	if (f->len + n + 2 > f->size) {
		f->size = (f->len + n + 2) * 2;
		f->text = xrealloc(f->text, f->size);
	}
	if (f->len)
		f->text[f->len++] = ';';
	memcpy(f->text + f->len, s, n + 1);
	f->len += n;
}

static void append_frames(struct folded *f, u32 place, bool root_first)
{
	u32 n = expand(f, place);

	for (u32 i = 0; i < n; i++) {
		frame_ref frame = f->s.names.frames[root_first ? n - 1 - i : i];

		append(f, name_of(f, frame__ident(frame)));
	}
}

static bool has_frames(const struct folded *f, u32 place)
{
	const struct picked_place *p = &f->s.places[place];

	return p->kstack || p->ustack;
}

static const char *write_line(struct folded *f, const struct line *l)
{
	const struct wait_entry *e = l->entry;

	f->len = 0;
	append(f, frame__folded(&f->arena, e->task.comm, "[no name]"));
	append_frames(f, l->place, true);
	if (l->waker == HIDX_NONE)
		return f->text;
	append(f, "--");
	if (has_frames(f, l->waker))
		append_frames(f, l->waker, false);
	append(f, waker_name(f, e));
	return f->text;
}

static void folded__fini(struct folded *f)
{
	waits_selection__fini(&f->s);
	arena__fini(&f->arena);
	free(f->lines);
	hidx__fini(&f->index);
	free(f->names);
	free(f->text);
}

void waits__folded(const struct waits_snap *snap, const struct waits_query *q,
		   const struct scope *scope, void (*fn)(void *ctx, const char *stack, u64 us),
		   void *ctx)
{
	struct folded f = {.wakers = q->wakers};

	arena__init(&f.arena);
	waits_selection__init(&f.s, &f.arena, snap, q->window, false, scope);
	waits_selection__fill(&f.s, 0, 0);
	for (u32 i = 0; i < f.s.nwaits; i++)
		if (q->idle || f.s.waits[i].is.class != CLASS_IDLE)
			add_wait(&f, &f.s.waits[i]);
	for (u32 i = 0; i < f.n; i++) {
		u64 us = (f.lines[i].off_ns + 500) / 1000;

		if (us)
			fn(ctx, write_line(&f, &f.lines[i]), us);
	}
	folded__fini(&f);
}
