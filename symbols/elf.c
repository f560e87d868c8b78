// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/elf.h"

#include <unistd.h>

#include "base/memory.h"

#define BYTES_MAX (512u << 20)
#define NOTES_MAX (16u << 20)

bool elf__sane(int fd, off_t size)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} h;
	u64 shoff;
	u32 shnum, phnum;

	if (size < (off_t)sizeof(h) || pread(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    memcmp(h.ident, ELFMAG, SELFMAG))
		return false;
	if (h.ident[EI_CLASS] == ELFCLASS64) {
		shoff = h.e64.e_shoff;
		shnum = h.e64.e_shnum;
		phnum = h.e64.e_phnum;
	} else {
		shoff = h.e32.e_shoff;
		shnum = h.e32.e_shnum;
		phnum = h.e32.e_phnum;
	}
	/* No section count beside a table means: look in section 0, up to 2^32 of them. No
	 * linked program has as many; libelf would allocate for all. */
	return phnum != PN_XNUM && (shnum || !shoff);
}

bool elf__sane_image(const void *image, size_t size)
{
	Elf64_Ehdr h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, image, sizeof(h));
	return !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_ident[EI_CLASS] == ELFCLASS64 &&
	       h.e_shnum && h.e_phnum != PN_XNUM;
}

/* Notes one after the other until one is a build-id; links by any of the names that libdw knows. */
static bool is_read_unasked(const struct elf_section *s)
{
	return s->shdr.sh_type == SHT_NOTE ||
	       (s->name && strstr(s->name, "gnu_debug") && strcmp(s->name, ".gnu_debugdata"));
}

/* They are looked at where there are no sections. */
static bool note_segments_bounded(Elf *elf)
{
	struct byte_budget budget = {.left = NOTES_MAX};
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
		    !byte_budget__take(&budget, ph.p_filesz))
			return false;
	return true;
}

/* libelf unpacks packed names too, a thousand times what they are; nobody writes such. */
static bool names_bounded(Elf *elf)
{
	Elf_Scn *scn;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names))
		names = 0;
	scn = elf_getscn(elf, names);
	return !scn || !gelf_getshdr(scn, &sh) ||
	       (sh.sh_size <= NOTES_MAX && !(sh.sh_flags & SHF_COMPRESSED));
}

bool elf__bounded(Elf *elf)
{
	struct byte_budget budget = {.left = NOTES_MAX};
	struct elf_section s = {0};

	if (!names_bounded(elf))
		return false;
	while (elf_section__next(elf, &s))
		if (s.broken ||
		    (is_read_unasked(&s) && !byte_budget__take(&budget, s.shdr.sh_size)))
			return false;
	return note_segments_bounded(elf);
}

struct byte_budget elf__budget(void)
{
	return (struct byte_budget){.left = memory__share(BYTES_MAX)};
}

Elf_Data *elf__bytes(Elf_Scn *scn, struct byte_budget *budget)
{
	GElf_Shdr sh;
	Elf_Data *d;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS || !sh.sh_size ||
	    (sh.sh_flags & SHF_COMPRESSED) || !byte_budget__take(budget, sh.sh_size))
		return NULL;
	d = elf_getdata(scn, NULL);
	return d && d->d_buf && d->d_size ? d : NULL;
}

bool elf__text_addr(Elf *elf, u64 *addr)
{
	struct elf_section s = {0};

	while (elf_section__next(elf, &s)) {
		if (!(s.shdr.sh_flags & SHF_EXECINSTR) || !(s.shdr.sh_flags & SHF_ALLOC))
			continue;
		*addr = s.shdr.sh_addr;
		return true;
	}
	return false;
}

static bool has_text(Elf *elf, size_t strings, const char *text)
{
	Elf_Scn *scn = elf_getscn(elf, strings);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf && memmem(data->d_buf, data->d_size, text, strlen(text));
}

static void each_symbol(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh,
			void (*fn)(void *ctx, const char *name, const GElf_Sym *sym), void *ctx)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	u64 n = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	GElf_Sym sym;

	for (u64 i = 0; i < n && i < INT32_MAX; i++) {
		const char *name = gelf_getsym(data, (int)i, &sym)
					   ? elf_strptr(elf, sh->sh_link, sym.st_name)
					   : NULL;

		if (name && sym.st_shndx != SHN_UNDEF)
			fn(ctx, name, &sym);
	}
}

void elf__symbols(int fd, u32 type, const char *text,
		  void (*fn)(void *ctx, const char *name, const GElf_Sym *sym), void *ctx)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type && has_text(elf, sh.sh_link, text))
			each_symbol(elf, scn, &sh, fn, ctx);
	elf_end(elf);
}
