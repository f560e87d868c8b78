// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a file is a Perl, and where in it a thread's interpreter is: a variable of each thread's
 * own. A program's lie beside the thread pointer; a library's in a block that the loader finds by a
 * number, which it puts where the file asks for it.
 */
#include "symbols/elf.h"
#include "symbols/perl.h"

#define RUN	"Perl_runops_standard"
#define CONTEXT "PL_current_context"

/* Between the thread pointer and the block of the program. */
#if defined(__x86_64__)
#define BLOCK_IS_BELOW 1
#define MODULE_NUMBER  R_X86_64_DTPMOD64
#else
#define BLOCK_IS_BELOW 0
#define MODULE_NUMBER  R_AARCH64_TLS_DTPMOD
#endif
#define THREAD_HEAD 16

static const struct {
	const char *name;
	size_t at;
} wanted[] = {
	{"PL_revision", offsetof(struct perl_file, revision)},
	{"PL_version", offsetof(struct perl_file, version)},
	{"PL_interp_size", offsetof(struct perl_file, interpreter_size)},
	{"PL_curinterp", offsetof(struct perl_file, interpreter)},
	{RUN, offsetof(struct perl_file, eval)},
	{"perl_run", offsetof(struct perl_file, main)},
	{"Perl_pp_nextstate", offsetof(struct perl_file, nextstate)},
	{"Perl_pp_dbstate", offsetof(struct perl_file, dbstate)},
};

static void take(void *ctx, const char *name, const GElf_Sym *sym)
{
	struct perl_file *f = ctx;

	for (u32 i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!strcmp(name, wanted[i].name))
			*(u64 *)((char *)f + wanted[i].at) = sym->st_value;
	if (!strcmp(name, RUN)) {
		f->eval_size = sym->st_size;
	} else if (!strcmp(name, "perl_run")) {
		f->main_size = sym->st_size;
	} else if (!strcmp(name, CONTEXT) && GELF_ST_TYPE(sym->st_info) == STT_TLS) {
		f->in_thread = true;
		f->thread = (s64)sym->st_value;
	}
}

/* --- where the thread's own variables are --- */

static bool is_number_of(Elf *elf, const GElf_Shdr *sh, const GElf_Rela *r, const char *name)
{
	Elf_Scn *symbols = elf_getscn(elf, sh->sh_link);
	GElf_Shdr of;
	GElf_Sym sym;
	const char *text;

	if (GELF_R_TYPE(r->r_info) != MODULE_NUMBER || !symbols || !gelf_getshdr(symbols, &of) ||
	    !gelf_getsym(elf_getdata(symbols, NULL), (int)GELF_R_SYM(r->r_info), &sym))
		return false;
	text = elf_strptr(elf, of.sh_link, sym.st_name);
	return text && !strcmp(text, name);
}

/* Where the loader puts the number of the block that has the variable; 0: nowhere. */
static u64 find_module(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Rela r;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (u64 i = 0; data && i < data->d_size / sh.sh_entsize; i++)
			if (gelf_getrela(data, (int)i, &r) && is_number_of(elf, &sh, &r, CONTEXT))
				return r.r_offset;
	}
	return 0;
}

static u64 rounded_up(u64 size, u64 align)
{
	return align ? (size + align - 1) / align * align : size;
}

static bool has_segment(Elf *elf, u32 type, GElf_Phdr *ph)
{
	for (int i = 0; gelf_getphdr(elf, i, ph); i++)
		if (ph->p_type == type)
			return true;
	return false;
}

/* False: neither of those. */
static bool find_thread(Elf *elf, struct perl_file *f)
{
	GElf_Phdr ph;

	f->module = find_module(elf);
	if (f->module)
		return true;
	if (!has_segment(elf, PT_INTERP, &ph) || !has_segment(elf, PT_TLS, &ph))
		return false;
	f->thread += BLOCK_IS_BELOW ? -(s64)rounded_up(ph.p_memsz, ph.p_align)
				    : (s64)rounded_up(THREAD_HEAD, ph.p_align);
	return true;
}

bool perl_file__read(int fd, struct perl_file *out)
{
	Elf *elf;

	*out = (struct perl_file){0};
	elf__symbols(fd, SHT_DYNSYM, RUN, take, out);
	if (!out->eval || !out->eval_size || !out->version)
		return false;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	out->in_thread = out->in_thread && elf && find_thread(elf, out);
	elf_end(elf);
	return true;
}
