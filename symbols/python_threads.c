// SPDX-License-Identifier: GPL-2.0-only
/*
 * What CPython's threads are called. A thread that the module threading has begun runs Thread._bootstrap
 * outermost, whose first variable is the Thread; what that has in _name is the name. Where things are
 * in types and in dictionaries is as headers of the versions have it on 64-bit machines; the key has to read
 * "_name", and what it leads to has to be a text.
 */
#include "symbols/python.h"

#define FRAMES_MAX  256 /* of a thread that is deeper the name is read another time */
#define STATES_MAX  4096
#define KEYS_MAX    64
#define TYPE_WORD   8  /* of an object: its type */
#define TYPE_BASIC  32 /* of a type: how large its objects are */
#define TYPE_DICT   288 /* and where their dictionary is */
#define DICT_KEYS   32
#define DICT_VALUES 40
#define OWNER_SHIM  3  /* FRAME_OWNED_BY_CSTACK */
#define STATE_TID   8 /* behind the state's thread_id, from 3.11 on */

/* In what the C library calls a thread (glibc). */
#if defined(__x86_64__)
#define PTHREAD_TID 720
#else
#define PTHREAD_TID 208
#endif

struct places {
	u32 variables; /* in a frame */
	u32 keys;      /* in a type: those that its objects share */
};

static struct places places_of(u32 minor)
{
	switch (minor) {
	case 9:
		return (struct places){360, 864};
	case 10:
		return (struct places){352, 872};
	case 11:
		return (struct places){72, 872};
	default:
		return (struct places){72, 880};
	}
}

/* --- the list --- */

static u32 tid_of(const struct python *p, const struct process_memory *m, u64 state)
{
	u64 id = 0, tid = 0;
	u32 in_library = 0;

	if (p->minor >= 11)
		return memory__u64(m, state + p->rt.thread_id + STATE_TID, &tid) ? (u32)tid : 0;
	if (!memory__u64(m, state + p->rt.thread_id, &id) ||
	    !memory__u32(m, id + PTHREAD_TID, &in_library))
		return 0;
	return in_library;
}

u32 python_threads__list(const struct python *p, const struct process_memory *m, struct runtime_thread *to,
			 u32 max)
{
	u64 interp = 0, state = 0;
	u32 n = 0, left = STATES_MAX;

	if (!memory__u64(m, p->rt.interpreters, &interp))
		return 0;
	while (interp && n < max && left--) {
		if (!state && !memory__u64(m, interp + p->rt.interp_threads, &state))
			break;
		if (state) {
			to[n] = (struct runtime_thread){tid_of(p, m, state), state};
			n += to[n].tid != 0;
			if (!memory__u64(m, state + p->rt.thread_next, &state))
				break;
		}
		if (!state && !memory__u64(m, interp + p->rt.interp_next, &interp))
			break;
	}
	return n;
}

/* --- its Thread --- */

static bool first_frame(const struct python *p, const struct process_memory *m, u64 state, u64 *frame)
{
	u64 at;

	if (!memory__u64(m, state + p->rt.thread_frame, &at))
		return false;
	if (p->rt.how == SCRIPT_ENTRIES || p->rt.how == SCRIPT_SHIMS)
		return at && memory__u64(m, at + p->rt.call_frame, frame);
	*frame = at;
	return true;
}

/* The code that a frame runs; false: none, it stands between calls from C. */
static bool code_of(const struct python *p, const struct process_memory *m, u64 frame, u64 *code)
{
	u8 owner = 0;
	u64 type;

	if (p->rt.how >= SCRIPT_SHIMS &&
	    (!m->read(m->ctx, frame + p->rt.frame_owner, &owner, sizeof(owner)) || owner == OWNER_SHIM))
		return false;
	return memory__u64(m, frame + p->rt.frame_code, code) && memory__u64(m, *code + TYPE_WORD, &type) &&
	       type == p->rt.code_type;
}

/* The outermost frame that runs code, and that; false: there are too many. */
static bool outermost(const struct python *p, const struct process_memory *m, u64 state, u64 *frame, u64 *code)
{
	u64 at = 0, runs;

	*code = 0;
	if (!first_frame(p, m, state, &at))
		return false;
	for (u32 i = 0; at && i < FRAMES_MAX; i++) {
		if (code_of(p, m, at, &runs)) {
			*frame = at;
			*code = runs;
		}
		if (!memory__u64(m, at + p->rt.frame_previous, &at))
			return false;
	}
	return !at && *code;
}

