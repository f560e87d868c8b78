/* SPDX-License-Identifier: GPL-2.0-only */
/* An event made up for tests of questions: fields of every width and sign, whole and in bits,
 * aligned and not, a pointer to a record, strings; and memory that is read as it is. */
#ifndef TESTS_LIB_QUESTION_EVENT_H
#define TESTS_LIB_QUESTION_EVENT_H

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/lib/question_interpret.h"

#define TEST_CONTEXT 96 /* bytes: as many as a raw tracepoint has */

/* The same as members of an event and of a record; the C text is what a compiler is told of them.
 */
#define TEST_RECORD                                                                                \
	"struct record { signed char a1; unsigned char b1; short a2; unsigned short b2; "          \
	"unsigned short gap; int a4; unsigned b4; long a8; unsigned long b8; "                     \
	"unsigned i3 : 3; int j5 : 5; unsigned k24 : 24; char gap2; unsigned x4; long y8; "        \
	"short z2; char gap3[5]; int w4; int gap4; struct record *p; char name[16]; char *str; } " \
	"__attribute__((packed));\n"

struct record {
	signed char a1;
	unsigned char b1;
	short a2;
	unsigned short b2;
	unsigned short gap;
	int a4;
	unsigned b4;
	long a8;
	unsigned long b8;
	unsigned i3 : 3;
	int j5 : 5;
	unsigned k24 : 24;
	char gap2;
	unsigned x4;
	long y8;
	short z2;
	char gap3[5];
	int w4;
	int gap4;
	struct record *p;
	char name[16];
	char *str;
} __attribute__((packed));

#define INT_FIELD(n, bytes, sign)                                                                  \
	{                                                                                          \
#n,                                                                                \
		{                                                                                  \
			.type = {.kind = TYPE_INT, .size = bytes, .is_signed = sign},              \
			.offset = offsetof(struct record, n)                                       \
		}                                                                                  \
	}
#define BIT_FIELD(n, sign, at, width)                                                              \
	{                                                                                          \
#n,                                                                                \
		{                                                                                  \
			.type = {.kind = TYPE_INT, .size = 4, .is_signed = sign}, .offset = 32,    \
			.bit_at = at, .bits = width                                                \
		}                                                                                  \
	}
static const struct {
	const char *name;
	struct field field;
} record_fields[] = {
	INT_FIELD(a1, 1, true),
	INT_FIELD(b1, 1, false),
	INT_FIELD(a2, 2, true),
	INT_FIELD(b2, 2, false),
	INT_FIELD(a4, 4, true),
	INT_FIELD(b4, 4, false),
	INT_FIELD(a8, 8, true),
	INT_FIELD(b8, 8, false),
	BIT_FIELD(i3, false, 0, 3),
	BIT_FIELD(j5, true, 3, 5),
	BIT_FIELD(k24, false, 8, 24),
	INT_FIELD(x4, 4, false),
	INT_FIELD(y8, 8, true),
	INT_FIELD(z2, 2, true),
	{"w4",
	 {.type = {.kind = TYPE_INT, .size = 4, .is_signed = true}, .offset = 56, .wide = true}},
	{"p", {.type = {.kind = TYPE_POINTER, .user = true, .type_id = 1}, .offset = 64}},
	{"name", {.type = {.kind = TYPE_TEXT}, .offset = 72, .length = 16, .text_at = TEXT_ARRAY}},
	{"str", {.type = {.kind = TYPE_TEXT, .user = true}, .offset = 88, .text_at = TEXT_POINTER}},
};
#define RECORD_NUMBERS 15 /* the first ones */

static inline int record_field(const char *name, struct field *out)
{
	for (u32 i = 0; i < ARRAY_SIZE(record_fields); i++)
		if (!strcmp(record_fields[i].name, name)) {
			*out = record_fields[i].field;
			return 0;
		}
	return -ENOENT;
}

static inline bool record_name(u32 i, char *buf, size_t size)
{
	if (i >= ARRAY_SIZE(record_fields))
		return false;
	copy_str(buf, size, record_fields[i].name);
	return true;
}

