/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of export/ only. */
#ifndef EXPORT_EXPORT_IMPL_H
#define EXPORT_EXPORT_IMPL_H

#include "export/export.h"

#define FORMAT(id, name, suffix, needs, flags, help)                                                      \
	int export_##id(FILE *out, const struct report *r, bool first);
#include "export/formats.def"
#undef FORMAT

/* Position of the i-th row in the report's order. */
static inline u32 report__row(const struct report *r, u32 i)
{
	return r->order ? r->order[i] : i;
}

/* The cell; false when its column does not apply to the row. */
static inline bool report__cell(const struct report *r, u32 row, u32 column, struct value *v)
{
	return r->rows->cell(r->rows, row, column, v);
}

/* --- what all write with (export/write.c) --- */

/* Host and kernel release that the report is about. */
const char *report__host(const struct report *r);
const char *report__kernel(const struct report *r);

/* After writing: 0, or -errno of a stream that did not take everything. */
int export__flush(FILE *out);
/* snprintf with a decimal point, whatever the locale. */
int format_c(char *buf, size_t size, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Shortest decimal that reads back as the same double; false for NaN and infinities. */
bool format_double(char *buf, size_t size, double d);

/* --- JSON (export/json_value.c, export/json_scope.c) --- */
struct json_object;
/* A string made valid UTF-8. */
struct json_object *export__json_string(const char *s);
/* NULL, JSON's null, of what is no number. */
struct json_object *export__json_double(double d);
/* NULL is JSON's null. */
struct json_object *export__json_value(const struct value *v);
/* A member that is a string, "" for NULL. */
void export__json_text(struct json_object *o, const char *name, const char *s);
/* The columns of a row that are exported. */
struct json_object *export__json_row(const struct row_table *t, u32 row);
/* Writes and frees it; 0 or -errno. */
int export__put_json(FILE *out, struct json_object *o);
/* The scope as {"expr":..., normal form}. */
struct json_object *export__scope_json(const char *expr);

/* --- words for people (export/words.c) --- */

/* Text in an element or a quoted attribute of XML and HTML, whatever is in it. */
void export__put_xml(FILE *out, const char *s);
/* Text that goes into one line, whatever is in it. */
void export__put_clean(FILE *out, const char *s);

/* The time of day now, with the zone; "" when it cannot be told. */
#define DATE_SIZE 64
void export__date(char buf[DATE_SIZE]);

/* A value as people read it. */
#define CELL_SIZE 64 /* bytes of a number as text */
/* v's own text or in buf; "" of what is for programs. */
const char *export__cell_text(const struct value *v, char buf[CELL_SIZE]);
/* A cell as people read it, "" of a column that does not apply: what is not known of a number is a
 * dash. top: of a trend, what is its full height (export__top). */
const char *export__cell(const struct report *r, u32 row, u32 column, float top, char buf[CELL_SIZE]);
/* The greatest of a column of trends, so that rows have one scale; 0 of any other. */
float export__top(const struct report *r, u32 column);
/* "wait_p50_ns" as people read it: "wait p50", as the value says its unit; buf of CELL_SIZE. */
const char *export__title(const char *name, char buf[CELL_SIZE]);
/* What was looked at and how far it can be trusted, in words, name by name. */
void export__head(const struct report *r, void (*put)(void *ctx, const char *name, const char *text),
		  void *ctx);

#endif
