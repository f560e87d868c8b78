/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that a program's debug information is divided into: a program that names the other one by
 * .gnu_debuglink, or parts of it by .gnu_debugaltlink (dwz). An input is the program's length in
 * two bytes, the program, and the file that lies beside it by both names.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/debuginfo.h"
#include "symbols/unwind_table.h"
#include "tests/fuzz/elf_mutator.h"

#define HEAD 2

static const char *const names[] = {"prog", "partner.debug", "partner.alt"};
static char dir[PATH_MAX];

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", dir, name);
}

static void remove_all(void)
{
	char path[PATH_MAX + 32];

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		path_of(path, sizeof(path), names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void begin(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%.200s/fuzz_partner.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir) || atexit(remove_all))
		die("no folder %s", dir);
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
	char path[PATH_MAX + 32];
	int fd;

	path_of(path, sizeof(path), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		die("no file %s", path);
	close(fd);
}

/* How long the program is. */
static size_t program_of(const uint8_t *data, size_t size)
{
	return size < HEAD ? 0 : MIN((size_t)(data[0] | data[1] << 8), size - HEAD);
}

/* Both are of the same length afterwards: what is behind the length has one meaning. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	size_t n = program_of(data, size), rest;

	if (size < HEAD)
		return LLVMFuzzerMutate(data, size, max_size);
	rest = size - HEAD - n;
	if (seed % 4 && rest)
		elf__mutate(data + HEAD + n, rest, rest, seed / 4);
	else if (n)
		elf__mutate(data + HEAD, n, n, seed / 4);
	return size;
}

static bool look_up(struct debuginfo *d)
{
	struct inline_frame frames[8];
	bool known = false;
	const char *file;
	u32 line;

	for (u64 addr = 0x200; addr < 0x1400; addr += 23) {
		known |= debuginfo__line(d, addr, &file, &line);
		debuginfo__inlined(d, addr, frames, ARRAY_SIZE(frames));
	}
	return known;
}

/* Tables are looked for in the other file too. */
static void read_table(int fd, const char *path)
{
	struct unwind_table t;

	unwind_table__read(fd, "", path, &t, NULL);
	unwind_table__free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = program_of(data, size);
	struct debuginfo *d;
	bool known = false;
	char path[PATH_MAX + 32], note[160];
	int fd;

	if (!n)
		return 0;
	if (!dir[0])
		begin();
	for (u32 i = 1; i < ARRAY_SIZE(names); i++)
		write_file(names[i], data + HEAD + n, size - HEAD - n);
	write_file(names[0], data + HEAD, n);
	path_of(path, sizeof(path), names[0]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("no file %s", path);
	d = debuginfo__open(fd, path, "", note, sizeof(note));
	if (d) {
		known = look_up(d);
		debuginfo__close(d);
	}
	read_table(fd, path);
	close(fd);
	return fuzz__through(known);
}
