// SPDX-License-Identifier: GPL-2.0-only
/* Finding V8's optimised code by an address, and reading what it says of itself. */
#include "symbols/v8_code_impl.h"

#include <elf.h>

#include "base/clock.h"
#include "symbols/disasm.h"
#include "symbols/tables.h"

#define CODES	   256
#define MISSES	   4096
#define MISS_NS	   (5 * NSEC_PER_SEC)
#define CHUNK	   (V8_CHUNK_MASK + 1)
#define ALIGNMENT  64 /* of the first instruction */
#define BACK_MAX   (128u << 10) /* bytes from an instruction back to the first one; chunks have no larger code */
#define BACK_STEP  4096
#define CODE_MAX   (128u << 10)
#define ITEMS_MAX  (1u << 14) /* of an array */
#define BYTES_MAX  (1u << 17)
#define KEPT_MAX   (16u << 20) /* bytes; beyond all is read anew */
#define OF_ARRAY   16 /* where the first item is; its length comes before it */
#define KIND	   15
#define WEAK	   2

/* Of the array of the deoptimization data. */
enum {
	DATA_TRANSLATIONS = 0,
	DATA_LITERALS = 2,
	DATA_ID = 5,
	DATA_SHARED = 6,
	DATA_INLINED = 7,
	DATA_EAGER = 9,
	DATA_LAZY = 10,
	DATA_FIRST = 11,
	DATA_WORDS = 3, /* of each deoptimization */
};

/* Where none was found, and until when that is taken to be so. */
struct miss {
	u64 shared, until_ns;
	u32 tgid, unit;
};

struct v8_codes {
	struct v8_code *codes;
	u32 n, next;
	size_t bytes; /* that they have kept, about */
	struct miss misses[MISSES];
	struct disasm *disasm;
	bool has_disasm;
};

struct v8_codes *v8_codes__new(void)
{
	struct v8_codes *c = xcalloc(1, sizeof(*c));

	c->codes = xcalloc(CODES, sizeof(*c->codes));
	return c;
}

static void clear(struct v8_code *k)
{
	free(k->translation);
	free(k->call_pc);
	free(k->translations);
	free(k->literals);
	free(k->inlined);
	free(k->positions);
	*k = (struct v8_code){0};
}

static void forget(struct v8_codes *c)
{
	for (u32 i = 0; i < c->n; i++)
		clear(&c->codes[i]);
	c->n = c->next = 0;
	c->bytes = 0;
}

void v8_codes__free(struct v8_codes *c)
{
	forget(c);
	disasm__free(c->disasm);
	free(c->codes);
	free(c);
}

/* --- objects --- */

static bool is_tagged(u64 word)
{
	return (word & 7) == V8_TAG && word >> 47 == 0;
}

/* The items of an array, each of `size` bytes. NULL: it is none. */
static void *read_items(const struct process_memory *m, u64 array, u32 size, u32 most, u32 *n)
{
	u64 length;
	void *items;
	u32 count;

	*n = 0;
	if (!is_tagged(array) || !v8__word(m, array, OF_ARRAY - sizeof(u64), &length) ||
	    !v8__number(length, &count) || count > most)
		return NULL;
	items = xcalloc((size_t)count + 1, size);
	if (count && !m->read(m->ctx, array - V8_TAG + OF_ARRAY, items, (size_t)count * size)) {
		free(items);
		return NULL;
	}
	*n = count;
	return items;
}

/* --- finding code --- */

/* The object that describes what begins at `object`. */
static bool read_describing(const struct v8_layout *l, const struct process_memory *m, u64 object, u64 *to)
{
	*to = object;
	return !l->code ||
	       (memory__u64(m, object + l->code, to) && is_tagged(*to) && (*to -= V8_TAG) != 0);
}

/* Whether an object with optimised instructions begins there, and what tells it from others. */
static bool read_head(const struct v8 *v, const struct process_memory *m, u64 object, struct v8_code *k)
{
	const struct v8_layout *l = v->layout;
	u64 of, begin;
	u32 flags;

	*k = (struct v8_code){.object = object, .start = object + l->header};
	if (!memory__u64(m, object, &k->map) || !is_tagged(k->map) || !read_describing(l, m, object, &of) ||
	    !v8__is(v, m, of + V8_TAG, V8_TYPE_CODE) || !memory__u32(m, of + l->size, &k->size) ||
	    !memory__u32(m, of + l->flags, &flags) || !memory__u64(m, of + l->data, &k->data))
		return false;
	if (l->begin && (!memory__u64(m, of + l->begin, &begin) || begin != k->start))
		return false;
	/* Of other kinds it says nothing, but they are code that others do not reach into. */
	if ((flags & KIND) < l->optimised)
		k->data = 0;
	return k->size && k->size <= CODE_MAX;
}

