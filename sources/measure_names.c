// SPDX-License-Identifier: GPL-2.0-only
#include "sources/measure_names.h"

#define MAX_NAMES 16384

struct measure_name_slot {
	u64 value;
	u32 word;
	u64 round; /* asked for last */
	char *text;
};

static u64 hash_of(u32 word, u64 value)
{
	return mix64_pair(word + 1, value);
}

static struct measure_name_slot *find(struct measure_names *m, u32 word, u64 value)
{
	u32 at;

	HIDX_FIND(at, &m->index, hash_of(word, value), pos,
		  m->v[pos].word == word && m->v[pos].value == value);
	return at == HIDX_NONE ? NULL : &m->v[at];
}

void measure_names__set(struct measure_names *m, u32 word, u64 value, const char *text)
{
	struct measure_name_slot *s = find(m, word, value);

	if (!s) {
		hidx__add(&m->index, hash_of(word, value), m->n);
		m->v = xgrow(m->v, m->n, &m->cap, sizeof(*m->v));
		s = &m->v[m->n++];
		*s = (struct measure_name_slot){.word = word, .value = value};
	}
	free(s->text);
	s->text = xstrdup(text);
	s->round = m->round;
}

const char *measure_names__get(struct measure_names *m, u32 word, u64 value)
{
	struct measure_name_slot *s = find(m, word, value);

	if (!s)
		return NULL;
	s->round = m->round;
	return s->text;
}

/* Those of the last round stay. */
bool measure_names__trim(struct measure_names *m)
{
	u32 kept = 0;

	if (m->n < MAX_NAMES) {
		m->round++;
		return false;
	}
	hidx__clear(&m->index);
	for (u32 i = 0; i < m->n; i++) {
		if (m->v[i].round != m->round) {
			free(m->v[i].text);
			continue;
		}
		hidx__add(&m->index, hash_of(m->v[i].word, m->v[i].value), kept);
		m->v[kept++] = m->v[i];
	}
	m->n = kept;
	m->round++;
	return true;
}

void measure_names__fini(struct measure_names *m)
{
	for (u32 i = 0; i < m->n; i++)
		free(m->v[i].text);
	free(m->v);
	hidx__fini(&m->index);
}
