/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/debugfile.h"

#include <elfutils/libdwelf.h>
#include <endian.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "symbols/elf.h"
#include "symbols/openfile.h"

#define DEBUG_DIR     "/usr/lib/debug"
#define MAX_IN_MEMORY (512ull << 20)
#define MAX_SECTIONS  (1u << 16)
#define MIN_BUILD_ID  3
#define MAX_BUILD_ID  64

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NATIVE_DATA ELFDATA2MSB
#else
#define NATIVE_DATA ELFDATA2LSB
#endif

/* --- opening --- */

/* Nobody but root can shorten it under us; root is trusted with his own files. */
static bool may_map(int fd, const char *root)
{
	struct stat sb;

	return !root[0] && !fstat(fd, &sb) && sb.st_uid == 0 && !(sb.st_mode & (S_IWGRP | S_IWOTH));
}

/* libdw knows them with something in front and behind, too: .zdebug_, .gnu.debuglto_, .dwo. */
static bool is_debug_name(const char *name)
{
	return strstr(name, "debug") && strncmp(name, ".rel", 4);
}

/* What GNU's older form of packing (.zdebug_) says: "ZLIB" and 8 bytes, the highest first. */
static u64 gnu_unpacked_size(Elf *elf, const GElf_Shdr *shdr)
{
	Elf_Data *head = elf_getdata_rawchunk(elf, (s64)shdr->sh_offset, 12, ELF_T_BYTE);
	u64 size;

	if (!head || head->d_size < 12 || memcmp(head->d_buf, "ZLIB", 4))
		return 0;
	memcpy(&size, (char *)head->d_buf + 4, sizeof(size));
	return be64toh(size);
}

static u64 unpacked_size(Elf *elf, const struct elf_section *s)
{
	GElf_Chdr chdr;

	if (s->shdr.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(s->scn, &chdr) ? chdr.ch_size : 0;
	return strstr(s->name, ".z") ? gnu_unpacked_size(elf, &s->shdr) : 0;
}

/* Whether all debug sections may be read. How large one is unpacked is told by libelf only after it
 * has read all that is packed: so that counts first. */
static bool fits_memory(Elf *elf, bool mapped)
{
	struct byte_budget budget = {.left = memory__share(MAX_IN_MEMORY)};
	struct elf_section s = {0};
	size_t names, n = 0;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while (elf_section__next(elf, &s)) {
		if (++n > MAX_SECTIONS || s.broken)
			return false;
		if (!s.name || !is_debug_name(s.name) || s.shdr.sh_type == SHT_NOBITS)
			continue;
		if ((!mapped && !byte_budget__take(&budget, s.shdr.sh_size)) ||
		    !byte_budget__take(&budget, unpacked_size(elf, &s)))
			return false;
	}
	return true;
}

static const char *refusal(Elf *elf)
{
	GElf_Ehdr ehdr;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		return "not an ELF file";
	if (ehdr.e_ident[EI_DATA] != NATIVE_DATA)
		return "an ELF file of the other byte order";
	return NULL;
}

int debugfile__open(struct debugfile *f, int fd, const char *root, const char *path, char *why,
		    size_t why_size)
{
	bool mapped = fd >= 0 && may_map(fd, root);
	const char *bad;
	char large[80];

	elf_version(EV_CURRENT);
	*f = (struct debugfile){.fd = fd, .path = xstrdup(path)};
	f->elf = fd < 0 ? NULL : elf_begin(fd, mapped ? ELF_C_READ_MMAP : ELF_C_READ, NULL);
	bad = refusal(f->elf);
	if (!bad && !elf__bounded(f->elf))
		bad = "an ELF file with sections that are too large to be true";
	if (!bad && !fits_memory(f->elf, mapped)) {
		snprintf(large, sizeof(large),
			 "its debug information is broken or needs more than %llu MiB",
			 (unsigned long long)memory__share(MAX_IN_MEMORY) >> 20);
		bad = large;
	}
	if (!bad)
		return 0;
	if (why)
		copy_str(why, why_size, bad);
	debugfile__close(f);
	return -EINVAL;
}

static const struct {
	Elf64_Ehdr ehdr;
	Elf64_Shdr sections[3];
	char names[24];
} empty_image = {
	.ehdr =
		{
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, NATIVE_DATA,
				    EV_CURRENT},
			.e_type = ET_DYN,
			.e_machine = EM_NONE,
			.e_version = EV_CURRENT,
			.e_shoff = sizeof(Elf64_Ehdr),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 3,
			.e_shstrndx = 2,
		},
	/* libdw wants one section of DWARF: the NUL at the end of the names serves. */
	.sections =
		{
			[1] =
				{
					.sh_name = 1,
					.sh_type = SHT_PROGBITS,
					.sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr),
					.sh_size = 1,
					.sh_addralign = 1,
				},
			[2] =
				{
					.sh_name = 13,
					.sh_type = SHT_STRTAB,
					.sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr),
					.sh_size = 24,
					.sh_addralign = 1,
				},
		},
	.names = "\0.debug_line\0.shstrtab",
};

