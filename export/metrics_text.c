// SPDX-License-Identifier: GPL-2.0-only
#include "export/metrics_text.h"

#include <ctype.h>

#include "base/utf8.h"
#include "export/export_impl.h"

#define LABEL_BYTES 256 /* of a value, about */

void metric__clean(char *name)
{
	for (; *name; name++)
		if (!isalnum((unsigned char)*name))
			*name = '_';
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

const char *metric__unit(enum value_type type)
{
	switch (type) {
	case VALUE_NS:
		return "seconds";
	case VALUE_BYTES:
		return "bytes";
	case VALUE_PCT:
		return "ratio";
	default:
		return "";
	}
}

void metric__name(const char *prefix, const char *part, const char *field, enum value_type type,
		  char name[METRIC_NAME])
{
	static const char *const ends[] = {"_ns", "_pct", "_bytes", "_total"};
	const char *unit = metric__unit(type);
	int n = (int)strlen(field);

	for (u32 i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_with(field, ends[i]))
			n = (int)(strlen(field) - strlen(ends[i]));
	if (!strcmp(field, unit)) /* "bytes" */
		unit = "";
	snprintf(name, METRIC_NAME, "%s_%s%.*s%s%s", prefix, part, n, field, *unit ? "_" : "",
		 unit);
	metric__clean(name);
}

void metric__head(FILE *out, const char *name, const char *type, const char *unit, const char *help)
{
	char c[4];

	fprintf(out, "# TYPE %s %s\n", name, type);
	if (*unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	if (!help || !*help)
		return;
	fprintf(out, "# HELP %s ", name);
	for (u32 n; (n = utf8__clean(&help, c));)
		if (*c == '\\' || *c == '"')
			fprintf(out, "\\%c", *c);
		else
			fwrite(c, 1, n, out);
	fputc('\n', out);
}

/* Exactly, as far as it is a whole number of ns. */
static void put_seconds(FILE *out, u64 ns)
{
	fprintf(out, "%llu.%09llu", (unsigned long long)(ns / NSEC_PER_SEC),
		(unsigned long long)(ns % NSEC_PER_SEC));
}

bool metric__is_number(const struct value *v)
{
	char buf[40];

	switch (v->type) {
	case VALUE_COUNT:
	case VALUE_NS:
	case VALUE_BYTES:
	case VALUE_BOOL:
		return true;
	case VALUE_PCT:
	case VALUE_NUMBER:
		return format_double(buf, sizeof(buf), v->f);
	default:
		return false;
	}
}

void metric__number(FILE *out, const struct value *v)
{
	char buf[40];

	if (v->type == VALUE_NS) {
		put_seconds(out, v->u);
	} else if (v->type == VALUE_PCT || v->type == VALUE_NUMBER) {
		if (format_double(buf, sizeof(buf), v->type == VALUE_PCT ? v->f / 100 : v->f))
			fputs(buf, out);
	} else {
		fprintf(out, "%llu", (unsigned long long)v->u);
	}
}

/* name="value"; what is behind LABEL_BYTES is left out. */
void metric__label(FILE *out, const char *name, const char *value, bool first)
{
	u32 left = LABEL_BYTES;
	char c[4];

	fprintf(out, "%s%s=\"", first ? "" : ",", name);
	for (u32 n; left >= sizeof(c) && (n = utf8__clean(&value, c)); left -= n)
		if (*c == '\\' || *c == '"')
			fprintf(out, "\\%c", *c);
		else
			fwrite(c, 1, n, out);
	fputc('"', out);
}

/* Whether a part of a list is a bucket: {lo_UNIT, hi_UNIT, count}. */
bool metric__bucket(const struct value *list, u32 i, struct metric_bucket *b)
{
	struct value_part item = {0}, hi = {0}, count = {0};

	list->part(list->of, i, &item);
	if (item.value.type != VALUE_OBJECT || item.value.n != 3)
		return false;
	item.value.part(item.value.of, 1, &hi);
	item.value.part(item.value.of, 2, &count);
	if (strncmp(hi.name, "hi_", 3) != 0 || count.value.type != VALUE_COUNT)
		return false;
	*b = (struct metric_bucket){
		.open = hi.value.type == VALUE_NONE,
		.hi = hi.value.u,
		.count = count.value.u,
		.unit = ends_with(hi.name, "_ns") ? VALUE_NS : hi.value.type,
	};
	return true;
}

bool metric__is_histogram(const struct value *v)
{
	struct metric_bucket b;

	return v->type == VALUE_LIST && v->n && metric__bucket(v, 0, &b);
}

enum value_type metric__histogram_unit(const struct value *v)
{
	struct metric_bucket b;

	return metric__bucket(v, 0, &b) ? b.unit : VALUE_COUNT;
}

/* Numbers that are names. */
static bool is_id(const char *name)
{
	return !strcmp(name, "pid") || !strcmp(name, "tid") || !strcmp(name, "cpu") ||
	       !strcmp(name, "inode") || !strcmp(name, "sector") || !strcmp(name, "parent") ||
	       ends_with(name, "_pid") || ends_with(name, "_tid");
}

bool metric__is_label(const struct column *c)
{
	return (c->flags & COLUMN_EXPORT) &&
	       (c->type == VALUE_TEXT || (c->type == VALUE_COUNT && is_id(c->name)));
}

bool metric__row_label(FILE *out, const struct row_table *t, u32 row, u32 column, bool first)
{
	char buf[CELL_SIZE];
	struct value v;

	if (!t->cell(t, row, column, &v) || v.type == VALUE_NONE)
		return false;
	metric__label(out, t->columns[column].name, export__cell_text(&v, buf), first);
	return true;
}
