// SPDX-License-Identifier: GPL-2.0-only
#include "samples/perf_regs.h"

#include <elf.h>

#define NO_REG 64

static const struct numbers {
	u16 machine;
	u8 ip, sp, fp, lr;
} machines[] = {
	{EM_X86_64, .ip = 8, .sp = 7, .fp = 6, .lr = NO_REG},
	{EM_AARCH64, .ip = 32, .sp = 31, .fp = 29, .lr = 30},
};

static const struct numbers *numbers_of(u16 machine)
{
	for (u32 i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

u16 perf_regs__machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__aarch64__)
	return EM_AARCH64;
#else
	return EM_NONE;
#endif
}

static u64 bit(u8 reg)
{
	return reg == NO_REG ? 0 : 1ULL << reg;
}

u64 perf_regs__mask(u16 machine)
{
	const struct numbers *n = numbers_of(machine);

	return n ? bit(n->ip) | bit(n->sp) | bit(n->fp) | bit(n->lr) : 0;
}

/* Of the registers that the mask names, the lowest comes first. */
static u64 reg_of(const struct perf_record *r, u64 mask, u8 reg)
{
	if (reg == NO_REG)
		return 0;
	return r->regs[__builtin_popcountll(mask & (bit(reg) - 1))];
}

bool perf_regs__read(const struct perf_record *r, u64 mask, u16 machine, struct user_regs *out)
{
	const struct numbers *n = numbers_of(machine);
	u64 wanted = perf_regs__mask(machine);

	if (!n || !r->regs || r->regs_abi != PERF_SAMPLE_REGS_ABI_64 || (mask & wanted) != wanted)
		return false;
	*out = (struct user_regs){
		.ip = reg_of(r, mask, n->ip),
		.sp = reg_of(r, mask, n->sp),
		.fp = reg_of(r, mask, n->fp),
		.lr = reg_of(r, mask, n->lr),
	};
	return true;
}
