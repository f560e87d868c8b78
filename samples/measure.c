// SPDX-License-Identifier: GPL-2.0-only
/* The table of measures, and what a declaration must not say. */
#include "samples/measure.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/hosts.h"

#define MEASURE(id, name, ...) extern const struct measure measure_##name;
#include "measures/measures.def"
#undef MEASURE

const struct measure *measure_table[MEASURE_TABLE_SIZE] = {
#define MEASURE(id, name, ...) [MEASURE_##id] = &measure_##name,
#include "measures/measures.def"
#undef MEASURE
};

static struct measure_label host_label(const struct measure *m)
{
	return (struct measure_label){
		.name = measure__label(m, HOST_LABEL) < 0 ? HOST_LABEL : HOST_LABEL_ELSE,
		.title = "Host",
		.width = 12,
		.kind = LABEL_HOST,
		.help = "machine, of several recordings",
	};
}

void measures__add_host_label(void)
{
	static struct measure with[MEASURE_TABLE_SIZE];
	static struct measure_label labels[MEASURE_TABLE_SIZE][MEASURE_MAX_LABELS];

	for (u32 i = 0; i < MEASURE_TABLE_SIZE; i++) {
		const struct measure *m = measure_table[i];

		if (m == &with[i])
			continue;
		with[i] = *m;
		memcpy(labels[i], m->labels, m->nlabels * sizeof(*m->labels));
		labels[i][with[i].nlabels++] = host_label(m);
		with[i].labels = labels[i];
		measure_table[i] = &with[i];
	}
}

int measure__label(const struct measure *m, const char *name)
{
	for (u32 i = 0; i < m->nlabels; i++)
		if (!strcmp(m->labels[i].name, name))
			return (int)i;
	return -1;
}

void label__number(u64 value, char *buf, size_t size)
{
	snprintf(buf, size, "%llu", (unsigned long long)value);
}

/* Behind the name of a function that has it: its arguments, or what kind of a clone it is. */
static bool ends_name(char c)
{
	return c != '_' && c != ':' && !isalnum((unsigned char)c);
}

bool measure__is_innermost(const struct measure *m, const char *name)
{
	for (const char *const *word = m->innermost; word && *word; word++) {
		size_t len = strlen(*word);
		bool begins = (*word)[len - 1] == '*';

		len -= begins;
		if (!strncmp(name, *word, len) && (begins || ends_name(name[len])))
			return true;
	}
	return false;
}

u32 measure__own_labels(const struct measure *m)
{
	u32 n = 0;

	while (n < m->nlabels && m->labels[n].kind <= LABEL_ERROR)
		n++;
	return n;
}

/* Of the common kinds, of errors and of derived ones a row has one. */
static bool is_second_of_kind(const struct measure *m, u32 label)
{
	for (u32 i = 0; i < label; i++)
		if (m->labels[i].kind == m->labels[label].kind)
			return m->labels[i].kind != LABEL_NAMED;
	return false;
}

/* Two names of one value: one tells the other, or a third both. */
static bool is_same(const struct measure *m, u32 i, u32 k)
{
	const struct measure_label *a = &m->labels[i], *b = &m->labels[k];

	return a->shift == b->shift && a->bits == b->bits &&
	       (a->implied_by >> k & 1 || b->implied_by >> i & 1 || a->implied_by & b->implied_by);
}

/* Whether bits of a word are another label's, too. */
static bool overlaps(const struct measure *m, u32 i)
{
	const struct measure_label *a = &m->labels[i];

	for (u32 k = 0; k < i; k++) {
		const struct measure_label *b = &m->labels[k];

		if (b->kind <= LABEL_ERROR && a->word == b->word && !is_same(m, i, k) &&
		    a->shift < b->shift + b->bits && b->shift < a->shift + a->bits)
			return true;
	}
	return false;
}

static const char *check_values(const struct measure_label *l)
{
	const u64 end = l->bits < 32 ? 1ULL << l->bits : 1ULL << 32;

	if (l->values && (l->kind > LABEL_ERROR || !l->text))
		return "values that are known beforehand have a text";
	for (const struct measure_range *r = l->values; r && r->n; r++)
		if ((u64)r->first + r->n > MIN(end, (u64)MEASURE_FILTERED))
			return "values are beyond the label's bits, or MEASURE_FILTERED";
	return NULL;
}

static const char *check_label(const struct measure *m, u32 i)
{
	const struct measure_label *l = &m->labels[i];
	u32 own = measure__own_labels(m);

	if (!l->name || !l->title || !l->help)
		return "a label has no name, title or help";
	if (measure__label(m, l->name) != (int)i)
		return "two labels have one name";
	if (is_second_of_kind(m, i))
		return "two labels are of one kind";
	if (l->kind <= LABEL_ERROR && i >= own)
		return "own labels come first";
	if (l->kind <= LABEL_ERROR && (l->word >= MEASURE_LABELS || !l->bits ||
				       l->shift + l->bits > 64))
		return "a label is outside of its word";
	if (l->join && (l->kind != LABEL_NAMED || l->of >= i))
		return "a label is joined to none before it";
	if (l->kind <= LABEL_ERROR && overlaps(m, i))
		return "two labels have the same bits of a word";
	if (check_values(l))
		return check_values(l);
	if (l->kind == LABEL_DERIVED && (l->of >= own || !l->part))
		return "a derived label is of no label, or has no parts";
	if (l->splits && (!l->implied_by || l->kind != LABEL_NAMED))
		return "a label splits rows by nothing";
	if (l->implied_by >> m->nlabels || l->implied_by >> i & 1)
		return "a label is told by none, or by itself";
	return NULL;
}

