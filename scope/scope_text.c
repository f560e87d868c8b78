// SPDX-License-Identifier: GPL-2.0-only
/* The canonical expression of a scope: parses to the same scope again. */
#include <stdio.h>

#include "base/arena.h"
#include "scope/filter_impl.h"

static const char *const kind_names[SCOPE_KINDS] = {
	[SCOPE_PID] = "pid", [SCOPE_TID] = "tid", [SCOPE_CPU] = "cpu", [SCOPE_CGROUP] = "cgroup"};

static void begin_term(FILE *out, bool negate, const char *name, char op)
{
	fprintf(out, "%s%s%s%c", ftell(out) ? " " : "", negate ? "!" : "", name, op);
}

static void print_ids(FILE *out, const struct id_set *set)
{
	if (!set->n)
		fputs("none", out);
	for (u32 i = 0, j; i < set->n; i = j) {
		const u64 lo = set->ids[i];

		for (j = i + 1;
		     j < set->n && set->ids[j] == lo + (j - i) && j - i < FILTER_MAX_RANGE;)
			j++;
		fprintf(out, "%s%llu", i ? "," : "", (unsigned long long)lo);
		if (j - i > 1)
			fprintf(out, "-%llu", (unsigned long long)set->ids[j - 1]);
	}
}

/* Quotes have no escapes: text with both kinds is put together from pieces. */
static void print_value(FILE *out, const char *text)
{
	if (*text && !strpbrk(text, " \t\n'\"")) {
		fputs(text, out);
		return;
	}
	while (*text) {
		const char q = *text == '"' ? '\'' : '"';
		size_t n = strcspn(text, q == '"' ? "\"" : "'");

		fprintf(out, "%c%.*s%c", q, (int)n, text, q);
		text += n;
	}
}

static void print_names(FILE *out, const struct name_term *terms, u32 n, const char *name, char op)
{
	for (u32 i = 0; i < n; i++) {
		begin_term(out, terms[i].negate, name, op);
		print_value(out, terms[i].text);
	}
}

static void print_labels(FILE *out, const struct scope *s)
{
	for (u32 i = 0; i < s->nlabels; i++)
		print_names(out, &s->labels[i], 1, s->labels[i].label, s->labels[i].re ? '~' : '=');
}

static void print_states(FILE *out, u32 states, bool negate)
{
	if (!states)
		return;
	begin_term(out, negate, "state", '=');
	for (u32 i = 0; SCOPE_STATES[i]; i++)
		if (states & 1u << i)
			fputc(SCOPE_STATES[i], out);
}

static void print_time(FILE *out, const char *name, u64 ns)
{
	char buf[32];

	if (!ns)
		return;
	value__print_time(ns, buf, sizeof(buf));
	begin_term(out, false, name, '=');
	fputs(buf, out);
}

/* cgroup ids are not printed: their globs are. */
static void print_kinds(FILE *out, const struct scope *s)
{
	for (u32 k = 0; k < SCOPE_CGROUP; k++) {
		if (s->include[k].active) {
			bool tree = k == SCOPE_PID && s->follow_children;

			begin_term(out, false, tree ? "tree" : kind_names[k], '=');
			print_ids(out, &s->include[k]);
		}
		if (s->exclude[k].n) {
			begin_term(out, true, kind_names[k], '=');
			print_ids(out, &s->exclude[k]);
		}
	}
}

static void print_tasks(FILE *out, u32 left_out)
{
	if (left_out & SCOPE_TASK_KERNEL) {
		begin_term(out, false, "task", '=');
		fputs("user", out);
	}
	if (left_out & SCOPE_TASK_USER) {
		begin_term(out, false, "task", '=');
		fputs("kernel", out);
	}
}

/* Values from..to - 1, by name or number. */
static void print_range(FILE *out, enum scope_level level, u32 from, u32 to, bool first)
{
	if (scope_level__value(level, from))
		for (u32 v = from; v < to; v++)
			fprintf(out, "%s%s", first && v == from ? "" : ",", scope_level__value(level, v));
	else if (to == scope_level__n(level) && to - from > 1)
		fprintf(out, "%s%u-", first ? "" : ",", from);
	else if (to - from > 1)
		fprintf(out, "%s%u-%u", first ? "" : ",", from, to - 1);
	else
		fprintf(out, "%s%u", first ? "" : ",", from);
}

static bool passes(const struct scope *s, enum scope_level level, u32 v)
{
	bool named = scope_level__value(level, 0) != NULL;

	return !(s->left_out[level][v / 64] >> v % 64 & 1) && (!named || scope_level__value(level, v));
}

static void print_level(FILE *out, const struct scope *s, enum scope_level level)
{
	const u32 n = scope_level__n(level);
	bool first = true;

	if (!scope__has_level(s, level))
		return;
	begin_term(out, false, scope_level__name(level), '=');
	for (u32 from = 0, to; from < n; from = to + 1) {
		for (to = from; to < n && passes(s, level, to);)
			to++;
		if (to == from)
			continue;
		print_range(out, level, from, to, first);
		first = false;
	}
	if (first)
		fputs("none", out);
}

void scope__finish(struct scope *s)
{
	size_t size = 0;
	FILE *out;

	free(s->text);
	s->text = NULL;
	out = open_memstream(&s->text, &size);
	if (!out)
		die("out of memory for the filter's text");
	print_kinds(out, s);
	print_names(out, s->cgroups, s->ncgroups, "cgroup", '=');
	print_names(out, s->comms, s->ncomms, "comm", '~');
	print_names(out, s->syms, s->nsyms, "sym", '~');
	print_names(out, s->objects, s->nobjects, "obj", '~');
	print_names(out, s->langs, s->nlangs, "lang", '=');
	print_labels(out, s);
	print_states(out, s->states, false);
	print_states(out, s->not_states, true);
	print_time(out, "min", s->min_ns);
	print_time(out, "max", s->max_ns);
	print_tasks(out, s->not_tasks);
	for (u32 level = 0; level < SCOPE_LEVELS; level++)
		print_level(out, s, (enum scope_level)level);
	if (fclose(out) || !s->text)
		die("out of memory for the filter's text");
}
