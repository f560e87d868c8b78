// SPDX-License-Identifier: GPL-2.0-only
/* Values and rows in JSON, for all formats that have JSON in them. */
#include <json-c/json.h>

#include "base/arena.h"
#include "base/json_line.h"
#include "base/utf8.h"
#include "export/export_impl.h"

struct json_object *export__json_string(const char *s)
{
	struct json_object *o;
	char *copy;

	if (utf8__valid(s))
		return json_object_new_string(s);
	copy = utf8__dup(s);
	o = json_object_new_string(copy);
	free(copy);
	return o;
}

/* Whole numbers keep a fraction, so that a field has one type for readers that tell integers from
 * others. */
struct json_object *export__json_double(double d)
{
	char buf[40];

	if (!format_double(buf, sizeof(buf) - 2, d))
		return NULL;
	if (!strpbrk(buf, ".e"))
		strcat(buf, ".0");
	return json_object_new_double_s(d, buf);
}

static struct json_object *json_trend(const struct value *v)
{
	struct json_object *a = json_object_new_array_ext((int)v->n);

	for (u32 i = 0; i < v->n; i++)
		json_object_array_add(a, export__json_double((double)v->trend[i]));
	return a;
}

void export__json_text(struct json_object *o, const char *name, const char *s)
{
	json_object_object_add(o, name, export__json_string(s ? s : ""));
}

static struct json_object *json_stack(const struct value *v)
{
	struct json_object *a = json_object_new_array_ext((int)v->n);

	for (u32 i = 0; i < v->n; i++) {
		struct json_object *o = json_object_new_object();
		struct value_frame f;

		v->frame(v->of, i, &f);
		export__json_text(o, "symbol", f.symbol);
		export__json_text(o, "object", f.object);
		export__json_text(o, "kind", f.kind);
		json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *json_list(const struct value *v)
{
	struct json_object *a = json_object_new_array_ext((int)v->n);

	for (u32 i = 0; i < v->n; i++) {
		struct value_part p = {0};

		v->part(v->of, i, &p);
		json_object_array_add(a, export__json_value(&p.value));
	}
	return a;
}

static struct json_object *json_members(const struct value *v)
{
	struct json_object *o = json_object_new_object();

	for (u32 i = 0; i < v->n; i++) {
		struct value_part p = {0};

		v->part(v->of, i, &p);
		json_object_object_add(o, p.name, export__json_value(&p.value));
	}
	return o;
}

struct json_object *export__json_value(const struct value *v)
{
	switch (v->type) {
	case VALUE_TEXT:
		return export__json_string(v->s);
	case VALUE_PCT:
	case VALUE_NUMBER:
		return export__json_double(v->f);
	case VALUE_BOOL:
		return json_object_new_boolean(v->u != 0);
	case VALUE_TREND:
		return json_trend(v);
	case VALUE_COUNT:
	case VALUE_NS:
	case VALUE_BYTES:
		return json_object_new_uint64(v->u);
	case VALUE_CHANGE:
		return v->n == VALUE_PCT ? export__json_double(v->f) : json_object_new_int64(v->i);
	case VALUE_STACK:
		return json_stack(v);
	case VALUE_LIST:
		return json_list(v);
	case VALUE_OBJECT:
		return json_members(v);
	case VALUE_SPLIT: /* its parts are columns of their own */
	case VALUE_NONE:
		break;
	}
	return NULL;
}

struct json_object *export__json_row(const struct row_table *t, u32 row)
{
	struct json_object *o = json_object_new_object();
	struct value v;

	for (u32 c = 0; c < t->ncolumns; c++)
		if ((t->columns[c].flags & COLUMN_EXPORT) && t->cell(t, row, c, &v))
			json_object_object_add(o, t->columns[c].name, export__json_value(&v));
	return o;
}

int export__put_json(FILE *out, struct json_object *o)
{
	char *line = json__line(o);
	int ret = fputs(line, out) < 0 ? -errno : 0;

	free(line);
	return ret;
}
