// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/kernel_id.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define NOTES_MAX 4096

static const u8 *find_note(const u8 *notes, size_t n, size_t *size)
{
	const Elf64_Nhdr *h;
	size_t name, desc;

	while (n >= sizeof(*h)) {
		h = (const void *)notes;
		name = ((size_t)h->n_namesz + 3) & ~3ul;
		desc = ((size_t)h->n_descsz + 3) & ~3ul;
		if (name + desc > n - sizeof(*h))
			return NULL;
		if (h->n_type == NT_GNU_BUILD_ID && h->n_namesz == 4 && !memcmp(h + 1, "GNU", 4)) {
			*size = h->n_descsz;
			return notes + sizeof(*h) + name;
		}
		notes += sizeof(*h) + name + desc;
		n -= sizeof(*h) + name + desc;
	}
	return NULL;
}

void kernel__read_notes(const u8 *notes, size_t n, char *hex, size_t size)
{
	size_t len = 0;
	const u8 *id = find_note(notes, n, &len);

	hex[0] = '\0';
	for (size_t i = 0; id && i < len && 2 * i + 2 < size; i++)
		snprintf(hex + 2 * i, size - 2 * i, "%02x", id[i]);
}

const char *kernel__build_id(char *hex, size_t size)
{
	_Alignas(8) u8 notes[NOTES_MAX];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	kernel__read_notes(notes, n > 0 ? (size_t)n : 0, hex, size);
	return hex;
}

u64 kernel__find_address(FILE *kallsyms, const char *symbol)
{
	unsigned long long at;
	char line[512], name[256];

	while (fgets(line, sizeof(line), kallsyms))
		if (sscanf(line, "%llx %*c %255s", &at, name) == 2 && at && !strcmp(name, symbol))
			return at;
	return 0;
}

u64 kernel__address_of(const char *symbol)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	u64 found = f ? kernel__find_address(f, symbol) : 0;

	if (f)
		fclose(f);
	return found;
}
