// SPDX-License-Identifier: GPL-2.0-only
#include "models/storms.h"

#include <stdio.h>

static u64 hash_of(const char *comm)
{
	return hash_bytes(comm, strlen(comm));
}

static u32 find(const struct storms *s, const char *comm)
{
	u32 at;

	HIDX_FIND(at, &s->names, hash_of(comm), pos, !strcmp(s->v[pos].comm, comm));
	return at;
}

void storms__add(struct storms *s, const char *comm, u64 key)
{
	u32 at;

	if (!hidx__put(&s->processes, mix64_pair(key, hash_of(comm))))
		return;
	at = find(s, comm);
	if (at == HIDX_NONE) {
		at = s->n;
		s->v = xgrow(s->v, s->n, &s->cap, sizeof(*s->v));
		s->v[s->n++] = (struct storm){.comm = comm};
		hidx__add(&s->names, hash_of(comm), at);
	}
	s->v[at].n++;
}

const struct storm *storms__of(const struct storms *s, const char *comm)
{
	u32 at = find(s, comm);

	return at != HIDX_NONE && s->v[at].n >= STORM_PROCESSES ? &s->v[at] : NULL;
}

u64 storm__key(const struct storm *s)
{
	return mix64_pair(STORM_PROCESSES, hash_of(s->comm));
}

const char *storm__text(const struct storm *s, struct arena *a)
{
	char buf[16];

	snprintf(buf, sizeof(buf), "%5u x", s->n);
	return arena__strdup(a, buf);
}

void storms__fini(struct storms *s)
{
	free(s->v);
	hidx__fini(&s->names);
	hidx__fini(&s->processes);
}
