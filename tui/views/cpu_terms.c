// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/cpu_terms.h"

#include <stdio.h>

#include "core/filter.h"

/* What cannot be written in an expression: the filter language's own quote, and control
 * characters, which hostile names have. */
static bool is_unwritable(char c)
{
	return c == '"' || (u8)c < ' ' || c == 0x7f;
}

/* Quotes what a regular expression would act on; any character stands for an unwritable one. */
static void regex_quote(const char *s, char *buf, size_t size)
{
	size_t n = 0;

	for (; *s && n + 3 < size; s++) {
		if (strchr("\\^$.|?*+()[]{}", *s))
			buf[n++] = '\\';
		buf[n++] = is_unwritable(*s) ? '.' : *s;
	}
	buf[n] = '\0';
}

static bool name_term(const char *field, const char *name, char *buf, size_t size)
{
	char quoted[512];

	regex_quote(name, quoted, sizeof(quoted));
	snprintf(buf, size, "%s~\"^%s$\"", field, quoted);
	return true;
}

static bool id_term(const char *field, u32 id, char *buf, size_t size)
{
	snprintf(buf, size, "%s=%u", field, id);
	return id != PROFILE_MERGED;
}

/* The term of one key; false when there is none. */
static bool key_term(const struct profile_row *r, enum profile_group g, char *buf, size_t size)
{
	switch (g) {
	case GROUP_SYMBOL:
		return r->func && name_term("sym", r->name, buf, size);
	case GROUP_OBJECT:
		return r->object && name_term("obj", r->object_name, buf, size);
	case GROUP_COMM:
		return name_term("comm", r->comm, buf, size);
	case GROUP_PID:
		return id_term("pid", r->tgid, buf, size);
	case GROUP_TID:
		return id_term("tid", r->tid, buf, size);
	case GROUP_CPU:
		return id_term("cpu", r->cpu, buf, size);
	case GROUP_CGROUP:
		snprintf(buf, size, "cgroup=\"%s\"", r->cgroup_name);
		return r->cgroup != 0;
	default:
		return false;
	}
}

bool cpu_terms__select(const struct profile_row *r, u32 groups, char *buf, size_t size)
{
	bool all = true;
	size_t n = 0;

	*buf = '\0';
	for (u32 g = 0; g < GROUPS; g++) {
		char term[600];

		if (!(groups & GROUP_BIT(g)))
			continue;
		if (key_term(r, g, term, sizeof(term)) && n + strlen(term) + 2 < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", term);
		else
			all = false;
	}
	return all;
}

bool cpu_terms__exclude(const struct profile_row *r, u32 groups, char *buf, size_t size)
{
	static const enum profile_group least_first[GROUPS] = {
		GROUP_TID, GROUP_PID,	 GROUP_COMM,   GROUP_CGROUP,
		GROUP_CPU, GROUP_SYMBOL, GROUP_OBJECT,
	};

	for (u32 i = 0; i < GROUPS; i++)
		if (groups & GROUP_BIT(least_first[i]) && key_term(r, least_first[i], buf, size))
			return true;
	return false;
}

const struct scope *cpu_terms__scope(const struct scope *scope, const char *terms)
{
	char *both = filter__join(scope->text, terms);
	struct filter_error err;
	struct scope *narrow = filter__parse(both, &err), *resolved;

	free(both);
	resolved = narrow ? scope__resolve(narrow) : NULL;
	if (!resolved)
		return narrow;
	scope__put(narrow);
	return resolved;
}

static const char *plain(const char *id)
{
	return id + strspn(id, " ");
}

void cpu_terms__task(const struct profile_row *r, u32 groups, char *buf, size_t size)
{
	const struct {
		const char *label, *text;
	} parts[] = {
		{"", *r->comm ? r->comm : NULL},
		{"pid ", r->pid_text},
		{"tid ", r->tid_text},
		{"", groups & GROUP_BIT(GROUP_CGROUP) ? r->cgroup_name : NULL},
		{"cpu ", r->cpu_text},
	};
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < ARRAY_SIZE(parts) && n < size; i++)
		if (parts[i].text)
			n += (size_t)snprintf(buf + n, size - n, "%s%s%s", n ? " " : "",
					      parts[i].label, plain(parts[i].text));
}
