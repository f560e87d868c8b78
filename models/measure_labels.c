// SPDX-License-Identifier: GPL-2.0-only
/* Groupings and narrowings of a measure by its labels. */
#include <stdio.h>

#include "base/hosts.h"
#include "models/measure.h"
#include "models/task_text.h"
#include "scope/filter.h"

u64 measure__text_hash(const char *text)
{
	return mix64_pair(hash_bytes(text, strlen(text)), 7) | 1;
}

u64 measure__key_hash(const struct measure_label *l, const struct measure_text *key)
{
	u64 h = measure__text_hash(key->text);

	if (l->by_value)
		return mix64_pair(key->value, 7) | 1;
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

/* --- what is not known of many threads --- */

/* Whether a word of labels of what many threads did is known; nothing is of the rest. */
static bool knows_word(const struct measure *m, const struct measure_text *keys, u32 word)
{
	for (u32 i = 0; word == m->kept && i < measure__own_labels(m); i++)
		if (m->labels[i].word == word && *keys[i].text)
			return true;
	return false;
}

bool measure__is_unknown(const struct measure *m, const struct measure_who *who,
			 const struct measure_text *keys, u32 label)
{
	const struct measure_label *l = &m->labels[label];

	if (who->tgid != MEASURE_MANY || l->kind == LABEL_COMM || l->kind == LABEL_HOST)
		return false;
	if (l->kind == LABEL_DERIVED)
		return measure__is_unknown(m, who, keys, l->of);
	if (l->kind == LABEL_CGROUP)
		return !who->cgroup;
	if (l->kind <= LABEL_ERROR && (who->tid == MEASURE_LABELS_KNOWN || m->keeps_processes))
		return false;
	if (m->asked) /* programs of questions keep all that they are asked for */
		return l->kind != LABEL_NAMED || !*keys[0].text;
	return l->kind > LABEL_ERROR || !knows_word(m, keys, l->word);
}

/* --- scopes --- */

static bool any_part_named(const struct measure_label *l, const char *text,
			   const struct name_term *t)
{
	char part[MEASURE_LABEL_TEXT];

	for (u32 i = 0; l->part(text, i, part, sizeof(part)); i++)
		if (label_term__names(t, part))
			return true;
	return false;
}

static bool label_passes(const struct measure *m, u32 label, const struct measure_who *who,
			 const struct measure_text *keys, const struct name_term *t)
{
	const struct measure_label *l = &m->labels[label];

	if (l->kind == LABEL_DERIVED)
		return any_part_named(l, keys[l->of].text, t) != t->negate;
	if (l->kind == LABEL_HOST) /* a baseline is of the only one that there is */
		return !who->host || label_term__names(t, hosts__name(who->host)) != t->negate;
	return l->kind > LABEL_ERROR || label_term__names(t, keys[label].text) != t->negate;
}

static bool labels_pass(const struct measure *m, const struct scope *scope,
			const struct measure_who *who, const struct measure_text *keys)
{
	for (u32 i = 0; scope && i < scope->nlabels; i++) {
		int at = measure__label(m, scope->labels[i].label);

		if (at >= 0 && !measure__is_unknown(m, who, keys, (u32)at) &&
		    !label_passes(m, (u32)at, who, keys, &scope->labels[i]))
			return false;
	}
	return true;
}

/* Of many threads that share it the name is known, of the rest nothing. */
static bool many_pass(const struct scope *scope, const char *comm)
{
	return !scope || !scope->ncomms || !strcmp(comm, "[rest]") || scope__comm(scope, comm);
}

bool measure__in_scope(const struct measure *m, const struct scope *scope,
		       const struct measure_who *w, const struct measure_text *keys)
{
	if (w->tgid == MEASURE_MANY ? !many_pass(scope, w->comm)
				    : !(task__passes(scope, w->tgid, w->tid, w->cgroup, w->comm) &&
					scope__thread(scope, w->kthread)))
		return false;
	return labels_pass(m, scope, w, keys);
}

/* --- terms --- */

#define LABELS_MAX (MEASURE_TABLE_SIZE * MEASURE_MAX_LABELS)

static bool is_there(const char *const *names, u32 n, const char *name)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void measure__know_labels(void)
{
	static const char *names[LABELS_MAX];
	u32 n = 0;

	for (u32 i = 0; i < MEASURE_TABLE_SIZE; i++)
		for (u32 k = 0; k < measure_table[i]->nlabels; k++) {
			const struct measure_label *l = &measure_table[i]->labels[k];

			if ((l->kind <= LABEL_DERIVED || l->kind == LABEL_HOST) && !is_there(names, n, l->name))
				names[n++] = l->name;
		}
	filter__know_labels(names, n);
}
