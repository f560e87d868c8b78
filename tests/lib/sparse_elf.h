/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF files that promise much: many sections or segments, each of which is the same hole. Nothing
 * but the headers takes any memory or disk.
 */
#ifndef TESTS_LIB_SPARSE_ELF_H
#define TESTS_LIB_SPARSE_ELF_H

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"

#define SPARSE_HOLE_AT (1u << 20)

struct sparse_elf {
	u16 sections, segments; /* how many: up to some thousands */
	u64 size;		/* of each, and of the hole */
	u32 type, flags;	/* of a section */
	const char *name;	/* of a section, up to 32 bytes; NULL: none has a name */
	u32 names_flags;	/* of the section that holds it */
};

static inline void sparse_elf__sections(const struct sparse_elf *e, Elf64_Shdr *sh)
{
	for (u32 i = 0; i < e->sections; i++)
		sh[2 + i] = (Elf64_Shdr){
			.sh_name = e->name ? 1 : 0,
			.sh_type = e->type,
			.sh_flags = e->flags,
			.sh_offset = SPARSE_HOLE_AT,
			.sh_size = e->size,
			.sh_addralign = 4,
		};
}

/* The file's descriptor. */
static inline int sparse_elf__make(const struct sparse_elf *e)
{
	u8 *head = xcalloc(1, SPARSE_HOLE_AT);
	Elf64_Ehdr *h = (void *)head;
	Elf64_Phdr *ph = (void *)(h + 1);
	Elf64_Shdr *sh = (void *)(ph + e->segments);
	char *names = (void *)(sh + 2 + e->sections);
	int fd = memfd_create("sparse", MFD_CLOEXEC);

	*h = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(*h),
		.e_ehsize = sizeof(*h),
		.e_phentsize = sizeof(*ph),
		.e_phnum = e->segments,
	};
	for (u32 i = 0; i < e->segments; i++)
		ph[i] = (Elf64_Phdr){
			.p_type = PT_NOTE, .p_offset = SPARSE_HOLE_AT, .p_filesz = e->size};
	if (e->sections) {
		h->e_shoff = (u64)((u8 *)sh - head);
		h->e_shentsize = sizeof(*sh);
		h->e_shnum = e->sections + 2;
		h->e_shstrndx = e->name ? 1 : 0;
		sh[1] = (Elf64_Shdr){
			.sh_type = SHT_STRTAB,
			.sh_flags = e->names_flags,
			.sh_offset = (u64)((u8 *)names - head),
			.sh_size = 64,
		};
		snprintf(names + 1, 32, "%s", e->name ? e->name : "");
		sparse_elf__sections(e, sh);
	}
	if (write(fd, head, SPARSE_HOLE_AT) != SPARSE_HOLE_AT ||
	    ftruncate(fd, (off_t)(SPARSE_HOLE_AT + e->size)))
		fail_msg("no sparse file: %s", strerror(errno));
	free(head);
	return fd;
}

#endif
