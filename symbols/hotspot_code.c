// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which methods an address in HotSpot's code cache is of. Compiled code has, for each place where
 * it calls or may be stopped, which methods are inlined there. Of places between two of those what
 * both say is sure, and what the end of a loop says that they are in.
 */
#include <errno.h>
#include <stdio.h>

#include "symbols/bytes.h"
#include "symbols/disasm.h"
#include "symbols/hotspot.h"

#define SEGMENT_HOPS 16
#define PCS_MAX	     (4u << 20) /* bytes */
#define METADATA_MAX (1u << 16)
#define SCOPE_BYTES  16 /* three numbers */

/* A compiled method's, as it is in the process. */
struct nmethod {
	const struct hotspot *h;
	const struct process_memory *m;
	u64 blob, method, code, scopes, pcs, metadata;
	u32 npcs;
};

struct scopes {
	u32 n;
	struct hotspot_scope v[HOTSPOT_SCOPES];
};

u64 hotspot__block(const struct hotspot *h, const struct process_memory *m, u64 ip)
{
	const struct hotspot_heap *heap = NULL;
	u64 segment;
	u8 back;

	for (u32 i = 0; i < h->rt.nheaps && !heap; i++)
		if (ip - h->rt.heaps[i].low < h->rt.heaps[i].high - h->rt.heaps[i].low)
			heap = &h->rt.heaps[i];
	if (!heap)
		return 0;
	segment = (ip - heap->low) >> h->rt.segment_shift;
	for (u32 i = 0; i < SEGMENT_HOPS; i++) {
		if (!m->read(m->ctx, heap->segments + segment, &back, 1) || back == HOTSPOT_FREE ||
		    back > segment)
			return 0;
		if (!back)
			return heap->low + (segment << h->rt.segment_shift);
		segment -= back;
	}
	return 0;
}

/* --- scopes --- */

#define HIGH 192

/* Numbers have up to five bytes of which all but the last are high. From 20 on no byte is 0. */
bool hotspot__number(u32 version, struct bytes *b, u32 *out)
{
	u32 none = version >= 20, shift = 0;
	u64 byte;

	*out = 0;
	for (u32 i = 0; i < 5; i++, shift += 6) {
		if (!bytes__take(b, 1, &byte) || byte < none)
			return false;
		*out += (u32)(byte - none) << shift;
		if (byte < HIGH)
			return true;
	}
	return true;
}

static bool read_scope(const struct nmethod *n, u32 at, u32 *sender, struct hotspot_scope *out)
{
	u8 raw[SCOPE_BYTES] = {0};
	struct bytes b = {raw, sizeof(raw)};
	u32 index, bci;

	if (!n->m->read(n->m->ctx, n->scopes + at, raw, sizeof(raw)) ||
	    !hotspot__number(n->h->version, &b, sender) ||
	    !hotspot__number(n->h->version, &b, &index) ||
	    !hotspot__number(n->h->version, &b, &bci))
		return false;
	/* It is counted from -1 on, which is the entry. */
	out->bci = bci ? bci - 1 : 0;
	return index && index < METADATA_MAX && out->bci <= HOTSPOT_BCI_MAX &&
	       memory__u64(n->m, n->metadata + (index - 1) * sizeof(u64), &out->method) &&
	       out->method && !(out->method & 7);
}

/* Innermost first; none unless the outermost is of the method itself. */
static void read_scopes(const struct nmethod *n, u32 at, struct scopes *s)
{
	u32 sender;

	s->n = 0;
	while (at) {
		if (s->n >= HOTSPOT_SCOPES || !read_scope(n, at, &sender, &s->v[s->n]) ||
		    sender >= at)
			break;
		s->n++;
		at = sender;
	}
	if (at || !s->n || s->v[s->n - 1].method != n->method)
		s->n = 0;
}

/* --- places --- */

struct pc_desc {
	s32 pc, scope;
};

static bool read_pc(const struct nmethod *n, u32 i, struct pc_desc *out)
{
	return n->m->read(n->m->ctx, n->pcs + (u64)i * n->h->pc_desc_size, out, sizeof(*out));
}

