/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/disasm.h"

#include <capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>

#include "base/arena.h"
#include "base/log.h"

#define TEXT_(x) #x
#define TEXT(x)	 TEXT_(x)
#define LIBRARY	 "libcapstone.so." TEXT(CS_API_MAJOR)

/*
 * The library is loaded when the first code is disassembled: its tables of addresses are 3.4 MB that are read and
 * written whenever a program begins that is linked with it.
 */
#define FUNCTIONS(X)                                                                                                   \
	X(cs_open) X(cs_close) X(cs_option) X(cs_malloc) X(cs_free) X(cs_disasm_iter) X(cs_insn_group)

static struct {
	pthread_once_t once;
	bool there;
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
} lib = {.once = PTHREAD_ONCE_INIT};

static void load_library(void)
{
	void *at = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	lib.there = at != NULL;
#define FIND(name) lib.there = lib.there && (lib.name = (__typeof__(name) *)dlsym(at, #name));
	FUNCTIONS(FIND)
	if (!lib.there)
		log__add(LOG_WARN, "code is not disassembled: %s", dlerror());
}

static bool has_library(void)
{
	pthread_once(&lib.once, load_library);
	return lib.there;
}

struct disasm {
	csh handle;
	cs_arch arch;
	cs_insn *insn;
};

static bool pick(u16 machine, cs_arch *arch, cs_mode *mode)
{
	switch (machine) {
	case EM_X86_64:
		*arch = CS_ARCH_X86;
		*mode = CS_MODE_64;
		return true;
	case EM_386:
		*arch = CS_ARCH_X86;
		*mode = CS_MODE_32;
		return true;
	case EM_AARCH64:
		*arch = CS_ARCH_ARM64;
		*mode = CS_MODE_LITTLE_ENDIAN;
		return true;
	default:
		return false;
	}
}

struct disasm *disasm__new(u16 machine)
{
	struct disasm *d;
	cs_mode mode;
	cs_arch arch;
	csh handle;

	if (!pick(machine, &arch, &mode) || !has_library() || lib.cs_open(arch, mode, &handle) != CS_ERR_OK)
		return NULL;
	lib.cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	lib.cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	if (arch == CS_ARCH_X86)
		lib.cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	d = xcalloc(1, sizeof(*d));
	d->handle = handle;
	d->arch = arch;
	d->insn = lib.cs_malloc(handle);
	if (!d->insn)
		die("out of memory");
	return d;
}

void disasm__free(struct disasm *d)
{
	if (!d)
		return;
	lib.cs_free(d->insn, 1);
	lib.cs_close(&d->handle);
	free(d);
}

/* As binutils writes them today: the suffix says nothing where the size is always the same. */
static const char *plain_mnemonic(const char *m)
{
	static const char *const names[][2] = {
		{"callq", "call"}, {"retq", "ret"}, {"jmpq", "jmp"}, {"leaveq", "leave"}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(m, names[i][0]))
			return names[i][1];
	return m;
}

static void x86_operands(const cs_insn *insn, struct disasm_insn *out)
{
	const cs_x86 *x86 = &insn->detail->x86;

	out->branch = out->branch && x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
	if (out->branch)
		out->target = (u64)x86->operands[0].imm;
	for (u8 i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].mem.base == X86_REG_RIP)
			out->data = insn->address + insn->size + (u64)x86->operands[i].mem.disp;
	out->returns =
		insn->id == X86_INS_RET || insn->id == X86_INS_JMP || insn->id == X86_INS_UD2;
}

static void arm64_operands(const cs_insn *insn, struct disasm_insn *out)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	const char *last = strrchr(insn->op_str, ',');

	out->branch = out->branch && arm->op_count > 0 &&
		      arm->operands[arm->op_count - 1].type == ARM64_OP_IMM;
	if (out->branch) {
		out->target = (u64)arm->operands[arm->op_count - 1].imm;
		out->before = last ? (u32)(last + 2 - insn->op_str) : 0;
		out->before = MIN(out->before, (u32)strlen(insn->op_str));
	}
	out->returns = insn->id == ARM64_INS_RET || insn->id == ARM64_INS_BR ||
		       (insn->id == ARM64_INS_B && arm->cc == ARM64_CC_INVALID);
}

static void describe(const struct disasm *d, const cs_insn *insn, struct disasm_insn *out)
{
	*out = (struct disasm_insn){
		.addr = insn->address,
		.size = insn->size,
		.mnemonic = plain_mnemonic(insn->mnemonic),
		.operands = insn->op_str,
	};
	if (insn->id == 0) /* data: there are no details */
		return;
	out->branch = lib.cs_insn_group(d->handle, insn, CS_GRP_JUMP) ||
		      lib.cs_insn_group(d->handle, insn, CS_GRP_CALL) ||
		      lib.cs_insn_group(d->handle, insn, CS_GRP_BRANCH_RELATIVE);
	if (d->arch == CS_ARCH_X86)
		x86_operands(insn, out);
	else
		arm64_operands(insn, out);
}

bool disasm__next(struct disasm *d, const u8 **code, size_t *size, u64 *addr,
		  struct disasm_insn *out)
{
	if (!lib.cs_disasm_iter(d->handle, code, size, addr, d->insn))
		return false;
	describe(d, d->insn, out);
	return true;
}
