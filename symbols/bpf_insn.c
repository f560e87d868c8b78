// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/bpf_insn.h"

#include <stdio.h>

/* What headers of 6.1 do not have. */
#define LOAD_SIGNED   0x80 /* mode of BPF_LDX */
#define LOAD_ACQUIRE  0x100
#define STORE_RELEASE 0x110
#define JUMP_MAYBE    0xe0 /* op of BPF_JMP */
/* Offsets of a move that are no widths. */
#define ADDRESS_SPACE  1
#define ADDRESS_OF_CPU -1 /* of a variable that each CPU has */

static const char *const sizes[] = {"u32", "u16", "u8", "u64"}; /* BPF_W, BPF_H, BPF_B, BPF_DW */
static const char *const signed_sizes[] = {"s32", "s16", "s8", "s64"};

static u32 size_of(u8 code)
{
	return BPF_SIZE(code) >> 3;
}

static void other(const struct bpf_insn *insn, char *buf, size_t size)
{
	snprintf(buf, size, "?? dst %u src %u off %d imm %#x", insn->dst_reg, insn->src_reg, insn->off,
		 (u32)insn->imm);
}

/* --- arithmetic --- */

static const char *const alu_ops[16] = {
	[BPF_ADD >> 4] = "+=", [BPF_SUB >> 4] = "-=",  [BPF_MUL >> 4] = "*=",  [BPF_DIV >> 4] = "/=",
	[BPF_OR >> 4] = "|=",  [BPF_AND >> 4] = "&=",  [BPF_LSH >> 4] = "<<=", [BPF_RSH >> 4] = ">>=",
	[BPF_MOD >> 4] = "%=", [BPF_XOR >> 4] = "^=",  [BPF_MOV >> 4] = "=",   [BPF_ARSH >> 4] = "s>>=",
};

static void end_text(const struct bpf_insn *insn, char *buf, size_t size)
{
	const char *to = BPF_CLASS(insn->code) == BPF_ALU64 ? "bswap" : BPF_SRC(insn->code) ? "be" : "le";

	snprintf(buf, size, "r%u = %s%d r%u", insn->dst_reg, to, insn->imm, insn->dst_reg);
}

static void move_text(const struct bpf_insn *insn, char reg, char *buf, size_t size)
{
	if (insn->off == ADDRESS_SPACE)
		snprintf(buf, size, "r%u = addr_space_cast(r%u, %d, %d)", insn->dst_reg, insn->src_reg,
			 (int)((u32)insn->imm >> 16), insn->imm & 0xffff);
	else if (insn->off == ADDRESS_OF_CPU)
		snprintf(buf, size, "r%u = &(void __percpu *)(r%u)", insn->dst_reg, insn->src_reg);
	else
		snprintf(buf, size, "%c%u = (s%d)%c%u", reg, insn->dst_reg, insn->off, reg, insn->src_reg);
}

static void alu_text(const struct bpf_insn *insn, char *buf, size_t size)
{
	u8 op = BPF_OP(insn->code);
	char reg = BPF_CLASS(insn->code) == BPF_ALU64 ? 'r' : 'w';
	/* Division of signed numbers has an offset of 1. */
	const char *sign = (op == BPF_DIV || op == BPF_MOD) && insn->off == 1 ? "s" : "";

	if (op == BPF_END)
		end_text(insn, buf, size);
	else if (op == BPF_NEG)
		snprintf(buf, size, "%c%u = -%c%u", reg, insn->dst_reg, reg, insn->dst_reg);
	else if (!alu_ops[op >> 4])
		other(insn, buf, size);
	else if (op == BPF_MOV && BPF_SRC(insn->code) == BPF_X && insn->off)
		move_text(insn, reg, buf, size);
	else if (BPF_SRC(insn->code) == BPF_X)
		snprintf(buf, size, "%c%u %s%s %c%u", reg, insn->dst_reg, sign, alu_ops[op >> 4], reg,
			 insn->src_reg);
	else
		snprintf(buf, size, "%c%u %s%s %d", reg, insn->dst_reg, sign, alu_ops[op >> 4], insn->imm);
}

/* --- memory --- */

static const char *fetch_op(s32 op)
{
	switch (op & ~BPF_FETCH) {
	case BPF_ADD: return "add";
	case BPF_AND: return "and";
	case BPF_OR: return "or";
	case BPF_XOR: return "xor";
	default: return NULL;
	}
}

static void atomic_text(const struct bpf_insn *insn, char *buf, size_t size)
{
	const char *type = sizes[size_of(insn->code)], *bits = size_of(insn->code) == 3 ? "64" : "";
	const char *op = fetch_op(insn->imm);
	char at[40];

	snprintf(at, sizeof(at), "(%s *)(r%u %+d)", type, insn->dst_reg, insn->off);
	if (insn->imm == BPF_CMPXCHG)
		snprintf(buf, size, "r0 = atomic%s_cmpxchg(%s, r0, r%u)", bits, at, insn->src_reg);
	else if (insn->imm == BPF_XCHG)
		snprintf(buf, size, "r%u = atomic%s_xchg(%s, r%u)", insn->src_reg, bits, at, insn->src_reg);
	else if (insn->imm == LOAD_ACQUIRE)
		snprintf(buf, size, "r%u = load_acquire((%s *)(r%u %+d))", insn->dst_reg, type, insn->src_reg,
			 insn->off);
	else if (insn->imm == STORE_RELEASE)
		snprintf(buf, size, "store_release(%s, r%u)", at, insn->src_reg);
	else if (op && insn->imm & BPF_FETCH)
		snprintf(buf, size, "r%u = atomic%s_fetch_%s(%s, r%u)", insn->src_reg, bits, op, at,
			 insn->src_reg);
	else if (op)
		snprintf(buf, size, "lock *%s %s r%u", at, alu_ops[insn->imm >> 4], insn->src_reg);
	else
		other(insn, buf, size);
}

