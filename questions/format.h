/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A tracepoint's `format` file: the fields of its record, where they are, and what they are. Pure;
 * the text is the kernel's, but bounded and checked as if it were not: a field beyond
 * TRACE_RECORD_MAX, or one whose line says nothing that makes sense, is an error.
 */
#ifndef QUESTIONS_FORMAT_H
#define QUESTIONS_FORMAT_H

#include "base/arena.h"
#include "questions/fields.h"

#define TRACE_RECORD_MAX 8192 /* PERF_MAX_TRACE_SIZE of the kernels that have most */
#define TRACE_FIELDS_MAX 256
#define TRACE_FORMAT_MAX (1u << 20) /* bytes of a file */

struct trace_field {
	const char *name;
	const char *type; /* as C writes it, without the name and the array */
	u32 offset, size; /* bytes in the record */
	bool is_signed;
	bool common; /* of every event: common_pid ... */
	u32 array;   /* elements; 0: none, or their number is not known (dynamic) */
	bool is_array;
	u8 loc;		    /* enum trace_loc */
	struct field field; /* for expressions; arrays of numbers are TYPE_RECORD without members */
};

enum trace_loc { LOC_NONE, LOC_DATA, LOC_REL };

struct trace_format {
	const char *name; /* of the tracepoint */
	u32 id;
	struct trace_field *fields; /* in the file's order */
	u32 nfields;
	const char *print;		/* the print fmt line, "" none */
	struct field_resolver resolver; /* of this format */
	struct arena arena;
};

/* NULL when it is none, with one line of why in *err (column and length are of the text). Members
 * of pointers to the kernel's types are taken from `kernel`, which may be NULL. */
struct trace_format *trace_format__parse(const char *text, const struct type_resolver *kernel,
					 char *why, size_t size);
void trace_format__free(struct trace_format *f);

const struct trace_field *trace_format__field(const struct trace_format *f, const char *name);

#endif
