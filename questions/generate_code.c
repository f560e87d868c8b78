// SPDX-License-Identifier: GPL-2.0-only
/* Instructions, one after the other. */
#include "questions/generate_impl.h"

u32 code__put(struct generator *g, u8 code, u8 dst, u8 src, int16_t off, s32 imm)
{
	struct eval_code *c = g->code;

	if (c->ninsns + 1 >= QUESTION_REGION)
		g->full = "more code than there is room for: ask for less at once";
	else
		c->insns[c->ninsns++] = (struct bpf_insn){.code = code,
							  .dst_reg = dst & 15,
							  .src_reg = src & 15,
							  .off = off,
							  .imm = imm};
	return c->ninsns - 1;
}

void code__alu(struct generator *g, u8 op, u8 dst, u8 src)
{
	code__put(g, BPF_ALU64 | BPF_X | op, dst, src, 0, 0);
}

void code__alu_imm(struct generator *g, u8 op, u8 dst, s32 imm)
{
	code__put(g, BPF_ALU64 | BPF_K | op, dst, 0, 0, imm);
}

void code__load(struct generator *g, u8 size, u8 dst, u8 src, s32 off)
{
	code__put(g, BPF_LDX | BPF_MEM | size, dst, src, (int16_t)off, 0);
}

void code__store(struct generator *g, u8 dst, s32 off, u8 src)
{
	code__put(g, BPF_STX | BPF_MEM | BPF_DW, dst, src, (int16_t)off, 0);
}

void code__const(struct generator *g, u8 dst, u64 v)
{
	if ((s64)v == (s32)v) {
		code__alu_imm(g, BPF_MOV, dst, (s32)v);
		return;
	}
	code__put(g, BPF_LD | BPF_DW | BPF_IMM, dst, 0, 0, (s32)v);
	code__put(g, 0, 0, 0, 0, (s32)(v >> 32));
}

/* A jump whose end comes later: lands at the next instruction once code__land() is called. */
u32 code__jump(struct generator *g, u8 op, u8 dst, u8 src)
{
	return code__put(g, BPF_JMP | BPF_X | op, dst, src, 0, 0);
}

u32 code__jump_imm(struct generator *g, u8 op, u8 dst, s32 imm)
{
	return code__put(g, BPF_JMP | BPF_K | op, dst, 0, 0, imm);
}

void code__land(struct generator *g, u32 jump)
{
	g->code->insns[jump].off = (int16_t)(g->code->ninsns - jump - 1);
}

void code__exit(struct generator *g, s32 ret)
{
	code__alu_imm(g, BPF_MOV, BPF_REG_0, ret);
	code__put(g, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

void code__helper(struct generator *g, enum bpf_func_id id)
{
	code__put(g, BPF_JMP | BPF_CALL, 0, 0, 0, (s32)id);
}

/* r0 < 0: adds to the frame's faults. Uses r1. */
void code__count_fault(struct generator *g)
{
	u32 well = code__jump_imm(g, BPF_JSGE, BPF_REG_0, 0);

	code__load(g, BPF_DW, BPF_REG_1, FRAME, OFFSET(faults));
	code__alu_imm(g, BPF_ADD, BPF_REG_1, 1);
	code__store(g, FRAME, OFFSET(faults), BPF_REG_1);
	code__land(g, well);
}
