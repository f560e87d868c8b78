// SPDX-License-Identifier: GPL-2.0-only
#include "base/arena.h"
#include "base/bisect.h"
#include "symbols/symtab.h"

#define POOL_MAX NAME_OFFSET
#define WALK_MAX 64 /* functions nested in each other that a look-up steps over */
#define BLOCK	 32 /* symbols that are unpacked for one */

void symtab_builder__init(struct symtab_builder *b)
{
	*b = (struct symtab_builder){0};
}

void symtab_builder__fini(struct symtab_builder *b)
{
	free(b->raw);
	free(b->pool);
}

u32 symtab_builder__pool(struct symtab_builder *b, const char *s, size_t len)
{
	size_t at = b->pool_used ? b->pool_used : 1;

	if (len >= POOL_MAX - at)
		return 0;
	if (at + len + 1 > b->pool_cap) {
		b->pool_cap = MAX(b->pool_cap * 2, at + len + 1 + 1024);
		b->pool = xrealloc(b->pool, b->pool_cap);
		b->pool[0] = '\0';
	}
	memcpy(b->pool + at, s, len);
	b->pool[at + len] = '\0';
	b->pool_used = at + len + 1;
	b->names[NAME_POOL].data = b->pool;
	b->names[NAME_POOL].size = b->pool_used;
	return (u32)at;
}

void symtab_builder__add(struct symtab_builder *b, u64 start, u64 size, enum name_source source,
			 u64 name_offset, enum symbol_rank rank)
{
	if (b->n >= SYMTAB_MAX || name_offset > NAME_OFFSET)
		return;
	if (b->n == b->cap) {
		b->cap = MAX(1024u, b->cap * 2);
		b->raw = xrealloc(b->raw, sizeof(*b->raw) * b->cap);
	}
	b->raw[b->n++] = (struct raw_symbol){
		.start = start,
		.size = size,
		.name = (u32)source << NAME_SHIFT | (u32)name_offset,
		.rank = rank,
	};
}

const char *symtab_builder__name(const struct symtab_builder *b, const struct raw_symbol *s)
{
	u32 source = s->name >> NAME_SHIFT;
	size_t offset = s->name & NAME_OFFSET;

	/* String tables end in a NUL: their reader has seen to it. */
	return offset < b->names[source].size ? b->names[source].data + offset : "";
}

static size_t underscores(const char *s)
{
	return strspn(s, "_");
}

/* Of what is before its version: .symtab has cfree@GLIBC_2.2.5 beside free. */
static size_t name_len(const char *s)
{
	return *s ? 1 + strcspn(s + 1, "@") : 0;
}

/* Names that hardly anybody calls a function by, beside another of its names: of old systems, or
 * for another width of what is the same. */
static bool is_rare(const char *s)
{
	static const char *const old[] = {"cfree", "bcmp", "index", "rindex", "gsignal", "ssignal"};
	static const char *const ends[] = {"64", "f32x", "f64x"};
	size_t len = name_len(s), n;

	for (u32 i = 0; i < ARRAY_SIZE(old); i++)
		if (strlen(old[i]) == len && !memcmp(s, old[i], len))
			return true;
	for (u32 i = 0; i < ARRAY_SIZE(ends); i++) {
		n = strlen(ends[i]);
		if (len > n && !memcmp(s + len - n, ends[i], n))
			return true;
	}
	return false;
}

int symbol_name__prefer(const char *a, const char *b)
{
	size_t ua = underscores(a), ub = underscores(b), la, lb;

	if (ua != ub)
		return ua < ub ? -1 : 1;
	if (is_rare(a) != is_rare(b))
		return is_rare(a) ? 1 : -1;
	la = name_len(a);
	lb = name_len(b);
	if (la != lb)
		return la > lb ? -1 : 1;
	return strcmp(a, b);
}

static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct raw_symbol *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	return symbol_name__prefer(symtab_builder__name(ctx, a), symtab_builder__name(ctx, b));
}

/* One symbol per start, the best; labels and frames within a sized function go. */
static u32 choose(struct raw_symbol *raw, u32 n)
{
	u64 covered = 0;
	u32 kept = 0;

	for (u32 i = 0, j; i < n; i = j) {
		struct raw_symbol s = raw[i];

		for (j = i + 1; j < n && raw[j].start == s.start; j++)
			if (!s.size)
				s.size = raw[j].size;
		if (s.rank <= RANK_LABEL && s.start < covered)
			continue;
		if (s.rank > RANK_LABEL && s.size < UINT64_MAX - s.start)
			covered = MAX(covered, s.start + s.size);
		raw[kept++] = s;
	}
	return kept;
}

/*
 * Packed is a symbol's distance from the end of the one before, its size, and its name's distance from that one's
 * name: most are small numbers. A block begins anew.
 */
