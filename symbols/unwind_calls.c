// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_calls.h"

#include "base/bisect.h"

#define CALL	    0xe8 /* and how far, from behind it on, in 4 bytes */
#define CALL_SIZE   5
#define CODE_MAX    4096
#define PROGRAM_MAX 4096 /* of a callee's description */
#define ADD_MAX	    56

/* Where a function keeps rbx; 0: nowhere, or in several places. */
struct kept {
	s64 offset;
	bool differs;
};

static bool see_kept(void *ctx, u32 from, u32 to, const struct cfi_state *s, bool signal)
{
	struct kept *k = ctx;

	if (s->bx.kind != REG_AT_CFA)
		return true;
	k->differs |= k->offset && k->offset != s->bx.offset;
	k->offset = s->bx.offset;
	return true;
}

static s64 kept_by(const struct cfi_index *x, u32 pc)
{
	struct kept k = {0};
	u32 after;

	BISECT(after, 0, x->nfdes, i, x->fdes[i].pc < pc);
	if (after == x->nfdes || x->fdes[after].pc != pc || x->fdes[after].size > PROGRAM_MAX)
		return 0;
	cfi_run(x, &x->fdes[after], see_kept, &k);
	return k.differs ? 0 : k.offset;
}

static const u8 *code_at(const struct cfi_code *c, u32 pc, u32 size)
{
	u64 addr = c->base + pc;
	Elf_Data *data;

	for (u32 i = 0; i < c->n; i++) {
		if (addr < c->exec[i].start || addr >= c->exec[i].end ||
		    size > c->exec[i].end - addr)
			continue;
		data = elf_getdata_rawchunk(c->elf,
					    (s64)(c->exec[i].offset + addr - c->exec[i].start),
					    size, ELF_T_BYTE);
		return data && data->d_size == size ? data->d_buf : NULL;
	}
	return NULL;
}

u32 unwind_calls__find(const struct cfi_index *x, u32 from, u32 to, const struct cfi_state *s,
		       struct unwind_call out[UNWIND_CALLS])
{
	u32 size = to - from, n = 0;
	const u8 *code = size <= CODE_MAX ? code_at(x->code, from, size) : NULL;
	s32 far;
	s64 slot;

	if (!code || s->cfa_offset < 0 || s->cfa_offset > ADD_MAX)
		return 0;
	for (u32 i = 0; i + CALL_SIZE <= size && n < UNWIND_CALLS; i++) {
		if (code[i] != CALL)
			continue;
		memcpy(&far, code + i + 1, sizeof(far));
		slot = kept_by(x, from + i + CALL_SIZE + (u32)far);
		if (!slot)
			continue;
		out[n] = (struct unwind_call){.at = from + i + CALL_SIZE - 1, .state = *s};
		out[n].state.cfa = CFA_DEREF_SP;
		out[n].state.cfa_offset = slot;
		out[n++].state.cfa_add = (u8)s->cfa_offset;
	}
	return n;
}
