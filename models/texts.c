// SPDX-License-Identifier: GPL-2.0-only
#include "models/texts.h"

void texts__init(struct texts *t)
{
	*t = (struct texts){.store = stack_store__new()};
}

void texts__fini(struct texts *t)
{
	stack_store__put(t->store);
	free(t->v);
	hidx__fini(&t->index);
}

const char *texts__intern(struct texts *t, const char *text)
{
	size_t len = strlen(text);
	u64 h = hash_bytes(text, len);
	u32 at;

	HIDX_FIND(at, &t->index, h, pos, !strcmp(t->v[pos], text));
	if (at != HIDX_NONE)
		return t->v[at];
	hidx__add(&t->index, h, t->n);
	t->v = xgrow(t->v, t->n, &t->cap, sizeof(*t->v));
	t->v[t->n] = arena__dup(&t->store->arena, text, len + 1);
	t->bytes += len + 1;
	return t->v[t->n++];
}

void texts__renew(struct texts *t, struct stack_store **old)
{
	*old = t->store;
	t->store = stack_store__new();
	t->n = 0;
	t->bytes = 0;
	hidx__clear(&t->index);
}
