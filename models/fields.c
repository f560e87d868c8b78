// SPDX-License-Identifier: GPL-2.0-only
#include "models/fields.h"

#include "base/hosts.h"
#include "models/windows.h"

static u64 number_at(const char *base, u32 at, u32 size)
{
	u64 v64;
	u32 v32;

	if (size == sizeof(u8))
		return (u8)base[at];
	if (size == sizeof(u32)) {
		memcpy(&v32, base + at, sizeof(v32));
		return v32;
	}
	memcpy(&v64, base + at, sizeof(v64));
	return v64;
}

static const char *base_of(const struct field *f, const void *row)
{
	const char *base = row;

	if (f->via)
		memcpy(&base, base + f->via - 1, sizeof(base));
	return base;
}

static void fraction(const struct field *f, const char *base, struct value *out)
{
	u64 n = number_at(base, f->at, f->size), of = number_at(base, f->by, sizeof(u64));

	if (f->kind == FIELD_MEAN)
		out->u = of ? n / of : 0;
	else
		out->f = of ? MIN((double)n * 100 / (double)of, 100) : 0;
}

static void text(const struct field *f, const char *base, struct value *out)
{
	if (f->kind == FIELD_CHARS)
		out->s = base + f->at;
	else if (f->kind == FIELD_NAMED)
		out->s = f->names[number_at(base, f->at, f->size)];
	else
		memcpy(&out->s, base + f->at, sizeof(out->s));
	if (!out->s)
		out->type = VALUE_NONE;
}

static void fill(const struct field *f, const struct query_result *a, const char *base,
		 struct value *out)
{
	u64 n;

	switch (f->kind) {
	case FIELD_TEXT:
	case FIELD_CHARS:
	case FIELD_NAMED:
		text(f, base, out);
		break;
	case FIELD_FLOAT:
		memcpy(&out->f, base + f->at, sizeof(out->f));
		break;
	case FIELD_TREND:
		out->trend = (const void *)(base + f->at);
		out->n = TREND_LEN;
		break;
	case FIELD_VALUE:
		memcpy(out, base + f->at, sizeof(*out));
		break;
	case FIELD_MEAN:
	case FIELD_PART:
		fraction(f, base, out);
		break;
	default:
		n = number_at(base, f->at, f->size);
		out->u = f->kind == FIELD_RATE	? window__per_second(n, a->window_ns)
			 : f->kind != FIELD_AGO ? n
			 : a->snap->t1_ns > n	? a->snap->t1_ns - n
						: 0;
	}
}

static const struct query_result *result_of(const struct row_table *t)
{
	return container_of(t, struct query_result, table);
}

static bool applies(const struct field *f, u32 groups)
{
	return (!f->groups || f->groups & groups) && !(f->except & groups);
}

static bool fields__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct query_result *a = result_of(t);
	const struct field *f = &a->of->fields[column];
	const char *at = (const char *)a->of->rows + row * a->of->size, *base = base_of(f, at);

	*out = (struct value){0};
	if (column >= t->ncolumns || !applies(f, a->of->groups))
		return false;
	out->type = f->column.type;
	if (!base || (f->unless && !number_at(base, f->unless - 1, f->unless_size)))
		*out = (struct value){.type = f->unknown ? VALUE_TEXT : VALUE_NONE,
				      .s = f->unknown};
	else if (f->kind == FIELD_MADE)
		f->make(a, at, out);
	else
		fill(f, a, base, out);
	return true;
}

static u64 fields__key(const struct row_table *t, u32 row)
{
	const struct rows_of *of = result_of(t)->of;

	return number_at((const char *)of->rows + row * of->size, 0, sizeof(u64));
}

struct column *column__named(struct column *columns, u32 n, const char *name)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	return NULL;
}

static struct column column_of(const struct field *f, u32 groups, u32 set)
{
	struct column c = f->column;

	if (!applies(f, groups) || (f->by_host && !hosts__several()))
		c.flags = 0;
	if (f->sets && !(f->sets & (1u << set)))
		c.flags &= ~COLUMN_SCREEN;
	if (c.flags && f->keys & groups) {
		c.flags |= COLUMN_KEY | COLUMN_FLEX;
		c.priority = 0;
	}
	return c;
}

const char *const end_names[2] = {"", "ended"};

void columns__fit_cmdline(struct column *columns, u32 n)
{
	struct column *line = column__named(columns, n, "cmdline");
	struct column *comm = column__named(columns, n, "comm");

	if (!line || !comm || !(line->flags & COLUMN_SCREEN) || !(comm->flags & COLUMN_FLEX))
		return;
	comm->flags &= ~(u32)COLUMN_FLEX;
	line->flags |= COLUMN_FLEX;
}

static bool any_has(const struct row_table *t, u32 column)
{
	struct value v;

	for (u32 row = 0; row < t->nrows; row++)
		if (t->cell(t, row, column, &v) && v.type == VALUE_TEXT && *v.s)
			return true;
	return false;
}

struct column *query_result__table(struct query_result *a, const struct field *fields, u32 nfields,
				   const void *rows, u32 n, size_t size, u32 groups, u32 set,
				   const char *sort)
{
	const struct rows_of of = {fields, rows, size, groups};
	struct column *columns = arena__array(&a->arena, struct column, nfields);

	for (u32 i = 0; i < nfields; i++)
		columns[i] = column_of(&fields[i], groups, set);
	a->of = arena__dup(&a->arena, &of, sizeof(of));
	a->table = (struct row_table){
		.columns = columns,
		.ncolumns = nfields,
		.nrows = n,
		.nfirst = a->table.nfirst,
		.nlast = a->table.nlast,
		.sort = (u32)(column__named(columns, nfields, sort) - columns),
		.cell = fields__cell,
		.key = fields__key,
	};
	for (u32 i = 0; i < nfields; i++)
		if (fields[i].if_any && !any_has(&a->table, i))
			columns[i].flags &= ~(u32)COLUMN_SCREEN;
	columns__fit_cmdline(columns, nfields);
	return columns;
}
