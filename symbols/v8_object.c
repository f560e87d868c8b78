// SPDX-License-Identifier: GPL-2.0-only
/* Objects of V8 and its texts, which are of many forms. */
#include "base/utf8.h"
#include "symbols/v8.h"

#define TEXT_LENGTH    12
#define TEXT_CHARS     16
#define NOT_TEXT       0xff80 /* of types */
#define FORM	       7
#define ONE_BYTE       8
#define NOT_CACHED     16 /* external ones alone: where its characters are is not in it */
#define CHARS_MAX      SCRIPT_FILE_MAX
#define INDIRECTIONS   8  /* from one text to the one that it is a part of */
#define PIECES	       16 /* of a text that is put together */

enum text_form { TEXT_PLAIN, TEXT_CONS, TEXT_EXTERNAL, TEXT_SLICED, TEXT_THIN = 5 };

bool v8__word(const struct process_memory *m, u64 object, u32 at, u64 *word)
{
	return (object & 7) == V8_TAG && memory__u64(m, object - V8_TAG + at, word);
}

static bool type_of(const struct v8 *v, const struct process_memory *m, u64 object, u16 *type)
{
	u64 map;

	return v8__word(m, object, 0, &map) && (map & 7) == V8_TAG &&
	       memory__u16(m, map - V8_TAG + v->of[V8_MAP_TYPE], type);
}

bool v8__is(const struct v8 *v, const struct process_memory *m, u64 object, enum v8_constant type)
{
	u16 is;

	return type_of(v, m, object, &is) && is == v->of[type];
}

bool v8__number(u64 word, u32 *number)
{
	*number = (u32)(word >> 32);
	return !(word & UINT32_MAX) && *number <= INT32_MAX;
}

/* --- texts --- */

static bool text_type(const struct v8 *v, const struct process_memory *m, u64 text, u16 *type,
		      u32 *length)
{
	return type_of(v, m, text, type) && !(*type & NOT_TEXT) &&
	       memory__u32(m, text - V8_TAG + TEXT_LENGTH, length);
}

/* Goes to the text that has the characters, from `skip` of them on; false: there is none. */
static bool follow(const struct v8 *v, const struct process_memory *m, u16 type, u64 *text,
		   u64 *skip)
{
	u64 word;
	u32 number;

	switch (type & FORM) {
	case TEXT_THIN:
		return v8__word(m, *text, v->of[V8_THIN_ACTUAL], text);
	case TEXT_SLICED:
		if (!v8__word(m, *text, v->of[V8_SLICED_OFFSET], &word) ||
		    !v8__number(word, &number))
			return false;
		*skip += number;
		return v8__word(m, *text, v->of[V8_SLICED_PARENT], text);
	case TEXT_CONS: /* its second part is empty once it was put together */
		if (!v8__word(m, *text, v->of[V8_CONS_SECOND], &word) ||
		    !text_type(v, m, word, &type, &number) || number)
			return false;
		return v8__word(m, *text, v->of[V8_CONS_FIRST], text);
	default:
		return false;
	}
}

bool v8_text__chars(const struct v8 *v, const struct process_memory *m, u64 text,
		    struct v8_chars *out)
{
	u64 skip = 0;
	u32 n, of;
	u16 type;

	if (!text_type(v, m, text, &type, &n))
		return false;
	for (u32 i = 0; i < INDIRECTIONS; i++) {
		u32 form = type & FORM;

		if (form == TEXT_PLAIN || form == TEXT_EXTERNAL)
			break;
		if (!follow(v, m, type, &text, &skip) || !text_type(v, m, text, &type, &of))
			return false;
	}
	out->size = type & ONE_BYTE ? 1 : 2;
	out->n = n;
	out->at = text - V8_TAG + TEXT_CHARS;
	if ((type & FORM) == TEXT_EXTERNAL) {
		if (type & NOT_CACHED ||
		    !v8__word(m, text, v->of[V8_EXTERNAL_RESOURCE] + 8, &out->at))
			return false;
	} else if ((type & FORM) != TEXT_PLAIN) {
		return false;
	}
	out->at += skip * out->size;
	return true;
}

static size_t put_chars(const struct process_memory *m, const struct v8_chars *c, char *to,
			size_t size)
{
	u8 chars[2 * CHARS_MAX];
	size_t used = 0;
	u32 n = (u32)MIN(c->n, (u64)MIN(size, (size_t)CHARS_MAX) - 1);

	if (!n || !m->read(m->ctx, c->at, chars, (size_t)n * c->size))
		return 0;
	for (u32 i = 0; i < n && used + 4 < size; i++) {
		u16 one = chars[i], two;

		memcpy(&two, chars + (c->size == 2 ? 2 * i : 0), sizeof(two));
		used += utf8__encode(c->size == 2 ? two : one, to + used);
	}
	return used;
}

/* The parts of one that was not put together yet lie in a tree, which is gone through from the left. */
bool v8_text__read(const struct v8 *v, const struct process_memory *m, u64 text, char *to,
		   size_t size)
{
	u64 left[PIECES];
	u32 nleft = 0, length;
	size_t used = 0;
	u16 type;

	if (!text_type(v, m, text, &type, &length))
		return false;
	left[nleft++] = text;
	for (u32 i = 0; i < PIECES && nleft && used + 4 < size; i++) {
		u64 at = left[--nleft], first, second;
		struct v8_chars c;

		if (v8_text__chars(v, m, at, &c)) {
			used += put_chars(m, &c, to + used, size - used);
		} else if (text_type(v, m, at, &type, &length) && (type & FORM) == TEXT_CONS &&
			   nleft + 2 <= PIECES && v8__word(m, at, v->of[V8_CONS_FIRST], &first) &&
			   v8__word(m, at, v->of[V8_CONS_SECOND], &second)) {
			left[nleft++] = second;
			left[nleft++] = first;
		}
	}
	to[used] = '\0';
	return strlen(to) == used;
}