/* From a place in a chunk back to where its code begins; false: there is none. */
static bool find_head(const struct v8 *v, const struct process_memory *m, u64 pc, u64 chunk, struct v8_code *k)
{
	u64 bytes[BACK_STEP / sizeof(u64)], at = pc & ~(u64)(ALIGNMENT - 1);
	u32 header = v->layout->header;

	for (u64 low = at & ~(u64)(BACK_STEP - 1); low >= chunk && pc - low < BACK_MAX; low -= BACK_STEP) {
		/* Where instructions begin early in the block the object does in the one before. */
		memset(bytes, 0, header);
		if (!m->read(m->ctx, low - header, bytes, sizeof(bytes)) &&
		    !m->read(m->ctx, low, (u8 *)bytes + header, sizeof(bytes) - header))
			return false;
		for (; at >= low; at -= ALIGNMENT) {
			u64 map = bytes[(at - low) / sizeof(u64)];

			if (is_tagged(map) && read_head(v, m, at - header, k))
				return pc - k->start < k->size;
		}
	}
	return false;
}

/* --- what it says --- */

static bool read_exits(struct v8_code *k, const u64 *words, u32 n)
{
	u32 lazy;

	if (n < DATA_FIRST || !v8__number(words[DATA_EAGER], &k->eager) || !v8__number(words[DATA_LAZY], &lazy) ||
	    !v8__number(words[DATA_ID], &k->id))
		return false;
	k->n = (n - DATA_FIRST) / DATA_WORDS;
	if (k->eager > k->n || k->eager + lazy > k->n)
		return false;
	k->translation = xcalloc(k->n + 1, sizeof(*k->translation));
	k->call_pc = xcalloc(k->n + 1, sizeof(*k->call_pc));
	for (u32 i = 0; i < k->n; i++) {
		const u64 *exit = words + DATA_FIRST + (size_t)DATA_WORDS * i;

		k->translation[i] = (s32)(exit[1] >> 32);
		k->call_pc[i] = (s32)(exit[2] >> 32);
	}
	return true;
}

static bool read_data(const struct v8 *v, const struct process_memory *m, struct v8_code *k)
{
	u64 positions = 0, of;
	u32 n;
	u64 *words = k->data ? read_items(m, k->data, sizeof(u64), ITEMS_MAX, &n) : NULL;
	bool ok = words && read_exits(k, words, n);

	if (ok) {
		k->shared = words[DATA_SHARED] - V8_TAG;
		k->translations = read_items(m, words[DATA_TRANSLATIONS], 1, BYTES_MAX, &k->ntranslations);
		k->literals = read_items(m, words[DATA_LITERALS], sizeof(u64), ITEMS_MAX, &k->nliterals);
		k->inlined = read_items(m, words[DATA_INLINED], 1, BYTES_MAX, &k->ninlined);
		k->ninlined /= 2 * sizeof(u64);
		if (read_describing(v->layout, m, k->object, &of) &&
		    memory__u64(m, of + v->layout->positions, &positions))
			k->positions = read_items(m, positions, 1, BYTES_MAX, &k->npositions);
	}
	free(words);
	return ok && k->translations && k->literals;
}

static void look_at(struct v8_codes *c, const struct process_memory *m, struct v8_code *k)
{
	u8 *bytes;

	if (k->looked)
		return;
	if (!c->has_disasm) {
		c->disasm = disasm__new(EM_X86_64);
		c->has_disasm = true;
	}
	bytes = xcalloc(1, k->size);
	if (c->disasm && m->read(m->ctx, k->start, bytes, k->size))
		k->detailed = v8_positions__are_detailed(k, c->disasm, bytes);
	k->looked = true;
	free(bytes);
}

/* --- what is at work in it --- */

/* A chain the other way round; 0: it is not one of this function. */
static u32 put_places(const struct v8_code *k, const struct v8_chain *chain, struct v8_place *places)
{
	for (u32 i = 0; i < chain->n; i++) {
		u64 shared = v8_code__literal(k, chain->v[i].literal);

		if (!shared || (!i && shared != k->shared))
			return 0;
		places[chain->n - 1 - i] = (struct v8_place){.shared = shared, .position = -1};
	}
	return chain->n;
}

/* What the code would be given up for after the call that returns there; 0: it cannot be, or that is not known. */
static u32 find_call(const struct v8_code *k, const struct v8_layout *l, u32 pc, struct v8_place *places)
{
	struct v8_chain chain;

	for (u32 i = k->eager; i < k->n; i++) {
		if (k->call_pc[i] != (s32)pc || k->translation[i] < 0)
			continue;
		if (!v8_translation__read(l, k->translations, k->ntranslations, (u32)k->translation[i], &chain))
			return 0;
		return put_places(k, &chain, places);
	}
	return 0;
}

/* Where the functions are in their sources, as far as that says so of the same. */
static void put_positions(struct v8_place *places, u32 n, const struct v8_place *sourced, u32 nsourced)
{
	u32 at = 0;

	for (u32 i = 0; i < n; i++) {
		u32 same = at;

		while (same < nsourced && sourced[same].shared != places[i].shared)
			same++;
		if (same == nsourced)
			continue;
		places[i].position = sourced[same].position;
		at = same + 1;
	}
}

