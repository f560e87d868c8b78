/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/lib/rows.h"

static const struct column columns[ROWS_COLUMNS] = {
	[ROWS_SELF] = {.name = "self_pct",
		       .title = "Self%",
		       .type = VALUE_PCT,
		       .width = 14,
		       .flags = COLUMN_SCREEN | COLUMN_BAR},
	[ROWS_TOTAL] = {.name = "total_pct",
			.title = "Total%",
			.type = VALUE_PCT,
			.width = 7,
			.priority = 1,
			.flags = COLUMN_SCREEN},
	[ROWS_SAMPLES] = {.name = "self_count",
			  .title = "Samples",
			  .type = VALUE_COUNT,
			  .width = 8,
			  .priority = 4,
			  .flags = COLUMN_SCREEN},
	[ROWS_TREND] = {.name = "trend",
			.title = "Trend",
			.type = VALUE_TREND,
			.width = 8,
			.priority = 3,
			.flags = COLUMN_SCREEN},
	[ROWS_SYMBOL] = {.name = "symbol",
			 .title = "Symbol",
			 .type = VALUE_TEXT,
			 .width = 20,
			 .flags = COLUMN_SCREEN | COLUMN_KEY | COLUMN_FLEX | COLUMN_ASCENDING},
	[ROWS_OBJECT] = {.name = "object",
			 .title = "Object",
			 .type = VALUE_TEXT,
			 .width = 14,
			 .priority = 2,
			 .flags = COLUMN_SCREEN | COLUMN_ASCENDING},
};

static const struct {
	const char *symbol, *object;
	double self;
} hot[ROWS_MAX] = {
	{"compress_block", "libz.so.1.2.13", 41.25},
	{"std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > >"
	 "::_M_realloc_insert<int&>(int&)",
	 "server", 17.5},
	{"copy_user_enhanced_fast_string", "[kernel]", 9.75},
	{"__memmove_avx_unaligned_erms", "libc.so.6", 4.5},
	{"日本語の関数", "wide", 2.25},
	{"cafe\u0301::serve()", "combining", 1.125},
	{"evil\033[2J\u202egnp.exe", "hostile", 0.75},
	{"do_syscall_64", "[kernel]", 0.5},
	{"[unknown]", "/opt/app/releases/2024-11-21/lib/libplugin.so", 0.25},
	{"page_fault", "[kernel]", 0.04},
	{"never_seen", "cold", 0.004},
	{"idle", "[kernel]", 0},
};

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct rows *r = (const struct rows *)t;

	*out = (struct value){.type = columns[column].type};
	switch (column) {
	case ROWS_SELF:
		out->f = r->self[row];
		break;
	case ROWS_TOTAL:
		out->f = MIN(r->self[row] * 1.5, 100);
		break;
	case ROWS_SAMPLES:
		out->u = (u64)(r->self[row] * 1000);
		break;
	case ROWS_TREND:
		out->trend = r->trend[row];
		out->n = ROWS_TICKS;
		break;
	case ROWS_SYMBOL:
		out->s = hot[r->keys[row] - 1].symbol;
		break;
	default:
		out->s = hot[r->keys[row] - 1].object;
	}
	return true;
}

static u64 key(const struct row_table *t, u32 row)
{
	return ((const struct rows *)t)->keys[row];
}

void rows__init(struct rows *r, u32 n)
{
	*r = (struct rows){
		.table = {.columns = columns,
			  .ncolumns = ROWS_COLUMNS,
			  .nrows = n,
			  .sort = ROWS_SELF,
			  .cell = cell,
			  .key = key},
	};
	for (u32 i = 0; i < n; i++) {
		r->keys[i] = i + 1;
		r->self[i] = hot[i].self;
		for (u32 k = 0; k < ROWS_TICKS; k++)
			r->trend[i][k] = (float)((i + k) % 9) * (float)r->self[i];
	}
}

struct value table_cell(const struct row_table *t, u32 row, const char *column)
{
	struct value v = {0};

	for (u32 i = 0; i < t->ncolumns; i++)
		if (!strcmp(t->columns[i].name, column) && t->cell(t, row, i, &v))
			return v;
	return (struct value){0};
}
