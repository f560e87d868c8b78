// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a file is a Ruby, and where its evaluation function is. That is the static one that
 * rb_vm_exec calls and which is by far the largest of those; its name is in no stripped file, so
 * calls are looked at, and the ranges of functions in the unwind tables. Where it is inlined it is
 * rb_vm_exec itself.
 */
#include <unistd.h>

#include "base/arena.h"
#include "symbols/elf.h"
#include "symbols/ruby.h"
#include "symbols/unwind_table.h"

#define VM	  "ruby_current_vm_ptr"
#define VM_EXEC	  "rb_vm_exec"
#define CODE_MAX  (64u << 10)
#define CALLS_MAX 128

static void take(void *ctx, const char *name, const GElf_Sym *sym)
{
	struct ruby_file *f = ctx;

	if (!strcmp(name, VM)) {
		f->vm = sym->st_value;
	} else if (!strcmp(name, "ruby_version")) {
		f->version = sym->st_value;
	} else if (!strcmp(name, "rb_cObject")) {
		f->object = sym->st_value;
	} else if (!strcmp(name, VM_EXEC)) {
		f->eval = sym->st_value;
		f->eval_size = sym->st_size;
	}
}

/* --- what it calls --- */

struct calls {
	u64 to[CALLS_MAX];
	u32 n;
	u64 largest, size;
};

static void take_call(struct calls *c, u64 to)
{
	if (c->n < CALLS_MAX)
		c->to[c->n++] = to;
}

/* Any bytes that look like a call are taken for one: a function has to begin where it leads to. */
static void find_calls(struct calls *c, u32 machine, const u8 *code, size_t size, u64 address)
{
	u32 step = machine == EM_AARCH64 ? 4 : 1, length = machine == EM_AARCH64 ? 4 : 5, word;

	for (size_t i = 0; i + length <= size; i += step) {
		if (machine == EM_AARCH64) {
			memcpy(&word, code + i, sizeof(word));
			if (word >> 26 == 0x25) /* bl */
				take_call(c, address + i + (u64)((s64)((s32)(word << 6) >> 6) * 4));
		} else if (code[i] == 0xe8) {
			memcpy(&word, code + i + 1, sizeof(word));
			take_call(c, address + i + 5 + (u64)(s64)(s32)word);
		}
	}
}

static void take_range(void *ctx, u64 start, u64 size)
{
	struct calls *c = ctx;

	if (size <= c->size)
		return;
	for (u32 i = 0; i < c->n; i++) {
		if (c->to[i] != start)
			continue;
		c->largest = start;
		c->size = size;
	}
}

static bool read_code(Elf *elf, int fd, u64 address, u8 *code, size_t size)
{
	GElf_Phdr ph;

	for (int i = 0; gelf_getphdr(elf, i, &ph); i++)
		if (ph.p_type == PT_LOAD && address - ph.p_vaddr < ph.p_filesz)
			return pread(fd, code, size,
				     (off_t)(ph.p_offset + (address - ph.p_vaddr))) ==
			       (ssize_t)size;
	return false;
}

static void find_eval(Elf *elf, int fd, struct ruby_file *f)
{
	struct calls c = {.size = f->eval_size};
	GElf_Ehdr eh;
	u8 *code;

	if (!gelf_getehdr(elf, &eh) || f->eval_size > CODE_MAX)
		return;
	code = xmalloc(f->eval_size);
	if (read_code(elf, fd, f->eval, code, f->eval_size)) {
		find_calls(&c, eh.e_machine, code, f->eval_size, f->eval);
		unwind_table__each_range(elf, take_range, &c);
	}
	free(code);
	if (!c.largest)
		return;
	f->eval = c.largest;
	f->eval_size = c.size;
}

bool ruby_file__read(int fd, struct ruby_file *out)
{
	Elf *elf;

	*out = (struct ruby_file){0};
	elf__symbols(fd, SHT_DYNSYM, VM, take, out);
	if (!out->vm || !out->version || !out->eval || !out->eval_size)
		return false;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		find_eval(elf, fd, out);
	elf_end(elf);
	return true;
}