/* Calls are known by what comes after them; places in the source have all the builtins left out that call back. */
static u32 find_places(const struct v8_code *k, const struct v8_layout *l, u32 pc, bool exact, struct v8_place *places)
{
	struct v8_place sourced[V8_PLACES];
	u32 nsourced = v8_positions__find(k, pc - !exact, sourced);
	u32 n = exact ? 0 : find_call(k, l, pc, places);

	if (n) {
		put_positions(places, n, sourced, nsourced);
		return n;
	}
	if (!k->detailed)
		return 0;
	memcpy(places, sourced, nsourced * sizeof(*places));
	return nsourced;
}

/* --- code that was read --- */

static bool is_still_there(const struct v8 *v, const struct process_memory *m, const struct v8_code *k)
{
	struct v8_code now;
	u64 id;

	return read_head(v, m, k->object, &now) && now.map == k->map && now.data == k->data &&
	       now.size == k->size && v8__word(m, k->data, OF_ARRAY + DATA_ID * sizeof(u64), &id) &&
	       id >> 32 == k->id;
}

static struct v8_code *find_known(struct v8_codes *c, u32 tgid, u64 shared, u32 unit)
{
	for (u32 i = 0; i < c->n; i++) {
		struct v8_code *k = &c->codes[i];

		if (k->tgid == tgid && k->shared == shared && unit - (k->start & V8_CHUNK_MASK) < k->size)
			return k;
	}
	return NULL;
}

static struct v8_code *keep(struct v8_codes *c, const struct v8_code *k)
{
	struct v8_code *to;

	if (c->bytes > KEPT_MAX)
		forget(c);
	c->bytes += k->n * 2 * sizeof(s32) + k->ntranslations + k->npositions +
		    (k->nliterals + 2 * (size_t)k->ninlined) * sizeof(u64);
	to = &c->codes[c->next++ % CODES];
	c->n = MAX(c->n, (u32)(to - c->codes) + 1);
	clear(to);
	*to = *k;
	return to;
}

/* The one code of the function that has the place in a chunk; false: there is none, or it is not known which. */
static bool search(const struct v8 *v, const struct process_memory *m, const struct v8_range *ranges, u32 n,
		   u64 shared, u32 unit, struct v8_code *out)
{
	u32 found = 0;

	for (u32 i = 0; i < n; i++) {
		for (u64 chunk = ranges[i].start & ~(u64)V8_CHUNK_MASK; chunk < ranges[i].end; chunk += CHUNK) {
			u64 pc = chunk + unit;
			struct v8_code k;

			if (pc < ranges[i].start || pc >= ranges[i].end || !find_head(v, m, pc, chunk, &k))
				continue;
			if (!read_data(v, m, &k) || k.shared != shared || found) {
				found += k.shared == shared;
				clear(&k);
				continue;
			}
			found++;
			*out = k;
		}
	}
	if (found > 1)
		clear(out);
	return found == 1;
}

/* As of code of the first compiler, which has nothing inlined. */
static struct miss *miss_of(struct v8_codes *c, u32 tgid, u64 shared, u32 unit)
{
	return &c->misses[mix64_pair(mix64_pair(shared, unit), tgid) % MISSES];
}

static struct v8_code *find_code(struct v8_codes *c, const struct v8 *v, const struct process_memory *m, u32 tgid,
				 const struct v8_range *ranges, u32 n, u64 shared, u32 unit)
{
	struct v8_code *k = find_known(c, tgid, shared, unit), fresh = {0};
	struct miss *miss = miss_of(c, tgid, shared, unit);
	u64 now;

	if (k && is_still_there(v, m, k))
		return k;
	if (k)
		k->tgid = 0;
	now = clock__monotonic_ns();
	if (miss->shared == shared && miss->unit == unit && miss->tgid == tgid && now < miss->until_ns)
		return NULL;
	if (search(v, m, ranges, n, shared, unit, &fresh)) {
		fresh.tgid = tgid;
		return keep(c, &fresh);
	}
	*miss = (struct miss){.shared = shared, .unit = unit, .tgid = tgid, .until_ns = now + MISS_NS};
	return NULL;
}

u32 v8_codes__find(struct v8_codes *c, const struct v8 *v, const struct process_memory *m, u32 tgid,
		   const struct v8_range *ranges, u32 nranges, u64 shared, u32 unit, bool exact,
		   struct v8_place places[V8_PLACES])
{
	struct v8_code *k;
	u32 pc;

	if (!v->layout)
		return 0;
	/* A call may be its last instruction. */
	k = find_code(c, v, m, tgid, ranges, nranges, shared, unit - !exact);
	if (!k)
		return 0;
	pc = unit - (u32)(k->start & V8_CHUNK_MASK);
	look_at(c, m, k);
	return find_places(k, v->layout, pc, exact, places);
}
