/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables that are declared: of each column what it is called, where rows have it, what it is, in
 * which groupings it applies and in which sets of columns it is on screen. Pure.
 */
#ifndef MODELS_FIELDS_H
#define MODELS_FIELDS_H

#include "models/query_result.h"

enum field_kind {
	FIELD_NUMBER, /* unsigned, of any size */
	FIELD_FLOAT,  /* a double */
	FIELD_TEXT,   /* const char *; NULL: not known */
	FIELD_CHARS,  /* char[] */
	FIELD_NAMED,  /* a number: `names` has its name */
	FIELD_TREND,  /* float[TREND_LEN] */
	FIELD_VALUE,  /* a struct value */
	FIELD_RATE,   /* a number, per second of the answer's window */
	FIELD_MEAN,   /* a number by that at `by` */
	FIELD_PART,   /* likewise, in %, 100 at most */
	FIELD_AGO,    /* a time: how long before the snapshot's end it was */
	FIELD_MADE,   /* `make` fills the value, whose type is set */
};

struct field {
	struct column column;
	enum field_kind kind;
	u16 at, by, size;
	/* What `at`, `by` and `unless` are offsets in: the row, or what the pointer that the row
	 * has at via - 1 leads to. */
	u16 via;
	u16 unless, unless_size; /* 1 more than where a number is that is 0 where it is not known */
	const char *unknown;	 /* then it is this text; NULL: none */
	const char *const *names;
	void (*make)(const struct query_result *a, const void *row, struct value *out);
	u32 groups; /* a bit for each grouping that it applies in; 0: all */
	u32 except; /* likewise: that it does not apply in */
	u32 keys;   /* likewise: it names rows */
	u32 sets;   /* a bit for each set of columns that it is on screen in; 0: all */
	bool if_any; /* on screen where a row has it */
	bool by_host; /* there is none of it where there is one host */
};

/* What tells that processes are there no more, and how they were started; of a row's members `ended` and
 * `cmdline`. For groupings by process or thread. */
#define END_FIELDS(T, groups_)                                                                     \
	{ENDED_COLUMN, NUMBER_AT(T, ended), .groups = groups_},                                    \
	{                                                                                          \
		END_COLUMN, NAMED_AT(T, ended, end_names), .groups = groups_, .if_any = true       \
	}
#define STARTS_FIELD(T, groups_)                                                                   \
	{                                                                                          \
		STARTS_COLUMN, NUMBER_AT(T, starts), UNLESS_0(T, starts), .groups = groups_        \
	}
#define CMDLINE_FIELD(T, groups_)                                                                  \
	{                                                                                          \
		CMDLINE_COLUMN, TEXT_AT(T, cmdline), .groups = groups_, .if_any = true             \
	}
/* Whose rows are, where recordings of several machines are open: of a row's member `host`. */
#define HOST_FIELD(T, groups_, keys_)                                                              \
	{                                                                                          \
		HOST_COLUMN, TEXT_AT(T, host), .groups = groups_, .keys = keys_, .if_any = true,   \
					       .by_host = true                                     \
	}
#define THREAD_NAME_FIELD(T, member, groups_)                                                      \
	{                                                                                          \
		THREAD_NAME_COLUMN, TEXT_AT(T, member), .groups = groups_, .if_any = true          \
	}
extern const char *const end_names[2];

#define FIELD_AT(T, member)  .at = offsetof(T, member), .size = sizeof(((T *)0)->member)
#define NUMBER_AT(T, member) FIELD_AT(T, member)
#define FLOAT_AT(T, member)  .kind = FIELD_FLOAT, FIELD_AT(T, member)
#define TEXT_AT(T, member)   .kind = FIELD_TEXT, FIELD_AT(T, member)
#define CHARS_AT(T, member)  .kind = FIELD_CHARS, FIELD_AT(T, member)
#define TREND_AT(T, member)  .kind = FIELD_TREND, FIELD_AT(T, member)
#define VALUE_AT(T, member)  .kind = FIELD_VALUE, FIELD_AT(T, member)
#define RATE_AT(T, member)   .kind = FIELD_RATE, FIELD_AT(T, member)
#define AGO_AT(T, member)    .kind = FIELD_AGO, FIELD_AT(T, member)
#define PART_AT(T, member, of)                                                                     \
	.kind = FIELD_PART, FIELD_AT(T, member), .by = offsetof(T, of), UNLESS_0(T, of)
#define NAMED_AT(T, member, table) .kind = FIELD_NAMED, FIELD_AT(T, member), .names = table
#define MADE_BY(function)	   .kind = FIELD_MADE, .make = function
#define UNLESS_0(T, member)                                                                        \
	.unless = offsetof(T, member) + 1, .unless_size = sizeof(((T *)0)->member)
#define VIA(T, member) .via = offsetof(T, member) + 1

/* Rows of so many bytes, each of which begins with its key, a u64. */
struct rows_of {
	const struct field *fields;
	const void *rows;
	size_t size;
	u32 groups;
};

/* Fills the answer's table, in its arena: n rows of so many bytes, of groupings (bits) and a set of
 * columns; sort: the name of the column that they come sorted by. Columns may be changed. */
struct column *query_result__table(struct query_result *a, const struct field *fields, u32 nfields,
				   const void *rows, u32 n, size_t size, u32 groups, u32 set,
				   const char *sort);
#define RESULT_TABLE(a, fields, rows, n, group, set, sort)                                         \
	query_result__table(a, fields, ARRAY_SIZE(fields), rows, n, sizeof((rows)[0]),             \
			    1u << (group), set, sort)

/* Where command lines are on screen they take what width is left, not the names beside them. */
void columns__fit_cmdline(struct column *columns, u32 n);
/* By name; NULL: there is none. */
struct column *column__named(struct column *columns, u32 n, const char *name);

#endif
