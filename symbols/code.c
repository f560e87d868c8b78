// SPDX-License-Identifier: GPL-2.0-only
/* Where a file's bytes are in its address space, and the end of a loaded object. */
#include "symbols/code.h"

#define PAGE_MASK 4095ull

/* 0: exactly within; 1: within its pages; nothing: not there. */
static bool covers(u64 start, u64 size, u64 at, bool pages)
{
	u64 end = start + size;

	if (pages) {
		start &= ~PAGE_MASK;
		end = (end + PAGE_MASK) & ~PAGE_MASK;
	}
	return at >= start && at < end;
}

bool code__vaddr(const struct code *c, u64 offset, u64 *vaddr)
{
	for (int pass = 0; pass < 4; pass++) {
		for (u32 i = 0; i < c->nsegs; i++) {
			const struct segment *s = &c->segs[i];

			if (s->exec != (pass < 2) ||
			    !covers(s->offset, s->filesz, offset, pass & 1))
				continue;
			*vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	}
	return false;
}

bool code__offset(const struct code *c, u64 vaddr, u64 *offset)
{
	for (int pass = 0; pass < 4; pass++) {
		for (u32 i = 0; i < c->nsegs; i++) {
			const struct segment *s = &c->segs[i];

			if (s->exec != (pass < 2) || !covers(s->vaddr, s->filesz, vaddr, pass & 1))
				continue;
			*offset = s->offset + (vaddr - s->vaddr);
			return true;
		}
	}
	return false;
}

bool code__same_segments(const struct code *a, const struct code *b)
{
	if (a->nsegs != b->nsegs || a->machine != b->machine)
		return false;
	for (u32 i = 0; i < a->nsegs; i++) {
		const struct segment *x = &a->segs[i], *y = &b->segs[i];

		if (x->exec != y->exec || x->vaddr != y->vaddr ||
		    (x->exec && (x->offset != y->offset || x->filesz != y->filesz)))
			return false;
	}
	return true;
}

u64 code__exec_end(const struct code *c, u64 vaddr)
{
	for (u32 i = 0; i < c->nsegs; i++)
		if (c->segs[i].exec && covers(c->segs[i].vaddr, c->segs[i].memsz, vaddr, false))
			return c->segs[i].vaddr + c->segs[i].memsz;
	return vaddr;
}

void code__fini(struct code *c)
{
	symtab__fini(&c->tab);
	free(c->debug.path);
	free(c->debug.root);
}
