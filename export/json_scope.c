// SPDX-License-Identifier: GPL-2.0-only
/* A scope in JSON: the expression and the normal form that the sources evaluate. */
#include <json-c/json.h>

#include "export/export_impl.h"
#include "scope/filter.h"

static struct json_object *id_array(const struct id_set *set)
{
	struct json_object *a = json_object_new_array_ext((int)set->n);

	for (u32 i = 0; i < set->n; i++)
		json_object_array_add(a, json_object_new_uint64(set->ids[i]));
	return a;
}

/* Ids of cgroups are left out: the globs say it, and ids mean nothing elsewhere. */
static struct json_object *id_sets(const struct id_set *sets)
{
	static const char *const names[] = {
		[SCOPE_PID] = "pid", [SCOPE_TID] = "tid", [SCOPE_CPU] = "cpu"};
	struct json_object *o = json_object_new_object();

	for (u32 k = 0; k < ARRAY_SIZE(names); k++)
		if (sets[k].active)
			json_object_object_add(o, names[k], id_array(&sets[k]));
	return o;
}

static struct json_object *name_array(const struct name_term *terms, u32 n, const char *field)
{
	struct json_object *a = json_object_new_array_ext((int)n), *o;

	for (u32 i = 0; i < n; i++) {
		o = json_object_new_object();
		json_object_object_add(o, field, export__json_string(terms[i].text));
		json_object_object_add(o, "negate", json_object_new_boolean(terms[i].negate));
		json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *label_array(const struct scope *s)
{
	struct json_object *a = json_object_new_array_ext((int)s->nlabels), *o;

	for (u32 i = 0; i < s->nlabels; i++) {
		const struct name_term *t = &s->labels[i];

		o = json_object_new_object();
		json_object_object_add(o, "label", export__json_string(t->label));
		json_object_object_add(o, t->re ? "regex" : "list", export__json_string(t->text));
		json_object_object_add(o, "negate", json_object_new_boolean(t->negate));
		json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *state_string(u32 states)
{
	char buf[sizeof(SCOPE_STATES)];
	u32 n = 0;

	for (u32 i = 0; SCOPE_STATES[i]; i++)
		if (states & 1u << i)
			buf[n++] = SCOPE_STATES[i];
	buf[n] = '\0';
	return json_object_new_string(buf);
}

/* The sort of threads that passes; null: every sort. */
static struct json_object *task_string(u32 left_out)
{
	static const char *const passing[] = {
		[SCOPE_TASK_USER] = "kernel",
		[SCOPE_TASK_KERNEL] = "user",
		[SCOPE_TASK_USER | SCOPE_TASK_KERNEL] = "none",
	};

	return left_out ? json_object_new_string(passing[left_out]) : NULL;
}

static void add_normal_form(struct json_object *o, const struct scope *s)
{
	json_object_object_add(o, "include", id_sets(s->include));
	json_object_object_add(o, "exclude", id_sets(s->exclude));
	json_object_object_add(o, "follow_children", json_object_new_boolean(s->follow_children));
	json_object_object_add(o, "cgroup", name_array(s->cgroups, s->ncgroups, "glob"));
	json_object_object_add(o, "comm", name_array(s->comms, s->ncomms, "regex"));
	json_object_object_add(o, "sym", name_array(s->syms, s->nsyms, "regex"));
	json_object_object_add(o, "obj", name_array(s->objects, s->nobjects, "regex"));
	if (s->nlabels)
		json_object_object_add(o, "labels", label_array(s));
	json_object_object_add(o, "states", state_string(s->states));
	json_object_object_add(o, "not_states", state_string(s->not_states));
	json_object_object_add(o, "task", task_string(s->not_tasks));
	json_object_object_add(o, "min_ns", json_object_new_uint64(s->min_ns));
	json_object_object_add(o, "max_ns", s->max_ns ? json_object_new_uint64(s->max_ns) : NULL);
}

struct json_object *export__scope_json(const char *expr)
{
	struct json_object *o = json_object_new_object();
	struct scope *s = filter__parse_text(expr);

	json_object_object_add(o, "expr", export__json_string(expr));
	if (s)
		add_normal_form(o, s);
	scope__put(s);
	return o;
}
