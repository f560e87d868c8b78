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
static int fill_region(const struct eval_code *code, struct bpf_insn *insns, u32 ninsns, u32 at)
{
	u32 begin = at, end = at + QUESTION_REGION;
	long glob;

	for (u32 i = at; i < end; i++)
		if (i >= ninsns || !is_nothing(&insns[i]))
			return -ENOENT;
	glob = glob_function(insns, ninsns, end);
	if (code->ninsns + LEAD > QUESTION_REGION)
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
	return at <= begin + QUESTION_REGION ? 0 : -E2BIG;
}

int eval__splice(const struct eval_code *code, struct bpf_insn *insns, u32 ninsns)
{
	int ret = -ENOENT;

	for (u32 i = 0; i + 1 < ninsns; i++) {
		if (!is_mark(&insns[i]))
			continue;
		ret = fill_region(code, insns, ninsns, i + 1);
		if (ret)
			return ret;
		i += QUESTION_REGION;
	}
	return ret;
}