int debugfile__open_empty(struct debugfile *f)
{
	elf_version(EV_CURRENT);
	/* Only read, though libelf's type does not say so. */
	*f = (struct debugfile){
		.fd = -1,
		.elf = elf_memory((char *)&empty_image, sizeof(empty_image)),
		.path = xstrdup(""),
	};
	return f->elf ? 0 : -EINVAL;
}

void debugfile__close(struct debugfile *f)
{
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	*f = DEBUGFILE_NONE;
}

/* Addresses in an object file (.o, .ko) mean nothing before it is linked. */
bool debugfile__has_dwarf(const struct debugfile *f)
{
	struct elf_section s = {0};
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(f->elf, &ehdr) || ehdr.e_type == ET_REL)
		return false;
	while (elf_section__next(f->elf, &s))
		if (s.name && s.shdr.sh_type != SHT_NOBITS && s.shdr.sh_size &&
		    (!strcmp(s.name, ".debug_info") || !strcmp(s.name, ".debug_line")))
			return true;
	return false;
}

/* --- identity --- */

static void to_hex(const u8 *id, size_t n, char *hex, size_t size)
{
	hex[0] = '\0';
	for (size_t i = 0; i < n && 2 * i + 2 < size; i++)
		snprintf(hex + 2 * i, size - 2 * i, "%02x", id[i]);
}

void debugfile__build_id(const struct debugfile *f, char *hex, size_t size)
{
	const void *id = NULL;
	ssize_t n = dwelf_elf_gnu_build_id(f->elf, &id);

	to_hex(id, n >= MIN_BUILD_ID && n <= MAX_BUILD_ID ? (size_t)n : 0, hex, size);
}

static bool has_build_id(const struct debugfile *f, const char *wanted)
{
	char hex[2 * MAX_BUILD_ID + 1];

	debugfile__build_id(f, hex, sizeof(hex));
	return hex[0] && !strcmp(hex, wanted);
}

/* CRC-32 of a whole file, as .gnu_debuglink has it. What that reads is taken from the budget. */
static bool has_crc(const struct debugfile *f, u32 wanted, struct byte_budget *budget)
{
	uLong crc = crc32(0, NULL, 0);
	u8 buf[65536];
	struct stat sb;
	off_t at = 0;
	ssize_t n;

	if (fstat(f->fd, &sb) || !byte_budget__take(budget, (u64)sb.st_size))
		return false;
	while (at < sb.st_size && (n = pread(f->fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)n);
		at += n;
	}
	return crc == wanted;
}

/* --- searching --- */

struct wanted {
	const char *build_id; /* "" unknown: then the checksum decides */
	bool has_crc;
	u32 crc;
	struct byte_budget checked; /* all candidates: their owner may have made them large */
	bool dwarf;		    /* it must hold DWARF */
};

static bool matches(const struct debugfile *f, struct wanted *w)
{
	if (w->dwarf && !debugfile__has_dwarf(f))
		return false;
	if (w->build_id[0] && has_build_id(f, w->build_id))
		return true;
	return w->has_crc && has_crc(f, w->crc, &w->checked);
}

