// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_known.h"
#include "symbols/elf.h"

#include <gelf.h>


#define ENTRY	   16
#define ARM64_HEAD 32
#define WORD	   8
#define CODE_MAX   (4u << 20)	  /* bytes that are searched for a trampoline: a C library's */
#define BYTES_MAX  (4 * CODE_MAX) /* of all sections that are read for one of these */

/* --- the procedure linkage table --- */

static struct cfi_state x86_state(enum cfa_kind cfa, s64 offset)
{
	return (struct cfi_state){
		.cfa = cfa,
		.cfa_offset = offset,
		.ra = {.kind = REG_AT_CFA, .offset = -WORD},
	};
}

static bool begins(const struct bytes *b, size_t at, const char *with, size_t n)
{
	return b->n >= at + n && !memcmp(b->p + at, with, n);
}

/* The byte of an entry from which on it has pushed its number; 0: it pushes nothing. */
static u32 x86_pushed(const struct bytes *b, size_t entry)
{
	if (begins(b, entry, "\xff\x25", 2) && begins(b, entry + 6, "\x68", 1))
		return 11; /* jmp *slot; push; jmp */
	if (begins(b, entry, "\xf3\x0f\x1e\xfa\x68", 5))
		return 9; /* endbr64; push; jmp */
	return begins(b, entry, "\x68", 1) ? 5 : 0;
}

static void add_x86(struct cfi_index *x, u64 addr, const struct bytes *b)
{
	struct cfi_state before = x86_state(CFA_SP, 2 * WORD), after = x86_state(CFA_SP, 3 * WORD),
			 entries;
	size_t head = begins(b, 0, "\xff\x35", 2) ? ENTRY : 0; /* push got[1]; jmp *got[2] */
	u32 pushed = x86_pushed(b, head);

	entries = pushed ? x86_state(CFA_PLT, pushed) : x86_state(CFA_SP, WORD);
	if (head) {
		cfi_index__add_state(x, addr, 6, &before, false);
		cfi_index__add_state(x, addr + 6, head - 6, &after, false);
	}
	if (b->n > head)
		cfi_index__add_state(x, addr + head, b->n - head, &entries, false);
}

/* Only the head of .plt touches the stack, by its first instruction but for a landing pad. */
static void add_arm64(struct cfi_index *x, u64 addr, const struct bytes *b)
{
	static const char push[] = "\xf0\x7b\xbf\xa9"; /* stp x16, x30, [sp, #-16]! */
	struct cfi_state leaf = {.cfa = CFA_SP},
			 head = {.cfa = CFA_SP,
				 .cfa_offset = 2 * WORD,
				 .ra = {.kind = REG_AT_CFA, .offset = -WORD}};
	size_t at = begins(b, 4, push, 4) ? 4 : 0;

	if (!begins(b, at, push, 4) || b->n <= ARM64_HEAD) {
		cfi_index__add_state(x, addr, b->n, &leaf, false);
		return;
	}
	cfi_index__add_state(x, addr, at + 4, &leaf, false);
	cfi_index__add_state(x, addr + at + 4, ARM64_HEAD - at - 4, &head, false);
	cfi_index__add_state(x, addr + ARM64_HEAD, b->n - ARM64_HEAD, &leaf, false);
}

void unwind_known__add_plt(Elf *elf, struct cfi_index *x)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
	struct byte_budget budget = {.left = BYTES_MAX};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		Elf_Scn *scn = elf__section(elf, names[i], SHT_PROGBITS);
		Elf_Data *data = elf__bytes(scn, &budget);
		GElf_Shdr sh;
		struct bytes b;

		if (!data || !gelf_getshdr(scn, &sh))
			continue;
		b = (struct bytes){data->d_buf, data->d_size};
		if (x->machine->elf == EM_X86_64)
			add_x86(x, sh.sh_addr, &b);
		else
			add_arm64(x, sh.sh_addr, &b);
	}
}

/* --- the return from signal handlers --- */

/* Does it need other objects? Then the C library, or the kernel, has the trampoline. */
static bool needs_others(Elf *elf, struct byte_budget *budget)
{
	Elf_Scn *scn = elf__section(elf, NULL, SHT_DYNAMIC);
	Elf_Data *data = elf__bytes(scn, budget);
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_NEEDED)
			return true;
	return false;
}

static bool has_signal(const struct cfi_index *x)
{
	for (u32 i = 0; i < x->ncies; i++)
		if (x->cies[i].signal && x->cies[i].usable)
			return true;
	return false;
}

static void search(struct cfi_index *x, u64 addr, const u8 *p, size_t n)
{
	static const char x86[] =
		"\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05";			/* mov $15,%rax; syscall */
	static const char arm64[] = "\x68\x11\x80\xd2\x01\x00\x00\xd4"; /* mov x8,#139; svc #0 */
	bool is_x86 = x->machine->elf == EM_X86_64;
	size_t size = is_x86 ? sizeof(x86) - 1 : sizeof(arm64) - 1;
	struct cfi_state s = {.cfa = CFA_DEREF_SP,
			      .cfa_offset = X86_UCONTEXT_RSP,
			      .ra = {.kind = REG_AT_SP, .offset = X86_UCONTEXT_RIP}};
	const u8 *at = memmem(p, n, is_x86 ? x86 : arm64, size);

	/* Return addresses are looked up by the byte before them, though none called this. */
	if (at > p)
		cfi_index__add_state(x, addr + (u64)(at - p) - 1, size + 1, &s, true);
}

void unwind_known__add_sigreturn(Elf *elf, struct cfi_index *x)
{
	struct byte_budget budget = {.left = BYTES_MAX};
	struct elf_section s = {0};
	Elf_Data *data;

	if (has_signal(x) || needs_others(elf, &budget))
		return;
	while (!budget.over && elf_section__next(elf, &s)) {
		if (!(s.shdr.sh_flags & SHF_EXECINSTR) || s.shdr.sh_size > CODE_MAX)
			continue;
		data = elf__bytes(s.scn, &budget);
		if (data)
			search(x, s.shdr.sh_addr, data->d_buf, data->d_size);
	}
}
