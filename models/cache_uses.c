// SPDX-License-Identifier: GPL-2.0-only
/* Who did what with which file, within a bound: the coldest lose the file, then the process. */
#include "models/cache_model.h"

/* What an entry loses; each includes those before it. */
enum fold { FOLD_FILE, FOLD_PROCESS, FOLDS };

static struct window_sums sums_of(struct cache_live_use *u)
{
	return (struct window_sums){CACHE_COUNTS, u->track.now, u->track.total, u->track.decay};
}

static u64 use_hash(const struct cache_use *u)
{
	u64 h = mix64_pair(((u64)u->tgid << 32) | u->dev, u->inode);

	return mix64_pair(mix64_pair(h, u->cgroup), hash_bytes(u->comm, strlen(u->comm)));
}

static bool same_use(const struct cache_use *a, const struct cache_use *b)
{
	return a->past == b->past && a->tgid == b->tgid && a->dev == b->dev && a->inode == b->inode &&
	       a->cgroup == b->cgroup && !strcmp(a->comm, b->comm);
}

static struct cache_live_use *use_of(struct cache_uses *c, const struct cache_use *key)
{
	u64 h = use_hash(key);
	u32 at;

	HIDX_FIND(at, &c->index, h, pos, same_use(&c->v[pos].u, key));
	if (at != HIDX_NONE)
		return &c->v[at];
	c->v = xgrow(c->v, c->n, &c->cap, sizeof(*c->v));
	c->v[c->n] = (struct cache_live_use){.u = *key};
	c->v[c->n].u.path = NULL;
	hidx__add(&c->index, h, c->n);
	lives__know(&c->lives, key->tgid);
	return &c->v[c->n++];
}

/* The newest name that is known is taken. */
static void set_path(struct cache_uses *c, struct cache_use *u, const char *path)
{
	if (!*path || (u->path && !strcmp(u->path, path)))
		return;
	if (u->path)
		c->path_bytes -= strlen(u->path) + 1;
	free((char *)u->path);
	u->path = xstrdup(path);
	c->path_bytes += strlen(path) + 1;
}

/* --- bounds --- */

static void fold_use(struct cache_use *u, enum fold how)
{
	u->dev = 0;
	u->inode = 0;
	if (how < FOLD_PROCESS)
		return;
	u->tgid = u->tid = CACHE_MERGED;
	u->past = 0;
	u->ended = false;
	u->kthread = false;
	u->cgroup = 0;
	copy_str(u->comm, sizeof(u->comm), "[others]");
}

static void put_back(struct cache_uses *c, struct cache_live_use *old)
{
	struct cache_live_use *to = use_of(c, &old->u);
	struct window_sums sums = sums_of(to), from = sums_of(old);

	window_sums__merge(&sums, &from);
	if (old->u.path && to->u.dev)
		set_path(c, &to->u, old->u.path);
	if (old->u.path)
		c->path_bytes -= strlen(old->u.path) + 1;
	free((char *)old->u.path);
}

static double heat_of(void *live_use)
{
	struct window_sums sums = sums_of(live_use);

	return window_sums__heat(&sums);
}

static void fold_coldest(struct cache_uses *c, enum fold how)
{
	struct cache_live_use *old = c->v;
	u32 n = c->n;
	bool *cold = heat__coldest_half(old, n, sizeof(*old), heat_of);

	c->v = NULL;
	c->n = c->cap = 0;
	hidx__clear(&c->index);
	for (u32 i = 0; i < n; i++) {
		if (cold[i])
			fold_use(&old[i].u, how);
		put_back(c, &old[i]);
	}
	free(old);
	free(cold);
}

static void make_room(struct cache_uses *c)
{
	for (enum fold how = FOLD_FILE; how < FOLDS && c->n > CACHE_MAX_ROWS / 4 * 3; how++)
		fold_coldest(c, how);
}

/* --- in and out --- */

void cache_uses__add(struct cache_uses *c, const struct cache_sample *s)
{
	struct cache_use key = {.tgid = s->tgid,
				.tid = s->tid,
				.kthread = s->kthread,
				.cgroup = s->cgroup,
				.dev = s->file.dev,
				.inode = s->file.dev ? s->file.inode : 0};
	struct cache_live_use *u;

	copy_str(key.comm, sizeof(key.comm), s->comm);
	if (c->n >= CACHE_MAX_ROWS)
		make_room(c);
	u = use_of(c, &key);
	if (s->file.dev)
		set_path(c, &u->u, s->file.path);
	for (u32 i = 0; i < CACHE_COUNTS; i++)
		u->track.now[i] += s->n[i];
}

u32 cache_uses__consume(struct cache_uses *c, const struct sample *s, u32 *past)
{
	u32 tgid = lives__consume(&c->lives, s);

	*past = tgid ? lives__past(&c->lives) : 0;
	for (u32 i = 0; tgid && i < c->n; i++) {
		struct cache_use *u = &c->v[i].u;

		if (u->tgid != tgid || u->past)
			continue;
		u->past = *past;
		u->ended = true;
	}
	return tgid;
}

static void mark_ended(struct cache_uses *c)
{
	for (u32 i = 0; i < c->n; i++)
		c->v[i].u.ended |= lives__has_ended(&c->lives, c->v[i].u.tgid);
	lives__tick(&c->lives);
	if (!lives__is_full(&c->lives))
		return;
	lives__forget(&c->lives);
	for (u32 i = 0; i < c->n; i++)
		lives__know(&c->lives, c->v[i].u.tgid);
}

void cache_uses__snap(struct cache_uses *c, double keep, struct cache_snap *snap, struct arena *a)
{
	struct cache_use *out = arena__array(a, struct cache_use, c->n);

	mark_ended(c);
	for (u32 i = 0; i < c->n; i++) {
		u64 *const windows[WINDOWS] = {out[i].n[WINDOW_LAST], out[i].n[WINDOW_DECAY],
					       out[i].n[WINDOW_TOTAL]};
		struct window_sums sums = sums_of(&c->v[i]);

		out[i] = c->v[i].u;
		out[i].path = out[i].path ? arena__strdup(a, out[i].path) : "";
		window_sums__advance(&sums, keep, windows);
	}
	snap->uses = out;
	snap->nuses = c->n;
}

void cache_uses__clear(struct cache_uses *c)
{
	for (u32 i = 0; i < c->n; i++)
		free((char *)c->v[i].u.path);
	c->n = 0;
	c->path_bytes = 0;
	hidx__clear(&c->index);
	lives__forget(&c->lives);
}

void cache_uses__fini(struct cache_uses *c)
{
	cache_uses__clear(c);
	free(c->v);
	lives__fini(&c->lives);
	hidx__fini(&c->index);
}

size_t cache_uses__bytes(const struct cache_uses *c)
{
	return c->cap * sizeof(*c->v) + c->path_bytes + hidx__bytes(&c->index);
}
