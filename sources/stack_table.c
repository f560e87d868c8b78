// SPDX-License-Identifier: GPL-2.0-only
#include "sources/stack_table.h"

void stack_table__init(struct stack_table *t, u32 max_rows, u32 max_hashes)
{
	*t = (struct stack_table){.max_rows = max_rows, .max_hashes = max_hashes};
	t->hashes = xcalloc(max_hashes, sizeof(*t->hashes));
}

void stack_table__fini(struct stack_table *t)
{
	hidx__fini(&t->index);
	hidx__fini(&t->seen);
	free(t->rows);
	free(t->hashes);
	*t = (struct stack_table){0};
}

static bool same_key(const struct stack_sample *a, const struct stack_sample *b)
{
	return a->stack == b->stack && a->tid == b->tid && a->tgid == b->tgid && a->cpu == b->cpu &&
	       a->cgroup == b->cgroup && memcmp(a->comm, b->comm, sizeof(a->comm)) == 0;
}

static u64 key_hash(const struct stack_sample *s)
{
	u64 h = mix64_pair(s->stack, s->cgroup);

	return mix64_pair(h, mix64_pair((u64)s->tgid << 32 | s->tid, s->cpu));
}

bool stack_table__add(struct stack_table *t, const struct stack_sample *s)
{
	u64 hash = key_hash(s);
	u32 found;

	HIDX_FIND(found, &t->index, hash, pos, same_key(&t->rows[pos], s));
	if (found != HIDX_NONE) {
		t->rows[found].count += s->count;
		t->rows[found].weight += s->weight;
		t->rows[found].t_ns = MAX(t->rows[found].t_ns, s->t_ns);
		return true;
	}
	if (t->nrows == t->max_rows)
		return false;
	if (t->nrows == t->cap) {
		t->cap = t->cap ? MIN(t->cap * 2, t->max_rows) : MIN(256u, t->max_rows);
		t->rows = xrealloc(t->rows, t->cap * sizeof(*t->rows));
	}
	hidx__add(&t->index, hash, t->nrows);
	t->rows[t->nrows++] = *s;
	return true;
}

bool stack_table__is_new(struct stack_table *t, u64 hash)
{
	u32 found;

	HIDX_FIND(found, &t->seen, hash, pos, t->hashes[pos] == hash);
	if (found != HIDX_NONE)
		return false;
	if (t->nhashes == t->max_hashes) {
		hidx__clear(&t->seen);
		t->nhashes = 0;
	}
	hidx__add(&t->seen, hash, t->nhashes);
	t->hashes[t->nhashes++] = hash;
	return true;
}

void stack_table__flush(struct stack_table *t,
			bool (*passes)(void *ctx, const struct stack_sample *s), void *ctx,
			const struct sample_sink *sink)
{
	for (u32 i = 0; i < t->nrows; i++)
		if (passes(ctx, &t->rows[i]))
			sink__put(sink, &t->rows[i].head);
	hidx__clear(&t->index);
	t->nrows = 0;
}

u64 stack_hash(const u64 *ips, u32 nkernel, u32 nuser, u64 space)
{
	u64 h = mix64_pair((u64)nkernel << 32 | nuser, nuser ? space : 0);

	for (u32 i = 0; i < nkernel + nuser; i++)
		h = mix64_pair(h, ips[i]);
	return h ? h : 1;
}