/* The first that is not below pc; npcs: there is none, or they cannot be read. */
static u32 find_pc(const struct nmethod *n, s32 pc)
{
	u32 low = 0, high = n->npcs;
	struct pc_desc d;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (!read_pc(n, mid, &d))
			return n->npcs;
		if (d.pc < pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whose first and last entries are none. */
static void scopes_at(const struct nmethod *n, u32 i, struct scopes *s, struct pc_desc *d)
{
	s->n = 0;
	if (i < n->npcs && read_pc(n, i, d) && d->scope > 0)
		read_scopes(n, (u32)d->scope, s);
}

/* What is common to both from the outermost on; where they part it is not known where in the
 * method. */
static void keep_common(struct scopes *s, const struct scopes *other)
{
	u32 n = 0;

	while (n < s->n && n < other->n) {
		const struct hotspot_scope *a = &s->v[s->n - 1 - n];
		const struct hotspot_scope *b = &other->v[other->n - 1 - n];

		if (a->method != b->method)
			break;
		n++;
		if (a->bci != b->bci)
			break;
	}
	memmove(s->v, s->v + s->n - n, n * sizeof(*s->v));
	s->n = n;
}

/* --- loops --- */

#define LOOP_BYTES 1024 /* of code behind a place that are looked at, and as many before */
#define LOOP_JUMPS 64
#define LOOP_STOPS 4

/* Jumps back, by where they are. */
struct jumps {
	u32 n;
	struct {
		s32 from, to;
	} v[LOOP_JUMPS];
};

/* begin: where an instruction begins. */
static void find_jumps(const struct nmethod *n, struct disasm *dis, s32 begin, s32 end,
		       struct jumps *j)
{
	u8 bytes[2 * LOOP_BYTES];
	const u8 *code = bytes;
	size_t size = (size_t)(end - begin);
	u64 at = (u64)begin;
	struct disasm_insn insn;

	j->n = 0;
	if (size > sizeof(bytes) || !n->m->read(n->m->ctx, n->code + (u32)begin, bytes, size))
		return;
	while (j->n < LOOP_JUMPS && disasm__next(dis, &code, &size, &at, &insn)) {
		if (!insn.branch || insn.mnemonic[0] != 'j' || insn.target > insn.addr)
			continue;
		j->v[j->n].from = (s32)insn.addr;
		j->v[j->n++].to = (s32)insn.target;
	}
}

/* Whether the innermost loop around a stop has the place, too, or a loop that jumps into that one.
 */
static bool shares_loop(const struct jumps *j, s32 stop, s32 place)
{
	s32 inner = place;

	for (u32 i = 0; i < j->n; i++) {
		if (j->v[i].from >= stop && j->v[i].to <= stop)
			return j->v[i].to <= inner && j->v[i].from >= place;
		if (j->v[i].from >= place && j->v[i].to <= place)
			inner = j->v[i].from;
	}
	return false;
}

/* Threads in loops can be stopped there: who loops around the place. None: it is not known. */
static void find_loop(const struct nmethod *n, struct disasm *dis, u32 i, s32 pc, struct scopes *s)
{
	struct pc_desc d = {0};
	struct jumps j;
	s32 begin = pc;

	if (i && read_pc(n, i - 1, &d) && d.pc >= 0 && d.pc > pc - LOOP_BYTES)
		begin = d.pc;
	find_jumps(n, dis, begin, pc + LOOP_BYTES, &j);
	for (u32 k = i ? i - 1 : 0; j.n && k < i + LOOP_STOPS; k++) {
		scopes_at(n, k, s, &d);
		if (s->n && shares_loop(&j, d.pc, pc))
			return;
	}
	s->n = 0;
}

static void find_scopes(const struct nmethod *n, struct disasm *dis, u64 ip, bool exact,
			struct scopes *s)
{
	s32 pc = (s32)(ip - n->code);
	u32 i = find_pc(n, pc);
	struct scopes other;
	struct pc_desc d = {0};

	scopes_at(n, i, s, &d);
	if (s->n && d.pc == pc)
		return;
	if (!exact || !i) {
		s->n = 0; /* a call that is not described: its return address was replaced */
		return;
	}
	scopes_at(n, i - 1, &other, &d);
	keep_common(s, &other);
	if (!dis)
		return;
	find_loop(n, dis, i, pc, &other);
	if (other.n > s->n)
		*s = other;
}

/* --- frames --- */

static u64 field(const u8 *block, u32 at, u32 size)
{
	u64 value = 0;

	memcpy(&value, block + at, size);
	return value;
}

static bool read_nmethod(const struct hotspot *h, const struct process_memory *m, u64 block,
			 const u8 *b, struct nmethod *n)
{
	u64 info, end;
	u32 at, pcs_end;

	*n = (struct nmethod){.h = h, .m = m, .blob = block + h->rt.blob};
	n->method = field(b, h->rt.nmethod_method, 8);
	n->code = h->rt.code_is_offset ? n->blob + (u32)field(b, h->rt.blob_code, 4)
				       : field(b, h->rt.blob_code, 8);
	info = n->blob;
	if (h->immutable && !memory__u64(m, n->blob + h->immutable, &info))
		return false;
	if (h->immutable) {
		if (!memory__u32(m, n->blob + h->scopes_data, &at))
			return false;
		n->scopes = info + at;
	} else if (!memory__u64(m, n->blob + h->scopes_data, &n->scopes)) {
		return false;
	}
	if (!memory__u32(m, n->blob + h->scopes_pcs, &at))
		return false;
	n->pcs = info + at;
	end = n->scopes;
	if (h->scopes_pcs_end) {
		if (!memory__u32(m, n->blob + h->scopes_pcs_end, &pcs_end))
			return false;
		end = info + pcs_end;
	}
	if (end < n->pcs || end - n->pcs > PCS_MAX || h->pc_desc_size < sizeof(struct pc_desc))
		return false;
	n->npcs = (u32)((end - n->pcs) / h->pc_desc_size);
	if (!h->mutable_data)
		return memory__u32(m, n->blob + h->metadata, &at) && (n->metadata = n->blob + at);
	return memory__u64(m, n->blob + h->mutable_data, &n->metadata) &&
	       memory__u32(m, n->blob + h->relocation_size, &at) && (n->metadata += at);
}

static void read_stub(const struct process_memory *m, u64 name, char *to, size_t size)
{
	memset(to, 0, size);
	if (!m->read(m->ctx, name, to, MIN(size - 1, (size_t)(4096 - (name & 4095)))) || !to[0])
		snprintf(to, size, "[stub]");
}

int hotspot_frame__read(const struct hotspot *h, const struct process_memory *m, struct disasm *dis,
			u64 word, struct hotspot_frame *out)
{
	u32 unit = SCRIPT_UNIT(word);
	u64 ip = SCRIPT_CODE(word) | (unit & 7), block, name;
	bool exact = unit & HOTSPOT_EXACT;
	u8 b[HOTSPOT_BLOCK_WORDS * sizeof(u64)];
	struct scopes s = {0};
	struct nmethod n;

	memset(out, 0, sizeof(*out));
	block = hotspot__block(h, m, exact ? ip : ip - 1);
	if (!block || !m->read(m->ctx, block, b, h->rt.block_bytes) || !b[h->rt.block_used])
		return -ESTALE;
	name = field(b, h->rt.blob_name, 8);
	if (!(unit & HOTSPOT_COMPILED)) {
		out->print = hotspot_code_sum(block + h->rt.blob, name,
					      (u32)field(b, h->rt.blob_size, 4));
		read_stub(m, name, out->stub, sizeof(out->stub));
		return 0;
	}
	out->print = hotspot_code_sum(block + h->rt.blob, field(b, h->rt.nmethod_method, 8),
				      (u32)field(b, h->rt.nmethod_id, 4));
	if (!read_nmethod(h, m, block, b, &n))
		return -ESTALE;
	find_scopes(&n, dis, ip, exact, &s);
	if (!s.n) /* the method itself is sure */
		s.v[s.n++] = (struct hotspot_scope){n.method, HOTSPOT_BCI_MAX + 1};
	out->n = s.n;
	memcpy(out->scopes, s.v, s.n * sizeof(*s.v));
	return 0;
}
