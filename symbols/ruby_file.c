// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a file is a Ruby, where its evaluation function is, and where its table of symbols may be.
 * The first is the static one that rb_vm_exec calls and which is by far the largest of those; its
 * name is in no stripped file, so calls are looked at, and the ranges of functions in the unwind
 * tables. Where it is inlined it is rb_vm_exec itself. The second is among what the function refers
 * to that lists all symbols.
 */
#include <unistd.h>

#include "base/arena.h"
#include "symbols/elf.h"
#include "symbols/ruby.h"
#include "symbols/unwind_table.h"

#define VM	  "ruby_current_vm_ptr"
#define VM_EXEC	  "rb_vm_exec"
#define LIST	  "rb_sym_all_symbols"
#define CODE_MAX  (64u << 10)
#define CALLS_MAX 128

struct taken {
	struct ruby_file *file;
	u64 list, list_size; /* the function that lists all symbols */
};

static void take(void *ctx, const char *name, const GElf_Sym *sym)
{
	struct taken *t = ctx;
	struct ruby_file *f = t->file;

	if (!strcmp(name, VM)) {
		f->vm = sym->st_value;
	} else if (!strcmp(name, "ruby_version")) {
		f->version = sym->st_value;
	} else if (!strcmp(name, "rb_cObject")) {
		f->object = sym->st_value;
	} else if (!strcmp(name, VM_EXEC)) {
		f->eval = sym->st_value;
		f->eval_size = sym->st_size;
	} else if (!strcmp(name, LIST)) {
		t->list = sym->st_value;
		t->list_size = sym->st_size;
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

/* NULL: it cannot be read. */
static u8 *function_code(Elf *elf, int fd, u64 address, u64 size)
{
	u8 *code;

	if (size > CODE_MAX)
		return NULL;
	code = xmalloc(size);
	if (read_code(elf, fd, address, code, size))
		return code;
	free(code);
	return NULL;
}

static void find_eval(Elf *elf, int fd, struct ruby_file *f)
{
	u8 *code = function_code(elf, fd, f->eval, f->eval_size);
	struct calls c = {.size = f->eval_size};
	GElf_Ehdr eh;

	if (code && gelf_getehdr(elf, &eh)) {
		find_calls(&c, eh.e_machine, code, f->eval_size, f->eval);
		unwind_table__each_range(elf, take_range, &c);
	}
	free(code);
	if (!c.largest)
		return;
	f->eval = c.largest;
	f->eval_size = c.size;
}

static void find_text(Elf *elf, struct ruby_file *f)
{
	GElf_Phdr ph;

	for (int i = 0; gelf_getphdr(elf, i, &ph); i++) {
		if (ph.p_type != PT_LOAD || f->eval - ph.p_vaddr >= ph.p_filesz)
			continue;
		f->text = ph.p_vaddr;
		f->text_size = ph.p_filesz;
	}
}

/* --- what it refers to --- */

static bool refers(const u8 *code)
{
	return (code[0] & 0xfb) == 0x48 && (code[1] == 0x8b || code[1] == 0x8d) &&
	       (code[2] & 0xc7) == 0x05; /* mov, lea: relative to the next instruction */
}

/* The table itself, or its second word, which is where texts are looked up. */
static void find_symbols(Elf *elf, int fd, const struct taken *t)
{
	u8 *code = function_code(elf, fd, t->list, t->list_size);
	struct ruby_file *f = t->file;
	GElf_Ehdr eh;
	u32 word;

	if (!code || !gelf_getehdr(elf, &eh) || eh.e_machine != EM_X86_64) {
		free(code);
		return;
	}
	for (u64 i = 0; i + 7 <= t->list_size && f->nsymbols + 2 <= RUBY_SYMBOLS_MAX; i++) {
		u64 to = t->list + i + 7;

		if (!refers(code + i))
			continue;
		memcpy(&word, code + i + 3, sizeof(word));
		to += (u64)(s64)(s32)word;
		f->symbols[f->nsymbols++] = to - 8;
		f->symbols[f->nsymbols++] = to;
	}
	free(code);
}

bool ruby_file__read(int fd, struct ruby_file *out)
{
	struct taken t = {.file = out};
	Elf *elf;

	*out = (struct ruby_file){0};
	elf__symbols(fd, SHT_DYNSYM, VM, take, &t);
	if (!out->vm || !out->version || !out->eval || !out->eval_size)
		return false;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		find_eval(elf, fd, out);
		find_text(elf, out);
	}
	if (elf && t.list)
		find_symbols(elf, fd, &t);
	elf_end(elf);
	return true;
}
