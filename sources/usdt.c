// SPDX-License-Identifier: GPL-2.0-only
#include "sources/usdt.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sources/uprobe.h"

/* What is larger says something else. */
#define NOTES_MAX (16u << 20)

struct reading {
	Elf *elf;
	u16 machine;
	u64 base; /* of section .stapsdt.base; 0: there is none */
	const char *provider, *name;
	void (*emit)(void *ctx, const struct usdt_place *place);
	void *ctx;
	int n;
};

static Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *found = gelf_getshdr(section, header)
					    ? elf_strptr(elf, names, header->sh_name)
					    : NULL;

		if (found && !strcmp(found, name))
			return section;
	}
	return NULL;
}

/* Where an address is in the file. */
static bool to_offset(Elf *elf, u64 address, u32 flags, u64 *offset)
{
	GElf_Phdr p;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (int i = 0; i < (int)n && gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD && (p.p_flags & flags) && address >= p.p_vaddr &&
		    address - p.p_vaddr < p.p_filesz) {
			*offset = address - p.p_vaddr + p.p_offset;
			return true;
		}
	return false;
}

static void take_note(void *ctx, const struct usdt_note *note)
{
	struct reading *r = ctx;
	u64 moved = r->base ? r->base - note->base : 0; /* by prelink */
	struct usdt_place place = {0};
	char name[2 * USDT_NAME];

	if (fnmatch(r->provider, note->provider, 0) || fnmatch(r->name, note->name, 0) ||
	    !to_offset(r->elf, note->pc + moved, PF_X, &place.offset))
		return;
	if (note->semaphore && !to_offset(r->elf, note->semaphore + moved, PF_W, &place.semaphore))
		return;
	snprintf(name, sizeof(name), "%.100s:%.100s", note->provider, note->name);
	usdt_probe__init(&place.probe, name, note->arguments, r->machine);
	r->emit(r->ctx, &place);
	r->n++;
}

static int read_notes(struct reading *r)
{
	GElf_Shdr header;
	GElf_Ehdr eh;
	Elf_Scn *section;
	Elf_Data *data;

	if (elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &eh) ||
	    gelf_getclass(r->elf) != ELFCLASS64)
		return -ENOEXEC;
	r->machine = eh.e_machine;
	if (section_named(r->elf, ".stapsdt.base", &header))
		r->base = header.sh_addr;
	section = section_named(r->elf, ".note.stapsdt", &header);
	data = section && header.sh_type == SHT_NOTE && header.sh_size <= NOTES_MAX
		       ? elf_rawdata(section, NULL)
		       : NULL;
	if (data && data->d_buf)
		usdt_notes__each(data->d_buf, data->d_size, take_note, r);
	return r->n;
}

int usdt__find(const char *path, const char *provider, const char *name,
	       void (*emit)(void *ctx, const struct usdt_place *place), void *ctx)
{
	struct reading r = {.provider = provider, .name = name, .emit = emit, .ctx = ctx};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), n;

	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	r.elf = elf_begin(fd, ELF_C_READ, NULL);
	n = r.elf ? read_notes(&r) : -ENOEXEC;
	elf_end(r.elf);
	close(fd);
	return n;
}

/* --- files --- */

/* A line of /proc/PID/maps: the file that is mapped executable; NULL: none. */
static const char *mapped_file(char *line)
{
	char *path = strchr(line, '/'), *rights = strchr(line, ' ');

	if (!path || !rights || strlen(rights) < 4 || rights[3] != 'x')
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	return path;
}

static bool find_mapped(u32 pid, bool (*fn)(void *ctx, const char *file, u32 pid), void *ctx)
{
	char line[PATH_MAX + 256], last[PATH_MAX] = "", file[PATH_MAX + 64];
	bool found = false;
	FILE *maps;

	snprintf(file, sizeof(file), "/proc/%u/maps", pid);
	maps = fopen(file, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		const char *path = mapped_file(line);

		if (!path || !strcmp(path, last))
			continue;
		copy_str(last, sizeof(last), path);
		snprintf(file, sizeof(file), "/proc/%u/root%s", pid, path);
		found = fn(ctx, file, pid);
	}
	if (maps)
		fclose(maps);
	return found;
}

bool probe_path__find(const char *path, bool (*fn)(void *ctx, const char *file, u32 pid), void *ctx)
{
	char file[PATH_MAX];
	u32 pid;

	if (strncmp(path, "pid:", 4)) {
		if (!strchr(path, '/') && uprobe__find_file(path, file, sizeof(file)))
			path = file;
		return fn(ctx, path, 0);
	}
	pid = (u32)strtoul(path + 4, NULL, 10);
	snprintf(file, sizeof(file), "/proc/%u/exe", pid);
	return fn(ctx, file, pid) || find_mapped(pid, fn, ctx);
}
