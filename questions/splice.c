// SPDX-License-Identifier: GPL-2.0-only
/* Code into the place that a program keeps for it. */
#include "questions/generate.h"

#define LEAD 2 /* instructions before the code */

static bool is_mark(const struct bpf_insn *i)
{
	return i->code == (BPF_ALU64 | BPF_MOV | BPF_K) && i->dst_reg == BPF_REG_0 &&
	       i->imm == QUESTION_REGION_MAGIC;
}

static bool is_nothing(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_JA) && !i->off;
}

/* The instruction that the call of question__glob() behind the region calls, or -1. */
static long glob_function(const struct bpf_insn *insns, u32 ninsns, u32 end)
{
	for (u32 i = end; i < ninsns && i < end + 8; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == BPF_PSEUDO_CALL)
			return (long)i + 1 + insns[i].imm;
	return -1;
}

/*
 * Before the code stands a jump to what is left of the region, which is never taken: so the
 * verifier counts that as reachable, and drops it when it knows better.
 */
static int fill_region(const struct eval_code *code, struct bpf_insn *insns, u32 ninsns, u32 at, u32 size)
{
	long glob = glob_function(insns, ninsns, at + size);

	if (!eval__fits(code, size))
		return -E2BIG;
	insns[at++] = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K};
	insns[at++] =
		(struct bpf_insn){.code = BPF_JMP | BPF_JNE | BPF_K, .off = (int16_t)code->ninsns};
	for (u32 i = 0; i < code->ninsns; i++, at++) {
		insns[at] = code->insns[i];
		if (insns[at].code != (BPF_JMP | BPF_CALL) || insns[at].src_reg != BPF_PSEUDO_CALL)
			continue;
		if (glob < 0)
			return -ENOENT;
		insns[at].imm = (s32)(glob - (long)at - 1);
	}
	return 0;
}

/* Instructions that are kept for code behind a mark. */
static u32 region_size(const struct bpf_insn *insns, u32 ninsns, u32 at)
{
	u32 n = 0;

	while (n < QUESTION_REGION && at + n < ninsns && is_nothing(&insns[at + n]))
		n++;
	return n;
}

bool eval__fits(const struct eval_code *code, u32 place)
{
	return code->ninsns + LEAD <= place;
}

int eval__splice(const struct eval_code *code, struct bpf_insn *insns, u32 ninsns)
{
	int ret = -ENOENT;

	for (u32 i = 0; i + 1 < ninsns; i++) {
		u32 size = is_mark(&insns[i]) ? region_size(insns, ninsns, i + 1) : 0;

		if (!size)
			continue;
		ret = fill_region(code, insns, ninsns, i + 1, size);
		if (ret)
			return ret;
		i += size;
	}
	return ret;
}
