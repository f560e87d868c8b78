// SPDX-License-Identifier: GPL-2.0-only
#include "sources/sleeping_stack.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>

#include "base/file.h"

/* Page by page: what is above the stack cannot be read. */
u32 sleeping_stack__copy(u32 tgid, u64 sp, u8 buf[SLEEPING_STACK_BYTES])
{
	struct iovec local = {buf, SLEEPING_STACK_BYTES}, remote[SLEEPING_STACK_BYTES / 4096 + 1];
	u64 at = sp, to = sp + SLEEPING_STACK_BYTES;
	u32 n = 0;
	ssize_t got;

	for (; at < to && n < ARRAY_SIZE(remote); n++) {
		u64 end = MIN((at | 4095) + 1, to);

		remote[n] = (struct iovec){(void *)at, end - at};
		at = end;
	}
	got = process_vm_readv((pid_t)tgid, &local, 1, remote, n, 0);
	return got > 0 ? (u32)got & ~7u : 0;
}

bool sleeping_stack__stays(u32 tid, u64 sp)
{
	char path[40], text[256], *at;

	snprintf(path, sizeof(path), "/proc/%u/syscall", tid);
	if (file__read(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return false;
	at = strrchr(text, ' ');
	if (!at)
		return false;
	*at = '\0'; /* behind it is where it goes on */
	at = strrchr(text, ' ');
	return at && strtoull(at, NULL, 16) == sp;
}