static bool try_path(struct debugfile *out, const char *root, const char *path, struct wanted *w)
{
	int fd = openfile__regular(root, path);

	if (fd < 0 || debugfile__open(out, fd, root, path, NULL, 0))
		return false;
	if (matches(out, w))
		return true;
	debugfile__close(out);
	return false;
}

/* Below the process's root first: there lies what belongs to its packages. */
static bool try_roots(struct debugfile *out, const char *root, const char *path, struct wanted *w)
{
	return (root[0] && try_path(out, root, path, w)) || try_path(out, "", path, w);
}

static bool try_build_id(struct debugfile *out, const char *root, struct wanted *w)
{
	char path[PATH_MAX];

	if (strlen(w->build_id) < 2 * MIN_BUILD_ID)
		return false;
	snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%.2s/%s.debug", w->build_id,
		 w->build_id + 2);
	return try_roots(out, root, path, w);
}

/* The folder of a path, without its last slash. */
static int folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : 0;
}

static bool try_link(struct debugfile *out, const char *root, const char *program, const char *name,
		     struct wanted *w)
{
	static const char *const patterns[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_DIR "%.*s/%s"};
	char path[PATH_MAX];

	if (program[0] != '/' || !name[0] || strchr(name, '/'))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		int n = snprintf(path, sizeof(path), patterns[i], folder_len(program), program,
				 name);

		if (n < 0 || (size_t)n >= sizeof(path))
			continue;
		/* Neighbours are looked for only where the program lives. */
		if (i < 2 ? try_path(out, root, path, w) : try_roots(out, root, path, w))
			return true;
	}
	return false;
}

int debugfile__find_separate(const struct debugfile *program, const char *root, const char *path,
			     struct debugfile *out)
{
	char id[2 * MAX_BUILD_ID + 1];
	struct wanted w = {.build_id = id, .checked = {.left = MAX_IN_MEMORY}, .dwarf = true};
	GElf_Word crc = 0;
	const char *link;

	*out = DEBUGFILE_NONE;
	debugfile__build_id(program, id, sizeof(id));
	if (try_build_id(out, root, &w))
		return 0;
	link = dwelf_elf_gnu_debuglink(program->elf, &crc);
	w.has_crc = link != NULL;
	w.crc = crc;
	return link && try_link(out, root, path, link, &w) ? 0 : -ENOENT;
}

/* .gnu_debugaltlink is a path, a NUL and the build-id of the file meant. */
static bool read_altlink(Elf *elf, const char **name, const u8 **id, size_t *id_len)
{
	Elf_Scn *scn = elf__section(elf, ".gnu_debugaltlink", 0);
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	const u8 *nul = data && data->d_buf ? memchr(data->d_buf, 0, data->d_size) : NULL;

	if (!nul)
		return false;
	*name = data->d_buf;
	*id = nul + 1;
	*id_len = data->d_size - (size_t)(nul + 1 - (const u8 *)data->d_buf);
	return *id_len >= MIN_BUILD_ID && *id_len <= MAX_BUILD_ID;
}

int debugfile__find_alt(const struct debugfile *f, const char *root, struct debugfile *out)
{
	char hex[2 * MAX_BUILD_ID + 1], path[PATH_MAX];
	struct wanted w = {.build_id = hex};
	const char *name;
	const u8 *id;
	size_t n;

	*out = DEBUGFILE_NONE;
	if (!read_altlink(f->elf, &name, &id, &n))
		return 0;
	to_hex(id, n, hex, sizeof(hex));
	if (try_build_id(out, root, &w))
		return 1;
	if (name[0] == '/')
		return try_roots(out, root, name, &w) ? 1 : -ENOENT;
	n = (size_t)snprintf(path, sizeof(path), "%.*s/%s", folder_len(f->path), f->path, name);
	if (f->path[0] != '/' || n >= sizeof(path))
		return -ENOENT;
	return try_roots(out, root, path, &w) ? 1 : -ENOENT;
}
