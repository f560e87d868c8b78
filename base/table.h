/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Typed columns and rows. One column table per view; the screen, --format json|csv and the
 * help all read it. Rows are const: made once, read by any thread, freed by their maker.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/base.h"

enum value_type {
	VALUE_NONE, /* unknown: blank on screen, or what s says; null in JSON */
	VALUE_TEXT, /* s */
	VALUE_COUNT, /* u */
	VALUE_PCT,  /* f, 0..100 */
	VALUE_NUMBER, /* f, whatever its unit is */
	VALUE_NS,   /* u */
	VALUE_BYTES, /* u */
	VALUE_BOOL, /* u */
	VALUE_TREND, /* trend[0..n), oldest first, for a sparkline */
	VALUE_SPLIT, /* shares[0..n) of a whole, each with its letter: a bar of parts, for people */
	/* For programs: not shown on screen. Their parts are made when they are asked for. */
	VALUE_STACK,  /* n frames, leaf first; folded text in csv */
	VALUE_LIST,   /* n items */
	VALUE_OBJECT, /* n members, each with its name */
	VALUE_CHANGE, /* by how much a value of type n differs from another: f of VALUE_PCT, else i */
};

struct value_frame {
	const char *symbol, *object; /* "" not known */
	const char *kind;	     /* "user" "kernel" "jit" ... */
	/* Of stacks that are exported alone; NULL or 0 where it is not known: */
	const char *path, *build_id; /* of the object; build-id in hex */
	u64 start;		     /* of the function, as an offset in its object */
};

struct value_part;

struct value {
	enum value_type type;
	u32 n; /* VALUE_TREND, VALUE_SPLIT and what has parts */
	union {
		const char *s; /* borrowed from the rows */
		u64 u;
		s64 i;
		double f;
		const float *trend;
		struct {
			const float *shares;
			const char *letters; /* n of them */
		};
		struct {
			const void *of; /* borrowed from the rows */
			union {
				/* VALUE_STACK: fills the i-th frame. */
				void (*frame)(const void *of, u32 i, struct value_frame *out);
				/* VALUE_LIST, VALUE_OBJECT: fills the i-th part, zeroed before. */
				void (*part)(const void *of, u32 i, struct value_part *out);
			};
		};
	};
};

struct value_part {
	const char *name; /* of a member */
	struct value value;
};

enum column_flag {
	COLUMN_SCREEN = 1, /* shown in the table */
	COLUMN_EXPORT = 2, /* a field in json and csv */
	COLUMN_BOTH = COLUMN_SCREEN | COLUMN_EXPORT,
	COLUMN_FLEX = 4, /* takes the width that is left */
	COLUMN_BAR = 8,	 /* drawn with a bar behind the number (percentages) */
	COLUMN_KEY = 16, /* its text names the row: never dropped, cut in the middle */
	COLUMN_ASCENDING = 32, /* sorts upward first (names) */
	COLUMN_TREND_PCT = 64, /* a trend of percentages: 100 is its full height */
	/* What a number is, for whoever compares two tables of other times. */
	COLUMN_SUM = 128,   /* of the whole window: twice of it in a window twice as long */
	COLUMN_SHARE = 256, /* a share or a rate: a row that is not there has 0 of it, as of sums */
	COLUMN_LEVEL = 512, /* how it is at the window's end, no sum of the window and no rate */
	COLUMN_PROSE = 1024, /* a text that is read from its begin: cut behind a word */
	COLUMN_EXACT = 2048, /* a number that may be anybody's: all its digits, where there is room */
	COLUMN_OF_SOME = 4096, /* rows are of several kinds: shown though the first one has no such cell */
};

struct column {
	const char *name;  /* field name in json and csv: with its unit, never changed */
	const char *title; /* on screen */
	const char *help;  /* one line, for ? */
	enum value_type type;
	u8 width;    /* cells on screen, fixed from tick to tick; least width when FLEX */
	u8 priority; /* narrow screens drop the highest first; 0 is never dropped */
	u32 flags;
};

/* An immutable set of rows, in the view's sort order by default. */
struct row_table {
	const struct column *columns;
	u32 ncolumns;
	u32 nrows;
	/* So many of them stay before, or behind, the others, by whatever rows are sorted. */
	u32 nfirst, nlast;
	u32 sort; /* column that the rows are sorted by as they come */
	/* Fills *out; false when the column does not apply to this grouping. */
	bool (*cell)(const struct row_table *t, u32 row, u32 column, struct value *out);
	/* Stable identity of a row across tables: selection, fold state, exclusion. */
	u64 (*key)(const struct row_table *t, u32 row);
};

/* The size of a change as a value of what changed, and whether it is a decrease. */
static inline struct value value__size_of(const struct value *change, bool *less)
{
	if (change->n == VALUE_PCT) {
		*less = change->f < 0;
		return (struct value){.type = VALUE_PCT, .f = *less ? -change->f : change->f};
	}
	*less = change->i < 0;
	return (struct value){.type = (enum value_type)change->n,
			      .u = *less ? 0 - (u64)change->i : (u64)change->i};
}

/* A number that is counted from `zero`: below it it is below 0. */
static inline struct value value__from_zero(u64 n, u64 zero, enum value_type type)
{
	if (n < zero)
		return (struct value){.type = VALUE_CHANGE, .n = type, .i = (s64)(n - zero)};
	return (struct value){.type = type, .u = n - zero};
}

/* More are never on a screen. */
#define ROW_TABLE_COLUMNS 64

/* Columns for the screen that apply to these rows; an empty table has all. Returns how many are in out,
 * which holds ROW_TABLE_COLUMNS. */
u32 row_table__screen(const struct row_table *t, u8 *out);
/* Of those the ones that are named, commas or blanks between, in that order; unknown names are left
 * out. */
u32 row_table__named(const struct row_table *t, const char *names, u8 *out);
/* The first name in the list that is none of theirs into buf; false when there is no such. */
bool row_table__unknown(const struct row_table *t, const char *names, char *buf, size_t size);

/* Fills order[0..nrows) with row positions sorted by a column; stable, so ties keep their
 * place. O(n log n), no allocation kept. */
void row_table__sort(const struct row_table *t, u32 column, bool descending, u32 *order);

#endif
