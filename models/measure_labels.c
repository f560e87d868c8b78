// SPDX-License-Identifier: GPL-2.0-only
/* Groupings and narrowings of a measure by its labels. */
#include <stdio.h>

#include "models/measure.h"

u64 measure__text_hash(const char *text)
{
	return mix64_pair(hash_bytes(text, strlen(text)), 7) | 1;
}

u64 measure__key_hash(const struct measure_label *l, const struct measure_text *key)
{
	u64 h = measure__text_hash(key->text);

	return l->exact ? mix64_pair(h, key->value) | 1 : h;
}

int measure__holder_label(const struct measure *m)
{
	for (u32 i = 0; i < m->nlabels; i++)
		if (m->labels[i].holder)
			return (int)i;
	return -1;
}

bool measure__parse_groups(const struct measure *m, const char *text, u32 *groups)
{
	char copy[256], *save = NULL;
	u32 all = 0;
	int i;

	*groups = 0;
	copy_str(copy, sizeof(copy), text);
	for (char *w = strtok_r(copy, ",+", &save); w; w = strtok_r(NULL, ",+", &save)) {
		i = measure__label(m, w);
		if (i < 0)
			return false;
		all |= 1u << i;
	}
	*groups = all;
	return all != 0;
}

const char *measure__groups_text(const struct measure *m, u32 groups, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (u32 i = 0; i < m->nlabels && len < size; i++)
		if (groups & (1u << i))
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "+" : "",
						m->labels[i].name);
	return buf;
}

static bool derived_passes(const struct measure_label *l, const char *text, u64 hash)
{
	char part[MEASURE_LABEL_TEXT];

	for (u32 i = 0; l->part(text, i, part, sizeof(part)); i++)
		if (measure__text_hash(part) == hash)
			return true;
	return false;
}

bool measure__passes(const struct measure *m, const struct measure_narrow *n,
		     const struct measure_text *keys)
{
	for (u32 i = 0; i < m->nlabels; i++) {
		const struct measure_label *l = &m->labels[i];

		if (!n->hashes[i])
			continue;
		if (l->kind <= LABEL_ERROR && measure__key_hash(l, &keys[i]) != n->hashes[i] &&
		    measure__text_hash(keys[i].text) != n->hashes[i])
			return false;
		if (l->kind == LABEL_DERIVED &&
		    !derived_passes(l, keys[l->of].text, n->hashes[i]))
			return false;
	}
	return true;
}
