// SPDX-License-Identifier: GPL-2.0-only
/* A scope's lifetime and the questions it answers. */
#include "scope/scope.h"

#include <fnmatch.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/arena.h"
#include "scope/scope_impl.h"

struct scope *scope__new(void)
{
	struct scope *s = xcalloc(1, sizeof(*s));

	s->refs = 1;
	return s;
}

struct scope *scope__get(const struct scope *s)
{
	struct scope *mine = (struct scope *)s;

	if (mine)
		atomic_fetch_add_explicit(&mine->refs, 1, memory_order_relaxed);
	return mine;
}

static void name_terms__free(struct name_term *terms, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		regex__free(terms[i].re);
		free(terms[i].text);
	}
	free(terms);
}

void scope__put(const struct scope *s)
{
	struct scope *mine = (struct scope *)s;

	if (!mine || atomic_fetch_sub_explicit(&mine->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (u32 k = 0; k < SCOPE_KINDS; k++) {
		id_set__fini(&mine->include[k]);
		id_set__fini(&mine->exclude[k]);
	}
	id_set__fini(&mine->include_alone);
	id_set__fini(&mine->exclude_alone);
	name_terms__free(mine->comms, mine->ncomms);
	name_terms__free(mine->syms, mine->nsyms);
	name_terms__free(mine->objects, mine->nobjects);
	name_terms__free(mine->langs, mine->nlangs);
	name_terms__free(mine->cgroups, mine->ncgroups);
	name_terms__free(mine->labels, mine->nlabels);
	free(mine->text);
	free(mine);
}

struct name_term *scope__add_name(struct name_term **terms, u32 *n, const char *text, bool negate)
{
	struct name_term *t;

	*terms = xrealloc(*terms, (*n + 1) * sizeof(**terms));
	t = &(*terms)[(*n)++];
	*t = (struct name_term){.text = xstrdup(text), .negate = negate};
	return t;
}

bool name_term__match(const struct name_term *t, const char *text)
{
	return regex__match(t->re, text) != t->negate;
}

#define ITEM_MAX 4097 /* an expression has at most 4096 bytes */

/* Items of lists are names, or globs of them. */
static bool list__names(const char *list, const char *text)
{
	char item[ITEM_MAX];

	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		copy_str(item, MIN(n + 1, sizeof(item)), list);
		if (!strcmp(item, text) || !fnmatch(item, text, 0))
			return true;
	}
	return false;
}

bool label_term__names(const struct name_term *t, const char *text)
{
	return t->re ? regex__match(t->re, text) : list__names(t->text, text);
}

bool scope__comm(const struct scope *s, const char *comm)
{
	for (u32 i = 0; s && i < s->ncomms; i++)
		if (!name_term__match(&s->comms[i], comm ? comm : ""))
			return false;
	return true;
}

bool scope__thread(const struct scope *s, bool kthread)
{
	return !s || !(s->not_tasks & (kthread ? SCOPE_TASK_KERNEL : SCOPE_TASK_USER));
}

bool scope__has_label(const struct scope *s, const char *label)
{
	for (u32 i = 0; s && i < s->nlabels; i++)
		if (!strcmp(s->labels[i].label, label))
			return true;
	return false;
}

bool scope__label(const struct scope *s, const char *label, const char *text)
{
	for (u32 i = 0; s && i < s->nlabels; i++)
		if (!strcmp(s->labels[i].label, label) &&
		    label_term__names(&s->labels[i], text) == s->labels[i].negate)
			return false;
	return true;
}

bool scope__has_level(const struct scope *s, enum scope_level level)
{
	u64 any = 0;

	for (u32 i = 0; s && i < SCOPE_LEVEL_WORDS; i++)
		any |= s->left_out[level][i];
	return any != 0;
}

#define TERM_USES 13

struct term_use {
	const char *name;
	u32 term;
	bool used;
};

static void term_uses(const struct scope *s, struct term_use *uses)
{
	const struct term_use all[TERM_USES] = {
		{"state=", SCOPE_TERM_STATE, s->states || s->not_states},
		{"min=", SCOPE_TERM_TIME, s->min_ns > 0},
		{"max=", SCOPE_TERM_TIME, s->max_ns > 0},
		{"task=", SCOPE_TERM_TASK, s->not_tasks != 0},
		{"sym~", SCOPE_TERM_STACK, s->nsyms > 0},
		{"obj~", SCOPE_TERM_STACK, s->nobjects > 0},
		{"lang=", SCOPE_TERM_STACK, s->nlangs > 0},
		{"prio=", SCOPE_TERM_SCHED, scope__has_level(s, SCOPE_PRIO)},
		{"policy=", SCOPE_TERM_SCHED, scope__has_level(s, SCOPE_POLICY)},
		{"nr_running=", SCOPE_TERM_MOMENT, scope__has_level(s, SCOPE_NR_RUNNING)},
		{"irqs_disabled=", SCOPE_TERM_MOMENT, scope__has_level(s, SCOPE_IRQS_DISABLED)},
		{"need_resched=", SCOPE_TERM_MOMENT, scope__has_level(s, SCOPE_NEED_RESCHED)},
		{"mode=", SCOPE_TERM_MOMENT, scope__has_level(s, SCOPE_MODE)},
	};

	memcpy(uses, all, sizeof(all));
}

u32 scope__terms(const struct scope *s)
{
	struct term_use uses[TERM_USES];
	u32 terms = 0;

	if (!s)
		return 0;
	term_uses(s, uses);
	for (u32 i = 0; i < TERM_USES; i++)
		terms |= uses[i].used ? uses[i].term : 0;
	return terms;
}

const char *scope__term_names(const struct scope *s, u32 terms, char *buf, size_t size)
{
	struct term_use uses[TERM_USES];
	size_t n = 0;

	*buf = '\0';
	if (!s)
		return buf;
	term_uses(s, uses);
	for (u32 i = 0; i < TERM_USES; i++)
		if (uses[i].used && (terms & uses[i].term) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "",
					      uses[i].name);
	return buf;
}

bool scope__task(const struct scope *s, u32 tgid, u32 tid, u32 cpu, u64 cgroup, const char *comm)
{
	const u64 ids[SCOPE_KINDS] = {
		[SCOPE_PID] = tgid, [SCOPE_TID] = tid, [SCOPE_CPU] = cpu, [SCOPE_CGROUP] = cgroup};

	if (!s)
		return true;
	for (u32 k = 0; k < SCOPE_KINDS; k++) {
		bool told = !(k == SCOPE_PID && s->follow_children);

		if (told && s->include[k].active && !id_set__has(&s->include[k], ids[k]))
			return false;
		if (id_set__has(&s->exclude[k], ids[k]))
			return false;
	}
	return scope__comm(s, comm);
}
