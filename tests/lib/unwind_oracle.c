// SPDX-License-Identifier: GPL-2.0-only
#include "tests/lib/unwind_oracle.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/section.h"

#define STACK	 32
#define PADDING	 16
#define MAX_TEXT 32

struct unwind_oracle {
	int fd, debug_fd;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *eh, *debug;
	bool x86;
	u32 ntext;
	struct {
		u64 addr, size;
	} text[MAX_TEXT];
	u64 total;
};

/* --- the made-up machine --- */

struct machine {
	u64 pc, sp, fp, lr, other;
};

static u64 load(u64 addr)
{
	return mix64(addr);
}

enum how { NO_RULES, OUTERMOST, CALLER };

struct caller {
	enum how how;
	u64 cfa, fp, ra;
	bool by_callee; /* the CFA is in a register that only a callee's frame tells */
};

static u64 place_by_row(const struct unwind_row *row, u64 cfa)
{
	if ((row->rule & UNWIND_FP) == UNWIND_FP_AT_BASE)
		cfa -= 8ull * (u64)row->cfa;
	return cfa + 8ull * (u64)row->fp;
}

static u64 fp_by_row(const struct unwind_row *row, const struct machine *m, u64 cfa)
{
	switch (row->rule & UNWIND_FP) {
	case UNWIND_FP_SAVED:
	case UNWIND_FP_AT_BASE:
		return load(place_by_row(row, cfa));
	case UNWIND_FP_AT_FP:
		return load(m->fp + 8ull * (u64)row->fp);
	default:
		return m->fp;
	}
}

static u64 ra_by_row(const struct unwind_row *row, const struct machine *m, u64 cfa)
{
	switch (row->rule & UNWIND_RA) {
	case UNWIND_RA_BELOW_CFA:
		return load(cfa - 8);
	case UNWIND_RA_ABOVE_FP:
		return load(place_by_row(row, cfa) + 8);
	case UNWIND_RA_LR:
		return m->lr;
	default:
		return load(cfa + 8ull * (u64)row->fp);
	}
}

/* x86: where ucontext has rsp, rip and rbp. */
static struct caller by_ucontext(const struct machine *m)
{
	return (struct caller){.how = CALLER,
			       .cfa = load(m->sp + 160),
			       .fp = load(m->sp + 120),
			       .ra = load(m->sp + 168)};
}

static u64 deref(u64 base, const struct unwind_row *row)
{
	return load(base + 8ull * (u64)UNWIND_DEREF_WORDS(row->cfa)) + UNWIND_DEREF_ADDS(row->cfa);
}

static struct caller by_row(const struct unwind_row *row, const struct machine *m)
{
	struct caller c = {.how = CALLER};
	u64 offset;

	if (!row)
		return (struct caller){.how = NO_RULES};
	offset = 8ull * (u64)row->cfa;
	switch (row->rule & UNWIND_CFA) {
	case UNWIND_CFA_NONE:
		return (struct caller){.how = NO_RULES};
	case UNWIND_CFA_END:
		return (struct caller){.how = OUTERMOST};
	case UNWIND_CFA_SIGNAL:
		return by_ucontext(m);
	case UNWIND_CFA_SP:
		c.cfa = m->sp + offset;
		break;
	case UNWIND_CFA_FP:
		c.cfa = m->fp + offset;
		break;
	case UNWIND_CFA_PLT:
		c.cfa = m->sp + ((m->pc & 15) >= 11 ? 16 : 8);
		break;
	case UNWIND_CFA_DEREF_FP:
		c.cfa = deref(m->fp, row);
		break;
	case UNWIND_CFA_DEREF_SP:
		c.cfa = deref(m->sp, row);
		break;
	}
	c.fp = fp_by_row(row, m, c.cfa);
	c.ra = ra_by_row(row, m, c.cfa);
	return c;
}

/* --- libdw's answer --- */

static Dwarf_Frame *frame_at(const struct unwind_oracle *o, u64 vaddr)
{
	Dwarf_Frame *frame;

	if (o->eh && !dwarf_cfi_addrframe(o->eh, vaddr, &frame))
		return frame;
	if (o->debug && !dwarf_cfi_addrframe(o->debug, vaddr, &frame))
		return frame;
	return NULL;
}

static u64 reg(const struct unwind_oracle *o, const struct machine *m, u64 n)
{
	if (n == (o->x86 ? 7u : 31u))
		return m->sp;
	if (n == (o->x86 ? 6u : 29u))
		return m->fp;
	if (o->x86 && n == 16)
		return m->pc;
	return !o->x86 && n == 30 ? m->lr : mix64_pair(m->other, n);
}

