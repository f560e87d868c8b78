// SPDX-License-Identifier: GPL-2.0-only
#include "samples/ask.h"

#include <ctype.h>
#include <stdio.h>

#include "base/arena.h"

/* Different questions of one run, recordings included. */
#define FORMS_MAX 1024

/* Once in the list it is const, and stays: snapshots of any age refer to it. */
struct declared {
	struct declared *next;
	struct ask_form form;
	struct measure measure;
	struct measure_label labels[MEASURE_MAX_LABELS];
	u32 drills[2];
	char titles[MEASURE_SPAN_SUMS][ASK_LABEL_NAME];
};

static struct declared *all; /* read and prepended to atomically */
static u32 nall;

static const char *const helps[] = {
	[LABEL_NAMED] = "of the question",
	[LABEL_PID] = "process id",
	[LABEL_TID] = "thread id",
	[LABEL_COMM] = "name of the process, or of the thread",
	[LABEL_CGROUP] = "cgroup v2, path below its mount point",
	[LABEL_STACK] = "where it happens",
};

const char *ask_kind__view(enum ask_kind kind)
{
	static const char *const names[ASK_KINDS] = {
		[ASK_EVENTS] = "events", [ASK_PAIRS] = "pairs", [ASK_HELD] = "held"};

	return names[kind];
}

static bool is_terminated(const char *s, size_t size)
{
	return memchr(s, '\0', size) != NULL;
}

static bool label_is_right(const struct ask_label *l)
{
	return is_terminated(l->name, sizeof(l->name)) && *l->name && l->width <= 64 &&
	       l->kind <= LABEL_STACK && l->kind != LABEL_ERROR && l->kind != LABEL_DERIVED &&
	       l->word < MEASURE_LABELS && l->shift < 64 && l->bits <= 64;
}

static bool fields_are_right(const struct ask_form *f)
{
	if (f->lists >= ASK_LIST_KINDS || f->nfields > ASK_FIELDS || (f->nfields && !f->lists))
		return false;
	for (u32 i = 0; i < f->nfields; i++)
		if (!is_terminated(f->fields[i].name, sizeof(f->fields[i].name)) ||
		    !*f->fields[i].name || f->fields[i].type >= ASK_FIELD_TYPES)
			return false;
	return true;
}

static bool sums_are_right(const struct ask_form *f)
{
	for (u32 i = 0; i < MEASURE_SPAN_SUMS; i++)
		if (!is_terminated(f->sums[i].name, sizeof(f->sums[i].name)) ||
		    !is_terminated(f->sums[i].help, sizeof(f->sums[i].help)))
			return false;
	return true;
}

static bool form_is_right(const struct ask_form *f)
{
	if (!is_terminated(f->text, sizeof(f->text)) ||
	    !is_terminated(f->event, sizeof(f->event)) ||
	    !is_terminated(f->noun, sizeof(f->noun)) ||
	    !is_terminated(f->value, sizeof(f->value)))
		return false;
	if (f->kind >= ASK_KINDS || f->shape > MEASURE_SHAPE_HOLDING || !f->nlabels ||
	    f->nlabels > MEASURE_MAX_LABELS)
		return false;
	for (u32 i = 0; i < f->nlabels; i++)
		if (!label_is_right(&f->labels[i]))
			return false;
	return sums_are_right(f) && fields_are_right(f);
}

static const char *title_of(const struct ask_label *l)
{
	switch (l->kind) {
	case LABEL_PID:
		return "PID";
	case LABEL_TID:
		return "TID";
	case LABEL_COMM:
		return "Command";
	case LABEL_CGROUP:
		return "Cgroup";
	default:
		return l->name;
	}
}

static void declare_label(struct measure_label *out, const struct ask_label *l)
{
	*out = (struct measure_label){
		.name = l->name,
		.title = title_of(l),
		.help = helps[l->kind],
		.kind = l->kind,
		.width = (u8)l->width,
		.word = (u8)l->word,
		.shift = (u8)l->shift,
		.bits = (u8)l->bits,
		.number = l->number,
		.address = l->address,
	};
}

