// SPDX-License-Identifier: GPL-2.0-only
/* Who did what with which file, within a bound: the coldest lose the file, then the process. */
#include "models/cache_model.h"

/* What an entry loses; each includes those before it. */
enum fold { FOLD_FILE, FOLD_PROCESS, FOLDS };

static u64 hash_of(const void *key)
{
	const struct cache_use *u = key;
	u64 h = mix64_pair(((u64)u->tgid << 32) | u->dev, u->inode);

	return mix64_pair(mix64_pair(h, u->cgroup), hash_bytes(u->comm, strlen(u->comm)));
}

static bool is_same(const void *x, const void *y)
{
	const struct cache_use *a = x, *b = y;

	return a->past == b->past && a->tgid == b->tgid && a->dev == b->dev && a->inode == b->inode &&
	       a->cgroup == b->cgroup && !strcmp(a->comm, b->comm);
}

static void fold(void *live_use, u32 how)
{
	struct cache_use *u = live_use;

	u->dev = 0;
	u->inode = 0;
	free((char *)u->path);
	u->path = NULL;
	if (how < FOLD_PROCESS)
		return;
	u->tgid = u->tid = CACHE_MERGED;
	u->past = 0;
	u->ended = false;
	u->kthread = false;
	u->cgroup = 0;
	copy_str(u->comm, sizeof(u->comm), "[others]");
}

static const struct entries_kind kind = {
	.size = sizeof(struct cache_live_use),
	.key_size = sizeof(struct cache_use),
	.ncounts = CACHE_COUNTS,
	.counts_at = offsetof(struct cache_live_use, now),
	.steps = FOLDS,
	.hash = hash_of,
	.same = is_same,
	.fold = fold,
};

static const struct lives_of lives_of = {
	.size = sizeof(struct cache_live_use),
	.tgid = offsetof(struct cache_use, tgid),
	.ended = offsetof(struct cache_use, ended),
	.past = offsetof(struct cache_use, past),
};

void cache_uses__init(struct cache_uses *c)
{
	c->all = (struct entries){.kind = &kind, .max = CACHE_MAX_ROWS};
}

/* The newest name that is known is taken. */
static void set_path(struct cache_use *u, const char *path)
{
	if (!*path || (u->path && !strcmp(u->path, path)))
		return;
	free((char *)u->path);
	u->path = xstrdup(path);
}

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
	u = entries__get(&c->all, &key);
	if (c->all.added)
		lives__know(&c->lives, s->tgid, 0);
	if (s->file.dev)
		set_path(&u->u, s->file.path);
	for (u32 i = 0; i < CACHE_COUNTS; i++)
		u->now[i] += s->n[i];
}

void cache__consume_life(struct cache_uses *uses, struct entries *misses, const struct sample *s)
{
	u32 tgid = lives__consume(&uses->lives, s, &lives_of, uses->all.v, uses->all.n);

	for (u32 i = 0; tgid && i < misses->n; i++) {
		struct cache_live_miss *m = entries__at(misses, i);

		if (m->tgid == tgid && !m->past)
			m->past = uses->lives.reused;
	}
}

void cache_uses__snap(struct cache_uses *c, double keep, struct cache_snap *snap, struct arena *a)
{
	struct cache_use *out = arena__array(a, struct cache_use, c->all.n);

	lives__tick(&c->lives, &lives_of, c->all.v, c->all.n);
	for (u32 i = 0; i < c->all.n; i++) {
		out[i] = ((struct cache_live_use *)entries__at(&c->all, i))->u;
		out[i].path = out[i].path ? arena__strdup(a, out[i].path) : "";
		entries__advance(&c->all, i, keep, out[i].n);
	}
	snap->uses = out;
	snap->nuses = c->all.n;
}

static const char *path_of(const struct cache_uses *c, u32 i)
{
	return ((struct cache_live_use *)entries__at(&c->all, i))->u.path;
}

void cache_uses__clear(struct cache_uses *c)
{
	for (u32 i = 0; i < c->all.n; i++)
		free((char *)path_of(c, i));
	entries__clear(&c->all);
	lives__forget(&c->lives);
}

void cache_uses__fini(struct cache_uses *c)
{
	cache_uses__clear(c);
	entries__fini(&c->all);
	lives__fini(&c->lives);
}

size_t cache_uses__bytes(const struct cache_uses *c)
{
	size_t paths = 0;

	for (u32 i = 0; i < c->all.n; i++)
		paths += path_of(c, i) ? strlen(path_of(c, i)) + 1 : 0;
	return entries__bytes(&c->all) + paths;
}
