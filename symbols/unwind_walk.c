// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_walk.h"

#include <elf.h>

#include "symbols/object_file.h"
#include "symbols/unwind_segments.h"

/* --- tables --- */

static void read_segments(struct unwind_code *c, Elf *elf)
{
	c->nsegments = MIN(unwind_segments__read(elf, 0, c->segments), (u32)UNWIND_SEGMENTS);
}

void unwind_code__read(struct unwind_code *c, int fd, const char *root, const char *path)
{
	Elf *elf;

	*c = (struct unwind_code){0};
	if (unwind_table__read(fd, root, path, &c->table, NULL))
		return;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	read_segments(c, elf);
	elf_end(elf);
}

void unwind_code__read_vdso(struct unwind_code *c)
{
	size_t size;
	const void *image = object__vdso(&size);
	Elf *elf;

	*c = (struct unwind_code){0};
	if (!image || unwind_table__read_memory(image, size, &c->table, NULL))
		return;
	/* Only read, though libelf's type does not say so. */
	elf = elf_memory((char *)image, size);
	read_segments(c, elf);
	elf_end(elf);
}

void unwind_code__fini(struct unwind_code *c)
{
	unwind_table__free(&c->table);
}

/* The row that says something of a place. NULL: none does, which is why. */
static const struct unwind_row *row_at(struct unwind_walk *w, u64 ip)
{
	const struct unwind_row *row;
	const struct unwind_code *c;
	u64 offset;

	c = w->code_at(w->ctx, ip, &offset);
	w->why = c ? WALK_FP_END : WALK_UNKNOWN;
	if (!c || !c->table.nrows || c->table.machine != w->machine)
		return NULL;
	w->why = WALK_NO_ROW;
	for (u32 i = 0; i < c->nsegments; i++) {
		const struct unwind_segment *s = &c->segments[i];

		if (offset < s->offset || offset >= s->end)
			continue;
		row = unwind_table__find(&c->table, offset + (u64)s->pc);
		return row && (row->rule & UNWIND_CFA) != UNWIND_CFA_NONE ? row : NULL;
	}
	return NULL;
}

/* --- one frame --- */

#define STACK_SIZE (1ULL << 26) /* what is further up than this is none */

static bool read_word(struct unwind_walk *w, u64 at, u64 *out)
{
	u64 offset = at - w->stack_at;

	if (at < w->stack_at || w->nstack < sizeof(*out) || offset > w->nstack - sizeof(*out)) {
		w->beyond |= at >= w->stack_at && offset < STACK_SIZE;
		return false;
	}
	memcpy(out, w->stack + offset, sizeof(*out));
	return true;
}

enum step { STEP_ON, STEP_WHOLE, STEP_BROKEN };

/* Of signals' frames, from the stack pointer in the trampoline on. */
struct signal_frame {
	u32 fp, lr, sp, ip; /* lr 0: there is none */
};

static struct signal_frame signal_frame(u16 machine)
{
	const u32 regs = 128 + 176 + 8; /* siginfo, and ucontext up to x0 */

	if (machine == EM_AARCH64)
		return (struct signal_frame){regs + 29 * 8, regs + 30 * 8, regs + 31 * 8,
					     regs + 32 * 8};
	return (struct signal_frame){120, 0, 160, 168};
}

static enum step step_signal(struct unwind_walk *w)
{
	struct signal_frame f = signal_frame(w->machine);
	u64 sp = w->regs.sp;

	if (!read_word(w, sp + f.ip, &w->regs.ip) || !read_word(w, sp + f.fp, &w->regs.fp) ||
	    (f.lr && !read_word(w, sp + f.lr, &w->regs.lr)) ||
	    !read_word(w, sp + f.sp, &w->regs.sp))
		return STEP_BROKEN;
	w->no_sp = false;
	return w->regs.ip ? STEP_ON : STEP_WHOLE;
}

static enum step return_to(struct unwind_walk *w, u64 sp, u64 ret)
{
	w->regs.sp = sp;
	w->regs.ip = w->machine == EM_AARCH64 ? ret & ~UNWIND_SIGNATURE : ret;
	return w->regs.ip ? STEP_ON : STEP_WHOLE;
}

static enum step step_fp(struct unwind_walk *w)
{
	u64 fp = w->regs.fp, ret;

	if (fp < w->regs.sp || fp & 7 || !read_word(w, fp + 8, &ret) ||
	    !read_word(w, fp, &w->regs.fp))
		return fp ? STEP_BROKEN : STEP_WHOLE;
	w->no_sp = w->machine == EM_AARCH64; /* its frames are linked at their lower end */
	return return_to(w, fp + 16, ret);
}

static bool read_deref(struct unwind_walk *w, u64 base, const struct unwind_row *row, u64 *cfa)
{
	if (!read_word(w, base + (u64)(8 * (s64)UNWIND_DEREF_WORDS(row->cfa)), cfa))
		return false;
	*cfa += UNWIND_DEREF_ADDS(row->cfa);
	return true;
}

