/* SPDX-License-Identifier: GPL-2.0-only */
/* The generator from within: registers, the frame, and what its files use of each other. */
#ifndef QUESTIONS_GENERATE_IMPL_H
#define QUESTIONS_GENERATE_IMPL_H

#include "questions/generate.h"

#define CTX	       BPF_REG_6
#define FRAME	       BPF_REG_7
#define BUFFER	       (-8) /* on the stack: what helpers read into */
#define OFFSET(member) ((s32)offsetof(struct question_frame, member))
#define TEXT_OFFSET(i) (OFFSET(texts) + (s32)(i)*QUESTION_TEXT)

/* A text that is somewhere in the frame. */
struct area {
	s32 offset;
	u32 size;
};

struct slot {
	const struct checked *text; /* NULL: free */
	bool ready;		    /* it has been read on every way to here */
	bool padded;		    /* what is behind its NUL is 0 wherever it is read */
};

struct generator {
	const struct eval_unit *unit;
	struct eval_code *code;
	u32 room, globs_room, depth;
	struct slot slots[QUESTION_TEXTS];
	const char *glob_texts[QUESTION_GLOBS];
	const char *full; /* what there is no room for */
};

/* --- generate_code.c: an instruction each; of jumps and others the index is returned --- */

u32 code__put(struct generator *g, u8 code, u8 dst, u8 src, int16_t off, s32 imm);
void code__alu(struct generator *g, u8 op, u8 dst, u8 src);
void code__alu_imm(struct generator *g, u8 op, u8 dst, s32 imm);
void code__load(struct generator *g, u8 size, u8 dst, u8 src, s32 off);
void code__store(struct generator *g, u8 dst, s32 off, u8 src);
void code__const(struct generator *g, u8 dst, u64 v);
/* A jump whose end comes later: it lands at the next instruction once code__land() is called. */
u32 code__jump(struct generator *g, u8 op, u8 dst, u8 src);
u32 code__jump_imm(struct generator *g, u8 op, u8 dst, s32 imm);
void code__land(struct generator *g, u32 jump);
void code__exit(struct generator *g, s32 ret);
void code__helper(struct generator *g, enum bpf_func_id id);
/* r0 < 0: adds to the frame's faults. Uses r1. */
void code__count_fault(struct generator *g);

/* --- generate.c: numbers, in r0 but where a register is named --- */

void value__number(struct generator *g, const struct checked *e);
/* a in r0 and b in r1. */
void value__pair(struct generator *g, const struct checked *a, const struct checked *b);
/* The low bytes of reg as a value of this type, in 64 bits. */
void value__cut(struct generator *g, u8 reg, u8 size, bool is_signed);
/* Loaded from the context without a helper. */
bool value__is_direct(const struct checked *e);
void value__leaf(struct generator *g, u8 reg, const struct checked *e);
/* Adds a constant that may be larger than 32 bits with sign. */
void value__add_offset(struct generator *g, u8 reg, u32 offset);
/* r3: where the field is, or what its text is found by. */
void value__field_address(struct generator *g, const struct checked *e);
bool value__field_in_user(const struct checked *e);
void value__read_field(struct generator *g, const struct checked *e);

/* --- generate_text.c --- */

static inline bool is_text(const struct checked *e)
{
	return e->type.kind == TYPE_TEXT;
}

/* The slot that a text has, or gets; its contents need not be there. */
int text__slot_of(struct generator *g, const struct checked *e);
/* A text in its slot, read where that was not done yet. */
struct area text__in_slot(struct generator *g, const struct checked *e);
void text__same(struct generator *g, const struct checked *e);
/* A literal text with at most a star at its end is compared; all else asks the automaton. */
void text__glob(struct generator *g, const struct checked *e);

#endif
