// SPDX-License-Identifier: GPL-2.0-only
/* Whether a file is a CPython: by the symbols that it has for its own modules. */
#include <gelf.h>
#include <libelf.h>

#include "symbols/python.h"

static const char *const wanted[] = {"_PyRuntime", "PyCode_Type", "_PyEval_EvalFrameDefault",
				     "Py_Version"};

static void take(struct python_file *f, const char *name, const GElf_Sym *sym)
{
	u64 *const to[] = {&f->runtime, &f->code_type, &f->eval, &f->version};

	for (u32 i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!strcmp(name, wanted[i]))
			*to[i] = sym->st_value;
	if (!strcmp(name, "_PyEval_EvalFrameDefault"))
		f->eval_size = sym->st_size;
}

/* Most files have no such name at all: that is seen at once. */
static bool names_it(Elf *elf, size_t strings)
{
	Elf_Scn *scn = elf_getscn(elf, strings);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf &&
	       memmem(data->d_buf, data->d_size, wanted[0], strlen(wanted[0]) + 1);
}

static void read_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct python_file *f)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	u64 n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	GElf_Sym sym;

	for (u64 i = 0; i < n && i < INT32_MAX; i++) {
		const char *name = gelf_getsym(data, (int)i, &sym)
					   ? elf_strptr(elf, sh->sh_link, sym.st_name)
					   : NULL;

		if (name && sym.st_shndx != SHN_UNDEF)
			take(f, name, &sym);
	}
}

static void read_tables(Elf *elf, u32 type, struct python_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type && names_it(elf, sh.sh_link))
			read_symbols(elf, scn, &sh, f);
}

/* "libpython3.9.so.1.0", "python3.10": 9, 10. */
static u32 minor_of(const char *path)
{
	const char *name = strrchr(path, '/'), *at = strstr(name ? name : path, "python3.");

	return at ? (u32)strtoul(at + strlen("python3."), NULL, 10) : 0;
}

bool python_file__read(int fd, const char *path, struct python_file *out)
{
	Elf *elf;

	*out = (struct python_file){.minor = minor_of(path)};
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return false;
	read_tables(elf, SHT_DYNSYM, out);
	if (!out->runtime)
		read_tables(elf, SHT_SYMTAB, out);
	elf_end(elf);
	return out->runtime && out->code_type;
}