static bool find_cfa(struct unwind_walk *w, const struct unwind_row *row, u64 *cfa)
{
	u64 offset = (u64)(8 * (s64)row->cfa);

	switch (row->rule & UNWIND_CFA) {
	case UNWIND_CFA_SP:
		*cfa = w->regs.sp + offset;
		return true;
	case UNWIND_CFA_FP:
		*cfa = w->regs.fp + offset;
		return true;
	case UNWIND_CFA_PLT:
		*cfa = w->regs.sp + ((w->regs.ip & 15) >= 11 ? 16 : 8);
		return true;
	case UNWIND_CFA_DEREF_FP:
		return read_deref(w, w->regs.fp, row, cfa);
	case UNWIND_CFA_DEREF_SP:
		return read_deref(w, w->regs.sp, row, cfa);
	default:
		return false;
	}
}

static u64 place_of_fp(const struct unwind_row *row, u64 cfa)
{
	u64 base = (row->rule & UNWIND_FP) == UNWIND_FP_AT_BASE ? cfa - (u64)(8 * (s64)row->cfa)
								: cfa;

	return base + (u64)(8 * (s64)row->fp);
}

static bool find_return(struct unwind_walk *w, const struct unwind_row *row, u64 cfa,
			bool innermost, u64 *ret)
{
	u64 at = place_of_fp(row, cfa);

	switch (row->rule & UNWIND_RA) {
	case UNWIND_RA_BELOW_CFA:
		return read_word(w, cfa - 8, ret);
	case UNWIND_RA_ABOVE_FP:
		return read_word(w, at + 8, ret);
	case UNWIND_RA_AT_FP:
		return read_word(w, at, ret);
	default: /* UNWIND_RA_LR: whoever has called another has put it down */
		*ret = w->regs.lr;
		return innermost;
	}
}

static bool find_fp(struct unwind_walk *w, const struct unwind_row *row, u64 cfa)
{
	switch (row->rule & UNWIND_FP) {
	case UNWIND_FP_SAVED:
	case UNWIND_FP_AT_BASE:
		return read_word(w, place_of_fp(row, cfa), &w->regs.fp);
	case UNWIND_FP_AT_FP:
		return read_word(w, w->regs.fp + (u64)(8 * (s64)row->fp), &w->regs.fp);
	default:
		return true;
	}
}

/* innermost: it has called nobody. */
static enum step step_row(struct unwind_walk *w, const struct unwind_row *row, bool innermost)
{
	bool leaf = (row->rule & UNWIND_RA) == UNWIND_RA_LR;
	u64 cfa, ret;

	/* A leaf on aarch64 may have no frame at all. */
	if (!find_cfa(w, row, &cfa) || cfa < w->regs.sp || (cfa == w->regs.sp && !leaf) ||
	    !find_return(w, row, cfa, innermost, &ret) || !find_fp(w, row, cfa))
		return STEP_BROKEN;
	w->no_sp = false;
	return return_to(w, cfa, ret);
}

static bool needs_sp(const struct unwind_row *row)
{
	switch (row->rule & UNWIND_CFA) {
	case UNWIND_CFA_SP:
	case UNWIND_CFA_DEREF_SP:
	case UNWIND_CFA_PLT:
	case UNWIND_CFA_SIGNAL:
		return true;
	default:
		return false;
	}
}

/* exact: the address is an instruction's own, not that behind a call. */
static enum step step(struct unwind_walk *w, bool *exact)
{
	bool innermost = *exact;
	const struct unwind_row *row = row_at(w, w->regs.ip - !innermost);

	*exact = false;
	w->by_fp = !row || (w->no_sp && needs_sp(row));
	if (w->by_fp)
		return step_fp(w);
	switch (row->rule & UNWIND_CFA) {
	case UNWIND_CFA_END:
		return STEP_WHOLE;
	case UNWIND_CFA_SIGNAL:
		*exact = true;
		return step_signal(w);
	default:
		return step_row(w, row, innermost);
	}
}

static enum walk_end why_ended(const struct unwind_walk *w, enum step how)
{
	if (how == STEP_ON)
		return WALK_CUT;
	if (how == STEP_WHOLE)
		return w->by_fp ? WALK_GUESSED : WALK_WHOLE;
	if (w->beyond)
		return WALK_COPY_ENDS;
	return w->by_fp ? w->why : WALK_BAD_STACK;
}

u32 unwind_walk__frames(struct unwind_walk *w, u64 *ips, u32 max, enum walk_end *end)
{
	enum step how = STEP_ON;
	bool exact = true;
	u32 n = 0;

	while (how == STEP_ON && n < max) {
		if (w->sps)
			w->sps[n] = w->regs.sp;
		ips[n++] = w->regs.ip;
		how = step(w, &exact);
	}
	*end = why_ended(w, how);
	return n;
}