static void store_text(const struct bpf_insn *insn, char *buf, size_t size)
{
	bool of_register = BPF_CLASS(insn->code) == BPF_STX;

	if (of_register && BPF_MODE(insn->code) == BPF_ATOMIC)
		atomic_text(insn, buf, size);
	else if (BPF_MODE(insn->code) != BPF_MEM)
		snprintf(buf, size, "nospec");
	else
		snprintf(buf, size, "*(%s *)(r%u %+d) = %s%d", sizes[size_of(insn->code)], insn->dst_reg, insn->off,
			 of_register ? "r" : "", of_register ? insn->src_reg : insn->imm);
}

static void load_text(const struct bpf_insn *insn, char *buf, size_t size)
{
	const char *const *types = BPF_MODE(insn->code) == LOAD_SIGNED ? signed_sizes : sizes;

	snprintf(buf, size, "r%u = *(%s *)(r%u %+d)", insn->dst_reg, types[size_of(insn->code)], insn->src_reg,
		 insn->off);
}

/* Where loaded programs name maps the kernel has put their ids. */
static void number_text(const struct bpf_insn *insn, const char *name, char *buf, size_t size)
{
	const char *mark = *name ? "  # " : "";

	switch (insn->src_reg) {
	case BPF_PSEUDO_MAP_FD:
		snprintf(buf, size, "r%u = map[id:%d]%s%s", insn->dst_reg, insn->imm, mark, name);
		break;
	case BPF_PSEUDO_MAP_VALUE:
		snprintf(buf, size, "r%u = map[id:%d][0]+%d%s%s", insn->dst_reg, insn->imm, insn[1].imm, mark, name);
		break;
	case BPF_PSEUDO_FUNC:
		snprintf(buf, size, "r%u = subprog[%+d]%s%s", insn->dst_reg, insn->imm, mark, name);
		break;
	default:
		snprintf(buf, size, "r%u = 0x%llx", insn->dst_reg,
			 (unsigned long long)((u64)(u32)insn[1].imm << 32 | (u32)insn->imm));
	}
}

/* Of packets, as old as the instruction set. */
static void packet_text(const struct bpf_insn *insn, char *buf, size_t size)
{
	if (BPF_MODE(insn->code) == BPF_IND)
		snprintf(buf, size, "r0 = *(%s *)skb[r%u + %d]", sizes[size_of(insn->code)], insn->src_reg, insn->imm);
	else
		snprintf(buf, size, "r0 = *(%s *)skb[%d]", sizes[size_of(insn->code)], insn->imm);
}

/* --- jumps --- */

static const char *const jump_ops[16] = {
	[BPF_JEQ >> 4] = "==", [BPF_JGT >> 4] = ">",   [BPF_JLT >> 4] = "<",	[BPF_JGE >> 4] = ">=",
	[BPF_JLE >> 4] = "<=", [BPF_JSET >> 4] = "&",  [BPF_JNE >> 4] = "!=",	[BPF_JSGT >> 4] = "s>",
	[BPF_JSLT >> 4] = "s<", [BPF_JSGE >> 4] = "s>=", [BPF_JSLE >> 4] = "s<=",
};

/* Of a function of the program itself the kernel tells how far it is in the place of the offset. */
static void call_text(const struct bpf_insn *insn, const char *name, char *buf, size_t size)
{
	if (insn->src_reg == BPF_PSEUDO_CALL)
		snprintf(buf, size, "call pc%+d%s%s", insn->off, *name ? "#" : "", name);
	else
		snprintf(buf, size, "call %s#%d", *name ? name : "unknown", insn->imm);
}

static void jump_text(const struct bpf_insn *insn, const char *name, char *buf, size_t size)
{
	char reg = BPF_CLASS(insn->code) == BPF_JMP ? 'r' : 'w';
	u8 op = BPF_OP(insn->code);

	if (op == BPF_CALL)
		call_text(insn, name, buf, size);
	else if (op == BPF_EXIT)
		snprintf(buf, size, "exit");
	else if (op == BPF_JA && reg == 'r')
		snprintf(buf, size, "goto pc%+d", insn->off);
	else if (op == BPF_JA)
		snprintf(buf, size, "gotol pc%+d", insn->imm);
	else if (op == JUMP_MAYBE)
		snprintf(buf, size, "may_goto pc%+d", insn->off);
	else if (!jump_ops[op >> 4])
		other(insn, buf, size);
	else if (BPF_SRC(insn->code) == BPF_X)
		snprintf(buf, size, "if %c%u %s %c%u goto pc%+d", reg, insn->dst_reg, jump_ops[op >> 4], reg,
			 insn->src_reg, insn->off);
	else
		snprintf(buf, size, "if %c%u %s 0x%x goto pc%+d", reg, insn->dst_reg, jump_ops[op >> 4],
			 (u32)insn->imm, insn->off);
}

void bpf_insn__text(const struct bpf_insn *insn, const char *name, char *buf, size_t size)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		alu_text(insn, buf, size);
		break;
	case BPF_JMP:
	case BPF_JMP32:
		jump_text(insn, name, buf, size);
		break;
	case BPF_LDX:
		load_text(insn, buf, size);
		break;
	case BPF_LD:
		if (bpf_insn__is_wide(insn))
			number_text(insn, name, buf, size);
		else
			packet_text(insn, buf, size);
		break;
	default:
		store_text(insn, buf, size);
	}
}
