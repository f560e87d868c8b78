/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an event has, as its resolver tells: fields with their types and where they are. One
 * resolver an event: that of tracepoints is questions/format.h; others are of BTF (arguments of
 * tracepoints, members of the kernel's types), DWARF (arguments of functions) or a fixed table
 * (perf events). A resolver is not changed while anybody uses it, and may be used by one thread at
 * a time.
 */
#ifndef QUESTIONS_FIELDS_H
#define QUESTIONS_FIELDS_H

#include "base/base.h"

enum type_kind {
	TYPE_INT, /* of 1, 2, 4 or 8 bytes; enums and bool too */
	TYPE_TEXT,
	TYPE_POINTER, /* a number of 8 bytes without sign; with type_id, `->` takes members */
	TYPE_RECORD,  /* a struct or union: nothing but its members can be had, by `.` or `->` */
	TYPE_STACK,   /* kstack, ustack, stack: a key or a value as a whole */
};

struct field_type {
	enum type_kind kind;
	u8 size; /* TYPE_INT: bytes */
	bool is_signed;
	bool user;   /* what a pointer points to, and a record behind it, is in user memory */
	u32 type_id; /* TYPE_POINTER to a record, TYPE_RECORD, TYPE_INT of an enum: of the
			type_resolver, 0 none */
};

/* How a text is found at its field's offset. */
enum text_at {
	TEXT_ARRAY,    /* bytes of `length`, ended by a NUL or full */
	TEXT_POINTER,  /* 8 bytes: address of a string, in user memory when type.user */
	TEXT_DATA_LOC, /* 4 bytes: length << 16 | offset from the context's begin */
	TEXT_REL_LOC,  /* the same from the end of these 4 bytes */
	TEXT_SIZED,    /* 8 bytes: address in user memory; `length_at` from them 8 more: its bytes,
			  behind which there need be no NUL */
};

/* Where a field of an event is. */
enum field_at {
	FIELD_IN_CONTEXT,
	FIELD_NUMBER,	  /* `number` itself */
	FIELD_KEPT,	  /* entry[index] of the frame: what the program around it has counted */
	FIELD_AT_ADDRESS, /* in user memory, where the 8 bytes at `offset` of the context, those at `index`
			     times `scale` (0: none), and `number` together say */
	FIELD_OF_SAMPLE,  /* what `sample` says of the sample that a perf event's program runs for */
};

struct sample_field; /* questions/sample_fields.h */

struct field {
	struct field_type type;
	enum field_at at;
	s64 number;
	u32 index;
	u8 scale;
	u32 offset; /* in the event's context, or in the record */
	u32 length; /* TEXT_ARRAY: bytes */
	s32 length_at; /* TEXT_SIZED */
	u8 text_at;
	u8 bit_at, bits; /* of a bit field: bits from bit_at of the `type.size` bytes at the offset,
			    as a little-endian machine counts them; bits 0: no bit field */
	bool wide; /* in a context: 8 bytes are there, of which the low type.size are the value
		      (registers, arguments of raw tracepoints): read whole, then cut */
	bool unreadable; /* in a tracepoint's record, but the kernel hands it to no program (its
			    first 8 bytes): refused with `why` */
	const char *why;
	const struct sample_field *sample;
	/* What a value of it alone is called; NULL: it is a number. */
	void (*say)(u64 value, char *buf, size_t size);
};

/* Members of records, by the resolver's ids. */
struct type_resolver {
	/* The id of `struct NAME` or `union NAME`, 0: there is none; for casts. */
	u32 (*find)(const struct type_resolver *r, const char *name);
	/* 0 or -ENOENT; anonymous structs and unions are looked through. The offset is from the
	 * begin of the record. */
	int (*member)(const struct type_resolver *r, u32 type_id, const char *name,
		      struct field *out);
	/* The i-th member's name into buf, false: there are no more. For messages. */
	bool (*name)(const struct type_resolver *r, u32 type_id, u32 i, char *buf, size_t size);
	/* The i-th value of an enum and its name, false: there are no more. NULL: none has names. */
	bool (*constant)(const struct type_resolver *r, u32 type_id, u32 i, char *buf, size_t size,
			 s64 *value);
	/* The id of a function that programs may call, 0: there is none. NULL: it knows of none. */
	u32 (*function)(const struct type_resolver *r, const char *name);
};

struct field_resolver {
	/* 0, -ENOENT: the event has no such field. */
	int (*field)(const struct field_resolver *r, const char *name, struct field *out);
	/* As above, of the event's fields. */
	bool (*name)(const struct field_resolver *r, u32 i, char *buf, size_t size);
	/* What is no field, but a name of a number that never changes: FIELD_NUMBER, or -ENOENT. NULL:
	 * there are none. */
	int (*constant)(const struct field_resolver *r, const char *name, struct field *out);
	const struct type_resolver
		*types;	   /* of its pointers and records; NULL: they have no members */
	const char *event; /* for messages */
};

#endif
