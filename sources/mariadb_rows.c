// SPDX-License-Identifier: GPL-2.0-only
/*
 * No function that MariaDB exports is called with how many rows a statement had, but one that it exports adds to that
 * number, and one reads it: their few instructions have the place, which is another one in each version.
 */
#include "sources/mariadb_rows.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sources/uprobe.h"

#define CODE_BYTES   32
#define OFFSET_LAST  0x10000
#define BETWEEN_LAST 256 /* both are among the statement's counters */

#if defined(__x86_64__)
/* With four bytes of the offset behind. */
static const u8 add_to_rows[] = {0x48, 0x03, 0xb7};	/* add OFFSET(%rdi),%rsi */
static const u8 read_of_thread[] = {0x48, 0x8b, 0x80}; /* mov OFFSET(%rax),%rax */
#else
static const u8 add_to_rows[3], read_of_thread[3];
#endif

static u32 offset_behind(const u8 *code, u32 n, const u8 *instruction)
{
	u32 offset;

	for (u32 i = 0; instruction[0] && i + 7 <= n; i++) {
		if (memcmp(code + i, instruction, 3))
			continue;
		memcpy(&offset, code + i + 3, sizeof(offset));
		return offset && offset < OFFSET_LAST && !(offset % 8) ? offset : 0;
	}
	return 0;
}

u32 mariadb_rows__sent(const u8 *code, u32 n)
{
	return offset_behind(code, MIN(n, 7u), add_to_rows);
}

u32 mariadb_rows__changed(const u8 *code, u32 n)
{
	return offset_behind(code, n, read_of_thread);
}

static u32 read_code(int fd, u64 at, u8 *code)
{
	ssize_t n = at ? pread(fd, code, CODE_BYTES, (off_t)at) : 0;

	return n > 0 ? (u32)n : 0;
}

struct mariadb_rows mariadb_rows__find(const char *path)
{
	static const char *const names[] = {"_ZN3THD18inc_sent_row_countEy", "_ZN19Item_func_row_count7val_intEv"};
	struct mariadb_rows rows = {0};
	u8 code[CODE_BYTES];
	u64 at[2] = {0};
	int fd;

	if (uprobe__offsets(path, names, ARRAY_SIZE(names), at))
		return rows;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rows;
	rows.sent = mariadb_rows__sent(code, read_code(fd, at[0], code));
	rows.changed = mariadb_rows__changed(code, read_code(fd, at[1], code));
	close(fd);
	if (!rows.sent || rows.changed + BETWEEN_LAST < rows.sent || rows.changed > rows.sent + BETWEEN_LAST)
		rows.changed = 0;
	return rows;
}