static u32 drill_of(const struct ask_form *f)
{
	for (u32 i = 0; i < f->nlabels; i++)
		if (f->labels[i].kind == LABEL_PID && f->by != 1u << i)
			return 1u << i;
	return 0;
}

/* Times have their unit with them on the screen, and events are told by what is last in them: where they are from is
 * in the question. */
static void declare_sum(struct measure_sum *out, const struct ask_sum *s, char *title, size_t size)
{
	const char *last = strncmp(s->name, "mem:", 4) ? strrchr(s->name, ':') : NULL;
	const char *name = last && last[1] ? last + 1 : s->name;
	size_t len = strlen(name);

	if (s->is_time && len > 3 && !strcmp(name + len - 3, "_ns"))
		len -= 3;
	copy_str(title, MIN(len + 1, size), name);
	if (s->is_time)
		*title = (char)toupper((unsigned char)*title);
	*out = (struct measure_sum){
		.name = s->name,
		.title = title,
		.help = s->help,
		.type = s->is_time ? VALUE_NS : VALUE_COUNT,
	};
}

static struct declared *declare(const struct ask_form *form)
{
	struct declared *d = xcalloc(1, sizeof(*d));
	char why[256];

	d->form = *form;
	for (u32 i = 0; i < form->nlabels; i++)
		declare_label(&d->labels[i], &d->form.labels[i]);
	d->drills[0] = drill_of(form);
	d->measure = (struct measure){
		.at = "question",
		.name = d->form.text,
		.noun = d->form.noun,
		.event = d->form.event,
		.shape = (enum measure_shape)form->shape,
		.value = form->has_value ? d->form.value : NULL,
		.labels = d->labels,
		.nlabels = form->nlabels,
		.by = form->by,
		.drills = d->drills,
		.is_signed = form->has_value && form->is_signed,
		.asked = true,
	};
	for (u32 i = 0; i < MEASURE_SPAN_SUMS; i++)
		if (*form->sums[i].name)
			declare_sum(&d->measure.sums[i], &d->form.sums[i], d->titles[i], sizeof(d->titles[i]));
	if (measure__check(&d->measure, why, sizeof(why)))
		return d;
	free(d);
	return NULL;
}

static const struct measure *find(const struct declared *from, const struct ask_form *form)
{
	for (; from; from = from->next)
		if (!memcmp(&from->form, form, sizeof(*form)))
			return &from->measure;
	return NULL;
}

struct measure *ask_form__draft(const struct ask_form *form)
{
	struct declared *d = form_is_right(form) ? declare(form) : NULL;

	return d ? &d->measure : NULL;
}

void ask_form__drop(struct measure *draft)
{
	if (draft)
		free(container_of(draft, struct declared, measure));
}

bool ask_form__keep(struct measure *draft)
{
	struct declared *d = container_of(draft, struct declared, measure);

	if (__atomic_load_n(&nall, __ATOMIC_RELAXED) >= FORMS_MAX)
		return false;
	__atomic_add_fetch(&nall, 1, __ATOMIC_RELAXED);
	/* Two threads may both declare it: then there are two that say the same. */
	d->next = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&all, &d->next, d, false, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return true;
}

const struct measure *ask_form__measure(const struct ask_form *form)
{
	const struct measure *known = find(__atomic_load_n(&all, __ATOMIC_ACQUIRE), form);
	struct measure *draft = known ? NULL : ask_form__draft(form);

	if (!draft || ask_form__keep(draft))
		return known ? known : draft;
	ask_form__drop(draft);
	return NULL;
}

const struct ask_form *measure__form(const struct measure *m)
{
	return m->asked ? &container_of(m, struct declared, measure)->form : NULL;
}