/* As measures.def has it. */
static const u8 shapes[MEASURE_TABLE_SIZE] = {
#define MEASURE(id, name, key, shape, ...) [MEASURE_##id] = MEASURE_SHAPE_##shape,
#include "measures/measures.def"
#undef MEASURE
};

static bool is_shaped_so(const struct measure *m)
{
	for (u32 i = 0; i < MEASURE_TABLE_SIZE; i++)
		if (measure_table[i] == m)
			return shapes[i] == m->shape;
	return true;
}

static bool is_part(const struct measure *m, const struct measure_sum *sum)
{
	return m->shape == MEASURE_SHAPE_SPAN && sum->type == VALUE_NS;
}

/* A label of the word that is kept when threads are too many; questions keep all. */
static bool keeps_a_label(const struct measure *m)
{
	for (u32 i = 0; i < measure__own_labels(m); i++)
		if (m->labels[i].word == m->kept)
			return true;
	return m->asked || !measure__own_labels(m) || m->shape == MEASURE_SHAPE_HOLDING;
}

/* Names say the unit of bytes, and of nothing else. */
static bool is_misnamed(const struct measure_sum *s)
{
	size_t n = s->name ? strlen(s->name) : 0;
	bool bytes = n >= 5 && !strcmp(s->name + n - 5, "bytes");

	return n && bytes != (s->type == VALUE_BYTES);
}

static bool is_level(const struct measure_level *l)
{
	const struct measure_sum named = {.name = l->name, .type = l->type};

	return l->title && (l->type == VALUE_COUNT || l->type == VALUE_BYTES) && !is_misnamed(&named);
}

static const char *wrong_with(const struct measure *m)
{
	const char *wrong = NULL;

	if (!is_shaped_so(m))
		return "measures.def has another shape";
	if (!m->name || !m->noun || !m->event)
		return "name, noun and event are needed";
	if (m->is_signed && (!m->value || m->sums[0].name))
		return "of values below 0 the first sum is taken";
	if (m->shape == MEASURE_SHAPE_SPAN && m->value)
		return "the value of a span is its duration";
	if (m->shape == MEASURE_SHAPE_HOLDING && (m->value || m->sums[0].name || m->waits))
		return "values and sums of a holding are fixed, and it does not wait";
	/* There is room for one more: measures__add_host_label. */
	if (m->nlabels + !m->asked > MEASURE_MAX_LABELS || measure__own_labels(m) > MEASURE_OWN_LABELS)
		return "too many labels";
	for (u32 i = 0; i < m->nlabels && !wrong; i++)
		wrong = check_label(m, i);
	if (wrong)
		return wrong;
	if (!m->by || m->by >> m->nlabels)
		return "the default grouping is by no label";
	for (const u32 *d = m->drills; d && *d; d++)
		if (*d >> m->nlabels)
			return "a drill is by no label";
	for (u32 i = 0; i < MEASURE_RATIOS; i++)
		if (m->ratios[i].of >= MEASURE_SUMS || m->ratios[i].in > RATIO_OF_COUNT)
			return "a ratio is of no sum";
	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (m->sums[i].name && m->sums[i].type != VALUE_COUNT &&
		    m->sums[i].type != VALUE_BYTES && !is_part(m, &m->sums[i]))
			return "a sum is neither a count nor bytes, nor part of a span";
		else if (is_misnamed(&m->sums[i]))
			return "a sum of bytes, and no other, is called so";
		else if (m->sums[i].name && (!m->sums[i].title || !m->sums[i].help))
			return "a sum has no title or help";
	for (u32 i = 0; i < MEASURE_LEVELS; i++)
		if (m->levels[i].name && !is_level(&m->levels[i]))
			return "a level is neither a count nor bytes, or has no title";
	if (m->rest.name && !(is_part(m, &m->rest) && m->sums[0].name))
		return "what is left of a span is a time, beside those of its sums";
	if (!keeps_a_label(m))
		return "the word that is kept has no label";
	if (m->value && *m->value && strcmp(m->value, "bytes") && strcmp(m->value, "ns"))
		return "values are bytes, ns, or plain numbers";
	return NULL;
}

bool measure__check(const struct measure *m, char *buf, size_t size)
{
	const char *wrong = m->at ? wrong_with(m) : "MEASURE_HERE is missing";

	if (wrong)
		snprintf(buf, size, "%s: %s: %s", m->at ? m->at : "?", m->name ? m->name : "?",
			 wrong);
	return !wrong;
}
