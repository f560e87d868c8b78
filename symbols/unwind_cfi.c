// SPDX-License-Identifier: GPL-2.0-only
/*
 * CIEs and FDEs. A section is read once, front to back: an FDE whose CIE did not come before it
 * counts as unread, which no linker writes; so no byte of a hostile section is read twice.
 */
#include "symbols/unwind_cfi.h"

#include <dwarf.h>
#include <elf.h>

#include "base/arena.h"

#define MAX_CIES      (256u << 10)
#define ESCAPE_64     0xffffffff /* a length that is followed by the real one */
#define RADIX_BITS    11
#define RADIX_PASSES  3

/* --- CIEs --- */

struct augmentation {
	const char *letters;
	u64 size; /* of its data; with 'z' */
};

/* The letters behind a 'z'. What comes behind an unknown one is skipped by its size. */
static bool read_letters(struct cfi_cie *c, const char *letters, struct bytes b)
{
	u64 value;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			if (!bytes__take(&b, 1, &value))
				return false;
			c->encoding = (u8)value;
			break;
		case 'L':
			if (!bytes__skip(&b, 1))
				return false;
			break;
		case 'P':
			if (!cfi__skip_personality(&b))
				return false;
			break;
		case 'S':
			c->signal = true;
			break;
		case 'B': /* aarch64: return addresses are signed with the other key */
		case 'G': /* aarch64: stacks are tagged */
			break;
		default:
			return !strchr(letters, 'R') && !strchr(letters, 'S');
		}
	}
	return true;
}

static bool read_augmentation(struct cfi_cie *c, const char *letters, struct bytes *b)
{
	struct bytes data;
	u64 size;

	if (!*letters)
		return true;
	if (*letters != 'z' || !bytes__uleb(b, &size) || size > b->n)
		return false;
	c->augmented = true;
	data = (struct bytes){b->p, size};
	return bytes__skip(b, size) && read_letters(c, letters + 1, data);
}

static bool read_version(struct bytes *b, u64 *version, const char **letters)
{
	const u8 *nul;

	if (!bytes__take(b, 1, version) || *version == 2 || *version > 4 || !*version)
		return false;
	*letters = (const char *)b->p;
	nul = memchr(b->p, 0, b->n);
	return nul && bytes__skip(b, (u64)(nul - b->p) + 1);
}

/* From version 4 on: sizes of an address and of a segment's number. */
static bool read_sizes(struct bytes *b, u64 version)
{
	u64 address = 8, segment = 0;

	if (version >= 4 && (!bytes__take(b, 1, &address) || !bytes__take(b, 1, &segment)))
		return false;
	return address == 8 && segment == 0;
}

static bool read_cie(struct cfi_cie *c, struct bytes b, const struct unwind_machine *m)
{
	const char *letters;
	u64 version, ra;

	if (!read_version(&b, &version, &letters) || !read_sizes(&b, version) ||
	    !bytes__uleb(&b, &c->code_align) || !bytes__sleb(&b, &c->data_align))
		return false;
	if (version == 1 ? !bytes__take(&b, 1, &ra) : !bytes__uleb(&b, &ra))
		return false;
	return ra == m->ra && read_augmentation(c, letters, &b) && cfi_run_cie(c, b, m);
}

static struct cfi_cie *new_cie(struct cfi_index *x)
{
	x->cies = xgrow(x->cies, x->ncies, &x->cap_cies, sizeof(*x->cies));
	return &x->cies[x->ncies++];
}

static void add_cie(struct cfi_index *x, const struct cfi_section *s, size_t offset,
		    struct bytes body)
{
	struct cfi_cie *c;

	if (x->ncies == MAX_CIES) {
		x->full = true;
		return;
	}
	c = new_cie(x);
	*c = (struct cfi_cie){.section = s, .offset = offset, .encoding = DW_EH_PE_absptr};
	c->usable = read_cie(c, body, x->machine);
}

/* Of the CIEs from `first` on, which lie in the order of their offsets. Mostly the last one. */
static struct cfi_cie *find_cie(struct cfi_index *x, u32 first, u64 offset)
{
	u32 lo = first, hi = x->ncies;