static void put(struct symtab *t, size_t *cap, u64 value)
{
	if (t->packed_size + 10 > *cap) {
		*cap = *cap * 2 + 1024;
		t->packed = xrealloc(t->packed, *cap);
	}
	for (; value > 127; value >>= 7)
		t->packed[t->packed_size++] = (u8)(value | 128);
	t->packed[t->packed_size++] = (u8)value;
}

static u64 take(const u8 **p)
{
	u64 value = 0;
	u32 shift = 0;

	for (; **p & 128; shift += 7)
		value |= (u64)(*(*p)++ & 127) << shift;
	return value | (u64)*(*p)++ << shift;
}

/* Small numbers of either sign to small ones. */
static u64 fold_sign(s64 v)
{
	return (u64)v << 1 ^ (u64)(v >> 63);
}

static s64 unfold_sign(u64 v)
{
	return (s64)(v >> 1) ^ -(s64)(v & 1);
}

static void put_symbol(struct symtab *t, size_t *cap, const struct symbol *s, struct symbol *last)
{
	if (t->n % BLOCK == 0) {
		t->blocks[t->n / BLOCK] = (struct symtab_block){s->start, (u32)t->packed_size};
		*last = (struct symbol){.start = s->start};
	}
	put(t, cap, fold_sign((s64)s->start - ((s64)last->start + last->size)));
	put(t, cap, s->size);
	put(t, cap, fold_sign((s64)s->name - last->name));
	*last = *s;
	t->n++;
}

/* How many the block has. */
static u32 unpack(const struct symtab *t, u32 block, struct symbol *out)
{
	struct symbol last = {.start = t->blocks[block].start};
	const u8 *p = t->packed + t->blocks[block].at;
	u32 n = MIN(t->n - block * BLOCK, (u32)BLOCK);

	for (u32 i = 0; i < n; i++) {
		out[i].start = (u32)((s64)last.start + last.size + unfold_sign(take(&p)));
		out[i].size = (u32)take(&p);
		out[i].name = (u32)(last.name + unfold_sign(take(&p)));
		last = out[i];
	}
	return n;
}

static void pack(const struct raw_symbol *raw, u32 n, u64 end, struct symtab *out)
{
	struct symbol last = {0};
	size_t cap = 0;

	out->base = n ? raw[0].start : 0;
	out->blocks = xmalloc(sizeof(*out->blocks) * (n / BLOCK + 1));
	for (u32 i = 0; i < n; i++) {
		u64 start = raw[i].start - out->base, size = raw[i].size;

		if (start > UINT32_MAX)
			break;
		if (!size)
			size = (i + 1 < n ? raw[i + 1].start : MAX(end, raw[i].start)) -
			       raw[i].start;
		put_symbol(out, &cap,
			   &(struct symbol){.start = (u32)start,
					    .size = (u32)MIN(size, UINT32_MAX),
					    .name = raw[i].name},
			   &last);
	}
	if (out->n)
		out->packed = xrealloc(out->packed, out->packed_size);
}

void symtab_builder__finish(struct symtab_builder *b, u64 end, struct symtab *out)
{
	*out = (struct symtab){0};
	if (b->n)
		qsort_r(b->raw, b->n, sizeof(*b->raw), by_start, b);
	b->n = choose(b->raw, b->n);
	pack(b->raw, b->n, end, out);
	if (b->pool) {
		out->pool = xrealloc(b->pool, b->pool_used);
		out->pool_size = b->pool_used;
	}
	free(b->raw);
	b->raw = NULL;
	b->pool = NULL;
	b->n = b->cap = 0;
	b->pool_used = b->pool_cap = 0;
}

void symtab__fini(struct symtab *t)
{
	free(t->blocks);
	free(t->packed);
	free(t->pool);
	*t = (struct symtab){0};
}

bool symtab__find(const struct symtab *t, u64 addr, struct symbol *out)
{
	struct symbol syms[BLOCK];
	u32 block, walked = 0;

	if (!t->n || addr < t->base || addr - t->base > UINT32_MAX)
		return false;
	addr -= t->base;
	BISECT(block, 0, (t->n - 1) / BLOCK + 1, i, t->blocks[i].start <= addr);
	while (block-- > 0 && walked < WALK_MAX) {
		for (u32 i = unpack(t, block, syms); i-- > 0 && walked < WALK_MAX;) {
			*out = syms[i];
			if (addr >= out->start && addr - out->start < out->size)
				return true;
			walked += addr >= out->start;
		}
	}
	return false;
}

size_t symtab__bytes(const struct symtab *t)
{
	return t->packed_size + (t->n + BLOCK - 1) / BLOCK * sizeof(*t->blocks) + t->pool_size;
}