struct eval {
	u64 v[STACK];
	u32 n;
	bool value, failed; /* value: of the register itself, not of its place */
	bool other;	    /* it takes a register that rows do not know */
};

static void push(struct eval *e, u64 v)
{
	if (e->n == STACK)
		e->failed = true;
	else
		e->v[e->n++] = v;
}

static u64 pop(struct eval *e)
{
	if (e->n)
		return e->v[--e->n];
	e->failed = true;
	return 0;
}

static void binary(struct eval *e, u8 op)
{
	u64 b = pop(e), a = pop(e);

	switch (op) {
	case DW_OP_plus:
		push(e, a + b);
		break;
	case DW_OP_minus:
		push(e, a - b);
		break;
	case DW_OP_and:
		push(e, a & b);
		break;
	case DW_OP_shl:
		push(e, b < 64 ? a << b : 0);
		break;
	case DW_OP_ge:
		push(e, (s64)a >= (s64)b);
		break;
	default:
		e->failed = true;
	}
}

static void push_breg(const struct unwind_oracle *o, const struct machine *m, u64 n, u64 offset,
		      struct eval *e)
{
	e->other |= o->x86 && n != 6 && n != 7 && n != 16;
	push(e, reg(o, m, n) + offset);
}

static void step(const struct unwind_oracle *o, const struct machine *m, u64 cfa,
		 const Dwarf_Op *op, struct eval *e)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		push(e, op->atom - DW_OP_lit0);
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		push_breg(o, m, op->atom - DW_OP_breg0, op->number, e);
	else if (op->atom == DW_OP_bregx)
		push_breg(o, m, op->number, op->number2, e);
	else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		push(e, reg(o, m, op->atom - DW_OP_reg0)), e->value = true;
	else if (op->atom == DW_OP_regx)
		push(e, reg(o, m, op->number)), e->value = true;
	else if (op->atom == DW_OP_call_frame_cfa)
		push(e, cfa);
	else if (op->atom == DW_OP_plus_uconst)
		push(e, pop(e) + op->number);
	else if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		push(e, op->number);
	else if (op->atom == DW_OP_deref)
		push(e, load(pop(e)));
	else if (op->atom == DW_OP_stack_value)
		e->value = true;
	else
		binary(e, op->atom);
}

static struct eval run_ops(const struct unwind_oracle *o, const struct machine *m, u64 cfa,
			   const Dwarf_Op *ops, size_t n)
{
	struct eval e = {0};

	for (size_t i = 0; i < n; i++)
		step(o, m, cfa, &ops[i], &e);
	e.failed |= e.n == 0;
	return e;
}

/* False: undefined. */
static bool caller_reg(const struct unwind_oracle *o, Dwarf_Frame *frame, const struct machine *m,
		       u64 cfa, int n, u64 *value)
{
	Dwarf_Op mem[3], *ops;
	struct eval e;
	size_t nops;

	*value = reg(o, m, (u64)n);
	if (dwarf_frame_register(frame, n, mem, &ops, &nops))
		return false;
	if (!nops)
		return ops == NULL; /* the same */
	e = run_ops(o, m, cfa, ops, nops);
	*value = e.failed ? 0 : e.v[e.n - 1];
	if (!e.value)
		*value = load(*value);
	return true;
}

static struct caller by_frame(const struct unwind_oracle *o, Dwarf_Frame *frame,
			      const struct machine *m)
{
	struct caller c = {.how = CALLER};
	Dwarf_Addr start, end;
	bool signal;
	int ra = dwarf_frame_info(frame, &start, &end, &signal);
	Dwarf_Op *ops;
	size_t nops;
	struct eval e;

	if (dwarf_frame_cfa(frame, &ops, &nops))
		nops = 0;
	e = run_ops(o, m, 0, ops, nops);
	c.cfa = e.failed ? 0 : e.v[e.n - 1];
	c.by_callee = e.other;
	if (!caller_reg(o, frame, m, c.cfa, ra, &c.ra))
		return (struct caller){.how = OUTERMOST};
	if (e.failed)
		return (struct caller){.how = NO_RULES};
	if (!caller_reg(o, frame, m, c.cfa, o->x86 ? 6 : 29, &c.fp))
		c.fp = m->fp; /* undefined: counts as unchanged, see unwind_table.h */
	return c;
}

/* --- comparing --- */