	if (hi > lo && x->cies[hi - 1].offset == offset)
		return &x->cies[hi - 1];
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (x->cies[mid].offset == offset)
			return &x->cies[mid];
		if (x->cies[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* --- FDEs --- */

/* Cuts a range to the code it begins in; false when it is in none. */
static bool clip(const struct cfi_code *code, u64 start, u64 *size)
{
	for (u32 i = 0; i < code->n; i++) {
		u64 end = MIN(code->exec[i].end, code->base + UINT32_MAX);

		if (start < code->exec[i].start || start >= end || start < code->base)
			continue;
		*size = MIN(*size, end - start);
		return *size > 0;
	}
	return false;
}

static void add_fde(struct cfi_index *x, u32 cie, u64 start, u64 size, struct bytes program)
{
	if (!clip(x->code, start, &size))
		return;
	if (x->nfdes == x->max_fdes) {
		x->full = true;
		return;
	}
	x->fdes = xgrow(x->fdes, x->nfdes, &x->cap_fdes, sizeof(*x->fdes));
	x->fdes[x->nfdes++] = (struct cfi_fde){
		.pc = (u32)(start - x->code->base),
		.len = (u32)size,
		.cie = cie,
		.size = (u32)program.n,
		.program = program.p,
	};
}

static bool read_fde(struct cfi_index *x, const struct cfi_cie *c, struct bytes b)
{
	u64 start, size, skipped;

	if (!c || !c->usable || !cfi__pointer(c->section, &b, c->encoding, &start) ||
	    !cfi__plain_pointer(&b, c->encoding, &size))
		return false;
	if (c->augmented && (!bytes__uleb(&b, &skipped) || !bytes__skip(&b, skipped)))
		return false;
	add_fde(x, (u32)(c - x->cies), start, size, b);
	return true;
}

/* --- sections --- */

/* Length and id at the front of an entry. False at the end, or where nothing can follow. */
struct entry {
	size_t offset; /* of the entry */
	size_t id_at;  /* of the id */
	u64 id;
	bool is_64;
	struct bytes body;
};

static bool next_entry(const struct cfi_section *s, struct bytes *rest, struct entry *e)
{
	u64 length;

	do {
		e->offset = (size_t)(rest->p - s->data.p);
		if (!bytes__take(rest, 4, &length))
			return false;
	} while (!length); /* the end, by itself; linkers leave some in between */
	e->is_64 = length == ESCAPE_64;
	if ((e->is_64 && !bytes__take(rest, 8, &length)) || length > rest->n)
		return false;
	e->body = (struct bytes){rest->p, length};
	e->id_at = (size_t)(rest->p - s->data.p);
	return bytes__skip(rest, length);
}

static bool is_cie(const struct cfi_section *s, const struct entry *e)
{
	if (s->eh)
		return e->id == 0;
	return e->id == (e->is_64 ? UINT64_MAX : UINT32_MAX);
}

/* .eh_frame says how far back the CIE is, .debug_frame where. */
static u64 cie_of(const struct cfi_section *s, const struct entry *e)
{
	return s->eh ? e->id_at - e->id : e->id;
}

void cfi_index__add(struct cfi_index *x, const struct cfi_section *s)
{
	struct bytes rest = s->data;
	u32 first = x->ncies;
	struct entry e;

	while (!x->full && next_entry(s, &rest, &e)) {
		if (!bytes__take(&e.body, e.is_64 ? 8 : 4, &e.id))
			x->unread++;
		else if (is_cie(s, &e))
			add_cie(x, s, e.offset, e.body);
		else if (!read_fde(x, find_cie(x, first, cie_of(s, &e)), e.body))
			x->unread++;
	}
}

void cfi_index__add_state(struct cfi_index *x, u64 start, u64 size, const struct cfi_state *s,
			  bool signal)
{
	struct cfi_cie *c = new_cie(x);

	*c = (struct cfi_cie){.usable = true, .signal = signal, .initial = *s};
	add_fde(x, x->ncies - 1, start, size, (struct bytes){0});
}

void cfi_index__fini(struct cfi_index *x)
{
	free(x->cies);
	free(x->fdes);
}

/* --- sorting --- */

static bool is_sorted(const struct cfi_index *x)
{
	for (u32 i = 1; i < x->nfdes; i++)
		if (x->fdes[i - 1].pc > x->fdes[i].pc)
			return false;
	return true;
}

static u32 digit(const struct cfi_fde *f, u32 pass)
{
	return f->pc >> (pass * RADIX_BITS) & ((1u << RADIX_BITS) - 1);
}

/* One pass of a radix sort, which keeps the order of equal ones. */
static void sort_pass(const struct cfi_fde *from, struct cfi_fde *to, u32 n, u32 pass)
{
	u32 at[1u << RADIX_BITS] = {0}, sum = 0;

	for (u32 i = 0; i < n; i++)
		at[digit(&from[i], pass)]++;
	for (u32 d = 0; d < ARRAY_SIZE(at); d++) {
		u32 count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (u32 i = 0; i < n; i++)
		to[at[digit(&from[i], pass)]++] = from[i];
}

void cfi_index__sort(struct cfi_index *x)
{
	struct cfi_fde *spare;

	if (is_sorted(x))
		return;
	spare = xmalloc(x->nfdes * sizeof(*spare));
	for (u32 pass = 0; pass < RADIX_PASSES; pass++) {
		struct cfi_fde *from = x->fdes;

		sort_pass(from, spare, x->nfdes, pass);
		x->fdes = spare;
		spare = from;
	}
	x->cap_fdes = x->nfdes; /* of the spare one when that is what is left */
	free(spare);
}