static bool is_bootstrap(const struct python *p, const struct process_memory *m, u64 code)
{
	const char *wanted = p->code_qualname ? "Thread._bootstrap" : "_bootstrap";
	char name[32];
	u64 text;

	return memory__u64(m, code + (p->code_qualname ? p->code_qualname : p->rt.code_name), &text) &&
	       python_text__read(p, m, text, name, sizeof(name)) && !strcmp(name, wanted);
}

/* --- its attributes --- */

/* An object's: keys, and the values that belong to them; values 0: they are with the keys. */
struct attributes {
	u64 keys, values;
};

static bool in_dict(const struct process_memory *m, u64 dict, u32 before, struct attributes *a)
{
	if (!dict || !memory__u64(m, dict + DICT_KEYS, &a->keys) ||
	    !memory__u64(m, dict + DICT_VALUES, &a->values))
		return false;
	if (a->values)
		a->values += before;
	return true;
}

/* Up to 3.10 there is a dictionary; later on values stand by themselves, until somebody asks for one. */
static bool find_attributes(const struct python *p, const struct process_memory *m, u64 object,
			    struct attributes *a)
{
	u64 type, at, word;
	u8 head[4];

	if (!memory__u64(m, object + TYPE_WORD, &type) ||
	    !memory__u64(m, type + places_of(p->minor).keys, &a->keys))
		return false;
	switch (p->minor) {
	case 9:
	case 10:
		return memory__u64(m, type + TYPE_DICT, &at) && at < 4096 &&
		       memory__u64(m, object + at, &word) && in_dict(m, word, 0, a);
	case 11:
		if (!memory__u64(m, object - 32, &a->values))
			return false;
		return a->values || (memory__u64(m, object - 24, &word) && in_dict(m, word, 0, a));
	case 12:
		if (!memory__u64(m, object - 24, &word))
			return false;
		a->values = word + 1;
		return word & 1 || in_dict(m, word, 0, a);
	default:
		if (!memory__u64(m, type + TYPE_BASIC, &at) || at > 4096 ||
		    !m->read(m->ctx, object + at, head, sizeof(head)))
			return false;
		a->values = object + at + 8;
		return head[3] || (memory__u64(m, object - 24, &word) && in_dict(m, word, 8, a));
	}
}

/* Where entries begin, and how many words each has. */
static bool find_entries(const struct python *p, const struct process_memory *m, u64 keys, u64 *at, u32 *words,
			 u32 *n)
{
	u64 head[5];
	u64 size;

	if (!m->read(m->ctx, keys, head, sizeof(head)))
		return false;
	if (p->minor >= 11) {
		u32 log2 = (u8)(head[1] >> 8);
		bool general = !(u8)(head[1] >> 16);

		*at = keys + 32 + (1ULL << (log2 & 31));
		*words = general ? 3 : 2;
		*n = (u32)MIN(head[3], (u64)KEYS_MAX);
		return log2 < 16;
	}
	size = head[1];
	*at = keys + 40 + size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : 4);
	*words = 3;
	*n = (u32)MIN(head[4], (u64)KEYS_MAX);
	return size < 65536;
}

static u64 attribute(const struct python *p, const struct process_memory *m, u64 object, const char *name)
{
	struct attributes a = {0};
	u64 at, key, value;
	u32 words, n;
	char text[32];

	if (!find_attributes(p, m, object, &a) || !find_entries(p, m, a.keys, &at, &words, &n))
		return 0;
	for (u32 i = 0; i < n; i++) {
		u64 entry = at + 8ULL * words * i + 8 * (words - 2);

		if (!memory__u64(m, entry, &key))
			return 0;
		if (!key || !python_text__read(p, m, key, text, sizeof(text)) || strcmp(text, name))
			continue;
		return memory__u64(m, a.values ? a.values + 8ULL * i : entry + 8, &value) ? value : 0;
	}
	return 0;
}

bool python_thread__name(const struct python *p, const struct process_memory *m, u64 state, char *to,
			 size_t size)
{
	u64 frame = 0, code, thread, name;

	if (!outermost(p, m, state, &frame, &code) || !is_bootstrap(p, m, code) ||
	    !memory__u64(m, frame + places_of(p->minor).variables, &thread))
		return false;
	name = attribute(p, m, thread, "_name");
	return name && python_text__read(p, m, name, to, size);
}
