// SPDX-License-Identifier: GPL-2.0-only
/*
 * What Java's threads are called. The virtual machine gives the kernel the first 15 bytes of a name, which is
 * what tells it: of the texts that a java.lang.Thread leads to it is the one that begins so. Where its fields
 * are need not be known, nor how references look, which are tried as four bytes and as eight.
 */
#include "base/utf8.h"
#include "symbols/hotspot.h"

#define THREAD_BYTES 160 /* of a java.lang.Thread, and more than it has */
#define STRING_BYTES 32
#define HEADER	     8	/* of objects: at least so much */
#define NAME_BYTES   256
#define HANDLES	     16 /* the version from which on references to objects are read through one more */

u32 hotspot_threads__list(const struct hotspot *h, const struct process_memory *m, struct runtime_thread *to,
			  u32 max)
{
	const struct hotspot_threads *t = &h->threads;
	u64 list, threads, thread, os;
	u32 n = 0, length;

	if (!t->list || !memory__u64(m, t->list, &list) || !memory__u32(m, list + t->length, &length) ||
	    !memory__u64(m, list + t->threads, &threads))
		return 0;
	for (u32 i = 0; i < length && i < max; i++) {
		if (!memory__u64(m, threads + 8ULL * i, &thread) || !memory__u64(m, thread + t->os, &os) ||
		    !memory__u32(m, os + t->id, &to[n].tid))
			continue;
		to[n].at = thread;
		n += to[n].tid != 0;
	}
	return n;
}

/* --- texts --- */

/* As UTF-8, from bytes of so many a character; 0 ends it. */
static void encode(const u8 *chars, u32 bytes, u32 each, char *to, size_t size)
{
	size_t used = 0;

	for (u32 i = 0; i + each <= bytes && used + 4 < size; i += each)
		used += utf8__encode(chars[i] | (each == 2 ? (u32)chars[i + 1] << 8 : 0), to + used);
	to[used] = '\0';
}

/* Whether what is said to be an array of bytes begins as comm does, and is longer. */
static bool is_name(const struct process_memory *m, u64 array, const char *comm, char *to, size_t size)
{
	u8 bytes[NAME_BYTES + 24];
	size_t prefix = strlen(comm);
	u32 length;

	/* The length is before what is in it: references to classes are of four bytes, or of eight. */
	if (!array || array & 7 || !m->read(m->ctx, array, bytes, 32))
		return false;
	for (u32 at = 12; at <= 16; at += 4) {
		u32 data = at == 12 ? 16 : 20;

		memcpy(&length, bytes + at, sizeof(length));
		if (length <= prefix / 2 || length > NAME_BYTES ||
		    !m->read(m->ctx, array + data, bytes + 24, length))
			continue;
		for (u32 each = 1; each <= 2; each++) {
			encode(bytes + 24, length, each, to, size);
			if (strlen(to) > prefix && !strncmp(to, comm, prefix))
				return true;
		}
		memset(bytes + 24, 0, sizeof(bytes) - 24);
	}
	return false;
}

/* A reference among the bytes of an object: how many bytes it has and what it leads to. */
static u64 reference(const struct hotspot_threads *t, const u8 *object, u32 at, u32 size)
{
	u32 narrow;
	u64 wide;

	memcpy(&narrow, object + at, sizeof(narrow));
	memcpy(&wide, object + at / 8 * 8, sizeof(wide));
	return size == 8 ? wide : narrow ? t->narrow_base + ((u64)narrow << t->narrow_shift) : 0;
}

static bool is_string_named(const struct hotspot_threads *t, const struct process_memory *m, u64 string,
			    u32 size, const char *comm, char *to, size_t room)
{
	u8 object[STRING_BYTES];

	if (!string || string & 7 || !m->read(m->ctx, string, object, sizeof(object)))
		return false;
	for (u32 at = HEADER; at + size <= sizeof(object); at += size)
		if (is_name(m, reference(t, object, at, size), comm, to, room))
			return true;
	return false;
}

bool hotspot_thread__name(const struct hotspot *h, const struct process_memory *m, u64 thread,
			  const char *comm, char *to, size_t size)
{
	const struct hotspot_threads *t = &h->threads;
	u8 object[THREAD_BYTES];
	u64 at;

	/* A shorter one is the name. */
	if (strlen(comm) != HOTSPOT_COMM || !memory__u64(m, thread + t->object, &at) || !at ||
	    (h->version >= HANDLES && !memory__u64(m, at, &at)) || !m->read(m->ctx, at, object, sizeof(object)))
		return false;
	for (u32 each = 4; each <= 8; each += 4)
		for (u32 i = HEADER; i + each <= sizeof(object); i += each)
			if (is_string_named(t, m, reference(t, object, i, each), each, comm, to, size))
				return true;
	return false;
}
