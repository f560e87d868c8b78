// SPDX-License-Identifier: GPL-2.0-only
/* Which process has most of a function's own samples. */
#include <stdio.h>

#include "models/profile_impl.h"
#include "models/task_text.h"

static bool is_of(const struct owner *p, u32 bucket, const struct profile_entry *e)
{
	return p->bucket == bucket && p->entry->tgid == e->tgid && p->entry->start_ns == e->start_ns;
}

void owners__add(struct owners *l, struct bucket *row, u32 bucket, const struct profile_entry *e,
		double weight)
{
	u64 hash = mix64_pair(mix64_pair(bucket, e->tgid), e->start_ns);
	u32 at;

	HIDX_FIND(at, &l->index, hash, pos, is_of(&l->items[pos], bucket, e));
	if (at == HIDX_NONE) {
		at = l->n;
		l->items = xgrow(l->items, l->n, &l->cap, sizeof(*l->items));
		l->items[l->n++] = (struct owner){.bucket = bucket, .entry = e};
		hidx__add(&l->index, hash, at);
	}
	l->items[at].weight += weight;
	if (!row->most || l->items[at].weight > l->items[row->most - 1].weight)
		row->most = at + 1;
}

void profile_row__most(struct profile_row *row, const struct bucket *b, const struct owners *l,
		       const struct selection *s)
{
	const struct owner *p = b->most ? &l->items[b->most - 1] : NULL;
	const struct profile_entry *e = p ? p->entry : NULL;
	char text[COMM_LEN + 16];

	if (!e || e->tgid == PROFILE_MERGED || b->self <= 0)
		return;
	row->most_comm = s->snap->comms[e->process ? e->process : e->comm];
	row->most_pid = e->tgid;
	row->most_cmdline = task__cmdline(s->arena, e->tgid, e->start_ns);
	row->most_pct = MIN(p->weight * 100 / b->self, 100);
	snprintf(text, sizeof(text), "%s %u", row->most_comm, e->tgid);
	row->most_text = arena__strdup(s->arena, text);
}

void owners__fini(struct owners *l)
{
	free(l->items);
	hidx__fini(&l->index);
}