static bool is_padding(const struct unwind_oracle *o, u64 vaddr)
{
	Dwarf_Frame *frame = frame_at(o, (vaddr | (PADDING - 1)) + 1);

	free(frame);
	return frame != NULL;
}

static bool same(const struct caller *a, const struct caller *b)
{
	return a->how == b->how &&
	       (a->how != CALLER || (a->cfa == b->cfa && a->fp == b->fp && a->ra == b->ra));
}

static void note_wrong(struct unwind_tally *tally, u64 vaddr, const struct unwind_row *row,
		       const struct caller *ours, const struct caller *theirs)
{
	if (!tally->wrong++)
		snprintf(tally->first, sizeof(tally->first),
			 "%#llx: rule %#x, cfa %d, fp %d; %s%s%s%s", (unsigned long long)vaddr,
			 row ? row->rule : 0, row ? row->cfa : 0, row ? row->fp : 0,
			 ours->how != theirs->how ? "another kind " : "",
			 ours->cfa != theirs->cfa ? "another cfa " : "",
			 ours->fp != theirs->fp ? "another fp " : "",
			 ours->ra != theirs->ra ? "another ra" : "");
}

void unwind_oracle__ask(struct unwind_oracle *o, const struct unwind_table *t, u64 vaddr,
			struct unwind_tally *tally)
{
	const struct unwind_row *row = unwind_table__find(t, vaddr);
	struct machine m = {.pc = vaddr,
			    .sp = mix64(vaddr) & ~7ull,
			    .fp = mix64(~vaddr) & ~7ull,
			    .lr = mix64(vaddr + 1),
			    .other = vaddr};
	struct caller ours = by_row(row, &m), theirs;
	Dwarf_Frame *frame = frame_at(o, vaddr);

	if (!frame) {
		tally->uncovered++;
		tally->extra += ours.how != NO_RULES && !is_padding(o, vaddr);
		return;
	}
	theirs = by_frame(o, frame, &m);
	free(frame);
	tally->asked++;
	if (same(&ours, &theirs))
		tally->equal++;
	else if (ours.how == NO_RULES || theirs.by_callee)
		tally->none++;
	else
		note_wrong(tally, vaddr, row, &ours, &theirs);
}

static u64 nth_address(const struct unwind_oracle *o, u64 n)
{
	u32 i = 0;

	while (n >= o->text[i].size)
		n -= o->text[i++].size;
	return o->text[i].addr + n;
}

void unwind_oracle__ask_all(struct unwind_oracle *o, const struct unwind_table *t, u64 max,
			    struct unwind_tally *tally)
{
	for (u64 i = 0; i < MIN(max, o->total); i++)
		unwind_oracle__ask(o, t, nth_address(o, o->total <= max ? i : mix64(i) % o->total),
				   tally);
}

/* --- opening --- */

static void find_text(struct unwind_oracle *o)
{
	struct elf_section s = {0};

	while (o->ntext < MAX_TEXT && elf_section__next(o->elf, &s)) {
		if (!(s.shdr.sh_flags & SHF_EXECINSTR) || s.shdr.sh_type != SHT_PROGBITS ||
		    !s.name || !strncmp(s.name, ".plt", 4) || !strcmp(s.name, ".iplt"))
			continue;
		o->text[o->ntext].addr = s.shdr.sh_addr;
		o->text[o->ntext++].size = s.shdr.sh_size;
		o->total += s.shdr.sh_size;
	}
}

struct unwind_oracle *unwind_oracle__open(const char *path, const char *debug)
{
	struct unwind_oracle *o = xcalloc(1, sizeof(*o));
	GElf_Ehdr eh;

	elf_version(EV_CURRENT);
	o->fd = open(path, O_RDONLY | O_CLOEXEC);
	o->debug_fd = open(debug ? debug : path, O_RDONLY | O_CLOEXEC);
	o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	if (!o->elf || !gelf_getehdr(o->elf, &eh)) {
		unwind_oracle__close(o);
		return NULL;
	}
	o->x86 = eh.e_machine == EM_X86_64;
	o->eh = dwarf_getcfi_elf(o->elf);
	o->dwarf = dwarf_begin(o->debug_fd, DWARF_C_READ);
	o->debug = o->dwarf ? dwarf_getcfi(o->dwarf) : NULL;
	find_text(o);
	return o;
}

void unwind_oracle__close(struct unwind_oracle *o)
{
	if (o->eh)
		dwarf_cfi_end(o->eh);
	if (o->dwarf)
		dwarf_end(o->dwarf);
	if (o->elf)
		elf_end(o->elf);
	close(o->fd);
	close(o->debug_fd);
	free(o);
}