static inline u32 record_find(const struct type_resolver *r, const char *name)
{
	return !strcmp(name, "record");
}

static inline int record_member(const struct type_resolver *r, u32 id, const char *name,
				struct field *out)
{
	return record_field(name, out);
}

static inline bool record_member_name(const struct type_resolver *r, u32 id, u32 i, char *buf,
				      size_t size)
{
	return record_name(i, buf, size);
}

static inline int event_field(const struct field_resolver *r, const char *name, struct field *out)
{
	return record_field(name, out);
}

static inline bool event_field_name(const struct field_resolver *r, u32 i, char *buf, size_t size)
{
	return record_name(i, buf, size);
}

static const struct type_resolver test_types = {
	.find = record_find, .member = record_member, .name = record_member_name};
static const struct field_resolver test_fields = {.field = event_field, .name = event_field_name,
						  .types = &test_types, .event = "test:event"};

/* As the kernel reads for a program: any address may be asked for. */
static inline bool own_bytes(u64 addr, void *buf, u32 size)
{
	struct iovec to = {buf, size}, from = {(void *)addr, size};

	return addr >= 4096 && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

static inline int own_memory(void *ctx, bool user, u64 addr, void *buf, u32 size)
{
	return own_bytes(addr, buf, size) ? 0 : -EFAULT;
}

static inline int own_text(void *ctx, bool user, u64 addr, char *buf, u32 size)
{
	u32 n = 0;

	for (; n + 1 < size; n++) {
		if (!own_bytes(addr + n, &buf[n], 1))
			return -EFAULT;
		if (!buf[n])
			return (int)n;
	}
	buf[n] = '\0';
	return (int)n;
}

static const struct interpret_memory test_memory = {own_memory, own_text, NULL};

/* Same seed, same numbers: splitmix64. */
static inline u64 next_random(u64 *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return mix64(*state);
}

static inline u32 below(u64 *state, u32 n)
{
	return (u32)(next_random(state) % n);
}

/* What arithmetic goes wrong at is not rare among them. */
static inline u64 odd_number(u64 *state)
{
	static const u64 edges[] = {
		0,	    1,		2,	   7,	       31,	   32,
		33,	    63,		64,	   127,	       128,	   255,
		256,	    32767,	32768,	   65535,      INT32_MAX,  1ULL << 31,
		UINT32_MAX, 1ULL << 32, INT64_MAX, 1ULL << 63, UINT64_MAX, 0xffffffff80000000ULL,
		(u64)-2};
	u64 v = next_random(state);

	switch (below(state, 4)) {
	case 0:
		return edges[v % ARRAY_SIZE(edges)];
	case 1:
		return v % 100;
	case 2:
		return 0 - v % 100;
	default:
		return v >> below(state, 64);
	}
}

/* Random bytes everywhere but in pointers and strings. */
static inline void fill_record(struct record *r, u64 *state, struct record *to, char *str)
{
	static const char *const names[] = {
		"", "a", "bash", "systemd-journal", "kworker/0:1", "swapper/1", "0123456789abcdef"};

	r->a1 = (signed char)odd_number(state);
	r->b1 = (unsigned char)odd_number(state);
	r->a2 = (short)odd_number(state);
	r->b2 = (unsigned short)odd_number(state);
	r->a4 = (int)odd_number(state);
	r->b4 = (unsigned)odd_number(state);
	r->a8 = (long)odd_number(state);
	r->b8 = odd_number(state);
	r->i3 = odd_number(state) & 7;
	r->j5 = (int)((u32)odd_number(state) << 27) >> 27;
	r->k24 = odd_number(state) & 0xffffff;
	r->x4 = (unsigned)odd_number(state);
	r->y8 = (long)odd_number(state);
	r->z2 = (short)odd_number(state);
	r->w4 = (int)odd_number(state);
	r->gap4 = (int)odd_number(state);
	r->p = to;
	r->str = str;
	strncpy(r->name, names[below(state, ARRAY_SIZE(names))], sizeof(r->name));
}

#endif
